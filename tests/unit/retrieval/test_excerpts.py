"""What is shown of a long message holds the word that was asked for, whatever the text is like, however little fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.excerpts import around, by_words, clipped, head_and_tail, holding, sentences, spread
from text.analyzer import analyse
from text.characters import reading_length
from text.tokenizer import Tokenizer

EXACT, ESTIMATE = Tokenizer.for_model("gpt-5.4-mini"), Tokenizer.estimate()
FILLERS = {
    "sentences": ("The weather was mild and we walked for hours. ", "My uncle repairs old radios… "),
    "words": ("alpha123 ", "beta ", "gamma77 ", "delta "),
    "commas": ("alpha123,", "beta,", "gamma77,"),
    "lines": ("soup and bread\n", "\n", "a late train\n"),
    "chinese": ("我们今天去公园散步", "天气很好", "然后回家吃饭"),
    "thai": ("วันนี้อากาศดีมาก", "เราไปเดินเล่น", "ทำงาน"),
    "marks": ("Cafe\u0301 ouvert… ", "\u1112\u1161\u11ab\u1100\u1173\u11af "),
}
SOUGHT = ("DR-2041", "зимородок", "麒麟火锅")
texts = st.sampled_from(sorted(FILLERS.values())).flatmap(
    lambda pieces: st.tuples(
        st.lists(st.sampled_from(pieces), max_size=150).map("".join),
        st.sampled_from(SOUGHT),
        st.lists(st.sampled_from(pieces), max_size=150).map("".join),
    )
)


@given(texts, st.integers(24, 300), st.sampled_from([EXACT, ESTIMATE]))
def test_the_word_is_in_what_is_shown(said: tuple[str, str, str], tokens: int, tokenizer: Tokenizer) -> None:
    before, word, after = said
    text = f"{before} {word} {after}"
    weights = dict.fromkeys(analyse(word), 5.0) | dict.fromkeys(analyse("beta walked 天气"), 1.0)
    shown = by_words(text, weights, tokens=max(tokens, 2 * tokenizer.count(word)), tokenizer=tokenizer)
    assert word in shown
    assert tokenizer.count(shown) <= max(tokens, 2 * tokenizer.count(word))
    if shown.strip() != text.strip():
        assert "…" in shown
    assert all(part.strip() in text for part in shown.split("…"))


@given(texts, st.integers(1, 60))
def test_what_holds_no_word_is_cut_in_its_middle(said: tuple[str, str, str], tokens: int) -> None:
    text = "".join(said)
    for tokenizer in (EXACT, ESTIMATE):
        shown = by_words(text, {"walrus": 1.0}, tokens=tokens, tokenizer=tokenizer)
        assert shown == head_and_tail(text, tokens=tokens, tokenizer=tokenizer)
        assert tokenizer.count(shown) <= tokens
        if tokenizer.count(text) <= tokens:
            assert shown == text
        elif "…" not in text and " … " in shown:
            head, _, tail = shown.partition(" … ")
            assert text.startswith(head)
            assert text.endswith(tail)
            assert head
            assert tail
        else:
            assert "…" in text or text.startswith(shown)


def test_what_stands_together_after_a_cut_keeps_its_line_breaks() -> None:
    pieces = ["one\n", "two\n", "three\n", "four\n"]
    assert clipped(pieces, [0, 0, 1, 1], tokens=10, count=EXACT.count) == "… three\nfour"
    assert clipped(pieces, [1, 0, 1, 1], tokens=13, count=EXACT.count) == "one … three\nfour"


def test_a_word_without_neighbours_in_sight_is_shown_alone() -> None:
    text = "alpha " * 50 + "xylophonist " + "omega " * 50
    assert by_words(text, {"xylophonist": 1.0}, tokens=4, tokenizer=EXACT) == "xylophonist"
    shown = by_words(text, {"xylophonist": 1.0}, tokens=14, tokenizer=EXACT)
    assert shown.startswith("… alpha")
    assert shown.endswith("omega …")


def test_the_weightiest_word_decides_which_sentence_is_shown() -> None:
    text = "We met a xylophonist. " + "Nothing else happened. " * 40 + "My neighbour came with my uncle."
    weights = {"neighbour": 1.0, "uncl": 1.0, "xylophonist": 3.0}
    assert "xylophonist" in by_words(text, weights, tokens=16, tokenizer=EXACT)
    assert "uncle" in by_words(text, weights | {"uncl": 4.0}, tokens=16, tokenizer=EXACT)


@pytest.mark.parametrize("text", ["One walrus. Two walruses.\nThree.", "A walrus\u0301. …½ walrus! İ walrus?\n", "x"])
def test_every_sentence_is_told_what_it_holds(text: str) -> None:
    pieces = sentences(text)
    assert holding(pieces, {"walrus": 2.0, "one": 1.0}) == ["walrus" in piece for piece in pieces]


@given(
    before=st.text(),
    word=st.sampled_from(["xylophone", "麒麟", "👩‍👩‍👧‍👦"]),
    after=st.text(),
    tokens=st.integers(1, 120),
)
def test_a_stretch_fits_and_holds_what_it_is_around(before: str, word: str, after: str, tokens: int) -> None:
    text, start = before + word + after, len(before)
    for tokenizer in (EXACT, ESTIMATE):
        shown = around(text, start, start + len(word), tokens=tokens, tokenizer=tokenizer)
        assert tokenizer.count(shown) <= tokens
        assert word in shown or tokenizer.count(word) > tokens
        assert shown.removeprefix("… ").removesuffix(" …").strip() in text


@given(st.text(max_size=400), st.integers(1, 300))
def test_what_stands_for_a_text_is_of_it_and_no_longer(text: str, length: int) -> None:
    chosen = spread(text, length)
    assert reading_length(chosen) <= length + chosen.count("\n")
    assert all(line in text for line in chosen.split("\n"))


def test_code_does_not_stand_for_an_answer() -> None:
    answer = "Use a dictionary for the counts.\n```python\nfor word in words: pass\n```\nSort them by value at the end."
    assert spread(answer, 200) == "Use a dictionary for the counts.\nSort them by value at the end."
    assert spread("```\nfor word in words: pass\n```", 200) == "```\nfor word in words: pass\n```"


def test_a_script_without_spaces_counts_more_letters() -> None:
    assert len(spread("我们今天去公园散步" * 100, 250)) == 100

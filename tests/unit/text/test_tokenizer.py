"""Tests of counting tokens, and of cutting texts by tokens."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm import quoting
from records.model_calls import PromptMessage
from tests.paths import ROOT
from tests.support.reference_encoding import load_reference_encoding
from text.characters import escape_template_tokens, repair_surrogates
from text.tokenizer import MAX_CACHED_COUNTS, Tokenizer

EXACT = Tokenizer.for_model("gpt-5.4-mini")

PROSE = {
    "en": "My sister Anna moved to Lisbon in 2019. She works as a nurse, and she can't stand coriander! Why? ",
    "ru": "Моя сестра Анна переехала в Лиссабон в 2019 году. Она работает медсестрой и не любит кинзу. ",
    "es": "Mi hermana Ana se mudó a Lisboa en 2019. ¿Trabaja como enfermera? Sí, y no soporta el cilantro. ",
    "zh": "我姐姐安娜二〇一九年搬到了里斯本。她是护士,不喜欢香菜。你知道吗?",
    "ar": "انتقلت أختي آنا إلى لشبونة عام ٢٠١٩. ",
    "emoji": "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 👍🏽 🫠 ",
    "code": "def f(x: int) -> list[str]:\n    return [str(y) for y in range(x)]  # 0x7fff\n",
    "json": '{"id": 17, "tags": ["a", "b"], "url": "https://example.org/x?y=1&z=%20"}\n',
}
texts = st.lists(
    st.one_of(
        st.sampled_from(sorted(PROSE.values())), st.text(max_size=30), st.sampled_from(["\n\n", " ", "…", "e\u0301"])
    ),
    max_size=12,
).map("".join)


@cache
def get_older_tokenizer() -> Tokenizer:
    """Return the tokenizer with the older encoding. Cached, because loading takes a third of a second."""
    return Tokenizer.for_model("gpt-4")


def test_token_count_equals_tiktoken() -> None:
    encoding = load_reference_encoding("o200k_base")
    text = "".join(PROSE.values()) + "<|endoftext|>"
    assert EXACT.count(text) == len(encoding.encode(escape_template_tokens(text), disallowed_special=()))
    assert EXACT.count("") == 0


many_lines = st.lists(
    st.one_of(
        st.sampled_from(
            ["word", "Anna", "it's", "ARE", "слово", "мы", "été", "漢字", "ﷺ", "e\u0301", "²", "12", "a_b", "ß"]
        ),
        st.sampled_from([" ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2028", "\x1c", " \n "]),
        st.sampled_from([".", "/", "(", "…", "-", "'", "/\n", "😀", "\u200d", "。"]),
    ),
    min_size=30,
    max_size=120,
).map("".join)


@settings(max_examples=30)
@given(text=many_lines)
def test_multiline_token_count_equals_tiktoken(text: str) -> None:
    for tokenizer in (EXACT, get_older_tokenizer()):
        whole = len(load_reference_encoding(tokenizer.name).encode(text, disallowed_special=()))
        assert tokenizer.count(text) == whole


def test_request_token_count_follows_contract() -> None:
    messages = [PromptMessage(role="system", content="Be kind."), PromptMessage(role="user", content="Hello")]
    assert EXACT.count_request_tokens(messages) == 3 + (3 + 1 + 3) + (3 + 1 + 1)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-5.4-mini", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-6", "o200k_base"),
        ("llama3.2:3b", "o200k_base"),
        ("davinci", "o200k_base"),
        ("gpt-oss-20b", "o200k_harmony"),
    ],
)
def test_model_name_maps_to_bundled_encoding(model: str, encoding: str) -> None:
    assert Tokenizer.for_model(model).name == encoding
    assert Tokenizer.for_model(model) is Tokenizer.for_encoding(encoding), "what one has counted the other need not"


@given(text=texts, limit=st.integers(0, 120))
def test_omit_middle_fits_limit_and_keeps_head_and_tail(text: str, limit: int) -> None:
    for tokenizer in (EXACT, get_older_tokenizer()):
        result = tokenizer.omit_middle(text, limit)
        assert tokenizer.count(result) <= limit
        if tokenizer.count(text) <= limit:
            assert result == text
        elif "\n[… " in result and "left out …]\n" in result and "[…" not in text:
            head, _, rest = result.partition("\n[… ")
            assert text.startswith(head)
            assert text.endswith(rest.partition(" left out …]\n")[2])
            assert head


@pytest.mark.parametrize("language", sorted(PROSE.keys() - {"emoji"}))  # of which one is many tokens
def test_cut_needs_few_counts_and_is_within_one_token_of_limit(language: str) -> None:
    text, most = PROSE[language] * 20, 0
    for tokens in (8, 25, 60, 300):
        for cut in ("take_head", "take_tail"):
            counted: list[str] = []

            def count(piece: str, counted: list[str] = counted) -> int:
                counted.append(piece)
                return EXACT.count(piece)

            spied = Tokenizer(count, name="spied")
            assert tokens - 1 <= EXACT.count(getattr(spied, cut)(text, tokens)) <= tokens
            most = max(most, len(counted))
    assert most <= 14


@given(text=texts, limit=st.integers(0, 120))
def test_truncate_fits_limit_and_keeps_beginning(text: str, limit: int) -> None:
    for tokenizer in (EXACT, get_older_tokenizer()):
        result = tokenizer.truncate(text, limit)
        assert tokenizer.count(result) <= limit
        assert text.startswith((result, result.removesuffix("…")))


@given(text=texts, limit=st.integers(0, 120))
def test_truncate_to_fit_when_rendered_counts_rendered_text(text: str, limit: int) -> None:
    def write(kept: str) -> str:
        return f"Anna: {quoting.quote_text(kept)}"

    for tokenizer in (EXACT, get_older_tokenizer()):
        for cut in (None, tokenizer.omit_middle):
            result = tokenizer.truncate_to_fit_when_rendered(text, limit, write, cut)
            assert tokenizer.count(write(result)) <= max(limit, tokenizer.count(write("")))
            if tokenizer.count(write(text)) <= limit:
                assert result == text


def test_text_sharing_token_with_prefix_is_not_truncated() -> None:
    said = EXACT.count("Anna: said so")
    assert said < EXACT.count("Anna: ") + EXACT.count("said so")
    assert EXACT.truncate_to_fit_when_rendered("said so", said, "Anna: {}".format) == "said so"


@given(text=texts, limit=st.integers(1, 60))
def test_split_loses_nothing_and_each_piece_fits(text: str, limit: int) -> None:
    for tokenizer in (EXACT, get_older_tokenizer()):
        pieces = tokenizer.split(text, limit)
        assert "".join(pieces) == text
        assert all(pieces)
        assert all(tokenizer.count(piece) <= limit or len(piece) == 1 for piece in pieces)


def test_omission_mark_states_number_of_omitted_tokens() -> None:
    text = PROSE["en"] * 400
    result = EXACT.omit_middle(text, 500)
    kept = sum(EXACT.count(part) for part in result.split("\n[… ")[0:1])
    left_out = int(result.partition("[… ")[2].partition(" tokens")[0].replace(",", ""))
    assert left_out == pytest.approx(EXACT.count(text) - 490, abs=20)
    assert 230 <= kept <= 250
    assert EXACT.count(result) >= 480


def test_truncate_prefers_nearby_sentence_end() -> None:
    assert EXACT.truncate("One is here. Two is here. Three is much longer than that.", 9) == "One is here. Two is here."
    assert EXACT.truncate("a word and a word and a word and so on", 6).endswith("…")


def test_truncate_does_not_split_grapheme_cluster() -> None:
    family = "👩‍👩‍👧‍👦"
    for limit in range(1, 200):
        kept = EXACT.truncate(family * 20, limit).removesuffix("…")
        assert len(kept) % len(family) == 0 or len(kept) < len(family)


@pytest.mark.parametrize("unit", ["a", " ", " \t", "😀", "\u0301"])
def test_long_run_of_one_character_is_counted_and_cut(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert 0 < EXACT.count(text) <= len(text.encode())
    assert EXACT.count(EXACT.omit_middle(text, 3000)) <= 3000
    assert EXACT.count(EXACT.truncate(text, 3000)) <= 3000


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert repair_surrogates("a\ud800b") == "a\ufffdb"
    assert repair_surrogates("\ud83d\ude00") == "😀"
    assert EXACT.count("a\ud800b") == EXACT.count("a\ufffdb")


def _in_fresh_process(code: str, **environ: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout + result.stderr


_COUNT = (
    "import socket\n"
    "def refuse(*args, **kwargs): raise SystemExit('the network was used')\n"
    "socket.socket.connect = refuse\n"
    "from text.tokenizer import Tokenizer\n"
    "for model in ('gpt-5', 'gpt-4'): print(Tokenizer.for_model(model).name)\n"
)


def test_encodings_load_without_network_or_temporary_files(tmp_path: Path) -> None:
    assert _in_fresh_process(_COUNT, TMPDIR=str(tmp_path)).split() == ["o200k_base", "cl100k_base"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["o200k_base", "o200k_harmony", "cl100k_base"])
def test_bundled_encoding_counts_equal_tiktoken(name: str) -> None:
    ours, theirs = Tokenizer.for_encoding(name), load_reference_encoding(name)
    for text in (*PROSE.values(), "   \n\n  \tx", "it'S 12345 <|endoftext|>", "".join(PROSE.values()) * 3):
        assert ours.count(text) == len(theirs.encode(escape_template_tokens(text), disallowed_special=()))


def test_count_cache_is_limited_and_stays_correct() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    tokenizer = Tokenizer(count, name="letters")
    assert [tokenizer.count("said again"), tokenizer.count("said again")] == [10, 10]
    assert counted == ["said again"]
    for number in range(MAX_CACHED_COUNTS + 1):
        assert tokenizer.count(f"{number}") == len(f"{number}")
    assert tokenizer.count("said again") == 10
    assert counted.count("said again") == 2, "so many others took its place"

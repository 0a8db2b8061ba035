"""Tests of passages: short messages are never cut, and long ones are cut at the ends of lines or sentences."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.processor_time import count_units
from text.characters import count_weighted_characters
from text.passages import (
    MAX_SENTENCES,
    MAX_WHOLE_LETTERS,
    PASSAGE_LETTERS,
    extract_informative_sentences,
    join_passages_at_indexes,
    split_into_passages,
)

STEPS = "\n".join(
    f"{number}. Step {number} of the plan takes half a day, and needs two people." for number in range(40)
)


@given(st.text(st.sampled_from("ab .!\né東京…"), max_size=60).map(lambda text: text * 60))
def test_passages_concatenate_to_text_and_have_bounded_length(text: str) -> None:
    found = split_into_passages(text)
    assert "".join(found) == text
    assert all(count_weighted_characters(passage) <= 2 * PASSAGE_LETTERS + 1 for passage in found) or len(found) == 1
    assert join_passages_at_indexes(text, frozenset(range(len(found)))) == text


def test_short_message_is_one_passage() -> None:
    assert split_into_passages("Bees! " * (MAX_WHOLE_LETTERS // 6)) == ["Bees! " * (MAX_WHOLE_LETTERS // 6)]
    assert split_into_passages("") == [""]


def test_long_message_is_split_at_line_ends() -> None:
    found = split_into_passages(STEPS)
    assert len(found) > 5
    assert all(passage.endswith("people.\n") for passage in found[:-1])


def test_thousands_of_blank_lines_are_split_in_linear_time() -> None:
    """A text file of 200 kB of line separators kept the storage's thread busy for 48 s (now 0.3 s)."""
    text = "Walnuts." + "\u2028" * 60_000 + "Pears."
    with count_units() as stopwatch:
        passages = split_into_passages(text)
    assert "".join(passages) == text
    assert stopwatch.units < 1_000


def test_omitted_passages_are_marked_with_ellipsis() -> None:
    first, second, third, *_ = split_into_passages(STEPS)
    assert join_passages_at_indexes(STEPS, {0}) == f"{first.strip()} …"
    assert join_passages_at_indexes(STEPS, {1, 2}) == f"… {(second + third).strip()} …"
    assert join_passages_at_indexes(STEPS, {0, 2}) == f"{first.strip()} … {third.strip()} …"
    assert join_passages_at_indexes(STEPS, {len(split_into_passages(STEPS)) - 1}).startswith("… ")
    assert join_passages_at_indexes(STEPS, {0, 99}) == f"{first.strip()} …"


def count_words(text: str) -> int:
    return len(text.split())


def test_extract_keeps_informative_sentences_in_order_without_code() -> None:
    text = """Certainly! Here is a plan for the rye bread.

### Ingredients
1. **Flour**: take 500 grams of rye flour and 10 grams of salt for the bread.
2. **Starter**: feed the rye starter the evening before.

```python
print("rye", "bread", "starter")
```

Somebody once told me that in northern Finland people hang up round loaves with holes on long poles.
Bake the rye bread with the starter for 50 minutes."""
    assert extract_informative_sentences(text, 12, count_words) == "Bake the rye bread with the starter for 50 minutes."
    longer = extract_informative_sentences(text, 44, count_words).split(" … ")
    assert longer == sorted(longer, key=text.index)
    assert len(longer) > 2
    assert not any("print" in sentence for sentence in longer)


@given(st.text(st.sampled_from("ab1 .!\n`*é東京。…"), max_size=60).map(lambda text: text * 9), st.integers(0, 50))
def test_extract_fits_limit_and_contains_only_given_text(text: str, room: int) -> None:
    extract = extract_informative_sentences(text, room, len)
    assert len(extract) <= room
    assert all(sentence in text for sentence in extract.split(" … ") if "…" not in text)


def test_extract_considers_limited_number_of_sentences() -> None:
    many = "\n".join(f"Row{number} has bee{number}." for number in range(10 * MAX_SENTENCES))
    assert f"Row{MAX_SENTENCES - 1} " in extract_informative_sentences(many, 10**6, len)
    assert f"Row{MAX_SENTENCES} " not in extract_informative_sentences(many, 10**6, len)
    assert extract_informative_sentences("```\nonly = code\n```", 100, len) == ""

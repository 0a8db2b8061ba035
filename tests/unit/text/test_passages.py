"""Passages: short messages are never cut, long ones at the ends of sentences."""

from hypothesis import given
from hypothesis import strategies as st

from text.characters import count_weighted_characters
from text.passages import MAX_WHOLE_LETTERS, PASSAGE_LETTERS, excerpt_passages, split_passages

STEPS = "\n".join(
    f"{number}. Step {number} of the plan takes half a day, and needs two people." for number in range(40)
)


@given(st.text(st.sampled_from("ab .!\né東京…"), max_size=60).map(lambda text: text * 60))
def test_passages_are_the_whole_text_and_have_a_bound(text: str) -> None:
    found = split_passages(text)
    assert "".join(found) == text
    assert all(count_weighted_characters(passage) <= 2 * PASSAGE_LETTERS + 1 for passage in found) or len(found) == 1
    assert excerpt_passages(text, frozenset(range(len(found)))) == text


def test_a_short_message_is_one_passage() -> None:
    assert split_passages("Bees! " * (MAX_WHOLE_LETTERS // 6)) == ["Bees! " * (MAX_WHOLE_LETTERS // 6)]
    assert split_passages("") == [""]


def test_a_long_message_is_divided_at_the_ends_of_lines() -> None:
    found = split_passages(STEPS)
    assert len(found) > 5
    assert all(passage.endswith("people.\n") for passage in found[:-1])


def test_what_is_left_out_is_marked() -> None:
    first, second, third, *_ = split_passages(STEPS)
    assert excerpt_passages(STEPS, {0}) == f"{first.strip()} …"
    assert excerpt_passages(STEPS, {1, 2}) == f"… {(second + third).strip()} …"
    assert excerpt_passages(STEPS, {0, 2}) == f"{first.strip()} … {third.strip()} …"
    assert excerpt_passages(STEPS, {len(split_passages(STEPS)) - 1}).startswith("… ")
    assert excerpt_passages(STEPS, {0, 99}) == f"{first.strip()} …"

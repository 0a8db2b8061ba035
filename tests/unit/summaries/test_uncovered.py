"""What lies before a summary without one is folded by itself, oldest first."""

from summaries.situation import UnfoldedTurn
from summaries.uncovered import first_stretch


def turns(*ids: int) -> list[UnfoldedTurn]:
    return [UnfoldedTurn(message_ids=(one, one + 1), answered=True) for one in ids]


def test_what_comes_after_all_summaries_is_not_left_behind() -> None:
    assert first_stretch(turns(31, 33), [1, 11, 21], most=5) == ()
    assert first_stretch([], [1], most=5) == ()
    assert first_stretch(turns(1, 3), [], most=5) == ()


def test_a_stretch_ends_at_the_next_summary_or_at_the_size_of_a_chunk() -> None:
    unfolded = turns(1, 3, 11, 13, 15, 31)
    assert first_stretch(unfolded, [5, 21], most=5) == (1, 2, 3, 4)
    assert first_stretch(unfolded[2:], [5, 21], most=5) == (11, 12, 13, 14, 15, 16)
    assert first_stretch(unfolded[2:], [5, 21], most=2) == (11, 12, 13, 14)
    assert first_stretch(unfolded[5:], [5, 21], most=5) == ()


def test_a_turn_on_both_sides_of_a_summary_is_folded_as_far_as_it_lies_before() -> None:
    assert first_stretch([UnfoldedTurn(message_ids=(3, 9), answered=True)], [5], most=5) == (3,)

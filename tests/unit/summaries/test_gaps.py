"""Active messages that lie before a summary are folded by themselves, oldest first."""

from summaries.planning import ActiveTurn
from summaries.pyramid import find_gap_message_ids


def make_turns(*ids: int) -> list[ActiveTurn]:
    return [ActiveTurn(message_ids=(id_, id_ + 1), answered=True) for id_ in ids]


def test_messages_after_last_summary_are_no_gap() -> None:
    assert find_gap_message_ids(make_turns(31, 33), [1, 11, 21], max_turns=5) == ()
    assert find_gap_message_ids([], [1], max_turns=5) == ()
    assert find_gap_message_ids(make_turns(1, 3), [], max_turns=5) == ()


def test_gap_ends_at_next_summary_or_chunk_size() -> None:
    active = make_turns(1, 3, 11, 13, 15, 31)
    assert find_gap_message_ids(active, [5, 21], max_turns=5) == (1, 2, 3, 4)
    assert find_gap_message_ids(active[2:], [5, 21], max_turns=5) == (11, 12, 13, 14, 15, 16)
    assert find_gap_message_ids(active[2:], [5, 21], max_turns=2) == (11, 12, 13, 14)
    assert find_gap_message_ids(active[5:], [5, 21], max_turns=5) == ()


def test_gap_includes_part_of_turn_before_summary() -> None:
    assert find_gap_message_ids([ActiveTurn(message_ids=(3, 9), answered=True)], [5], max_turns=5) == (3,)

"""Tests of the pyramid planner: the summary counts of the design, and invariants for any history."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.summaries import SummaryPlan, SummaryReason
from summaries.planning import ActiveTurn, ScopeState
from summaries.pyramid import FAN_IN, MAX_ACTIVE, plan_fold
from tests.support.summaries import standing_summary


def make_turn(*ids: int, answered: bool = True) -> ActiveTurn:
    return ActiveTurn(message_ids=ids, answered=answered)


def plan_upward_fold(active: Mapping[int, Sequence[int]]) -> SummaryPlan | None:
    standing = [standing_summary(number, level) for level, ids in active.items() for number in ids]
    return plan_fold(ScopeState(summaries=standing), "upwards")


def plan_fold_of_turns(turns: Sequence[ActiveTurn], every_n: int, reason: SummaryReason) -> SummaryPlan | None:
    return plan_fold(ScopeState(turns=turns, every_n=every_n), reason)


def settled_after(l1s: int) -> tuple[list[int], int]:
    """Return the active summaries per level after `l1s` L1 summaries, and the maximum that were ever active."""
    active: dict[int, list[int]] = {}
    most = newest = 0
    for _ in range(l1s):
        newest += 1
        active.setdefault(1, []).append(newest)
        while (fold := plan_upward_fold(active)) is not None:
            below = active[fold.level - 1]
            assert list(fold.summary_ids) == below[: len(fold.summary_ids)], "the oldest go first"
            del below[: len(fold.summary_ids)]
            newest += 1
            active.setdefault(fold.level, []).append(newest)
        most = max(most, sum(map(len, active.values())))
    return [len(active.get(level, [])) for level in range(1, max(active, default=0) + 1)], most


@pytest.mark.parametrize(
    ("l1s", "counts"),
    [(5, [5]), (6, [1, 1]), (30, [5, 5]), (31, [1, 1, 1]), (55, [5, 0, 2]), (60, [5, 1, 2]), (80, [5, 0, 3])],
)
def test_active_summary_counts_match_design(l1s: int, counts: list[int]) -> None:
    assert settled_after(l1s)[0] == counts


def test_long_history_stays_within_max_active_summaries() -> None:
    assert settled_after(3000)[1] <= MAX_ACTIVE


def test_eleven_levels_of_one_summary_each_need_one_fold_of_oldest_two() -> None:
    """Folding a single summary into the next level would repeat for ever, with one model call each time."""
    active = {level: [12 - level] for level in range(1, MAX_ACTIVE + 2)}
    fold = plan_upward_fold(active)
    assert fold is not None
    assert (fold.level, fold.summary_ids) == (12, (1, 2))
    after = {**active, 10: [], 11: [], 12: [13]}
    assert plan_upward_fold(after) is None


def test_threshold_counts_only_answered_turns() -> None:
    turns = [make_turn(1, 2), make_turn(3, answered=False)]
    assert plan_fold_of_turns(turns, 2, "threshold") is None
    due = plan_fold_of_turns([*turns[:1], make_turn(3, 4), make_turn(5, answered=False)], 2, "threshold")
    assert due is not None
    assert due.message_ids == (1, 2, 3, 4)


def test_earlier_unanswered_turn_is_folded_with_answered_turn() -> None:
    due = plan_fold_of_turns([make_turn(1, answered=False), make_turn(2, 3)], 2, "threshold")
    assert due is not None
    assert due.message_ids == (1, 2, 3)


def test_explicit_fold_takes_any_unfolded_messages() -> None:
    due = plan_fold_of_turns([make_turn(7, answered=False)], 500, "now")
    assert due is not None
    assert due.message_ids == (7,)
    assert plan_fold(ScopeState(summaries=[standing_summary(1, 1)]), "now") is None


@given(st.dictionaries(st.integers(1, 6), st.lists(st.integers(1, 10**6), max_size=12), max_size=6))
def test_upward_fold_takes_two_to_five_oldest_of_one_level(active: dict[int, list[int]]) -> None:
    fold = plan_upward_fold(active)
    total = sum(map(len, active.values()))
    if fold is None:
        assert total <= MAX_ACTIVE
        assert all(len(ids) <= FAN_IN for ids in active.values())
    else:
        assert 2 <= len(fold.summary_ids) <= FAN_IN
        assert list(fold.summary_ids) == active[fold.level - 1][: len(fold.summary_ids)]

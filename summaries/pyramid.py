"""The default policy: every N turns a chunk becomes an L1, and summaries are folded upwards so that few stay active.

Pure, as every planner is.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from records.status import Counts
from records.summaries import FoldPlan, FoldReason
from summaries.planning import ActiveTurn, FoldPolicy, ScopeState, list_message_ids, select_foldable

FAN_IN = 5  # If a level has more active summaries, its oldest FAN_IN become one of the next level.
MAX_ACTIVE = 10  # active summaries at all levels, so that they always fit the prompt


def plan_fold(state: ScopeState, reason: FoldReason) -> FoldPlan | None:
    """Plan the next fold: a gap between summaries, a due chunk, or too many summaries of a level."""
    by_id = sorted(state.turns, key=lambda turn: turn.message_ids[0])
    gap = find_first_gap(by_id, sorted(summary.first_id for summary in state.summaries), most=state.every_n)
    if gap:
        return FoldPlan(level=1, message_ids=gap, reason=reason)
    due = select_foldable(state.turns, reason)
    if due and (reason != "threshold" or len(due) >= state.every_n):
        return FoldPlan(level=1, message_ids=list_message_ids(due), reason=reason)
    return _plan_upwards(state.by_level)


def may_be_due(counts: Counts, every_n: int) -> bool:
    """Return True if these counters may allow a fold without a person asking for it."""
    levels = counts.active_by_level.values()
    has_too_many = max(levels, default=0) > FAN_IN or sum(levels) > MAX_ACTIVE
    return counts.gap > 0 or counts.active_turns >= every_n or has_too_many


def find_first_gap(turns: Sequence[ActiveTurn], starts: Sequence[int], *, most: int) -> tuple[int, ...]:
    """Return the messages of the oldest turns before the next summary, from at most `most` turns.

    Such turns lost their summary when a part of its chunk was forgotten. `starts`: the first message of each active
    summary, ascending.
    """
    if not turns or not starts or turns[0].message_ids[0] >= starts[-1]:
        return ()
    border = starts[bisect_right(starts, turns[0].message_ids[0])]
    gap = [turn.message_ids for turn in turns if turn.message_ids[0] < border][:most]
    return tuple(sorted(message_id for ids in gap for message_id in ids if message_id < border))


def _plan_upwards(active: Mapping[int, Sequence[int]]) -> FoldPlan | None:
    for level in sorted(active):
        if len(active[level]) > FAN_IN:
            return _make_plan(level, active[level])
    if sum(len(ids) for ids in active.values()) > MAX_ACTIVE:
        fullest = max(active, key=lambda level: (len(active[level]), level))
        return _make_plan(fullest, active[fullest]) if len(active[fullest]) > 1 else _plan_oldest_two(active)
    return None


def _plan_oldest_two(active: Mapping[int, Sequence[int]]) -> FoldPlan:
    """Fold the two highest summaries if each level holds only one, which happens first at 9,555 L1s.

    Folding a single summary would leave as many as before and never end.
    """
    second, first = sorted(level for level in active if active[level])[-2:]
    return FoldPlan(level=first + 1, summary_ids=(active[first][0], active[second][0]), reason="upwards")


def _make_plan(level: int, ids: Sequence[int]) -> FoldPlan:
    return FoldPlan(level=level + 1, summary_ids=tuple(ids[:FAN_IN]), reason="upwards")


POLICY = FoldPolicy(
    name="pyramid", plan=plan_fold, may_be_due=may_be_due, has_levels=True, rebuild_turns=lambda every_n: every_n
)

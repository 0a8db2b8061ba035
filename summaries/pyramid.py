"""The default policy, as pure functions: N turns become a summary, and five summaries become a higher one."""

from bisect import bisect_right
from collections.abc import Sequence

from records.status import Counts
from records.summaries import Summary, SummaryPlan, SummaryReason
from summaries.planning import ActiveTurn, ScopeState, SummaryPolicy, list_message_ids, select_foldable_turns

FAN_IN = 5  # If a level has more active summaries, its oldest FAN_IN become one of the next level; imports use it, too.
MAX_ACTIVE = 10  # active summaries at all levels, so that they always fit the prompt


def plan_fold(state: ScopeState, reason: SummaryReason) -> SummaryPlan | None:
    """Plan the next summary: of gaps first, then due turns, then surplus summaries. Return None if none is due."""
    by_id = sorted(state.turns, key=lambda turn: turn.message_ids[0])
    gap = find_gap_message_ids(by_id, sorted(summary.first_id for summary in state.summaries), max_turns=state.every_n)
    if gap:
        return SummaryPlan(level=1, message_ids=gap, reason=reason)
    due = select_foldable_turns(state.turns, reason)
    if due and (reason != "threshold" or len(due) >= state.every_n):
        return SummaryPlan(level=1, message_ids=list_message_ids(due), reason=reason)
    return _plan_higher_summary(state.summaries)


def can_fold(counts: Counts, min_turns: int) -> bool:
    """Return True if there may be enough messages or summaries for a new summary, judging by the counts alone."""
    levels = counts.active_by_level.values()
    has_too_many = max(levels, default=0) > FAN_IN or sum(levels) > MAX_ACTIVE
    return counts.gap > 0 or counts.active_turns >= min_turns or has_too_many


def find_gap_message_ids(
    turns: Sequence[ActiveTurn], first_ids_of_summaries: Sequence[int], *, max_turns: int
) -> tuple[int, ...]:
    """Return the ids of the oldest active messages that come before a summary.

    Gaps appear when a summary goes with forgotten messages. `first_ids_of_summaries`: of the active ones, ascending.
    """
    if not turns or not first_ids_of_summaries or turns[0].message_ids[0] >= first_ids_of_summaries[-1]:
        return ()
    border = first_ids_of_summaries[bisect_right(first_ids_of_summaries, turns[0].message_ids[0])]
    gap = [turn.message_ids for turn in turns if turn.message_ids[0] < border][:max_turns]
    return tuple(sorted(message_id for ids in gap for message_id in ids if message_id < border))


def _plan_higher_summary(summaries: Sequence[Summary]) -> SummaryPlan | None:
    by_level: dict[int, list[int]] = {}
    for summary in summaries:
        by_level.setdefault(summary.level, []).append(summary.id)
    overfull = [level for level in sorted(by_level) if len(by_level[level]) > FAN_IN]
    if not overfull and len(summaries) <= MAX_ACTIVE:
        return None
    level = overfull[0] if overfull else max(by_level, key=lambda level: (len(by_level[level]), level))
    ids = by_level[level][:FAN_IN]
    if len(ids) == 1:
        # Each level holds one summary, which happens first at 9,555 L1s. Folding one alone would never end.
        second, level = sorted(by_level)[-2:]
        ids = [by_level[level][0], by_level[second][0]]
    return SummaryPlan(level=level + 1, summary_ids=tuple(ids), reason="upwards")


POLICY = SummaryPolicy(
    name="pyramid", plan=plan_fold, can_fold=can_fold, has_levels=True, rebuild_turns=lambda every_n: every_n
)

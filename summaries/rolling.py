"""The rolling policy, as pure functions: one summary covers all but the newest turns, and is updated regularly."""

from records.summaries import SummaryPlan, SummaryReason
from summaries.planning import ScopeState, SummaryPolicy, list_message_ids, select_foldable_turns

BEGIN_AT = 10  # messages before the first summary
UPDATE_AFTER = 8  # further messages before the next version
VERBATIM_TURNS = 4  # newest turns that stay active unless the owner asks for everything ("now")
REBUILD_TURNS = 20  # turns per version during a rebuild: more than in a live chat, for speed


def plan_fold(state: ScopeState, reason: SummaryReason) -> SummaryPlan | None:
    """Plan an update of the rolling summary with the turns that are due. Return None if no update is due."""
    turns = select_foldable_turns(state.turns, reason)
    due = turns if reason == "now" else turns[: max(0, min(len(turns), len(state.turns) - VERBATIM_TURNS))]
    if not due:
        return None
    enough = len(list_message_ids(due)) >= UPDATE_AFTER if state.summaries else len(list_message_ids(turns)) >= BEGIN_AT
    if reason == "threshold" and not enough:
        return None
    return SummaryPlan(
        level=max((summary.level for summary in state.summaries), default=1),
        message_ids=list_message_ids(due),
        summary_ids=tuple(summary.id for summary in state.summaries),
        base_id=state.summaries[-1].id if state.summaries else None,
        reason=reason,
        policy="rolling",
    )


POLICY = SummaryPolicy(
    name="rolling",
    plan=plan_fold,
    can_fold=lambda counts, _: counts.active_turns > VERBATIM_TURNS and counts.active_messages >= BEGIN_AT,
    rebuild_turns=lambda _: REBUILD_TURNS,
)

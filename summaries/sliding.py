"""The sliding policy, as pure functions: after every turn, update a single summary of only the latest messages."""

from records.messages import MessageOutline
from records.summaries import SummaryPlan, SummaryReason
from summaries.planning import ScopeState, SummaryPolicy, list_message_ids, select_foldable_turns

WINDOW = 14  # messages that the summary covers at most, beginning with a person's
FIRST_TURN = 3  # turns before the first summary


def plan_fold(state: ScopeState, reason: SummaryReason) -> SummaryPlan | None:
    """Plan an update of the sliding summary, which covers the latest messages. Return None if no update is due."""
    turns = select_foldable_turns(state.turns, reason)
    has_begun = bool(state.summaries or state.archived)
    if not turns or (reason != "now" and not has_begun and len(turns) < FIRST_TURN):
        return None
    new = [
        MessageOutline(id=message_id, turn=turn.message_ids[0], is_user=message_id in turn.user_ids)
        for turn in turns
        for message_id in turn.message_ids
    ]
    newest_messages = [*state.archived, *new][-WINDOW:]
    start = next((index for index, message in enumerate(newest_messages) if message.is_user), 0)
    base = state.summaries[-1] if state.summaries else None
    return SummaryPlan(
        level=1,
        message_ids=list_message_ids(turns),
        summary_ids=tuple(summary.id for summary in state.summaries),
        base_id=base.id if base and base.policy == "sliding" else None,
        window_ids=tuple(message.id for message in newest_messages[start:]),
        reason=reason,
        policy="sliding",
    )


POLICY = SummaryPolicy(
    name="sliding",
    plan=plan_fold,
    can_fold=lambda counts, _: counts.active_messages > 0,
    every_turn=True,
    looks_back=WINDOW,
    rebuild_turns=lambda _: None,
)

"""The sliding policy: after every turn, one live summary of the last messages only.

What leaves the window leaves the text; it stays archived and searchable. Pure, as every planner is.
"""

from collections.abc import Sequence

from records.messages import MessageOutline
from records.summaries import FoldPlan, FoldReason
from summaries.planning import FoldPolicy, ScopeState, list_message_ids, select_foldable

WINDOW = 14  # the most messages that the summary covers, beginning with a person's
FIRST_TURN = 3  # the number of turns at which the first summary is made


def plan_fold(state: ScopeState, reason: FoldReason) -> FoldPlan | None:
    """Plan the next version: archive the ready turns, supersede the active summary, cover the window."""
    turns = select_foldable(state.turns, reason)
    begun = bool(state.summaries or state.archived)
    if not turns or (reason != "now" and not begun and len(turns) < FIRST_TURN):
        return None
    new = [
        MessageOutline(id=message_id, turn=turn.message_ids[0], is_user=message_id in turn.user_ids)
        for turn in turns
        for message_id in turn.message_ids
    ]
    newest = state.summaries[-1] if state.summaries else None
    return FoldPlan(
        level=1,
        message_ids=list_message_ids(turns),
        summary_ids=tuple(summary.id for summary in state.summaries),
        base_id=newest.id if newest and newest.policy == "sliding" else None,
        window_ids=_select_window([*state.archived, *new]),
        reason=reason,
        policy="sliding",
    )


def _select_window(messages: Sequence[MessageOutline]) -> tuple[int, ...]:
    """Return the newest WINDOW messages, starting with one of a person if there is any."""
    newest = messages[-WINDOW:]
    start = next((index for index, one in enumerate(newest) if one.is_user), 0)
    return tuple(one.id for one in newest[start:])


POLICY = FoldPolicy(
    name="sliding",
    plan=plan_fold,
    may_be_due=lambda counts, _: counts.active > 0,
    every_turn=True,
    looks_back=WINDOW,
    rebuild_turns=lambda _: None,
)

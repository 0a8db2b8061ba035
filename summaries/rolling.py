"""The rolling policy: one live summary of everything but the newest turns, made anew out of itself and what is new.

Pure: a situation goes in, one plan or None comes out. Does not know texts, models or stores.
"""

from records.summaries import FoldPlan, FoldReason
from summaries.situation import Situation, ids_of, messages_in, ready

BEGIN_AT = 10
"""Messages with which the first summary is made."""
REBASE_AFTER = 8
"""Further messages after which it is made anew."""
VERBATIM_TURNS = 4
"""So many of the newest turns stay unfolded, unless the owner asks for everything ("now")."""

ANEW_TURNS = 20
"""Turns that one version takes in when all is made anew: more than in live talk, for speed."""


def plan(situation: Situation, reason: FoldReason) -> FoldPlan | None:
    """The next version: all standing summaries (one, except after a change of policy) and the turns that are due."""
    turns = ready(situation.turns, reason)
    due = turns if reason == "now" else turns[: max(0, min(len(turns), len(situation.turns) - VERBATIM_TURNS))]
    if not due:
        return None
    if reason == "threshold" and not _is_time(situation, messages_in(turns), messages_in(due)):
        return None
    standing = situation.standing
    return FoldPlan(
        level=max((summary.level for summary in standing), default=1),
        message_ids=ids_of(due),
        summary_ids=tuple(summary.id for summary in standing),
        base_id=standing[-1].id if standing else None,
        reason=reason,
        policy="rolling",
    )


def _is_time(situation: Situation, answered: int, due: int) -> bool:
    return due >= REBASE_AFTER if situation.standing else answered >= BEGIN_AT

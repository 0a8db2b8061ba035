"""The sliding policy: after every turn, one live summary of the last messages only.

What leaves the window leaves the text; it stays archived and searchable. Pure: a situation goes in, one plan or None
comes out. Does not know texts, models or stores.
"""

from records.summaries import FoldPlan, FoldReason
from summaries.situation import Said, Situation, ids_of, ready

WINDOW = 14
"""Messages that the summary tells of, beginning at a person's."""
FIRST_TURN = 3
"""The turn from which on a summary is made."""


def plan(situation: Situation, reason: FoldReason) -> FoldPlan | None:
    """The next version: it archives the turns that are ready, supersedes what stands, and tells of the window."""
    turns = ready(situation.turns, reason)
    begun = bool(situation.standing or situation.archived)
    if not turns or (reason != "now" and not begun and len(turns) < FIRST_TURN):
        return None
    new = [
        Said(id=message_id, is_user=message_id in turn.user_ids) for turn in turns for message_id in turn.message_ids
    ]
    standing = situation.standing
    return FoldPlan(
        level=1,
        message_ids=ids_of(turns),
        summary_ids=tuple(summary.id for summary in standing),
        base_id=standing[-1].id if standing and standing[-1].policy == "sliding" else None,
        window_ids=window([*situation.archived, *new]),
        reason=reason,
        policy="sliding",
    )


def window(said: list[Said]) -> tuple[int, ...]:
    """The newest WINDOW messages, from the first that a person wrote on (all of them where none is a person's)."""
    newest = sorted(said, key=lambda one: one.id)[-WINDOW:]
    start = next((index for index, one in enumerate(newest) if one.is_user), 0)
    return tuple(one.id for one in newest[start:])

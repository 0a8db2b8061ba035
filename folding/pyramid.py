"""The default policy: every N turns a chunk becomes an L1, and summaries are folded upwards so that few stay active.

Pure: a state goes in, one plan or None comes out; the caller commits it and asks again until there is none.
Does not know texts, models or stores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from records import FoldPlan, FoldReason

FAN_IN = 5
"""More than this many active summaries of a level: its oldest FAN_IN become one of the next."""
MOST_ACTIVE = 10
"""At most this many summaries are active in all, so that they always fit the prompt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnfoldedTurn:
    """The active messages of one turn. `answered`: its answer is among them, so nothing more will come."""

    message_ids: tuple[int, ...]
    answered: bool


def plan(
    *,
    turns: Sequence[UnfoldedTurn],
    active: Mapping[int, Sequence[int]],
    every_n: int,
    reason: FoldReason,
) -> FoldPlan | None:
    """The next fold. `active[level]`: ids of the active summaries, oldest first.

    A turn that is still being answered stays unfolded, unless the owner asked for the fold ("now").
    """
    return _first_level(turns, every_n, reason) or _upwards(active)


def _first_level(turns: Sequence[UnfoldedTurn], every_n: int, reason: FoldReason) -> FoldPlan | None:
    ready = list(turns)
    if reason != "now":
        while ready and not ready[-1].answered:
            ready.pop()
    due = len(ready) >= every_n if reason == "threshold" else reason != "upwards" and bool(ready)
    if not due:
        return None
    ids = tuple(sorted(message_id for turn in ready for message_id in turn.message_ids))
    return FoldPlan(level=1, message_ids=ids, reason=reason)


def _upwards(active: Mapping[int, Sequence[int]]) -> FoldPlan | None:
    for level in sorted(active):
        if len(active[level]) > FAN_IN:
            return _fold(level, active[level])
    if sum(len(ids) for ids in active.values()) > MOST_ACTIVE:
        fullest = max(active, key=lambda level: (len(active[level]), level))
        return _fold(fullest, active[fullest]) if len(active[fullest]) > 1 else _oldest_two(active)
    return None


def _oldest_two(active: Mapping[int, Sequence[int]]) -> FoldPlan:
    """One above the highest level out of the two highest, where each level holds one (first at 9,555 L1s).

    To fold a single summary would leave as many as before: an endless row of model calls.
    """
    second, first = sorted(level for level in active if active[level])[-2:]
    return FoldPlan(level=first + 1, summary_ids=(active[first][0], active[second][0]), reason="upwards")


def _fold(level: int, ids: Sequence[int]) -> FoldPlan:
    return FoldPlan(level=level + 1, summary_ids=tuple(ids[:FAN_IN]), reason="upwards")

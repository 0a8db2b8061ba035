"""The default policy: every N turns a chunk becomes an L1, and summaries are folded upwards so that few stay active.

Pure: a state goes in, one plan or None comes out; the caller commits it and asks again until there is none.
Does not know texts, models or stores.
"""

from collections.abc import Mapping, Sequence

from records.summaries import FoldPlan, FoldReason
from summaries.situation import Situation, UnfoldedTurn, ids_of, ready

FAN_IN = 5
"""More than this many active summaries of a level: its oldest FAN_IN become one of the next."""
MOST_ACTIVE = 10
"""At most this many summaries are active in all, so that they always fit the prompt."""


def plan(situation: Situation, reason: FoldReason) -> FoldPlan | None:
    """The next fold: a chunk that is due, else summaries that are too many."""
    return _first_level(situation.turns, situation.every_n, reason) or _upwards(situation.by_level)


def height(chunks: int, *, most: int) -> int:
    """The highest level of a pyramid of so many chunks, which is how often its oldest detail was compressed. A pyramid
    that reaches level `most` is not built further.
    """
    active: dict[int, list[int]] = {}
    for number in range(chunks):
        active.setdefault(1, []).append(number)
        while upwards := _upwards(active):
            kept = {level: [one for one in ids if one not in upwards.summary_ids] for level, ids in active.items()}
            active = {level: ids for level, ids in kept.items() if ids}
            active.setdefault(upwards.level, []).append(upwards.summary_ids[0])
        if max(active) >= most:
            break
    return max(active, default=0)


def _first_level(turns: Sequence[UnfoldedTurn], every_n: int, reason: FoldReason) -> FoldPlan | None:
    due = ready(turns, reason)
    if not due or (reason == "threshold" and len(due) < every_n):
        return None
    return FoldPlan(level=1, message_ids=ids_of(due), reason=reason)


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

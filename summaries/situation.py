"""What every planner looks at: the unfolded turns, the summaries that stand, and which turns a reason leaves alone.

Pure. A situation goes in, one plan or None comes out; the caller commits it and asks again until there is none.
Does not know texts, models or stores.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from records.owners import Policy
from records.summaries import FoldPlan, FoldReason

KEPT_MESSAGES = 20
"""Under pressure so many of the newest messages stay verbatim,"""
KEPT_SHARE = 0.2
"""or so much of the unfolded tokens, whichever is more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnfoldedTurn:
    """The active messages of one turn. `answered`: its answer is among them, so nothing more will come.

    `user_ids`: those of the messages that a person wrote; `tokens`: of all of them, where it matters.
    """

    message_ids: tuple[int, ...]
    answered: bool
    user_ids: frozenset[int] = frozenset()
    tokens: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """An active summary."""

    id: int
    level: int
    policy: Policy = "pyramid"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A message that is archived already."""

    id: int
    is_user: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """A scope as a planner sees it, everything oldest first.

    `every_n`: the owner's threshold in turns. `archived`: the newest archived messages, as many as a sliding window
    may reach back to.
    """

    turns: Sequence[UnfoldedTurn] = ()
    standing: Sequence[Standing] = ()
    archived: Sequence[Said] = field(default=())
    every_n: int = 1

    @property
    def by_level(self) -> Mapping[int, Sequence[int]]:
        """Ids of the standing summaries by level, oldest first."""
        levels: dict[int, list[int]] = {}
        for summary in self.standing:
            levels.setdefault(summary.level, []).append(summary.id)
        return levels


Planner = Callable[[Situation, FoldReason], FoldPlan | None]
"""The next fold of a situation for a reason ("upwards": only what earlier folds made due)."""


def ready(turns: Sequence[UnfoldedTurn], reason: FoldReason) -> list[UnfoldedTurn]:
    """The turns that may be folded for this reason.

    A turn that is still being answered stays unfolded, unless the owner asked for the fold ("now"); under pressure the
    newest stay as well.
    """
    if reason == "upwards":
        return []
    end = len(turns)
    while reason != "now" and end and not turns[end - 1].answered:
        end -= 1
    return list(turns[: min(end, _pressed(turns)) if reason == "pressure" else end])


def messages_in(turns: Sequence[UnfoldedTurn]) -> int:
    return sum(len(turn.message_ids) for turn in turns)


def ids_of(turns: Sequence[UnfoldedTurn]) -> tuple[int, ...]:
    return tuple(sorted(message_id for turn in turns for message_id in turn.message_ids))


def _pressed(turns: Sequence[UnfoldedTurn]) -> int:
    """How many turns, from the oldest on, lie before those that pressure keeps verbatim."""
    share = KEPT_SHARE * sum(turn.tokens for turn in turns)
    messages, tokens = 0, 0
    for index in range(len(turns) - 1, -1, -1):
        if messages >= KEPT_MESSAGES and tokens >= share:
            return index + 1
        messages += len(turns[index].message_ids)
        tokens += turns[index].tokens
    return 0

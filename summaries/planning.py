"""The state that every fold planner receives, and which turns may be folded for a reason. Pure.

The caller commits each plan and asks again until there is none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from records.messages import Message, MessageOutline
from records.owners import Policy
from records.status import Counts
from records.summaries import FoldPlan, FoldReason

KEPT_MESSAGES = 20  # under pressure at least this many of the newest messages stay verbatim,
KEPT_SHARE = 0.2  # or this share of the active tokens, whichever is more


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveTurn:
    """The active messages of one turn. `answered` is True once its answer is among them.

    `user_ids`: the messages that a person wrote; `tokens`: of all messages, where the reason needs them.
    """

    message_ids: tuple[int, ...]
    answered: bool
    user_ids: frozenset[int] = frozenset()
    tokens: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveSummary:
    """An active summary and the first message that it covers."""

    id: int
    level: int
    policy: Policy = "pyramid"
    first_id: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeState:
    """A scope as a planner sees it, everything oldest first.

    `every_n`: the owner's threshold in turns. `archived`: the newest archived messages, as many as the policy's
    `looks_back` asks for.
    """

    turns: Sequence[ActiveTurn] = ()
    summaries: Sequence[ActiveSummary] = ()
    archived: Sequence[MessageOutline] = ()
    every_n: int = 1

    @property
    def by_level(self) -> Mapping[int, Sequence[int]]:
        """Return the ids of the active summaries by level, oldest first."""
        levels: dict[int, list[int]] = {}
        for summary in self.summaries:
            levels.setdefault(summary.level, []).append(summary.id)
        return levels


Planner = Callable[[ScopeState, FoldReason], FoldPlan | None]
"""The next fold of a scope for a reason ("upwards": only what earlier folds made due)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldPolicy:
    """A fold policy: its planner and its properties.

    `has_levels`: summaries are folded into higher ones. `every_turn`: it folds after each turn. `looks_back`: archived
    messages that the planner needs. `may_be_due`: False if the planner surely plans nothing for these counters.
    `rebuild_turns`: turns per summary during a rebuild, or None for all.
    """

    name: Policy
    plan: Planner
    has_levels: bool = False
    every_turn: bool = False
    looks_back: int = 0
    may_be_due: Callable[[Counts, int], bool] = lambda counts, every_n: True
    rebuild_turns: Callable[[int], int | None]


def group_turns(
    messages: Sequence[Message] | Sequence[MessageOutline], tokens: Callable[[str], int] | None = None
) -> list[ActiveTurn]:
    """Group messages by turn, in order. `tokens` gives their sizes where they matter."""
    turns: dict[int, list[Message | MessageOutline]] = {}
    for message in messages:
        turns.setdefault(message.turn, []).append(message)
    return [
        ActiveTurn(
            message_ids=tuple(message.id for message in turn),
            answered=any(isinstance(message, Message) and message.role == "assistant" for message in turn),
            user_ids=frozenset(message.id for message in turn if message.is_user),
            tokens=sum(tokens(one.content) for one in turn if isinstance(one, Message)) if tokens else 0,
        )
        for turn in turns.values()
    ]


def select_foldable(turns: Sequence[ActiveTurn], reason: FoldReason) -> list[ActiveTurn]:
    """Return the turns that may be folded for this reason.

    A turn without an answer stays active unless the owner asked for the fold. Under pressure the newest turns stay as
    well.
    """
    if reason == "upwards":
        return []
    end = len(turns)
    while reason != "now" and end and not turns[end - 1].answered:
        end -= 1
    return list(turns[: min(end, _count_before_newest(turns)) if reason == "pressure" else end])


def list_message_ids(turns: Sequence[ActiveTurn]) -> tuple[int, ...]:
    return tuple(sorted(message_id for turn in turns for message_id in turn.message_ids))


def _count_before_newest(turns: Sequence[ActiveTurn]) -> int:
    """Count the oldest turns, before those that stay verbatim under pressure."""
    share = KEPT_SHARE * sum(turn.tokens for turn in turns)
    messages, tokens = 0, 0
    for index in range(len(turns) - 1, -1, -1):
        if messages >= KEPT_MESSAGES and tokens >= share:
            return index + 1
        messages += len(turns[index].message_ids)
        tokens += turns[index].tokens
    return 0

"""The input of every policy that plans summaries, and pure functions that select the turns to summarise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from records.messages import Message, MessageOutline
from records.owners import Policy
from records.status import Counts
from records.summaries import Summary, SummaryPlan, SummaryReason

KEPT_MESSAGES = 20  # newest messages that stay verbatim under pressure
KEPT_SHARE = 0.2  # share of the active tokens that stays verbatim under pressure


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveTurn:
    """The active messages of a turn, which no summary covers yet."""

    message_ids: tuple[int, ...]
    answered: bool  # True once the answer is among them
    user_ids: frozenset[int] = frozenset()  # the messages that a person wrote
    tokens: int = 0  # of all messages, counted only under pressure


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeState:
    """The state of a scope that a planner bases its decision on. All sequences are in order, oldest first."""

    turns: Sequence[ActiveTurn] = ()
    summaries: Sequence[Summary] = ()  # the active ones
    archived: Sequence[Message | MessageOutline] = ()  # the newest ones, as many as the policy's `looks_back`
    every_n: int = 1  # the owner's threshold in turns


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryPolicy:
    """A policy that decides when to summarise ("fold") a conversation, and which messages or summaries to include."""

    name: Policy
    plan: Callable[[ScopeState, SummaryReason], SummaryPlan | None]
    has_levels: bool = False  # summaries are folded into higher ones
    every_turn: bool = False  # it folds after each turn
    looks_back: int = 0  # archived messages that the planner needs
    # Given the counters and the threshold: False if the planner surely plans nothing.
    can_fold: Callable[[Counts, int], bool] = lambda counts, every_n: True
    rebuild_turns: Callable[[int], int | None]  # turns per summary during a rebuild, or None for all


def group_into_turns(
    messages: Sequence[Message] | Sequence[MessageOutline], count_tokens: Callable[[str], int] | None = None
) -> list[ActiveTurn]:
    """Group messages into turns, in order. Token counts are 0 unless `count_tokens` is given."""
    turns: dict[int, list[Message | MessageOutline]] = {}
    for message in messages:
        turns.setdefault(message.turn, []).append(message)
    return [
        ActiveTurn(
            message_ids=tuple(message.id for message in turn),
            answered=any(isinstance(message, Message) and message.role == "assistant" for message in turn),
            user_ids=frozenset(message.id for message in turn if message.is_user),
            tokens=sum(count_tokens(m.content) for m in turn if isinstance(m, Message)) if count_tokens else 0,
        )
        for turn in turns.values()
    ]


def select_foldable_turns(turns: Sequence[ActiveTurn], reason: SummaryReason) -> list[ActiveTurn]:
    """Return the turns that may be summarised for a given reason.

    Unanswered turns at the end stay active unless the reason is "now". For "pressure", the newest turns stay, too.
    """
    if reason == "upwards":
        return []
    end = len(turns)
    while reason != "now" and end and not turns[end - 1].answered:
        end -= 1
    return list(turns[: min(end, _count_turns_to_fold_under_pressure(turns)) if reason == "pressure" else end])


def list_message_ids(turns: Sequence[ActiveTurn]) -> tuple[int, ...]:
    return tuple(sorted(message_id for turn in turns for message_id in turn.message_ids))


def _count_turns_to_fold_under_pressure(turns: Sequence[ActiveTurn]) -> int:
    share = KEPT_SHARE * sum(turn.tokens for turn in turns)
    messages, tokens = 0, 0
    for index in range(len(turns) - 1, -1, -1):
        if messages >= KEPT_MESSAGES and tokens >= share:
            return index + 1
        messages += len(turns[index].message_ids)
        tokens += turns[index].tokens
    return 0

"""The context of one request, and the origin of each part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from records.facts import Fact, Profile
from records.messages import Message
from records.model_calls import PromptMessage
from records.summaries import Summary

MAX_UNSUMMARIZED = 20_000  # active messages that a prompt or a fold reads; more only exist if folding failed for months


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextSources:
    """Everything in a prompt except search results, read from a single snapshot. All sequences are oldest first."""

    last: Sequence[Message]  # of the newest turns, active or archived
    unsummarized: Sequence[Message]  # the newest MAX_UNSUMMARIZED active messages
    summaries: Sequence[Summary]
    profile: Profile | None
    facts: Sequence[Fact]  # valid ones
    total: int  # messages of the scope, including the new turn
    archived: int  # of these messages
    characters: int  # of all messages


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredQuestion:
    """A question that was just stored, with its existing answer."""

    turn: int
    answer: Message | None = None  # that an earlier process stored for it


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """An excerpt of an earlier message that was found for a question."""

    message: Message
    text: str
    score: Mapping[str, float]  # by signal, such as {"words": 3.1, "meaning": 0.4}


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledFact:
    """A fact that matches the question or belongs in every prompt."""

    fact: Fact
    score: Mapping[str, float]  # by signal, as in Snippet
    earlier: Fact | None = None  # the fact that it replaced


PartName = Literal[
    "system", "profile", "summaries", "recent", "tools", "facts", "snippets", "instructions", "clock", "message",
    "overhead",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A part of a prompt with its size and budget in tokens."""

    name: PartName
    tokens: int
    budget: int


CutPart = Literal["turns", "summary", "archived", "message", "system", "document"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A range of messages that a prompt neither quotes nor summarises."""

    what: CutPart  # "archived" messages left a sliding window, or another program wrote the file without a summary
    first_id: int
    last_id: int
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The context of one request, and the origin of each part."""

    messages: tuple[PromptMessage, ...]
    max_prompt_tokens: int  # tokens
    wanted: int = 0  # tokens without snippets if nothing were cut
    parts: tuple[ContextPart, ...]
    recent: tuple[Message, ...] = ()
    summaries: tuple[Summary, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    facts: tuple[RecalledFact, ...] = ()  # those that always apply, then those that match the question
    profile: Profile | None = None
    cut: tuple[Cut, ...] = ()
    message_was_cut: bool = False
    whole: int = 0  # estimated tokens of a request with the whole history, or 0 without a store
    earlier: int = 0  # stored messages before the question

    @property
    def token_count(self) -> int:
        return sum(part.tokens for part in self.parts)

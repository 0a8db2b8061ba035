"""The context of one request, and the origin of each part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from records.facts import Fact, Profile
from records.messages import Message
from records.model_calls import PromptMessage
from records.summaries import Summary

MAX_UNFOLDED = 20_000
"""The most active messages that a prompt or a fold reads. More accumulate only if folding fails for months."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextSources:
    """The material of a prompt except search results, read from one snapshot. Each sequence is oldest first.

    `last` are the messages of the newest turns, active or archived. `unfolded` are the newest MAX_UNFOLDED active
    messages. `facts` holds only valid facts. `total`, `archived` and `characters` count all messages of the scope,
    including the new turn.
    """

    last: Sequence[Message]
    unfolded: Sequence[Message]
    summaries: Sequence[Summary]
    profile: Profile | None
    facts: Sequence[Fact]
    total: int
    archived: int
    characters: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredQuestion:
    """A question that was just stored, with the answer that an earlier process stored for it, if any.

    Otherwise, `sources` is the material of its context if that was requested and could be read.
    """

    turn: int
    answer: Message | None = None
    sources: ContextSources | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """An excerpt of an earlier message that was found for this question.

    `score` has a value for each signal, such as {"words": 3.1, "meaning": 0.4}.
    """

    message: Message
    text: str
    score: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledFact:
    """A fact that matches the question or always applies, and the `earlier` fact that it replaced.

    `score` is like that of a Snippet.
    """

    fact: Fact
    score: Mapping[str, float]
    earlier: Fact | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A part of a prompt with its size and budget in tokens."""

    name: Literal[
        "system", "profile", "summaries", "recent", "tools", "facts", "snippets", "instructions", "clock", "message",
        "overhead",
    ]  # fmt: skip
    tokens: int
    budget: int


CutPart = Literal["turns", "summary", "archived", "message", "system", "document"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A range of messages that the prompt neither quotes nor covers by a summary.

    "archived" messages have no active summary, because they left a sliding window or another program wrote the file.
    Passages of a "document" are searched instead of being repeated in full.
    """

    what: CutPart
    first_id: int
    last_id: int
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The context of one request, and the origin of each part.

    `wanted` is the size in tokens without snippets if nothing were cut. `facts` begins with those that always apply,
    followed by those that match the question. `earlier` counts the stored messages before the question. `whole` is the
    estimated number of tokens of a request with the whole history, or 0 without a store.
    """

    messages: tuple[PromptMessage, ...]
    ceiling: int
    wanted: int = 0
    parts: tuple[ContextPart, ...]
    recent: tuple[Message, ...] = ()
    summaries: tuple[Summary, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    facts: tuple[RecalledFact, ...] = ()
    profile: Profile | None = None
    cut: tuple[Cut, ...] = ()
    message_was_cut: bool = False
    whole: int = 0
    earlier: int = 0

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

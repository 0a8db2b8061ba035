"""The context of one request, and where each part of it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from records.facts import Fact, Profile
from records.messages import Message
from records.model_calls import PromptMessage
from records.summaries import Summary

MAX_UNFOLDED = 20_000
"""Active messages read for a prompt or a fold. More can only accumulate if folding fails for months."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextSources:
    """The material of a prompt except search results, read from one snapshot.

    `last` are the messages of the newest turns, active or archived. `unfolded` are the newest MOST_UNFOLDED active
    messages. Both, and the active `summaries`, belong to the scope and ascend. `facts` (the valid ones) and `profile`
    belong to the owner. `total`, `archived` and `characters` count all messages of the scope, the new turn included.
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

    Without an answer, `sources` is the material of its context if that was requested and could be read.
    """

    turn: int
    answer: Message | None = None
    sources: ContextSources | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """An earlier message that was found for this question.

    `text` is the excerpt in the prompt. `score` has a value for each signal, such as {"words": 3.1, "meaning": 0.4}.
    """

    message: Message
    text: str
    score: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledFact:
    """A fact that was found for this question or always applies.

    `score` has a value for each signal, as in Snippet. `earlier` is the fact that it replaced.
    """

    fact: Fact
    score: Mapping[str, float]
    earlier: Fact | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """One part of a prompt, with its tokens and its token budget."""

    name: Literal[
        "system",
        "profile",
        "summaries",
        "recent",
        "tools",
        "facts",
        "snippets",
        "instructions",
        "clock",
        "message",
        "overhead",
    ]
    tokens: int
    budget: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A range of messages that the prompt neither quotes nor covers by a summary.

    "archived" messages have no active summary: they left a sliding window, or another program wrote the file.
    "document" passages of a file are searched instead of repeated in full.
    """

    what: Literal["turns", "summary", "archived", "message", "system", "document"]
    first_id: int
    last_id: int
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The context of one request, and the origin of each part.

    `facts` lists the instructions and preferences that apply, then the matches for the question. `wanted` is its size
    in tokens without snippets if nothing were cut. `earlier` counts the stored messages before the question. `whole` is
    the estimated size in tokens of a request with the whole history, or 0 without a store.
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

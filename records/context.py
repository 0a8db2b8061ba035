"""The context of one request, and where each part of it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from records.facts import Fact, Profile
from records.messages import Message
from records.model_calls import PromptMessage
from records.summaries import Summary

MOST_UNFOLDED = 20_000
"""Active messages that are read for a prompt or a fold: so many wait only where folding has failed for months."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextSources:
    """The material of a context apart from search results, read at one moment.

    `last`: the messages of the newest turns, active or archived; `unfolded`: the newest `MOST_UNFOLDED` active
    messages; `summaries`: the active ones; all of the scope and ascending. `facts` that hold and the `profile` are the
    owner's. `total`, `archived`, `characters`: of all messages of the scope, the turn that is being answered included.
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
    """A question that was stored just now: its turn, and the answer that is stored to it already, or else what its
    context is made of where that was asked for and could be read.
    """

    turn: int
    answer: Message | None = None
    sources: ContextSources | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """A verbatim earlier message brought back for this question.

    `text` is what the prompt carries of it; `score` is by part, for example {"words": 3.1, "meaning": 0.4}.
    """

    message: Message
    text: str
    score: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledFact:
    """A fact that was brought back for this question, or always holds; `score` is by part, as a snippet's.

    `earlier`: what it replaced.
    """

    fact: Fact
    score: Mapping[str, float]
    earlier: Fact | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """One part of a prompt: its tokens, and the most it was allowed."""

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
    """Messages first..last of the scope that are neither verbatim in the prompt nor covered by a summary in it.

    "archived": no active summary covers them (they left a sliding window, or another program wrote the file);
    "document": passages of a file, which are searched and not repeated.
    """

    what: Literal["turns", "summary", "archived", "message", "system", "document"]
    first_id: int
    last_id: int
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The context of one request, and where each part of it comes from.

    `facts`: first the instructions and preferences that apply, then what matches the question.
    `wanted`: the tokens that it would have without snippets, if nothing were cut.
    `earlier`: the number of messages before the question that the store holds.
    `whole`: the estimated tokens of a request with the whole history in it; 0 where there is no store.
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

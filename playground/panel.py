"""What the page's memory panel shows, as frozen values: the border between a memory and the page.

Knows the words of the panel and how they become JSON. Does not know where they come from: whoever assembles
the playground fills a `MemoryPanel` from the memory of one scope. New panels are new fields with a default.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

MESSAGES_SHOWN = 300
"""Newest messages of a scope that the panel carries; older ones are counted in `OwnerState.total` only."""

SUMMARIES_SHOWN = 200
"""Summaries that the panel carries: active ones, then higher ones, then newer ones. An import makes thousands."""

FACTS_SHOWN = 200
"""Facts that the panel carries, newest first; the page puts a superseded fact under its successor."""

TEXT_SHOWN = 240
"""Characters of a message that the panel carries: a block's caption, not the message."""


@dataclass(frozen=True, kw_only=True)
class OwnerState:
    """The line on top: whether and where this scope is remembered, and how far the next fold is."""

    enabled: bool
    storage: str  # as people read it: "SQLite", "JSON", "PostgreSQL"; "" while nothing is configured
    every_n: int  # user turns that make a fold; 0 = no automatic folding
    total: int  # messages of the scope, archived ones included
    archived: int
    unfolded_turns: int


@dataclass(frozen=True, kw_only=True)
class PanelMessage:
    """One remembered message, a small block. Active exactly when `chunk_id` is None."""

    id: int
    role: str  # "user", "assistant" or "system"
    speaker: str
    text: str  # at most TEXT_SHOWN characters, see `shortened`
    created_at: datetime
    chunk_id: int | str | None


@dataclass(frozen=True, kw_only=True)
class PanelSummary:
    """One summary of any level, active or not, a brick of the pyramid."""

    id: int
    level: int  # 1 covers a chunk, n + 1 covers summaries of level n
    text: str
    first: datetime | None  # of the first and the last message that it covers
    last: datetime | None
    count: int  # messages covered
    active: bool
    chunk_ids: tuple[int | str, ...]  # chunks covered; the page also follows `source_ids`
    source_ids: tuple[int, ...]  # summaries that it was made from; empty at level 1
    created_at: datetime
    base_id: int | None = None  # the version whose place it took (rolling, sliding)
    policy: str = "pyramid"
    reason: str = ""
    score: float | None = None  # quality, 0 to 1; None = not measured
    details: Mapping[str, float] = field(default_factory=dict)  # the parts of the score
    model: str = ""
    milliseconds: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    compressed: int = 1  # how often the oldest of what it tells was compressed


@dataclass(frozen=True, kw_only=True)
class PanelFact:
    """One sentence about the owner. `superseded_by`: the fact that replaced it."""

    id: int
    text: str
    kind: str
    since: datetime  # from when it holds
    until: datetime | None  # None: it holds
    superseded_by: int | None
    pinned: bool
    deleted: bool  # in no prompt; may still be restored
    origin: str  # "" learned, "owner" added by hand, "earlier" the text that an edit replaced
    importance: float
    source_ids: tuple[int, ...]  # messages that say it


@dataclass(frozen=True, kw_only=True)
class PanelProfile:
    """One version of the distilled document about the owner."""

    id: int
    text: str
    created_at: datetime
    model: str


@dataclass(frozen=True, kw_only=True)
class ContextPart:
    """Tokens of one part of the last prompt. `budget` None: the part has no budget of its own."""

    name: str
    tokens: int
    budget: int | None


@dataclass(frozen=True, kw_only=True)
class ContextCut:
    """What did not fit, with the ids of the first and last message of it."""

    what: str
    first: int | None
    last: int | None


@dataclass(frozen=True, kw_only=True)
class ContextSnippet:
    """An earlier message brought back for the last question, and why, in words."""

    message_id: int
    date: datetime
    speaker: str
    text: str
    why: str


@dataclass(frozen=True, kw_only=True)
class ContextAccount:
    """The explanation of the last prompt of this scope. All figures in tokens."""

    ceiling: int
    parts: tuple[ContextPart, ...]  # in the order of the prompt
    total: int
    cut: tuple[ContextCut, ...] = ()
    snippets: tuple[ContextSnippet, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FoldingState:
    """The live fold of the scope, or the last failed one. `state`: "planned", "processing" or "failed"."""

    state: str
    reason: str  # why it folds: "threshold", "command", "idle", "pressure"
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class PanelHistoryExtraction:
    """How far imported history was learned from. `state`: "running", "done" or "partly" (whether anybody stopped it, or
    the rest was never begun).
    """

    state: str
    read: int  # messages of the owner; while it runs, of what it is to read, else of all that was imported
    total: int


@dataclass(frozen=True, kw_only=True)
class MemoryPanel:
    """Everything that the panel shows of one scope."""

    owner: OwnerState
    messages: tuple[PanelMessage, ...] = ()  # newest last, at most MESSAGES_SHOWN
    summaries: tuple[PanelSummary, ...] = ()  # at most SUMMARIES_SHOWN
    summaries_total: int = 0
    facts: tuple[PanelFact, ...] = ()  # at most FACTS_SHOWN
    profiles: tuple[PanelProfile, ...] = ()  # newest first
    history_extraction: PanelHistoryExtraction | None = None  # None where nothing was learned from
    context: ContextAccount | None = None  # None until this process has built a prompt for the scope
    folding: FoldingState | None = None  # None while nothing folds and nothing has failed

    def to_json(self) -> str:
        """The panel as one JSON object; dates in ISO 8601. Raises ValueError for a date without a zone."""
        return json.dumps(dataclasses.asdict(self), default=_date, ensure_ascii=False)


def shortened(text: str, limit: int = TEXT_SHOWN) -> str:
    """`text` in at most `limit` characters, whitespace runs as one space, an ellipsis where it was cut."""
    flat = " ".join(text[: limit * 4].split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _date(value: object) -> str:
    if not isinstance(value, datetime):
        raise TypeError(f"the panel cannot carry a {type(value).__name__}")
    if value.tzinfo is None:
        raise ValueError("the panel carries aware datetimes only")
    return value.isoformat()

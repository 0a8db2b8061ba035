"""Summaries, and the plan, lease and outcome of a fold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from records.owners import Policy
from records.scopes import Scope

FoldReason = Literal["threshold", "now", "idle", "pressure", "cut", "upwards", "rebuild", "import"]
FoldState = Literal["folded", "nothing", "busy", "waiting", "failed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A stored summary. The chunk id of a level-1 summary is its own id.

    `source_chunk_ids` are the covered chunks, oldest first, at every level. `source_ids` are the summaries that it was
    made from. `first_id` to `last_id` are the covered messages. `base_id` is the version that it revised, if any.
    `score` is its quality from 0 to 1 and `details` the parts of the score. `correction` is the owner's own text, which
    later rebuilds respect.
    """

    id: int
    scope: Scope
    level: int
    text: str
    created_at: datetime
    source_chunk_ids: tuple[int, ...]
    source_ids: tuple[int, ...]
    is_active: bool
    first_id: int
    last_id: int
    first_at: datetime
    last_at: datetime
    message_count: int
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    model: str = ""
    prompt_version: str = ""
    base_id: int | None = None
    policy: Policy = "pyramid"
    reason: str = ""
    score: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    status: str = "completed"
    correction: str = ""

    @property
    def order(self) -> tuple[datetime, int]:
        """The sort key within a scope, which is the position of the first covered message."""
        return self.first_at, self.first_id

    @property
    def times_compressed(self) -> int:
        """The number of times that its oldest detail was summarised."""
        return int(self.details.get("compressed", self.level))


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldPlan:
    """The plan of a fold: the messages (level 1) or summaries (above) to summarise, oldest first.

    `base_id` is the summary that the new one replaces (rolling, sliding). `window_ids` are the messages that the
    summary covers if these differ from its sources (sliding).
    """

    level: int
    message_ids: tuple[int, ...] = ()
    summary_ids: tuple[int, ...] = ()
    reason: FoldReason
    policy: Policy = "pyramid"
    base_id: int | None = None
    window_ids: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldLease:
    """The right to commit one fold of a scope, valid while the store's fence for the scope is still `fence`."""

    scope: Scope
    job_id: int
    fence: int
    attempt: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSummary:
    """The text that a fold produced, with its cost and quality."""

    text: str
    model: str
    prompt_version: str
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    score: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rebuilt:
    """A summary that a rebuild made, and the messages of its own chunk.

    All ids of summaries are indices into the list of rebuilt summaries.
    """

    summary: Summary
    message_ids: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldFailure:
    """The last failed fold of a scope, stored until a fold succeeds."""

    at: datetime
    reason: FoldReason
    error: str
    attempts: int
    told: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldOutcome:
    """The outcome of a request to fold.

    `summaries` are the new ones in order. `archived` counts the archived messages. `error` is a sentence for the owner.
    The state is "waiting" if a fold is due but the token budget is used up.
    """

    state: FoldState
    summaries: tuple[Summary, ...] = ()
    archived: int = 0
    error: str | None = None

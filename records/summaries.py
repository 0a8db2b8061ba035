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
    """A stored summary. An L1's chunk id is its own id.

    `source_chunk_ids`: the chunks it covers, oldest first, at every level. `source_ids`: the summaries it was made
    from (empty for L1). `first_id` to `last_id`: the ids of the messages that it covers, `first_at` to
    `last_at`: their dates.
    `milliseconds`, `tokens_in`, `tokens_out`: what it cost to make. `base_id`: the version it was based on, if any.
    `score`: its quality from 0 to 1, `details`: the parts of that; None: not measured.
    `correction`: what its person wrote in place of its text; summaries that are made again keep to it.
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
        """The sort key within its scope: the position of the first message that it covers."""
        return self.first_at, self.first_id

    @property
    def times_compressed(self) -> int:
        """How many times its oldest detail was compressed, counting its sources."""
        return int(self.details.get("compressed", self.level))


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldPlan:
    """The plan of one fold: a summary of `level` out of these messages (L1) or summaries (above), oldest first.

    `base_id`: the summary among `summary_ids` that the new one replaces (rolling, sliding). `window_ids`: the messages,
    archived before or now, that the summary covers where that is not all of its sources (sliding).
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
    """The right to commit one fold of one scope: valid while the store's fence for the scope is still `fence`."""

    scope: Scope
    job_id: int
    fence: int
    attempt: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSummary:
    """The text that a fold produced, and its cost."""

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
    """A summary of a rebuild, one of a list that replaces all summaries of a scope at once.

    `sources` and `base` are indices into the list. `message_ids`: its own chunk. `first` and `last`: id and time of the
    first and last message that it covers.
    """

    level: int
    made: NewSummary
    message_ids: tuple[int, ...]
    sources: tuple[int, ...]
    base: int | None
    first: tuple[int, datetime]
    last: tuple[int, datetime]
    message_count: int
    policy: Policy
    is_active: bool = True
    correction: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldFailure:
    """The last failed fold of a scope, kept until one succeeds."""

    at: datetime
    reason: FoldReason
    error: str
    attempts: int
    told: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class FoldOutcome:
    """The outcome of a request to fold. `error` is a sentence for the owner; `summaries` are those made, in order;
    `archived`: the number of messages that were archived.

    "waiting": a fold is due, and is made when there are tokens to spend again.
    """

    state: FoldState
    summaries: tuple[Summary, ...] = ()
    archived: int = 0
    error: str | None = None

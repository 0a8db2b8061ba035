"""Summaries, and the plan, lease and outcome of making one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from records.owners import Policy
from records.scopes import Scope

SummaryReason = Literal["threshold", "now", "idle", "pressure", "cut", "upwards", "rebuild", "import"]
SummaryState = Literal["folded", "nothing", "busy", "waiting", "failed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """A stored summary. The messages of a level 1 summary form a chunk, which has the id of the summary."""

    id: int
    scope: Scope
    level: int
    text: str
    created_at: datetime
    source_chunk_ids: tuple[int, ...]  # the covered chunks at any level, oldest first
    source_ids: tuple[int, ...]  # the summaries from which it was made
    is_active: bool
    first_id: int  # of the covered messages
    last_id: int
    first_at: datetime
    last_at: datetime
    message_count: int
    visible_count: int = field(default=0, compare=False)  # without the notes of tools, in summaries read to be shown
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    model: str = ""
    prompt_version: str = ""
    base_id: int | None = None  # the version that it revised
    policy: Policy = "pyramid"
    reason: str = ""
    score: float | None = None  # its quality, from 0 to 1
    details: Mapping[str, float] = field(default_factory=dict)  # the parts of the score
    status: str = "completed"
    correction: str = ""  # the owner's own text, which later rebuilds respect

    @property
    def sort_key(self) -> tuple[datetime, int]:
        """The sort key within a scope, by the first covered message."""
        return self.first_at, self.first_id

    @property
    def based_on_ids(self) -> set[int]:
        """The ids of the summaries from which it was made, and of the version that it revised."""
        return {*self.source_ids, *(() if self.base_id is None else (self.base_id,))}

    @property
    def compression_count(self) -> int:
        """The number of summarisation steps behind the most compressed detail in this summary."""
        return int(self.details.get("compressed", self.level))


def count_compressions_of_next_summary(sources: Iterable[Summary]) -> int:
    """Return the `compression_count` of a summary made from these summaries, or of messages alone if there are none."""
    return 1 + max((source.compression_count for source in sources), default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryPlan:
    """A plan to summarise messages (level 1) or summaries (higher levels)."""

    level: int
    message_ids: tuple[int, ...] = ()  # oldest first
    summary_ids: tuple[int, ...] = ()  # oldest first
    reason: SummaryReason
    policy: Policy = "pyramid"
    base_id: int | None = None  # the summary that the new one replaces
    window_ids: tuple[int, ...] = ()  # the messages that a sliding summary covers


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryLease:
    """The right to change the summaries of a scope. It is valid while the scope's fencing token equals `fence`."""

    scope: Scope
    job_id: int
    fence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSummary:
    """A summary that is not stored yet, with its cost and quality."""

    text: str
    model: str
    prompt_version: str
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: int = 0
    score: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class RebuiltSummary:
    """A summary made by a rebuild. Its id is its index in the list of rebuilt summaries."""

    summary: Summary
    message_ids: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryFailure:
    """The last failed attempt to summarise a scope, stored until an attempt succeeds."""

    at: datetime
    error: str
    attempts: int
    told: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class SummaryOutcome:
    """The result of an attempt to summarise a scope."""

    state: SummaryState  # "waiting" if a fold is due but the token budget is used up
    summaries: tuple[Summary, ...] = ()  # the new ones, in order
    error: str | None = None  # a sentence for the owner

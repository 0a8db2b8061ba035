"""Statistics and status of a memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from records.owners import OwnerConfig
from records.summaries import Summary, SummaryFailure


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The numbers of messages, turns and summaries in a scope."""

    total: int
    archived: int
    active_turns: int
    active_by_level: Mapping[int, int] = field(default_factory=dict)  # summaries; levels without any are absent
    characters: int = 0  # by which the page sees that a message was edited
    gap: int = 0  # active messages before the newest summary, whose own summary was removed

    @property
    def active_messages(self) -> int:
        return self.total - self.archived


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The state of a scope, as /summary_status shows it. Pairs of numbers are (done, total)."""

    config: OwnerConfig | None
    counts: Counts
    failure: SummaryFailure | None = None
    is_folding: bool = False
    rebuilding: tuple[int, int] | None = None
    history_extraction: tuple[int, int] | None = None
    newest: Summary | None = None
    indexed: tuple[int, int] | None = None  # the owner's messages in the semantic index, if there is one
    unreadable: int = 0  # messages that the embedder refused
    tokens_saved: int = 0  # in the prompts of the owner's answers, compared with sending the whole history each time
    advice: tuple[str, ...] = ()

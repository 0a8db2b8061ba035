"""Statistics and status of a memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from records.owners import OwnerConfig
from records.summaries import FoldFailure, Summary


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Counts of a scope. Levels without active summaries are absent from `active_by_level`.

    `gap` counts the active messages before the newest summary. Their own summary was removed.
    """

    total: int
    archived: int
    active_turns: int
    active_by_level: Mapping[int, int] = field(default_factory=dict)
    characters: int = 0
    gap: int = 0

    @property
    def active(self) -> int:
        return self.total - self.archived

    @property
    def active_summaries(self) -> int:
        return sum(self.active_by_level.values())

    @property
    def highest_level(self) -> int:
        return max(self.active_by_level, default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """The state of a scope, as /summary_status shows it.

    In a pair of numbers, the first is what is done and the second the total. `indexed` counts the owner's messages in
    the semantic index, and is None without one. `unreadable` counts those that the embedder refused. `tokens_saved` is
    the number of prompt tokens that the owner's answers saved compared with sending the whole history each time.
    """

    config: OwnerConfig | None
    counts: Counts
    failure: FoldFailure | None = None
    is_folding: bool = False
    rebuilding: tuple[int, int] | None = None
    history_extraction: tuple[int, int] | None = None
    newest: Summary | None = None
    indexed: tuple[int, int] | None = None
    unreadable: int = 0
    tokens_saved: int = 0
    advice: tuple[str, ...] = ()

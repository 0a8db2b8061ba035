"""What an owner wants forgotten, and what went with it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgetting:
    """What an owner wants forgotten: messages or facts by their ids, what was said from `since` to before `until`,
    archives (chunks that are wholly older than `until`), or everything. Holds no text. Facts with `until`: those
    of them that were deleted before it. Edits by the ids of a fact's earlier words, which hold again; profiles by
    the ids of their versions.
    """

    what: Literal["messages", "facts", "dates", "archives", "everything", "edits", "profiles"]
    ids: tuple[int, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_expiry(self) -> bool:
        """Whether nobody asks for it now: facts that their owner deleted some time ago."""
        return self.what == "facts" and self.until is not None

    @property
    def is_of_facts_alone(self) -> bool:
        """Whether it is no part of the talk, so that no summary can hold it, not even one that is being made."""
        return self.what in ("edits", "profiles") or self.is_expiry


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """What a forgetting takes, or took, in counts.

    `unfolded`: messages that stay, whose summary goes and is made anew. `kept_aside`: files that the operator keeps
    beside the memory, which may hold what was forgotten. `is_clean` False: the files are in use, or the disk is
    full; traces go from them as soon as that is over.
    """

    messages: int = 0
    summaries: int = 0
    facts: int = 0
    profiles: int = 0
    versions: int = 0
    unfolded: int = 0
    kept_aside: tuple[str, ...] = ()
    is_clean: bool = True

    @property
    def is_nothing(self) -> bool:
        return not (self.messages or self.summaries or self.facts or self.profiles or self.versions)

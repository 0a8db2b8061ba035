"""What an owner wants forgotten, and what was removed with it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgetting:
    """What an owner wants forgotten. Holds no text.

    messages, facts: by their ids (facts with `until`: those that were deleted before it) · dates: what was said from
    `since` to before `until` · archives: chunks that are entirely older than `until` · edits: by the ids of a fact's
    earlier words, which hold again · profiles: by the ids of their versions.
    """

    what: Literal["messages", "facts", "dates", "archives", "everything", "edits", "profiles"]
    ids: tuple[int, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_expiry(self) -> bool:
        """Whether it happens by itself: facts that their owner deleted some time ago."""
        return self.what == "facts" and self.until is not None

    @property
    def is_of_facts_alone(self) -> bool:
        """Whether it touches no message, so that no summary can hold it, not even one that is being made."""
        return self.what in ("edits", "profiles") or self.is_expiry


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """What a forgetting removes, or removed, in counts.

    `reactivated`: messages that stay and become active again, since their summary is removed. `kept_aside`: files that
    the operator keeps next to the memory, which may hold what was forgotten. `is_clean` False: the files are in use, or
    the disk is full; traces are removed from them as soon as that is over.
    """

    messages: int = 0
    summaries: int = 0
    facts: int = 0
    profiles: int = 0
    versions: int = 0
    reactivated: int = 0
    kept_aside: tuple[str, ...] = ()
    is_clean: bool = True

    @property
    def is_nothing(self) -> bool:
        return not (self.messages or self.summaries or self.facts or self.profiles or self.versions)

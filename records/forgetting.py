"""Requests to forget, and counts of the removed items."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from records.messages import Message


@dataclass(frozen=True, kw_only=True, slots=True)
class ForgetRequest:
    """An owner's request to forget part of the memory. It contains no text.

    As `what`, "edits" means earlier texts of facts, and "archives" means the messages behind level 1 summaries. If
    `until` is set, "facts" means only facts that were deleted before that time.
    """

    what: Literal["messages", "facts", "dates", "conversations", "archives", "everything", "edits", "profiles"]
    ids: tuple[int, ...] = ()  # of what is forgotten; conversations have the number of their thread
    since: datetime | None = None  # the first moment of "dates"
    until: datetime | None = None  # the moment after "dates", and after the last message of "archives"
    with_quotes: bool = False  # also forget texts that repeat the forgotten words

    @property
    def erases_expired_facts(self) -> bool:
        """True if the request erases deleted facts that can no longer be restored."""
        return self.what == "facts" and self.until is not None

    @property
    def needs_quote_search(self) -> bool:
        """True if a person selected the data by hand, and may also want to forget texts that quote it."""
        return self.what in ("messages", "dates", "conversations") or (self.what == "facts" and self.until is None)

    @property
    def keeps_messages(self) -> bool:
        """True if the request leaves messages and summaries unchanged."""
        return self.what in ("edits", "profiles") or self.erases_expired_facts


@dataclass(frozen=True, kw_only=True, slots=True)
class RemainingQuotes:
    """The ids of the remaining texts that repeat forgotten words."""

    answers: tuple[int, ...] = ()
    facts: frozenset[int] = frozenset()
    summaries: frozenset[int] = frozenset()
    profiles: frozenset[int] = frozenset()
    others: int = 0  # the number of further messages
    is_complete: bool = True  # False if there were too many words to search for

    @property
    def has_quotes(self) -> bool:
        return bool(self.answers or self.facts or self.summaries or self.profiles)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletionPreview:
    """The first messages, facts and summaries that a request to forget would remove, by ascending id."""

    messages: tuple[Message, ...] = ()
    facts: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ForgetResult:
    """The number of texts of each kind that a forget request removes."""

    messages: int = 0
    summaries: int = 0
    facts: int = 0
    profiles: int = 0
    versions: int = 0
    reminders: int = 0
    kept_aside: tuple[str, ...] = ()  # the operator's copies of files that may hold the text
    is_clean: bool = True  # False while traces cannot be removed from files in use or on a full disk
    quotes: RemainingQuotes = field(default_factory=RemainingQuotes, compare=False)
    listing: DeletionPreview = field(default_factory=DeletionPreview, compare=False, repr=False)  # only in a preview

    @property
    def is_empty(self) -> bool:
        erased = (self.messages, self.summaries, self.facts, self.profiles, self.versions, self.reminders)
        return not any(erased)

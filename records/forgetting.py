"""Requests to forget, and the counts of what they removed."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from records.messages import Message


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgetting:
    """A request of an owner to forget something, without any text.

    `ids` are those of messages, facts, versions of the profile, or earlier texts of facts ("edits"), or the threads of
    conversations. "dates" are from `since` to before `until`. "archives" are chunks entirely older than `until`. A
    request for "facts" with `until` concerns those deleted before then. `with_quotes` includes texts that repeat the
    forgotten words.
    """

    what: Literal["messages", "facts", "dates", "conversations", "archives", "everything", "edits", "profiles"]
    ids: tuple[int, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    with_quotes: bool = False

    @property
    def is_expiry(self) -> bool:
        """True for facts that their owner deleted long enough ago to be erased."""
        return self.what == "facts" and self.until is not None

    @property
    def may_be_quoted(self) -> bool:
        """True if a person chose the text, and so may want texts that quote it to be forgotten too."""
        return self.what in ("messages", "dates", "conversations") or (self.what == "facts" and not self.is_expiry)

    @property
    def is_of_facts_alone(self) -> bool:
        """True if no message, and so no summary, is affected."""
        return self.what in ("edits", "profiles") or self.is_expiry


@dataclass(frozen=True, kw_only=True, slots=True)
class Remainder:
    """The texts that stay although they repeat forgotten words. `answers` holds ids, the other fields are counts.

    `others` counts further messages with such words. `is_complete` is False if there were too many words to search for.
    """

    answers: tuple[int, ...] = ()
    facts: int = 0
    summaries: int = 0
    profiles: int = 0
    others: int = 0
    is_complete: bool = True

    @property
    def has_quotes(self) -> bool:
        return bool(self.answers or self.facts or self.summaries or self.profiles)


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The first messages, facts and summaries that a request to forget would remove, ascending by id."""

    messages: tuple[Message, ...] = ()
    facts: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """Counts of what a request to forget removes or removed.

    `reactivated` messages stay and become active again, because their summary is removed. `kept_aside` are the
    operator's copies of files that may hold the text. `is_clean` is False while traces cannot be removed from files
    that are in use or on a full disk. Only a preview has a `listing`.
    """

    messages: int = 0
    summaries: int = 0
    facts: int = 0
    profiles: int = 0
    versions: int = 0
    reminders: int = 0
    reactivated: int = 0
    kept_aside: tuple[str, ...] = ()
    is_clean: bool = True
    remainder: Remainder = field(default_factory=Remainder, compare=False)
    listing: Listing = field(default_factory=Listing, compare=False, repr=False)

    @property
    def is_nothing(self) -> bool:
        erased = (self.messages, self.summaries, self.facts, self.profiles, self.versions, self.reminders)
        return not any(erased)

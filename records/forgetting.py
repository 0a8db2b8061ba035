"""Requests to forget, and the counts of what they removed."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from records.messages import Message


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgetting:
    """A request of an owner to forget something. Holds no text.

    messages, facts: by their ids (facts with `until`: those that were deleted before it) · dates: what was said from
    `since` to before `until` · conversations: all that was said there, by their threads · archives: chunks that are
    entirely older than `until` · edits: by the ids of a fact's earlier words, which hold again · profiles: by the ids
    of their versions. `with_quotes`: answers, facts, summaries
    and profiles that repeat their words go too.
    """

    what: Literal["messages", "facts", "dates", "conversations", "archives", "everything", "edits", "profiles"]
    ids: tuple[int, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    with_quotes: bool = False

    @property
    def is_expiry(self) -> bool:
        """True if it happens by itself: it removes facts that their owner deleted some time ago."""
        return self.what == "facts" and self.until is not None

    @property
    def may_be_quoted(self) -> bool:
        """True if somebody chose the text and expects quotes of it to go too, which is not so for expiry."""
        return self.what in ("messages", "dates", "conversations") or (self.what == "facts" and not self.is_expiry)

    @property
    def is_of_facts_alone(self) -> bool:
        """True if it touches no message, and therefore no summary, finished or in progress."""
        return self.what in ("edits", "profiles") or self.is_expiry


@dataclass(frozen=True, kw_only=True, slots=True)
class Remainder:
    """Texts that stay although they repeat forgotten words. `answers`: their ids; the rest: how many.

    `others`: further messages that hold such words, because somebody said them there. `is_complete` False: there were
    too many words to look for all of them.
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
    """The first rows that a request to forget would remove, ascending by id; of facts and summaries their texts."""

    messages: tuple[Message, ...] = ()
    facts: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """Counts of what a request to forget removes, or removed.

    `reactivated`: messages that stay and become active again, since their summary is removed. `kept_aside`: files that
    the operator keeps next to the memory, which may hold what was forgotten. `is_clean` False: the files are in use, or
    the disk is full; traces are removed from them as soon as that is over. `remainder`: what of the words stays.
    `listing`: of a preview alone.
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

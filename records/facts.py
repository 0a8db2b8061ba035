"""Facts and profiles of an owner, about to be stored and stored."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FactKind = Literal["personal", "preference", "knowledge", "event"]


@dataclass(frozen=True, kw_only=True, slots=True)
class NewFact:
    """A fact about to be known: one sentence about the owner, in the third person.

    `source_ids`: the messages that say it. `valid_to`: set where it is over already. What the extraction said beside:
    `only_one`, nobody has two of this at a time (a home, an age); `known`, the fact that it repeats or replaces.
    """

    text: str
    kind: FactKind
    subject: str
    source_ids: tuple[int, ...]
    observed_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    only_one: bool = False
    relation: Literal["new", "repeats", "replaces"] = "new"
    known: int | None = None
    origin: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A stored fact. Ids are per owner, ascend, and stay through edits.

    It holds from `valid_from` until `valid_to` (None: still); `superseded_by`: the fact that took its place.
    `importance`: 0 to 1. `origin`: "" learned, "owner" told by hand, "earlier" the words that an edit replaced.
    """

    id: int
    owner: int
    text: str
    kind: FactKind
    subject: str
    source_ids: tuple[int, ...]
    observed_at: datetime
    valid_from: datetime
    created_at: datetime
    valid_to: datetime | None = None
    superseded_by: int | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    is_pinned: bool = False
    deleted_at: datetime | None = None
    origin: str = ""

    @property
    def is_valid(self) -> bool:
        return self.valid_to is None and self.deleted_at is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """A version of the document about an owner. `last_summary_id`: the newest summary that went into it."""

    id: int
    owner: int
    text: str
    created_at: datetime
    model: str = ""
    last_summary_id: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class NewProfile:
    """A profile about to be stored, and what it was made from; `base_id` the version before it."""

    owner: int
    text: str
    model: str
    base_id: int | None
    facts: tuple[Fact, ...]
    summary_ids: tuple[int, ...]
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class FactChange:
    """What becomes of a new fact: a sentence of its own, or more sources for `same_as` (`ends`: which is over then).

    `closes`: facts whose place it takes; `gave_way_to`: a fact that was told later and took its place.
    Numbers below 0 name earlier changes of the same list: -1 is the first.
    """

    fact: NewFact
    same_as: int | None = None
    closes: tuple[int, ...] = ()
    ends: bool = False
    gave_way_to: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryBacklog:
    """Imported history to learn from: so many of the owner's messages; characters with what was answered between."""

    messages: int = 0
    characters: int = 0

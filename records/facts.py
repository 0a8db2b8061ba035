"""New and stored facts and profiles of an owner."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FactKind = Literal["personal", "preference", "knowledge", "event", "instruction"]
"""An "instruction" is a lasting one: what the owner asks a bot to keep to. Of it, and of a preference, `subject` is the
kind of request to which it applies; "" = every one.
"""
LASTING: tuple[FactKind, ...] = ("instruction", "preference")
"""Kinds of facts that are in every prompt to which they could apply, in order of priority."""
EVERYBODY = -1  # the person id of facts that apply to all members of a group
MAX_FACT_CHARS = 300  # characters of one that a command, a tool or the learning takes
MAX_FACTS = 10_000  # facts of one owner that hold: all of them are ranked at each question, wherever they came from


@dataclass(frozen=True, kw_only=True, slots=True)
class NewFact:
    """A fact that is not stored yet: one sentence about the owner, in the third person.

    `source_ids`: the messages that say it. `valid_to`: set where it is over already. `only_one`: nobody has two of this
    at a time (a home, an age); `known`: the fact that it replaces, as the model says, and
    `is_change`: whether the person's words say so too.
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
    known: int | None = None
    is_change: bool = False
    origin: str = ""
    person_id: int = 0
    quote: str = ""
    is_uncertain: bool = False
    decided_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A stored fact. Ids are per owner, ascend, and stay through edits.

    It holds from `valid_from` until `valid_to` (None: still); `superseded_by`: the fact that replaced it.
    `importance`: 0 to 1. `origin`: "" learned, "owner" added by hand, "earlier" the words that an edit replaced.
    `person_id`: in a group, the member who said it. `quote`: the words that it was learned from; `is_uncertain`: they
    hedge ("might move"). `decided_at`: when its owner last edited, pinned, ended or deleted it by hand.
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
    person_id: int = 0
    quote: str = ""
    is_uncertain: bool = False
    decided_at: datetime | None = None

    @property
    def is_valid(self) -> bool:
        return self.valid_to is None and self.deleted_at is None

    @property
    def is_lasting(self) -> bool:
        """True if it belongs in every prompt to which it could apply."""
        return self.kind in LASTING

    def holds_for(self, person: int) -> bool:
        """Return True if the fact applies to this person's turns.

        In a group, a member's instruction applies to that member only. One added by hand applies to all.
        """
        return self.owner > 0 or not self.is_lasting or not self.source_ids or self.person_id == person

    def may_be_changed_by(self, person: int) -> bool:
        """Return True if this person's words may replace or end the fact. In a group, nobody may end another's wish."""
        return self.owner > 0 or not self.is_lasting or (bool(self.source_ids) and self.person_id == person)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What an owner decided by hand about a fact: `terms` are those of its topics, `subject` the single value that it
    gives ("" if none). Both are hashed with `key` if the fact was erased (storage/tables/decisions.py).
    """

    id: int
    owner: int
    key: str
    terms: tuple[str, ...]
    subject: str
    source_ids: tuple[int, ...]
    decided_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """A version of the profile text of an owner. `last_summary_id` is the newest summary used for it."""

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
    """A profile that is not stored yet, with its sources. `base_id` is the previous version."""

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
    """The fate of a new fact: it is inserted, or adds sources to `same_as` (`ends`: and ends that fact).

    `closes`: the facts that it replaces; `gave_way_to`: a fact that was said later and replaced it. Numbers below 0
    refer to earlier changes of the same list: -1 is the first.
    """

    fact: NewFact
    same_as: int | None = None
    closes: tuple[int, ...] = ()
    ends: bool = False
    gave_way_to: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryBacklog:
    """Imported history to learn from: the owner's messages, and the characters of these and the answers."""

    messages: int = 0
    characters: int = 0

"""New and stored facts and profiles of an owner."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FactKind = Literal["personal", "preference", "knowledge", "event", "instruction"]
"""An "instruction" is a lasting wish of the owner. The `subject` of an instruction or a preference is the kind of
request to which it applies, or "" for every request.
"""
LASTING: tuple[FactKind, ...] = ("instruction", "preference")
"""Kinds of facts that every prompt includes if they could apply, in order of priority."""
EVERYBODY = -1  # the person id of facts that apply to all members of a group
MAX_FACT_CHARS = 300
MAX_FACTS = 10_000  # valid facts of one owner, all of which are ranked for each question


@dataclass(frozen=True, kw_only=True, slots=True)
class _FactContent:
    """The fields of both new and stored facts.

    `text` is one sentence about the owner in the third person. `source_ids` are the messages that say it, and `quote`
    is the part from which it was learned. `is_uncertain` is True if the quote hedges ("might move"). `valid_to` is None
    while the fact holds. `importance` is from 0 to 1. `origin` is "" if learned, "owner" if added by hand, or "earlier"
    for a text that an edit replaced. `person_id` is the member of a group who said it. `decided_at` is the time of the
    last change by hand.
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
    origin: str = ""
    person_id: int = 0
    quote: str = ""
    is_uncertain: bool = False
    decided_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NewFact(_FactContent):
    """A fact that is not stored yet.

    `only_one` marks an attribute with a single value, such as a home. `known` is the fact that it replaces according to
    the model, and `is_change` is True if the person's words also say that it changed. `is_in_question` is True if the
    quote is part of a question, which never changes what the owner decided.
    """

    only_one: bool = False
    known: int | None = None
    is_change: bool = False
    is_in_question: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact(_FactContent):
    """A stored fact. Ids are per owner, ascend, and stay the same through edits."""

    id: int
    owner: int
    created_at: datetime
    superseded_by: int | None = None
    is_pinned: bool = False
    deleted_at: datetime | None = None

    @property
    def is_valid(self) -> bool:
        return self.valid_to is None and self.deleted_at is None

    @property
    def is_lasting(self) -> bool:
        """True if every prompt to which the fact could apply includes it."""
        return self.kind in LASTING

    def holds_for(self, person: int) -> bool:
        """Return True if the fact applies to this person.

        In a group, a member's instructions and preferences apply only to that member, and those added by hand to all.
        """
        return self.owner > 0 or not self.is_lasting or not self.source_ids or self.person_id == person

    def may_be_changed_by(self, person: int) -> bool:
        """Return True if this person's words may replace or end the fact.

        In a group, nobody's words end another member's instructions and preferences, or those added by hand.
        """
        return self.owner > 0 or not self.is_lasting or (bool(self.source_ids) and self.person_id == person)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A change of a fact by hand.

    `terms` are the terms of its topics. `subject` is the single-valued attribute that it sets, or "". Both are hashed
    with `key` if the fact was erased (storage/tables/decisions.py).
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
    """A version of an owner's profile. `last_summary_id` is the newest summary that it was made from."""

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
    """A planned change: a new fact is inserted, or adds its sources to `same_as`, which it may also end.

    `closes` are the facts that it replaces. `gave_way_to` is a later fact that already replaced the new one. Negative
    numbers refer to earlier changes of the same list, -1 to the first.
    """

    fact: NewFact
    same_as: int | None = None
    closes: tuple[int, ...] = ()
    ends: bool = False
    gave_way_to: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryBacklog:
    """The size of the imported history to learn from. Only `characters` includes the answers."""

    messages: int = 0
    characters: int = 0

"""New and stored facts and profiles of an owner."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

FactKind = Literal["personal", "preference", "knowledge", "event", "instruction"]
# Kinds of facts that every prompt includes if they could apply, in order of priority. Their `subject` is the kind of
# request to which they apply, or "" for every request.
LASTING: tuple[FactKind, ...] = ("instruction", "preference")
EVERYBODY = -1  # the person id of facts that apply to all members of a group
MAX_FACT_CHARS = 300
MAX_FACTS = 10_000  # valid facts of one owner, all of which are ranked for each question


@dataclass(frozen=True, kw_only=True, slots=True)
class _FactContent:
    text: str  # one sentence about the owner in the third person
    kind: FactKind
    subject: str
    source_ids: tuple[int, ...]  # the messages that say it
    observed_at: datetime  # the time at which the text was said or entered by hand
    valid_from: datetime
    valid_to: datetime | None = None  # None while the fact holds
    importance: float = 0.5  # from 0 to 1
    tags: tuple[str, ...] = ()
    origin: str = ""  # "" if learned, "owner" if added by hand, "earlier" for a text that an edit replaced
    person_id: int = 0  # the member of a group who said it
    quote: str = ""  # the words from which it was learned
    is_uncertain: bool = False  # True if the quote hedges ("might move")
    decided_at: datetime | None = None  # the time of the last change by hand


@dataclass(frozen=True, kw_only=True, slots=True)
class NewFact(_FactContent):
    """A fact that is not stored yet, and how it relates to known facts."""

    only_one: bool = False  # True for an attribute with a single value, such as a home
    known: tuple[int, ...] = ()  # the facts that it replaces according to the model
    key: str = ""  # whom it is about and the attribute that it gives, also where there can be several values
    is_change: bool = False  # True if the person's words also say that something changed
    is_in_question: bool = False  # True if a question or others' words hold the quote: they overrule no decision
    is_introduced: bool = False  # True if a colon precedes the quote, so that it may also be a text to work on
    is_typed: bool = False  # True if the model gave its type, and so did not call it a question or a text to work on
    line: str = ""  # the sentence around its quote, or the quote if that is long
    unsaid: frozenset[str] = frozenset()  # topics of the text that the sentence around its quote lacks
    speaker: str = ""  # the name of the member of a group who said it


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact(_FactContent):
    """A stored fact. Ids are unique per owner, ascend, and do not change with edits."""

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
        """True for instructions and preferences, which are included in every prompt that they may apply to."""
        return self.kind in LASTING

    def applies_to(self, person_id: int) -> bool:
        """Return True if the fact applies to this person. In a group, lasting facts apply only to their author."""
        return self.owner > 0 or not self.is_lasting or not self.source_ids or self.person_id == person_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A person's own change to a fact, such as an edit or a deletion."""

    id: int
    owner: int
    key: str  # with which terms and subject are hashed if the fact was erased (storage/tables/decisions.py)
    terms: tuple[str, ...]  # of its topics
    subject: str  # the single-valued attribute that it sets, or ""
    source_ids: tuple[int, ...]
    decided_at: datetime
    quote_terms: tuple[str, ...] = ()  # of the words from which it was learned


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """A stored version of an owner's profile."""

    id: int
    owner: int
    text: str
    created_at: datetime
    model: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewProfile:
    """A profile that is not stored yet, with its sources."""

    owner: int
    text: str
    model: str
    base_id: int | None  # the previous version
    facts: tuple[Fact, ...]
    summary_ids: tuple[int, ...]
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class FactChange:
    """A planned change to the stored facts."""

    # Negative numbers refer to earlier changes of the same list, -1 to the first.
    fact: NewFact
    same_as: int | None = None  # the fact that gets the new one's sources; None if the new one is inserted
    closes: tuple[int, ...] = ()  # the facts that the new one replaces
    ends: bool = False  # True if `same_as` ends
    gave_way_to: int | None = None  # a later fact that already replaced the new one


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryBacklog:
    """The amount of imported history from which facts have not been learned yet."""

    messages: int = 0
    characters: int = 0  # including the answers

"""What comes with a file that is imported, what its import would do, and what it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from transfer.formats.history import Question


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPlan:
    """What an import would do. `is_restored`: our own export comes back as it was. `missing`: which of its files are
    still to come then. `facts`: how many the file holds. `ids`: first and last of the file's history in the memory,
    where all of it is known. `reminders`: how many would be set. `questions`: what the person decides first.
    """

    name: str
    total: int
    known: int
    first_at: datetime | None
    last_at: datetime | None
    notes: tuple[str, ...]
    facts: int
    new_facts: int
    is_restored: bool
    turns_on: bool
    missing: str = ""
    ids: tuple[int, int] | None = None
    reminders: int = 0
    questions: tuple[Question, ...] = ()

    @property
    def new(self) -> int:
        return self.total - self.known

    @property
    def has_new(self) -> bool:
        return bool(self.is_restored or self.new or self.new_facts or self.reminders)


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """What else comes with a file. `name`: as it was sent; `bot`: the Telegram id of this bot; `answers`: to the
    questions of an earlier plan, by their keys.
    """

    name: str = ""
    bot: int = 0
    answers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


NOTHING_GIVEN = Given()


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an import did. `ids`: first and last of the file's history, whichever run brought it in; None: restored.
    `missing`: which files of a restore are still to come.
    """

    messages: int
    known: int
    facts: int
    is_restored: bool
    missing: str = ""
    ids: tuple[int, int] | None = None

"""Rows of SQLite → the values of records/, and back."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from records.conversations import StoredConversation
from records.errors import StorageError
from records.facts import Fact, Profile
from records.messages import Message
from records.owners import OwnerConfig, StorageType
from records.reminders import Reminder
from records.scopes import Scope
from records.summaries import FoldFailure, Summary
from storage.engine.protocol import Row
from storage.schema.portable_tables import (
    BY_NAME,
    CONVERSATIONS,
    FACTS,
    FAILURES,
    MESSAGES,
    PROFILES,
    REMINDERS,
    SUMMARIES,
    USERS,
    Kind,
    Portable,
    Table,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

AnyRow = Mapping[str, Any] | Row
Record = TypeVar("Record", bound="DataclassInstance")


def text_of(moment: datetime) -> str:
    """A time as it is stored. Raises ValueError for one without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a datetime without a zone")
    return moment.astimezone(UTC).isoformat()


def moment_of(text: object) -> datetime:
    moment = datetime.fromisoformat(text if isinstance(text, str) else str(text))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def optional_moment(text: object) -> datetime | None:
    return None if text is None else moment_of(text)


@lru_cache(maxsize=64)
def _scope(owner: int, thread: int) -> Scope:
    return Scope(owner=owner, thread=thread)


class Records(Generic[Record]):
    """The rows of a table as values of one class, and back. `renamed`: columns of fields that have another name."""

    def __init__(self, kind: type[Record], table: Table, **renamed: str) -> None:
        kinds = {column.name: column.kind for column in table.columns}
        columns = {field.name: {"owner": "user_id", **renamed}.get(field.name, field.name) for field in fields(kind)}
        self._kind = kind
        self._is_scoped = "scope" in columns
        self._columns = [(name, column, kinds[column]) for name, column in columns.items() if column in kinds]

    @property
    def columns(self) -> frozenset[str]:
        """The columns that hold a value's fields."""
        return frozenset(column for _, column, _ in self._columns)

    def of(self, row: AnyRow, **given: object) -> Record:
        """The value of a row; `given`: fields that the row does not hold as they are."""
        read = {name: _READ.get(kind, _same)(row[column]) for name, column, kind in self._columns}
        if self._is_scoped:
            read["scope"] = _scope(row["user_id"], row["thread_id"])
        return self._kind(**(read | given))

    def row(self, record: Record) -> Portable:
        """A value as a portable row, without the columns that it says nothing of."""
        made: Portable = {
            column: _WRITTEN.get(kind, _same)(getattr(record, name)) for name, column, kind in self._columns
        }
        if self._is_scoped:
            scope = getattr(record, "scope")  # noqa: B009 - what has one is known from its fields
            made |= {"user_id": scope.owner, "thread_id": scope.thread}
        return made


def _same(value: Any) -> Any:
    return value


def _tuple_of(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text)) if text != "[]" else ()


def _ids_of(text: str) -> tuple[int, ...]:
    """The ids below a summary are hundreds, and the same in every turn."""
    return _few_ids(text) if len(text) <= 4_000 else _tuple_of(text)


@lru_cache(maxsize=256)
def _few_ids(text: str) -> tuple[int, ...]:
    return _tuple_of(text)


def _figures_of(text: str) -> dict[str, Any]:
    return dict(json.loads(text)) if text != "{}" else {}


def optional_text(moment: datetime | None) -> str | None:
    return None if moment is None else text_of(moment)


_READ: Mapping[Kind, Callable[[Any], Any]] = {
    "truth": bool,
    "date": optional_moment,
    "ids": _ids_of,
    "texts": _tuple_of,
    "figures": _figures_of,
}
_WRITTEN: Mapping[Kind, Callable[[Any], Any]] = {"date": optional_text, "ids": list, "texts": list, "figures": dict}
SUMMARY_ROWS = Records(Summary, SUMMARIES, text="summary_text")
FACT_ROWS = Records(Fact, FACTS)
MESSAGE_ROWS = Records(Message, MESSAGES, turn="turn_id")
PROFILE_ROWS = Records(Profile, PROFILES)
REMINDER_ROWS = Records(
    Reminder, REMINDERS, thread="thread_id", person="person_id", local="wall_time", source="source_id"
)
FAILURE_ROWS = Records(FoldFailure, FAILURES)
CONVERSATION_ROWS = Records(StoredConversation, CONVERSATIONS)
CONFIG_ROWS = Records(OwnerConfig, USERS, every_n="summary_every_n", enabled="memory_enabled")


message_of = MESSAGE_ROWS.of


def row_of_message(message: Message) -> Portable:
    """As `Records.row`, with what says whether it is active."""
    return {**MESSAGE_ROWS.row(message), "is_active": message.is_active}


def fact_of(row: AnyRow) -> Fact:
    return FACT_ROWS.of(row, valid_from=moment_of(row["valid_from"] or row["observed_at"]))


def config_of(row: AnyRow) -> OwnerConfig:
    return CONFIG_ROWS.of(row, storage=StorageType(row["storage_type"]))


def grouped(rows: Iterable[Mapping[str, object]], owner: int) -> dict[str, list[Portable]]:
    """Portable rows with a "table" key, by table. Raises StorageError for rows that are not this owner's."""
    by_table: dict[str, list[Portable]] = {}
    for row in rows:
        name = str(row.get("table"))
        if name not in BY_NAME or row.get("user_id") != owner:
            raise StorageError("What was to be loaded is not this owner's memory; nothing was changed.")
        by_table.setdefault(name, []).append({key: value for key, value in row.items() if key != "table"})
    return by_table

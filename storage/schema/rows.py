"""Convert database rows to the values of records/, and back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from records.errors import StorageError
from records.facts import Decision, Fact, Profile
from records.messages import Message
from records.owners import OwnerConfig, StorageType
from records.reminders import Reminder
from records.scopes import Scope
from records.summaries import Summary, SummaryFailure
from storage.engine.protocol import Row
from storage.schema import portable_tables as tables
from storage.schema.portable_tables import ColumnKind, PortableRow, Table, parse_stored_value, translate_value_errors

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

AnyRow = Mapping[str, Any] | Row
Record = TypeVar("Record", bound="DataclassInstance")


def format_moment(moment: datetime) -> str:
    """Format a datetime as an ISO 8601 string in UTC. Raise ValueError if it has no time zone."""
    if moment.tzinfo is None:
        raise ValueError("a datetime without a zone")
    return moment.astimezone(UTC).isoformat()


def parse_moment(text: object) -> datetime:
    moment = datetime.fromisoformat(text if isinstance(text, str) else str(text))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def parse_optional_moment(text: object) -> datetime | None:
    return None if text is None else parse_moment(text)


class RowMapper(Generic[Record]):
    """Converts database rows to instances of a dataclass and back. `renamed` maps field names to column names.

    `computed` names columns that are written from properties of the dataclass, but never read.
    """

    def __init__(self, kind: type[Record], table: Table, *, computed: Sequence[str] = (), **renamed: str) -> None:
        kinds = {column.name: column.kind for column in table.columns}
        columns = {field.name: {"owner": "user_id", **renamed}.get(field.name, field.name) for field in fields(kind)}
        self._kind = kind
        self._table = table.name
        self._is_scoped = "scope" in columns
        self._columns = [(name, column, kinds[column]) for name, column in columns.items() if column in kinds]
        self._written = [*self._columns, *((name, name, kinds[name]) for name in computed)]

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns that store the fields of the dataclass."""
        return frozenset(column for _, column, _ in self._columns)

    def parse(self, row: AnyRow, **overrides: object) -> Record:
        """Convert a row to an instance. `overrides` replace fields. Raise StorageCorrupt if a column is damaged."""
        with translate_value_errors(self._table):
            values = {name: _parse_value(kind, row[column]) for name, column, kind in self._columns}
        if self._is_scoped:
            values["scope"] = Scope(owner=row["user_id"], thread=row["thread_id"])
        return self._kind(**(values | overrides))

    def to_row(self, record: Record) -> PortableRow:
        """Convert an instance of the dataclass to a portable row."""
        row: PortableRow = {}
        for name, column, kind in self._written:
            value = getattr(record, name)
            if kind == "date" and value is not None:
                value = format_moment(value)
            elif kind == "figures":
                value = dict(value)
            elif kind in ("ids", "texts"):
                value = list(value)
            row[column] = value
        if self._is_scoped:
            scope = getattr(record, "scope")  # noqa: B009 - _is_scoped says that the class has this field
            row |= {"user_id": scope.owner, "thread_id": scope.thread}
        return row


def _parse_value(kind: ColumnKind, value: Any) -> Any:
    parsed = parse_stored_value(kind, value)
    if kind == "date":
        return parse_optional_moment(parsed)
    return tuple(parsed) if kind in ("ids", "texts") else parsed


SUMMARY_ROWS = RowMapper(Summary, tables.SUMMARIES, text="summary_text")
FACT_ROWS = RowMapper(Fact, tables.FACTS)
DECISION_ROWS = RowMapper(Decision, tables.DECISIONS)
MESSAGE_ROWS = RowMapper(Message, tables.MESSAGES, computed=("is_active",), turn="turn_id")
PROFILE_ROWS = RowMapper(Profile, tables.PROFILES)
REMINDER_ROWS = RowMapper(
    Reminder, tables.REMINDERS, thread="thread_id", person="person_id", local="wall_time", source="source_id"
)
FAILURE_ROWS = RowMapper(SummaryFailure, tables.FAILURES)
CONFIG_ROWS = RowMapper(OwnerConfig, tables.USERS, every_n="summary_every_n", enabled="memory_enabled")

parse_message = MESSAGE_ROWS.parse


def parse_fact(row: AnyRow) -> Fact:
    fact = FACT_ROWS.parse(row)
    return fact if row["valid_from"] else replace(fact, valid_from=fact.observed_at)


def parse_config(row: AnyRow) -> OwnerConfig:
    return CONFIG_ROWS.parse(row, storage=StorageType(row["storage_type"]))


def group_rows_by_table(rows: Iterable[Mapping[str, object]], owner: int) -> dict[str, list[PortableRow]]:
    """Group portable rows by table name. Raise StorageError if a row has an unknown table or another owner."""
    by_table: dict[str, list[PortableRow]] = {}
    for row in rows:
        name = str(row.get("table"))
        if name not in tables.BY_NAME or row.get("user_id") != owner:
            raise StorageError("What was to be loaded is not this owner's memory; nothing was changed.")
        by_table.setdefault(name, []).append({key: value for key, value in row.items() if key != "table"})
    return by_table

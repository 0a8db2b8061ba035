"""The tables of an owner's memory as portable rows: column names and values, with real booleans and lists."""

import contextlib
import json
import logging
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from records.errors import StorageCorrupt
from records.facts import FactKind
from records.messages import Origin, Role
from records.owners import Formatting, SpokenAnswers
from records.reminders import Repeat
from storage.engine.protocol import Row, Value
from storage.engine.sqlite_driver import RESTORE
from text.characters import repair_surrogates, repair_surrogates_in_json

log = logging.getLogger(__name__)

PortableRow = dict[str, object]
ColumnKind = Literal[
    "truth", "whole", "telegram_id", "number", "text", "date", "texts", "ids", "stretches", "figures", "object"
]
"""Kinds of columns. "truth" is a boolean, "whole" an integer, "telegram_id" one of Telegram's larger integers,
"stretches" a list of [first, last] ids, and "figures" an object whose values are numbers.
"""
_NESTED = frozenset({"texts", "ids", "stretches", "figures", "object"})  # kinds that SQLite stores as JSON
_STORED_TYPES: Mapping[ColumnKind, type | tuple[type, ...]] = {
    **dict.fromkeys(("truth", "whole", "telegram_id"), int),
    "number": (int, float),
    **dict.fromkeys(("text", "date"), str),
    **dict.fromkeys(("texts", "ids", "stretches"), list),
    **dict.fromkeys(("figures", "object"), dict),
}
_REQUIRED = object()


def parse_stored_value(kind: ColumnKind, value: Any) -> Any:
    """Convert a database value to a portable value. Raise ValueError or TypeError if the value is damaged."""
    if value is not None and kind in _NESTED:
        value = json.loads(value)
    if value is not None and not isinstance(value, _STORED_TYPES[kind]):
        raise TypeError  # SQLite stores values of any type in any column
    return bool(value) if kind == "truth" else value


@contextlib.contextmanager
def translate_value_errors(location: str) -> Iterator[None]:
    """Convert a ValueError or TypeError raised in the block to StorageCorrupt. `location` is named in the message."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise StorageCorrupt(f"A stored value in {location} is damaged; {RESTORE}") from error


@contextlib.contextmanager
def skip_damaged_item(item_id: int) -> Iterator[None]:
    """Suppress and log a StorageCorrupt raised in the block. `item_id` names the damaged item in the log."""
    try:
        yield
    except StorageCorrupt as error:
        log.error("%d is left out: %s", item_id, error.sentence)  # noqa: TRY400 - the sentence says all


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a portable table. `default` replaces a missing value. `choices`, if any, are the allowed values."""

    name: str
    kind: ColumnKind
    default: object = _REQUIRED
    choices: tuple[str, ...] = ()


def make_columns(kind: ColumnKind, *names: str, default: object = _REQUIRED) -> list[Column]:
    """Return one column per name, all with the same kind and default."""
    return [Column(name, kind, default) for name in names]


_KEY_COLUMNS = (Column("id", "whole"), Column("user_id", "telegram_id"), Column("thread_id", "telegram_id"))


class Table:
    """A table of portable rows. The key columns come first, and the first of them is the owner's id."""

    def __init__(self, name: str, *further_columns: Column, key: tuple[str, ...] = ("user_id", "id")) -> None:
        self.name = name
        self.columns = (*(column for column in _KEY_COLUMNS if column.name in key), *further_columns)
        self.key = key

    @cached_property
    def defaults(self) -> Mapping[str, object]:
        return {column.name: column.default for column in self.columns if column.default is not _REQUIRED}

    @cached_property
    def upsert_sql(self) -> str:
        """The SQL statement that inserts a row, or replaces the row with the same key."""
        return self.make_upsert_sql()

    def make_upsert_sql(self, *extra_columns: str) -> str:
        """Return `upsert_sql` with extra columns, which are set only when a new row is inserted."""
        changed = ", ".join(f"{name} = excluded.{name}" for name in self.column_names if name not in self.key)
        return f"{self.make_insert_sql(*extra_columns)} ON CONFLICT ({', '.join(self.key)}) DO UPDATE SET {changed}"

    def make_insert_sql(self, *extra_columns: str) -> str:
        """Return the SQL statement that inserts a new row, including values for `extra_columns`."""
        names = [*self.column_names, *extra_columns]
        return f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608

    def select_columns(self, names: Container[str]) -> "Table":
        """Return a copy of the table that has only its key and the named columns."""
        further_columns = self.columns[len(self.key) :]
        return Table(self.name, *(column for column in further_columns if column.name in names), key=self.key)

    def to_portable_row(self, row: Mapping[str, object] | Row) -> PortableRow:
        """Convert a database row to a portable row. Raise StorageCorrupt if a value is damaged."""
        with translate_value_errors(self.name):
            return {column.name: parse_stored_value(column.kind, row[column.name]) for column in self.columns}

    def to_params(self, row: Mapping[str, object]) -> tuple[Value, ...]:
        """Convert a portable row to parameters for `upsert_sql`. Raise KeyError or TypeError if the row is invalid."""
        values: list[Value] = []
        for column in self.columns:
            value = row[column.name] if column.name in row else self.defaults[column.name]
            if column.kind == "truth":
                values.append(int(bool(value)))
            elif column.kind in _NESTED:
                values.append(json.dumps(repair_surrogates_in_json(value)))
            elif isinstance(value, str):
                # JSON may escape half a surrogate pair, which cannot be written as UTF-8.
                values.append(repair_surrogates(value))
            elif value is None or isinstance(value, (int, float, bytes)):
                values.append(value)
            else:
                raise TypeError(f"{self.name}.{column.name} cannot hold {type(value).__name__}")
        return tuple(values)

    def fill_missing_columns(self, row: Mapping[str, object]) -> PortableRow:
        """Return a row from a file of any version with all columns."""
        filled = {**self.defaults, **row}
        if self.name == "facts" and "decided_at" not in row:  # as step 5 of the schema
            is_decided = row.get("is_pinned") or row.get("deleted_at") or row.get("origin") == "owner"
            filled["decided_at"] = row.get("created_at") if is_decided else None
        return filled

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The column names, in the order of the values that `to_params` returns."""
        return tuple(column.name for column in self.columns)


USERS = Table(
    "users",
    Column("summary_every_n", "whole"),
    Column("memory_enabled", "truth"),
    *make_columns("date", "created_at", "updated_at"),
    *make_columns("whole", "next_message_id", "next_summary_id"),
    Column("last_fence", "whole", default=0),
    Column("policy", "text", default="pyramid"),
    Column("auto_fold", "truth", default=True),
    *make_columns("text", "timezone", "fold_instructions", default=""),
    Column("incognito", "truth", default=False),
    *make_columns("whole", "next_fact_id", "next_profile_id", "next_version_id", default=1),
    Column("tokens_saved", "whole", default=0),
    *make_columns("text", "language", "model", "persona", "persona_text", default=""),
    Column("next_reminder_id", "whole", default=1),
    Column("spoken_answers", "text", default="", choices=get_args(SpokenAnswers)),
    Column("formatting", "text", default="", choices=get_args(Formatting)),
    key=("user_id",),
)
MESSAGES = Table(
    "messages",
    Column("thread_id", "telegram_id", default=0),
    Column("role", "text", choices=get_args(Role)),
    Column("content", "text"),
    Column("created_at", "date"),
    Column("is_active", "truth"),
    Column("chunk_id", "whole", default=None),
    Column("turn_id", "whole"),
    Column("speaker", "text", default=""),
    Column("source", "text", default=None),
    Column("telegram_id", "telegram_id", default=None),
    Column("origin", "text", default="", choices=get_args(Origin)),
    Column("edited_at", "date", default=None),
    Column("person_id", "telegram_id", default=0),
    Column("title", "text", default=""),
)
SUMMARIES = Table(
    "summaries",
    Column("thread_id", "telegram_id", default=0),
    Column("summary_text", "text"),
    Column("created_at", "date"),
    Column("level", "whole"),
    Column("source_chunk_ids", "ids"),
    Column("is_active", "truth"),
    Column("source_ids", "ids", default=[]),
    *make_columns("whole", "first_id", "last_id"),
    *make_columns("date", "first_at", "last_at"),
    Column("message_count", "whole"),
    *make_columns("text", "model", "prompt_version", default=""),
    *make_columns("whole", "tokens_in", "tokens_out", "milliseconds", default=0),
    Column("base_id", "whole", default=None),
    Column("policy", "text", default="pyramid"),
    Column("reason", "text", default=""),
    Column("score", "number", default=None),
    Column("details", "figures", default={}),
    Column("status", "text", default="completed"),
    Column("correction", "text", default=""),
)
FAILURES = Table(
    "failures",
    Column("at", "date"),
    *make_columns("text", "reason", "error"),
    Column("attempts", "whole"),
    Column("told", "truth", default=False),
    key=("user_id", "thread_id"),
)
FACTS = Table(
    "facts",
    Column("text", "text"),
    Column("kind", "text", choices=get_args(FactKind)),
    Column("subject", "text", default=""),
    Column("importance", "number", default=0.5),
    Column("tags", "texts", default=[]),
    Column("source_ids", "ids", default=[]),
    Column("observed_at", "date"),
    *make_columns("date", "valid_from", "valid_to", default=None),
    Column("superseded_by", "whole", default=None),
    Column("is_pinned", "truth", default=False),
    Column("deleted_at", "date", default=None),
    Column("origin", "text", default=""),
    Column("created_at", "date"),
    Column("known_id", "whole", default=None),
    Column("person_id", "telegram_id", default=0),
    Column("quote", "text", default=""),
    Column("is_uncertain", "truth", default=False),
    Column("decided_at", "date", default=None),
)
DECISIONS = Table(
    "decisions",
    Column("key", "text"),
    Column("terms", "texts"),
    Column("subject", "text", default=""),
    Column("source_ids", "ids", default=[]),
    Column("decided_at", "date"),
    Column("quote_terms", "texts", default=[]),
)
PROFILES = Table(
    "profiles",
    Column("text", "text"),
    Column("created_at", "date"),
    Column("model", "text", default=""),
    Column("last_summary_id", "whole", default=0),
    Column("status", "text", default="completed"),
    *make_columns("whole", "tokens_in", "tokens_out", default=0),
    Column("base_id", "whole", default=None),
    Column("fact_ids", "ids", default=None),
)
VERSIONS = Table(
    "versions",
    Column("message_id", "whole"),
    Column("thread_id", "telegram_id", default=0),
    Column("role", "text", choices=get_args(Role)),
    Column("content", "text"),
    *make_columns("date", "written_at", "replaced_at"),
    Column("why", "text", default="edited"),
)
ACCOUNTS = Table(
    "accounts", Column("thread_id", "telegram_id", default=0), Column("account", "object"), Column("created_at", "date")
)
PROGRESS = Table(
    "progress",
    Column("learned_id", "whole", default=0),
    *make_columns("whole", "past_from", "past_id", "past_until", default=None),
    Column("past_learned", "stretches", default=[]),
    key=("user_id", "thread_id"),
)
REMINDERS = Table(
    "reminders",
    *make_columns("telegram_id", "thread_id", "person_id", default=0),
    Column("text", "text"),
    Column("due_at", "date"),
    Column("wall_time", "text", default=""),
    Column("repeat", "text", default="", choices=get_args(Repeat)),
    Column("month_day", "whole", default=0),
    Column("weekdays", "ids", default=[]),
    Column("language", "text", default=""),
    Column("created_at", "date"),
    Column("source_id", "whole", default=None),
    Column("sends", "whole", default=0),
)
RESTORES = Table(
    "restores", Column("export", "text"), Column("begun_at", "date"), Column("held", "object")
)  # The restore of an owner's export. Row 0 holds its progress, each other row a row that waits for the last file.
CONVERSATIONS = Table(
    "conversations",
    Column("place", "telegram_id", default=0),
    Column("title", "text", default=""),
    Column("is_named", "truth", default=False),
    *make_columns("date", "created_at", "opened_at"),
    key=("user_id", "thread_id"),
)
# In the order of dumping and loading. `users.storage_type` and `epoch` are left out on purpose: they say where a memory
# is stored, so a move must not copy them.
TABLES = (
    *(USERS, PROGRESS, CONVERSATIONS, MESSAGES, SUMMARIES, FAILURES, FACTS, DECISIONS),
    *(PROFILES, VERSIONS, ACCOUNTS, REMINDERS, RESTORES),
)
BY_NAME = {table.name: table for table in TABLES}
ERASED = (*(table.name for table in TABLES[1:]), "fact_vectors", "jobs", "scopes", "rebuild_parts")
"""Tables whose rows are deleted together with their owner. `users` and the word index are handled separately."""
UPSERT_USER = USERS.make_upsert_sql("storage_type")  # leaves the storage_type of a known owner unchanged
COUNTERS = {
    "next_message_id": "messages",
    "next_summary_id": "summaries",
    "next_fact_id": "facts",
    "next_profile_id": "profiles",
    "next_version_id": "versions",
    "next_reminder_id": "reminders",
}  # the columns of `users` that hold the next id of a table, with the name of that table

"""The tables that belong to an owner's memory, in one portable form: what moves, is hashed, and stands in memory.json.

A portable row is a dict of a table's columns, with booleans and lists as such. Owns which columns there are, what each
may hold, how a row is stored in SQLite, and what older files leave out.
"""

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from records.facts import FactKind
from records.messages import Origin, Role
from records.owners import Formatting, SpokenAnswers
from records.reminders import Repeat
from storage.engine.protocol import Row, Value
from text.characters import well_formed

Portable = dict[str, object]
Kind = Literal[
    "truth", "whole", "telegram_id", "number", "text", "date", "texts", "ids", "stretches", "figures", "object"
]
"""Kinds of columns: a boolean, a whole number (Telegram's own are larger than ours), a number, a text, a date, a
list of texts, of ids, of [first, last], or an object (of numbers: figures)."""
NESTED = frozenset({"texts", "ids", "stretches", "figures", "object"})
"""Kinds that are JSON in SQLite."""
_REQUIRED = object()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of portable rows. `default`: where files of older versions, or people who edit memory.json, leave it
    out. `choices`: the only texts that may stand there.
    """

    name: str
    kind: Kind
    default: object = _REQUIRED
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table of portable rows: its columns in order, and what identifies a row (always the owner first)."""

    name: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @cached_property
    def defaults(self) -> Mapping[str, object]:
        """The columns that a row may leave out, with what they hold then."""
        return {column.name: column.default for column in self.columns if column.default is not _REQUIRED}

    @cached_property
    def upsert(self) -> str:
        """An INSERT that replaces a row of the same key."""
        return self.upsert_with()

    def upsert_with(self, *further: str) -> str:
        """As `upsert`, with further columns, whose values stay as they are where the row is known."""
        names = [column.name for column in self.columns]
        changed = ", ".join(f"{name} = excluded.{name}" for name in names if name not in self.key)
        return f"{self.insert_with(*further)} ON CONFLICT ({', '.join(self.key)}) DO UPDATE SET {changed}"

    def insert_with(self, *further: str) -> str:
        """An INSERT of a new row, with further columns."""
        names = [*(column.name for column in self.columns), *further]
        return f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608

    def only(self, names: Container[str]) -> "Table":
        """The same table with some of its columns, as an older file has it."""
        return replace(self, columns=tuple(column for column in self.columns if column.name in names))

    def portable(self, row: Mapping[str, object] | Row) -> Portable:
        """A row of SQLite in the portable form."""
        made: Portable = {}
        for name, form in self._forms:
            value = row[name]
            if form == "truth":
                made[name] = bool(value)
            elif form == "nested":
                made[name] = json.loads(str(value))
            else:
                made[name] = value
        return made

    def stored(self, row: Mapping[str, object]) -> tuple[Value, ...]:
        """A portable row as values for `upsert`. Raises KeyError or TypeError when it is not one."""
        values: list[Value] = []
        for name, form in self._forms:
            value = row[name] if name in row else self.defaults[name]
            if form == "truth":
                values.append(int(bool(value)))
            elif form == "nested":
                values.append(_written(value))
            else:
                values.append(self._plain(name, value))
        return tuple(values)

    def _plain(self, name: str, value: object) -> Value:
        if isinstance(value, str):
            # JSON may spell out half a surrogate pair, which no file can hold.
            return well_formed(value)
        if value is None or isinstance(value, (int, float, bytes)):
            return value
        raise TypeError(f"{self.name}.{name} cannot hold {type(value).__name__}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its columns, in the order of the values in `stored`."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _forms(self) -> tuple[tuple[str, Literal["plain", "truth", "nested"]], ...]:
        """Each column with how SQLite holds its values."""
        return tuple(
            (one.name, "truth" if one.kind == "truth" else "nested" if one.kind in NESTED else "plain")
            for one in self.columns
        )


def _written(value: object) -> str:
    """A list or an object as the JSON that SQLite holds."""
    written = json.dumps(value)
    return (
        written if "\\ud" not in written else json.dumps(json.loads(well_formed(json.dumps(value, ensure_ascii=False))))
    )


USERS = Table(
    name="users",
    key=("user_id",),
    columns=(
        Column("user_id", "telegram_id"),
        Column("summary_every_n", "whole"),
        Column("memory_enabled", "truth"),
        Column("created_at", "date"),
        Column("updated_at", "date"),
        Column("next_message_id", "whole"),
        Column("next_summary_id", "whole"),
        Column("last_fence", "whole", default=0),
        Column("policy", "text", default="pyramid"),
        Column("auto_fold", "truth", default=True),
        Column("timezone", "text", default=""),
        Column("fold_instructions", "text", default=""),
        Column("incognito", "truth", default=False),
        Column("next_fact_id", "whole", default=1),
        Column("next_profile_id", "whole", default=1),
        Column("next_version_id", "whole", default=1),
        Column("tokens_saved", "whole", default=0),
        Column("language", "text", default=""),
        Column("model", "text", default=""),
        Column("persona", "text", default=""),
        Column("persona_text", "text", default=""),
        Column("next_reminder_id", "whole", default=1),
        Column("spoken_answers", "text", default="", choices=get_args(SpokenAnswers)),
        Column("formatting", "text", default="", choices=get_args(Formatting)),
    ),
)
MESSAGES = Table(
    name="messages",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
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
    ),
)
SUMMARIES = Table(
    name="summaries",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("thread_id", "telegram_id", default=0),
        Column("summary_text", "text"),
        Column("created_at", "date"),
        Column("level", "whole"),
        Column("source_chunk_ids", "ids"),
        Column("is_active", "truth"),
        Column("source_ids", "ids", default=[]),
        Column("first_id", "whole"),
        Column("last_id", "whole"),
        Column("first_at", "date"),
        Column("last_at", "date"),
        Column("message_count", "whole"),
        Column("model", "text", default=""),
        Column("prompt_version", "text", default=""),
        Column("tokens_in", "whole", default=0),
        Column("tokens_out", "whole", default=0),
        Column("milliseconds", "whole", default=0),
        Column("base_id", "whole", default=None),
        Column("policy", "text", default="pyramid"),
        Column("reason", "text", default=""),
        Column("score", "number", default=None),
        Column("details", "figures", default={}),
        Column("status", "text", default="completed"),
    ),
)
FAILURES = Table(
    name="failures",
    key=("user_id", "thread_id"),
    columns=(
        Column("user_id", "telegram_id"),
        Column("thread_id", "telegram_id"),
        Column("at", "date"),
        Column("reason", "text"),
        Column("error", "text"),
        Column("attempts", "whole"),
        Column("told", "truth", default=False),
    ),
)
FACTS = Table(
    name="facts",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("text", "text"),
        Column("kind", "text", choices=get_args(FactKind)),
        Column("subject", "text", default=""),
        Column("importance", "number", default=0.5),
        Column("tags", "texts", default=[]),
        Column("source_ids", "ids", default=[]),
        Column("observed_at", "date"),
        Column("valid_from", "date", default=None),
        Column("valid_to", "date", default=None),
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
    ),
)
PROFILES = Table(
    name="profiles",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("text", "text"),
        Column("created_at", "date"),
        Column("model", "text", default=""),
        Column("last_summary_id", "whole", default=0),
        Column("status", "text", default="completed"),
        Column("tokens_in", "whole", default=0),
        Column("tokens_out", "whole", default=0),
        Column("base_id", "whole", default=None),
        Column("fact_ids", "ids", default=None),
    ),
)
VERSIONS = Table(
    name="versions",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("message_id", "whole"),
        Column("thread_id", "telegram_id", default=0),
        Column("role", "text", choices=get_args(Role)),
        Column("content", "text"),
        Column("written_at", "date"),
        Column("replaced_at", "date"),
        Column("why", "text", default="edited"),
    ),
)
ACCOUNTS = Table(
    name="accounts",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("thread_id", "telegram_id", default=0),
        Column("account", "object"),
        Column("created_at", "date"),
    ),
)
PROGRESS = Table(
    name="progress",
    key=("user_id", "thread_id"),
    columns=(
        Column("user_id", "telegram_id"),
        Column("thread_id", "telegram_id"),
        Column("learned_id", "whole", default=0),
        Column("past_from", "whole", default=None),
        Column("past_id", "whole", default=None),
        Column("past_until", "whole", default=None),
        Column("past_learned", "stretches", default=[]),
    ),
)
REMINDERS = Table(
    name="reminders",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("thread_id", "telegram_id", default=0),
        Column("person_id", "telegram_id", default=0),
        Column("text", "text"),
        Column("due_at", "date"),
        Column("wall_time", "text", default=""),
        Column("repeat", "text", default="", choices=get_args(Repeat)),
        Column("month_day", "whole", default=0),
        Column("language", "text", default=""),
        Column("created_at", "date"),
        Column("source_id", "whole", default=None),
        Column("sends", "whole", default=0),
    ),
)
RESTORES = Table(
    name="restores",
    key=("user_id", "id"),
    columns=(
        Column("id", "whole"),
        Column("user_id", "telegram_id"),
        Column("export", "text"),
        Column("begun_at", "date"),
        Column("held", "object"),
    ),
)
"""A restore of an owner's export that is under way. Row 0 says how far it is; the others hold rows of the export that
wait for its last file."""
CONVERSATIONS = Table(
    name="conversations",
    key=("user_id", "thread_id"),
    columns=(
        Column("user_id", "telegram_id"),
        Column("thread_id", "telegram_id"),
        Column("place", "telegram_id", default=0),
        Column("title", "text", default=""),
        Column("is_named", "truth", default=False),
        Column("created_at", "date"),
        Column("opened_at", "date"),
    ),
)
# In the order in which they are dumped and loaded. `users.storage_type` and `epoch` are not among the columns: they say
# where a memory lives, so a move does not take them along.
TABLES = (
    USERS,
    PROGRESS,
    CONVERSATIONS,
    MESSAGES,
    SUMMARIES,
    FAILURES,
    FACTS,
    PROFILES,
    VERSIONS,
    ACCOUNTS,
    REMINDERS,
    RESTORES,
)
BY_NAME = {table.name: table for table in TABLES}
ERASED = (*(table.name for table in TABLES[1:]), "fact_vectors", "jobs", "scopes", "rebuild_parts")
"""Tables that go with an owner, each by its `user_id`; `users` and the word index apart."""
UPSERT_USER = USERS.upsert_with("storage_type")
"""The store of an owner who is known stays as it is."""
COUNTERS = {
    "next_message_id": "messages",
    "next_summary_id": "summaries",
    "next_fact_id": "facts",
    "next_profile_id": "profiles",
    "next_version_id": "versions",
    "next_reminder_id": "reminders",
}
"""Columns of `users` that give the next id, and the tables that they number."""

"""The tables that belong to an owner's memory, in one portable form: what moves, is hashed, and stands in memory.json.

A portable row is a dict of a table's columns, booleans and lists as such. Owns which columns there are, how a row is
stored in SQLite, and what older files leave out. Does not know files or transactions.
"""

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from text.characters import well_formed

Value = str | int | float | bytes | None
Portable = dict[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """One table of portable rows: its columns in order, and what identifies a row (always the owner first).

    `nested`: columns that hold a list or an object, in SQLite as JSON. `defaults`: of columns that files of older
    versions, or people who edit memory.json, leave out.
    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    booleans: frozenset[str] = frozenset()
    nested: frozenset[str] = frozenset()
    defaults: Mapping[str, object] = field(default_factory=dict)

    @property
    def upsert(self) -> str:
        """An INSERT that replaces a row of the same key."""
        changed = ", ".join(f"{name} = excluded.{name}" for name in self.columns if name not in self.key)
        return (
            f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({', '.join('?' * len(self.columns))}) "  # noqa: S608
            f"ON CONFLICT ({', '.join(self.key)}) DO UPDATE SET {changed}"
        )

    def only(self, names: Container[str]) -> "Table":
        """The same table with some of its columns, as an older file has it."""
        return replace(self, columns=tuple(name for name in self.columns if name in names))

    def selected(self, prefix: str = "") -> str:
        return ", ".join(prefix + name for name in self.columns)

    def portable(self, row: Mapping[str, object]) -> Portable:
        """A row of SQLite in the portable form."""
        made: Portable = {}
        for name in self.columns:
            value = row[name]
            if name in self.booleans:
                value = bool(value)
            elif name in self.nested:
                value = json.loads(str(value))
            made[name] = value
        return made

    def stored(self, row: Mapping[str, object]) -> tuple[Value, ...]:
        """A portable row as values for `upsert`. Raises KeyError or TypeError when it is not one."""
        return tuple(self._stored(name, row[name] if name in row else self.defaults[name]) for name in self.columns)

    def _stored(self, name: str, value: object) -> Value:
        if name in self.booleans:
            return int(bool(value))
        if name in self.nested:
            return json.dumps(value)
        if value is not None and not isinstance(value, (str, int, float, bytes)):
            raise TypeError(f"{self.name}.{name} cannot hold {type(value).__name__}")
        # JSON may spell out half a surrogate pair, which no file can hold.
        return well_formed(value) if isinstance(value, str) else value


USERS = Table(
    name="users",
    columns=(
        "user_id",
        "summary_every_n",
        "memory_enabled",
        "created_at",
        "updated_at",
        "next_message_id",
        "next_summary_id",
        "last_fence",
        "policy",
        "auto_fold",
        "timezone",
        "fold_instructions",
        "incognito",
        "next_fact_id",
        "next_profile_id",
        "next_version_id",
        "tokens_saved",
    ),
    key=("user_id",),
    booleans=frozenset({"memory_enabled", "auto_fold", "incognito"}),
    defaults={
        "last_fence": 0,
        "policy": "pyramid",
        "auto_fold": True,
        "timezone": "",
        "fold_instructions": "",
        "incognito": False,
        "next_fact_id": 1,
        "next_profile_id": 1,
        "next_version_id": 1,
        "tokens_saved": 0,
    },
)
MESSAGES = Table(
    name="messages",
    columns=(
        "id",
        "user_id",
        "thread_id",
        "role",
        "content",
        "created_at",
        "is_active",
        "chunk_id",
        "turn_id",
        "speaker",
        "source",
        "telegram_id",
        "origin",
        "edited_at",
    ),
    key=("user_id", "id"),
    booleans=frozenset({"is_active"}),
    defaults={
        "thread_id": 0,
        "chunk_id": None,
        "speaker": "",
        "source": None,
        "telegram_id": None,
        "origin": "",
        "edited_at": None,
    },
)
SUMMARIES = Table(
    name="summaries",
    columns=(
        "id",
        "user_id",
        "thread_id",
        "summary_text",
        "created_at",
        "level",
        "source_chunk_ids",
        "is_active",
        "source_ids",
        "first_id",
        "last_id",
        "first_at",
        "last_at",
        "message_count",
        "model",
        "prompt_version",
        "tokens_in",
        "tokens_out",
        "milliseconds",
        "base_id",
        "policy",
        "reason",
        "score",
        "details",
        "status",
    ),
    key=("user_id", "id"),
    booleans=frozenset({"is_active"}),
    nested=frozenset({"source_chunk_ids", "source_ids", "details"}),
    defaults={
        "thread_id": 0,
        "source_ids": [],
        "model": "",
        "prompt_version": "",
        "tokens_in": 0,
        "tokens_out": 0,
        "milliseconds": 0,
        "base_id": None,
        "policy": "pyramid",
        "reason": "",
        "score": None,
        "details": {},
        "status": "completed",
    },
)
FAILURES = Table(
    name="failures",
    columns=("user_id", "thread_id", "at", "reason", "error", "attempts", "told"),
    key=("user_id", "thread_id"),
    booleans=frozenset({"told"}),
    defaults={"told": False},
)
FACTS = Table(
    name="facts",
    columns=(
        "id",
        "user_id",
        "text",
        "kind",
        "subject",
        "importance",
        "tags",
        "source_ids",
        "observed_at",
        "valid_from",
        "valid_to",
        "superseded_by",
        "is_pinned",
        "deleted_at",
        "origin",
        "created_at",
        "known_id",
    ),
    key=("user_id", "id"),
    booleans=frozenset({"is_pinned"}),
    nested=frozenset({"tags", "source_ids"}),
    defaults={
        "subject": "",
        "importance": 0.5,
        "tags": [],
        "source_ids": [],
        "valid_from": None,
        "valid_to": None,
        "superseded_by": None,
        "is_pinned": False,
        "deleted_at": None,
        "origin": "",
        "known_id": None,
    },
)
PROFILES = Table(
    name="profiles",
    columns=(
        "id",
        "user_id",
        "text",
        "created_at",
        "model",
        "last_summary_id",
        "status",
        "tokens_in",
        "tokens_out",
        "base_id",
        "fact_ids",
    ),
    key=("user_id", "id"),
    nested=frozenset({"fact_ids"}),
    defaults={
        "model": "",
        "last_summary_id": 0,
        "status": "completed",
        "tokens_in": 0,
        "tokens_out": 0,
        "base_id": None,
        "fact_ids": None,
    },
)
VERSIONS = Table(
    name="versions",
    columns=("id", "user_id", "message_id", "thread_id", "role", "content", "written_at", "replaced_at", "why"),
    key=("user_id", "id"),
    defaults={"thread_id": 0, "why": "edited"},
)
ACCOUNTS = Table(
    name="accounts",
    columns=("id", "user_id", "thread_id", "account", "created_at"),
    key=("user_id", "id"),
    nested=frozenset({"account"}),
    defaults={"thread_id": 0},
)
PROGRESS = Table(
    name="progress",
    columns=("user_id", "thread_id", "learned_id", "past_from", "past_id", "past_until", "past_learned"),
    key=("user_id", "thread_id"),
    nested=frozenset({"past_learned"}),
    defaults={"learned_id": 0, "past_from": None, "past_id": None, "past_until": None, "past_learned": []},
)
# In the order in which they are dumped and loaded. `users.storage_type` and `epoch` are not among the columns:
# they say where a memory lives, so they stay behind when it moves.
TABLES = (USERS, MESSAGES, SUMMARIES, FAILURES, FACTS, PROFILES, VERSIONS, ACCOUNTS, PROGRESS)
BY_NAME = {table.name: table for table in TABLES}
ERASED = (*(table.name for table in TABLES[1:]), "fact_vectors", "jobs", "scopes", "rebuild_parts")
"""What goes with an owner, each by its `user_id`; `users` and the word index apart."""


def upsert_user(users: Table = USERS) -> str:
    """An INSERT of a portable row of `users` and where it lives, which stays as it is where the owner is known."""
    return f"""
    INSERT INTO users ({users.selected()}, storage_type) VALUES ({", ".join("?" * (len(users.columns) + 1))})
    ON CONFLICT (user_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in users.columns[1:])}
    """  # noqa: S608


UPSERT_USER = upsert_user()

COUNTERS = {
    "next_message_id": "messages",
    "next_summary_id": "summaries",
    "next_fact_id": "facts",
    "next_profile_id": "profiles",
    "next_version_id": "versions",
}
"""Columns of `users` that give the next id, and the tables that they number."""

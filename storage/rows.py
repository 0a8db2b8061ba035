"""The rows that belong to an owner's memory, in one portable form: what moves, is hashed, and stands in memory.json.

A portable row is a dict of a table's columns, booleans and lists as such. Owns the mapping between portable rows,
SQLite rows and the values of records.py. Does not know files or transactions.
"""

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, cast

from errors import StorageError
from records import (
    Fact,
    FactKind,
    FoldFailure,
    FoldReason,
    Message,
    OwnerConfig,
    Policy,
    Profile,
    Scope,
    StorageType,
    Summary,
)

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
        return whole(value) if isinstance(value, str) else value


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
    },
)
PROFILES = Table(
    name="profiles",
    columns=("id", "user_id", "text", "created_at", "model", "last_summary_id", "status", "tokens_in", "tokens_out"),
    key=("user_id", "id"),
    defaults={"model": "", "last_summary_id": 0, "status": "completed", "tokens_in": 0, "tokens_out": 0},
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
    columns=("user_id", "thread_id", "learned_id"),
    key=("user_id", "thread_id"),
    defaults={"learned_id": 0},
)
# In the order in which they are dumped and loaded. `users.storage_type` and `epoch` are not among the columns:
# they say where a memory lives, so they stay behind when it moves.
TABLES = (USERS, MESSAGES, SUMMARIES, FAILURES, FACTS, PROFILES, VERSIONS, ACCOUNTS, PROGRESS)
BY_NAME = {table.name: table for table in TABLES}
ERASED = (*(table.name for table in TABLES[1:]), "fact_vectors", "jobs", "scopes")
"""What goes with an owner, each by its `user_id`; `users` and the word index apart."""


def upsert_user(users: Table = USERS) -> str:
    """An INSERT of a portable row of `users` and where it lives, which stays as it is where the owner is known."""
    return f"""
    INSERT INTO users ({users.selected()}, storage_type) VALUES ({", ".join("?" * (len(users.columns) + 1))})
    ON CONFLICT (user_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in users.columns[1:])}
    """  # noqa: S608


UPSERT_USER = upsert_user()


def mapping(row: object) -> Mapping[str, object]:
    """A row of SQLite as the Mapping that it is in all but name."""
    return cast(Mapping[str, object], row)


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


def whole(text: str) -> str:
    """`text` as every file can hold it: halves of a surrogate pair are joined, lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def message_of(row: Mapping[str, Any]) -> Message:
    return Message(
        id=row["id"],
        scope=_scope(row["user_id"], row["thread_id"]),
        role=row["role"],
        content=row["content"],
        created_at=moment_of(row["created_at"]),
        turn=row["turn_id"],
        speaker=row["speaker"],
        source=row["source"],
        telegram_id=row["telegram_id"],
        chunk_id=row["chunk_id"],
        origin=row["origin"],
        edited_at=optional_moment(row["edited_at"]),
    )


def row_of_message(message: Message) -> Portable:
    return {
        "id": message.id,
        "user_id": message.scope.owner,
        "thread_id": message.scope.thread,
        "role": message.role,
        "content": message.content,
        "created_at": text_of(message.created_at),
        "is_active": message.is_active,
        "chunk_id": message.chunk_id,
        "turn_id": message.turn,
        "speaker": message.speaker,
        "source": message.source,
        "telegram_id": message.telegram_id,
        "origin": message.origin,
        "edited_at": None if message.edited_at is None else text_of(message.edited_at),
    }


@lru_cache(maxsize=64)
def _scope(owner: int, thread: int) -> Scope:
    return Scope(owner=owner, thread=thread)


def summary_of(row: Mapping[str, object]) -> Summary:
    return Summary(
        id=cast(int, row["id"]),
        scope=Scope(owner=cast(int, row["user_id"]), thread=cast(int, row["thread_id"])),
        level=cast(int, row["level"]),
        text=cast(str, row["summary_text"]),
        created_at=moment_of(row["created_at"]),
        source_chunk_ids=ids_of(row["source_chunk_ids"]),
        source_ids=ids_of(row["source_ids"]),
        is_active=bool(row["is_active"]),
        first_id=cast(int, row["first_id"]),
        last_id=cast(int, row["last_id"]),
        first_at=moment_of(row["first_at"]),
        last_at=moment_of(row["last_at"]),
        message_count=cast(int, row["message_count"]),
        tokens_in=cast(int, row["tokens_in"]),
        tokens_out=cast(int, row["tokens_out"]),
        milliseconds=cast(int, row["milliseconds"]),
        model=cast(str, row["model"]),
        prompt_version=cast(str, row["prompt_version"]),
        base_id=cast("int | None", row["base_id"]),
        policy=cast(Policy, row["policy"]),
        reason=cast(str, row["reason"]),
        score=cast("float | None", row["score"]),
        details=json.loads(str(row["details"])),
        status=cast(str, row["status"]),
    )


def fact_of(row: Mapping[str, object]) -> Fact:
    observed_at = moment_of(row["observed_at"])
    return Fact(
        id=cast(int, row["id"]),
        owner=cast(int, row["user_id"]),
        text=cast(str, row["text"]),
        kind=cast(FactKind, row["kind"]),
        subject=cast(str, row["subject"]),
        source_ids=ids_of(row["source_ids"]),
        observed_at=observed_at,
        valid_from=optional_moment(row["valid_from"]) or observed_at,
        created_at=moment_of(row["created_at"]),
        valid_to=optional_moment(row["valid_to"]),
        superseded_by=cast("int | None", row["superseded_by"]),
        importance=cast(float, row["importance"]),
        tags=tuple(json.loads(str(row["tags"]))),
        is_pinned=bool(row["is_pinned"]),
        deleted_at=optional_moment(row["deleted_at"]),
        origin=cast(str, row["origin"]),
    )


def profile_of(row: Mapping[str, object]) -> Profile:
    return Profile(
        id=cast(int, row["id"]),
        owner=cast(int, row["user_id"]),
        text=cast(str, row["text"]),
        created_at=moment_of(row["created_at"]),
        model=cast(str, row["model"]),
        last_summary_id=cast(int, row["last_summary_id"]),
        tokens_in=cast(int, row["tokens_in"]),
        tokens_out=cast(int, row["tokens_out"]),
    )


def ids_of(text: object) -> tuple[int, ...]:
    return tuple(json.loads(str(text)))


def config_of(row: Mapping[str, object]) -> OwnerConfig:
    return OwnerConfig(
        owner=cast(int, row["user_id"]),
        storage=StorageType(cast(str, row["storage_type"])),
        every_n=cast(int, row["summary_every_n"]),
        enabled=bool(row["memory_enabled"]),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
        policy=cast(Policy, row["policy"]),
        auto_fold=bool(row["auto_fold"]),
        timezone=cast(str, row["timezone"]),
        fold_instructions=cast(str, row["fold_instructions"]),
        incognito=bool(row["incognito"]),
    )


def failure_of(row: Mapping[str, object]) -> FoldFailure:
    return FoldFailure(
        at=moment_of(row["at"]),
        reason=cast(FoldReason, row["reason"]),
        error=cast(str, row["error"]),
        attempts=cast(int, row["attempts"]),
        told=bool(row["told"]),
    )


def grouped(rows: Iterable[Mapping[str, object]], owner: int) -> dict[Literal["users"] | str, list[Portable]]:
    """Portable rows with a "table" key, by table. Raises StorageError for rows that are not this owner's."""
    by_table: dict[str, list[Portable]] = {}
    for row in rows:
        name = str(row.get("table"))
        if name not in BY_NAME or row.get("user_id") != owner:
            raise StorageError("What was to be loaded is not this owner's memory; nothing was changed.")
        by_table.setdefault(name, []).append({key: value for key, value in row.items() if key != "table"})
    return by_table

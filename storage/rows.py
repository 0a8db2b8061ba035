"""The rows that belong to an owner's memory, in one portable form: what moves, is hashed, and stands in memory.json.

A portable row is a dict of a table's columns, booleans and lists as such. Owns the mapping between portable rows,
SQLite rows and the values of records.py. Does not know files or transactions.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, cast

from errors import StorageError
from records import FoldFailure, FoldReason, Message, OwnerConfig, Scope, StorageType, Summary

Value = str | int | float | bytes | None
Portable = dict[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """One table of portable rows: its columns in order, and what identifies a row (always the owner first)."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    booleans: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()

    @property
    def upsert(self) -> str:
        """An INSERT that replaces a row of the same key."""
        changed = ", ".join(f"{name} = excluded.{name}" for name in self.columns if name not in self.key)
        return (
            f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({', '.join('?' * len(self.columns))}) "  # noqa: S608
            f"ON CONFLICT ({', '.join(self.key)}) DO UPDATE SET {changed}"
        )

    def selected(self, prefix: str = "") -> str:
        return ", ".join(prefix + name for name in self.columns)

    def portable(self, row: Mapping[str, object]) -> Portable:
        """A row of SQLite in the portable form."""
        made: Portable = {}
        for name in self.columns:
            value = row[name]
            if name in self.booleans:
                value = bool(value)
            elif name in self.lists:
                value = json.loads(str(value))
            made[name] = value
        return made

    def stored(self, row: Mapping[str, object]) -> tuple[Value, ...]:
        """A portable row as values for `upsert`. Raises KeyError or TypeError when it is not one."""
        return tuple(self._stored(name, row[name]) for name in self.columns)

    def _stored(self, name: str, value: object) -> Value:
        if name in self.booleans:
            return int(bool(value))
        if name in self.lists:
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
    ),
    key=("user_id",),
    booleans=frozenset({"memory_enabled"}),
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
    ),
    key=("user_id", "id"),
    booleans=frozenset({"is_active"}),
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
    ),
    key=("user_id", "id"),
    booleans=frozenset({"is_active"}),
    lists=frozenset({"source_chunk_ids", "source_ids"}),
)
FAILURES = Table(
    name="failures",
    columns=("user_id", "thread_id", "at", "reason", "error", "attempts", "told"),
    key=("user_id", "thread_id"),
    booleans=frozenset({"told"}),
)
# In the order in which they are dumped and loaded. `users.storage_type` and `epoch` are not among the columns:
# they say where a memory lives, so they stay behind when it moves.
TABLES = (USERS, MESSAGES, SUMMARIES, FAILURES)
BY_NAME = {table.name: table for table in TABLES}
# A portable row of `users` and where it lives, which stays as it is where the owner is known.
UPSERT_USER = f"""
INSERT INTO users ({USERS.selected()}, storage_type) VALUES ({", ".join("?" * (len(USERS.columns) + 1))})
ON CONFLICT (user_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in USERS.columns[1:])}
"""  # noqa: S608


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
    )


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

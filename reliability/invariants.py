"""Read a DATA_DIR or a PostgreSQL database, and check the invariants that have to hold at every moment.

This uses only sqlite3, json and psycopg. Code that is shared with the stores would share their errors.
"""

import json
import shutil
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]
_KEYS = {"users": ("user_id",), "messages": ("user_id", "id"), "summaries": ("user_id", "id")}


@dataclass(frozen=True, kw_only=True)
class StoreRows:
    """The rows of one store by table."""

    users: tuple[Row, ...] = ()
    messages: tuple[Row, ...] = ()
    summaries: tuple[Row, ...] = ()

    def filter_by_owner(self, owner: int) -> "StoreRows":
        rows_by_table = {name: tuple(row for row in getattr(self, name) if row["user_id"] == owner) for name in _KEYS}
        return StoreRows(**rows_by_table)


@dataclass(frozen=True, kw_only=True)
class MemoryState:
    """The contents of a DATA_DIR or database at one moment.

    `homes` maps each owner to the name of the store that holds their memory, and `stores` maps that name to the store's
    rows. `moving` contains the owners with an unfinished move between stores, and `inbox` the updates that are not
    handled yet.
    """

    homes: dict[int, str] = field(default_factory=dict)
    moving: frozenset[int] = frozenset()
    stores: dict[str, StoreRows] = field(default_factory=dict)
    inbox: tuple[str, ...] = ()

    def get_owner_rows(self, owner: int) -> StoreRows:
        """Return an owner's rows from the store that holds their memory, or no rows if none does."""
        return self.stores[self.homes[owner]].filter_by_owner(owner) if owner in self.homes else StoreRows()


def read_memory_state(folder: Path) -> MemoryState:
    """Read a DATA_DIR. This works on a copy, because SQLite recovers a file when it opens it."""
    if not (folder / "memory.db").exists():
        return MemoryState()
    with tempfile.TemporaryDirectory() as away:
        for name in ("memory.db", "memory.db-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / name, Path(away) / name)
        with closing(sqlite3.connect(Path(away) / "memory.db")) as connection:
            connection.row_factory = sqlite3.Row

            def fetch_rows(sql: str) -> tuple[Row, ...]:
                return tuple(dict(row) for row in connection.execute(sql))

            if not fetch_rows("SELECT 1 FROM sqlite_master WHERE name = 'updates'"):
                return MemoryState()
            moving = frozenset(row["user_id"] for row in fetch_rows("SELECT user_id FROM moves"))
            return replace(_read_state(fetch_rows, "sqlite", folder), moving=moving)


def read_postgres(address: str, folder: Path | None = None) -> MemoryState:
    """Read all tables of a PostgreSQL database in one transaction, and the JSON store in `folder` if given."""
    with psycopg.connect(address, row_factory=dict_row) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")

        def fetch_rows(sql: str) -> tuple[Row, ...]:
            return tuple(connection.execute(sql.encode()).fetchall())

        return _read_state(fetch_rows, "postgres", folder)


def _read_state(fetch_rows: Callable[[str], tuple[Row, ...]], kind: str, folder: Path | None) -> MemoryState:
    """Read the tables of an SQL store of this kind, and the JSON store in `folder` if given."""
    tables = {name: fetch_rows(f"SELECT * FROM {name}") for name in _KEYS}  # noqa: S608 - our own names
    homes = {row["user_id"]: row["storage_type"] for row in tables["users"]}
    tables["users"] = tuple(row for row in tables["users"] if row["storage_type"] == kind)
    return MemoryState(
        homes=homes,
        stores={
            "sqlite": StoreRows(),
            "json": _read_json_rows(folder) if folder else StoreRows(),
            kind: _convert_sql_rows(tables),
        },
        inbox=tuple(row["payload"] for row in fetch_rows("SELECT payload FROM updates WHERE done_at IS NULL")),
    )


def _convert_sql_rows(tables: dict[str, tuple[Row, ...]]) -> StoreRows:
    """Make a store's rows from its SQL tables, converting values to the types of the JSON store."""
    for row in tables["summaries"]:
        row["source_ids"] = json.loads(row["source_ids"])
        row["source_chunk_ids"] = json.loads(row["source_chunk_ids"])
    for row in (*tables["messages"], *tables["summaries"]):
        row["is_active"] = bool(row["is_active"])
    return StoreRows(**tables)


def _read_json_rows(folder: Path) -> StoreRows:
    """Read the JSON store: memory.json, and the records of its journal that are newer."""
    tables: dict[str, dict[tuple[int, ...], Row]] = {name: {} for name in _KEYS}
    newest = 0
    if (folder / "memory.json").exists():
        content = json.loads((folder / "memory.json").read_text(encoding="utf-8"))
        newest = content["keepsake"]["journal_seq"]
        for owner, user in content["users"].items():
            tables["users"][(int(owner),)] = {**user, "user_id": int(owner)}
        for name in ("messages", "summaries"):
            for owner, rows in content[name].items():
                tables[name].update({(int(owner), row["id"]): {**row, "user_id": int(owner)} for row in rows})
    for record in _read_journal(folder / "memory.json.journal"):
        if record["seq"] > newest:
            _apply_record(record, tables)
    return StoreRows(**{name: tuple(rows.values()) for name, rows in tables.items()})


def _read_journal(path: Path) -> Iterator[Row]:
    """Yield the lines of a journal that belong to complete records. Skip lines with a wrong checksum."""
    if not path.exists():
        return
    parts: list[Row] = []
    for line in path.read_bytes().splitlines(keepends=True):
        body, _, crc = line.rpartition(b', "crc": ')
        if crc != b"%d}\n" % zlib.crc32(body):
            continue
        parts.append(json.loads(body + b"}"))
        if not parts[-1].get("more"):
            yield from parts
            parts = []


def _apply_record(record: Row, tables: dict[str, dict[tuple[int, ...], Row]]) -> None:
    for name, keys in record["delete"].items():
        for key in keys:
            if name == "users":
                for rows in tables.values():
                    for row_key in [row_key for row_key in rows if row_key[0] == key[0]]:
                        del rows[row_key]
            elif name in tables:
                tables[name].pop(tuple(key), None)
    for name, rows in record["put"].items():
        for row in rows:
            if name in tables:
                tables[name][tuple(row[part] for part in _KEYS[name])] = row


@dataclass(kw_only=True)
class Violations:
    """Violations of the invariants by kind, each as a line of text.

    `both` lists rows that are both active and archived, `orphans` lists references to missing rows, and `two_places`
    lists owners with rows in a second store.

    `torn` lists runs that did not stop cleanly, and `strays` lists stored messages that nobody sent.
    """

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    both: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    two_places: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)

    def add(self, other: "Violations") -> None:
        for name, lines in vars(other).items():
            getattr(self, name).extend(lines)

    def count_by_kind(self) -> dict[str, int]:
        return {name: len(lines) for name, lines in vars(self).items()}

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def __str__(self) -> str:
        return "; ".join(f"{name}: {line}" for name, lines in vars(self).items() for line in lines)


def find_violations(state: MemoryState) -> Violations:
    """Check the invariants that have to hold at every moment, even between a kill and the next start."""
    found = Violations()
    for owner, kind in state.homes.items():
        _add_memory_violations(owner, state.get_owner_rows(owner), found)
        for other, rows in state.stores.items():
            if other != kind and owner not in state.moving and any(vars(rows.filter_by_owner(owner)).values()):
                found.two_places.append(f"{owner} lives in {kind}, and {other} holds something of theirs")
    return found


def _add_memory_violations(owner: int, memory: StoreRows, violations: Violations) -> None:
    summaries = {row["id"]: row for row in memory.summaries}
    sources = Counter((row["role"], row["source"]) for row in memory.messages if row["source"])
    violations.doubled += [f"{owner}: {role} of {source}" for (role, source), times in sources.items() if times > 1]
    for row in memory.messages:
        if row["is_active"] != (row["chunk_id"] is None):
            violations.both.append(f"{owner}: message {row['id']}")
        if row["chunk_id"] is not None and row["chunk_id"] not in summaries:
            violations.orphans.append(f"{owner}: message {row['id']} in chunk {row['chunk_id']}")
    chunks = Counter(row["chunk_id"] for row in memory.messages)
    for number, row in summaries.items():
        sources_of_row = (*row["source_ids"], *row["source_chunk_ids"])
        missing = [source for source in sources_of_row if source not in summaries]
        if missing:
            violations.orphans.append(f"{owner}: summary {number} names {missing}")
        # Only under the pyramid policy does a summary cover exactly its chunk.
        if row["policy"] == "pyramid" and row["level"] == 1 and chunks[number] != row["message_count"]:
            violations.orphans.append(f"{owner}: summary {number} covers {row['message_count']}, has {chunks[number]}")
        if any(summaries[source]["is_active"] for source in row["source_ids"] if source in summaries):
            violations.both.append(f"{owner}: a source of summary {number} is still active")

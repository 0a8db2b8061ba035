"""Dump all rows of an owner as portable rows, load them into any store, and migrate rows of older versions."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from records.errors import StorageError
from records.owners import StorageType
from storage.engine.protocol import Reader, Transaction
from storage.engine.sqlite_driver import sqlite3, translate_storage_errors
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import BY_NAME, MESSAGES, TABLES, UPSERT_USER, USERS, Table
from storage.schema.rows import group_rows_by_table
from storage.tables import history as history_table

BATCH = 500
_IS_HELD = """
SELECT 1 FROM users WHERE user_id = ?1 AND storage_type = ?2
UNION ALL SELECT 1 FROM messages WHERE user_id = ?1 UNION ALL SELECT 1 FROM summaries WHERE user_id = ?1 LIMIT 1
"""

Batches = AsyncIterator[Sequence[Mapping[str, object]]]
"""Batches of portable rows, each with a "table" key, in the order of TABLES."""


async def dump_owner(reader: Reader, owner: int) -> Batches:
    """Implement `MemoryStore.dump_owner`. All reads of `reader` must see the same snapshot."""
    for table in TABLES:
        after: tuple[int | str, ...] | None = None
        while after is None or after:
            rows = await reader.fetch_rows(*_make_page_query(table, owner, after or ()))
            if rows:
                yield [{"table": table.name, **table.to_portable_row(row)} for row in rows]
            order = get_sort_columns(table)
            is_full = len(rows) == BATCH and len(order) > 0
            after = tuple(rows[-1][name] for name in order) if is_full else ()


async def insert_owner_rows(tx: Transaction, owner: int, batches: Batches, storage: StorageType) -> None:
    """Insert an owner's rows inside the caller's transaction. See `MemoryStore.load_owner`."""
    if await tx.fetch_row(_IS_HELD, owner, storage):
        raise StorageError("This store already holds a memory of that owner; nothing was changed.")
    async for batch in batches:
        for name, rows in group_rows_by_table(batch, owner).items():
            if name == USERS.name:
                await tx.execute_many(UPSERT_USER, [(*USERS.to_params(row), storage) for row in rows])
            elif name == MESSAGES.name:
                await history_table.insert_messages(tx, rows)
            else:
                table = BY_NAME[name]
                await tx.execute_many(table.upsert_sql, [table.to_params(row) for row in rows])


def encode_rows_as_json_lines(batch: Sequence[Mapping[str, object]]) -> bytes:
    """Encode a batch as JSON lines. The bytes are the same for all types of stores."""
    return "".join(json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in batch).encode()


def get_sort_columns(table: Table) -> tuple[str, ...]:
    """Return the columns that order an owner's rows: thread and time for messages, otherwise the key."""
    return ("thread_id", "created_at", "id") if table is MESSAGES else table.key[1:]


def _make_page_query(table: Table, owner: int, after: tuple[int | str, ...]) -> tuple[str, int, *tuple[int | str, ...]]:
    if not (order := get_sort_columns(table)):
        return f"SELECT * FROM {table.name} WHERE user_id = ?", owner  # noqa: S608
    least = ["" if name == "created_at" else -(2**62) for name in order]
    names, marks = ", ".join(order), ", ".join("?" * len(order))
    sql = f"SELECT * FROM {table.name} WHERE user_id = ? AND ({names}) > ({marks}) ORDER BY {names} LIMIT {BATCH}"  # noqa: S608
    return sql, owner, *(after or least)


def find_schema_version(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return the oldest schema version with all columns of these rows, or the newest version if no version has them."""
    written = {(row["table"], name) for row in rows if "table" in row for name in row if name != "table"}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for version, migrate in enumerate(MIGRATIONS, 1):
            migrate(connection)
            if all(name in _read_column_names(connection, table) for table, name in written):
                return version
    return len(MIGRATIONS)


def migrate_rows(rows: Iterator[dict[str, Any]], temp_path: Path, from_version: int) -> Iterator[dict[str, Any]]:
    """Yield a backup's rows, migrated from schema `from_version`. `temp_path` is used for a temporary database."""
    homes = []
    with translate_storage_errors(temp_path), closing(sqlite3.connect(temp_path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous=OFF")  # the file is temporary
        connection.execute("BEGIN")
        for migrate in MIGRATIONS[:from_version]:
            migrate(connection)
        columns = {name: _read_column_names(connection, name) for name in BY_NAME}
        for row in rows:
            if "state" in row:
                yield row
            elif "storage" in row:
                homes.append(row)
            else:
                table = BY_NAME[row["table"]].select_columns(columns[row["table"]])
                further = {"storage_type": StorageType.SQLITE} if table.name == USERS.name else {}
                connection.execute(table.make_insert_sql(*further), (*table.to_params(row), *further.values()))
        for migrate in MIGRATIONS[from_version:]:
            migrate(connection)
        for home in homes:
            yield home
            for table in TABLES:
                order = ", ".join(get_sort_columns(table) or table.key)
                sql = f"SELECT * FROM {table.name} WHERE user_id = ? ORDER BY {order}"  # noqa: S608
                for found in connection.execute(sql, (home["user_id"],)):
                    yield {"table": table.name, **table.to_portable_row(found)}


def _read_column_names(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}

"""Everything of an owner out of the tables as portable rows, and back into the tables of any store.

Owns the order of the rows: tables as in TABLES, messages in time.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence

from records.errors import StorageError
from records.owners import StorageType
from storage.engine.protocol import Reader, Transaction
from storage.schema.portable_tables import BY_NAME, MESSAGES, TABLES, UPSERT_USER, USERS, Table
from storage.schema.rows import group_rows
from storage.tables import history as history_table

BATCH = 500
_AFTER_EVERY_ID = 2**62

Batches = AsyncIterator[Sequence[Mapping[str, object]]]
"""Portable rows, each with a "table" key, in the order of TABLES."""


async def dump_owner(reader: Reader, owner: int) -> Batches:
    """As `dump`, with a connection that sees one moment."""
    for table in TABLES:
        after: tuple[int | str, ...] | None = None
        while after is None or after:
            rows = await reader.rows(*_read_batch(table, owner, after or ()))
            if rows:
                yield [{"table": table.name, **table.portable(row)} for row in rows]
            order = read_order(table)
            full = len(rows) == BATCH and len(order) > 0
            after = tuple(rows[-1][name] for name in order) if full else ()


async def load_owner(tx: Transaction, owner: int, batches: Batches, kind: StorageType) -> None:
    """As `load`, within a transaction. `kind`: of the store."""
    held = await tx.row(
        """
        SELECT 1 FROM users WHERE user_id = ?1 AND storage_type = ?2
        UNION ALL SELECT 1 FROM messages WHERE user_id = ?1 UNION ALL SELECT 1 FROM summaries WHERE user_id = ?1
        LIMIT 1
        """,
        owner,
        kind,
    )
    if held:
        raise StorageError("This store already holds a memory of that owner; nothing was changed.")
    async for batch in batches:
        for name, rows in group_rows(batch, owner).items():
            if name == USERS.name:
                await tx.many(UPSERT_USER, [(*USERS.stored(row), kind) for row in rows])
            elif name == MESSAGES.name:
                await history_table.insert_messages(tx, rows)
            else:
                table = BY_NAME[name]
                await tx.many(table.upsert, [table.stored(row) for row in rows])


async def digest_of(batches: Batches) -> str:
    """Return a hash over the rows of a dump, whatever its batches."""
    digest = hashlib.sha256()
    async for batch in batches:
        digest.update(await asyncio.to_thread(_format_lines, batch))
    return digest.hexdigest()


def _format_lines(batch: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in batch).encode()


def read_order(table: Table) -> tuple[str, ...]:
    """Return the columns by which an owner's rows are dumped: messages in time, all others by their key."""
    return ("thread_id", "created_at", "id") if table is MESSAGES else table.key[1:]


def _read_batch(table: Table, owner: int, after: tuple[int | str, ...]) -> tuple[str, int, *tuple[int | str, ...]]:
    """Return the statement and its values for the next rows of an owner."""
    if not (order := read_order(table)):
        return f"SELECT * FROM {table.name} WHERE user_id = ?", owner  # noqa: S608
    least = ["" if name == "created_at" else -_AFTER_EVERY_ID for name in order]
    names, marks = ", ".join(order), ", ".join("?" * len(order))
    sql = f"SELECT * FROM {table.name} WHERE user_id = ? AND ({names}) > ({marks}) ORDER BY {names} LIMIT {BATCH}"  # noqa: S608
    return sql, owner, *(after or least)

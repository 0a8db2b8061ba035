"""Dump everything of an owner as portable rows, and load them into any store."""

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
_IS_HELD = """
SELECT 1 FROM users WHERE user_id = ?1 AND storage_type = ?2
UNION ALL SELECT 1 FROM messages WHERE user_id = ?1 UNION ALL SELECT 1 FROM summaries WHERE user_id = ?1 LIMIT 1
"""

Batches = AsyncIterator[Sequence[Mapping[str, object]]]
"""Batches of portable rows, each with a "table" key, in the order of TABLES."""


async def dump_owner(reader: Reader, owner: int) -> Batches:
    """Implement `MemoryStore.dump`. `reader` must read one snapshot."""
    for table in TABLES:
        after: tuple[int | str, ...] | None = None
        while after is None or after:
            rows = await reader.rows(*_read_batch(table, owner, after or ()))
            if rows:
                yield [{"table": table.name, **table.to_portable(row)} for row in rows]
            order = read_order(table)
            full = len(rows) == BATCH and len(order) > 0
            after = tuple(rows[-1][name] for name in order) if full else ()


async def load_owner(tx: Transaction, owner: int, batches: Batches, kind: StorageType) -> None:
    """Implement `MemoryStore.load` for the store of this kind, inside the caller's transaction."""
    if await tx.row(_IS_HELD, owner, kind):
        raise StorageError("This store already holds a memory of that owner; nothing was changed.")
    async for batch in batches:
        for name, rows in group_rows(batch, owner).items():
            if name == USERS.name:
                await tx.many(UPSERT_USER, [(*USERS.to_values(row), kind) for row in rows])
            elif name == MESSAGES.name:
                await history_table.insert_messages(tx, rows)
            else:
                table = BY_NAME[name]
                await tx.many(table.upsert, [table.to_values(row) for row in rows])


async def compute_digest(batches: Batches) -> str:
    """Return a hash of the rows of a dump. It does not depend on the size of the batches."""
    digest = hashlib.sha256()
    async for batch in batches:
        digest.update(await asyncio.to_thread(_format_lines, batch))
    return digest.hexdigest()


def _format_lines(batch: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in batch).encode()


def read_order(table: Table) -> tuple[str, ...]:
    """Return the columns by which an owner's rows are sorted: messages by time, all others by their key."""
    return ("thread_id", "created_at", "id") if table is MESSAGES else table.key[1:]


def _read_batch(table: Table, owner: int, after: tuple[int | str, ...]) -> tuple[str, int, *tuple[int | str, ...]]:
    if not (order := read_order(table)):
        return f"SELECT * FROM {table.name} WHERE user_id = ?", owner  # noqa: S608
    least = ["" if name == "created_at" else -(2**62) for name in order]
    names, marks = ", ".join(order), ", ".join("?" * len(order))
    sql = f"SELECT * FROM {table.name} WHERE user_id = ? AND ({names}) > ({marks}) ORDER BY {names} LIMIT {BATCH}"  # noqa: S608
    return sql, owner, *(after or least)

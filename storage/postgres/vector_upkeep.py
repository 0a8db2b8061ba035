"""Vectors are taken over into pgvector's column, and large scopes get an index: in the background, by one process.

An index (HNSW) holds one scope: in one for everybody a search passes the vectors of all the others to find an owner's
(docs/decisions/2026-11-22-meaning-by-pgvector.md). Nothing here takes a lock for long. Does not know how is searched.
"""

import logging
from typing import Any

import psycopg
from attrs import define, field
from psycopg import sql

from storage.postgres.driver import OPTIONS, explained, set_up
from storage.postgres.pgvector import Pgvector, half_vector, index_name, of_scope

log = logging.getLogger(__name__)

INDEXED_ABOVE = 50_000
"""A scope of more messages gets an index; what has fewer is compared one by one."""
MOST_INDEXES = 200
"""The largest scopes get one: each index of a table is looked at by every statement that writes there."""
MOST_SIZE = 4_000
"""Numbers of a vector that an index of half vectors may have."""
NOT_EMBEDDED = 1_000
"""While more messages of an owner wait for their vectors, no index is built: it would be built in haste, and grow."""
MEMORY = "256MB"
"""For building an index: 100,000 vectors of 384 numbers take some 110 MB; beyond, it is built on disk, slowly."""
TAKEN_AT_ONCE = 500
UNFILLED = "vectors_to_take_over"
"""The beginning of the name of an index of those that are not in pgvector's column yet."""

NAMES = r"^meaning_-?\d+_-?\d+_\d+_\d+$"
"""Of the indexes of scopes: owner, thread, model and length of the vectors."""

_ALONE = "SELECT pg_try_advisory_lock(hashtextextended('keepsake vectors of ' || current_schema(), 0))"
_SESSION = f"""
SET app.owner = '*'; SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '{MEMORY}'
"""
# The tables that hold rows: the table itself, or its partitions.
_LEAVES = """
SELECT relid::regclass::text, relid::bigint FROM pg_partition_tree('vectors') WHERE isleaf
UNION SELECT 'vectors', 'vectors'::regclass::bigint
WHERE NOT EXISTS (SELECT 1 FROM pg_partitioned_table WHERE partrelid = 'vectors'::regclass)
"""
_INDEXES = """
SELECT name.relname, kept.indisvalid, kept.indrelid::regclass::text FROM pg_index AS kept
JOIN pg_class AS name ON name.oid = kept.indexrelid
WHERE name.relnamespace = current_schema()::regnamespace
AND name.relname ~ %s
"""
_UNFILLED = sql.SQL("CREATE INDEX CONCURRENTLY {name} ON {leaf} (user_id) WHERE kind = 'passage' AND embedding IS NULL")
_HNSW = sql.SQL(
    "CREATE INDEX CONCURRENTLY {name} ON {leaf} USING hnsw "
    "((embedding::{at}.halfvec({size})) {at}.halfvec_ip_ops) "
    "WHERE {scope} AND {at}.vector_dims(embedding) = {size}"
)
_BATCH = """
SELECT user_id, thread_id, model_id, seq, part, vector FROM {leaf}
WHERE kind = 'passage' AND embedding IS NULL LIMIT %s FOR UPDATE SKIP LOCKED
"""
_TAKE_OVER = """
UPDATE {leaf} SET embedding = %s, vector = ''::bytea
WHERE user_id = %s AND thread_id = %s AND model_id = %s AND kind = 'passage' AND seq = %s AND part = %s
"""
_LOSE = """
DELETE FROM {leaf}
WHERE user_id = %s AND thread_id = %s AND model_id = %s AND kind = 'passage' AND seq = %s AND part = %s
"""
_AGAIN = "INSERT INTO unindexed (user_id, seq) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_LARGE = """
SELECT user_id, thread_id, turns > %s AND (
  SELECT COUNT(*) FROM (SELECT 1 FROM unindexed WHERE unindexed.user_id = scope_words.user_id LIMIT %s) AS waiting
) < %s
FROM scope_words WHERE turns > %s ORDER BY turns DESC, user_id, thread_id LIMIT %s
"""
_NEWEST = """
SELECT tableoid::regclass::text, {at}.vector_dims(embedding) FROM vectors
WHERE {scope} AND embedding IS NOT NULL ORDER BY seq DESC, part DESC LIMIT 1
"""


@define(eq=False)
class Upkeep:
    """What puts the vectors of a database in order. `url`: its address. `indexed_above`: messages of a scope."""

    url: str
    indexed_above: int = INDEXED_ABOVE
    _is_owner: bool = field(default=True, init=False)
    _is_taken_over: bool = field(default=False, init=False)

    async def __call__(self, server: Pgvector) -> None:
        """Do what is to be done, unless another process is at it. Raises a StorageError."""
        with explained():
            async with await psycopg.AsyncConnection.connect(self.url, **OPTIONS) as raw:
                set_up(raw)
                await raw.execute(_SESSION.encode())
                if await _value(raw, _ALONE):
                    await self._take_over(raw)
                    if self._is_owner:
                        await self._index(raw, server)

    async def _take_over(self, raw: psycopg.AsyncConnection[Any]) -> None:
        """Move vectors that are stored by themselves into pgvector's column, a few at a time.

        An index of those that are left says at every later time that there are none. Older programs that still run add
        some. Who may not make that index reads the table once.
        """
        indexes = {leaf: (name, is_valid) for name, is_valid, leaf in await _rows(raw, _INDEXES, (f"^{UNFILLED}_",))}
        for leaf, number in await _rows(raw, _LEAVES):
            name, is_valid = indexes.get(leaf, (f"{UNFILLED}_{number}", False))
            if not is_valid and self._is_owner:
                try:
                    await _drop(raw, name)
                    await raw.execute(_UNFILLED.format(name=sql.Identifier(name), leaf=sql.SQL(leaf)))
                except psycopg.errors.InsufficientPrivilege:
                    log.info("vectors get no index, since this user does not own the tables")
                    self._is_owner = False
            if self._is_owner or not self._is_taken_over:
                while await _taken_over(raw, leaf):
                    pass  # ends: what was taken over is not found again
        self._is_taken_over = True

    async def _index(self, raw: psycopg.AsyncConnection[Any], server: Pgvector) -> None:
        """Build the indexes that large scopes lack; drop those of scopes that are smaller now, or of another model."""
        model = await _value(raw, "SELECT id FROM embedding_models WHERE is_current = 1")
        values = (self.indexed_above, NOT_EMBEDDED, NOT_EMBEDDED, self.indexed_above // 2, 2 * MOST_INDEXES)
        found = await _rows(raw, _LARGE, values) if model is not None else []
        large = {(owner, thread): is_due for owner, thread, is_due in found}
        there = set[str]()
        for name, is_valid, _ in await _rows(raw, _INDEXES, (NAMES,)):
            owner, thread, of_model, size = (int(one) for one in name.split("_")[1:])
            kept = is_valid and of_model == model and (owner, thread) in large
            where = await _newest(raw, server, owner, thread, model) if kept else None
            if where is not None and where[1] == size:
                there.add(name)
            else:
                await _drop(raw, name)
        for (owner, thread), is_due in large.items():
            where = await _newest(raw, server, owner, thread, model) if is_due else None
            if where is None or where[1] > MOST_SIZE or len(there) >= MOST_INDEXES:
                continue
            leaf, size = where
            name = index_name(owner, thread, model, size)
            if name in there:
                continue
            log.info("the vectors of %d, thread %d, get an index", owner, thread)
            await raw.execute(
                _HNSW.format(
                    name=sql.Identifier(name),
                    leaf=sql.SQL(leaf),
                    at=sql.SQL(server.at),
                    size=sql.Literal(size),
                    scope=sql.SQL(of_scope(owner, thread, model)),
                )
            )
            there.add(name)


async def _taken_over(raw: psycopg.AsyncConnection[Any], leaf: str) -> bool:
    """Take over some vectors of a table; whether there were any. What others are at is left for the next time."""
    async with raw.transaction():
        rows = await _rows(raw, _BATCH.format(leaf=leaf), (TAKEN_AT_ONCE,))
        cursor = raw.cursor()
        # Empty: the column was dropped with the extension, and is here again. They are embedded again.
        kept = [row for row in rows if row[-1]]
        lost = [row for row in rows if not row[-1]]
        await cursor.executemany(_TAKE_OVER.format(leaf=leaf), [(half_vector(vector), *key) for *key, vector in kept])
        await cursor.executemany(_AGAIN, [(owner, seq) for owner, _, _, seq, _, _ in lost])
        await cursor.executemany(_LOSE.format(leaf=leaf), [key for *key, _ in lost])
    return bool(rows)


async def _newest(
    raw: psycopg.AsyncConnection[Any], server: Pgvector, owner: int, thread: int, model: int
) -> tuple[str, int] | None:
    """The table that holds a scope's vectors (quoted), and their length; None where it has none."""
    rows = await _rows(raw, _NEWEST.format(at=server.at, scope=of_scope(owner, thread, model)))
    return (rows[0][0], rows[0][1]) if rows else None


async def _drop(raw: psycopg.AsyncConnection[Any], name: str) -> None:
    await raw.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))


async def _rows(raw: psycopg.AsyncConnection[Any], query: str, values: tuple[Any, ...] = ()) -> list[Any]:
    cursor = await raw.execute(query.encode(), values or None, binary=True)
    return await cursor.fetchall()


async def _value(raw: psycopg.AsyncConnection[Any], query: str) -> Any:
    rows = await _rows(raw, query)
    return rows[0][0] if rows else None

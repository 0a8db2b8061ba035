"""Vectors that PostgreSQL itself searches, where it has the extension pgvector: a column of its type in `vectors`.

Owns that column, and the statements that search it. Does not know when indexes are built (vector_upkeep.py), or how
what is found is compared exactly (storage/search/vector_index.py).
"""

import re
import struct
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import psycopg
from attrs import define, field
from psycopg import sql

from records.scopes import Scope
from storage.files.sql import Connection
from storage.postgres.statements import HalfVector
from storage.search.protocol import Floats
from storage.search.vector_search import CENTRING, centred_query
from storage.search.vector_server import Blob, Figures, Key

LEAST = 20_000
"""A scope of up to so many messages is searched in RAM, which costs less than asking the server
(docs/decisions/2026-11-22-meaning-by-pgvector.md).
"""
OLDEST = (0, 8)
"""The first pgvector that goes on searching an index until it has found enough (hnsw.iterative_scan)."""
SAMPLE = 4_000
"""Of a larger scope the figures are estimated from so many vectors, or twice as many."""
SPARE = 2
"""Of the passages that are compared one by one, so many times as many are fetched as are wanted: the server's numbers
are rounded to 16 bits, and several may be of one message.
"""
BY_INDEX = 20
"""The same by an index, which does not know that vectors are centred. With 10, twice as much was missed of what is
found one by one.
"""
SEARCHED = 1_000
"""Candidates that a search of an index keeps (hnsw.ef_search); it goes on where more are asked for."""
LOCKED_SECONDS = 3
"""The longest wait for the lock under which the column is added. It is needed for a moment, but others queue behind
it.
"""
SEARCHING = f"SET hnsw.ef_search = {SEARCHED}; SET hnsw.iterative_scan = 'relaxed_order'"
NOT_THERE = "meaning is searched by this program, since the PostgreSQL server does not have the extension pgvector"
_TOO_OLD = "meaning is searched by this program, since the PostgreSQL server's pgvector {version} is older than 0.8"
_NOT_ALLOWED = (
    "meaning is searched by this program, since this user may not create the extension pgvector "
    "(a superuser can: CREATE EXTENSION vector)"
)
_NO_COLUMN = (
    "meaning is searched by this program, since this user may not add a column for pgvector "
    "(let the owner of the tables start the bot once)"
)
_BUSY = "meaning is searched by this program until its next start, since the table of vectors is in use elsewhere"

_FOUND = """
SELECT extversion, quote_ident(nspname), has_schema_privilege(nspname, 'USAGE')
FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'
"""
_AVAILABLE = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
_HAS_COLUMN = """
SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('vectors') AND attname = 'embedding' AND NOT attisdropped
"""
# What is in the column is not in `vector` as well, which is empty then: an older program that still runs passes such a
# vector over.
_INSERT = """
INSERT INTO vectors (user_id, thread_id, seq, model_id, kind, part, vector, embedding)
VALUES (?, ?, ?, ?, ?, ?, ''::bytea, ?)
"""
_IS_LOST = "SELECT obj_description('vectors'::regclass, 'pg_class') = 'pgvector'"
_LOST = """
SELECT set_config('app.owner', '*', true);
INSERT INTO unindexed (user_id, seq)
SELECT DISTINCT user_id, seq FROM vectors WHERE kind = 'passage' AND vector = ''::bytea ON CONFLICT DO NOTHING;
DELETE FROM vectors WHERE kind = 'passage' AND vector = ''::bytea;
COMMENT ON TABLE vectors IS NULL
"""
_MODEL = "SELECT id FROM embedding_models WHERE name = ?"
# The numbers stand in the statement, since only then is the index of one scope known to serve it.
_SCOPE = "user_id = {owner} AND thread_id = {thread} AND model_id = {model} AND kind = 'passage'"
_COUNTED = """
SELECT COUNT(*), EXISTS (SELECT 1 FROM vectors WHERE {scope} AND embedding IS NULL) FROM vectors WHERE {scope}
"""
# Every so many messages, chosen in the index: the others' vectors are not read.
_SAMPLED = """
{scope} AND {at}.vector_dims(embedding) = {size} AND seq = ANY (ARRAY(
  SELECT seq FROM (SELECT seq, row_number() OVER (ORDER BY seq, part) AS number FROM vectors WHERE {scope}) AS one
  WHERE number % {step} = 0
))
"""
_MEAN = "SELECT {at}.vector_send({at}.avg(embedding::{at}.vector)) FROM vectors WHERE {sampled}"
_DRIFT = """
SELECT {at}.vector_send({at}.avg({at}.l2_normalize(embedding::{at}.vector OPERATOR({at}.-) moved.centre)))
FROM vectors, (SELECT (?::{at}.halfvec)::{at}.vector AS centre) AS moved WHERE {sampled}
"""
_IS_INDEXED = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(quote_ident(?)) AND indisvalid"
_NEAREST = """
SELECT seq, NULL, {at}.halfvec_send(embedding) FROM (
  SELECT seq, embedding FROM vectors WHERE {scope} AND {at}.vector_dims(embedding) = {size}
  ORDER BY embedding::{at}.halfvec({size}) OPERATOR({at}.<#>) ?::{at}.halfvec({size}) LIMIT ?
) AS found
"""
# The centred cosine of unit vectors, as in vector_search.centred_cosines; <#> is the product, negative.
_EXACT = """
SELECT seq, NULL, {at}.halfvec_send(embedding) FROM (
  SELECT seq, embedding FROM vectors WHERE {scope} AND {at}.vector_dims(embedding) = {size}
  ORDER BY ((embedding OPERATOR({at}.<#>) ?1::{at}.halfvec) + ?3::float8)
    / sqrt(greatest(?4::float8 + {doubled} * (embedding OPERATOR({at}.<#>) ?2::{at}.halfvec), 1e-9)) LIMIT ?5
) AS found
"""


@define(eq=False)
class Pgvector:
    """The extension in the schema `at` (quoted), and our column; implements VectorServer. Made by `prepare`."""

    at: str
    version: str
    upkeep: Callable[["Pgvector"], Awaitable[None]]
    least: int = LEAST
    _models: dict[str, int] = field(factory=dict[str, int], init=False)

    @property
    def columns(self) -> str:
        return f"vector, {self.at}.halfvec_send(embedding)"

    @property
    def described(self) -> str:
        return f"meaning is searched by pgvector {self.version} in memories of more than {self.least:,} messages"

    def insert(self, connection: Connection, model_id: int, rows: Iterable[tuple[Key, Blob]]) -> None:
        made = [(*key, model_id, kind, part, half_vector(vector)) for key, (kind, part, vector) in rows]
        connection.executemany(_INSERT, made)

    def figures(self, connection: Connection, scope: Scope, model: str, dimensions: int) -> Figures | None:
        words = self._words(connection, scope, model, dimensions)
        if words is None:
            return None
        [count, is_unfilled] = connection.execute(_COUNTED.format(**words)).fetchone()
        words |= {"sampled": _SAMPLED.format(**words, step=max(1, count // SAMPLE))}
        if is_unfilled or (sent := connection.execute(_MEAN.format(**words)).fetchone()[0]) is None:
            return None
        mean = _numbers(sent)
        moved = half_vector((np.float32(CENTRING) * mean).astype("<f2").tobytes())
        [drift] = connection.execute(_DRIFT.format(**words), (moved,)).fetchone()
        return Figures(count=count, total=count * mean.astype(np.float64), drift=count * _numbers(drift).astype(float))

    def nearest(
        self, connection: Connection, scope: Scope, model: str, query: Floats, figures: Figures, limit: int
    ) -> tuple[Sequence[tuple[int, bytes | None, bytes | None]], bool]:
        words = self._words(connection, scope, model, len(query))
        if words is None:
            return [], True
        mean = figures.mean
        moved = centred_query(query, mean)
        asked = half_vector(moved.astype("<f2").tobytes())
        name = index_name(scope.owner, scope.thread, self._models[model], len(query))
        cursor = connection.cursor()
        cursor.row_factory = None
        if connection.execute(_IS_INDEXED, (name,)).fetchone() is not None:
            fetched = BY_INDEX * limit
            rows = cursor.execute(_NEAREST.format(**words), (asked, fetched)).fetchall()
        else:
            fetched, centre = SPARE * limit, half_vector(mean.astype("<f2").tobytes())
            shift = CENTRING * float(np.vecdot(moved, mean))
            square = 1 + CENTRING**2 * float(np.vecdot(mean, mean))
            query_there = _EXACT.format(**words, doubled=2 * CENTRING)
            rows = cursor.execute(query_there, (asked, centre, shift, square, fetched)).fetchall()
        return rows, len(rows) < fetched

    async def keep_up(self) -> None:
        await self.upkeep(self)

    def _words(self, connection: Connection, scope: Scope, model: str, dimensions: int) -> dict[str, str | int] | None:
        """What stands in the statements about a scope; None for a model that nothing was embedded by."""
        if model not in self._models:
            row = connection.execute(_MODEL, (model,)).fetchone()
            if row is None:
                return None
            self._models[model] = row[0]
        where = of_scope(scope.owner, scope.thread, self._models[model])
        return {"at": self.at, "scope": where, "size": int(dimensions)}


def of_scope(owner: int, thread: int, model: int) -> str:
    """The condition under which a row is a passage of a scope."""
    return _SCOPE.format(owner=int(owner), thread=int(thread), model=int(model))


def index_name(owner: int, thread: int, model: int, size: int) -> str:
    """Of the index of a scope, whose vectors have so many numbers."""
    return f"meaning_{int(owner)}_{int(thread)}_{int(model)}_{int(size)}"


def half_vector(little: bytes) -> HalfVector:
    """A vector for the server, from its numbers of 16 bits, the lowest byte first."""
    return HalfVector(struct.pack(">HH", len(little) // 2, 0) + np.frombuffer(little, "<f2").astype(">f2").tobytes())


def _numbers(sent: bytes) -> Floats:
    """A vector [d] of 32-bit numbers as the server sends it."""
    return np.frombuffer(sent, ">f4", offset=4).astype(np.float32)


def prepare(raw: psycopg.Connection[Any], upkeep: Callable[[Pgvector], Awaitable[None]]) -> Pgvector | str:
    """Make sure that the extension and the column are there; or why they are not, in one sentence.

    `raw`: in a transaction in which nobody else does this. Where the column is gone with the extension, the messages
    whose vectors were in it are embedded again.
    """
    has_column = raw.execute(_HAS_COLUMN).fetchone() is not None
    if not has_column and raw.execute(_IS_LOST).fetchone() == (True,):
        with suppress(psycopg.errors.InsufficientPrivilege), raw.transaction():
            raw.execute(_LOST)
    found = raw.execute(_FOUND).fetchone()
    if found is None:
        if raw.execute(_AVAILABLE).fetchone() is None:
            return NOT_THERE
        try:
            with raw.transaction():
                raw.execute("CREATE EXTENSION vector")
        except psycopg.Error:  # whatever the reason, the bot works without it
            return _NOT_ALLOWED
        found = raw.execute(_FOUND).fetchone()
    version, at, may_use = found or ("", "", False)
    if not may_use:
        return _NOT_ALLOWED
    if tuple(int(one) for one in re.findall(r"\d+", version)[:2]) < OLDEST:
        return _TOO_OLD.format(version=version)
    if not has_column:
        try:
            with raw.transaction():
                raw.execute(f"SET LOCAL lock_timeout = '{LOCKED_SECONDS}s'".encode())
                # Without a length, so that vectors of several models can be there; indexes name theirs.
                raw.execute(sql.SQL("ALTER TABLE vectors ADD COLUMN embedding {}.halfvec").format(sql.SQL(at)))
                raw.execute("COMMENT ON TABLE vectors IS 'pgvector'")
        except psycopg.errors.InsufficientPrivilege:
            return _NO_COLUMN
        except psycopg.errors.LockNotAvailable:
            return _BUSY
    return Pgvector(at=at, version=version, upkeep=upkeep)

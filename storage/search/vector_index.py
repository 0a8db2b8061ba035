"""The vector index, which compares the meaning of a scope's passages with that of a query."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field
from cachetools import LRUCache

from records.messages import Message
from records.scopes import Scope
from storage.engine.protocol import Connection, OwnerDatabase, StatementRunner
from storage.schema.rows import parse_message
from storage.search.protocol import Floats, Ints, MessageVectors, Similarities

CACHE_BYTES = 64 * 2**20  # of all matrices together; the last one that was searched stays, whatever its size
MAX_MESSAGES = 150_000  # a larger scope is searched by words alone: its matrix would take a quarter of a gigabyte
CENTRING = 0.7  # the share of a scope's mean that is subtracted, since vectors lie close together (docs/recall.md)
ROWS_LOADED = 5_000  # rows loaded in one read
SEQS_UNINDEXED = 10_000  # messages queued for embedding in one transaction

_INSERT = """
INSERT INTO vectors (user_id, thread_id, seq, model_id, kind, part, vector) VALUES (?, ?, ?, ?, 'passage', ?, ?)
"""
_STORED_TEXTS = """
SELECT seq, user_id, thread_id, id, content FROM messages WHERE seq IN (SELECT value FROM json_each(?))
"""
_REMOVE = """
DELETE FROM vectors WHERE user_id = ? AND thread_id = ? AND seq = ?
AND model_id IN (SELECT id FROM embedding_models) AND kind IN ('passage', 'sentence')
"""
_BACKLOG = """
SELECT messages.* FROM unindexed CROSS JOIN messages
WHERE messages.seq = unindexed.seq AND +unindexed.user_id IN (SELECT user_id FROM users WHERE memory_enabled = 1)
AND served_here(unindexed.user_id)
ORDER BY unindexed.seq DESC LIMIT ? -- the unary plus keeps SQLite from sorting the whole backlog of an owner
"""
_QUEUED = "SELECT COUNT(*) FROM unindexed WHERE user_id IN (SELECT user_id FROM users WHERE memory_enabled = 1)"
_UNINDEX = """
INSERT INTO unindexed (seq, user_id) SELECT seq, user_id FROM messages WHERE seq > ? AND seq <= ?
ON CONFLICT DO NOTHING
"""
_PAGE = """
SELECT seq, part, vector FROM vectors
WHERE user_id = ? AND thread_id = ? AND model_id = ? AND kind = 'passage' AND (seq, part) > (?, ?)
ORDER BY seq, part LIMIT ?
"""
_WITH_VECTORS = """
SELECT COUNT(DISTINCT seq) FROM vectors
WHERE user_id = ? AND model_id = (SELECT id FROM embedding_models WHERE name = ?) AND kind = 'passage'
"""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PassageMatrix:
    """The vectors of a scope's passages, and their sum (`total`). Only the first `count` rows are in use."""

    count: int
    seqs: Ints
    parts: Ints
    vectors: Floats
    total: npt.NDArray[np.float64]

    @property
    def dimensions(self) -> int:
        return len(self.total)

    @property
    def nbytes(self) -> int:
        return self.seqs.nbytes + self.parts.nbytes + self.vectors.nbytes

    def with_added_rows(self, rows: Iterable[tuple[int, int, bytes]]) -> "PassageMatrix":
        """Return a matrix extended with (seq, part, vector) rows. Skip vectors with a different dimension."""
        fitting = [row for row in rows if len(row[2]) == 2 * self.dimensions]
        seqs, parts, blobs = zip(*fitting, strict=True) if fitting else ((), (), ())
        vectors = np.frombuffer(b"".join(blobs), "<f2").astype(np.float32).reshape(-1, self.dimensions)
        return PassageMatrix(
            count=self.count + len(fitting),
            seqs=_append_to_array(self.seqs, self.count, np.array(seqs, np.int64)),
            parts=_append_to_array(self.parts, self.count, np.array(parts, np.int64)),
            vectors=_append_to_array(self.vectors, self.count, vectors),
            total=self.total + vectors.sum(axis=0, dtype=np.float64),
        )

    def compute_similarities(self, query: Floats, limit: int) -> Similarities:
        """Return the cosine of each passage to the query vector, and the seqs of the `limit` closest messages."""
        seqs, parts, vectors = self.seqs[: self.count], self.parts[: self.count], self.vectors[: self.count]
        mean = np.float32(CENTRING) * (self.total / max(1, self.count)).astype(np.float32)
        # |v - m|² = 1 - 2 v·m + |m|², which needs no copy of the vectors. Not `@`: BLAS would use every processor.
        lengths = np.sqrt(np.maximum(1 - 2 * np.vecdot(vectors, mean) + np.vecdot(mean, mean), 1e-9))
        direction = query - mean
        direction /= np.float32(max(float(np.linalg.norm(direction)), 1e-9))
        cosines = np.asarray((np.vecdot(vectors, direction) - np.vecdot(mean, direction)) / lengths)
        best = np.argpartition(-cosines, min(2 * limit, self.count - 1))[: 2 * limit]
        best = best[np.argsort(-cosines[best])]
        nearest = tuple(dict.fromkeys(seqs[best].tolist()))[:limit]
        return Similarities(seqs=seqs, parts=parts, cosines=cosines, nearest=nearest, mean=float(cosines.mean()))


def _append_to_array(array: npt.NDArray[Any], used_rows: int, items: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Write items after the first `used_rows` rows, growing the array if necessary, and return the array."""
    count = used_rows + len(items)
    if count > len(array):
        grown = np.empty((max(count, len(array) * 5 // 4, 64), *array.shape[1:]), array.dtype)
        grown[:used_rows] = array[:used_rows]
        array = grown
    array[used_rows:count] = items
    return array


@define(eq=False)
class VectorIndex(StatementRunner):
    """The passage vectors of all messages in a store. Each vector belongs to the embedding model that made it."""

    database: OwnerDatabase
    _cache_bytes: int = field(default=CACHE_BYTES, kw_only=True)
    _most_messages: int = field(default=MAX_MESSAGES, kw_only=True)
    _cache: LRUCache[tuple[Scope, str], PassageMatrix] = field(init=False)
    # Held while a scope is loaded, and while `store_vectors` commits and updates the cache, so neither misses rows.
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _drops: int = field(default=0, init=False)

    @_cache.default
    def _make_cache(self) -> LRUCache[tuple[Scope, str], PassageMatrix]:
        return LRUCache(self._cache_bytes, getsizeof=lambda matrix: min(matrix.nbytes, self._cache_bytes))

    async def list_unembedded_messages_with_seqs(self, model: str, limit: int) -> list[tuple[int, Message]]:
        """Switch to `model`, and return (seq, message) pairs of the newest messages that it has not embedded yet."""
        await self._set_current_model(model)
        return [(int(row["seq"]), parse_message(row)) for row in await self._fetch_rows(None, _BACKLOG, limit)]

    async def count_unembedded_messages(self) -> int:
        """Count the messages of all owners that are not embedded yet."""
        [[count]] = await self._fetch_rows(None, _QUEUED)
        return int(count)

    async def store_vectors(self, model: str, items: Sequence[MessageVectors]) -> None:
        """Store the vectors of messages, replacing old ones. Skip messages that have been erased or edited since."""
        await self._set_current_model(model)
        by_owner: dict[int, list[MessageVectors]] = {}
        for item in items:
            by_owner.setdefault(item.message.scope.owner, []).append(item)
        async with self._lock:
            transact = self.database.transact
            writes = [transact(partial(_store_fresh_vectors, model, mine), owner) for owner, mine in by_owner.items()]
            outcomes = await asyncio.gather(*writes, return_exceptions=True)
            stored = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
            await self._update_cache(model, [item for mine in stored for item in mine])
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def count_indexed_and_all_messages(self, owner: int, model: str) -> tuple[int, int]:
        """Return how many of an owner's messages are indexed, and how many there are in total."""
        async with self.database.open_reader(owner, in_snapshot=True) as reader:
            [[total]] = await reader.fetch_rows("SELECT COALESCE(SUM(total), 0) FROM scopes WHERE user_id = ?", owner)
            [[left]] = await reader.fetch_rows("SELECT COUNT(*) FROM unindexed WHERE user_id = ?", owner)
            current = await reader.fetch_row("SELECT 1 FROM embedding_models WHERE name = ? AND is_current = 1", model)
        return (int(total) - int(left) if current else 0), int(total)

    async def count_embedded_messages(self, owner: int, model: str) -> int:
        """Count an owner's messages that have vectors. Messages that the embedding model rejected are not counted."""
        return int((await self._fetch_row(owner, _WITH_VECTORS, owner, model) or [0])[0])

    async def compute_similarities(self, scope: Scope, model: str, query: Floats, limit: int) -> Similarities | None:
        """Return the passages' similarities to a query, or None if the scope has no vectors or too many."""
        matrix = self._cache.get((scope, model))
        if matrix is None or matrix.dimensions != len(query):
            sql = "SELECT turns FROM scope_words WHERE user_id = ? AND thread_id = ?"
            row = await self._fetch_row(scope.owner, sql, *scope)
            if row is None or int(row[0]) > self._most_messages:
                return None
            async with self._lock:
                matrix = self._cache.get((scope, model))
                if matrix is None or matrix.dimensions != len(query):
                    matrix = self._cache[scope, model] = await self._load_matrix(scope, model, len(query))
        if not matrix.count:
            return None
        return await asyncio.to_thread(matrix.compute_similarities, query, limit)

    def evict_owner(self, owner: int) -> None:
        """Evict an owner's matrices from the cache. Call this after any process has removed vectors."""
        self._drops += 1
        for key in [key for key in self._cache if key[0].owner == owner]:
            del self._cache[key]

    async def _set_current_model(self, model: str) -> None:
        """Make a model current, and queue all messages for embedding if the previous model was different."""
        async with self.database.open_reader(None) as reader:
            row = await reader.fetch_row("SELECT name FROM embedding_models WHERE is_current = 1")
            [[newest]] = await reader.fetch_rows("SELECT COALESCE(MAX(seq), 0) FROM messages")
        if row is not None and row[0] == model:
            return
        for start in range(0, newest if row else 0, SEQS_UNINDEXED):
            await self._execute(None, _UNINDEX, start, start + SEQS_UNINDEXED)
        async with self.database.open_transaction(None) as tx:
            await tx.execute("INSERT INTO embedding_models (name) VALUES (?) ON CONFLICT DO NOTHING", model)
            await tx.execute("UPDATE embedding_models SET is_current = CASE name WHEN ? THEN 1 ELSE 0 END", model)

    async def _load_matrix(self, scope: Scope, model: str, dimensions: int) -> PassageMatrix:
        """Load the vectors of a scope. Start over if vectors are removed in the meantime."""
        while True:
            drops, none, after = self._drops, np.zeros(0, np.int64), (-1, 0)
            vectors = np.zeros((0, dimensions), np.float32)
            matrix = PassageMatrix(count=0, seqs=none, parts=none, vectors=vectors, total=np.zeros(dimensions))
            row = await self._fetch_row(scope.owner, "SELECT id FROM embedding_models WHERE name = ?", model)
            while row is not None:
                rows = await self._fetch_rows(scope.owner, _PAGE, *scope, int(row[0]), *after, ROWS_LOADED)
                if rows:
                    after = (int(rows[-1]["seq"]), int(rows[-1]["part"]))
                    matrix = await asyncio.to_thread(matrix.with_added_rows, [(row[0], row[1], row[2]) for row in rows])
                if len(rows) < ROWS_LOADED:
                    break
            if drops == self._drops:
                return matrix

    async def _update_cache(self, model: str, items: Sequence[MessageVectors]) -> None:
        """Add new vectors to the cached matrices. Evict each matrix in which a vector was replaced."""
        for scope in {item.message.scope for item in items}:
            matrix = self._cache.get((scope, model))
            mine = [item for item in items if item.message.scope == scope]
            if matrix is None or not any(len(item.passages) for item in mine):
                continue
            drops = self._drops
            extended = await asyncio.to_thread(_extend_matrix, matrix, mine)
            if drops != self._drops or extended is None:
                self._cache.pop((scope, model), None)
            elif (scope, model) in self._cache:
                self._cache[scope, model] = extended


def _extend_matrix(matrix: PassageMatrix, items: Sequence[MessageVectors]) -> PassageMatrix | None:
    """Return the matrix extended with new passages. Return None if one is a duplicate or has another dimension."""
    if any(len(item.passages) and item.passages.shape[1] != matrix.dimensions for item in items):
        return None
    if np.isin(matrix.seqs[: matrix.count], [item.seq for item in items]).any():
        return None
    return matrix.with_added_rows((item.seq, part, blob) for item in items for part, blob in _encode_by_part(item))


def _encode_by_part(item: MessageVectors) -> list[tuple[int, bytes]]:
    return [(part, vector.astype("<f2").tobytes()) for part, vector in enumerate(item.passages)]


def _store_fresh_vectors(model: str, items: Sequence[MessageVectors], connection: Connection) -> list[MessageVectors]:
    """Store the vectors of an owner's messages. Return the stored items, skipping messages that have changed."""
    [model_id] = connection.execute("SELECT id FROM embedding_models WHERE name = ?", (model,)).fetchone()
    texts = set(map(tuple, connection.execute(_STORED_TEXTS, (json.dumps([item.seq for item in items]),))))
    fresh = [item for item in items if (item.seq, *item.message.scope, item.message.id, item.message.content) in texts]
    rows = [
        (*item.message.scope, item.seq, model_id, part, blob) for item in fresh for part, blob in _encode_by_part(item)
    ]
    connection.executemany(_REMOVE, [(*item.message.scope, item.seq) for item in fresh])
    connection.executemany(_INSERT, rows)
    connection.executemany("DELETE FROM unindexed WHERE seq = ?", [(item.seq,) for item in fresh])
    return fresh

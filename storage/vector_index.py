"""The index of meaning: which messages of one scope are nearest to a vector.

Owns the tables `vectors`, `embedding_models` and `unindexed`, and a copy in RAM of the scopes asked last. A large scope
is searched by the signs of its vectors first, and the best of those exactly. Does not know how text becomes a vector
(models/embeddings.py), nor what else speaks for a message (retrieval/ranking.py).
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from records import Message, Scope
from storage.driver import Row
from storage.rows import mapping, message_of
from storage.store import Floats, MessageVectors, Nearest

if TYPE_CHECKING:
    # The door opens files by the migrations, and the stores open this.
    from storage.database import Database, Transaction

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]

CENTRING = 0.7
"""The share of a scope's mean vector that is subtracted before cosines are taken (docs/recall.md)."""
MOST_EXACT = 50_000
"""Vectors up to which a scope is searched exactly."""
RESCORED = 400
"""So many of the nearest by signs are compared exactly."""
SAMPLE = 2_000
"""Vectors of a large scope from which the mean cosine is estimated."""
CACHE_BYTES = 256 * 2**20
LOADED = 5_000
RENEWED = 10_000

_INSERT = """
INSERT INTO vectors (seq, user_id, thread_id, model_id, kind, part, vector) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_IS_CURRENT_TEXT = "SELECT 1 FROM messages WHERE seq = ? AND user_id = ? AND thread_id = ? AND id = ? AND content = ?"
_REMOVE = """
DELETE FROM vectors WHERE user_id = ? AND thread_id = ? AND seq = ?
AND model_id IN (SELECT id FROM embedding_models) AND kind IN ('passage', 'sentence')
"""
_BACKLOG = """
SELECT messages.* FROM unindexed CROSS JOIN messages USING (seq)
WHERE unindexed.user_id IN (SELECT user_id FROM users WHERE memory_enabled = 1)
ORDER BY unindexed.seq DESC LIMIT ?
"""
_PAGE = """
SELECT seq, part, vector FROM vectors
WHERE user_id = ? AND thread_id = ? AND model_id = ? AND kind = 'passage' AND (seq, part) > (?, ?)
ORDER BY seq, part LIMIT ?
"""
_PICK = """
SELECT seq, part, vector FROM vectors
WHERE user_id = ? AND thread_id = ? AND model_id = ? AND kind = ? AND seq IN (SELECT value FROM json_each(?))
ORDER BY seq, part
"""


class VectorIndex:
    """The vectors of one open database; keeps store.Vectors' promise. Search runs in threads."""

    def __init__(self, database: "Database", *, cache_bytes: int = CACHE_BYTES, most_exact: int = MOST_EXACT) -> None:
        self._db = database
        self._cache_bytes = cache_bytes
        self._most_exact = most_exact
        self._cache: OrderedDict[tuple[Scope, str], _Exact | _Signs] = OrderedDict()
        # Held while a scope is read and while a put is committed and copied, so that neither misses the other's rows.
        self._lock = asyncio.Lock()
        self._drops = 0

    # what is to be embedded ---------------------------------------------------------------------------------

    async def backlog(self, model: str, limit: int) -> list[tuple[int, Message]]:
        await self._make_current(model)
        async with self._db.read() as reader:
            rows = await reader.rows(_BACKLOG, limit)
        return [(int(row["seq"]), message_of(mapping(row))) for row in rows]

    async def put(self, model: str, items: Sequence[MessageVectors]) -> None:
        await self._make_current(model)
        blobs = await asyncio.to_thread(_blobs, items)
        async with self._lock:
            fresh: list[MessageVectors] = []
            async with self._db.write() as tx:
                model_id = await _id_of(tx, model)
                for item, parts in zip(items, blobs, strict=True):
                    message = item.message
                    key = (message.scope.owner, message.scope.thread)
                    # A seq may have been given to another message since this one was read.
                    if not await tx.row(_IS_CURRENT_TEXT, item.seq, *key, message.id, message.content):
                        continue
                    await tx.rows(_REMOVE, *key, item.seq)
                    await tx.many(_INSERT, [(item.seq, *key, model_id, kind, part, blob) for kind, part, blob in parts])
                    await tx.rows("DELETE FROM unindexed WHERE seq = ?", item.seq)
                    fresh.append(item)
            await self._keep_up(model, fresh)

    async def progress(self, owner: int, model: str) -> tuple[int, int]:
        async with self._db.read(frozen=True) as reader:
            total = await reader.row("SELECT COALESCE(SUM(total), 0) FROM scopes WHERE user_id = ?", owner)
            left = await reader.row("SELECT COUNT(*) FROM unindexed WHERE user_id = ?", owner)
            current = await reader.row("SELECT 1 FROM embedding_models WHERE name = ? AND is_current = 1", model)
        count = int(total[0]) if total else 0
        return (count - int(left[0]) if left and current else 0), count

    # what is found ------------------------------------------------------------------------------------------

    async def nearest(self, scope: Scope, model: str, query: Floats, limit: int) -> Nearest | None:
        held = await self._held(scope, model, len(query))
        if held is None:
            return None
        if isinstance(held, _Exact):
            return await asyncio.to_thread(held.nearest, query, limit)
        rough = await asyncio.to_thread(held.nearest, query, max(RESCORED, 2 * limit))
        found = await self._vectors(scope, model, "passage", rough.seqs, len(query))
        return await asyncio.to_thread(_rescored, found, query, rough, limit)

    async def of(self, scope: Scope, model: str, seqs: Sequence[int]) -> Mapping[int, Floats]:
        found = await self._vectors(scope, model, "passage", seqs)
        return {seq: vectors[0] for seq, vectors in found.items()}

    async def sentences(self, scope: Scope, model: str, seqs: Sequence[int]) -> Mapping[int, Floats]:
        return await self._vectors(scope, model, "sentence", seqs)

    def drop(self, owner: int) -> None:
        """Forget what is in RAM of an owner whose vectors were removed from the file."""
        self._drops += 1
        for key in [key for key in self._cache if key[0].owner == owner]:
            del self._cache[key]

    # inside -------------------------------------------------------------------------------------------------

    async def _make_current(self, model: str) -> None:
        """Mark everything that was embedded by another model as unindexed, a stretch at a time."""
        async with self._db.read() as reader:
            row = await reader.row("SELECT name FROM embedding_models WHERE is_current = 1")
            newest = await reader.row("SELECT COALESCE(MAX(seq), 0) FROM messages")
        if row is not None and row[0] == model:
            return
        if row is not None:
            for start in range(0, int(newest[0]) if newest else 0, RENEWED):
                async with self._db.write() as tx:
                    await tx.rows(
                        "INSERT OR IGNORE INTO unindexed SELECT seq, user_id FROM messages WHERE seq > ? AND seq <= ?",
                        start,
                        start + RENEWED,
                    )
        async with self._db.write() as tx:
            await tx.rows("INSERT OR IGNORE INTO embedding_models (name) VALUES (?)", model)
            await tx.rows("UPDATE embedding_models SET is_current = (name = ?)", model)

    async def _vectors(
        self, scope: Scope, model: str, kind: str, seqs: Sequence[int], dimensions: int | None = None
    ) -> dict[int, Floats]:
        async with self._db.read() as reader:
            model_id = await reader.row("SELECT id FROM embedding_models WHERE name = ?", model)
            if model_id is None or not seqs:
                return {}
            rows = await reader.rows(
                _PICK, scope.owner, scope.thread, int(model_id[0]), kind, json.dumps([int(seq) for seq in seqs])
            )
        return await asyncio.to_thread(_by_seq, rows, dimensions)

    async def _held(self, scope: Scope, model: str, dimensions: int) -> "_Exact | _Signs | None":
        key = (scope, model)
        held = self._cache.get(key)
        if held is None or held.dimensions != dimensions:
            async with self._lock:
                held = self._cache.get(key)
                if held is None or held.dimensions != dimensions:
                    held = await self._loaded(scope, model, dimensions)
                    if held is None:
                        return None
                    self._cache[key] = held
        self._cache.move_to_end(key)
        while len(self._cache) > 1 and sum(one.bytes for one in self._cache.values()) > self._cache_bytes:
            self._cache.popitem(last=False)
        return held

    async def _loaded(self, scope: Scope, model: str, dimensions: int) -> "_Exact | _Signs | None":
        """A scope read from the file; again where something was erased meanwhile."""
        while True:
            drops = self._drops
            held: _Exact | _Signs = _Exact.empty(dimensions)
            async for seqs, vectors in self._pages(scope, model, dimensions):
                held = await asyncio.to_thread(_grown, held, seqs, vectors, self._most_exact)
            if drops == self._drops:
                return held if held.count else None

    async def _pages(self, scope: Scope, model: str, dimensions: int) -> AsyncIterator[tuple[Ints, Floats]]:
        async with self._db.read() as reader:
            row = await reader.row("SELECT id FROM embedding_models WHERE name = ?", model)
        after = (-1, 0)
        while row is not None:
            async with self._db.read() as reader:
                rows = await reader.rows(_PAGE, scope.owner, scope.thread, int(row[0]), *after, LOADED)
            if rows:
                after = (int(rows[-1]["seq"]), int(rows[-1]["part"]))
                yield await asyncio.to_thread(_stacked, rows, dimensions)
            if len(rows) < LOADED:
                return

    async def _keep_up(self, model: str, items: Sequence[MessageVectors]) -> None:
        """What is in RAM of these scopes gets what was put; a scope whose vectors were replaced is read anew."""
        for scope in {item.message.scope for item in items}:
            held = self._cache.get((scope, model))
            mine = [item for item in items if item.message.scope == scope and len(item.passages)]
            if held is None or not mine:
                continue
            drops = self._drops
            grown = await asyncio.to_thread(_with_items, held, mine, self._most_exact)
            if drops != self._drops or grown is None:
                self._cache.pop((scope, model), None)
            elif (scope, model) in self._cache:
                self._cache[scope, model] = grown


@dataclass(frozen=True, kw_only=True, slots=True)
class _Exact:
    """A scope's passages in RAM, all compared. Rows beyond `count` are room for what comes; one writer at a time."""

    dimensions: int
    count: int
    seqs: Ints
    vectors: Floats
    total: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, dimensions: int) -> "_Exact":
        return cls(
            dimensions=dimensions,
            count=0,
            seqs=np.zeros(0, np.int64),
            vectors=np.zeros((0, dimensions), np.float32),
            total=np.zeros(dimensions),
        )

    @property
    def bytes(self) -> int:
        return self.seqs.nbytes + self.vectors.nbytes

    def plus(self, seqs: Ints, vectors: Floats) -> "_Exact":
        count = self.count + len(seqs)
        held_seqs, held_vectors = _roomy(self.seqs, self.count, count), _roomy(self.vectors, self.count, count)
        held_seqs[self.count : count] = seqs
        held_vectors[self.count : count] = vectors
        total = self.total + vectors.sum(axis=0, dtype=np.float64)
        return replace(self, count=count, seqs=held_seqs, vectors=held_vectors, total=total)

    def nearest(self, query: Floats, limit: int) -> Nearest:
        mean = (self.total / self.count).astype(np.float32)
        seqs, vectors = self.seqs[: self.count], self.vectors[: self.count]
        cosines = centred_cosines(vectors, query, mean)
        rows = list(_best_rows(-cosines, seqs, limit))
        return Nearest(
            seqs=tuple(int(seqs[row]) for row in rows),
            vectors={int(seqs[row]): vectors[row].copy() for row in rows},
            mean=mean,
            mean_cosine=float(cosines.mean()),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Signs:
    """A large scope's passages in RAM as the signs of their centred vectors: one bit for a number.

    `planes`: [d / 64, room], so that a comparison runs along memory. `centre` stays as it was when the first
    signs were taken.
    """

    dimensions: int
    count: int
    seqs: Ints
    planes: Bits
    centre: Floats
    total: npt.NDArray[np.float64]
    sample: Floats

    @classmethod
    def of(cls, exact: _Exact) -> "_Signs":
        centre = (np.float32(CENTRING) * exact.total / exact.count).astype(np.float32)
        signs = cls(
            dimensions=exact.dimensions,
            count=0,
            seqs=np.zeros(0, np.int64),
            planes=np.zeros((-(-exact.dimensions // 64), 0), np.uint64),
            centre=centre,
            total=np.zeros(exact.dimensions),
            sample=np.zeros((0, exact.dimensions), np.float32),
        )
        return signs.plus(exact.seqs[: exact.count], exact.vectors[: exact.count])

    @property
    def bytes(self) -> int:
        return self.seqs.nbytes + self.planes.nbytes + self.sample.nbytes

    def plus(self, seqs: Ints, vectors: Floats) -> "_Signs":
        count = self.count + len(seqs)
        held_seqs = _roomy(self.seqs, self.count, count)
        planes = self.planes
        if count > planes.shape[1]:
            planes = np.empty((len(planes), len(held_seqs)), np.uint64)
            planes[:, : self.count] = self.planes[:, : self.count]
        held_seqs[self.count : count] = seqs
        planes[:, self.count : count] = _signs(vectors - self.centre)
        total = self.total + vectors.sum(axis=0, dtype=np.float64)
        sample = _resampled(self.sample, self.count, vectors)
        return replace(self, count=count, seqs=held_seqs, planes=planes, total=total, sample=sample)

    def nearest(self, query: Floats, limit: int) -> Nearest:
        """The nearest by signs alone, without their vectors."""
        mean = (self.total / self.count).astype(np.float32)
        asked = _signs((query - self.centre)[None])[:, 0]
        differing = np.empty(self.count, np.uint16)
        for start in range(0, self.count, _STRETCH):
            part = slice(start, min(start + _STRETCH, self.count))
            differing[part] = np.bitwise_count(self.planes[0, part] ^ asked[0])
            for plane, word in zip(self.planes[1:], asked[1:], strict=True):
                differing[part] += np.bitwise_count(plane[part] ^ word)
        seqs = self.seqs[: self.count]
        return Nearest(
            seqs=tuple(int(seqs[row]) for row in _best_rows(differing, seqs, limit)),
            vectors={},
            mean=mean,
            mean_cosine=float(centred_cosines(self.sample, query, mean).mean()),
        )


_STRETCH = 2**15


def centred_cosines(vectors: Floats, query: Floats, mean: Floats) -> Floats:
    """Cosines [n] of normalised vectors [n, d] and a query [d], all moved by a share of the mean [d]."""
    share = np.float32(CENTRING)
    moved = query - share * mean
    moved /= max(float(np.linalg.norm(moved)), 1e-9)
    # |v - cm|² = 1 - 2c v·m + c²|m|²: one pass over the vectors, and no copy of them.
    products = vectors @ np.stack([moved, mean], axis=1)
    squares = 1 - 2 * share * products[:, 1] + share * share * np.float32(mean @ mean)
    cosines: Floats = (products[:, 0] - share * np.float32(moved @ mean)) / np.sqrt(np.maximum(squares, 1e-9))
    return cosines


def _best_rows(distances: npt.NDArray[np.generic], seqs: Ints, limit: int) -> Iterator[int]:
    """Rows with the smallest distances, nearest first, one for each seq, at most `limit`."""
    count, wanted = len(distances), limit
    rows: list[int] = []
    while limit > 0:
        best = np.argpartition(distances, wanted)[:wanted] if wanted < count else np.arange(count)
        order = best[np.lexsort((-seqs[best], distances[best]))]
        _, firsts = np.unique(seqs[order], return_index=True)
        rows = [int(order[first]) for first in np.sort(firsts)[:limit]]
        if len(rows) == limit or wanted >= count:
            break
        wanted *= 4
    yield from rows


def _rescored(found: Mapping[int, Floats], query: Floats, rough: Nearest, limit: int) -> Nearest:
    """The candidates compared exactly, the best `limit` of them."""
    scored = []
    for seq, vectors in found.items():
        cosines = centred_cosines(vectors, query, rough.mean)
        best = int(np.argmax(cosines))
        scored.append((-float(cosines[best]), -seq, vectors[best]))
    scored.sort(key=lambda one: one[:2])
    return replace(
        rough,
        seqs=tuple(-seq for _, seq, _ in scored[:limit]),
        vectors={-seq: vector for _, seq, vector in scored[:limit]},
    )


def _grown(held: _Exact | _Signs, seqs: Ints, vectors: Floats, most_exact: int) -> _Exact | _Signs:
    grown = held.plus(seqs, vectors)
    return _Signs.of(grown) if isinstance(grown, _Exact) and grown.count > most_exact else grown


def _with_items(held: _Exact | _Signs, items: Sequence[MessageVectors], most_exact: int) -> _Exact | _Signs | None:
    """With the items' passages; None where that is not a plain addition."""
    seqs = np.repeat([item.seq for item in items], [len(item.passages) for item in items])
    if any(item.passages.shape[1] != held.dimensions for item in items) or np.isin(held.seqs[: held.count], seqs).any():
        return None
    # As they will be read from the file.
    vectors = np.concatenate([item.passages for item in items]).astype(np.float16).astype(np.float32)
    return _grown(held, seqs, vectors, most_exact)


def _roomy(held: npt.NDArray[Any], used: int, count: int) -> npt.NDArray[Any]:
    """An array with room for `count` rows, the first `used` kept."""
    if count <= len(held):
        return held
    made = np.empty((max(count, len(held) * 3 // 2, 64), *held.shape[1:]), held.dtype)
    made[:used] = held[:used]
    return made


def _signs(vectors: Floats) -> Bits:
    """The signs of vectors [n, d] as planes [d / 64, n]; what is missing to a whole word is 0 in all."""
    count, dimensions = vectors.shape
    bits = np.zeros((count, -(-dimensions // 64) * 64), np.bool_)
    bits[:, :dimensions] = vectors > 0
    return np.packbits(bits, axis=1).view(np.uint64).T


def _resampled(sample: Floats, seen: int, vectors: Floats) -> Floats:
    """A sample of everything seen, each row as likely as any other (reservoir)."""
    free = SAMPLE - len(sample)
    if free > 0:
        sample, vectors, seen = np.concatenate([sample, vectors[:free]]), vectors[free:], seen + min(free, len(vectors))
    else:
        sample = sample.copy()
    if len(vectors):
        random = np.random.default_rng(seen)
        slots = random.integers(0, np.arange(seen + 1, seen + len(vectors) + 1))
        taken = slots < SAMPLE
        sample[slots[taken]] = vectors[taken]
    return sample


def _blobs(items: Sequence[MessageVectors]) -> list[list[tuple[str, int, bytes]]]:
    """For each message the rows of its vectors: kind, part, blob."""
    made = []
    for item in items:
        kinds = (("passage", item.passages), ("sentence", item.sentences))
        made.append(
            [
                (kind, part, vector.astype("<f2").tobytes())
                for kind, vectors in kinds
                if vectors is not None
                for part, vector in enumerate(vectors)
            ]
        )
    return made


def _stacked(rows: Sequence[Row], dimensions: int) -> tuple[Ints, Floats]:
    """Seqs [n] and vectors [n, d] of rows; a vector of another length is left out (the endpoint's model changed)."""
    fitting = [row for row in rows if len(row["vector"]) == 2 * dimensions]
    numbers = np.frombuffer(b"".join(row["vector"] for row in fitting), "<f2")
    seqs = np.array([row["seq"] for row in fitting], np.int64)
    return seqs, numbers.astype(np.float32).reshape(-1, dimensions)


def _by_seq(rows: Sequence[Row], dimensions: int | None) -> dict[int, Floats]:
    """The vectors [n, d] of each message, in the order of their parts."""
    parts: dict[int, list[bytes]] = {}
    for row in rows:
        if dimensions is None or len(row["vector"]) == 2 * dimensions:
            parts.setdefault(int(row["seq"]), []).append(row["vector"])
    return {
        seq: np.frombuffer(b"".join(blobs), "<f2").astype(np.float32).reshape(len(blobs), -1)
        for seq, blobs in parts.items()
    }


async def _id_of(tx: "Transaction", model: str) -> int:
    row = await tx.row("SELECT id FROM embedding_models WHERE name = ?", model)
    return int(row[0]) if row else await tx.insert("INSERT INTO embedding_models (name) VALUES (?)", model)

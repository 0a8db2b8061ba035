"""The vector index: which messages of one scope are nearest to a vector.

Owns the tables `vectors`, `embedding_models` and `unindexed`, and which scopes have a copy in RAM, where
vector_search.py searches; where the database searches among its vectors (vector_server.py), larger scopes are left to
it. Does not know how text becomes a vector (llm/embeddings.py), or what else speaks for a message
(retrieval/ranking.py).
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from attrs import define, field
from cachetools import LRUCache

from records.errors import StorageLacks
from records.messages import Message
from records.scopes import Scope
from storage.files.rows import message_of, runs
from storage.files.sql import Connection, OwnerDatabase
from storage.search.protocol import Compared, Floats, Ints, MessageVectors, VectorSearch
from storage.search.vector_search import Exact, Signs, compared, grown, joined, rescored
from storage.search.vector_server import PLAIN, Blob, Figures, Key, VectorServer, stacked

log = logging.getLogger(__name__)

MOST_EXACT = 20_000
"""A scope of up to so many vectors is searched exactly."""
LARGE = 100_000
"""A scope of more messages is not read while a question waits: only words are searched until `warm` has read it."""
CACHE_BYTES = 256 * 2**20
LOADED = 5_000
RENEWED = 10_000

FURTHER = 4
"""So many times as many passages are asked for again where all that the database found are of a few messages."""
_GONE = "meaning is searched by this program until its next start, since the database no longer does"
Result = TypeVar("Result")
_Held = Exact | Signs | Figures
_INSERT = """
INSERT INTO vectors (user_id, thread_id, seq, model_id, kind, part, vector) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_STORED_TEXTS = """
SELECT seq, user_id, thread_id, id, content FROM messages WHERE seq IN (SELECT value FROM json_each(?))
"""
_REMOVE = """
DELETE FROM vectors WHERE user_id = ? AND thread_id = ? AND seq = ?
AND model_id IN (SELECT id FROM embedding_models) AND kind IN ('passage', 'sentence')
"""
_BACKLOG = """
SELECT messages.* FROM unindexed CROSS JOIN messages USING (seq)
WHERE +unindexed.user_id IN (SELECT user_id FROM users WHERE memory_enabled = 1)
AND 1 /* served here: unindexed.user_id */
ORDER BY unindexed.seq DESC LIMIT ? -- the sign keeps SQLite from sorting all of an owner's backlog for a few
"""
_UNINDEX = """
INSERT INTO unindexed (seq, user_id) SELECT seq, user_id FROM messages WHERE seq > ? AND seq <= ?
ON CONFLICT DO NOTHING
"""
_PAGE = """
SELECT seq, part, {columns} FROM vectors
WHERE user_id = ? AND thread_id = ? AND model_id = ? AND kind = 'passage' AND (seq, part) > (?, ?)
ORDER BY seq, part LIMIT ?
"""
_PICK = """
SELECT seq, {columns} FROM json_each(?) AS run CROSS JOIN vectors
ON user_id = ? AND thread_id = ? AND model_id = (SELECT id FROM embedding_models WHERE name = ?) AND kind = ?
AND seq BETWEEN json_extract(run.value, '$[0]') AND json_extract(run.value, '$[1]')
"""


@define(eq=False)
class VectorIndex:
    """The vectors of the messages in one store. Nothing is found under another model's name than it was put.

    Searches run in threads. `server`: what searches larger scopes in the database, if anything does. `described`: who
    searches, in one sentence for those who run the bot, where that is a question.
    """

    _db: OwnerDatabase = field(alias="database")
    _cache_bytes: int = field(default=CACHE_BYTES, kw_only=True)
    _most_exact: int = field(default=MOST_EXACT, kw_only=True)
    _large: int = field(default=LARGE, kw_only=True)
    server: VectorServer | None = field(default=None, init=False)
    described: str = field(default="", init=False)
    _cold: set[tuple[Scope, str, int]] = field(factory=set, init=False)
    _cache: LRUCache[tuple[Scope, str], _Held] = field(init=False)
    # Held while a scope is read, and while a `put` is committed and copied, so that neither misses rows of the
    # other.
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _drops: int = field(default=0, init=False)
    _puts: int = field(default=0, init=False)

    @_cache.default
    def _empty_cache(self) -> LRUCache[tuple[Scope, str], _Held]:
        # One that is larger than all of it stays, alone.
        return LRUCache(self._cache_bytes, getsizeof=lambda held: min(held.bytes, self._cache_bytes))

    # what is to be embedded ---------------------------------------------------------------------------------

    async def backlog(self, model: str, limit: int) -> list[tuple[int, Message]]:
        """The newest messages, with their seqs, that this model has not embedded yet: of owners with memory on.

        Calling this makes it the current model, and everything is embedded again for it.
        """
        await self._make_current(model)
        async with self._db.read(None) as reader:
            rows = await reader.rows(_BACKLOG, limit)
        return [(int(row["seq"]), message_of(row)) for row in rows]

    async def put(self, model: str, items: Sequence[MessageVectors]) -> None:
        """Store vectors, replacing those that the messages had; those of messages erased or edited since are
        left out.
        """
        await self._tried(partial(self._put, model, items))

    async def _put(self, model: str, items: Sequence[MessageVectors]) -> None:
        await self._make_current(model)
        by_owner: dict[int, list[MessageVectors]] = {}
        for item in items:
            by_owner.setdefault(item.message.scope.owner, []).append(item)
        blobs = await asyncio.to_thread(lambda: {owner: _blobs(mine) for owner, mine in by_owner.items()})
        async with self._lock:
            outcomes = await asyncio.gather(
                *(
                    self._db.transact(partial(_stored, self.server, model, mine, blobs[owner]), owner)
                    for owner, mine in by_owner.items()
                ),
                return_exceptions=True,
            )
            self._puts += 1
            stored = [one for one in outcomes if not isinstance(one, BaseException)]
            await self._keep_up(model, [item for mine in stored for item in mine])
        for one in outcomes:
            if isinstance(one, BaseException):
                raise one

    async def progress(self, owner: int, model: str) -> tuple[int, int]:
        """How many of an owner's messages are indexed, and how many there are."""
        async with self._db.read(owner, frozen=True) as reader:
            total = await reader.row("SELECT COALESCE(SUM(total), 0) FROM scopes WHERE user_id = ?", owner)
            left = await reader.row("SELECT COUNT(*) FROM unindexed WHERE user_id = ?", owner)
            current = await reader.row("SELECT 1 FROM embedding_models WHERE name = ? AND is_current = 1", model)
        count = int(total[0]) if total else 0
        return (count - int(left[0]) if left and current else 0), count

    # what is found ------------------------------------------------------------------------------------------

    async def nearest(self, scope: Scope, model: str, query: Floats, limit: int) -> VectorSearch | None:
        """The messages of a scope that are nearest to a vector [d]; None where the scope has no vectors of the model
        yet, or is large and not in RAM yet: then `warm` loads it.
        """
        return await self._tried(partial(self._nearest, scope, model, query, limit))

    async def _nearest(self, scope: Scope, model: str, query: Floats, limit: int) -> VectorSearch | None:
        held = await self._held(scope, model, len(query))
        if held is None:
            return None
        if isinstance(held, Exact):
            return await asyncio.to_thread(held.nearest, query, limit)
        if isinstance(held, Figures):
            return await self._nearest_there(scope, model, query, limit, held)

        def searched(picked: Callable[[Ints], tuple[Ints, Floats]]) -> VectorSearch:
            rough = held.nearest(query, max(held.rescored, 4 * limit))
            return rescored(compared(*picked(rough.seqs), query, rough.mean), rough, query, limit)

        if held.kept is not None:
            return await asyncio.to_thread(searched, held.kept.of)
        async with self._db.read(scope.owner) as reader:
            return await reader.together(
                lambda connection: searched(lambda seqs: self._passages(connection, scope, model, seqs, len(query)))
            )

    async def compared(self, scope: Scope, model: str, nearest: VectorSearch, seqs: Ints) -> Compared:
        """What was compared to find the nearest, together with the passages of these messages."""
        if nearest.is_whole:
            return nearest.compared

        unread = np.setdiff1d(seqs, nearest.compared.seqs)
        held = self._cache.get((scope, model))
        if isinstance(held, Signs) and held.kept is not None and held.dimensions == len(nearest.query):
            others = held.kept.of(unread)
        else:
            others = await self._tried(partial(self._read, scope, model, unread, len(nearest.query)))
        return joined(nearest.compared, compared(*others, nearest.query, nearest.mean))

    async def sentences(self, scope: Scope, model: str, seqs: Sequence[int]) -> Mapping[int, Floats]:
        """The sentences [n, d] of each of these messages that has any, in order."""
        if not seqs:
            return {}
        async with self._db.read(scope.owner) as reader:
            return await reader.together(
                lambda connection: _by_seq(_picked(connection, scope, model, "sentence", seqs, columns="vector"))
            )

    async def warm(self) -> None:
        """Load the large scopes that were searched in vain; takes seconds, and nobody waits for it."""
        while self._cold:
            scope, model, dimensions = self._cold.pop()
            while True:
                seen = (self._drops, self._puts)
                # Without the lock, since others' questions would wait for it.
                held = await self._tried(partial(self._loaded, scope, model, dimensions))
                async with self._lock:
                    if seen != (self._drops, self._puts):
                        continue
                    if held is not None:
                        self._cache[scope, model] = held
                    break

    async def keep_up(self) -> None:
        """Have the database put its vectors in order, where it searches among them. Takes minutes at times."""

        async def kept_up() -> None:
            if self.server is not None:
                await self.server.keep_up()

        await self._tried(kept_up)

    def drop(self, owner: int) -> None:
        """Drop an owner's copies in RAM, which may be outdated: vectors were removed, here or by another process."""
        self._drops += 1
        for key in [key for key in self._cache if key[0].owner == owner]:
            del self._cache[key]

    # inside -------------------------------------------------------------------------------------------------

    async def _tried(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """What `work` gives; where the database can no longer search among its vectors, without that from now on."""
        server = self.server
        try:
            return await work()
        except StorageLacks:
            if server is None:
                raise
            if self.server is server:
                log.warning("the database no longer searches by meaning; this program does, until its next start")
                self.server, self.described = None, _GONE
                for key in [key for key, held in self._cache.items() if isinstance(held, Figures)]:
                    del self._cache[key]
            return await work()

    async def _make_current(self, model: str) -> None:
        """Mark everything that was embedded by another model as unindexed, in several transactions."""
        async with self._db.read(None) as reader:
            row = await reader.row("SELECT name FROM embedding_models WHERE is_current = 1")
            newest = await reader.row("SELECT COALESCE(MAX(seq), 0) FROM messages")
        if row is not None and row[0] == model:
            return
        if row is not None:
            for start in range(0, int(newest[0]) if newest else 0, RENEWED):
                async with self._db.write(None) as tx:
                    await tx.rows(
                        _UNINDEX,
                        start,
                        start + RENEWED,
                    )
        async with self._db.write(None) as tx:
            await tx.rows("INSERT INTO embedding_models (name) VALUES (?) ON CONFLICT DO NOTHING", model)
            await tx.rows("UPDATE embedding_models SET is_current = CASE name WHEN ? THEN 1 ELSE 0 END", model)

    async def _nearest_there(
        self, scope: Scope, model: str, query: Floats, limit: int, figures: Figures
    ) -> VectorSearch | None:
        """What the database finds, compared exactly."""
        server = self.server
        if server is None:
            return None
        wanted = limit
        while True:
            async with self._db.read(scope.owner) as reader:
                rows, are_all = await reader.run(server.nearest, scope, model, query, figures, wanted)
            seqs, vectors = await asyncio.to_thread(stacked, rows, len(query))
            if are_all or len(np.unique(seqs)) >= limit:
                break
            wanted *= FURTHER
        rough = figures.rough(query, seqs)
        return rescored(compared(seqs, vectors, query, rough.mean), rough, query, limit)

    async def _read(self, scope: Scope, model: str, seqs: Ints, dimensions: int) -> tuple[Ints, Floats]:
        async with self._db.read(scope.owner) as reader:
            return await reader.together(lambda connection: self._passages(connection, scope, model, seqs, dimensions))

    def _passages(
        self, connection: Connection, scope: Scope, model: str, seqs: Ints, dimensions: int
    ) -> tuple[Ints, Floats]:
        return stacked(_picked(connection, scope, model, "passage", seqs, columns=self._columns), dimensions)

    @property
    def _columns(self) -> str:
        return PLAIN if self.server is None else self.server.columns

    async def _held(self, scope: Scope, model: str, dimensions: int) -> _Held | None:
        key = (scope, model)
        held = self._cache.get(key)
        if held is None or held.dimensions != dimensions:
            if await self._is_large(scope):
                self._cold.add((scope, model, dimensions))
                return None
            async with self._lock:
                held = self._cache.get(key)
                if held is None or held.dimensions != dimensions:
                    held = await self._loaded(scope, model, dimensions)
                    if held is None:
                        return None
                    self._cache[key] = held
        return held

    async def _is_large(self, scope: Scope) -> bool:
        return await self._messages(scope) > self._large

    async def _messages(self, scope: Scope) -> int:
        async with self._db.read(scope.owner) as reader:
            row = await reader.row("SELECT turns FROM scope_words WHERE user_id = ? AND thread_id = ?", *scope)
        return int(row[0]) if row is not None else 0

    async def _loaded(self, scope: Scope, model: str, dimensions: int) -> _Held | None:
        """A scope, read from the file, and read again if something was erased in the meantime; of a scope that the
        database searches, its figures.
        """
        server = self.server
        while True:
            drops = self._drops
            if server is not None and await self._messages(scope) > server.least:
                async with self._db.read(scope.owner) as reader:
                    figures = await reader.together(
                        lambda connection: server.figures(connection, scope, model, dimensions)
                    )
                if figures is not None:
                    if drops == self._drops:
                        return figures
                    continue
            held: Exact | Signs = Exact.empty(dimensions)
            async for seqs, vectors in self._pages(scope, model, dimensions):
                held = await asyncio.to_thread(grown, held, seqs, vectors, self._most_exact)
            if drops == self._drops:
                return held if held.count else None

    async def _pages(self, scope: Scope, model: str, dimensions: int) -> AsyncIterator[tuple[Ints, Floats]]:
        async with self._db.read(scope.owner) as reader:
            row = await reader.row("SELECT id FROM embedding_models WHERE name = ?", model)
        after = (-1, 0)
        while row is not None:
            async with self._db.read(scope.owner) as reader:
                page = _PAGE.format(columns=self._columns)
                rows = await reader.rows(page, *scope, int(row[0]), *after, LOADED)
            if rows:
                after = (int(rows[-1]["seq"]), int(rows[-1]["part"]))
                yield await asyncio.to_thread(stacked, ((row[0], row[2], row[3]) for row in rows), dimensions)
            if len(rows) < LOADED:
                return

    async def _keep_up(self, model: str, items: Sequence[MessageVectors]) -> None:
        """Add what was put to the copies in RAM; a scope whose vectors were replaced is read again later."""
        for scope in {item.message.scope for item in items}:
            held = self._cache.get((scope, model))
            mine = [item for item in items if item.message.scope == scope and len(item.passages)]
            if held is None or not mine:
                continue
            drops = self._drops
            held = await asyncio.to_thread(_with_items, held, mine, self._most_exact)
            if drops != self._drops or held is None:
                self._cache.pop((scope, model), None)
            elif (scope, model) in self._cache:
                self._cache[scope, model] = held


def _with_items(held: _Held, items: Sequence[MessageVectors], most_exact: int) -> _Held | None:
    """`held` with the passages of these items; None where that is not a plain addition."""
    if any(item.passages.shape[1] != held.dimensions for item in items):
        return None
    # As they will be read from the file.
    vectors = np.concatenate([item.passages for item in items]).astype(np.float16).astype(np.float32)
    if isinstance(held, Figures):
        return held.plus(vectors)
    seqs = np.repeat([item.seq for item in items], [len(item.passages) for item in items])
    return None if np.isin(held.seqs[: held.count], seqs).any() else grown(held, seqs, vectors, most_exact)


def _blobs(items: Sequence[MessageVectors]) -> list[list[Blob]]:
    """For each message the rows of its vectors."""
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


def _picked(
    connection: Connection, scope: Scope, model: str, kind: str, seqs: Ints | Sequence[int], *, columns: str
) -> Iterable[Any]:
    """(seq, columns …) of these messages; several of one message are in order, which is the order of the index."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(_PICK.format(columns=columns), (runs(seqs), *scope, model, kind))


def _by_seq(rows: Iterable[tuple[int, bytes]]) -> dict[int, Floats]:
    """The vectors [n, d] of each message."""
    parts: dict[int, list[bytes]] = {}
    for seq, vector in rows:
        parts.setdefault(seq, []).append(vector)
    return {
        seq: np.frombuffer(b"".join(blobs), "<f2").astype(np.float32).reshape(len(blobs), -1)
        for seq, blobs in parts.items()
    }


def _stored(
    server: VectorServer | None,
    model: str,
    items: Sequence[MessageVectors],
    blobs: Sequence[Sequence[Blob]],
    connection: Connection,
) -> list[MessageVectors]:
    """Store the vectors of one owner's messages; those that are stored: a seq may belong to another message by now."""
    [model_id] = connection.execute("SELECT id FROM embedding_models WHERE name = ?", (model,)).fetchone()
    texts = set(map(tuple, connection.execute(_STORED_TEXTS, (json.dumps([item.seq for item in items]),))))
    fresh = [index for index, item in enumerate(items) if _text_key(item) in texts]
    keys: list[Key] = [(item.message.scope.owner, item.message.scope.thread, item.seq) for item in items]
    connection.executemany(_REMOVE, [keys[index] for index in fresh])
    rows = [(keys[index], row) for index in fresh for row in blobs[index]]
    if server is not None:
        server.insert(connection, model_id, [one for one in rows if one[1][0] == "passage"])
        rows = [one for one in rows if one[1][0] != "passage"]
    connection.executemany(_INSERT, [(*key, model_id, *row) for key, row in rows])
    connection.executemany("DELETE FROM unindexed WHERE seq = ?", [(items[index].seq,) for index in fresh])
    return [items[index] for index in fresh]


def _text_key(item: MessageVectors) -> tuple[int, int, int, int, str]:
    message = item.message
    return item.seq, message.scope.owner, message.scope.thread, message.id, message.content

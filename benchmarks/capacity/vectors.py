"""What it costs to search vectors in PostgreSQL, and what is missed: by this program, by pgvector one by one, by HNSW.

`DATABASE_URL=… python -m benchmarks.capacity.vectors --data FILE --kept FILE`, of a database that has pgvector, on this
machine. Vectors are made from those of the file's messages, each moved by .25 to .9 of the difference of two others, so
that they crowd as real ones do; the questions are the file's. `--shared`: also by one index for all owners. Does not
know how a scope is chosen for an index.
"""

import argparse
import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import psycopg

from benchmarks.arguments import number, numbers, settings_of, written
from benchmarks.capacity.on_server import Server, emptied
from benchmarks.locomo import data_file, read
from benchmarks.measure import machine, progress, report, spread, without_embedding
from benchmarks.vector_file import KeptVectors
from llm.embeddings import LocalEmbedder
from records.scopes import Scope
from storage.postgres.database import PostgresDatabase
from storage.postgres.pgvector import Pgvector, half_vector
from storage.postgres.vector_upkeep import Upkeep
from storage.search.protocol import Floats
from storage.search.vector_index import VectorIndex
from storage.search.vector_search import Exact

MODEL = "measured"
NEAREST = 50
"""As many as a turn asks for (memory_retrieval.CANDIDATES)."""
POOL = 300
"""Messages whose vectors a turn compares after that, as far as it has not seen them."""
AROUND = 5
"""They stand together: what was found, and what stands around it."""
SHARED = (
    "CREATE INDEX shared ON vectors USING hnsw ((embedding::{at}.halfvec({size})) {at}.halfvec_ip_ops) "
    "WHERE kind = 'passage' AND {at}.vector_dims(embedding) = {size}"
)

Figures = dict[str, object]


async def embedded(data: Path, kept: Path, messages: int, questions: int) -> tuple[Floats, Floats]:
    """The vectors of a file's first messages, and of its questions."""
    samples = read(data)
    texts = [line.text for sample in samples for line in sample.lines][:messages]
    asked = [question.text for sample in samples for question in sample.questions]
    async with KeptVectors(LocalEmbedder(), kept) as embedder:
        found = [await embedder.passages(texts[start : start + 100]) for start in range(0, len(texts), 100)]
        step = max(1, len(asked) // questions)
        return np.concatenate(found), np.stack([await embedder.query(one) for one in asked[::step][:questions]])


def many(real: Floats, count: int) -> Floats:
    """So many vectors that crowd as these do."""
    random = np.random.default_rng(1)
    one, other, third = random.integers(0, len(real), (3, count))
    moved = real[one] + random.uniform(0.25, 0.9, (count, 1)).astype(np.float32) * (real[other] - real[third])
    made: Floats = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return made.astype(np.float16).astype(np.float32)


def stored(url: str, owners: Iterator[tuple[int, Floats]]) -> None:
    """Put vectors into the tables, without messages: no search reads one."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("INSERT INTO embedding_models (id, name, is_current) VALUES (1, %s, 1)", (MODEL,))
        for owner, vectors in owners:
            turns = "INSERT INTO scope_words VALUES (%s, 0, %s, 0, 0, 0)"
            raw.execute(turns, (owner, len(vectors)))
            copying = "COPY vectors (user_id, thread_id, model_id, kind, seq, part, vector, embedding) FROM STDIN"
            with raw.cursor() as cursor, cursor.copy(f"{copying} (FORMAT binary)".encode()) as copy:
                copy.set_types(["int8", "int8", "int8", "text", "int8", "int8", "bytea", "bytea"])
                for seq, vector in enumerate(vectors):
                    wire = bytes(half_vector(vector.astype("<f2").tobytes()))
                    copy.write_row((owner, 0, 1, "passage", seq, 0, b"", wire))
        raw.execute("VACUUM ANALYZE vectors")


class Measured:
    """One database with vectors, searched in several ways for the same questions."""

    def __init__(self, url: str, exact: Exact, queries: Floats) -> None:
        self._server = Server(url)
        self._queries = queries
        self._wanted = [set(exact.nearest(query, NEAREST).seqs) for query in queries]
        starts = np.random.default_rng(2).integers(0, exact.count, (len(queries), POOL // AROUND, 1))
        self._others = (starts + np.arange(AROUND)).reshape(len(queries), -1).astype(np.int64)

    def close(self) -> None:
        self._server.close()

    async def of(self, index: VectorIndex, scope: Scope) -> Figures:
        """The first question, then what one costs; milliseconds of a processor, here and in the server. Recall is of
        the first owner's vectors.
        """
        first = await self._spent(index, scope, [0])
        for which in range(len(self._queries)):  # warm
            await index.nearest(scope, MODEL, self._queries[which], NEAREST)
        found = await self._spent(index, scope, range(len(self._queries)))
        return {"first": first, **found}

    async def _spent(self, index: VectorIndex, scope: Scope, which: Sequence[int] | range) -> Figures:
        here, there = time.process_time(), self._server.seconds()
        seconds, hits = [], 0
        for one in which:
            start = time.perf_counter()
            nearest = await index.nearest(scope, MODEL, self._queries[one], NEAREST)
            if nearest is not None:
                await index.compared(scope, MODEL, nearest, self._others[one])
                hits += len(self._wanted[one].intersection(nearest.seqs))
            seconds.append(time.perf_counter() - start)
        return {
            "here_ms": round(1000 * (time.process_time() - here) / len(which), 2),
            "server_ms": round(1000 * self._server.spent(there) / len(which), 2),
            "elapsed_ms": spread(seconds),
            "recall": round(100 * hits / len(which) / NEAREST, 2),
        }


def _megabytes(url: str, index: str) -> float:
    with psycopg.connect(url) as raw:
        row = raw.execute("SELECT pg_relation_size(to_regclass(%s))", (f'"{index}"',)).fetchone()
    return round(row[0] / 2**20, 1) if row and row[0] else 0.0


def _index(database: PostgresDatabase, server: Pgvector, least: int) -> VectorIndex:
    """With nothing in RAM yet; scopes of more than `least` messages are searched by the server."""
    server.least = least
    index = VectorIndex(database)
    index.server = server
    return index


async def measure(url: str, counts: Sequence[int], real: Floats, queries: Floats, *, owners: int, shared: bool) -> None:
    """Report each size by itself. `counts`: vectors of one owner; `owners`: so many others have 100 each."""
    for count in counts:
        progress(f"{count:,} vectors")
        address = emptied(url, f"vectors_{count}")
        vectors = many(real, count)
        exact = Exact.empty(vectors.shape[1]).plus(np.arange(count), vectors)
        scope = Scope(owner=1)
        results: dict[str, object] = {}
        async with PostgresDatabase.open(address) as database:
            server = database.pgvector
            assert isinstance(server, Pgvector), server
            others = many(real, 100 * owners).reshape(owners, 100, -1) if owners else ()
            stored(address, iter([(1, vectors), *((2 + number, some) for number, some in enumerate(others))]))
            measured = Measured(address, exact, queries)

            results["own"] = await measured.of(_index(database, server, 2**62), scope)
            results["one by one"] = await measured.of(_index(database, server, 0), scope)
            if owners:
                results["one by one, 100 vectors"] = await measured.of(_index(database, server, 0), Scope(owner=2))
                results["own, 100 vectors"] = await measured.of(_index(database, server, 2**62), Scope(owner=2))
            start = time.perf_counter()
            await Upkeep(address, indexed_above=count - 1)(server)
            results["index_s"] = round(time.perf_counter() - start, 1)
            results["index_mb"] = _megabytes(address, f"meaning_1_0_1_{vectors.shape[1]}")
            results["hnsw"] = await measured.of(_index(database, server, 0), scope)
            if shared:
                with psycopg.connect(address, autocommit=True) as raw:
                    raw.execute(f'DROP INDEX "meaning_1_0_1_{vectors.shape[1]}"'.encode())
                    raw.execute("SET maintenance_work_mem = '256MB'")
                    raw.execute(SHARED.format(at=server.at, size=vectors.shape[1]).encode())
                results["hnsw shared"] = await measured.of(_index(database, server, 0), scope)
                results["hnsw shared, 100 vectors"] = await measured.of(_index(database, server, 0), Scope(owner=2))
            measured.close()
        report({"benchmark": "vectors", "machine": machine(), "count": count, **results})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity.vectors", description=__doc__)
    parser.add_argument("--data", type=data_file, required=True, help="a file in LoCoMo's format")
    parser.add_argument("--vectors", type=numbers, default=[10_000, 100_000], help="of one owner, separated by commas")
    parser.add_argument("--owners", type=number(0), default=0, help="so many others have 100 vectors each")
    parser.add_argument("--questions", type=number(1), default=60)
    parser.add_argument(
        "--messages", type=number(10), default=2_000, help="that are embedded; the others are made of them"
    )
    parser.add_argument("--kept", type=written, required=True, help="a file that keeps the vectors for the next run")
    parser.add_argument("--shared", action="store_true", help="measure one index for all owners, too")
    options = parser.parse_args(arguments)
    settings = settings_of(parser, without_embedding)
    if not settings.database_url.value:
        parser.error("DATABASE_URL is needed")

    async def run() -> None:
        real, queries = await embedded(options.data, options.kept, options.messages, options.questions)
        await measure(
            settings.database_url.value, options.vectors, real, queries, owners=options.owners, shared=options.shared
        )

    asyncio.run(run())


if __name__ == "__main__":
    main()

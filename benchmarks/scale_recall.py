"""What searching costs in a large memory, and what its short cuts miss. Part of benchmarks.scale.

Chats are planted in a filled data directory, every message gets a vector, and the bot's own retriever is asked: with
words and meaning, with words alone, and, for what is missed, a store that compares everything. Times are without the
embedding of the question, which is done before.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

from assembly import budgets
from benchmarks.filling import LAST_DAY
from benchmarks.invented import Talk
from benchmarks.measure import folder_bytes, progress, since, spread
from benchmarks.planted import CHATS, Asked, Known, embedded, give_vectors, plant
from benchmarks.vector_file import KeptVectors
from llm.embeddings import Embedder, LocalEmbedder
from memory_retrieval import MemoryRetrieval
from records.owners import StorageType
from records.scopes import Scope
from settings import Settings
from storage.files.database import Database
from storage.json.store import JsonStore
from storage.protocol import MemoryStore
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.sql_store import SqlStore
from storage.sqlite.store import SqliteStore
from text.tokenizer import Tokenizer

ASKED_AT = LAST_DAY + timedelta(days=1)
FILES = {StorageType.SQLITE: "memory.db", StorageType.JSON: "index.db"}


def measure_recall(settings: Settings, scope: Scope, questions: int, vectors: Path) -> dict[str, object]:
    """The figures of one filled data directory. `vectors`: the file that keeps embedded texts."""

    async def measured() -> dict[str, object]:
        async with KeptVectors(LocalEmbedder(), vectors) as embedder:
            return await recall_figures(settings, scope, questions, embedder)

    return asyncio.run(measured())


async def recall_figures(
    settings: Settings, scope: Scope, questions: int, embedder: Embedder, chats: Sequence[Path] = CHATS
) -> dict[str, object]:
    """The same with these chats planted."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(_opened(settings.data_dir))
        start = time.perf_counter()
        what = await plant(store, scope, chats)
        known = await embedded(what, embedder)
        await give_vectors(store, scope, known)
        await store.indexed(scope.owner)  # words that a start found missing
        progress(f"{store.kind}: vectors in {since(start) / 1000:.0f} s")
        talk = Talk(seed=11)
        said = [talk.question() for _ in range(questions)]
        both, words = _retrieval(settings, Known(known)), _retrieval(settings, None)
        start = time.perf_counter()
        await both.recall(said[0], store=store, scope=scope)
        first = since(start)
        start = time.perf_counter()
        await store.vectors.warm()
        figures = {
            "first_question_ms": first,
            "made_ready_ms": since(start),
            **await _asked(both, store, scope, said, what.questions),
            "words_alone": await _asked(words, store, scope, said, what.questions),
        }
        kind = store.kind
        counts = await store.counts(scope)
    progress(f"{kind}: recall {figures}")
    figures["bytes_per_message"] = round(folder_bytes(settings.data_dir) / counts.total)
    async with Database.open(settings.data_dir / FILES[kind], migrations=MIGRATIONS) as database:
        everything = SqlStore(database, kind, exhaustive=True)
        figures["exhaustive"] = {
            "found_percent": await _found(both, everything, scope, what.questions),
            "words_alone_found_percent": await _found(words, everything, scope, what.questions),
        }
    return figures


@asynccontextmanager
async def _opened(folder: Path) -> AsyncIterator[MemoryStore]:
    """The store that holds the memory, without the check of a start that reads the whole file through."""
    if (folder / "memory.json").exists():
        async with JsonStore.open(folder) as store:
            yield store
    else:
        async with Database.open(folder / "memory.db", migrations=MIGRATIONS) as database:
            yield SqliteStore(database)


def _retrieval(settings: Settings, embedder: Embedder | None) -> MemoryRetrieval:
    return MemoryRetrieval(
        tokenizer=Tokenizer.for_model(settings.openai_model),
        budgets=budgets(settings),
        system_prompt=settings.system_prompt,
        clock=lambda: ASKED_AT,
        embedder=embedder,
    )


async def _asked(
    retrieval: MemoryRetrieval, store: MemoryStore, scope: Scope, said: Iterable[str], planted: Sequence[Asked]
) -> dict[str, object]:
    """Milliseconds of questions in the words of the invented messages, and what is found of the planted ones."""
    wall, work = [], []
    for question in said:
        start, worked = time.perf_counter(), time.process_time()
        await retrieval.recall(question, store=store, scope=scope)
        wall.append(time.perf_counter() - start)
        work.append(time.process_time() - worked)
    return {
        "ms": spread(wall),
        "processor_ms": spread(work),
        "found_percent": await _found(retrieval, store, scope, planted),
    }


async def _found(retrieval: MemoryRetrieval, store: MemoryStore, scope: Scope, planted: Sequence[Asked]) -> float:
    """The mean share of a question's evidence among its snippets, in percent."""
    shares = []
    for asked in planted:
        recall = await retrieval.recall(asked.text, store=store, scope=scope)
        shown = {snippet.message.id for snippet in recall.snippets}
        shares.append(len(asked.evidence & shown) / len(asked.evidence))
    return round(100 * sum(shares) / max(1, len(shares)), 2)

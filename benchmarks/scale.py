"""What a turn costs as a memory grows. `python -m benchmarks.scale [--messages 10000,100000,1000000]`

For each storage and size: the time of one turn apart from model and Telegram (write, recall, write, by Conversation
itself), of recall alone and of a fold; start-up, memory, bytes per message. Beside it the floor, measured in turn with
it: the bare driver, two durable commits and one FTS query over the same texts. Each case runs in a fresh process.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

from assembly import open_conversation
from benchmarks.filling import LAST_DAY, fill, said
from benchmarks.invented import Clock, InventedModel, Talk, turns
from benchmarks.measure import (
    LoopWatch,
    folder_bytes,
    machine,
    percentile,
    progress,
    report,
    resident_megabytes,
    spread,
    without_embedding,
)
from benchmarks.measure import since as milliseconds_since
from models.offline import ExtractiveSummarizer
from records import Scope, StorageType
from settings import Settings
from storage.driver import sqlite3 as driver
from words import content_terms

SCOPE = Scope(owner=1)
SIZES = (10_000, 100_000, 1_000_000)
MOST_JSON = 100_000
"""JSON is promised up to so many messages (contract)."""
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Floor:
    """SQLite by its bare driver: one table, one full-text index, WAL, synchronous=FULL. What nothing can be below."""

    def __init__(self, path: Path) -> None:
        self._connection: sqlite3.Connection = driver.connect(path, isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()

    def close(self) -> None:
        self._connection.close()

    def fill(self, texts: Iterator[str]) -> None:
        self._connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5(content)")
        self._connection.execute("BEGIN")
        for text in texts:
            self._insert(text)
        self._connection.execute("COMMIT")

    def turn(self, question: str, answer: str) -> float:
        """Seconds of a commit, a query for the question's words, and another commit."""
        start = time.perf_counter()
        self._commit(question)
        wanted = " OR ".join(f'"{term}"' for term in content_terms(question))
        self._connection.execute(
            """
            SELECT messages.*, bm25(words) AS score FROM words JOIN messages ON messages.id = words.rowid
            WHERE words MATCH ? ORDER BY score LIMIT 100
            """,
            (wanted,),
        ).fetchall()
        self._commit(answer)
        return time.perf_counter() - start

    def _commit(self, text: str) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._insert(text)
        self._connection.execute("COMMIT")

    def _insert(self, text: str) -> None:
        row = self._connection.execute("INSERT INTO messages (content) VALUES (?)", (text,)).lastrowid
        self._connection.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (row, text))


def prepare(folder: Path, storage: StorageType, count: int) -> float:
    """Fill a data directory; the seconds that took."""
    start = time.perf_counter()
    asyncio.run(fill(folder, storage, SCOPE, count))
    return round(time.perf_counter() - start, 1)


def prepare_floor(path: Path, count: int) -> None:
    with closing(Floor(path)) as floor:
        floor.fill(said(count))


def measure(settings: Settings, floor: Path, count: int, turn_count: int) -> dict[str, object]:
    """The figures of one filled data directory."""
    return asyncio.run(_measure(settings, floor, count, turn_count))


async def _measure(settings: Settings, floor_path: Path, count: int, turn_count: int) -> dict[str, object]:
    stored = folder_bytes(settings.data_dir)
    clock = Clock(now=datetime.fromtimestamp(LAST_DAY.timestamp(), LAST_DAY.tzinfo))
    models = (InventedModel(Talk(seed=5)), ExtractiveSummarizer())
    start = time.perf_counter()
    async with open_conversation(settings, clock=clock, models=models) as conversation:
        startup = milliseconds_since(start)
        asked = turns(Talk(seed=6), SCOPE, clock)
        for warming in islice(asked, 3):
            await conversation.reply(warming)
        whole, recall, folds, floors = [], [], [], []
        watch, answers = LoopWatch(), Talk(seed=7)
        with closing(Floor(floor_path)) as floor:
            for incoming in islice(asked, turn_count):
                async with watch.watching():
                    start = time.perf_counter()
                    reply = await conversation.reply(incoming)
                    whole.append(time.perf_counter() - start)
                if reply.is_error or reply.notices:
                    raise RuntimeError(f"{reply.text} {reply.notices}")
                floors.append(floor.turn(incoming.text, answers.answer()))
                async with conversation.memory.home(SCOPE.owner) as store:
                    start = time.perf_counter()
                    await conversation.retrieval.recall(answers.question(), store=store, scope=SCOPE)
                    recall.append(time.perf_counter() - start)
                start = time.perf_counter()
                await conversation.settle(SCOPE)
                folds.append(time.perf_counter() - start)
        resident = resident_megabytes()
        status = await conversation.summaries.status(SCOPE)
    expected = count + 2 * (turn_count + 3)
    if status.counts.total != expected:
        raise RuntimeError(f"{status.counts.total} messages are stored, not {expected}")
    return {
        "messages": count,
        "turn_ms": spread(whole),
        "floor_ms": spread(floors),
        "times_the_floor": round(percentile(whole, 0.5) / percentile(floors, 0.5), 2),
        "recall_ms": spread(recall),
        "settle_ms": {**spread(folds), "most": round(max(folds) * 1000, 1)},
        "event_loop_blocked_ms": watch.longest,
        "startup_ms": startup,
        "rss_mb": resident,
        "bytes_per_message": round(stored / count),
    }


def rebuilding(settings: Settings) -> float:
    """Milliseconds of a start without index.db, which the JSON store then makes anew."""

    async def start_and_stop() -> float:
        start = time.perf_counter()
        async with open_conversation(settings, offline=True):
            return milliseconds_since(start)

    for derived in settings.data_dir.glob("index.db*"):
        derived.unlink()
    return asyncio.run(start_and_stop())


def apart(work: Callable[Parameters, Result], *given: Parameters.args, **named: Parameters.kwargs) -> Result:
    """Run in a process of its own, so that nothing of an earlier case is in its memory."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as process:
        return process.submit(work, *given, **named).result()


def run(settings: Settings, sizes: Sequence[int], turn_count: int) -> dict[str, list[dict[str, object]]]:
    """The figures of every storage at every size that it is promised for."""
    results: dict[str, list[dict[str, object]]] = {storage.value: [] for storage in StorageType}
    for count in sizes:
        with tempfile.TemporaryDirectory(prefix="keepsake-scale-") as name:
            for storage in StorageType:
                if storage is StorageType.JSON and count > MOST_JSON:
                    continue
                folder, floor = Path(name) / storage, Path(name) / f"{storage}-floor.db"
                folder.mkdir()
                progress(f"{storage}: filling {count:,} messages")
                seconds = apart(prepare, folder, storage, count)
                apart(prepare_floor, floor, count)
                progress(f"{storage}: filled in {seconds} s; {turn_count} turns")
                there = replace(settings, data_dir=folder)
                result = apart(measure, there, floor, count, turn_count)
                if storage is StorageType.JSON:
                    result["startup_without_index_ms"] = apart(rebuilding, there)
                results[storage].append(result)
                progress(f"{storage}: {json.dumps(result)}")
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--messages", default=",".join(map(str, SIZES)), help="sizes, separated by commas")
    parser.add_argument("--turns", type=int, default=100, help="turns measured at each size")
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.messages.split(",")]
    results = run(Settings.from_env(without_embedding()), sizes, options.turns)
    report({"benchmark": "scale", "machine": machine(), "turns": options.turns, **results})


if __name__ == "__main__":
    main()

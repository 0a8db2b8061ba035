"""Measure what a turn costs as a memory grows. `python -m benchmarks.scale [--messages 10000,100000,1000000]`

For each storage and size, measure the time of a turn without model and Telegram, of recall alone and of a fold, and
also the start-up time, memory, and bytes per message. The floor alternates with it: the bare driver makes two durable
commits and one FTS query over the same texts. Multiples of the floor are printed in wall-clock and CPU time; other
programs disturb the latter less. Each case runs in a new process. `--people` measures only the memory that many people
take. `--storage postgres` uses new schemas `scale_…` on the server of DATABASE_URL and includes its CPU time, but no
search by meaning.
"""

import argparse
import asyncio
import gc
import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import ParamSpec, TypeVar

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_numbers, read_settings_or_exit
from benchmarks.filling import LAST_DAY, fill, make_texts
from benchmarks.invented import Clock, InventedModel, Talk, make_turns
from benchmarks.measure import (
    count_folder_bytes,
    describe_machine,
    make_environment_without_embedding,
    milliseconds_since,
    percentile,
    print_progress,
    print_report,
    read_resident_megabytes,
    summarize_times,
)
from benchmarks.on_server import Server, analyze_tables, create_empty_schema, make_schema_url, read_stored_bytes
from chat.services import Services
from llm.offline import ExtractiveSummarizer
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import Incoming, IncomingPiece
from settings import Secret, Settings
from storage.engine.sqlite_driver import sqlite3 as driver
from text.analyzer import list_content_terms

SIZES = (10_000, 100_000, 1_000_000)
MAX_JSON = 100_000  # JSON is promised up to so many messages (contract)
SCOPE = Scope(owner=1)
WARMING = 3  # turns before those that are measured
TENTHS, AT_ONCE = 10, 64  # how often what many people take is looked at, and how many of them write at once
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Floor:
    """SQLite by its bare driver, as a lower bound: one table, one full-text index, WAL, synchronous=FULL."""

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

    def turn(self, question: str, answer: str) -> tuple[float, float]:
        """Return wall-clock and processor seconds of a commit, a query for the question's words, and a commit."""
        start, worked = time.perf_counter(), time.thread_time()
        self._commit(question)
        wanted = " OR ".join(f'"{term}"' for term in list_content_terms(question))
        self._connection.execute(
            """
            SELECT messages.*, bm25(words) AS score FROM words JOIN messages ON messages.id = words.rowid
            WHERE words MATCH ? ORDER BY score LIMIT 100
            """,
            (wanted,),
        ).fetchall()
        self._commit(answer)
        return time.perf_counter() - start, time.thread_time() - worked

    def _commit(self, text: str) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._insert(text)
        self._connection.execute("COMMIT")

    def _insert(self, text: str) -> None:
        row = self._connection.execute("INSERT INTO messages (content) VALUES (?)", (text,)).lastrowid
        self._connection.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (row, text))


def prepare(folder: Path, storage: StorageType, count: int, url: str) -> None:
    """Fill a data directory, or the tables at an address."""
    asyncio.run(fill(folder, storage, [SCOPE], count, database_url=url))
    if url:
        analyze_tables(url)


def prepare_floor(path: Path, count: int) -> None:
    with closing(Floor(path)) as floor:
        floor.fill(make_texts(count))


def measure(settings: Settings, floor: Path, count: int, turn_count: int) -> dict[str, object]:
    """Measure one filled data directory."""
    return asyncio.run(_measure(settings, floor, count, turn_count))


async def _measure(settings: Settings, floor_path: Path, count: int, turn_count: int) -> dict[str, object]:
    url = settings.database_url.value
    stored = read_stored_bytes(url) if url else count_folder_bytes(settings.data_dir)
    clock = Clock(now=datetime.fromtimestamp(LAST_DAY.timestamp(), LAST_DAY.tzinfo))
    model = InventedModel(Talk(seed=5))
    start = time.perf_counter()
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(
            open_services(settings, clock=clock, models=(model, ExtractiveSummarizer()))
        )
        server = stack.enter_context(closing(Server(url))) if url else None
        startup = milliseconds_since(start)
        before = await _total(services)
        clock.now = max(clock.now, await _read_newest_time(services))
        asked = make_turns(Talk(seed=6), SCOPE, clock, first=before + 1)
        for warming in islice(asked, WARMING):
            await services.conversation.reply(warming)
        gc.freeze()  # as bot.py does after its start
        whole, worked, of_server, recall, folds, floors = [], [], [], [], [], []
        answers = Talk(seed=7)
        with closing(Floor(floor_path)) as floor:
            for incoming in islice(asked, turn_count):
                model.prepare()
                spent = server.seconds() if server else {}
                start, before_it = time.perf_counter(), time.process_time()
                reply = await services.conversation.reply(incoming)
                whole.append(time.perf_counter() - start)
                of_server.append(server.spent(spent) if server else 0.0)
                worked.append(time.process_time() - before_it + of_server[-1])
                if reply.is_error or reply.notices:
                    raise RuntimeError(f"{reply.text} {reply.notices}")
                floors.append(floor.turn(incoming.text, answers.answer()))
                async with services.memory.open_store(SCOPE.owner) as store:
                    start = time.perf_counter()
                    found = await services.retrieval.search(answers.question(), store, SCOPE)
                    await services.retrieval.pack_snippets(
                        found, store, SCOPE, room=settings.snippet_budget, now=clock()
                    )
                    recall.append(time.perf_counter() - start)
                start = time.perf_counter()
                await services.conversation.run_follow_up(SCOPE)
                folds.append(time.perf_counter() - start)
        resident = read_resident_megabytes()
        after = await _total(services)
    expected = before + 2 * (turn_count + WARMING)
    if after != expected:
        raise RuntimeError(f"{after} messages are stored, not {expected}")
    floor_clock, floor_worked = zip(*floors, strict=True)
    return {
        "messages": count,
        "turn_ms": summarize_times(whole),
        "floor_ms": summarize_times(floor_clock),
        "times_the_floor": _compare_to_floor(whole, floor_clock),
        "turn_processor_ms": summarize_times(worked),
        **({"of_it_the_server_ms": summarize_times(of_server)} if url else {}),
        "floor_processor_ms": summarize_times(floor_worked),
        "times_the_floor_by_processor": _compare_to_floor(worked, floor_worked),
        "recall_ms": summarize_times(recall),
        "settle_ms": {**summarize_times(folds), "most": round(max(folds) * 1000, 1)},
        "startup_ms": startup,
        "rss_mb": resident,
        "bytes_per_message": round(stored / count),
    }


async def _total(services: Services) -> int:
    return (await services.summaries.read_status(SCOPE)).counts.total


async def _read_newest_time(services: Services) -> datetime:
    """Return the time of the last message. An earlier run may have added turns."""
    async with services.memory.open_store(SCOPE.owner) as store:
        newest = await store.timeline.read_page(SCOPE, limit=1)
    return newest[-1].created_at if newest else datetime.min.replace(tzinfo=UTC)


def _compare_to_floor(values: Sequence[float], floor: Sequence[float]) -> float:
    """Return the median of the values as a multiple of the floor's."""
    return round(percentile(values, 0.5) / percentile(floor, 0.5), 2)


async def _measure_many_people(settings: Settings, people: int) -> dict[str, object]:
    """Measure the memory that many people take, each with memory on and one turn, without Telegram."""
    clock, talk = Clock(), Talk(seed=6)
    async with open_services(
        settings, clock=clock, models=(InventedModel(Talk(seed=5), records=False), ExtractiveSummarizer())
    ) as services:

        async def turn(owner: int) -> None:
            await services.memory.configure(owner, storage=StorageType.SQLITE, every_n=20)
            scope = Scope(owner=owner)
            said = (IncomingPiece(text=talk.question(), source=f"bench:{owner}", sent_at=clock.now),)
            person = Person(id=owner, name=f"Person {owner}")
            reply = await services.conversation.reply(Incoming(scope=scope, person=person, pieces=said))
            if reply.is_error:
                raise RuntimeError(reply.text)
            await services.conversation.run_follow_up(scope)

        await turn(1)
        held = [(1, read_resident_megabytes())]
        step = max(1, people // TENTHS)
        for first in range(2, people + 1, AT_ONCE):
            last = min(people, first + AT_ONCE - 1)
            await asyncio.gather(*map(turn, range(first, last + 1)))
            if last // step > held[-1][0] // step or last == people:
                held.append((last, read_resident_megabytes()))
                print_progress(f"{last} people: {held[-1][1]} MB")
    return {"people": people, "rss_mb": dict(held), "kb_a_person": round((held[-1][1] - held[0][1]) * 1024 / people, 1)}


def measure_many_people(settings: Settings, people: int) -> dict[str, object]:
    """Return resident megabytes after the first person's turn, at every tenth of the people, and at the end."""
    with tempfile.TemporaryDirectory(prefix="keepsake-people-") as name:
        return asyncio.run(_measure_many_people(replace(settings, data_dir=Path(name)), people))


def measure_rebuild(settings: Settings) -> float:
    """Return the milliseconds of a start without index.db, which the JSON store rebuilds."""

    async def start_and_stop() -> float:
        start = time.perf_counter()
        async with open_services(settings, offline=True):
            return milliseconds_since(start)

    for derived in settings.data_dir.glob("index.db*"):
        derived.unlink()
    return asyncio.run(start_and_stop())


def _importing() -> BaseContext:
    context = get_context("forkserver")
    # All that this imports, but not itself, which is this process's main module already.
    context.set_forkserver_preload(["assembly"])
    return context


def run_in_own_process(
    work: Callable[Parameters, Result], *given: Parameters.args, **named: Parameters.kwargs
) -> Result:
    """Run a case in its own process, so that it holds nothing of an earlier case.

    The process is forked from one that has only imported the program, because imports take more than a second.
    """
    with ProcessPoolExecutor(max_workers=1, mp_context=_importing()) as process:
        return process.submit(work, *given, **named).result()


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The options of a run."""

    sizes: Sequence[int]
    storages: Sequence[StorageType]
    turns: int


def run(settings: Settings, plan: Plan, folder: Path) -> dict[str, object]:
    """Measure every storage at every supported size. Data that `folder` already holds is reused."""
    results: dict[str, list[dict[str, object]]] = {storage.value: [] for storage in plan.storages}
    for count in plan.sizes:
        for storage in plan.storages:
            if storage is StorageType.JSON and count > MAX_JSON:
                continue
            name = f"{storage}-{count}"
            on_server = storage is StorageType.POSTGRES
            url = settings.database_url.value if on_server else ""
            there = replace(
                settings, data_dir=folder / name, database_url=Secret(url and make_schema_url(url, _schema(name)))
            )
            floor = folder / f"floor-{storage}-{count}.db"
            fill_case(there.data_dir, floor, storage, count, url)
            print_progress(f"{storage}: {plan.turns} turns")
            result = run_in_own_process(measure, there, floor, count, plan.turns)
            if storage is StorageType.JSON:
                result["startup_without_index_ms"] = run_in_own_process(measure_rebuild, there)
            results[storage].append(result)
            print_progress(f"{storage}: {json.dumps(result)}")
    return dict(results)


def _schema(name: str) -> str:
    """Return the server's schema for a folder."""
    return f"scale_{name.replace('-', '_')}"


def fill_case(folder: Path, floor: Path, storage: StorageType, count: int, url: str) -> None:
    """Fill the folder and the schema unless they exist. They have a temporary name until they are complete."""
    start = time.perf_counter()
    if not folder.exists():
        half = folder.with_name(f"half-{folder.name}")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        print_progress(f"{storage}: filling {count:,} messages")
        run_in_own_process(prepare, half, storage, count, url and create_empty_schema(url, _schema(folder.name)))
        half.rename(folder)
    if not floor.exists():
        half = floor.with_name(f"half-{floor.name}")
        half.unlink(missing_ok=True)
        run_in_own_process(prepare_floor, half, count)
        half.rename(floor)
    print_progress(f"{storage}: filled in {milliseconds_since(start) / 1000:.0f} s")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--messages", type=parse_numbers, default=SIZES, help="sizes, separated by commas")
    parser.add_argument("--turns", type=make_number_parser(1), default=100, help="turns measured at each size")
    parser.add_argument(
        "--storage", type=StorageType, choices=list(StorageType), nargs="+", help="those in files unless named"
    )
    parser.add_argument("--folder", type=Path, help="keeps what was filled for the next run, which adds to it")
    parser.add_argument(
        "--people", type=make_number_parser(0), default=0, help="what is held of so many people, nothing else"
    )
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser, make_environment_without_embedding)
    if options.people:
        held = run_in_own_process(measure_many_people, settings, options.people)
        print_report({"benchmark": "scale", "machine": describe_machine(), **held})
        return
    plan = Plan(
        sizes=options.messages, storages=options.storage or (StorageType.SQLITE, StorageType.JSON), turns=options.turns
    )
    if StorageType.POSTGRES in plan.storages and not settings.database_url.value:
        parser.error("--storage postgres needs DATABASE_URL")
    with tempfile.TemporaryDirectory(prefix="keepsake-scale-") as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        results = run(settings, plan, folder)
    print_report({"benchmark": "scale", "machine": describe_machine(), "turns": options.turns, **results})


if __name__ == "__main__":
    main()

"""Measure the cost of a turn as a memory grows. `python -m benchmarks.scale [--messages 10000,100000,1000000]`

For each storage and size, measure the time of a turn without the model and Telegram, of recall alone, and of a fold.
Also measure the start-up time, memory, and bytes per message.

After each turn, measure the minimum cost with SQLite: two durable commits and one FTS query over the same texts, using
the bare driver. Results are also printed as multiples of this minimum, both in wall-clock time and in CPU time, which
is less sensitive to other programs.

Each case runs in a new process. `--people` only measures how much memory a large number of people requires. `--storage
postgres` creates schemas `scale_…` on the server of DATABASE_URL and includes its CPU time, but no semantic search.
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
from benchmarks.filling import LAST_DAY, fill_storage, make_texts
from benchmarks.invented import Clock, InventedModel, MessageGenerator, make_incoming_messages
from benchmarks.measure import (
    compute_milliseconds_since,
    compute_percentile,
    count_folder_bytes,
    describe_machine,
    make_environment_without_embedding,
    print_progress,
    print_report,
    read_resident_megabytes,
    summarize_times,
)
from benchmarks.on_server import (
    PostgresServer,
    analyze_tables,
    create_empty_schema,
    make_schema_url,
    measure_stored_bytes,
)
from chat.services import Services
from llm.offline import ExtractiveSummarizer
from records.owners import StorageType
from records.scopes import Person, Scope
from records.turns import IncomingPiece, UserMessage
from settings import Secret, Settings
from storage.engine.sqlite_driver import sqlite3 as driver
from text.analyzer import list_content_terms

SIZES = (10_000, 100_000, 1_000_000)
MAX_JSON = 100_000  # messages that the JSON store has to support
SCOPE = Scope(owner=1)
WARM_UP_TURNS = 3  # before the measured turns
MEMORY_READINGS = 10  # while people are added
MAX_WRITING_PEOPLE = 64  # at the same time
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class BareSqlite:
    """The baseline: SQLite used directly, with one table, one full-text index, WAL and synchronous=FULL."""

    def __init__(self, path: Path) -> None:
        self._connection: sqlite3.Connection = driver.connect(path, isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            self._connection.execute(f"PRAGMA {pragma}").fetchall()

    def close(self) -> None:
        self._connection.close()

    def fill(self, texts: Iterator[str]) -> None:
        """Create the tables and insert a message for each text."""
        self._connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT NOT NULL)")
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5(content)")
        self._connection.execute("BEGIN")
        for text in texts:
            self._insert(text)
        self._connection.execute("COMMIT")

    def measure_turn(self, question: str, answer: str) -> tuple[float, float]:
        """Commit the question, search for its words, and commit the answer. Return wall-clock and CPU seconds."""
        start, cpu_start = time.perf_counter(), time.thread_time()
        self._insert_and_commit(question)
        wanted = " OR ".join(f'"{term}"' for term in list_content_terms(question))
        self._connection.execute(
            """
            SELECT messages.*, bm25(words) AS score FROM words JOIN messages ON messages.id = words.rowid
            WHERE words MATCH ? ORDER BY score LIMIT 100
            """,
            (wanted,),
        ).fetchall()
        self._insert_and_commit(answer)
        return time.perf_counter() - start, time.thread_time() - cpu_start

    def _insert_and_commit(self, text: str) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._insert(text)
        self._connection.execute("COMMIT")

    def _insert(self, text: str) -> None:
        row = self._connection.execute("INSERT INTO messages (content) VALUES (?)", (text,)).lastrowid
        self._connection.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (row, text))


def fill_and_update_statistics(folder: Path, storage: StorageType, count: int, url: str) -> None:
    """Fill a data directory with `count` messages. If `url` is given, fill and analyze the tables of that database."""
    asyncio.run(fill_storage(folder, storage, [SCOPE], count, database_url=url))
    if url:
        analyze_tables(url)


def create_baseline_database(path: Path, count: int) -> None:
    """Create the baseline's database with `count` messages."""
    with closing(BareSqlite(path)) as baseline:
        baseline.fill(make_texts(count))


def measure_storage_case(
    settings: Settings, baseline_path: Path, message_count: int, turn_count: int
) -> dict[str, object]:
    """Measure `turn_count` turns with a store that already holds `message_count` messages."""
    return asyncio.run(_measure_storage_case(settings, baseline_path, message_count, turn_count))


async def _measure_storage_case(
    settings: Settings, baseline_path: Path, message_count: int, turn_count: int
) -> dict[str, object]:
    url = settings.database_url.value
    stored = measure_stored_bytes(url) if url else count_folder_bytes(settings.data_dir)
    clock = Clock(now=datetime.fromtimestamp(LAST_DAY.timestamp(), LAST_DAY.tzinfo))
    model = InventedModel(MessageGenerator(seed=5))
    start = time.perf_counter()
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(
            open_services(settings, clock=clock, models=(model, ExtractiveSummarizer()))
        )
        server = stack.enter_context(closing(PostgresServer(url))) if url else None
        startup = compute_milliseconds_since(start)
        before = await _count_messages(services)
        clock.now = max(clock.now, await _read_newest_message_time(services))
        messages = make_incoming_messages(MessageGenerator(seed=6), SCOPE, clock, first=before + 1)
        for incoming in islice(messages, WARM_UP_TURNS):  # so that caches are filled
            await services.conversation.reply(incoming)
        gc.freeze()  # as bot.py does after its start
        turn_seconds, cpu_seconds, server_seconds, recall_seconds, fold_seconds, baseline_times = [], [], [], [], [], []
        answers = MessageGenerator(seed=7)
        with closing(BareSqlite(baseline_path)) as baseline:
            for incoming in islice(messages, turn_count):
                model.prepare_answer()
                spent = server.read_cpu_seconds() if server else {}
                start, cpu_start = time.perf_counter(), time.process_time()
                reply = await services.conversation.reply(incoming)
                turn_seconds.append(time.perf_counter() - start)
                server_seconds.append(server.measure_cpu_seconds_since(spent) if server else 0.0)
                cpu_seconds.append(time.process_time() - cpu_start + server_seconds[-1])
                if reply.is_error or reply.notices:
                    raise RuntimeError(f"{reply.text} {reply.notices}")
                baseline_times.append(baseline.measure_turn(incoming.text, answers.make_answer()))
                async with services.memory.open_store(SCOPE.owner) as store:
                    start = time.perf_counter()
                    found = await services.retrieval.search(answers.make_question(), store, SCOPE)
                    await services.retrieval.pack_snippets(
                        found, store, SCOPE, max_tokens=settings.snippet_budget, now=clock()
                    )
                    recall_seconds.append(time.perf_counter() - start)
                start = time.perf_counter()
                await services.conversation.run_after_turn(SCOPE)
                fold_seconds.append(time.perf_counter() - start)
        resident = read_resident_megabytes()
        after = await _count_messages(services)
    expected = before + 2 * (turn_count + WARM_UP_TURNS)
    if after != expected:
        raise RuntimeError(f"{after} messages are stored, not {expected}")
    baseline_seconds, baseline_cpu_seconds = zip(*baseline_times, strict=True)
    return {
        "messages": message_count,
        "turn_ms": summarize_times(turn_seconds),
        "floor_ms": summarize_times(baseline_seconds),
        "times_the_floor": _compute_ratio_to_baseline(turn_seconds, baseline_seconds),
        "turn_processor_ms": summarize_times(cpu_seconds),
        **({"of_it_the_server_ms": summarize_times(server_seconds)} if url else {}),
        "floor_processor_ms": summarize_times(baseline_cpu_seconds),
        "times_the_floor_by_processor": _compute_ratio_to_baseline(cpu_seconds, baseline_cpu_seconds),
        "recall_ms": summarize_times(recall_seconds),
        "settle_ms": {**summarize_times(fold_seconds), "most": round(max(fold_seconds) * 1000, 1)},
        "startup_ms": startup,
        "rss_mb": resident,
        "bytes_per_message": round(stored / message_count),
    }


async def _count_messages(services: Services) -> int:
    return (await services.summaries.read_status(SCOPE)).counts.total


async def _read_newest_message_time(services: Services) -> datetime:
    """Return the time of the newest message, which is after LAST_DAY if an earlier run added turns."""
    async with services.memory.open_store(SCOPE.owner) as store:
        newest = await store.timeline.read_page(SCOPE, limit=1)
    return newest[-1].created_at if newest else datetime.min.replace(tzinfo=UTC)


def _compute_ratio_to_baseline(values: Sequence[float], baseline: Sequence[float]) -> float:
    """Return the median of the values as a multiple of the median of the baseline."""
    return round(compute_percentile(values, 0.5) / compute_percentile(baseline, 0.5), 2)


async def _measure_process_memory(settings: Settings, person_count: int) -> dict[str, object]:
    """Measure the RAM for `person_count` users who turn memory on and send one message each, without Telegram."""
    clock, generator = Clock(), MessageGenerator(seed=6)
    async with open_services(
        settings, clock=clock, models=(InventedModel(MessageGenerator(seed=5), records=False), ExtractiveSummarizer())
    ) as services:

        async def run_conversation_turn(owner: int) -> None:
            await services.memory.configure(owner, storage=StorageType.SQLITE, every_n=20)
            scope = Scope(owner=owner)
            said = (IncomingPiece(text=generator.make_question(), source=f"bench:{owner}", sent_at=clock.now),)
            person = Person(id=owner, name=f"Person {owner}")
            reply = await services.conversation.reply(UserMessage(scope=scope, person=person, pieces=said))
            if reply.is_error:
                raise RuntimeError(reply.text)
            await services.conversation.run_after_turn(scope)

        await run_conversation_turn(1)
        readings = [(1, read_resident_megabytes())]
        step = max(1, person_count // MEMORY_READINGS)
        for first in range(2, person_count + 1, MAX_WRITING_PEOPLE):
            last = min(person_count, first + MAX_WRITING_PEOPLE - 1)
            await asyncio.gather(*map(run_conversation_turn, range(first, last + 1)))
            if last // step > readings[-1][0] // step or last == person_count:
                readings.append((last, read_resident_megabytes()))
                print_progress(f"{last} people: {readings[-1][1]} MB")
    growth = readings[-1][1] - readings[0][1]
    return {"people": person_count, "rss_mb": dict(readings), "kb_a_person": round(growth * 1024 / person_count, 1)}


def measure_process_memory(settings: Settings, person_count: int) -> dict[str, object]:
    """Measure RAM use for large numbers of people. Return megabytes by number of people, in about ten steps."""
    with tempfile.TemporaryDirectory(prefix="keepsake-people-") as name:
        return asyncio.run(_measure_process_memory(replace(settings, data_dir=Path(name)), person_count))


def measure_index_rebuild(settings: Settings) -> float:
    """Delete index.db, and return the milliseconds that a start takes when the JSON store has to rebuild it."""

    async def start_and_stop() -> float:
        start = time.perf_counter()
        async with open_services(settings, offline=True):
            return compute_milliseconds_since(start)

    for derived in settings.data_dir.glob("index.db*"):
        derived.unlink()
    return asyncio.run(start_and_stop())


def _get_forkserver_context() -> BaseContext:
    context = get_context("forkserver")
    # Preload what this module imports, but not the module itself, which is this process's main module already.
    context.set_forkserver_preload(["assembly"])
    return context


def call_in_new_process(
    function: Callable[Parameters, Result], *arguments: Parameters.args, **keyword_arguments: Parameters.kwargs
) -> Result:
    """Call `function` in a new process, so that no earlier case affects its memory.

    The process is forked from one that has only imported the program, because imports take more than a second.
    """
    with ProcessPoolExecutor(max_workers=1, mp_context=_get_forkserver_context()) as process:
        return process.submit(function, *arguments, **keyword_arguments).result()


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The sizes and storages to measure, and the number of turns for each."""

    sizes: Sequence[int]
    storages: Sequence[StorageType]
    turns: int


def run_plan(settings: Settings, plan: Plan, folder: Path) -> dict[str, object]:
    """Measure every storage at every size that it supports. Data that is already in `folder` is reused."""
    results: dict[str, list[dict[str, object]]] = {storage.value: [] for storage in plan.storages}
    for count in plan.sizes:
        for storage in plan.storages:
            if storage is StorageType.JSON and count > MAX_JSON:
                continue
            name = f"{storage}-{count}"
            on_server = storage is StorageType.POSTGRES
            url = settings.database_url.value if on_server else ""
            case_settings = replace(
                settings,
                data_dir=folder / name,
                database_url=Secret(url and make_schema_url(url, _make_schema_name(name))),
            )
            baseline = folder / f"floor-{storage}-{count}.db"
            create_missing_databases(case_settings.data_dir, baseline, storage, count, url)
            print_progress(f"{storage}: {plan.turns} turns")
            result = call_in_new_process(measure_storage_case, case_settings, baseline, count, plan.turns)
            if storage is StorageType.JSON:
                result["startup_without_index_ms"] = call_in_new_process(measure_index_rebuild, case_settings)
            results[storage].append(result)
            print_progress(f"{storage}: {json.dumps(result)}")
    return dict(results)


def _make_schema_name(name: str) -> str:
    """Return the name of the PostgreSQL schema that belongs to the folder `name`."""
    return f"scale_{name.replace('-', '_')}"


def create_missing_databases(folder: Path, baseline_path: Path, storage: StorageType, count: int, url: str) -> None:
    """Fill the data directory (and its schema on the server) and the baseline's database, unless they exist.

    Files have a temporary name until they are complete.
    """
    start = time.perf_counter()
    if not folder.exists():
        half = folder.with_name(f"half-{folder.name}")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        print_progress(f"{storage}: filling {count:,} messages")
        call_in_new_process(
            fill_and_update_statistics,
            half,
            storage,
            count,
            url and create_empty_schema(url, _make_schema_name(folder.name)),
        )
        half.rename(folder)
    if not baseline_path.exists():
        half = baseline_path.with_name(f"half-{baseline_path.name}")
        half.unlink(missing_ok=True)
        call_in_new_process(create_baseline_database, half, count)
        half.rename(baseline_path)
    print_progress(f"{storage}: filled in {compute_milliseconds_since(start) / 1000:.0f} s")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--messages", type=parse_numbers, default=SIZES, help="sizes, separated by commas")
    parser.add_argument("--turns", type=make_number_parser(1), default=100, help="turns measured at each size")
    parser.add_argument(
        "--storage", type=StorageType, choices=list(StorageType), nargs="+", help="default: sqlite and json"
    )
    parser.add_argument("--folder", type=Path, help="keep the filled data here for the next run, which adds to it")
    parser.add_argument(
        "--people", type=make_number_parser(0), default=0, help="measure only the memory that so many people need"
    )
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser, make_environment_without_embedding)
    if options.people:
        figures = call_in_new_process(measure_process_memory, settings, options.people)
        print_report({"benchmark": "scale", "machine": describe_machine(), **figures})
        return
    plan = Plan(
        sizes=options.messages, storages=options.storage or (StorageType.SQLITE, StorageType.JSON), turns=options.turns
    )
    if StorageType.POSTGRES in plan.storages and not settings.database_url.value:
        parser.error("--storage postgres needs DATABASE_URL")
    with tempfile.TemporaryDirectory(prefix="keepsake-scale-") as name:
        folder = options.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        results = run_plan(settings, plan, folder)
    print_report({"benchmark": "scale", "machine": describe_machine(), "turns": options.turns, **results})


if __name__ == "__main__":
    main()

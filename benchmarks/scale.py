"""Measure the cost of a turn as a memory grows. `python -m benchmarks.scale [--messages 10000,100000,1000000]`

For each storage and size, measure the time of a turn without the model and Telegram, of recall alone, and of the work
after a turn. Also measure the start-up time and memory.

The same run measures the minimum cost with SQLite, the floor: two durable commits and one FTS query over the same
texts, using the bare driver.

Each case runs in a new process. `--people` only measures how much memory a large number of people requires. `--storage
postgres` creates schemas `scale_…` on the server of DATABASE_URL, and measures no semantic search.
"""

import argparse
import asyncio
import gc
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

from assembly import open_services
from benchmarks.arguments import make_number_parser, parse_numbers, read_settings_or_exit
from benchmarks.filling import LAST_DAY, create_empty_schema, fill_storage, make_texts
from benchmarks.invented import Clock, InstantModel, MessageGenerator, make_incoming_message
from benchmarks.measure import (
    describe_machine,
    make_environment_without_embedding,
    print_progress,
    print_report,
    read_resident_megabytes,
    summarize_times,
)
from llm.offline import ExtractiveSummarizer
from records.owners import StorageType
from records.scopes import Scope
from settings import Secret, Settings
from storage.engine.sqlite_driver import sqlite3 as driver
from text.analyzer import list_distinct_search_terms
from text.tokenizer import Tokenizer

SIZES = (10_000, 100_000)
MAX_JSON = 100_000  # messages that the JSON store has to support
SCOPE = Scope(owner=1)
WARM_UP_TURNS = 3  # before the measured turns
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

    def measure_turn(self, question: str, answer: str) -> float:
        """Commit the question, search for its words, and commit the answer. Return the seconds that this took."""
        start = time.perf_counter()
        self._insert_and_commit(question)
        wanted = " OR ".join(f'"{term}"' for term in list_distinct_search_terms(question))
        self._connection.execute(
            """
            SELECT messages.*, bm25(words) AS score FROM words JOIN messages ON messages.id = words.rowid
            WHERE words MATCH ? ORDER BY score LIMIT 100
            """,
            (wanted,),
        ).fetchall()
        self._insert_and_commit(answer)
        return time.perf_counter() - start

    def _insert_and_commit(self, text: str) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._insert(text)
        self._connection.execute("COMMIT")

    def _insert(self, text: str) -> None:
        row = self._connection.execute("INSERT INTO messages (content) VALUES (?)", (text,)).lastrowid
        self._connection.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (row, text))


def measure_baseline_turns(path: Path, message_count: int, turn_count: int) -> dict[str, float]:
    """Measure turns of the baseline over `message_count` messages, in a new database at `path`."""
    questions, answers = MessageGenerator(seed=6), MessageGenerator(seed=7)
    with closing(BareSqlite(path)) as baseline:
        baseline.fill(make_texts(message_count))
        return summarize_times(
            [baseline.measure_turn(questions.make_question(), answers.make_answer()) for _ in range(turn_count)]
        )


def fill_settings_storage(settings: Settings, storage: StorageType, count: int) -> None:
    """Store `count` messages in a storage of this type, at the location given in the settings."""
    asyncio.run(fill_storage(settings.data_dir, storage, [SCOPE], count, database_url=settings.database_url.value))


def measure_filled_storage(settings: Settings, turn_count: int) -> dict[str, object]:
    """Measure `turn_count` turns with a storage that fill_settings_storage() has filled."""
    return asyncio.run(_measure_filled_storage(settings, turn_count))


async def _measure_filled_storage(settings: Settings, turn_count: int) -> dict[str, object]:
    clock, questions = Clock(now=LAST_DAY), MessageGenerator(seed=6)
    models = InstantModel(MessageGenerator(seed=5).make_answer, Tokenizer.for_model("")), ExtractiveSummarizer()
    turn_times, recall_times, fold_times = list[float](), list[float](), list[float]()
    start = time.perf_counter()
    async with open_services(settings, clock=clock, models=models) as services:
        startup = time.perf_counter() - start
        for number in range(-WARM_UP_TURNS, turn_count):
            if number == 0:
                gc.freeze()  # as bot.py does after its start
            clock.advance(7)
            incoming = make_incoming_message(SCOPE, "Nadia", questions.make_question(), clock)
            start = time.perf_counter()
            reply = await services.conversation.reply(incoming)
            turn_times.append(time.perf_counter() - start)
            if reply.is_error or reply.notices:
                raise RuntimeError(f"{reply.text} {reply.notices}")
            async with services.memory.open_store(SCOPE.owner) as store:
                start = time.perf_counter()
                found = await services.retrieval.search(questions.make_question(), store, SCOPE)
                await services.retrieval.pack_snippets(
                    found, store, SCOPE, max_tokens=settings.snippet_budget, now=clock()
                )
                recall_times.append(time.perf_counter() - start)
            start = time.perf_counter()
            await services.conversation.run_post_turn_tasks(SCOPE)
            fold_times.append(time.perf_counter() - start)
        return {
            "turn_ms": summarize_times(turn_times[WARM_UP_TURNS:]),
            "recall_ms": summarize_times(recall_times[WARM_UP_TURNS:]),
            "settle_ms": summarize_times(fold_times[WARM_UP_TURNS:]),
            "startup_ms": round(startup * 1000, 1),
            "rss_mb": read_resident_megabytes(),
        }


def measure_process_memory(settings: Settings, person_count: int) -> float:
    """Return the process's memory in MB after `person_count` people have turned memory on and sent one message each."""
    with tempfile.TemporaryDirectory(prefix="keepsake-people-") as name:
        return asyncio.run(_measure_process_memory(replace(settings, data_dir=Path(name)), person_count))


async def _measure_process_memory(settings: Settings, person_count: int) -> float:
    clock, questions = Clock(), MessageGenerator(seed=6)
    models = InstantModel(MessageGenerator(seed=5).make_answer, Tokenizer.for_model("")), ExtractiveSummarizer()
    async with open_services(settings, clock=clock, models=models) as services:

        async def run_conversation_turn(owner: int) -> None:
            await services.memory.configure(owner, storage=StorageType.SQLITE, every_n=20)
            scope = Scope(owner=owner)
            reply = await services.conversation.reply(
                make_incoming_message(scope, f"Person {owner}", questions.make_question(), clock)
            )
            if reply.is_error:
                raise RuntimeError(reply.text)
            await services.conversation.run_post_turn_tasks(scope)

        for first in range(1, person_count + 1, MAX_WRITING_PEOPLE):
            people = range(first, min(person_count + 1, first + MAX_WRITING_PEOPLE))
            await asyncio.gather(*map(run_conversation_turn, people))
        return read_resident_megabytes()


def call_in_new_process(
    function: Callable[Parameters, Result], *arguments: Parameters.args, **keyword_arguments: Parameters.kwargs
) -> Result:
    """Call `function` in a new process, so that no earlier case affects its memory.

    The process is forked from one that has only imported the program, because imports take more than a second.
    """
    context = get_context("forkserver")
    # Preload what this module imports, but not the module itself, which is this process's main module already.
    context.set_forkserver_preload(["assembly"])
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as process:
        return process.submit(function, *arguments, **keyword_arguments).result()


def measure_case(
    settings: Settings, storage: StorageType, message_count: int, turn_count: int, folder: Path
) -> dict[str, object]:
    """Fill a storage in `folder`, or in a schema of its own on the server, and measure it."""
    name, url = f"{storage}_{message_count}", ""
    if storage is StorageType.POSTGRES:
        url = create_empty_schema(settings.database_url.value, f"scale_{name}")
    settings = replace(settings, data_dir=folder / name, database_url=Secret(url))
    print_progress(f"{storage}: filling {message_count:,} messages")
    call_in_new_process(fill_settings_storage, settings, storage, message_count)
    print_progress(f"{storage}: {turn_count} turns")
    figures = call_in_new_process(measure_filled_storage, settings, turn_count)
    floor = call_in_new_process(measure_baseline_turns, folder / f"floor_{name}.db", message_count, turn_count)
    print_progress(f"{storage}: {json.dumps(figures)}")
    return {"messages": message_count, "floor_ms": floor, **figures}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--messages", type=parse_numbers, default=SIZES, help="sizes, separated by commas")
    parser.add_argument("--turns", type=make_number_parser(1), default=100, help="turns measured at each size")
    parser.add_argument(
        "--storage",
        type=StorageType,
        choices=list(StorageType),
        nargs="+",
        default=(StorageType.SQLITE, StorageType.JSON),
    )
    parser.add_argument(
        "--people", type=make_number_parser(0), default=0, help="measure only the memory that so many people need"
    )
    options = parser.parse_args(arguments)
    settings = read_settings_or_exit(parser, make_environment_without_embedding)
    report: dict[str, object] = {"benchmark": "scale", "machine": describe_machine()}
    if options.people:
        print_report(
            {
                **report,
                "people": options.people,
                "rss_mb": call_in_new_process(measure_process_memory, settings, options.people),
            }
        )
        return
    if StorageType.POSTGRES in options.storage and not settings.database_url.value:
        parser.error("--storage postgres needs DATABASE_URL")
    with tempfile.TemporaryDirectory(prefix="keepsake-scale-") as folder:
        results = {
            storage.value: [
                measure_case(settings, storage, count, options.turns, Path(folder))
                for count in options.messages
                if storage is not StorageType.JSON or count <= MAX_JSON
            ]
            for storage in options.storage
        }
    print_report({**report, "turns": options.turns, **results})


if __name__ == "__main__":
    main()

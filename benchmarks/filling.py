"""Fill stores quickly with invented messages, nearly all of them archived under a pyramid of summaries.

memory.db is filled in one transaction, and its indexes are built at the end. On PostgreSQL, further owners are copies
of the first. The JSON store uses its own `load`. Several processes analyze the words of large stores.
"""

import os
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.invented import Talk
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import BY_NAME, MESSAGES, UPSERT_USER, USERS
from storage.search import word_index
from storage.search.terms import TermsEntry
from storage.stores.json import JsonStore
from storage.stores.postgres import open_postgres_database
from summaries import pyramid
from summaries.planning import ActiveSummary, ScopeState
from text import analyzer

EVERY_N = 20
CHUNK = 2 * EVERY_N
UNFOLDED = CHUNK // 2
BATCH = 5_000
BLOCK, AT_ONCE = 10_000, 10_000  # messages that are made together; of more than AT_ONCE, by several processes
LAST_DAY = datetime(2025, 1, 1, tzinfo=UTC)

Row = Mapping[str, object]
_INSERT = MESSAGES.make_insert("seq")
_INDEXES_AND_TRIGGERS = "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = ? AND type IN ('index', 'trigger')"
_COUNT_SCOPES = """
INSERT INTO scopes (user_id, thread_id, total, archived, characters)
SELECT user_id, thread_id, COUNT(*), SUM(1 - is_active), SUM(LENGTH(content)) FROM messages GROUP BY user_id, thread_id
"""
_COUNT_WORDS = """
INSERT INTO scope_words
SELECT user_id, thread_id, COUNT(*), SUM(length), SUM(is_person), SUM(length * is_person)
FROM places GROUP BY user_id, thread_id
"""


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive messages of a scope as portable rows, with their terms numbered as in an empty store."""

    rows: Sequence[Row]
    entries: Sequence[TermsEntry]


async def fill(
    folder: Path, storage: StorageType, scopes: Sequence[Scope], count: int, *, database_url: str = ""
) -> None:
    """Fill a data directory, or the tables at this address, with `count` messages for each scope.

    Memory is on for all of them. On PostgreSQL, the scopes' owners must have consecutive ids.
    """
    if storage is StorageType.POSTGRES:
        async with open_postgres_database(database_url) as server:
            for index, scope in enumerate(scopes):
                filled = partial(_filled_there, scope=scope, count=count, before=index * count)
                await server.transact(filled, scope.owner)
        return
    if storage is StorageType.JSON:
        async with JsonStore.open(folder) as store:
            for scope in scopes:
                await store.load_owner(scope.owner, make_batches(scope, count))
        return
    async with Database.open(folder / "memory.db", migrations=MIGRATIONS) as database:
        await database.transact(lambda connection: _filled(connection, scopes, count))


def _filled(connection: Connection, scopes: Sequence[Scope], count: int) -> None:
    for scope in scopes:
        _begun(connection, scope, count, StorageType.SQLITE)
    with suspend_indexes(connection, "messages", "places"):
        _told(connection, scopes, count)
    connection.execute(_COUNT_WORDS)


@contextmanager
def suspend_indexes(connection: Connection, *tables: str) -> Iterator[None]:
    """Drop the indexes and triggers of empty tables while the block runs, and create them again at its end."""
    dropped = []
    for table in tables:
        found = connection.execute(_INDEXES_AND_TRIGGERS, (table,)).fetchall()
        # SQLite made those without SQL itself. They say which message a row replaces.
        dropped += [(kind, name, sql) for kind, name, sql in found if sql is not None]
    for kind, name, _ in dropped:
        connection.execute(f"DROP {kind} {name}")
    yield
    for _, _, sql in dropped:
        connection.execute(sql)
    connection.execute(_COUNT_SCOPES)
    connection.execute("INSERT INTO unindexed SELECT seq, user_id FROM messages")


def _filled_there(connection: Connection, scope: Scope, count: int, before: int) -> None:
    _begun(connection, scope, count, StorageType.POSTGRES)
    _told(connection, [scope], count, before=before)
    connection.execute("SELECT setval('message_seq', ?)", (before + count,)).fetchall()


def _begun(connection: Connection, scope: Scope, count: int, storage: StorageType) -> None:
    for row in make_first_rows(scope, count):
        table = BY_NAME[str(row["table"])]
        if table is USERS:
            connection.execute(UPSERT_USER, (*USERS.to_values(row), storage))
        else:
            connection.execute(table.upsert_sql, table.to_values(row))


def _told(connection: Connection, scopes: Sequence[Scope], count: int, *, before: int = 0) -> None:
    for part in make_parts(scopes, count, before=before):
        numbered = zip(part.entries, part.rows, strict=True)
        connection.executemany(_INSERT, [(*MESSAGES.to_values(row), entry.seq) for entry, row in numbered])
        word_index.index_entries(connection, part.entries)


def make_first_rows(scope: Scope, count: int) -> list[Row]:
    """Return the rows of a scope that precede its messages: the owner and the summaries."""
    whose = {"user_id": scope.owner, "thread_id": scope.thread}
    summaries = _make_summaries(count)
    return [_make_owner_row(scope, count, len(summaries)), *({**summary, **whose} for summary in summaries)]


def make_parts(scopes: Sequence[Scope], count: int, *, before: int = 0) -> Iterator[Part]:
    """Yield the messages of these scopes, scope by scope. `before` is the number of messages already stored."""
    chunk_ids = _list_chunk_ids(count)
    wanted = (
        (scope, first, count, before + index * count, chunk_ids[first // CHUNK : (first + BLOCK) // CHUNK])
        for index, scope in enumerate(scopes)
        for first in range(0, count, BLOCK)
    )
    if len(scopes) * count <= AT_ONCE:
        for kept_scope in wanted:
            yield _make_part(*kept_scope)
        return
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers, mp_context=get_context("forkserver")) as processes:
        begun = deque[Future[Part]]()  # a few at a time: they may come faster than they are written
        for kept_scope in wanted:
            begun.append(processes.submit(_make_part, *kept_scope))
            if len(begun) > 2 * workers:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


def _make_part(scope: Scope, first: int, count: int, before: int, chunk_ids: Sequence[int]) -> Part:
    """Return the block of a scope's messages after the first `first`.

    `before` is the number of messages of earlier scopes, and `chunk_ids` has the chunks of archived messages.
    """
    block = _analyze_texts(first, min(BLOCK, count - first))
    ids = [chunk for chunk in chunk_ids for _ in range(CHUNK)] + [None] * len(block)
    rows = [
        _make_message_row(scope, number, text, count, chunk)
        for number, ((text, _), chunk) in enumerate(zip(block, ids, strict=False), start=first + 1)
    ]
    numbered = enumerate(zip(rows, block, strict=True), start=before + first + 1)
    return Part(rows, [word_index.analyse_message(seq, row, terms) for seq, (row, (_, terms)) in numbered])


@lru_cache(maxsize=1)
def _analyze_texts(first: int, size: int) -> list[tuple[str, list[str]]]:
    """Return texts with their terms, the same for every scope."""
    return [(text, analyzer.analyse_text(text)) for text in _make_block_texts(first, size)]


def make_texts(count: int) -> Iterator[str]:
    """Yield the texts of the messages, always the same: user, assistant, user, …"""
    for first in range(0, count, BLOCK):
        yield from _make_block_texts(first, min(BLOCK, count - first))


def _make_block_texts(first: int, size: int) -> Iterator[str]:
    """Return the texts of one block, which does not depend on earlier ones."""
    talk = Talk(seed=3 + first)
    for number in range(size):
        yield talk.answer() if number % 2 else talk.question()


def compute_message_time(number: int, count: int) -> str:
    """Return the time of message `number` of `count`. They are ten minutes apart, and the last has a fixed day."""
    return (LAST_DAY - timedelta(minutes=10 * (count - number))).isoformat()


async def make_batches(scope: Scope, count: int) -> AsyncIterator[Sequence[Row]]:
    rows = make_first_rows(scope, count)
    chunk_ids = _list_chunk_ids(count)
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]
    batch: list[Row] = []
    for index, text in enumerate(make_texts(count)):
        chunk = chunk_ids[index // CHUNK] if index // CHUNK < len(chunk_ids) else None
        batch.append(_make_message_row(scope, index + 1, text, count, chunk))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _make_owner_row(scope: Scope, messages: int, summaries: int) -> Row:
    return {
        "table": "users",
        "user_id": scope.owner,
        "summary_every_n": EVERY_N,
        "memory_enabled": True,
        "created_at": compute_message_time(1, messages),
        "updated_at": compute_message_time(1, messages),
        "next_message_id": messages + 1,
        "next_summary_id": summaries + 1,
        "last_fence": 0,
    }


def _make_message_row(scope: Scope, number: int, text: str, count: int, chunk: int | None) -> Row:
    is_question = number % 2 == 1
    return {
        "table": "messages",
        "id": number,
        "user_id": scope.owner,
        "thread_id": scope.thread,
        "role": "user" if is_question else "assistant",
        "content": text,
        "created_at": compute_message_time(number, count),
        "is_active": chunk is None,
        "chunk_id": chunk,
        "turn_id": number if is_question else number - 1,
        "speaker": "Nadia" if is_question else "",
        "title": "",
        "source": f"filled:{(number + 1) // 2}",
        "telegram_id": None,
    }


def _list_chunk_ids(count: int) -> list[int]:
    """Return the ids of the summaries of archived chunks."""
    return [int(str(summary["id"])) for summary in _make_summaries(count) if summary["level"] == 1]


@lru_cache(maxsize=1)
def _make_summaries(count: int) -> Sequence[Row]:
    """Return the summaries of `count` messages by the bot's own policy, active or not, without their scope."""
    made: list[dict[str, object]] = []
    spans: dict[int, tuple[int, int, list[int]]] = {}  # first message, last message, chunks
    active: dict[int, list[int]] = {}
    talk = Talk(seed=4, assistant_words=60)

    def add(level: int, span: tuple[int, int, list[int]], sources: Sequence[int]) -> None:
        number = len(made) + 1
        spans[number] = (span[0], span[1], span[2] or [number])
        active.setdefault(level, []).append(number)
        made.append(_make_summary_row(number, level, talk.answer(), spans[number], sources, count))

    for chunk in range(max(0, count - UNFOLDED) // CHUNK):
        add(1, (chunk * CHUNK + 1, (chunk + 1) * CHUNK, []), ())
        while plan := pyramid.plan_fold(_standing(active), "upwards"):
            below = [spans[number] for number in plan.summary_ids]
            for level in active:
                active[level] = [number for number in active[level] if number not in plan.summary_ids]
            for number in plan.summary_ids:
                made[number - 1]["is_active"] = False
            covered = [summary_id for span in below for summary_id in span[2]]
            add(plan.level, (below[0][0], below[-1][1], covered), plan.summary_ids)
    return made


def _standing(active: Mapping[int, Sequence[int]]) -> ScopeState:
    return ScopeState(
        summaries=[ActiveSummary(id=number, level=level) for level, ids in active.items() for number in ids]
    )


def _make_summary_row(
    number: int, level: int, text: str, span: tuple[int, int, list[int]], sources: Sequence[int], count: int
) -> dict[str, object]:
    first, last, chunks = span
    return {
        "table": "summaries",
        "id": number,
        "summary_text": text,
        "created_at": compute_message_time(last, count),
        "level": level,
        "source_chunk_ids": chunks,
        "is_active": True,
        "source_ids": list(sources),
        "first_id": first,
        "last_id": last,
        "first_at": compute_message_time(first, count),
        "last_at": compute_message_time(last, count),
        "message_count": last - first + 1,
        "model": "invented",
        "prompt_version": "none",
        "tokens_in": 0,
        "tokens_out": 0,
        "milliseconds": 0,
        "base_id": None,
    }

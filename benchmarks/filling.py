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
from typing import NamedTuple

from benchmarks.invented import MessageGenerator
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

EVERY_N = 20  # turns until the bot folds
CHUNK_MESSAGES = 2 * EVERY_N
UNFOLDED = CHUNK_MESSAGES // 2  # newest messages, which are not archived
BATCH_ROWS = 5_000  # loaded together into the JSON store
BLOCK_MESSAGES = 10_000  # made together
MAX_MESSAGES_PER_PROCESS = 10_000  # more are made by several processes
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
class MessageBlock:
    """Consecutive messages of a scope as portable rows, and their entries for the word index.

    The entries are numbered on the assumption that the store was empty before the fill.
    """

    rows: Sequence[Row]
    entries: Sequence[TermsEntry]


class SummarySpan(NamedTuple):
    """The ids of the first and last message that a summary covers, and of the chunks in between."""

    first: int
    last: int
    chunk_ids: list[int]


async def fill_storage(
    folder: Path, storage: StorageType, scopes: Sequence[Scope], count: int, *, database_url: str = ""
) -> None:
    """Fill a data directory, or the tables at `database_url`, with `count` invented messages in each scope.

    Memory is turned on for every owner. On PostgreSQL, the owners must have consecutive ids.
    """
    if storage is StorageType.POSTGRES:
        async with open_postgres_database(database_url) as server:
            for index, scope in enumerate(scopes):
                filled = partial(_fill_postgres, scope=scope, count=count, existing_count=index * count)
                await server.transact(filled, scope.owner)
        return
    if storage is StorageType.JSON:
        async with JsonStore.open(folder) as store:
            for scope in scopes:
                await store.load_owner(scope.owner, make_row_batches(scope, count))
        return
    async with Database.open(folder / "memory.db", migrations=MIGRATIONS) as database:
        await database.transact(lambda connection: _fill_sqlite(connection, scopes, count))


def _fill_sqlite(connection: Connection, scopes: Sequence[Scope], count: int) -> None:
    for scope in scopes:
        _insert_owner_and_summaries(connection, scope, count, StorageType.SQLITE)
    with suspend_indexes(connection, "messages", "places"):
        _insert_messages(connection, scopes, count)
    connection.execute(_COUNT_WORDS)


@contextmanager
def suspend_indexes(connection: Connection, *tables: str) -> Iterator[None]:
    """Drop the indexes and triggers of empty tables while the block runs, and recreate them at its end."""
    dropped = []
    for table in tables:
        found = connection.execute(_INDEXES_AND_TRIGGERS, (table,)).fetchall()
        # Indexes without SQL belong to constraints and cannot be dropped. They find the message that a row replaces.
        dropped += [(kind, name, sql) for kind, name, sql in found if sql is not None]
    for kind, name, _ in dropped:
        connection.execute(f"DROP {kind} {name}")
    yield
    for _, _, sql in dropped:
        connection.execute(sql)
    connection.execute(_COUNT_SCOPES)
    connection.execute("INSERT INTO unindexed SELECT seq, user_id FROM messages")


def _fill_postgres(connection: Connection, scope: Scope, count: int, existing_count: int) -> None:
    _insert_owner_and_summaries(connection, scope, count, StorageType.POSTGRES)
    _insert_messages(connection, [scope], count, existing_count=existing_count)
    connection.execute("SELECT setval('message_seq', ?)", (existing_count + count,)).fetchall()


def _insert_owner_and_summaries(connection: Connection, scope: Scope, count: int, storage: StorageType) -> None:
    for row in make_owner_and_summary_rows(scope, count):
        table = BY_NAME[str(row["table"])]
        if table is USERS:
            connection.execute(UPSERT_USER, (*USERS.to_values(row), storage))
        else:
            connection.execute(table.upsert_sql, table.to_values(row))


def _insert_messages(connection: Connection, scopes: Sequence[Scope], count: int, *, existing_count: int = 0) -> None:
    for block in make_message_blocks(scopes, count, existing_count=existing_count):
        numbered = zip(block.entries, block.rows, strict=True)
        connection.executemany(_INSERT, [(*MESSAGES.to_values(row), entry.seq) for entry, row in numbered])
        word_index.index_entries(connection, block.entries)


def make_owner_and_summary_rows(scope: Scope, count: int) -> list[Row]:
    """Return the rows of a scope that are inserted before its messages: the owner and the summaries."""
    scope_fields = {"user_id": scope.owner, "thread_id": scope.thread}
    summaries = _make_summaries(count)
    return [_make_owner_row(scope, count, len(summaries)), *({**summary, **scope_fields} for summary in summaries)]


def make_message_blocks(scopes: Sequence[Scope], count: int, *, existing_count: int = 0) -> Iterator[MessageBlock]:
    """Yield the messages of `scopes` in blocks, scope by scope. `existing_count` messages are already stored."""
    chunk_ids = _list_chunk_ids(count)
    block_arguments = (
        (
            scope,
            first,
            count,
            existing_count + index * count,
            chunk_ids[first // CHUNK_MESSAGES : (first + BLOCK_MESSAGES) // CHUNK_MESSAGES],
        )
        for index, scope in enumerate(scopes)
        for first in range(0, count, BLOCK_MESSAGES)
    )
    if len(scopes) * count <= MAX_MESSAGES_PER_PROCESS:
        for arguments in block_arguments:
            yield _make_message_block(*arguments)
        return
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers, mp_context=get_context("forkserver")) as processes:
        pending = deque[Future[MessageBlock]]()  # only a few at a time, because they may be made faster than stored
        for arguments in block_arguments:
            pending.append(processes.submit(_make_message_block, *arguments))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _make_message_block(
    scope: Scope, first: int, count: int, existing_count: int, chunk_ids: Sequence[int]
) -> MessageBlock:
    """Make the next block of a scope's messages, starting after its first `first` messages.

    `count` is the number of messages in the scope, and `existing_count` the number in earlier scopes. `chunk_ids` holds
    the chunks of the block's archived messages.
    """
    block = _make_analyzed_texts(first, min(BLOCK_MESSAGES, count - first))
    ids = [chunk for chunk in chunk_ids for _ in range(CHUNK_MESSAGES)] + [None] * len(block)
    rows = [
        _make_message_row(scope, number, text, count, chunk)
        for number, ((text, _), chunk) in enumerate(zip(block, ids, strict=False), start=first + 1)
    ]
    numbered = enumerate(zip(rows, block, strict=True), start=existing_count + first + 1)
    return MessageBlock(
        rows, [word_index.extract_message_terms(seq, row, terms) for seq, (row, (_, terms)) in numbered]
    )


@lru_cache(maxsize=1)
def _make_analyzed_texts(first: int, count: int) -> list[tuple[str, list[str]]]:
    """Return the texts of one block with their search terms. They are the same for every scope."""
    return [(text, analyzer.list_terms(text)) for text in _make_block_texts(first, count)]


def make_texts(count: int) -> Iterator[str]:
    """Yield the texts of `count` messages, alternating between user and assistant. They are the same at each call."""
    for first in range(0, count, BLOCK_MESSAGES):
        yield from _make_block_texts(first, min(BLOCK_MESSAGES, count - first))


def _make_block_texts(first: int, count: int) -> Iterator[str]:
    """Yield the texts of one block. A block can be made without the blocks before it."""
    generator = MessageGenerator(seed=3 + first)
    for number in range(count):
        yield generator.make_answer() if number % 2 else generator.make_question()


def compute_message_time(number: int, count: int) -> str:
    """Return the time of message `number` of `count` in ISO 8601. Messages are ten minutes apart, up to LAST_DAY."""
    return (LAST_DAY - timedelta(minutes=10 * (count - number))).isoformat()


async def make_row_batches(scope: Scope, count: int) -> AsyncIterator[Sequence[Row]]:
    """Yield all portable rows of a scope with `count` messages, at most BATCH_ROWS at a time."""
    rows = make_owner_and_summary_rows(scope, count)
    chunk_ids = _list_chunk_ids(count)
    for start in range(0, len(rows), BATCH_ROWS):
        yield rows[start : start + BATCH_ROWS]
    batch: list[Row] = []
    for index, text in enumerate(make_texts(count)):
        chunk = chunk_ids[index // CHUNK_MESSAGES] if index // CHUNK_MESSAGES < len(chunk_ids) else None
        batch.append(_make_message_row(scope, index + 1, text, count, chunk))
        if len(batch) == BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _make_owner_row(scope: Scope, message_count: int, summary_count: int) -> Row:
    return {
        "table": "users",
        "user_id": scope.owner,
        "summary_every_n": EVERY_N,
        "memory_enabled": True,
        "created_at": compute_message_time(1, message_count),
        "updated_at": compute_message_time(1, message_count),
        "next_message_id": message_count + 1,
        "next_summary_id": summary_count + 1,
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
    """Return the ids of the chunks into which `count` messages are archived, oldest first."""
    return [int(str(summary["id"])) for summary in _make_summaries(count) if summary["level"] == 1]


@lru_cache(maxsize=1)
def _make_summaries(count: int) -> Sequence[Row]:
    """Return the summaries that the pyramid policy makes of `count` messages, as rows that have no scope yet.

    They include the inactive summaries, which others have replaced.
    """
    rows: list[dict[str, object]] = []
    spans: dict[int, SummarySpan] = {}
    active_ids_by_level: dict[int, list[int]] = {}
    generator = MessageGenerator(seed=4, assistant_words=60)

    def add(level: int, span: SummarySpan, sources: Sequence[int]) -> None:
        number = len(rows) + 1
        spans[number] = span if span.chunk_ids else span._replace(chunk_ids=[number])
        active_ids_by_level.setdefault(level, []).append(number)
        rows.append(_make_summary_row(number, level, generator.make_answer(), spans[number], sources, count))

    for chunk in range(max(0, count - UNFOLDED) // CHUNK_MESSAGES):
        add(1, SummarySpan(chunk * CHUNK_MESSAGES + 1, (chunk + 1) * CHUNK_MESSAGES, []), ())
        while plan := pyramid.plan_fold(_make_scope_state(active_ids_by_level), "upwards"):
            source_spans = [spans[number] for number in plan.summary_ids]
            for level in active_ids_by_level:
                active_ids_by_level[level] = [
                    number for number in active_ids_by_level[level] if number not in plan.summary_ids
                ]
            for number in plan.summary_ids:
                rows[number - 1]["is_active"] = False
            covered = [summary_id for span in source_spans for summary_id in span.chunk_ids]
            add(plan.level, SummarySpan(source_spans[0].first, source_spans[-1].last, covered), plan.summary_ids)
    return rows


def _make_scope_state(active_ids_by_level: Mapping[int, Sequence[int]]) -> ScopeState:
    return ScopeState(
        summaries=[
            ActiveSummary(id=number, level=level) for level, ids in active_ids_by_level.items() for number in ids
        ]
    )


def _make_summary_row(
    number: int, level: int, text: str, span: SummarySpan, sources: Sequence[int], count: int
) -> dict[str, object]:
    first, last, chunk_ids = span
    return {
        "table": "summaries",
        "id": number,
        "summary_text": text,
        "created_at": compute_message_time(last, count),
        "level": level,
        "source_chunk_ids": chunk_ids,
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

"""Stores filled quickly with invented messages: all but the last ones archived under a pyramid of summaries.

Rows are written by the stores' own `load`, in the portable form of a move. Does not know what is measured on it.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.invented import Talk
from records.owners import StorageType
from records.scopes import Scope
from storage.files.database import Database
from storage.json.store import JsonStore
from storage.postgres.database import PostgresDatabase
from storage.postgres.store import PostgresStore
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.store import SqliteStore
from summaries import pyramid
from summaries.planning import ActiveSummary, ScopeState

EVERY_N = 20
CHUNK = 2 * EVERY_N
UNFOLDED = CHUNK // 2
BATCH = 5_000
LAST_DAY = datetime(2025, 1, 1, tzinfo=UTC)

Row = Mapping[str, object]


async def fill(
    folder: Path, storage: StorageType, scopes: Sequence[Scope], count: int, *, database_url: str = ""
) -> None:
    """A data directory in which each of these scopes has `count` messages and memory is on; for PostgreSQL, the tables
    at this address.
    """
    if storage is StorageType.POSTGRES:
        async with PostgresDatabase.open(database_url) as server:
            for scope in scopes:
                await PostgresStore(server).load(scope.owner, _batches(scope, count))
        return
    if storage is StorageType.JSON:
        async with JsonStore.open(folder) as store:
            for scope in scopes:
                await store.load(scope.owner, _batches(scope, count))
        return
    async with Database.open(folder / "memory.db", migrations=MIGRATIONS) as database:
        for scope in scopes:
            await SqliteStore(database).load(scope.owner, _batches(scope, count))


def said(count: int) -> Iterator[str]:
    """The texts of the messages, always the same: user, assistant, user, …"""
    talk = Talk(seed=3)
    for number in range(count):
        yield talk.answer() if number % 2 else talk.question()


def said_at(number: int, count: int) -> str:
    """When message `number` of `count` was written: ten minutes apart, the last one on a fixed day."""
    return (LAST_DAY - timedelta(minutes=10 * (count - number))).isoformat()


async def _batches(scope: Scope, count: int) -> AsyncIterator[Sequence[Row]]:
    chunks = max(0, count - UNFOLDED) // CHUNK
    summaries = _summaries(scope, chunks, count)
    chunk_ids = [summary["id"] for summary in summaries if summary["level"] == 1]
    yield [_owner(scope, count, len(summaries))]
    for start in range(0, len(summaries), BATCH):
        yield summaries[start : start + BATCH]
    batch: list[Row] = []
    for index, text in enumerate(said(count)):
        chunk = index // CHUNK
        batch.append(_message(scope, index + 1, text, count, chunk_ids[chunk] if chunk < chunks else None))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _owner(scope: Scope, messages: int, summaries: int) -> Row:
    return {
        "table": "users",
        "user_id": scope.owner,
        "summary_every_n": EVERY_N,
        "memory_enabled": True,
        "created_at": said_at(1, messages),
        "updated_at": said_at(1, messages),
        "next_message_id": messages + 1,
        "next_summary_id": summaries + 1,
        "last_fence": 0,
    }


def _message(scope: Scope, number: int, text: str, count: int, chunk: object) -> Row:
    is_question = number % 2 == 1
    return {
        "table": "messages",
        "id": number,
        "user_id": scope.owner,
        "thread_id": scope.thread,
        "role": "user" if is_question else "assistant",
        "content": text,
        "created_at": said_at(number, count),
        "is_active": chunk is None,
        "chunk_id": chunk,
        "turn_id": number if is_question else number - 1,
        "speaker": "Nadia" if is_question else "",
        "source": f"filled:{(number + 1) // 2}",
        "telegram_id": None,
    }


def _summaries(scope: Scope, chunks: int, count: int) -> list[Row]:
    """The summaries that this many folds make, active or not, by the bot's own policy."""
    made: list[dict[str, object]] = []
    spans: dict[int, tuple[int, int, list[int]]] = {}  # first message, last message, chunks
    active: dict[int, list[int]] = {}
    talk = Talk(seed=4, assistant_words=60)

    def add(level: int, span: tuple[int, int, list[int]], sources: Sequence[int]) -> None:
        number = len(made) + 1
        spans[number] = (span[0], span[1], span[2] or [number])
        active.setdefault(level, []).append(number)
        made.append(_summary(scope, number, level, talk.answer(), spans[number], sources, count))

    for chunk in range(chunks):
        add(1, (chunk * CHUNK + 1, (chunk + 1) * CHUNK, []), ())
        while plan := pyramid.plan(_standing(active), "upwards"):
            below = [spans[number] for number in plan.summary_ids]
            for level in active:
                active[level] = [number for number in active[level] if number not in plan.summary_ids]
            for number in plan.summary_ids:
                made[number - 1]["is_active"] = False
            covered = [one for span in below for one in span[2]]
            add(plan.level, (below[0][0], below[-1][1], covered), plan.summary_ids)
    return list(made)


def _standing(active: Mapping[int, Sequence[int]]) -> ScopeState:
    return ScopeState(
        summaries=[ActiveSummary(id=number, level=level) for level, ids in active.items() for number in ids]
    )


def _summary(
    scope: Scope,
    number: int,
    level: int,
    text: str,
    span: tuple[int, int, list[int]],
    sources: Sequence[int],
    count: int,
) -> dict[str, object]:
    first, last, chunks = span
    return {
        "table": "summaries",
        "id": number,
        "user_id": scope.owner,
        "thread_id": scope.thread,
        "summary_text": text,
        "created_at": said_at(last, count),
        "level": level,
        "source_chunk_ids": chunks,
        "is_active": True,
        "source_ids": list(sources),
        "first_id": first,
        "last_id": last,
        "first_at": said_at(first, count),
        "last_at": said_at(last, count),
        "message_count": last - first + 1,
        "model": "invented",
        "prompt_version": "none",
        "tokens_in": 0,
        "tokens_out": 0,
        "milliseconds": 0,
        "base_id": None,
    }

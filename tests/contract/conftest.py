"""Fixtures and helpers for the contract suite, which runs on every real store."""

import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from records.messages import Message, NewMessage, Role
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from records.summaries import NewSummary, Summary, SummaryLease, SummaryPlan
from storage.engine.protocol import Reader, Transaction
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.json_files import INDEX_NAME
from storage.stores.memory_store import MemoryStore
from storage.stores.postgres import PostgresStore, open_postgres_database
from storage.tables.owner_tables import OwnerTables
from tests.support.empty_memory import DATABASE, add_empty_files
from tests.support.postgres_server import give_back, make_schema_address, read_rows

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ANNA, BORIS = Scope(owner=42), Scope(owner=-1007)
TOPIC = Scope(owner=-1007, thread=5)


@dataclass(frozen=True)
class Opener:
    """A way to open the store of a folder. `contents` returns everything stored there, to be searched for traces."""

    open: Callable[[Path], AbstractAsyncContextManager[MemoryStore]]
    contents: Callable[[Path], list[bytes]]
    keeps_files: bool = True

    def __call__(self, folder: Path) -> AbstractAsyncContextManager[MemoryStore]:
        return self.open(folder)


def read_files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


@contextlib.asynccontextmanager
async def open_sqlite(folder: Path) -> AsyncIterator[MemoryStore]:
    add_empty_files(folder, DATABASE)
    async with Database.open(folder / "memory.db", migrations=MIGRATIONS) as database:
        yield MemoryStore(database, StorageType.SQLITE)


@contextlib.asynccontextmanager
async def open_json(folder: Path) -> AsyncIterator[MemoryStore]:
    add_empty_files(folder, INDEX_NAME)
    async with JsonStore.open(folder, clock=lambda: NOW) as store:
        yield store
        if store.background is not None:
            await store.background
        await _check_recovery_after_kill(store, folder)


async def _check_recovery_after_kill(store: JsonStore, folder: Path) -> None:
    """Check that a process killed now would leave the same memory for the next start."""
    owners = await store.list_owners()
    with tempfile.TemporaryDirectory() as killed:
        copy = Path(shutil.copytree(folder, Path(killed) / "data"))
        expected = [await store.compute_digest(owner) for owner in owners]
        async with JsonStore.open(copy, clock=lambda: NOW) as again:
            assert [await again.compute_digest(owner) for owner in owners] == expected


@contextlib.asynccontextmanager
async def open_postgres(url: str, folder: Path) -> AsyncIterator[MemoryStore]:
    async with open_postgres_database(make_schema_address(url, folder)) as database:
        yield PostgresStore(database)


OPENERS: dict[str, Callable[[Path], AbstractAsyncContextManager[MemoryStore]]] = {
    "sqlite": open_sqlite,
    "json": open_json,
}
"""The functions that open stores which keep their data in files, by name."""
STORES = (*OPENERS, "postgres")


@pytest.fixture
def opener_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Opener]]:
    """Yield a function that returns the opener of a store by name. PostgreSQL is started only if requested."""
    servers: set[str] = set()

    def found(name: str) -> Opener:
        if name in OPENERS:
            return Opener(OPENERS[name], read_files)
        url = request.getfixturevalue("postgres_url")
        servers.add(url)
        return Opener(partial(open_postgres, url), partial(read_rows, url), keeps_files=False)

    yield found
    for url in servers:
        give_back(url, tmp_path)


@pytest.fixture(params=STORES)
def opener(request: pytest.FixtureRequest, opener_of: Callable[[str], Opener]) -> Opener:
    return opener_of(request.param)


@pytest.fixture
async def store(opener: Opener, tmp_path: Path) -> AsyncIterator[MemoryStore]:
    """Open a store in which memory is on for Anna's private chat and for Boris's group with a topic."""
    async with opener(tmp_path) as store:
        for owner in (ANNA.owner, BORIS.owner):
            await store.upsert_owner(make_config(store, owner))
        yield store


def open_reader(store: MemoryStore) -> AbstractAsyncContextManager[Reader]:
    """Open a reader of the tables for all owners, to check rows that no method of the store returns."""
    assert isinstance(store, OwnerTables)
    return store.database.open_reader(None)


def open_transaction(store: MemoryStore) -> AbstractAsyncContextManager[Transaction]:
    """Open a transaction on the tables, to write rows that no method of the store writes."""
    assert isinstance(store, OwnerTables)
    return store.database.open_transaction(None)


def make_config(store: MemoryStore, owner: int, *, every_n: int = 3, enabled: bool = True) -> OwnerConfig:
    return OwnerConfig(
        owner=owner, storage=StorageType(store.kind), every_n=every_n, enabled=enabled, created_at=NOW, updated_at=NOW
    )


def make_message(
    content: str, *, role: Role = "user", source: str | None = None, turn: int | None = None
) -> NewMessage:
    return NewMessage(role=role, content=content, created_at=NOW, speaker="Anna", source=source, turn=turn)


async def append_turns(store: MemoryStore, scope: Scope, turns: int, words: str = "turn") -> list[Message]:
    """Append `turns` turns of a question and an answer, and return their messages."""
    stored: list[Message] = []
    for number in range(turns):
        [question] = await store.append_messages(scope, [make_message(f"{words} {number}")])
        [answer] = await store.append_messages(
            scope, [make_message(f"reply {number}", role="assistant", turn=question.turn)]
        )
        stored += [question, answer]
    return stored


async def acquire_lease(store: MemoryStore, scope: Scope) -> SummaryLease:
    taken = await store.acquire_summary_lease(scope, "now", now=NOW, duration=MINUTE)
    assert taken is not None
    return taken


def make_summary(text: str = "They talked.") -> NewSummary:
    return NewSummary(text=text, model="m", prompt_version="1", tokens_in=7, tokens_out=3, milliseconds=5)


async def fold_messages(store: MemoryStore, scope: Scope, messages: Sequence[Message]) -> Summary:
    plan = SummaryPlan(level=1, message_ids=tuple(message.id for message in messages), reason="now")
    return await store.commit_summary(await acquire_lease(store, scope), plan, make_summary(), now=NOW)


async def fold_summaries(store: MemoryStore, scope: Scope, below: Sequence[Summary]) -> Summary:
    plan = SummaryPlan(level=below[0].level + 1, summary_ids=tuple(summary.id for summary in below), reason="upwards")
    return await store.commit_summary(await acquire_lease(store, scope), plan, make_summary(), now=NOW)

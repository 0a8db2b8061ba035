"""Durable writes in groups: one commit for all who wait, and what fails fails alone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from records.errors import StorageError
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import sqlite3
from storage.engine.sqlite_writer import CommitHooks
from storage.schema.migrations import MIGRATIONS

PUT = "INSERT INTO wizards VALUES (?, 0, 0, ?, NULL, 'n', 'never')"
PEOPLE = "SELECT user_id FROM wizards ORDER BY user_id"

Work = Callable[[sqlite3.Connection], int]


class Commits(CommitHooks):
    """Counts commits; `refused`: how many more of them fail."""

    def __init__(self) -> None:
        self.made = 0
        self.refused = 0

    def prepare_commit(self, connection: sqlite3.Connection) -> None:
        if self.refused:
            self.refused -= 1
            raise StorageError("The disk is full.")

    def abort_commit(self) -> None: ...

    def confirm_commit(self) -> None:
        self.made += 1


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        yield database


def put(person: int, step: str | None = "step") -> Work:
    def work(connection: sqlite3.Connection) -> int:
        connection.execute(PUT, (person, step))
        return person

    return work


async def people(database: Database) -> list[int]:
    async with database.open_reader() as reader:
        return [row[0] for row in await reader.fetch_rows(PEOPLE)]


async def test_who_waits_at_the_same_moment_shares_a_commit(database: Database) -> None:
    database.commit_hooks = commits = Commits()
    assert await asyncio.gather(*(database.transact(put(person)) for person in range(20))) == list(range(20))
    assert commits.made == 1
    assert await people(database) == list(range(20))


async def test_what_sqlite_takes_back_by_itself_is_written_once_more_and_nothing_twice(database: Database) -> None:
    def careless(connection: sqlite3.Connection) -> int:
        with suppress(sqlite3.IntegrityError):
            connection.execute(PUT.replace("INSERT", "INSERT OR ROLLBACK"), (2, None))
        return 2

    works = put(1), careless, put(3)
    outcomes = await asyncio.gather(*map(database.transact, works), return_exceptions=True)
    assert [outcomes[0], type(outcomes[1]), outcomes[2]] == [1, StorageError, 3]
    assert await people(database) == [1, 3]


async def test_a_statement_that_fails_fails_its_own_waiter_only(database: Database) -> None:
    database.commit_hooks = commits = Commits()
    outcomes = await asyncio.gather(
        database.transact(put(1)),
        database.transact(put(1)),  # the key is taken by then
        database.transact(put(2, None)),  # NOT NULL
        database.transact(put(3)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [int, StorageError, StorageError, int]
    assert await people(database) == [1, 3]
    assert commits.made == 1


async def test_what_a_piece_of_work_raises_reaches_its_waiter_and_leaves_nothing(database: Database) -> None:
    def half(connection: sqlite3.Connection) -> int:
        connection.execute(PUT, (1, "step"))
        raise LookupError

    outcomes = await asyncio.gather(
        database.transact(half), database.transact(put(2)), database.transact(half), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [LookupError, int, LookupError]
    with pytest.raises(LookupError):
        await database.transact(half)
    assert await people(database) == [2]


async def test_a_commit_that_fails_is_tried_for_each_by_itself(database: Database) -> None:
    database.commit_hooks = commits = Commits()
    commits.refused = 2  # that of the group, and the first one's own
    outcomes = await asyncio.gather(*(database.transact(put(person)) for person in range(3)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StorageError, int, int]
    assert await people(database) == [1, 2]


async def test_a_file_that_is_full_for_one_takes_the_others(database: Database) -> None:
    """SQLite undoes the whole transaction when there is no room; the others are written all the same."""
    async with database.open_transaction() as tx:
        [[pages]] = await tx.fetch_rows("PRAGMA page_count")
        await tx.execute(f"PRAGMA max_page_count={pages + 5}")
    outcomes = await asyncio.gather(
        database.transact(put(1)),
        database.transact(put(2, "x" * 1_000_000)),
        database.transact(put(3)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [int, StorageError, int]
    assert await people(database) == [1, 3]


async def test_a_cancelled_caller_is_written_whole_or_not_at_all(database: Database) -> None:
    started = asyncio.get_running_loop().create_future()

    def slow(connection: sqlite3.Connection) -> int:
        started.get_loop().call_soon_threadsafe(started.set_result, None)
        return put(1)(connection)

    begun = asyncio.create_task(database.transact(slow))
    await started
    waiting = asyncio.create_task(database.transact(put(2)))
    await asyncio.sleep(0)
    for task in (begun, waiting):
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(asyncio.CancelledError):
        await begun
    assert await people(database) == [1]


async def test_a_transaction_of_many_steps_stands_between_groups(database: Database) -> None:
    async with database.open_transaction() as tx:
        beside = asyncio.create_task(database.transact(put(1)))
        await tx.execute(PUT, 2, "step")
        assert await people(database) == []
        assert not beside.done()
    await beside
    assert await people(database) == [1, 2]


async def test_a_witness_that_fails_after_the_commit_leaves_nobody_waiting(database: Database) -> None:
    class Late(Commits):
        def confirm_commit(self) -> None:
            raise LookupError

    database.commit_hooks = Late()
    with pytest.raises(LookupError):
        await database.transact(put(1))
    database.commit_hooks = None
    assert await database.transact(put(2)) == 2


async def test_what_waits_when_the_file_is_closed_is_written(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database:
        waiting = asyncio.create_task(database.transact(put(1)))
        await asyncio.sleep(0)
    assert await waiting == 1
    with pytest.raises(StorageError, match="closed"):
        await database.transact(put(2))

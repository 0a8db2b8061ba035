"""Group commit: waiting writes share one commit, and a failing write fails alone."""

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


class CountingHooks(CommitHooks):
    """Commit hooks that count commits. The next `failures_left` commits fail."""

    def __init__(self) -> None:
        self.commit_count = 0
        self.failures_left = 0

    def prepare_commit(self, connection: sqlite3.Connection) -> None:
        if self.failures_left:
            self.failures_left -= 1
            raise StorageError("The disk is full.")

    def abort_commit(self) -> None: ...

    def confirm_commit(self) -> None:
        self.commit_count += 1


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        yield database


def make_insert(person: int, step: str | None = "step") -> Work:
    def work(connection: sqlite3.Connection) -> int:
        connection.execute(PUT, (person, step))
        return person

    return work


async def list_people(database: Database) -> list[int]:
    async with database.open_reader() as reader:
        return [row[0] for row in await reader.fetch_rows(PEOPLE)]


async def test_concurrent_writes_share_one_commit(database: Database) -> None:
    database.commit_hooks = commits = CountingHooks()
    assert await asyncio.gather(*(database.transact(make_insert(person)) for person in range(20))) == list(range(20))
    assert commits.commit_count == 1
    assert await list_people(database) == list(range(20))


async def test_writes_undone_by_sqlite_rollback_are_repeated_once(database: Database) -> None:
    def careless(connection: sqlite3.Connection) -> int:
        with suppress(sqlite3.IntegrityError):
            connection.execute(PUT.replace("INSERT", "INSERT OR ROLLBACK"), (2, None))
        return 2

    works = make_insert(1), careless, make_insert(3)
    outcomes = await asyncio.gather(*map(database.transact, works), return_exceptions=True)
    assert [outcomes[0], type(outcomes[1]), outcomes[2]] == [1, StorageError, 3]
    assert await list_people(database) == [1, 3]


async def test_failed_statement_fails_only_its_own_caller(database: Database) -> None:
    outcomes = await asyncio.gather(
        database.transact(make_insert(1)),
        database.transact(make_insert(1)),  # the key is taken by then
        database.transact(make_insert(2, None)),  # NOT NULL
        database.transact(make_insert(3)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [int, StorageError, StorageError, int]
    assert await list_people(database) == [1, 3]


async def test_exception_in_work_reaches_caller_and_writes_nothing(database: Database) -> None:
    def half(connection: sqlite3.Connection) -> int:
        connection.execute(PUT, (1, "step"))
        raise LookupError

    outcomes = await asyncio.gather(
        database.transact(half), database.transact(make_insert(2)), database.transact(half), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [LookupError, int, LookupError]
    with pytest.raises(LookupError):
        await database.transact(half)
    assert await list_people(database) == [2]


async def test_failed_group_commit_is_retried_for_each_write(database: Database) -> None:
    database.commit_hooks = commits = CountingHooks()
    commits.failures_left = 2  # that of the group, and the first one's own
    outcomes = await asyncio.gather(
        *(database.transact(make_insert(person)) for person in range(3)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [StorageError, int, int]
    assert await list_people(database) == [1, 2]


async def test_oversized_write_to_full_file_does_not_fail_other_writes(database: Database) -> None:
    """SQLite rolls back the whole transaction if there is no room, so the other writes are repeated."""
    async with database.open_transaction() as tx:
        [[pages]] = await tx.fetch_rows("PRAGMA page_count")
        await tx.execute(f"PRAGMA max_page_count={pages + 5}")
    outcomes = await asyncio.gather(
        database.transact(make_insert(1)),
        database.transact(make_insert(2, "x" * 1_000_000)),
        database.transact(make_insert(3)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [int, StorageError, int]
    assert await list_people(database) == [1, 3]


async def test_write_of_cancelled_caller_is_complete_or_absent(database: Database) -> None:
    started = asyncio.get_running_loop().create_future()

    def slow(connection: sqlite3.Connection) -> int:
        started.get_loop().call_soon_threadsafe(started.set_result, None)
        return make_insert(1)(connection)

    begun = asyncio.create_task(database.transact(slow))
    await started
    waiting = asyncio.create_task(database.transact(make_insert(2)))
    await asyncio.sleep(0)
    for task in (begun, waiting):
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(asyncio.CancelledError):
        await begun
    assert await list_people(database) == [1]


async def test_open_transaction_delays_grouped_write(database: Database) -> None:
    async with database.open_transaction() as tx:
        beside = asyncio.create_task(database.transact(make_insert(1)))
        await tx.execute(PUT, 2, "step")
        assert await list_people(database) == []
        assert not beside.done()
    await beside
    assert await list_people(database) == [1, 2]


async def test_failing_confirm_hook_does_not_block_next_write(database: Database) -> None:
    class Late(CountingHooks):
        def confirm_commit(self) -> None:
            raise LookupError

    database.commit_hooks = Late()
    with pytest.raises(LookupError):
        await database.transact(make_insert(1))
    database.commit_hooks = None
    assert await database.transact(make_insert(2)) == 2


async def test_pending_write_is_committed_when_database_closes(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database:
        waiting = asyncio.create_task(database.transact(make_insert(1)))
        await asyncio.sleep(0)
    assert await waiting == 1
    with pytest.raises(StorageError, match="closed"):
        await database.transact(make_insert(2))


@pytest.mark.parametrize("others", [0, 1])
async def test_write_that_finds_no_next_row_fails_alone(others: int, database: Database) -> None:
    def insert_and_read_missing_row(connection: sqlite3.Connection) -> int:
        make_insert(1)(connection)
        rows = iter(connection.execute("SELECT user_id FROM wizards WHERE user_id = 7").fetchall())
        return int(next(rows)[0])

    writes = [insert_and_read_missing_row, *map(make_insert, range(2, 2 + others))]
    async with asyncio.timeout(20):
        results = await asyncio.gather(*map(database.transact, writes), return_exceptions=True)
    assert isinstance(results[0], RuntimeError)
    assert await list_people(database) == results[1:]

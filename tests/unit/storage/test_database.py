"""Access to a SQLite file: whole transactions, errors as sentences, private files, backups, migrations."""

import asyncio
import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from records.errors import StorageBusy, StorageCorrupt, StorageError, StorageTooNew, StorageTooOld
from storage.engine.protocol import Connection
from storage.engine.sqlite import Database, Migration, copy_database
from storage.engine.sqlite_driver import sqlite3 as driver
from storage.engine.sqlite_driver import to_storage_error
from storage.schema.migrations import MIGRATIONS
from storage.stores.memory_store import SqliteStore
from tests.contract.conftest import ANNA, config, said

PUT = "INSERT INTO wizards VALUES (?, 0, 0, 'step', NULL, 'n', 'never')"
COUNT = "SELECT COUNT(*) FROM wizards"


async def count(database: Database) -> int:
    async with database.open_reader() as reader:
        row = await reader.fetch_row(COUNT)
    assert row is not None
    return int(row[0])


async def test_a_failed_block_leaves_nothing(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:

        async def half() -> None:
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            await half()
        assert await count(database) == 0
        async with database.open_transaction() as tx:
            await tx.execute(PUT, 1)
        assert await count(database) == 1


async def test_a_cancelled_block_leaves_nothing_and_lets_go(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        written = asyncio.Event()

        async def half() -> None:
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
                written.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(half())
        await written.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with database.open_transaction() as tx:
            await tx.execute(PUT, 2)
        assert await count(database) == 1


async def test_readers_see_a_frozen_moment_and_cannot_write(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        async with database.open_reader(in_snapshot=True) as reader:
            await reader.fetch_row(COUNT)
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
            row = await reader.fetch_row(COUNT)
            assert row is not None
            assert row[0] == 0
            with pytest.raises(StorageError, match="read-only"):
                await reader.execute(PUT, 2)
        assert await count(database) == 1


async def test_what_is_committed_is_in_full_sync_mode(tmp_path: Path) -> None:
    async with (
        Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database,
        database.open_transaction() as tx,
    ):
        settings = [
            (await tx.fetch_rows(f"PRAGMA {name}"))[0][0] for name in ("journal_mode", "secure_delete", "foreign_keys")
        ]
        assert settings == ["wal", 1, 1]


class FullDisk:
    """Commit hooks that find no room."""

    def prepare_commit(self, connection: driver.Connection) -> None:
        raise to_storage_error(OSError(28, "No space left on device"), Path("memory.db"))

    def abort_commit(self) -> None:
        pass

    def confirm_commit(self) -> None:
        raise AssertionError


async def test_a_full_disk_is_a_sentence_and_changes_nothing(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        await store.upsert_owner(config(store, ANNA.owner))
        database.commit_hooks = FullDisk()
        with pytest.raises(StorageError, match="No space left"):
            await store.append_messages(ANNA, [said("x")])
        database.commit_hooks = None
        assert (await store.count_messages_and_summaries(ANNA)).total == 0
        [stored] = await store.append_messages(ANNA, [said("x")])
        assert stored.id == 1


async def test_a_really_full_file_is_a_sentence(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        await store.upsert_owner(config(store, ANNA.owner))
        async with database.open_transaction() as tx:
            await tx.execute("PRAGMA max_page_count=1")
        with pytest.raises(StorageError, match="full"):
            await store.append_messages(ANNA, [said("x" * 100_000)])
        async with database.open_transaction() as tx:
            await tx.execute("PRAGMA max_page_count=1000000")
        await store.append_messages(ANNA, [said("x" * 100_000)])


async def test_a_second_process_that_holds_the_file_is_named(tmp_path: Path) -> None:
    """Readers go on, a writer is told after the time-out, and all is well once the lock is gone."""
    path = tmp_path / "memory.db"
    async with Database.open(path, busy_timeout=0.01, migrations=MIGRATIONS) as database:
        holder = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.execute('BEGIN IMMEDIATE')\n"
            "print(1, flush=True)\ninput()",
            path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert holder.stdout
        await holder.stdout.readline()
        with pytest.raises(StorageBusy, match=r"memory\.db is locked"):
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
        assert await count(database) == 0
        await holder.communicate(b"\n")
        async with database.open_transaction() as tx:
            await tx.execute(PUT, 1)
        assert await count(database) == 1


async def test_writers_of_two_processes_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    script = (
        "import sqlite3,sys\n"
        "c=sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)\n"
        "for n in range(100): c.execute(sys.argv[2], (1000+n,))\n"
    )
    async with Database.open(path, busy_timeout=30, migrations=MIGRATIONS) as database:
        other = await asyncio.create_subprocess_exec(sys.executable, "-c", script, path, PUT)
        for number in range(100):
            async with database.open_transaction() as tx:
                await tx.execute(PUT, number)
        assert await other.wait() == 0
        assert await count(database) == 200


@pytest.mark.parametrize("damage", [b"this is no database at all" * 100, None])
async def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, damage: bytes | None) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        await store.upsert_owner(config(store, ANNA.owner))
        await store.append_messages(ANNA, [said("x" * 50_000)])
    whole = path.read_bytes()
    broken = damage or whole[:100] + b"\xff" * 8000 + whole[8100:]
    path.write_bytes(broken)
    with pytest.raises(StorageCorrupt, match=r"memory\.db is damaged"):
        async with Database.open(path, migrations=MIGRATIONS):
            pass
    assert path.read_bytes() == broken


async def test_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
            await asyncio.to_thread(copy_database, database.path, tmp_path / "copy.db")
            modes = modes_in(tmp_path)
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}, modes


async def test_a_file_made_where_a_link_leads_is_private(tmp_path: Path) -> None:
    (tmp_path / "memory.db").symlink_to(tmp_path / "elsewhere.db")
    before = os.umask(0)
    try:
        async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS):
            modes = modes_in(tmp_path)
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}, modes


async def test_what_fails_beside_the_connection_is_no_closed_file(tmp_path: Path) -> None:
    def work(connection: Connection) -> None:
        raise ValueError("cannot be reshaped")

    async with (
        Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database,
        database.open_reader() as reader,
    ):
        with pytest.raises(ValueError, match="reshaped"):
            await reader.run_in_snapshot(work)
        assert [tuple(row) for row in await reader.fetch_rows("SELECT 1")] == [(1,)]


def modes_in(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


async def test_a_file_opens_with_any_sqlite(tmp_path: Path) -> None:
    """No extension and no custom tokenizer is needed, to read or to search."""
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        await store.upsert_owner(config(store, ANNA.owner))
        await store.append_messages(ANNA, [said("walrus")])
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.db")) as plain:
        assert plain.execute("SELECT content FROM messages").fetchall() == [("walrus",)]
        assert plain.execute("SELECT COUNT(*) FROM words WHERE words MATCH 'u42t0xwalrus'").fetchone() == (1,)
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_another_program_that_looks_in_and_leaves_takes_nothing_along(tmp_path: Path) -> None:
    """Who closes a database last cuts its log: another program must never take itself for the last."""
    look = f"import sqlite3; c = sqlite3.connect('memory.db'); print(*c.execute('{COUNT}').fetchone()); c.close()"

    def seen_by_another() -> str:
        return subprocess.run(
            [sys.executable, "-c", look], cwd=tmp_path, capture_output=True, check=True
        ).stdout.decode()

    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        for person in (1, 2):
            async with database.open_transaction() as tx:
                await tx.execute(PUT, person)
            assert seen_by_another().strip() == str(person)
        assert (tmp_path / "memory.db-wal").exists()


# migrations --------------------------------------------------------------------------------------------------
def add_table(connection: driver.Connection) -> None:
    connection.execute("CREATE TABLE later (x)")


def break_down(connection: driver.Connection) -> None:
    connection.execute("CREATE TABLE half (x)")
    raise sqlite3.OperationalError("broken step")


def version(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as plain:
        return int(plain.execute("PRAGMA user_version").fetchone()[0])


def put_aside(folder: Path) -> list[Path]:
    return list(folder.glob("*.before-format-*"))


async def test_an_older_file_is_copied_then_migrated_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    steps: list[Migration] = [*MIGRATIONS, add_table]
    async with Database.open(path, migrations=MIGRATIONS) as database, database.open_transaction() as tx:
        await tx.execute(PUT, 1)
    assert put_aside(tmp_path) == []
    async with Database.open(path, migrations=steps) as database:
        assert await count(database) == 1
    [copy] = put_aside(tmp_path)
    assert (version(copy), version(path)) == (len(MIGRATIONS), len(steps))
    async with Database.open(path, migrations=steps):
        assert put_aside(tmp_path) == [copy]


async def test_a_step_that_breaks_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database, database.open_transaction() as tx:
        await tx.execute(PUT, 1)
    with pytest.raises(StorageError):
        async with Database.open(path, migrations=[*MIGRATIONS, add_table, break_down]):
            pass
    assert version(path) == len(MIGRATIONS)
    async with Database.open(path, migrations=[*MIGRATIONS, add_table]) as database:
        assert await count(database) == 1


async def test_a_file_from_before_the_first_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE users (user_id INTEGER PRIMARY KEY)")
        plain.execute("PRAGMA user_version=26")
    before = path.read_bytes()
    with pytest.raises(StorageTooOld, match="was written by a version of Keepsake before"):
        async with Database.open(path, migrations=MIGRATIONS):
            pass
    assert path.read_bytes() == before


async def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=[*MIGRATIONS, add_table]):
        pass
    before = path.read_bytes()
    with pytest.raises(StorageTooNew, match="newer version"):
        async with Database.open(path, migrations=MIGRATIONS):
            pass
    assert path.read_bytes() == before
    assert list(modes_in(tmp_path)) == ["memory.db"]

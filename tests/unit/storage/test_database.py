"""Tests of the SQLite engine: transactions, error translation, file permissions, copies and migrations."""

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
from records.owners import StorageType
from storage.engine.protocol import Connection
from storage.engine.sqlite import Database, Migration, copy_database
from storage.engine.sqlite_driver import sqlite3 as driver
from storage.engine.sqlite_driver import to_storage_error
from storage.schema.migrations import MIGRATIONS
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, make_config, make_message

PUT = "INSERT INTO wizards VALUES (?, 0, 0, 'step', NULL, 'n', 'never')"
COUNT = "SELECT COUNT(*) FROM wizards"


async def count_rows(database: Database) -> int:
    async with database.open_reader() as reader:
        row = await reader.fetch_row(COUNT)
    assert row is not None
    return int(row[0])


async def test_transaction_is_rolled_back_after_exception(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:

        async def half() -> None:
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            await half()
        assert await count_rows(database) == 0
        async with database.open_transaction() as tx:
            await tx.execute(PUT, 1)
        assert await count_rows(database) == 1


async def test_cancelled_transaction_is_rolled_back_and_releases_writer(tmp_path: Path) -> None:
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
        assert await count_rows(database) == 1


async def test_snapshot_reader_is_isolated_and_read_only(tmp_path: Path) -> None:
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
        assert await count_rows(database) == 1


async def test_writer_uses_wal_secure_delete_and_foreign_keys(tmp_path: Path) -> None:
    async with (
        Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database,
        database.open_transaction() as tx,
    ):
        settings = [
            (await tx.fetch_rows(f"PRAGMA {name}"))[0][0] for name in ("journal_mode", "secure_delete", "foreign_keys")
        ]
        assert settings == ["wal", 1, 1]


class FullDisk:
    """Commit hooks that fail as if the disk were full."""

    def prepare_commit(self, connection: driver.Connection) -> None:
        raise to_storage_error(OSError(28, "No space left on device"), Path("memory.db"))

    def abort_commit(self) -> None:
        pass

    def confirm_commit(self) -> None:
        raise AssertionError


async def test_full_disk_at_commit_raises_storage_error_and_changes_nothing(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        await store.upsert_owner(make_config(store, ANNA.owner))
        database.commit_hooks = FullDisk()
        with pytest.raises(StorageError, match="No space left"):
            await store.append_messages(ANNA, [make_message("x")])
        database.commit_hooks = None
        assert (await store.count_messages_and_summaries(ANNA)).total == 0
        [stored] = await store.append_messages(ANNA, [make_message("x")])
        assert stored.id == 1


async def test_full_database_file_raises_storage_error(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        await store.upsert_owner(make_config(store, ANNA.owner))
        async with database.open_transaction() as tx:
            await tx.execute("PRAGMA max_page_count=1")
        with pytest.raises(StorageError, match="full"):
            await store.append_messages(ANNA, [make_message("x" * 100_000)])
        async with database.open_transaction() as tx:
            await tx.execute("PRAGMA max_page_count=1000000")
        await store.append_messages(ANNA, [make_message("x" * 100_000)])


async def test_write_raises_storage_busy_while_another_process_holds_lock(tmp_path: Path) -> None:
    """Readers continue, a writer fails after the timeout, and writes succeed once the lock is released."""
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database:
        async with database.open_transaction() as tx:
            await tx.execute("PRAGMA busy_timeout=10")
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
        assert await count_rows(database) == 0
        await holder.communicate(b"\n")
        async with database.open_transaction() as tx:
            await tx.execute(PUT, 1)
        assert await count_rows(database) == 1


async def test_writers_of_two_processes_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    script = (
        "import sqlite3,sys\n"
        "c=sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)\n"
        "for n in range(100): c.execute(sys.argv[2], (1000+n,))\n"
    )
    async with Database.open(path, migrations=MIGRATIONS) as database:
        other = await asyncio.create_subprocess_exec(sys.executable, "-c", script, path, PUT)
        for number in range(100):
            async with database.open_transaction() as tx:
                await tx.execute(PUT, number)
        assert await other.wait() == 0
        assert await count_rows(database) == 200


@pytest.mark.parametrize("damage", [b"this is no database at all" * 100, None])
async def test_damaged_database_is_refused_and_left_unchanged(tmp_path: Path, damage: bytes | None) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.append_messages(ANNA, [make_message("x" * 50_000)])
    whole = path.read_bytes()
    broken = damage or whole[:100] + b"\xff" * 8000 + whole[8100:]
    path.write_bytes(broken)
    with pytest.raises(StorageCorrupt, match=r"memory\.db is damaged"):
        async with Database.open(path, migrations=MIGRATIONS):
            pass
    assert path.read_bytes() == broken


async def test_database_files_are_private_regardless_of_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
            async with database.open_transaction() as tx:
                await tx.execute(PUT, 1)
            await asyncio.to_thread(copy_database, database.path, tmp_path / "copy.db")
            modes = read_file_modes(tmp_path)
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}, modes


async def test_database_created_behind_symlink_is_private(tmp_path: Path) -> None:
    (tmp_path / "memory.db").symlink_to(tmp_path / "elsewhere.db")
    before = os.umask(0)
    try:
        async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS):
            modes = read_file_modes(tmp_path)
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}, modes


async def test_error_in_snapshot_callback_propagates_and_reader_stays_usable(tmp_path: Path) -> None:
    def work(connection: Connection) -> None:
        raise ValueError("cannot be reshaped")

    async with (
        Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database,
        database.open_reader() as reader,
    ):
        with pytest.raises(ValueError, match="reshaped"):
            await reader.run_in_snapshot(work)
        assert [tuple(row) for row in await reader.fetch_rows("SELECT 1")] == [(1,)]


def read_file_modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


async def test_database_is_readable_and_searchable_with_plain_sqlite(tmp_path: Path) -> None:
    """Neither reading nor searching needs an extension or a custom tokenizer."""
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.append_messages(ANNA, [make_message("walrus")])
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.db")) as plain:
        assert plain.execute("SELECT content FROM messages").fetchall() == [("walrus",)]
        assert plain.execute("SELECT COUNT(*) FROM words WHERE words MATCH 'u42t0xwalrus'").fetchone() == (1,)
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_reader_in_another_process_does_not_remove_wal(tmp_path: Path) -> None:
    """The last connection to close deletes the WAL. A second process must not count as the last one."""
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


def read_schema_version(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as plain:
        return int(plain.execute("PRAGMA user_version").fetchone()[0])


def list_upgrade_copies(folder: Path) -> list[Path]:
    return list(folder.glob("*.before-format-*"))


async def test_older_database_is_copied_and_migrated_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    steps: list[Migration] = [*MIGRATIONS, add_table]
    async with Database.open(path, migrations=MIGRATIONS) as database, database.open_transaction() as tx:
        await tx.execute(PUT, 1)
    assert list_upgrade_copies(tmp_path) == []
    async with Database.open(path, migrations=steps) as database:
        assert await count_rows(database) == 1
    [copy] = list_upgrade_copies(tmp_path)
    assert (read_schema_version(copy), read_schema_version(path)) == (len(MIGRATIONS), len(steps))
    async with Database.open(path, migrations=steps):
        assert list_upgrade_copies(tmp_path) == [copy]


async def test_failed_migration_leaves_database_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=MIGRATIONS) as database, database.open_transaction() as tx:
        await tx.execute(PUT, 1)
    with pytest.raises(StorageError):
        async with Database.open(path, migrations=[*MIGRATIONS, add_table, break_down]):
            pass
    assert read_schema_version(path) == len(MIGRATIONS)
    async with Database.open(path, migrations=[*MIGRATIONS, add_table]) as database:
        assert await count_rows(database) == 1


async def test_database_from_before_first_version_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE users (user_id INTEGER PRIMARY KEY)")
        plain.execute("PRAGMA user_version=26")
    before = path.read_bytes()
    with pytest.raises(StorageTooOld, match="was written by a version of Keepsake before"):
        async with Database.open(path, migrations=MIGRATIONS):
            pass
    assert path.read_bytes() == before


async def test_newer_database_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with Database.open(path, migrations=[*MIGRATIONS, add_table]):
        pass
    before = path.read_bytes()
    with pytest.raises(StorageTooNew, match="newer version"):
        async with Database.open(path, migrations=MIGRATIONS):
            pass
    assert path.read_bytes() == before
    assert list(read_file_modes(tmp_path)) == ["memory.db"]

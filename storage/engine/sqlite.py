"""All access to a SQLite file: one writer, a few readers, and transactions that stay atomic if cancelled."""

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path

from records.errors import StorageCorrupt, StorageError, StorageTooNew, StorageTooOld
from runtime.tasks import run_to_completion
from storage.engine import sqlite_driver as driver
from storage.engine.protocol import Reader
from storage.engine.sqlite_driver import sqlite3, translate_storage_errors
from storage.engine.sqlite_writer import CommitHooks, SqliteConnection, SqliteWriter

Migration = Callable[[sqlite3.Connection], None]
"""A schema step. It runs in the transaction that raises the file's version."""

APPLICATION_ID = int.from_bytes(b"Keep")  # the PRAGMA application_id of files of version 1.0 and later
_FORMAT = """
SELECT user_version, application_id, NOT EXISTS (SELECT 1 FROM sqlite_master)
FROM pragma_user_version, pragma_application_id
"""


class Database(SqliteWriter):
    """An open SQLite file, created by `open`. It ignores `owner`, because SQLite has no row-level security."""

    def __init__(
        self, connection: SqliteConnection, readers: Sequence[SqliteConnection], commit_hooks: CommitHooks | None = None
    ) -> None:
        super().__init__(connection, commit_hooks)
        self.connections = (connection, *readers)
        self._readers: asyncio.LifoQueue[SqliteConnection] = asyncio.LifoQueue()
        for reader in readers:
            self._readers.put_nowait(reader)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        path: Path,
        *,
        migrations: Sequence[Migration],
        durable: bool = True,
        commit_hooks: CommitHooks | None = None,
    ) -> AsyncIterator["Database"]:
        """Open or create the file and migrate its schema. If not `durable`, a power cut may undo the last commits."""
        # At DEBUG, aiosqlite logs each statement with its values, and so the text of messages.
        logging.getLogger("aiosqlite").setLevel(logging.WARNING)
        await asyncio.to_thread(migrate_file, path, migrations)
        async with contextlib.AsyncExitStack() as stack:

            async def open_connection(name: str) -> SqliteConnection:
                connection = SqliteConnection(partial(driver.connect, path, durable=durable), path, name)
                with translate_storage_errors(path):
                    await connection
                stack.push_async_callback(run_to_completion, connection.close)
                return connection

            connection = await open_connection("writer")
            readers = [await open_connection("reader") for _ in range(3)]
            for reader in readers:
                await Reader(reader.run).execute("PRAGMA query_only=ON")
            database = cls(connection, readers, commit_hooks)
            stack.push_async_callback(run_to_completion, database.wait_until_written)
            yield database

    @contextlib.asynccontextmanager
    async def open_reader(self, owner: int | None = None, *, in_snapshot: bool = False) -> AsyncIterator[Reader]:
        connection = await self._readers.get()
        try:
            reader = Reader(connection.run)
            if in_snapshot:
                await reader.execute("BEGIN")
            yield reader
        finally:
            try:
                if in_snapshot:
                    await run_to_completion(connection.rollback)
            finally:
                self._readers.put_nowait(connection)

    async def try_to_truncate_write_ahead_log(self) -> bool:
        """Truncate the write-ahead log. Return False if another process is reading."""
        async with self.lock:
            return await self.connection.run(_try_to_truncate_write_ahead_log)

    async def vacuum_tables(self) -> None:
        """Rewrite the file without deleted data. The log keeps such data until it is truncated."""
        # secure_delete overwrites freed cells, but not the copies that a page split leaves behind.
        async with self.lock:
            await run_to_completion(partial(self.connection.run, lambda connection: connection.execute("VACUUM")))


def _try_to_truncate_write_ahead_log(connection: sqlite3.Connection) -> bool:
    # Another program's open file must not block all writes for the full busy timeout.
    [timeout_ms] = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout={min(timeout_ms, 200)}")
    try:
        row = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout={timeout_ms}")
    return row is not None and row[0] == 0


def copy_database(source: Path, target: Path) -> None:
    """Copy `source` to `target` using SQLite's online backup API, with mode 0600, and fsync it."""
    copy = target.with_name(target.name + ".partial")
    with translate_storage_errors(target):
        copy.unlink(missing_ok=True)
        driver.create_private_file(copy)
        with contextlib.closing(sqlite3.connect(source)) as old, contextlib.closing(sqlite3.connect(copy)) as new:
            old.backup(new)
        with copy.open("rb") as written:
            os.fsync(written.fileno())
        copy.replace(target)
        driver.fsync_folder(target.parent)


def migrate_file(path: Path, steps: Sequence[Migration]) -> None:
    """Create the file, or copy it aside and migrate it to the newest schema. Raise StorageTooNew or StorageTooOld."""
    version = read_file_version(path, len(steps))
    with translate_storage_errors(path):
        if version == len(steps):
            return
        copy = path.with_name(f"{path.name}.before-format-{len(steps)}")
        # A copy from an earlier attempt that was killed is complete, and older: keep it.
        if version and not copy.exists():
            copy_database(path, copy)
        with contextlib.closing(driver.connect(path)) as connection:
            _run_migrations(connection, steps, version, path)


def read_file_version(path: Path, max_version: int) -> int:
    """Return the schema version of a file, or 0 if it is missing or empty. Raise StorageTooNew or StorageTooOld."""
    with translate_storage_errors(path):
        if not path.exists():
            return 0
        # A plain connection changes nothing in the file, not even its journal mode.
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return read_schema_version(connection, path.name, max_version)


def read_schema_version(connection: sqlite3.Connection, file_name: str, max_version: int) -> int:
    """Return the number of migrations applied, or 0 for an empty file. Raise StorageTooNew or StorageTooOld."""
    version, application, is_empty = connection.execute(_FORMAT).fetchone()
    if is_empty:
        return 0
    if application != APPLICATION_ID:
        raise StorageTooOld.for_file(file_name)
    if version > max_version:
        raise StorageTooNew.for_format(file_name, version, max_version)
    return int(version)


def _run_migrations(connection: sqlite3.Connection, steps: Sequence[Migration], version: int, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys=OFF")  # has no effect inside a transaction
    with connection:  # roll back if the block raises
        connection.execute("BEGIN IMMEDIATE")
        for step in steps[version:]:
            step(connection)
        if connection.execute("PRAGMA foreign_key_check").fetchone():
            raise StorageError(f"{path.name} could not be brought to format {len(steps)}; it was left as it was.")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={len(steps)}")


@contextlib.asynccontextmanager
async def check_integrity_in_background(path: Path, on_damage: Callable[[str], None]) -> AsyncIterator[None]:
    """Check the integrity of `path` in a thread while the block runs. Call `on_damage` if it is damaged."""
    stopping = threading.Event()
    reading = asyncio.create_task(_check_and_report_damage(path, stopping, on_damage))
    try:
        yield
    finally:
        stopping.set()
        await reading


async def _check_and_report_damage(path: Path, stop_event: threading.Event, on_damage: Callable[[str], None]) -> None:
    try:
        await asyncio.to_thread(_check_integrity, path, stop_event)
    except StorageCorrupt as error:
        on_damage(error.sentence)
    except StorageError:
        return  # the file could not be read to its end; its users get the error


def _check_integrity(path: Path, stop_event: threading.Event) -> None:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with translate_storage_errors(path), contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.set_progress_handler(stop_event.is_set, 10_000)
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise driver.make_corruption_error(path)

"""All access to a SQLite file: one writer, a few readers, and errors as StorageError.

A transaction is committed or rolled back as a whole, even if its task is cancelled.
"""

import asyncio
import atexit
import contextlib
import functools
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeVar

from records.errors import StorageCorrupt, StorageError, StorageTooNew, StorageTooOld
from runtime.tasks import run_uncancelled
from storage.engine.protocol import Reader, Transaction
from storage.engine.sqlite_driver import connect, create_private, explain_errors, sqlite3, sync_folder
from storage.engine.sqlite_writer import CommitHooks, InItsThread, SqliteConnection, Work, Writer

Migration = Callable[[sqlite3.Connection], None]
"""One schema step. It runs in the same transaction that raises the file's version."""
Result = TypeVar("Result")

APPLICATION_ID = int.from_bytes(b"Keep")  # the PRAGMA application_id of files of version 1.0 and later
_FORMAT = """
SELECT user_version, application_id, NOT EXISTS (SELECT 1 FROM sqlite_master)
FROM pragma_user_version, pragma_application_id
"""
_TEMPLATE_LOCK = threading.Lock()


class Database:
    """An open SQLite file, created only by `open`. Every query goes through `transact`, `write` or `read`.

    It ignores `owner`: there is a single writer, and SQLite has no row-level security.
    """

    def __init__(self, path: Path, writer: Writer, readers: Sequence[SqliteConnection]) -> None:
        self.path = path
        self._writer = writer
        self._all_readers = tuple(readers)
        self._readers: asyncio.LifoQueue[SqliteConnection] = asyncio.LifoQueue()
        for reader in readers:
            self._readers.put_nowait(reader)

    @property
    def commits(self) -> int:
        """The number of durable commits so far."""
        return self._writer.commits

    @property
    def hops(self) -> int:
        """The number of calls handed to the file's threads so far."""
        return self._writer.hops + sum(connection.hops for connection in self._all_readers)

    @property
    def commit_hooks(self) -> CommitHooks | None:
        """The callbacks around every commit, or None. The JSON store writes its journal in them."""
        return self._writer.commit_hooks

    @commit_hooks.setter
    def commit_hooks(self, hooks: CommitHooks | None) -> None:
        self._writer.commit_hooks = hooks

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        path: Path,
        *,
        migrations: Sequence[Migration],
        durable: bool = True,
        busy_timeout: float = 5.0,
    ) -> AsyncIterator["Database"]:
        """Open or create the file, migrate its schema, and close everything at the end.

        With `durable=False` a commit survives a crash of the process but not of the machine; use it for derived files
        only. Raise StorageTooNew, StorageTooOld, StorageCorrupt, StorageBusy or StorageError, naming the file.
        """
        # At DEBUG, aiosqlite logs each statement with its values, and so the text of messages.
        logging.getLogger("aiosqlite").setLevel(logging.WARNING)
        await asyncio.to_thread(migrate, path, migrations)
        async with contextlib.AsyncExitStack() as stack:

            async def open_connection(name: str) -> SqliteConnection:
                with explain_errors(path):
                    connection = SqliteConnection(
                        lambda: connect(path, durable=durable, busy_timeout=busy_timeout), name
                    )
                    await connection
                stack.push_async_callback(run_uncancelled, connection.close)
                return connection

            writer = Writer(await open_connection("writer"), path, busy_timeout_ms=round(busy_timeout * 1000))
            stack.push_async_callback(run_uncancelled, writer.finish)
            readers = [await open_connection("reader") for _ in range(3)]
            for reader in readers:
                await Reader(InItsThread(reader, path)).rows("PRAGMA query_only=ON")
            yield cls(path, writer, readers)

    async def transact(self, work: Work[Result], owner: int | None = None) -> Result:
        """Run `work` as one transaction in one hop to the thread, and return its result once it is on disk.

        Transactions that wait at the same moment share one commit, but each fails on its own. `work` may run again if
        another's failure rolled it back, so it must change nothing but the file.
        """
        return await self._writer.transact(work)

    def write(self, owner: int | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction. It is committed to disk when the block ends, and rolled back if the block raises.

        All other writers wait meanwhile: use `transact` unless the block must await something between its statements.
        """
        return self._writer.transaction()

    @contextlib.asynccontextmanager
    async def read(self, owner: int | None = None, *, frozen: bool = False) -> AsyncIterator[Reader]:
        """Borrow a connection for reading. If `frozen`, all statements read one snapshot; keep such a block short."""
        connection = await self._readers.get()
        try:
            reader = Reader(InItsThread(connection, self.path))
            if frozen:
                await reader.rows("BEGIN")
            yield reader
        finally:
            try:
                if frozen:
                    await run_uncancelled(connection.rollback)
            finally:
                self._readers.put_nowait(connection)

    async def forget_log(self) -> bool:
        """Checkpoint and truncate the write-ahead log so that it holds no erased text.

        Return False if another process is reading; the log is then truncated when the file is closed.
        """
        async with self._writer.exclusive() as run:
            return bool(await run(_cut_log))

    async def rewrite(self) -> None:
        """Rewrite the file without deleted data. The log still holds that data until `forget_log`.

        secure_delete overwrites freed cells, but not the copies that a page split leaves behind.
        """
        async with self._writer.exclusive() as run:
            await run_uncancelled(lambda: run(_rewrite_file))


def _cut_log(connection: sqlite3.Connection) -> bool:
    # Another program's open file must not block all writes for the full busy timeout.
    [timeout_ms] = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout={min(timeout_ms, 200)}")
    try:
        row = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout={timeout_ms}")
    return row is not None and row[0] == 0


def _rewrite_file(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")


def _check_foreign_keys(connection: sqlite3.Connection, path: Path, number: int) -> None:
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise StorageError(f"{path.name} could not be brought to format {number}; it was left as it was.")


def copy_database(source: Path, target: Path) -> None:
    """Copy `source` to `target` by SQLite's online backup, with mode 0600, and fsync it."""
    partial = target.with_name(target.name + ".partial")
    with explain_errors(target):
        partial.unlink(missing_ok=True)
        create_private(partial)
        with (
            contextlib.closing(sqlite3.connect(source)) as old,
            contextlib.closing(sqlite3.connect(partial)) as new,
        ):
            old.backup(new)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.replace(target)
        sync_folder(target.parent)


def migrate(path: Path, steps: Sequence[Migration]) -> None:
    """Create the file at `path` or migrate it to the newest schema. Keep a copy of the file as it was before.

    Raise StorageTooNew or StorageTooOld, and leave the file unchanged.
    """
    with explain_errors(path):
        version = 0
        if path.exists():
            # A plain connection changes nothing in the file, not even its journal mode.
            with contextlib.closing(sqlite3.connect(path)) as connection:
                version = read_version(connection, path.name, len(steps))
        if version == len(steps):
            return
        if version == 0:
            with contextlib.closing(connect(path)) as connection:
                _copy_template(connection, tuple(steps))
            return
        copy = path.with_name(f"{path.name}.before-format-{len(steps)}")
        # A copy from an earlier attempt that was killed is complete, and older: keep it.
        if not copy.exists():
            copy_database(path, copy)
        with contextlib.closing(connect(path)) as connection:
            _run_migrations(connection, steps, version, path)


def read_version(connection: sqlite3.Connection, name: str, known: int) -> int:
    """Return the number of migrations applied to a file, 0 if it is empty. Raise StorageTooNew or StorageTooOld."""
    version, application, is_empty = connection.execute(_FORMAT).fetchone()
    if is_empty:
        return 0
    if application != APPLICATION_ID:
        raise StorageTooOld.of(name)
    if version > known:
        raise StorageTooNew.of(name, version, known)
    return int(version)


def _run_migrations(connection: sqlite3.Connection, steps: Sequence[Migration], version: int, path: Path) -> None:
    """Run the migrations after `version`, each in its own transaction."""
    connection.execute("PRAGMA foreign_keys=OFF")  # has no effect inside a transaction
    for number, step in enumerate(steps[version:], start=version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            _check_foreign_keys(connection, path, number)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise


@functools.cache
def _build_template(steps: tuple[Migration, ...]) -> sqlite3.Connection:
    """Return an empty in-memory database of this schema (250 kB). Running the migrations takes 40 ms of CPU time."""
    template = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    atexit.register(template.close)
    template.row_factory = sqlite3.Row
    _run_migrations(template, steps, 0, Path("a new file"))
    return template


def _copy_template(connection: sqlite3.Connection, steps: tuple[Migration, ...]) -> None:
    """Fill a new file with the empty schema in one transaction (SQLite's backup)."""
    with _TEMPLATE_LOCK:
        _build_template(steps).backup(connection)


# the integrity check ----------------------------------------------------------------------------------------
@contextlib.asynccontextmanager
async def check_in_background(path: Path, report: Callable[[str], None]) -> AsyncIterator[None]:
    """Check the integrity of `path` in a thread while the block runs. Pass `report` a sentence if it is damaged."""
    stopping = threading.Event()
    reading = asyncio.create_task(_examine(path, stopping, report))
    try:
        yield
    finally:
        stopping.set()
        await reading


async def _examine(path: Path, stopping: threading.Event, report: Callable[[str], None]) -> None:
    try:
        await asyncio.to_thread(_check_integrity, path, stopping)
    except StorageCorrupt as error:
        report(error.sentence)
    except StorageError:
        return  # the file could not be read to its end; its users get the error


def _check_integrity(path: Path, stopping: threading.Event) -> None:
    """Raise StorageCorrupt if a page is damaged. Give up when `stopping` is set."""
    with (
        explain_errors(path),
        contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        connection.set_progress_handler(stopping.is_set, 10_000)
        verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if verdict != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")

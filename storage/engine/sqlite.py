"""All access to a SQLite file: one writer, a few readers next to it, errors in our words.

A transaction is whole or nothing, also when its task is cancelled.
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
from runtime.tasks import uncancelled
from storage.engine.protocol import Reader, Transaction
from storage.engine.sqlite_driver import connect, create_private, explained, fsync_folder, sqlite3
from storage.engine.sqlite_writer import CommitHooks, Connection, InItsThread, Work, Writer

Migration = Callable[[sqlite3.Connection], None]
"""One step of a schema. It runs in a transaction together with the record that it ran."""
Result = TypeVar("Result")

APPLICATION_ID = int.from_bytes(b"Keep")
"""Marks the files of version 1.0 and later (PRAGMA application_id)."""
_FORMAT = """
SELECT user_version, application_id, NOT EXISTS (SELECT 1 FROM sqlite_master)
FROM pragma_user_version, pragma_application_id
"""
_COPYING = threading.Lock()


class Database:
    """An open SQLite file. Made by `open` only; every query of the program passes `transact`, `write` or `read`.

    Whose rows are touched, SQLite need not know: it has one writer, and no rows that it could refuse.
    """

    def __init__(self, path: Path, writer: Writer, readers: Sequence[Connection]) -> None:
        self.path = path
        self._writer = writer
        self._all_readers = tuple(readers)
        self._readers: asyncio.LifoQueue[Connection] = asyncio.LifoQueue()
        for reader in readers:
            self._readers.put_nowait(reader)

    @property
    def commits(self) -> int:
        """Durable commits made so far."""
        return self._writer.commits

    @property
    def hops(self) -> int:
        """The number of times that work was handed to one of the file's threads."""
        return self._writer.hops + sum(connection.hops for connection in self._all_readers)

    @property
    def commit_hooks(self) -> CommitHooks | None:
        """Called at every commit, if set: the JSON store keeps its journal there, and tests break the disk there."""
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
        """Open or create the file, bring its schema up to date, and close everything at the end.

        `durable=False`: a commit survives the death of the process, not that of the machine (derived files only).
        Raises StorageTooNew, StorageTooOld, StorageCorrupt, StorageBusy or StorageError with a sentence that names the
        file.
        """
        # At DEBUG, aiosqlite logs each statement with its values: message text in the log.
        logging.getLogger("aiosqlite").setLevel(logging.WARNING)
        await asyncio.to_thread(migrate, path, migrations)
        async with contextlib.AsyncExitStack() as stack:

            async def opened(name: str) -> Connection:
                with explained(path):
                    made = Connection(lambda: connect(path, durable=durable, busy_timeout=busy_timeout), name)
                    await made
                stack.push_async_callback(uncancelled, made.close)
                return made

            writer = Writer(await opened("writer"), path, patience=round(busy_timeout * 1000))
            stack.push_async_callback(uncancelled, writer.finish)
            readers = [await opened("reader") for _ in range(3)]
            for reader in readers:
                await Reader(InItsThread(reader, path)).rows("PRAGMA query_only=ON")
            yield cls(path, writer, readers)

    async def transact(self, work: Work[Result], owner: int | None = None) -> Result:
        """Run `work` with the connection as one transaction, in one hop to its thread; what it returned, on disk.

        What waits at the same moment shares one commit, and what fails fails alone. `work` may be run a second time
        where its first run was undone by another's failure, so it changes nothing but the file.
        """
        return await self._writer.transact(work)

    def write(self, owner: int | None = None) -> AbstractAsyncContextManager[Transaction]:
        """One transaction of many steps: committed (and on disk) when the block ends well, otherwise as if it had never
        been. Everybody else waits meanwhile; what needs nothing between its statements is a `transact`.
        """
        return self._writer.alone()

    @contextlib.asynccontextmanager
    async def read(self, owner: int | None = None, *, frozen: bool = False) -> AsyncIterator[Reader]:
        """A connection for reading. `frozen`: all statements see the same moment; keep such a block short."""
        connection = await self._readers.get()
        try:
            reader = Reader(InItsThread(connection, self.path))
            if frozen:
                await reader.rows("BEGIN")
            yield reader
        finally:
            try:
                if frozen:
                    await uncancelled(connection.rollback)
            finally:
                self._readers.put_nowait(connection)

    async def forget_log(self) -> bool:
        """Move the write-ahead log into the file and cut it to nothing, so that erased text is in neither.

        False when a reader of another process is in the way; the log is cut when the file is closed.
        """
        async with self._writer.outside() as run:
            return bool(await run(_cut_log))

    async def rewrite(self) -> None:
        """Rewrite the file without what was deleted from it. Its log still holds that until `forget_log`.

        secure_delete blanks what a deletion frees, but not the copies that stay behind where pages were split.
        """
        async with self._writer.outside() as run:
            await uncancelled(lambda: run(_rewrite))


def _cut_log(connection: sqlite3.Connection) -> bool:
    # Somebody's open file must not hold up every write for the whole of the usual patience.
    [patience] = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout={min(patience, 200)}")
    try:
        row = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout={patience}")
    return row is not None and row[0] == 0


def _rewrite(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")


def _demand_whole(connection: sqlite3.Connection, path: Path, number: int) -> None:
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise StorageError(f"{path.name} could not be brought to format {number}; it was left as it was.")


def copy_database(source: Path, target: Path) -> None:
    """SQLite's online backup of `source`, fsynced, 0600."""
    partial = target.with_name(target.name + ".partial")
    with explained(target):
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
        fsync_folder(target.parent)


def migrate(path: Path, steps: Sequence[Migration]) -> None:
    """Bring the file at `path` up to date, creating it if need be; a copy of what was there is put aside before.

    Raises StorageTooNew or StorageTooOld; the file is left as it is.
    """
    with explained(path):
        version = 0
        if path.exists():
            with contextlib.closing(sqlite3.connect(path)) as looking:  # changes nothing yet, not even its journal mode
                version = version_of(looking, path.name, len(steps))
        if version == len(steps):
            return
        if version == 0:
            with contextlib.closing(connect(path)) as connection:
                _put_empty(connection, tuple(steps))
            return
        copy = path.with_name(f"{path.name}.before-format-{len(steps)}")
        # A copy left by an attempt that died is older and complete: it is the one to keep.
        if not copy.exists():
            copy_database(path, copy)
        with contextlib.closing(connect(path)) as connection:
            _run(connection, steps, version, path)


def version_of(connection: sqlite3.Connection, name: str, known: int) -> int:
    """The number of steps that made a file; 0 of an empty one. Raises StorageTooNew or StorageTooOld."""
    version, application, is_empty = connection.execute(_FORMAT).fetchone()
    if is_empty:
        return 0
    if application != APPLICATION_ID:
        raise StorageTooOld.of(name)
    if version > known:
        raise StorageTooNew.of(name, version, known)
    return int(version)


def _run(connection: sqlite3.Connection, steps: Sequence[Migration], version: int, path: Path) -> None:
    """Take the steps behind `version`, each a transaction of its own."""
    connection.execute("PRAGMA foreign_keys=OFF")  # has no effect inside a transaction
    for number, step in enumerate(steps[version:], start=version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            _demand_whole(connection, path, number)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise


@functools.cache
def _empty(steps: tuple[Migration, ...]) -> sqlite3.Connection:
    """A file of this schema with nothing in it: 250 kB in memory, which take 40 ms of a processor to make by steps."""
    made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    atexit.register(made.close)
    made.row_factory = sqlite3.Row
    _run(made, steps, 0, Path("a new file"))
    return made


def _put_empty(connection: sqlite3.Connection, steps: tuple[Migration, ...]) -> None:
    """Copied whole or not at all: SQLite's backup is one transaction. The folder's lock keeps other programs away."""
    with _COPYING:
        _empty(steps).backup(connection)


# whether a file is intact -----------------------------------------------------------------------------------
@contextlib.asynccontextmanager
async def examined(path: Path, report: Callable[[str], None]) -> AsyncIterator[None]:
    """While the block runs, `path` is read through in a thread; `report` gets a sentence if it is damaged."""
    stopping = threading.Event()
    reading = asyncio.create_task(_examine(path, stopping, report))
    try:
        yield
    finally:
        stopping.set()
        await reading


async def _examine(path: Path, stopping: threading.Event, report: Callable[[str], None]) -> None:
    try:
        await asyncio.to_thread(_read_through, path, stopping)
    except StorageCorrupt as error:
        report(error.sentence)
    except StorageError:
        # It could not be read to its end; whoever needs it gets the error.
        return


def _read_through(path: Path, stopping: threading.Event) -> None:
    """Raises StorageCorrupt where a page is damaged; gives up when `stopping` is set."""
    with (
        explained(path),
        contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        connection.set_progress_handler(stopping.is_set, 10_000)
        verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if verdict != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")

"""The one door to a SQLite file: one writer behind a lock, a few readers beside it, errors in our words.

A transaction is whole or nothing, also when its task is cancelled. Does not know what the tables mean.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from records.errors import StorageBusy, StorageError, StorageTooNew
from storage.files.driver import connect, create_private, explained, fsync_folder, sqlite3
from storage.files.transaction import Connection, Reader, Transaction, Witness

Migration = Callable[[sqlite3.Connection], None]
"""One step of a schema. It runs in a transaction together with the record that it ran."""
Result = TypeVar("Result")

READERS = 3
SHORT_PATIENCE = 50
"""Milliseconds that a writer waits while another process has held the file for longer than the usual patience."""
LOG_PATIENCE = 200
"""Milliseconds that cutting the log waits for readers."""


class Database:
    """An open SQLite file. Made by `open` only; every query of the program passes `read` or `write`.

    `witness`, if set, hears of every commit; the JSON store keeps its journal there, and tests break the disk there.
    """

    def __init__(
        self,
        path: Path,
        writer: Connection,
        readers: Sequence[Connection],
        backups: list[Path],
        *,
        patience: int,
    ) -> None:
        self.path = path
        self._patience = patience  # milliseconds
        self._was_busy = False
        self.migration_backups = tuple(backups)
        self.witness: Witness | None = None
        self._writer = writer
        self._lock = asyncio.Lock()
        self._readers: asyncio.LifoQueue[Connection] = asyncio.LifoQueue()
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
        busy_timeout: float = 5.0,
    ) -> AsyncIterator["Database"]:
        """Open or create the file, bring its schema up to date, and close everything at the end.

        `durable=False`: a commit survives the death of the process, not that of the machine (derived files only).
        Raises StorageTooNew, StorageCorrupt, StorageBusy or StorageError with a sentence that names the file.
        """
        # At DEBUG, aiosqlite logs each statement with its values: message text in the log.
        logging.getLogger("aiosqlite").setLevel(logging.WARNING)
        backups = await asyncio.to_thread(migrate, path, migrations)
        async with contextlib.AsyncExitStack() as stack:

            async def opened() -> Connection:
                with explained(path):
                    made = Connection(
                        lambda: connect(path, durable=durable, busy_timeout=busy_timeout),
                        64,
                    )
                    await made
                stack.push_async_callback(uncancelled, made.close)
                return made

            writer = await opened()
            readers = [await opened() for _ in range(READERS)]
            for reader in readers:
                await Reader(reader, path).rows("PRAGMA query_only=ON")
            yield cls(path, writer, readers, backups, patience=round(busy_timeout * 1000))

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """One transaction: committed (and on disk) when the block ends well, otherwise as if it had never been."""
        async with self._lock:
            tx = Transaction(self._writer, self.path)
            try:
                await self._begin(tx)
                yield tx
            except BaseException:
                await uncancelled(self._roll_back)
                raise
            await uncancelled(lambda: self._commit(tx))

    async def _begin(self, tx: Transaction) -> None:
        """Patience once: while another process goes on holding the file, the next writers are told soon."""
        try:
            await tx.rows("BEGIN IMMEDIATE")
        except StorageBusy:
            self._was_busy = True
            await tx.rows(f"PRAGMA busy_timeout={SHORT_PATIENCE}")
            raise
        if self._was_busy:
            self._was_busy = False
            await tx.rows(f"PRAGMA busy_timeout={self._patience}")

    async def _commit(self, tx: Transaction) -> None:
        try:
            if self.witness:
                await self.witness.before_commit(tx)
            await tx.rows("COMMIT")
        except BaseException:
            await self._roll_back()
            if self.witness:
                await self.witness.after_failure()
            raise
        if self.witness:
            self.witness.after_commit()

    async def _roll_back(self) -> None:
        # Queued behind whatever a cancelled task left in the connection's own queue; a no-op outside a transaction.
        with contextlib.suppress(ValueError), explained(self.path):
            await self._writer.rollback()

    @contextlib.asynccontextmanager
    async def read(self, *, frozen: bool = False) -> AsyncIterator[Reader]:
        """A connection for reading. `frozen`: all statements see the same moment; keep such a block short."""
        connection = await self._readers.get()
        try:
            reader = Reader(connection, self.path)
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
        async with self._lock:
            writer = Reader(self._writer, self.path)
            # Somebody's open file must not hold up every write for the whole of the usual patience.
            [patience] = await writer.row("PRAGMA busy_timeout") or (0,)
            await writer.rows(f"PRAGMA busy_timeout={min(patience, LOG_PATIENCE)}")
            try:
                row = await writer.row("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                await writer.rows(f"PRAGMA busy_timeout={patience}")
            return row is not None and row[0] == 0

    async def rewrite(self) -> None:
        """Write the file anew without what was deleted from it. Its log holds it until `forget_log`.

        secure_delete blanks what a deletion frees, but not the copies that stay behind where pages were split.
        """
        async with self._lock:
            await uncancelled(lambda: Reader(self._writer, self.path).rows("VACUUM"))

    async def backup(self, target: Path) -> None:
        """Copy the file as of this moment to `target`, while it is in use. `target` appears whole or not at all."""
        await uncancelled(lambda: asyncio.to_thread(copy_database, self.path, target))


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


def migrate(path: Path, steps: Sequence[Migration]) -> list[Path]:
    """Bring the file at `path` up to date, creating it if need be; the copies that were put aside before.

    Raises StorageTooNew when the file knows more steps than we do; it is left as it is.
    """
    with explained(path), contextlib.closing(connect(path)) as connection:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(steps):
            raise StorageTooNew(
                f"{path.name} was written by a newer version of Keepsake (its format is {version}, "
                f"this program knows {len(steps)}); please update the program."
            )
        if version == len(steps):
            return []
        copies: list[Path] = []
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            copy = path.with_name(f"{path.name}.before-format-{len(steps)}")
            # A copy left by an attempt that died is older and complete: it is the one to keep.
            if not copy.exists():
                copy_database(path, copy)
            copies.append(copy)
        connection.execute("PRAGMA foreign_keys=OFF")  # has no effect inside a transaction
        for number, step in enumerate(steps[version:], start=version + 1):
            connection.execute("BEGIN IMMEDIATE")
            try:
                step(connection)
                _demand_whole(connection, path, number)
                connection.execute(f"PRAGMA user_version={number}")
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise
        return copies


async def uncancelled(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Finish `work` even when the task is cancelled meanwhile; then pass the cancellation on."""
    task = asyncio.ensure_future(work())
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if task.cancelled():
                raise
            cancelled = error
        except Exception:  # noqa: BLE001, S110, RUF100 - read from the task below
            pass
    if cancelled is not None:
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()

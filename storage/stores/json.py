"""The store in memory.json, with a journal next to it and a working copy in index.db.

Each commit is first appended to the journal, so its cost does not grow with the memory. A new snapshot replaces
memory.json when the journal has become large. index.db may be deleted while the bot is stopped.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from records.errors import StorageError
from records.owners import StorageType
from runtime.tasks import run_to_completion
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import connect, sqlite3, translate_storage_errors
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import TABLES, PortableRow, Table
from storage.stores import json_files as files
from storage.stores.json_files import INDEX_NAME, JOURNAL_NAME, SNAPSHOT_NAME, Journal, JournalEntry
from storage.stores.json_recovery import JsonRecovery, remove_database
from storage.stores.memory_store import MemoryStore

log = logging.getLogger(__name__)

# Records the rows that a transaction touches. TEMP tables belong to this connection and roll back with the transaction.
_TRACKING = [
    "CREATE TEMP TABLE changed (name TEXT, a INTEGER, b INTEGER, PRIMARY KEY (name, a, b)) WITHOUT ROWID",
    *(
        f"""
        CREATE TEMP TRIGGER {table.name}_{event.lower()} AFTER {event} ON main.{table.name} BEGIN
          INSERT INTO changed SELECT '{table.name}', {key}
          WHERE NOT EXISTS (SELECT 1 FROM changed WHERE (name, a, b) = ('{table.name}', {key}));
        END
        """  # noqa: S608
        for table in TABLES
        for event, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old"))
        for key in [", ".join([f"{row}.{name}" for name in table.key] + ["0"] * (2 - len(table.key)))]
    ),
]


class JournaledCommits:
    """Writes each commit to the journal first (CommitHooks). `on_journal_large` is called when a snapshot is due."""

    def __init__(self, folder: Path, on_journal_large: Callable[[], None]) -> None:
        self.journal = Journal(folder / JOURNAL_NAME)
        self.is_copy_corrupt = False
        self._target = folder / SNAPSHOT_NAME
        self._on_journal_large = on_journal_large

    def mark_copy_corrupt(self) -> None:
        """Mark the working copy as corrupt, so that the next start rebuilds it. Later writes keep the mark."""
        self.is_copy_corrupt = True

    def prepare_commit(self, connection: sqlite3.Connection) -> None:
        """Append the changes of a transaction to the journal before it is committed to the working copy."""
        names = {row[0] for row in connection.execute("SELECT DISTINCT name FROM temp.changed")}
        if not names:
            return
        put: dict[str, list[PortableRow]] = {}
        gone: dict[str, list[list[int]]] = {}
        for table in TABLES:
            for row in connection.execute(_CHANGED_ROWS[table.name]) if table.name in names else ():
                if row["found"]:
                    put.setdefault(table.name, []).append(table.to_portable_row(row))
                else:
                    gone.setdefault(table.name, []).append([row["a"], row["b"]][: len(table.key)])
        advance = "UPDATE journal_state SET seq = seq + 1, clean = clean * ? RETURNING seq"
        [seq] = connection.execute(advance, (not self.is_copy_corrupt,)).fetchone()
        with translate_storage_errors(self.journal.path):
            self.journal.write(JournalEntry(seq=seq, put=put, delete=gone))
        connection.execute("DELETE FROM temp.changed")

    def abort_commit(self) -> None:
        """Remove a failed transaction from the journal. If that fails, the next write tries again."""
        with contextlib.suppress(OSError):
            self.journal.undo_unconfirmed_write()

    def confirm_commit(self) -> None:
        """Confirm the journal record of a transaction, and report a large journal."""
        if self.journal.confirm_write_if_any():
            size = self._target.stat().st_size if self._target.exists() else 0
            if self.journal.is_snapshot_due(size):
                self._on_journal_large()


class JsonStore(MemoryStore):
    """A MemoryStore in a JSON file that people can edit. `reports` contains a sentence about each damaged file."""

    def __init__(self, database: Database, folder: Path, reports: list[str], commits: JournaledCommits) -> None:
        super().__init__(database, StorageType.JSON)
        self._working_copy = database
        self.reports = reports
        self.mark_copy_corrupt = commits.mark_copy_corrupt
        self._target = folder / SNAPSHOT_NAME
        self._journal = commits.journal
        self._snapshot_lock = asyncio.Lock()
        self.background: asyncio.Task[None] | None = None
        self._is_closing = False
        self._close_by: float | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, folder: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> AsyncIterator["JsonStore"]:
        """Open the store in `folder`. On exit, write memory.json unless the deadline has passed."""
        recovery = JsonRecovery(folder, clock)
        with translate_storage_errors(folder / SNAPSHOT_NAME):
            try:
                await asyncio.to_thread(recovery.recover_working_copy_from_files)
            finally:
                recovery.stop_recovering()
        index, commits = folder / INDEX_NAME, JournaledCommits(folder, lambda: store._start_snapshot_task())
        opening = Database.open(index, migrations=MIGRATIONS, durable=False, commit_hooks=commits)
        async with opening as database:
            store = cls(database, folder, recovery.reports, commits)
            async with database.open_transaction() as tx:
                for statement in _TRACKING:
                    await tx.execute(statement)
            if recovery.snapshot_needed:
                await store.flush_files()
            elif store._journal.size:
                # The previous run was killed or had no time. Without this, a series of short runs would never write it.
                store._start_snapshot_task()
            try:
                yield store
            finally:
                await run_to_completion(store._close_database)
        if commits.is_copy_corrupt:
            with translate_storage_errors(index):
                remove_database(index)

    async def erase_owner(self, owner: int) -> None:
        await super().erase_owner(owner)
        await run_to_completion(self._make_snapshot)

    async def purge_erased_text(self) -> None:
        """Rewrite memory.json, the journal and the working copy, so that no file contains erased text."""
        await run_to_completion(self._make_snapshot)
        await super().purge_erased_text()

    def set_shutdown_deadline(self, deadline: float) -> None:
        self._close_by = deadline

    async def flush_files(self, *, keep_going: Callable[[], bool] = lambda: True) -> None:
        """Write memory.json and remove the journal. Raise SnapshotCancelled if `keep_going` returns False."""
        row = await self._fetch_row(None, "SELECT snapshot FROM journal_state")
        if self._journal.size or row is None or row[0] != files.compute_file_fingerprint(self._target):
            await run_to_completion(partial(self._make_snapshot, keep_going=keep_going))

    def _start_snapshot_task(self) -> None:
        if self.background is None or self.background.done():
            self.background = asyncio.ensure_future(self._make_snapshot_in_background())

    async def _make_snapshot_in_background(self) -> None:
        try:
            await run_to_completion(lambda: self._make_snapshot(keep_going=lambda: not self._is_closing))
        except files.SnapshotCancelled:
            pass
        except StorageError as error:
            self._journal.postpone_snapshot_until_size_doubles()
            log.warning("%s could not be brought up to date: %s", SNAPSHOT_NAME, error.sentence)

    async def _make_snapshot(self, *, keep_going: Callable[[], bool] = lambda: True) -> None:
        async with self._snapshot_lock:
            with translate_storage_errors(self._target):
                seq = await asyncio.to_thread(self._write_snapshot, keep_going)
            async with self.database.open_transaction(None) as tx:
                with translate_storage_errors(self._journal.path):
                    await asyncio.to_thread(self._journal.drop_records_through, seq)
                await tx.execute("UPDATE journal_state SET snapshot = ?", files.compute_file_fingerprint(self._target))

    def _write_snapshot(self, keep_going: Callable[[], bool]) -> files.JournalSeq:
        with contextlib.closing(connect(self._working_copy.path, durable=False)) as source:
            return files.write_snapshot(source, self._target, keep_going=keep_going)

    async def _close_database(self) -> None:
        # Cancel a running snapshot: the final one holds everything, and a stop has no time for both.
        self._is_closing = True
        if self.background is not None:
            await self.background
        try:
            await self.flush_files(keep_going=lambda: self._close_by is None or time.monotonic() < self._close_by)
        except files.SnapshotCancelled:
            log.warning("the stop had no time to bring %s up to date: %s holds the rest", SNAPSHOT_NAME, JOURNAL_NAME)
        except StorageError as error:
            log.warning("%s could not be brought up to date: %s", SNAPSHOT_NAME, error.sentence)
        self._journal.close()


def _make_sql_to_read_changed_rows(table: Table) -> str:
    """Return the SQL query that reads the changed rows of a table. For a deleted row, it yields only the key."""
    second = f"t.{table.key[1]}" if len(table.key) > 1 else "0"
    columns = ", ".join(f"t.{column.name}" for column in table.columns)
    return f"""
        SELECT c.a, c.b, t.{table.key[0]} IS NOT NULL AS found, {columns}
        FROM temp.changed AS c LEFT JOIN main.{table.name} AS t ON t.{table.key[0]} = c.a AND {second} = c.b
        WHERE c.name = '{table.name}' ORDER BY c.a, c.b
    """  # noqa: S608


_CHANGED_ROWS = {table.name: _make_sql_to_read_changed_rows(table) for table in TABLES}

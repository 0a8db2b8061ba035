"""The memories of owners in memory.json, with a journal beside it and a working copy in index.db.

The truth is memory.json + memory.json.journal. index.db holds the same rows in SQLite, derived: it may be deleted
while the bot is stopped. Each commit is journalled and fsynced first, so a message costs the same at any size; now and
then a snapshot replaces memory.json. Does not know what is remembered.
"""

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from errors import StorageCorrupt, StorageError, StorageTooNew
from records import StorageType
from storage import snapshot, word_index
from storage.database import Database, migrate, uncancelled
from storage.driver import connect, create_private, explained, sentence_for, sqlite3
from storage.journal import Entry, Journal, entries, survey
from storage.migrations import MIGRATIONS
from storage.rows import mapping
from storage.sqlite import SqliteStore
from storage.tables import BY_NAME, ERASED, MESSAGES, TABLES, UPSERT_USER, USERS, Portable, Table
from storage.transaction import Transaction

SNAPSHOT_NAME, JOURNAL_NAME, INDEX_NAME = "memory.json", "memory.json.journal", "index.db"
DISTRUSTED_NAME = "index.db.damaged"
"""Beside a working copy that was found damaged while it was in use: the next start makes it anew."""
LEAST_JOURNAL = 1_000_000
LINE_ROWS = 500

_JOURNAL_STATE = """
CREATE TABLE IF NOT EXISTS journal_state (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  seq      INTEGER NOT NULL,       -- the last journal record that this file holds
  snapshot TEXT,                   -- identity of the memory.json that it agrees with
  boot     TEXT NOT NULL,          -- the machine's start in which it was last open
  clean    INTEGER NOT NULL        -- 1 once closed and fsynced; otherwise it is trusted only within the same boot
)
"""
# Which rows a transaction touched. Temporary: they are this connection's, and roll back with the transaction.
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


class JsonStore(SqliteStore):
    """A MemoryStore whose files people can read. Made by `open` only.

    `reports`: sentences about what was found damaged at start and what was done about it, for log and admin.
    """

    def __init__(self, database: Database, folder: Path, reports: list[str]) -> None:
        super().__init__(database, StorageType.JSON)
        self.reports = reports
        self._target = folder / SNAPSHOT_NAME
        self._journal = Journal(folder / JOURNAL_NAME)
        self._seq = 0
        self._next = 0
        self._snapshot_lock = asyncio.Lock()
        self._background: asyncio.Task[None] | None = None
        self._retry_above = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, folder: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> AsyncIterator["JsonStore"]:
        """Open the store in `folder`, recovering whatever a dying process left; at the end memory.json is complete.

        Raises StorageTooNew, everything left as it is, when a newer version wrote memory.json.
        """
        recovery = _Recovery(folder, clock)
        with explained(folder / SNAPSHOT_NAME):
            await asyncio.to_thread(recovery.run)
        index = folder / INDEX_NAME
        async with Database.open(index, migrations=MIGRATIONS, durable=False) as database:
            store = cls(database, folder, recovery.reports)
            async with database.write() as tx:
                for statement in _TRACKING:
                    await tx.rows(statement)
                row = await tx.row("SELECT seq FROM journal_state")
                store._seq = int(row[0]) if row else 0
            database.witness = store
            if recovery.snapshot_needed:
                await store.flush()
            try:
                yield store
            finally:
                await uncancelled(store._close)
        # A working copy without the mark is looked through by the next start, or made anew.
        with contextlib.suppress(StorageError), explained(index):
            await asyncio.to_thread(_mark_clean, index)

    async def erase(self, owner: int) -> None:
        """Remove everything of an owner, from snapshot and journal too."""
        await super().erase(owner)
        await self._snapshot()

    async def scrub(self) -> None:
        """As a SQLite store's, and what is erased is in neither snapshot nor journal."""
        await self._snapshot()
        await super().scrub()

    def distrust(self) -> None:
        """The working copy was found damaged: the next start is to make it anew."""
        with contextlib.suppress(OSError):
            create_private(self._target.with_name(DISTRUSTED_NAME))

    async def flush(self) -> None:
        """Write everything to memory.json; no journal remains."""
        async with self._db.read() as reader:
            row = await reader.row("SELECT snapshot FROM journal_state")
        if self._journal.size or row is None or row[0] != snapshot.identity_of(self._target):
            await self._snapshot()

    # the journal: called by the database with the writer's lock held -----------------------------------------
    async def before_commit(self, tx: Transaction) -> None:
        """Write the transaction's changes to the journal, safely, before they are committed to the working copy."""
        counts = {row[0]: row[1] for row in await tx.rows("SELECT name, COUNT(*) FROM temp.changed GROUP BY name")}
        if not counts:
            return
        self._next = self._seq + 1
        path = self._journal.path
        pending: dict[str, list[Portable]] = {}
        held = 0
        for table in TABLES:
            if table.name not in counts:
                continue
            after = (-(2**62), 0)
            while rows := await tx.rows(_changed_rows(table), *after):
                after = (rows[-1][table.key[0]], rows[-1][table.key[1]] if len(table.key) > 1 else 0)
                pending.setdefault(table.name, []).extend(table.portable(mapping(row)) for row in rows)
                held += len(rows)
                if held >= LINE_ROWS:
                    with explained(path):
                        await asyncio.to_thread(self._write, Entry(seq=self._next, put=pending, more=True))
                    pending, held = {}, 0
                if len(rows) < LINE_ROWS:
                    break
        last = Entry(seq=self._next, put=pending, delete=await _deleted_keys(tx, counts))
        with explained(path):
            await asyncio.to_thread(self._write, last, sync=True)
        await tx.rows("UPDATE main.journal_state SET seq = ?", self._next)
        await tx.rows("DELETE FROM temp.changed")

    def _write(self, entry: Entry, *, sync: bool = False) -> None:
        self._journal.write([entry.line()])
        if sync:
            self._journal.sync()

    async def after_failure(self) -> None:
        """Cut off what the journal was given. Where even that fails, it is tried again before the next record."""
        self._next = self._seq
        with contextlib.suppress(OSError):
            await asyncio.to_thread(self._journal.take_back)

    def after_commit(self) -> None:
        """What was written belongs to the memory now."""
        if self._next > self._seq:
            self._seq = self._next
            self._journal.keep()
            if self._snapshot_due() and (self._background is None or self._background.done()):
                self._background = asyncio.ensure_future(self._snapshot_in_background())

    # the snapshot ------------------------------------------------------------------------------------------
    def _snapshot_due(self) -> bool:
        size = self._target.stat().st_size if self._target.exists() else 0
        least = max(LEAST_JOURNAL, size // 2) if size else 0
        return self._journal.size > max(least, self._retry_above)

    async def _snapshot_in_background(self) -> None:
        try:
            await self._snapshot()
            self._retry_above = 0
        except StorageError as error:
            # The journal holds everything; it is tried again once that has grown further, and at the end.
            self._retry_above = self._journal.size * 2
            self.reports.append(f"{SNAPSHOT_NAME} could not be brought up to date: {error.sentence}")

    async def _snapshot(self) -> None:
        """Bring memory.json up to date and drop from the journal what it holds."""
        await uncancelled(self._make_snapshot)

    async def _make_snapshot(self) -> None:
        async with self._snapshot_lock:
            with explained(self._target):
                seq = await asyncio.to_thread(self._write_snapshot)
            async with self._db.write() as tx:
                with explained(self._journal.path):
                    await asyncio.to_thread(self._journal.drop_until, seq)
                await tx.rows("UPDATE journal_state SET snapshot = ?", snapshot.identity_of(self._target))

    def _write_snapshot(self) -> int:
        with contextlib.closing(connect(self._db.path, durable=False)) as source:
            return snapshot.write(source, self._target)

    async def _close(self) -> None:
        if self._background is not None:
            await self._background
        try:
            await self.flush()
        except StorageError as error:
            self.reports.append(f"{SNAPSHOT_NAME} could not be brought up to date: {error.sentence}")
        self._journal.close()


def _changed_rows(table: Table) -> str:
    second = f"t.{table.key[1]}" if len(table.key) > 1 else "0"
    return f"""
        SELECT t.* FROM temp.changed AS c JOIN main.{table.name} AS t ON t.{table.key[0]} = c.a AND {second} = c.b
        WHERE c.name = '{table.name}' AND (c.a, c.b) > (?, ?) ORDER BY c.a, c.b LIMIT {LINE_ROWS}
    """  # noqa: S608


async def _deleted_keys(tx: Transaction, counts: Mapping[str, int]) -> dict[str, list[list[int]]]:
    """Keys of rows that are gone, by table; a deleted user stands for everything of theirs."""
    gone: dict[str, list[list[int]]] = {}
    for table in TABLES:
        if table.name not in counts:
            continue
        second = f"AND t.{table.key[1]} = c.b" if len(table.key) > 1 else ""
        owned = "" if table is USERS else "AND EXISTS (SELECT 1 FROM main.users AS u WHERE u.user_id = c.a)"
        rows = await tx.rows(
            f"""
            SELECT c.a, c.b FROM temp.changed AS c
            WHERE c.name = '{table.name}' {owned}
            AND NOT EXISTS (SELECT 1 FROM main.{table.name} AS t WHERE t.{table.key[0]} = c.a {second})
            """  # noqa: S608
        )
        if rows:
            gone[table.name] = [[int(value) for value in row][: len(table.key)] for row in rows]
    return gone


class _Recovery:
    """What happens at start: a working copy that agrees with memory.json and journal. Runs in a thread.

    Nothing unreadable is overwritten or thrown away; `reports` says what was found and done.
    """

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self.reports: list[str] = []
        self.snapshot_needed = False
        self._clock = clock
        self._target = folder / SNAPSHOT_NAME
        self._journal = folder / JOURNAL_NAME
        self._index = folder / INDEX_NAME
        self._distrusted = folder / DISTRUSTED_NAME
        self._is_damaged = False

    def run(self) -> None:
        for leftover in (self._target, self._journal):
            leftover.with_name(leftover.name + ".tmp").unlink(missing_ok=True)
        _remove_database(self._index.with_name(INDEX_NAME + ".tmp"))
        identity = snapshot.identity_of(self._target)
        known = self._index_state()
        if known is None or known["snapshot"] != identity:
            self._rebuild(identity, known is not None)
        try:
            self._replay()
        except sqlite3.DatabaseError as error:
            if not isinstance(sentence_for(error, self._index), StorageCorrupt) or self._is_damaged:
                raise
            self._is_damaged = True
            self._rebuild(identity, has_copy=False)
            self._replay()

    def _index_state(self) -> dict[str, object] | None:
        """What the working copy says of itself; None when there is none to be trusted."""
        if not self._index.exists():
            return None
        try:
            with contextlib.closing(connect(self._index, durable=False)) as connection:
                if connection.execute("PRAGMA user_version").fetchone()[0] != len(MIGRATIONS):
                    return None
                row = connection.execute("SELECT * FROM journal_state").fetchone()
                if row is None or not (row["clean"] or row["boot"] == _boot()):
                    return None
                if not self._distrusted.exists() and (row["clean"] or _is_sound(connection)):
                    return dict(row)
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise
        self._is_damaged = True
        return None

    def _rebuild(self, identity: str | None, has_copy: bool) -> None:
        """Make the working copy anew from memory.json, or find out why that cannot be done."""
        found: snapshot.Snapshot | None = None
        if identity is None:
            if has_copy:
                kept = self._set_aside(self._index, move=True)
                self.reports.append(
                    f"{SNAPSHOT_NAME} is gone. Its working copy was put aside as {kept.name}; the memory starts empty."
                )
            self._build(None)
            return
        try:
            found = snapshot.read(self._target)
            self._build(found)
        except (snapshot.SnapshotError, sqlite3.IntegrityError, sqlite3.ProgrammingError, OverflowError):
            kept = self._set_aside(self._target, move=True)
            self.snapshot_needed = True
            if has_copy and self._copy_is_sound():
                self.reports.append(
                    f"{SNAPSHOT_NAME} could not be read and was put aside as {kept.name}; "
                    f"everything was restored from the working copy {INDEX_NAME}."
                )
                return
            self._build(None)
            self.reports.append(
                f"{SNAPSHOT_NAME} could not be read and was put aside as {kept.name}; "
                "what it held is not remembered until it is repaired or restored from a backup."
            )
            return
        if found.format < snapshot.FORMAT:
            copy = self._target.with_name(f"{SNAPSHOT_NAME}.before-format-{snapshot.FORMAT}")
            if not copy.exists():
                _copy(self._target, copy)
            self.snapshot_needed = True

    def _copy_is_sound(self) -> bool:
        with contextlib.closing(connect(self._index, durable=False)) as connection:
            return _is_sound(connection)

    def _build(self, found: snapshot.Snapshot | None) -> None:
        """A new working copy, put in place of the old one only when it is whole."""
        fresh = self._index.with_name(INDEX_NAME + ".tmp")
        _remove_database(fresh)
        migrate(fresh, MIGRATIONS)
        with contextlib.closing(connect(fresh, durable=False)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_JOURNAL_STATE)
            if found is not None:
                snapshot.insert(connection, found, StorageType.JSON)
                word_index.rebuild(connection)
            connection.execute(
                "INSERT INTO journal_state VALUES (1, ?, ?, ?, 0)",
                (
                    found.journal_seq if found else 0,
                    snapshot.identity_of(self._target) if found else None,
                    _boot(),
                ),
            )
            connection.execute("COMMIT")
        if self._is_damaged:
            kept = f" It was put aside as {self._set_aside(self._index, move=True).name}." if found is None else ""
            self.reports.append(f"{INDEX_NAME} was damaged and is made anew from {SNAPSHOT_NAME} and journal.{kept}")
        _remove_database(self._index)
        fresh.replace(self._index)
        self._distrusted.unlink(missing_ok=True)

    def _replay(self) -> None:
        """Apply what the journal holds beyond the working copy, and drop its torn tail."""
        seen = survey(self._journal)
        with contextlib.closing(connect(self._index, durable=False)) as connection:
            seq = int(connection.execute("SELECT seq FROM journal_state").fetchone()[0])
            if seen.garbled:
                kept = self._set_aside(self._journal, move=False)
                self.snapshot_needed = True
                lost = "some of its records are lost" if seq < seen.last_seq else f"{INDEX_NAME} held everything"
                self.reports.append(
                    f"{JOURNAL_NAME} could not be read in full and was put aside as {kept.name}; {lost}."
                )
            connection.execute("BEGIN IMMEDIATE")
            for entry in entries(self._journal, end=seen.end, after=seq):
                _apply(connection, entry)
            _adopt_orphans(connection)
            connection.execute(
                "UPDATE journal_state SET seq = ?, boot = ?, clean = 0", (max(seq, seen.last_seq), _boot())
            )
            connection.execute("COMMIT")
        if seen.torn:
            with self._journal.open("r+b") as file:
                file.truncate(seen.end)

    def _set_aside(self, path: Path, *, move: bool) -> Path:
        stamp = self._clock().astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        kept = path.with_name(f"{path.name}.unreadable-{stamp}")
        number = 1
        while kept.exists():
            number += 1
            kept = path.with_name(f"{path.name}.unreadable-{stamp}-{number}")
        if move:
            path.replace(kept)
        else:
            _copy(path, kept)
        return kept


def _is_sound(connection: sqlite3.Connection) -> bool:
    return str(connection.execute("PRAGMA quick_check(1)").fetchone()[0]) == "ok"


def _apply(connection: sqlite3.Connection, entry: Entry) -> None:
    """Put an entry's rows and delete its keys, the word index included."""
    for name in (*entry.put, *entry.delete):
        if name not in BY_NAME:
            raise StorageTooNew(
                f"{JOURNAL_NAME} was written by a newer version of Keepsake; please update the program."
            )
    for (owner,) in entry.delete.get("users", ()):
        connection.execute("DELETE FROM words WHERE rowid IN (SELECT seq FROM messages WHERE user_id = ?)", (owner,))
        for emptied in (*ERASED, "users"):
            connection.execute(f"DELETE FROM {emptied} WHERE user_id = ?", (owner,))  # noqa: S608
    for table in TABLES[1:]:
        where = " AND ".join(f"{column} = ?" for column in table.key)
        for key in entry.delete.get(table.name, ()):
            if table is MESSAGES:
                word_index.forget_now(connection, key[0], key[1])
            connection.execute(f"DELETE FROM {table.name} WHERE {where}", tuple(key))  # noqa: S608
    for table in TABLES:
        for row in entry.put.get(table.name, ()):
            if table is USERS:
                connection.execute(UPSERT_USER, (*table.stored(row), StorageType.JSON))
            elif table is MESSAGES:
                _apply_message(connection, row)
            else:
                connection.execute(table.upsert, table.stored(row))


def _apply_message(connection: sqlite3.Connection, row: Mapping[str, object]) -> None:
    key = (row["user_id"], row["id"])
    find = "SELECT seq, content FROM messages WHERE user_id = ? AND id = ?"
    before = connection.execute(find, key).fetchone()
    connection.execute(MESSAGES.upsert, MESSAGES.stored(row))
    if before is None or before["content"] != row["content"]:
        word_index.index_now(connection, connection.execute(find, key).fetchone()["seq"], row)


def _adopt_orphans(connection: sqlite3.Connection) -> None:
    """After a loss: rows whose user or summary went with memory.json get a user with memory off, and are active."""
    connection.execute(
        """
        INSERT INTO users (user_id, storage_type, summary_every_n, memory_enabled, created_at, updated_at)
        SELECT user_id, 'json', 20, 0, MIN(created_at), MAX(created_at) FROM messages
        WHERE user_id NOT IN (SELECT user_id FROM users) GROUP BY user_id
        """
    )
    connection.execute(
        """
        UPDATE messages SET chunk_id = NULL, is_active = 1 WHERE chunk_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM summaries WHERE summaries.user_id = messages.user_id AND summaries.id = messages.chunk_id)
        """
    )
    connection.execute(
        """
        UPDATE users SET next_message_id = MAX(next_message_id, 1 + COALESCE(
          (SELECT MAX(id) FROM messages WHERE messages.user_id = users.user_id), 0)),
        next_summary_id = MAX(next_summary_id, 1 + COALESCE(
          (SELECT MAX(id) FROM summaries WHERE summaries.user_id = users.user_id), 0))
        """
    )


def _mark_clean(index: Path) -> None:
    """Everything is on disk: the working copy may be trusted after the machine's next start too."""
    with contextlib.closing(connect(index)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    with index.open("rb+") as file:
        os.fsync(file.fileno())
    with contextlib.closing(connect(index)) as connection:
        connection.execute("UPDATE journal_state SET clean = 1")


def _remove_database(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    create_private(target)
    shutil.copyfile(source, target)


def _boot() -> str:
    """What names this start of the machine; where nothing does, a new name each time, so that nothing is trusted."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{time.time_ns()}"

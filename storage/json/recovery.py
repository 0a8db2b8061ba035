"""Starting on memory.json: a working copy that agrees with it and its journal, whatever an interrupted run left behind.

Owns what is set aside, rebuilt and replayed. Does not know how messages are appended. Everything here blocks: call
it from a thread.
"""

import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from records.errors import StorageCorrupt, StorageTooNew
from records.owners import StorageType
from storage.files.database import migrate
from storage.files.driver import connect, create_private, sentence_for, sqlite3
from storage.files.tables import BY_NAME, ERASED, MESSAGES, TABLES, UPSERT_USER, USERS
from storage.json import missing_words, snapshot
from storage.json.journal import Entry, entries, survey
from storage.search import word_index
from storage.sqlite.bulk_load import is_whole
from storage.sqlite.migrations import MIGRATIONS

SNAPSHOT_NAME, JOURNAL_NAME, INDEX_NAME = "memory.json", "memory.json.journal", "index.db"
DISTRUSTED_NAME = "index.db.damaged"
"""Lies next to a working copy that was found damaged while in use: the next start rebuilds it."""

_JOURNAL_STATE = """
CREATE TABLE IF NOT EXISTS journal_state (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  seq      INTEGER NOT NULL,       -- the last journal record that this file holds
  snapshot TEXT,                   -- identity of the memory.json that it agrees with
  boot     TEXT NOT NULL,          -- the machine's start in which it was last open
  clean    INTEGER NOT NULL        -- 1 once closed and fsynced; otherwise it is trusted only within the same boot
)
"""

# While a working copy is made again nobody else has it, and one that is not finished is thrown away: it needs no log.
# What rows name is looked at once, at the end.
_ALONE = ("journal_mode=OFF", "foreign_keys=OFF", "cache_size=-64000", "temp_store=MEMORY")


class Recovery:
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
        """The working copy's own record of its state; None when there is no copy that can be trusted."""
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
        """Rebuild the working copy from memory.json, or find out why that cannot be done."""
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
        """Make a new working copy, which replaces the old one only when it is complete."""
        fresh = self._index.with_name(INDEX_NAME + ".tmp")
        _remove_database(fresh)
        migrate(fresh, MIGRATIONS)
        with contextlib.closing(connect(fresh, durable=False)) as connection:
            for pragma in _ALONE:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_JOURNAL_STATE)
            if found is not None:
                snapshot.insert(connection, found, StorageType.JSON)
                missing_words.make_table(connection)
                missing_words.note_all(connection)
            connection.execute(
                "INSERT INTO journal_state VALUES (1, ?, ?, ?, 0)",
                (
                    found.journal_seq if found else 0,
                    snapshot.identity_of(self._target) if found else None,
                    _boot(),
                ),
            )
            if not is_whole(connection):
                raise sqlite3.IntegrityError
            connection.execute("COMMIT")
        if self._is_damaged:
            kept = f" It was put aside as {self._set_aside(self._index, move=True).name}." if found is None else ""
            self.reports.append(f"{INDEX_NAME} was damaged and is rebuilt from {SNAPSHOT_NAME} and journal.{kept}")
        _remove_database(self._index)
        fresh.replace(self._index)
        self._distrusted.unlink(missing_ok=True)

    def _replay(self) -> None:
        """Apply the journal records that the working copy lacks, and cut off a torn last record."""
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
            missing_words.make_table(connection)
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
    """Put an entry's rows and delete its keys; what is new to the word index is noted as missing there."""
    for name in (*entry.put, *entry.delete):
        if name not in BY_NAME:
            raise StorageTooNew(
                f"{JOURNAL_NAME} was written by a newer version of Keepsake; please update the program."
            )
    for (owner,) in entry.delete.get("users", ()):
        word_index.remove(connection, owner)
        for emptied in (*ERASED, "users"):
            connection.execute(f"DELETE FROM {emptied} WHERE user_id = ?", (owner,))  # noqa: S608
    for table in TABLES[1:]:
        where = " AND ".join(f"{column} = ?" for column in table.key)
        for key in entry.delete.get(table.name, ()):
            if table is MESSAGES:
                word_index.forget(connection, key[0], json.dumps([key[1]]))
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
        owner, number = (int(str(part)) for part in key)
        missing_words.note(connection, owner, number, connection.execute(find, key).fetchone()["seq"])


def _adopt_orphans(connection: sqlite3.Connection) -> None:
    """After a loss: messages without a row in `users` get one with memory off; without a summary they are active."""
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


def mark_clean(index: Path) -> None:
    """Mark the working copy as safely on disk, so that it is trusted even after the machine restarts."""
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
    """The id of this boot of the machine; where there is none, a new one each time, so that nothing is trusted."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{time.time_ns()}"

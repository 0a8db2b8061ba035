"""Recovery of memory.json at startup: updates its working copy, or rebuilds it from memory.json and the journal."""

import contextlib
import json
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from records.errors import StorageBusy, StorageCorrupt, StorageTooNew, StorageTooOld
from records.owners import StorageType
from storage.engine.data_dir import find_free_path
from storage.engine.sqlite import migrate_file, read_schema_version
from storage.engine.sqlite_driver import connect, create_private_file, fsync_folder, sqlite3, to_storage_error
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import BY_NAME, MESSAGES, TABLES, UPSERT_USER, USERS
from storage.search import word_index
from storage.stores import json_files as files
from storage.tables.owner_tables import delete_owner_rows

INDEX_BATCH_SIZE = 500  # messages whose terms are in memory at once
_JOURNAL_STATE = """
CREATE TABLE IF NOT EXISTS journal_state (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  seq      INTEGER NOT NULL,       -- the last journal record that this file holds
  snapshot TEXT,                   -- identity of the memory.json that it agrees with
  clean    INTEGER NOT NULL        -- 2, or 0 once found damaged. Earlier versions, which never synced, wrote 0 or 1
)
"""

_COPY_VECTORS = """
INSERT INTO vectors (seq, user_id, thread_id, model_id, kind, part, vector)
SELECT m.seq, v.user_id, v.thread_id, v.model_id, v.kind, v.part, v.vector
FROM old.vectors AS v JOIN old.messages AS o ON o.seq = v.seq
JOIN main.messages AS m ON m.user_id = o.user_id AND m.id = o.id
WHERE (m.thread_id, m.content, m.speaker) = (o.thread_id, o.content, o.speaker)
"""
_MARK_INDEXED = """
DELETE FROM unindexed WHERE seq IN (SELECT seq FROM vectors) AND seq NOT IN (
  SELECT m.seq FROM old.unindexed AS u JOIN old.messages AS o ON o.seq = u.seq
  JOIN main.messages AS m ON m.user_id = o.user_id AND m.id = o.id)
"""
_COPY_FACT_VECTORS = """
INSERT INTO fact_vectors SELECT v.* FROM old.fact_vectors AS v
JOIN old.facts AS o ON o.user_id = v.user_id AND o.id = v.fact_id
JOIN main.facts AS f ON f.user_id = o.user_id AND f.id = o.id AND f.text = o.text
"""
# A rebuild needs no log: nobody else uses the file, and an unfinished one is deleted. References are checked last.
_REBUILD_PRAGMAS = ("journal_mode=OFF", "foreign_keys=OFF", "cache_size=-64000", "temp_store=MEMORY")


class JsonRecovery:
    """Updates the working copy from memory.json and its journal. `reports` describes any problems."""

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self.reports: list[str] = []
        self.snapshot_needed = False
        self._is_abandoned = False
        self._clock = clock
        self._target = folder / files.SNAPSHOT_NAME
        self._journal = folder / files.JOURNAL_NAME
        self._index = folder / files.INDEX_NAME

    def stop_recovering(self) -> None:
        """Stop the recovery, whose thread cannot be cancelled, before the next messages are indexed."""
        self._is_abandoned = True

    def recover_working_copy_from_files(self) -> None:
        for leftover in (self._target, self._journal):
            leftover.with_name(leftover.name + ".tmp").unlink(missing_ok=True)
        fresh = self._index.with_name(files.INDEX_NAME + ".tmp")
        remove_database(fresh)
        state, identity = self._read_journal_state(), files.compute_file_fingerprint(self._target)
        is_current = state is not None and state.get("clean") == 2 and state["snapshot"] == identity
        if is_current and self._try_journal_replay(self._index):
            return
        if identity is None and state is not None and state["snapshot"] is not None:
            kept = self._quarantine_file(self._index, removes_original=True)
            self.reports.append(
                f"{files.SNAPSHOT_NAME} is gone. Its working copy was put aside as {kept.name}; memory starts empty."
            )
        try:
            self._rebuild_database(fresh, files.read_snapshot(self._target) if identity else None)
        except (files.SnapshotError, sqlite3.IntegrityError, sqlite3.ProgrammingError, OverflowError):
            kept = self._quarantine_file(self._target, removes_original=True)
            self.snapshot_needed = True
            could_not = f"{files.SNAPSHOT_NAME} could not be read and was put aside as {kept.name}; "
            remove_database(fresh)
            if state is not None and _is_database_intact(self._index) and self._try_journal_replay(self._index):
                self.reports.append(f"{could_not}everything was restored from the working copy {files.INDEX_NAME}.")
                return
            self.reports.append(
                f"{could_not}what it held is not remembered until it is repaired or restored from a backup."
            )
            self._rebuild_database(fresh, None)
        self._replay_journal(fresh)
        _copy_vectors(fresh, self._index)
        remove_database(self._index)
        fsync_folder(self._index.parent)  # the log of the old copy must not outlive it
        fresh.replace(self._index)

    def _try_journal_replay(self, database: Path) -> bool:
        """Apply the journal to a working copy. Return False if the working copy is damaged."""
        try:
            self._replay_journal(database)
        except sqlite3.DatabaseError as error:
            if not isinstance(to_storage_error(error, database), StorageCorrupt):
                raise
            sentence = f"{files.INDEX_NAME} was damaged and is rebuilt from {files.SNAPSHOT_NAME} and journal."
            self.reports.append(sentence)
            return False
        return True

    def _read_journal_state(self) -> dict[str, object] | None:
        if not self._index.exists():
            return None
        try:
            with contextlib.closing(connect(self._index, durable=False)) as connection:
                if read_schema_version(connection, files.INDEX_NAME, len(MIGRATIONS)) == len(MIGRATIONS):
                    row = connection.execute("SELECT * FROM journal_state").fetchone()
                    return dict(row) if row is not None else None
        except (StorageTooOld, StorageTooNew):
            pass
        except sqlite3.DatabaseError as error:
            if isinstance(to_storage_error(error, self._index), StorageBusy):
                raise
        return None

    def _rebuild_database(self, new_path: Path, snapshot: tuple[files.JournalSeq, files.Content] | None) -> None:
        migrate_file(new_path, MIGRATIONS)
        with contextlib.closing(connect(new_path, durable=False)) as connection:
            for pragma in _REBUILD_PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_JOURNAL_STATE)
            if snapshot is not None:
                files.insert_snapshot(connection, snapshot[1], StorageType.JSON)
                self._index_messages(connection)
            values = (snapshot[0], files.compute_file_fingerprint(self._target)) if snapshot else (0, None)
            connection.execute("INSERT INTO journal_state VALUES (1, ?, ?, 2)", values)
            if connection.execute("PRAGMA foreign_key_check").fetchone():
                raise sqlite3.IntegrityError
            connection.execute("COMMIT")

    def _index_messages(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute("SELECT * FROM messages ORDER BY seq")
        while batch := [word_index.extract_message_terms(row["seq"], row) for row in islice(rows, INDEX_BATCH_SIZE)]:
            if self._is_abandoned:
                raise files.SnapshotCancelled
            word_index.index_entries(connection, batch)

    def _replay_journal(self, database: Path) -> None:
        seen = files.scan_journal(self._journal)
        with contextlib.closing(connect(database, durable=False)) as connection:
            seq = int(connection.execute("SELECT seq FROM journal_state").fetchone()[0])
            if seen.garbled:
                kept = self._quarantine_file(self._journal, removes_original=False)
                self.snapshot_needed = True
                lost = "some of its records are lost" if seq < seen.last_seq else f"{files.INDEX_NAME} held everything"
                self.reports.append(
                    f"{files.JOURNAL_NAME} could not be read in full and was put aside as {kept.name}; {lost}."
                )
            connection.execute("BEGIN IMMEDIATE")
            for entry in files.iterate_journal_entries(self._journal, end=seen.end, after=seq):
                _apply_journal_entry(connection, entry)
            files.repair_rows(connection, {"next_message_id": "messages", "next_summary_id": "summaries"})
            if database != self._index:  # rebuilt, maybe from files older than step 11, which changes no row twice
                MIGRATIONS[10](connection)
            connection.execute("UPDATE journal_state SET seq = ?", (max(seq, seen.last_seq),))
            connection.execute("COMMIT")
        if seen.torn:
            with self._journal.open("r+b") as file:
                file.truncate(seen.end)

    def _quarantine_file(self, path: Path, *, removes_original: bool) -> Path:
        stamp = self._clock().astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        kept = find_free_path(path.with_name(f"{path.name}.unreadable-{stamp}"))
        if removes_original:
            path.replace(kept)
        else:
            create_private_file(kept)
            shutil.copyfile(path, kept)
        return kept


def _is_database_intact(path: Path) -> bool:
    with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(connect(path, durable=False)) as connection:
        return str(connection.execute("PRAGMA quick_check(1)").fetchone()[0]) == "ok"
    return False


def _copy_vectors(new_path: Path, old_path: Path) -> None:
    """Copy the vectors of unchanged texts from the old database, since embedding them again takes hours."""
    if not old_path.exists():
        return
    with contextlib.suppress(sqlite3.DatabaseError), contextlib.closing(connect(new_path, durable=False)) as connection:
        if not _is_database_intact(old_path):
            return
        connection.execute("ATTACH ? AS old", (str(old_path),))
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO embedding_models SELECT * FROM old.embedding_models")
        connection.execute(_COPY_VECTORS)
        connection.execute(_MARK_INDEXED)
        connection.execute(_COPY_FACT_VECTORS)
        connection.execute("COMMIT")


def _apply_journal_entry(connection: sqlite3.Connection, entry: files.JournalEntry) -> None:
    """Apply a journal record to the database, and index the words of messages with new text."""
    for name in (*entry.put, *entry.delete):
        if name not in BY_NAME:
            raise StorageTooNew(
                f"{files.JOURNAL_NAME} was written by a newer version of Keepsake; please update the program."
            )
    for (owner,) in entry.delete.get("users", ()):
        delete_owner_rows(connection, owner)
        connection.execute("DELETE FROM users WHERE user_id = ?", (owner,))
    for table in TABLES[1:]:
        where = " AND ".join(f"{column} = ?" for column in table.key)
        for key in entry.delete.get(table.name, ()):
            if table is MESSAGES:
                word_index.unindex_messages(connection, key[0], json.dumps([key[1]]))
            connection.execute(f"DELETE FROM {table.name} WHERE {where}", tuple(key))  # noqa: S608
    for table in TABLES:
        for row in entry.put.get(table.name, ()):
            if table is USERS:
                connection.execute(UPSERT_USER, (*table.to_params(row), StorageType.JSON))
            elif table is MESSAGES:
                _upsert_message(connection, row)
            else:
                connection.execute(table.upsert_sql, table.to_params(table.fill_missing_columns(row)))


def _upsert_message(connection: sqlite3.Connection, row: Mapping[str, object]) -> None:
    key = (row["user_id"], row["id"])
    find = "SELECT * FROM messages WHERE user_id = ? AND id = ?"
    before = connection.execute(find, key).fetchone()
    is_other = before is None or before["content"] != row["content"]
    if before is not None and is_other:
        # The upsert's trigger inserts this row again, and its OR IGNORE has no effect inside an upsert.
        connection.execute("DELETE FROM unindexed WHERE seq = ?", (before["seq"],))
    connection.execute(MESSAGES.upsert_sql, MESSAGES.to_params(row))
    if is_other:
        after = connection.execute(find, key).fetchone()
        word_index.reindex_message(connection, after["seq"], after)


def remove_database(path: Path) -> None:
    """Delete a database file and its log."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)

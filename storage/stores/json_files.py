"""Read and write memory.json and its journal, which has a line for each transaction. All functions here block."""

import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from records.errors import StorageCorrupt, StorageTooLarge, StorageTooNew, StorageTooOld
from storage.engine.protocol import Value
from storage.engine.sqlite_driver import create_private_file, fsync_folder, sqlite3
from storage.schema.portable_tables import COUNTERS, MESSAGES, TABLES, UPSERT_USER, USERS, PortableRow, Table
from storage.schema.rows import format_moment, parse_moment

SNAPSHOT_NAME = "memory.json"
JOURNAL_NAME = "memory.json.journal"
INDEX_NAME = "index.db"
FORMAT = 2  # the format since shortly before version 1.0. Older ones cannot be read.
MAX_SNAPSHOT_BYTES = 2_000_000_000
"""Dozens of times the size of 100,000 messages. The whole file is in memory while it is read."""
MIN_JOURNAL_BYTES = 1_000_000  # A shorter journal is not worth writing a snapshot
Content = Mapping[str, Any]
JournalSeq = int  # the number of a journal record
_FORMAT_ERRORS = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_CRC = b', "crc": '
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Add missing users, with their memory off.
_ADD_USERS = """
INSERT INTO users (user_id, storage_type, summary_every_n, memory_enabled, created_at, updated_at)
SELECT user_id, 'json', 20, 0, MIN(created_at), MAX(created_at) FROM messages
WHERE user_id NOT IN (SELECT user_id FROM users) GROUP BY user_id
"""
# If somebody has deleted a summary by hand, its messages become active again. Otherwise no prompt would have them.
_ACTIVATE_MESSAGES = """
UPDATE messages SET chunk_id = NULL, is_active = 1 WHERE chunk_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM summaries WHERE summaries.user_id = messages.user_id AND summaries.id = messages.chunk_id)
"""
_RAISE_COUNTER = """
UPDATE users AS u SET {0} = MAX({0}, (SELECT 1 + COALESCE(MAX(id), 0) FROM {1} WHERE user_id = u.user_id))
"""


class SnapshotCancelled(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a snapshot is abandoned, because a newer one will follow or there is no time left."""


class SnapshotError(Exception):
    """Raised if memory.json does not contain a valid snapshot."""


def compute_file_fingerprint(path: Path) -> str | None:
    """Return a string that changes whenever the file is edited or replaced. Return None if the file does not exist."""
    stat = path.stat() if path.exists() else None
    return f"{stat.st_size}-{stat.st_mtime_ns}" if stat else None


def write_snapshot(
    source: sqlite3.Connection, target: Path, *, keep_going: Callable[[], bool] = lambda: True
) -> JournalSeq:
    """Write a snapshot of `source` to memory.json. Return the number of the last journal record it contains.

    Raise SnapshotCancelled if `keep_going` returns False.
    """
    source.execute("BEGIN")
    try:
        seq = int(source.execute("SELECT seq FROM journal_state").fetchone()[0])
        if not target.exists() and source.execute("SELECT 1 FROM users LIMIT 1").fetchone() is None:
            return seq
        partial = target.with_name(target.name + ".tmp")
        partial.unlink(missing_ok=True)
        create_private_file(partial)
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.write('{\n  "keepsake": ' + format_indented_row({"format": FORMAT, "journal_seq": seq}, 2))
            for table in TABLES:
                file.write(f',\n  "{table.name}": {{')
                _write_table(source, file, table, keep_going)
            file.write("\n}\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        fsync_folder(target.parent)
    except SnapshotCancelled:
        partial.unlink()
        raise
    else:
        return seq
    finally:
        source.rollback()


def _write_table(source: sqlite3.Connection, file: IO[str], table: Table, keep_going: Callable[[], bool]) -> None:
    between = "\n"
    found = source.execute(f"SELECT * FROM {table.name} ORDER BY {', '.join(table.key)}")  # noqa: S608
    for owner, rows in groupby(found, key=itemgetter("user_id")):
        file.write(f'{between}    "{owner}": ')
        between = ",\n"
        for number, row in enumerate(rows):
            if number % 100 == 0 and not keep_going():
                raise SnapshotCancelled
            if table is USERS:
                shown = {"user_id": owner, "storage_type": row["storage_type"], **USERS.to_portable_row(row)}
                file.write(format_indented_row(shown, 4))
            else:
                file.write(
                    (",\n      " if number else "[\n      ") + format_indented_row(table.to_portable_row(row), 6)
                )
        file.write("" if table is USERS else "\n    ]")
    file.write("}" if between == "\n" else "\n  }")


@cache
def _make_row_encoder(indent: int) -> Callable[[object], str]:
    """Return a fast JSON encoder that writes one member per line. With an indent, json.dumps uses slow Python code."""
    return json.JSONEncoder(ensure_ascii=False, separators=(",\n" + " " * (indent + 2), ": ")).encode


def format_indented_row(row: Mapping[str, object], indent: int) -> str:
    """Format a row like json.dumps with indent=2, and indent every line after the first by `indent` more spaces."""
    if not row or any(value and isinstance(value, list | tuple | dict) for value in row.values()):
        # Not str.splitlines: it would also split at U+2028, which JSON does not escape.
        return json.dumps(row, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * indent)
    space = "\n" + " " * indent
    return f"{{{space}  {_make_row_encoder(indent)(row)[1:-1]}{space}}}"


def read_snapshot(path: Path) -> tuple[JournalSeq, Content]:
    """Parse memory.json. Return the number of the last journal record it contains, and its content.

    Raise SnapshotError if it is invalid, StorageTooNew or StorageTooOld for another format, or StorageTooLarge.
    """
    if (size := path.stat().st_size) > MAX_SNAPSHOT_BYTES:
        raise StorageTooLarge(
            f"{path.name} has {size / 1e6:,.0f} MB, and at most {MAX_SNAPSHOT_BYTES / 1e6:,.0f} are read, for the "
            "whole file is in memory at once; nothing was changed."
        )
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
        if content.get("keepsake") is None and not {"users", "messages", "summaries"}.isdisjoint(content):
            raise StorageTooOld.for_file(path.name)
        header = content["keepsake"]
        number, seq = int(header["format"]), int(header["journal_seq"])
    except _FORMAT_ERRORS as error:
        raise SnapshotError from error
    if number > FORMAT:
        raise StorageTooNew.for_format(path.name, number, FORMAT)
    if number < FORMAT:
        raise StorageTooOld.for_file(path.name)
    return seq, content


def iterate_snapshot_batches(content: Content) -> Iterator[tuple[Table, Sequence[tuple[Value, ...]]]]:
    """Yield each owner's rows by table, as parameters for `upsert_sql`. Raise SnapshotError if they are invalid."""
    try:
        sections: dict[str, Any] = {table.name: content.get(table.name, {}) for table in TABLES}
        owners = sorted({int(owner) for section in sections.values() for owner in section})
        for owner in owners:
            found = {name: section.get(str(owner)) for name, section in sections.items()}
            user = found.pop("users") or {}
            listed = {name: [] if rows is None else rows for name, rows in found.items()}
            if not all(isinstance(rows, list) for rows in listed.values()):
                raise SnapshotError
            yield USERS, [USERS.to_params(_fill_in_user(owner, user))]
            _reject_id_conflicts(listed["messages"])
            for table in TABLES[1:]:
                rows = (_fill_in_row(table, {**row, "user_id": owner}) for row in listed[table.name])
                yield table, [table.to_params(row) for row in rows]
    except _FORMAT_ERRORS as error:
        raise SnapshotError from error


def _fill_in_user(owner: int, user: Mapping[str, object]) -> PortableRow:
    usual = {"summary_every_n": 20, "memory_enabled": False, **dict.fromkeys(COUNTERS, 1)}
    created = _repair_date(user.get("created_at"))
    dates = {"created_at": created, "updated_at": _repair_date(user.get("updated_at") or created)}
    return {**usual, **user, "user_id": owner, **dates}


def _repair_date(value: object) -> str:
    """Format a date for storage. Return 1 January 1970 if it is invalid."""
    try:
        return format_moment(parse_moment(value))
    except (ValueError, OverflowError):
        return "1970-01-01T00:00:00+00:00"


def _reject_id_conflicts(messages: Sequence[Mapping[str, object]]) -> None:
    """Raise SnapshotError if two messages have the same id but different texts."""
    if len({str(row["id"]) for row in messages}) == len(messages):
        return
    seen = dict[str, object]()
    if any(seen.setdefault(str(row["id"]), row["content"]) != row["content"] for row in messages):
        raise SnapshotError


def _fill_in_row(table: Table, row: dict[str, object]) -> dict[str, object]:
    for column in table.columns:
        if column.kind == "date" and row.get(column.name) is not None:
            row[column.name] = _repair_date(row[column.name])
    if table is not MESSAGES:
        return table.fill_missing_columns(row)
    return {"turn_id": row["id"], **row, "is_active": row.get("chunk_id") is None}


def insert_snapshot(connection: sqlite3.Connection, content: Content, storage: str) -> None:
    """Insert a snapshot into an empty database. Raise SnapshotError if one of its rows is invalid."""
    for table, batch in iterate_snapshot_batches(content):
        if table is USERS:
            connection.executemany(UPSERT_USER, [(*values, storage) for values in batch])
        else:
            connection.executemany(table.upsert_sql, batch)
    repair_rows(connection, COUNTERS)
    try:
        for table in TABLES:
            for row in connection.execute(f"SELECT * FROM {table.name}"):  # noqa: S608
                table.to_portable_row(row)
    except StorageCorrupt as error:
        raise SnapshotError from error


def repair_rows(connection: sqlite3.Connection, counters: Mapping[str, str]) -> None:
    """Repair what edits by hand and lost records leave: missing users and summaries, and too low `counters`."""
    raised = (_RAISE_COUNTER.format(counter, table) for counter, table in counters.items())
    for repair in (_ADD_USERS, _ACTIVATE_MESSAGES, *raised):
        connection.execute(repair)


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalEntry:
    """A journal record, with changed rows and deleted keys by table. Deleting a user deletes all their rows."""

    seq: JournalSeq
    put: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    delete: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)

    def format_line(self) -> bytes:
        # Encode row by row: the C encoder holds the GIL, and one call for 100,000 rows would block all threads.
        rows = ",".join(f'"{name}":[{",".join(map(_encode, rows))}]' for name, rows in self.put.items())
        body = f'{{"seq":{self.seq},"put":{{{rows}}},"delete":{_encode(self.delete)}'.encode()
        return body + _CRC + str(zlib.crc32(body)).encode() + b"}\n"


def parse_journal_line(line: bytes) -> JournalEntry | None:
    body, mark, crc = line.rpartition(_CRC)
    if not mark or not line.endswith(b"}\n") or crc != str(zlib.crc32(body)).encode() + b"}\n":
        return None
    record = json.loads(body + b"}")
    return JournalEntry(seq=record["seq"], put=record["put"], delete=record["delete"])


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalScan:
    """The result of scanning a journal. `end` is the offset after the last valid record.

    `torn` is True if the file continues after `end`. `garbled` is True if any line but the last is damaged.
    """

    end: int = 0
    last_seq: int = 0
    torn: bool = False
    garbled: bool = False


def scan_journal(path: Path) -> JournalScan:
    """Scan a journal for damage. An incomplete last line is ignored, since its write was never confirmed."""
    end = last_seq = bad = 0
    bad_before_good = False
    for entry, _, after in _iterate_entries_lines_and_end_offsets(path):
        if entry is None:
            bad += 1
        else:
            bad_before_good = bad_before_good or bad > 0
            end, last_seq = after, max(last_seq, entry.seq)
    size = path.stat().st_size if path.exists() else 0
    return JournalScan(end=end, last_seq=last_seq, torn=size > end, garbled=bad_before_good or bad > 1)


def iterate_journal_entries(path: Path, *, end: int, after: int) -> Iterator[JournalEntry]:
    """Yield the valid records in the first `end` bytes, except those numbered `after` or lower."""
    for entry, _, until in _iterate_entries_lines_and_end_offsets(path):
        if entry is not None and until <= end and entry.seq > after:
            yield entry


def _iterate_entries_lines_and_end_offsets(path: Path) -> Iterator[tuple[JournalEntry | None, bytes, int]]:
    """Yield (record, line, end offset) for each line. The record is None if the line is damaged."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            offset += len(line)
            yield parse_journal_line(line), line, offset


class Journal:
    """A journal file opened for appending. `size` is the number of bytes in confirmed records."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size if path.exists() else 0
        self._handle: int | None = None
        self._is_unconfirmed = False
        self._must_truncate = False
        self._retry_above = 0

    def is_snapshot_due(self, snapshot_bytes: int) -> bool:
        """Return True if the journal is larger than half the snapshot, unless the next snapshot is postponed."""
        min_size = max(MIN_JOURNAL_BYTES, snapshot_bytes // 2) if snapshot_bytes else 0
        return self.size > max(min_size, self._retry_above)

    def postpone_snapshot_until_size_doubles(self) -> None:
        """Postpone the next snapshot until the journal has doubled in size."""
        self._retry_above = self.size * 2

    def write(self, entry: JournalEntry) -> None:
        """Append a record and flush it to disk. Raise OSError on failure."""
        if self._must_truncate:
            # Part of a failed write is still there. Cut it off before appending.
            self.undo_unconfirmed_write()
        if self._handle is None:
            fresh = not self.path.exists()
            create_private_file(self.path)
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            if fresh:
                fsync_folder(self.path.parent)
        self._is_unconfirmed = True
        rest = memoryview(entry.format_line())
        while rest:
            rest = rest[os.write(self._handle, rest) :]
        os.fsync(self._handle)

    def confirm_write_if_any(self) -> bool:
        """Confirm the last record, because its transaction has been committed. Return False if there is none."""
        if not self._is_unconfirmed or self._must_truncate or self._handle is None:
            return False
        self.size = os.fstat(self._handle).st_size
        self._is_unconfirmed = False
        return True

    def undo_unconfirmed_write(self) -> None:
        """Remove the last record unless it is confirmed. Raise OSError on failure."""
        self._must_truncate = True
        if self._is_unconfirmed and self._handle is not None:
            os.ftruncate(self._handle, self.size)
            os.fsync(self._handle)
        self._is_unconfirmed = self._must_truncate = False

    def drop_records_through(self, seq: JournalSeq) -> None:
        """Remove the records numbered `seq` or lower. Delete the file if none are left."""
        if not self.path.exists():
            return
        partial = self.path.with_name(self.path.name + ".tmp")
        partial.unlink(missing_ok=True)
        create_private_file(partial)
        with partial.open("wb") as file:
            for entry, line, _ in _iterate_entries_lines_and_end_offsets(self.path):
                if entry is not None and entry.seq > seq:
                    file.write(line)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        self.close()
        if size:
            partial.replace(self.path)
        else:
            self.path.unlink()
            partial.unlink()
        fsync_folder(self.path.parent)
        self.size, self._retry_above = size, 0

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

"""memory.json, written from index.db row by row and read back as portable rows, and its journal: one record a line,
fsynced before its transaction commits, which says which rows were put and which keys deleted.

Owns how both files look (contract: one indented object that people read). Everything here blocks: call it from a
thread.
"""

import json
import os
import zlib
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO

from records.errors import StorageTooLarge, StorageTooNew, StorageTooOld
from runtime.cooperative import yielding_gil
from storage.engine.protocol import Value
from storage.engine.sqlite_driver import create_private, fsync_folder, sqlite3
from storage.schema.portable_tables import COUNTERS, MESSAGES, TABLES, UPSERT_USER, USERS, Portable, Table
from storage.schema.rows import moment_of, text_of
from storage.tables.bulk_load import many_messages

SNAPSHOT_NAME, JOURNAL_NAME, INDEX_NAME = "memory.json", "memory.json.journal", "index.db"
FORMAT = 2
"""Written by version 1.0 and just before it; an earlier one is not read."""
LARGEST = 2_000_000_000
"""Bytes of memory.json that are read: dozens of times what 100,000 messages take."""
LEAST_JOURNAL = 1_000_000
_CRC = b', "crc": '
_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class NotWanted(Exception):  # noqa: N818 - reads as the state it is
    """A newer snapshot is about to be written instead, or there is no time left for one."""


class SnapshotError(Exception):
    """The file is no memory.json."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A parsed memory.json."""

    journal_seq: int
    content: Mapping[str, object]


def identity_of(path: Path) -> str | None:
    """A fingerprint that tells this very file from an edited or exchanged one; None when there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return f"{found.st_size}-{found.st_mtime_ns}"


# writing -----------------------------------------------------------------------------------------------------
def write(
    source: sqlite3.Connection, target: Path, *, is_wanted: Callable[[], bool] = lambda: True, pauses: bool = True
) -> int:
    """Write the snapshot of one moment of `source`, whole or not at all; the number of the last record it holds.

    Nothing is written where there never was an owner. Memory used does not grow with what is stored. `is_wanted` is
    asked now and then; raises NotWanted as soon as it says no. `pauses`: others are served meanwhile.
    """
    source.execute("BEGIN")
    try:
        seq = int(source.execute("SELECT seq FROM journal_state").fetchone()[0])
        if not target.exists() and source.execute("SELECT 1 FROM users LIMIT 1").fetchone() is None:
            return seq
        partial = target.with_name(target.name + ".tmp")
        partial.unlink(missing_ok=True)
        create_private(partial)
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            _write_all(source, file, seq, is_wanted, pauses)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
        fsync_folder(target.parent)
    except NotWanted:
        partial.unlink()
        raise
    else:
        return seq
    finally:
        source.rollback()


def _write_all(
    source: sqlite3.Connection, file: IO[str], seq: int, is_wanted: Callable[[], bool], pauses: bool
) -> None:
    header = {"format": FORMAT, "journal_seq": seq}
    file.write('{\n  "keepsake": ' + indented(header, 2))
    for table in TABLES:
        file.write(f',\n  "{table.name}": {{')
        if table is USERS:
            _write_users(source, file)
        else:
            _write_rows(source, file, table, is_wanted, pauses)
    file.write("\n}\n")


def _write_users(source: sqlite3.Connection, file: IO[str]) -> None:
    between = "\n"
    for row in source.execute("SELECT * FROM users ORDER BY user_id"):
        shown = {"user_id": row["user_id"], "storage_type": row["storage_type"], **USERS.portable(row)}
        file.write(f'{between}    "{row["user_id"]}": {indented(shown, 4)}')
        between = ",\n"
    file.write("\n  }" if between != "\n" else "}")


def _write_rows(
    source: sqlite3.Connection, file: IO[str], table: Table, is_wanted: Callable[[], bool], pauses: bool
) -> None:
    owner = None
    found = source.execute(f"SELECT * FROM {table.name} ORDER BY {', '.join(table.key)}")  # noqa: S608
    for number, row in enumerate(yielding_gil(found) if pauses else found):
        if number % 100 == 0 and not is_wanted():
            raise NotWanted
        if row["user_id"] != owner:
            file.write(("\n" if owner is None else "\n    ],\n") + f'    "{row["user_id"]}": [\n')
            owner = row["user_id"]
        else:
            file.write(",\n")
        file.write("      " + indented(table.portable(row), 6))
    file.write("\n    ]\n  }" if owner is not None else "}")


@cache
def _flat(depth: int) -> Callable[[object], str]:
    """Writes an object without objects or lists in it, each member on a line of its own.

    json.dumps with an indent is written in Python, which a stop with 100,000 messages has no time for; the encoder in C
    takes a separator of any length.
    """
    return json.JSONEncoder(ensure_ascii=False, separators=(",\n" + " " * (depth + 2), ": ")).encode


def indented(row: Mapping[str, object], depth: int) -> str:
    """A row as json.dumps with indent=2 writes it, `depth` spaces further to the right."""
    if not row or any(value and isinstance(value, list | tuple | dict) for value in row.values()):
        return _nested(row, depth)
    space = "\n" + " " * depth
    return f"{{{space}  {_flat(depth)(row)[1:-1]}{space}}}"


def _nested(value: object, depth: int) -> str:
    # Only "\n" ends a line here: str.splitlines would also cut at U+2028, which JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n" + " " * depth)


# reading -----------------------------------------------------------------------------------------------------
def read(path: Path) -> Snapshot:
    """Parse memory.json. Raises SnapshotError, StorageTooNew, StorageTooOld or StorageTooLarge."""
    demand_size(path.name, path.stat().st_size)
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise SnapshotError from error
    if not isinstance(content, dict):
        raise SnapshotError
    header = content.get("keepsake")
    if header is None:
        if any(name in content for name in ("users", "messages", "summaries")):
            raise StorageTooOld.of(path.name)
        raise SnapshotError
    try:
        number, seq = int(header["format"]), int(header["journal_seq"])
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise SnapshotError from error
    if number > FORMAT:
        raise StorageTooNew.of(path.name, number, FORMAT)
    if number < FORMAT:
        raise StorageTooOld.of(path.name)
    return Snapshot(journal_seq=seq, content=content)


def demand_size(name: str, size: int) -> None:
    """Raises StorageTooLarge for a memory.json of more bytes than are read."""
    if size > LARGEST:
        raise StorageTooLarge(
            f"{name} has {size / 1e6:,.0f} MB, and at most {LARGEST / 1e6:,.0f} are read, for the whole file is in "
            "memory at once; nothing was changed."
        )


def batches(snapshot: Snapshot) -> Iterator[tuple[Table, Sequence[tuple[Value, ...]]]]:
    """Every row of a snapshot as values for its table's `upsert`, owner by owner, repaired where people edited it.

    Raises SnapshotError when something is not of the right shape.
    """
    try:
        sections = {table.name: _section(snapshot, table.name) for table in TABLES}
        owners = sorted({int(owner) for section in sections.values() for owner in section})
        for owner in owners:
            found = {name: section.get(str(owner)) for name, section in sections.items()}
            user = found.pop("users") or {}
            if not isinstance(user, dict):
                raise SnapshotError
            listed = {name: _list(value) for name, value in found.items()}
            yield USERS, [USERS.stored(_user(owner, user, listed))]
            _demand_one_text_each(listed["messages"])
            chunks = {row["id"] for row in listed["summaries"]}
            for table in TABLES[1:]:
                rows = (_repaired(table, {**row, "user_id": owner}, chunks) for row in listed[table.name])
                yield table, [table.stored(row) for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SnapshotError from error


def _section(snapshot: Snapshot, name: str) -> dict[str, object]:
    section = snapshot.content.get(name, {})
    if not isinstance(section, dict):
        raise SnapshotError
    return section


def _list(value: object) -> list[dict[str, object]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise SnapshotError
    return value


def _user(owner: int, user: Mapping[str, object], listed: Mapping[str, list[dict[str, object]]]) -> Portable:
    highest = {name: max((int(str(row["id"])) for row in listed[name]), default=0) for name in COUNTERS.values()}
    created = _date(user.get("created_at"))
    return {
        **USERS.defaults,
        **{column.name: user[column.name] for column in USERS.columns if column.name in user},
        "user_id": owner,
        "summary_every_n": user.get("summary_every_n", 20),
        "memory_enabled": bool(user.get("memory_enabled", False)),
        "created_at": created,
        "updated_at": _date(user.get("updated_at") or created),
        **{counter: max(int(str(user.get(counter, 1))), highest[name] + 1) for counter, name in COUNTERS.items()},
    }


def _date(value: object) -> str:
    """A date as it is stored; what is none, after somebody's edit, is 1970."""
    try:
        return text_of(moment_of(value))
    except (ValueError, OverflowError):
        return "1970-01-01T00:00:00+00:00"


def _demand_one_text_each(messages: Sequence[Mapping[str, object]]) -> None:
    """Of two texts under one id neither is to be lost; a message that is there twice is one."""
    if len({str(row["id"]) for row in messages}) == len(messages):
        return
    seen = dict[str, object]()
    if any(seen.setdefault(str(row["id"]), row["content"]) != row["content"] for row in messages):
        raise SnapshotError


def _repaired(table: Table, row: dict[str, object], chunks: Container[object]) -> dict[str, object]:
    """A row in which somebody's edits are repaired."""
    for column in table.columns:
        if column.kind == "date" and row.get(column.name) is not None:
            row[column.name] = _date(row[column.name])
    if table is not MESSAGES:
        return row
    # A message of a summary that somebody cut out by hand is active again, not lost behind nothing.
    chunk = row.get("chunk_id") if row.get("chunk_id") in chunks else None
    return {"turn_id": row["id"], **row, "chunk_id": chunk, "is_active": chunk is None}


def insert(connection: sqlite3.Connection, snapshot: Snapshot, storage: str) -> None:
    """Put every row of a snapshot into an empty file of our schema, inside the caller's transaction."""
    with many_messages(connection):
        for table, batch in batches(snapshot):
            if table is USERS:
                connection.executemany(UPSERT_USER, [(*values, storage) for values in batch])
            else:
                connection.executemany(table.upsert, batch)


# the journal ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One record: portable rows by table, and keys of deleted rows by table (a deleted user means all their rows)."""

    seq: int
    put: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    delete: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)

    def line(self) -> bytes:
        # Row by row: one call for 100,000 rows would hold everybody up.
        rows = ",".join(f'"{name}":[{",".join(map(_written, rows))}]' for name, rows in self.put.items())
        body = f'{{"seq":{self.seq},"put":{{{rows}}},"delete":{_written(self.delete)}'.encode()
        return body + _CRC + str(zlib.crc32(body)).encode() + b"}\n"


def entry_of(line: bytes) -> Entry | None:
    """The record that a line holds; None when it is torn or garbled."""
    body, mark, crc = line.rpartition(_CRC)
    if not mark or not line.endswith(b"}\n") or crc != str(zlib.crc32(body)).encode() + b"}\n":
        return None
    record = json.loads(body + b"}")
    return Entry(seq=record["seq"], put=record["put"], delete=record["delete"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """A scan of a journal: where its good part ends, its last whole record, and whether anything before is garbled."""

    end: int = 0
    last_seq: int = 0
    torn: bool = False
    garbled: bool = False


def scan(path: Path) -> Scan:
    """Read a journal through. Its last line may be torn: that is a write that was never acknowledged. Any other line
    that cannot be read is damage."""
    end = last_seq = bad = 0
    bad_before_good = False
    for entry, _, after in _records(path):
        if entry is None:
            bad += 1
        else:
            bad_before_good = bad_before_good or bad > 0
            end, last_seq = after, max(last_seq, entry.seq)
    size = path.stat().st_size if path.exists() else 0
    return Scan(end=end, last_seq=last_seq, torn=size > end, garbled=bad_before_good or bad > 1)


def entries(path: Path, *, end: int, after: int) -> Iterator[Entry]:
    """The readable records of the first `end` bytes with a number above `after`."""
    return (entry for entry, _, until in _records(path) if entry is not None and until <= end and entry.seq > after)


def _records(path: Path) -> Iterator[tuple[Entry | None, bytes, int]]:
    """Each line's record, the line, and the offset behind it."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            offset += len(line)
            yield entry_of(line), line, offset


class Journal:
    """A journal that is being written. `size`: bytes of whole, fsynced records."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size if path.exists() else 0
        self._handle: int | None = None
        self._dirty = False
        self._broken = False
        self._retry_above = 0

    def is_due(self, snapshot: int) -> bool:
        """Whether a new snapshot should take the records in: when they are half as long as the last one, of which
        `snapshot` is the size, and above what was there when the last attempt failed.
        """
        least = max(LEAST_JOURNAL, snapshot // 2) if snapshot else 0
        return self.size > max(least, self._retry_above)

    def compaction_failed(self) -> None:
        """The journal still holds everything: try again when it has grown further."""
        self._retry_above = self.size * 2

    def write(self, entry: Entry) -> None:
        """Write a record and fsync it. Raises OSError."""
        if self._broken:
            # An earlier failure could not be undone yet, and nothing may follow its remains.
            self.take_back()
        if self._handle is None:
            fresh = not self.path.exists()
            create_private(self.path)
            self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            if fresh:
                fsync_folder(self.path.parent)
        self._dirty = True
        rest = memoryview(entry.line())
        while rest:
            rest = rest[os.write(self._handle, rest) :]
        os.fsync(self._handle)

    def keep(self) -> None:
        """Keep what was written: it belongs to a committed transaction."""
        if self._dirty and self._handle is not None:
            self.size = os.fstat(self._handle).st_size
        self._dirty = False

    def take_back(self) -> None:
        """Cut off what was written for a transaction that failed. Raises OSError."""
        self._broken = True
        if self._dirty and self._handle is not None:
            os.ftruncate(self._handle, self.size)
            os.fsync(self._handle)
        self._dirty = self._broken = False

    def drop_until(self, seq: int) -> None:
        """Remove the records up to `seq`, which a snapshot holds now; the file goes when nothing is left."""
        if not self.path.exists():
            return
        partial = self.path.with_name(self.path.name + ".tmp")
        partial.unlink(missing_ok=True)
        create_private(partial)
        with partial.open("wb") as file:
            for entry, line, _ in _records(self.path):
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

"""The JSON store's journal: one record a line, fsynced before its transaction commits.

A record says which rows were put and which keys deleted; a large one takes several lines of the same number, all but
the last marked "more". Does not know what the rows mean. Everything here blocks: call it from a thread.
"""

import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from storage.engine.sqlite_driver import create_private, fsync_folder

LEAST_JOURNAL = 1_000_000
_CRC = b', "crc": '
_MORE = ',"more":true'
written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A row as it stands in a line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One line: portable rows by table, and keys of deleted rows by table (a deleted user means all their rows)."""

    seq: int
    put: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
    delete: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)
    more: bool = False

    def line(self) -> bytes:
        put = {name: [written(row) for row in rows] for name, rows in self.put.items()}
        return line_of(self.seq, put, self.delete, more=self.more)


def line_of(
    seq: int, put: Mapping[str, Sequence[str]], delete: Mapping[str, Sequence[Sequence[int]]], *, more: bool
) -> bytes:
    """The line of an entry whose rows are JSON already."""
    rows = ",".join(f'"{name}":[{",".join(texts)}]' for name, texts in put.items())
    body = f'{{"seq":{seq},"put":{{{rows}}},"delete":{written(delete)}{_MORE if more else ""}'.encode()
    return body + _CRC + str(zlib.crc32(body)).encode() + b"}\n"


def entry_of(line: bytes) -> Entry | None:
    """The entry that a line holds; None when it is torn or garbled."""
    body, mark, crc = line.rpartition(_CRC)
    if not mark or not line.endswith(b"}\n") or crc != str(zlib.crc32(body)).encode() + b"}\n":
        return None
    record = json.loads(body + b"}")
    return Entry(seq=record["seq"], put=record["put"], delete=record["delete"], more=bool(record.get("more", False)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """What a journal holds: where its good part ends, its last whole record, and whether anything before is garbled."""

    end: int = 0
    last_seq: int = 0
    torn: bool = False
    garbled: bool = False


def scan(path: Path) -> Scan:
    """Read a journal through. Its last line may be torn, or its last record lack its end: that is a write that was
    never acknowledged. Any other line that cannot be read is damage."""
    end = last_seq = bad = 0
    bad_before_good = False
    for line, after in _lines(path):
        entry = entry_of(line)
        if entry is None:
            bad += 1
        else:
            bad_before_good = bad_before_good or bad > 0
            if not entry.more:
                end, last_seq = after, max(last_seq, entry.seq)
    size = path.stat().st_size if path.exists() else 0
    return Scan(end=end, last_seq=last_seq, torn=size > end, garbled=bad_before_good or bad > 1)


def entries(path: Path, *, end: int, after: int) -> Iterator[Entry]:
    """The readable entries of the first `end` bytes with a number above `after`."""
    for line, until in _lines(path):
        if until > end:
            return
        entry = entry_of(line)
        if entry is not None and entry.seq > after:
            yield entry


def _lines(path: Path) -> Iterator[tuple[bytes, int]]:
    """Each line and the offset behind it."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            offset += len(line)
            yield line, offset


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

    def write(self, lines: Sequence[bytes]) -> None:
        """Write lines, not yet fsynced. Raises OSError."""
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
        for line in lines:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._handle, rest) :]

    def sync(self) -> None:
        """Fsync what was written. Raises OSError."""
        if self._handle is not None:
            os.fsync(self._handle)

    def keep(self) -> None:
        """What was written belongs to a committed transaction."""
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
            for entry in entries(self.path, end=self.size, after=seq):
                file.write(entry.line())
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

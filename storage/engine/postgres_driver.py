"""The PostgreSQL driver: connections that run the shared SQL, psycopg's options, and error translation."""

import contextlib
import os
import re
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Buffer, Loader
from psycopg.rows import RowMaker
from psycopg.types.numeric import Int8BinaryDumper, NumericBinaryLoader
from psycopg.types.string import StrBinaryDumper

from records.errors import KeepsakeError, ServedElsewhere, StorageBusy, StorageError

SILENT_SECONDS = 10  # treat a server that has been silent for this long as gone
MAX_ROWS_PER_INSERT = 250  # rows of one INSERT. A statement may have 65,535 values.
HANGING_SECONDS = 15
"""Roll back a write that has been idle for this long: its process hangs, and others wait for its locks."""
LEASE_LOST = "55K01"  # the SQLSTATE that demand_lease raises (storage/schema/postgres.sql)


_ESCAPE = "\ufdd0"
_PLACEHOLDER = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\?(\d*)")


@lru_cache(maxsize=1_000)
def encode_statement(sql: str) -> bytes:
    """Encode a statement, with each `?` replaced by $1, $2 …, and each `?n` by $n."""
    numbers = count(1)

    def number_placeholder(match: re.Match[str]) -> str:
        return match.group() if match[1] is None else f"${match[1] or next(numbers)}"

    return _PLACEHOLDER.sub(number_placeholder, sql).encode()


def build_multirow_insert(sql: str, row_count: int) -> str | None:
    """Turn a single-row INSERT into one of `row_count` rows, or return None if clauses or placeholders prevent that."""
    head, values, row = sql.rpartition("VALUES ")
    if not values or any(more in row for more in ("ON CONFLICT", "RETURNING", "?1")):
        return None
    return head + values + ", ".join([row.rstrip()] * row_count)


class _TextDumper(StrBinaryDumper):
    """Sends strings explicitly as `text`, so that PostgreSQL does not infer another type.

    PostgreSQL cannot store NUL, so NUL is sent as U+FDD0 followed by "0", and U+FDD0 itself is sent twice.
    """

    def dump(self, obj: str) -> Buffer | None:
        if "\0" in obj or _ESCAPE in obj:
            obj = obj.replace(_ESCAPE, _ESCAPE + _ESCAPE).replace("\0", _ESCAPE + "0")
        return super().dump(obj)


class _TextLoader(Loader):
    """Loads strings and undoes the escaping of `_TextDumper`."""

    format = pq.Format.BINARY

    def load(self, data: Buffer) -> str:
        text = bytes(data).decode()
        if _ESCAPE in text:
            return _ESCAPE.join(part.replace(_ESCAPE + "0", "\0") for part in text.split(_ESCAPE + _ESCAPE))
        return text


_NUMERIC = NumericBinaryLoader(psycopg.adapters.types["numeric"].oid)


class _SumLoader(Loader):
    """Loads numeric as int, because PostgreSQL returns the sum of bigints as numeric."""

    format = pq.Format.BINARY

    def load(self, data: Buffer) -> int:
        return int(_NUMERIC.load(data))


class _NamedRow:
    __slots__ = ("_names", "_values")

    def __init__(self, values: tuple[Any, ...], names: Mapping[str, int]) -> None:
        self._values = values
        self._names = names

    def __getitem__(self, key: int | str, /) -> Any:
        return self._values[self._names[key] if isinstance(key, str) else key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _make_named_row_factory(cursor: Any) -> RowMaker[Any]:
    names = {column.name: place for place, column in reversed(list(enumerate(cursor.description or ())))}
    return lambda values: _NamedRow(tuple(values), names)


class PostgresCursor:
    """The result of a statement, fetched completely before the next statement runs."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = iter(rows)

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class PostgresConnection:
    """A connection that runs the SQL shared by SQLite and PostgreSQL."""

    def __init__(self, raw: psycopg.Connection[tuple[Any, ...]], full_text: object = None) -> None:
        self.raw = raw
        self.full_text = full_text

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> PostgresCursor:
        with psycopg.RawCursor(self.raw, row_factory=_make_named_row_factory) as cursor:
            try:
                cursor.execute(encode_statement(sql), values, binary=True)
            except (OverflowError, struct.error) as error:
                raise psycopg.DataError("a number of more than 64 bits") from error
            return PostgresCursor(cursor.fetchall() if cursor.description else ())

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> None:
        rows = list(values)
        # The counting triggers run once per statement: inserting row by row took quadratic time.
        for first in range(0, len(rows), MAX_ROWS_PER_INSERT):
            batch = rows[first : first + MAX_ROWS_PER_INSERT]
            if (insert := build_multirow_insert(sql, len(batch))) is not None:
                self.execute(insert, [value for row in batch for value in row])
            else:  # psycopg sends these in a pipeline, with one round trip
                psycopg.RawCursor(self.raw).executemany(encode_statement(sql), batch)

    def rollback(self) -> None:
        if self.raw.pgconn.transaction_status != pq.TransactionStatus.IDLE:
            self.run("ROLLBACK")

    def run(self, script: str) -> None:
        """Run statements without values in one round trip."""
        self.raw.execute(script.encode())


def register_type_adapters(raw_connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    raw_connection.adapters.register_dumper(str, _TextDumper)
    raw_connection.adapters.register_dumper(int, Int8BinaryDumper)
    raw_connection.adapters.register_dumper(bool, Int8BinaryDumper)
    raw_connection.adapters.register_loader("text", _TextLoader)
    raw_connection.adapters.register_loader("numeric", _SumLoader)


def abort_connection(raw_connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """Close a connection's socket at once, even during a request. Any thread may call this."""
    with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(raw_connection.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


OPTIONS: dict[str, Any] = {
    "autocommit": True,  # transactions are begun explicitly
    "prepare_threshold": None,  # the server rejects a prepared statement after another process has changed its table
    "connect_timeout": 5,
    "fallback_application_name": "keepsake",
    "client_encoding": "utf8",
    "keepalives_idle": SILENT_SECONDS,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": SILENT_SECONDS * 1000,
}
SESSION = "SET statement_timeout = '60s'; SET lock_timeout = '20s'; SET random_page_cost = 1.1"
"""Limits well above our slowest statement and longest queue for one owner's lock.

random_page_cost defaults to 4, which suits spinning disks: with it, the planner read whole tables for an owner's rows.
"""


_ERRORS: Mapping[str, tuple[type[StorageError], str]] = {
    "53100": (StorageError, "has no space left on its disk; nothing was changed."),
    "53": (StorageBusy, "has no room for another connection; try again later."),
    "40": (StorageBusy, "is busy with the same memory; nothing was changed."),
    "55": (StorageBusy, "is busy with the same memory; nothing was changed."),
    "25006": (StorageError, "is read-only; nothing was changed."),
    "42501": (StorageError, "does not allow that to this user; nothing was changed."),
    "57014": (StorageBusy, "took too long; nothing was changed."),
}  # the error and sentence for an SQLSTATE, or for a class of them (the first two characters)


def to_keepsake_error(error: psycopg.Error) -> KeepsakeError:
    """Return the KeepsakeError for a driver error. Omit the driver's text, which may quote messages or an address."""
    code = error.sqlstate or ""
    if code == LEASE_LOST:
        return ServedElsewhere()
    if known := _ERRORS.get(code) or _ERRORS.get(code[:2]):
        kind, sentence = known
        return kind(f"The PostgreSQL server {sentence}")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StorageError("The PostgreSQL server cannot be reached; nothing was lost. Please try again in a moment.")
    return StorageError(f"The PostgreSQL server refused what was asked ({type(error).__name__}); nothing was changed.")

"""The PostgreSQL driver: connections that take the shared statements, psycopg's options, and our words for errors."""

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
from psycopg.rows import RowMaker, tuple_row
from psycopg.types.numeric import Int8BinaryDumper, NumericBinaryLoader
from psycopg.types.string import StrBinaryDumper

from records.errors import KeepsakeError, ServedElsewhere, StorageBusy, StorageError

SILENT_SECONDS = 10
"""A server that says nothing for so long is gone."""
JOINED = 250
"""Rows that one INSERT has; a statement may have 65,535 values."""
HANGING_SECONDS = 15
"""A write in which nothing happens for so long is undone: its process hangs, and others wait for its locks."""
STALE = (psycopg.errors.FeatureNotSupported, psycopg.errors.InvalidSqlStatementName)
"""Errors of a prepared statement that a change of a table has voided, or that a pooler's other server lacks."""
_DONE = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
LEASE_LOST = "55K01"
"""Raised by demand_lease (storage/schema/postgres.sql)."""


_ESCAPE = "\ufdd0"
_PLACEHOLDER = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\?(\d*)")


def escaped(text: str) -> str:
    """A text as it is stored: PostgreSQL's hold no NUL, which a message may have. It is U+FDD0 and a 0, and U+FDD0
    itself, which Unicode keeps free for such uses, is doubled.
    """
    if "\0" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, _ESCAPE + _ESCAPE).replace("\0", _ESCAPE + "0")
    return text


def unescaped(raw: bytes) -> str:
    """A text as it was given."""
    text = raw.decode()
    if _ESCAPE in text:
        return _ESCAPE.join(part.replace(_ESCAPE + "0", "\0") for part in text.split(_ESCAPE + _ESCAPE))
    return text


@lru_cache(maxsize=1_000)
def numbered(sql: str) -> bytes:
    """A statement with $1, $2 … for `?`, and $n for `?n`."""
    numbers = count(1)

    def replaced(found: re.Match[str]) -> str:
        return found.group() if found[1] is None else f"${found[1] or next(numbers)}"

    return _PLACEHOLDER.sub(replaced, sql).encode()


def joined(sql: str, rows: int) -> str | None:
    """An INSERT of one row for so many rows; None where it says what becomes of rows that are there, or returns any."""
    head, values, row = sql.rpartition("VALUES ")
    if not values or any(more in row for more in ("ON CONFLICT", "RETURNING", "?1")):
        return None
    return head + values + ", ".join([row.rstrip()] * rows)


class _Text(StrBinaryDumper):
    """A text parameter is of type text, not of whatever type the place where it stands suggests."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escaped(obj))


class _Whole(Int8BinaryDumper):
    """Every whole number is of one type."""

    def dump(self, obj: int) -> Buffer | None:
        return super().dump(int(obj))


class _TextLoader(Loader):
    format = pq.Format.BINARY

    def load(self, data: Buffer) -> str:
        return unescaped(bytes(data))


_NUMERIC = NumericBinaryLoader(psycopg.adapters.types["numeric"].oid)


class _SumLoader(Loader):
    """Sums of whole numbers are `numeric` there."""

    format = pq.Format.BINARY

    def load(self, data: Buffer) -> int:
        return int(_NUMERIC.load(data))


class _Named:
    """A row, read by position or by name."""

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


def _named(cursor: Any) -> RowMaker[Any]:
    """A row factory of psycopg's."""
    columns = cursor.description or ()
    names = {column.name: place for place, column in reversed(list(enumerate(columns)))}
    return lambda values: _Named(tuple(values), names)


class Cursor:
    """The result of a statement, all of it: nothing is left on the way when the next statement begins."""

    def __init__(self, connection: "Connection") -> None:
        self.row_factory: Any = _Named
        self._connection = connection
        self._rows: Iterator[Any] = iter(())

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> "Cursor":
        factory = tuple_row if self.row_factory is None else _named
        prepare = None if self._connection.prepares else False
        with psycopg.RawCursor(self._connection.raw, row_factory=factory) as cursor:
            try:
                cursor.execute(numbered(sql), values, prepare=prepare, binary=True)
            except (OverflowError, struct.error) as error:
                raise psycopg.DataError("a number of more than 64 bits") from error
            self._rows = iter(cursor.fetchall() if cursor.description else ())
        return self

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class Connection:
    """A connection that takes the shared statements (storage/engine/protocol.py).

    `prepares`: whether prepared ones are used. Where a newer program has added a column to a table that one of them
    reads, the server refuses it once, and a transaction with it: so only work that can be done again may use them.
    """

    def __init__(self, raw: psycopg.Connection[tuple[Any, ...]], full_text: object = None) -> None:
        self.raw = raw
        self.full_text = full_text
        self.prepares = True

    @property
    def is_idle(self) -> bool:
        """Whether no transaction has begun."""
        return self.raw.pgconn.transaction_status == pq.TransactionStatus.IDLE

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        return self.cursor().execute(sql, values)

    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> Cursor:
        rows = list(values)
        # Triggers that count run once for each statement: row by row, many rows took quadratic time.
        for first in range(0, len(rows), JOINED):
            some = rows[first : first + JOINED]
            if (together := joined(sql, len(some))) is not None:
                self.execute(together, [value for row in some for value in row])
            else:  # in a pipeline: one journey to the server for all of them
                psycopg.RawCursor(self.raw).executemany(numbered(sql), some)
        return self.cursor()

    def cursor(self) -> Cursor:
        return Cursor(self)

    def rollback(self) -> None:
        if not self.is_idle:
            self.run("ROLLBACK")

    def run(self, script: str) -> None:
        """Statements without values or rows, sent as they stand, which psycopg does not hear of: at a ROLLBACK it would
        forget what is prepared. Raises psycopg.Error.
        """
        result = self.raw.pgconn.exec_(script.encode())
        if result.status not in _DONE:
            if self.raw.pgconn.status == pq.ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")
            raise psycopg.errors.error_from_result(result)

    def prepare_nothing(self) -> None:
        """Use no prepared statement any more."""
        self.raw.prepare_threshold = None


def set_up(raw: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """Make a new connection carry our values."""
    raw.adapters.register_dumper(str, _Text)
    raw.adapters.register_dumper(int, _Whole)
    raw.adapters.register_dumper(bool, _Whole)
    raw.adapters.register_loader("text", _TextLoader)
    raw.adapters.register_loader("numeric", _SumLoader)
    raw.prepare_threshold, raw.prepared_max = 1, 500  # from the second time on


def cut(raw: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """End a connection at once, whatever it waits for; may be called from any thread."""
    with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(raw.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


OPTIONS: dict[str, Any] = {
    "autocommit": True,  # transactions are begun by name
    "connect_timeout": 5,
    "fallback_application_name": "keepsake",
    "client_encoding": "utf8",
    "keepalives_idle": SILENT_SECONDS,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": SILENT_SECONDS * 1000,
}
SESSION = """
SET statement_timeout = '60s'; SET lock_timeout = '20s'; SET random_page_cost = 1.1
"""
"""No statement of ours takes nearly a minute; writes of one owner wait for each other. All of them look up an owner's
rows: by the server's default for a page that is looked up (4, for disks that turn) it read whole tables for them.
"""


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Errors of the driver leave as one of ours, the original in `__cause__`."""
    try:
        yield
    except psycopg.Error as error:
        raise sentence_for(error) from error


def sentence_for(error: psycopg.Error) -> KeepsakeError:
    """Our error for a driver's, without its words (they may quote stored text, or the address of the server)."""
    code = error.sqlstate or ""
    if code == LEASE_LOST:
        return ServedElsewhere()
    match code[:2]:
        case "53" if code == "53100":
            return StorageError("The disk of the PostgreSQL server is full; nothing was changed.")
        case "53":
            return StorageBusy("The PostgreSQL server has no room for another connection; try again later.")
        case "40" | "55":
            return StorageBusy("The PostgreSQL server is busy with the same memory; nothing was changed.")
        case "25" if code == "25006":
            return StorageError("The PostgreSQL server is read-only; nothing was changed.")
        case "42" if code == "42501":
            return StorageError("The PostgreSQL server does not allow that to this user; nothing was changed.")
        case "57" if code == "57014":
            return StorageBusy("The PostgreSQL server took too long; nothing was changed.")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StorageError("The PostgreSQL server cannot be reached; nothing was lost. Please try again in a moment.")
    return StorageError(f"The PostgreSQL server refused what was asked ({type(error).__name__}); nothing was changed.")

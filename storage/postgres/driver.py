"""The PostgreSQL driver: connections that take the shared statements, psycopg's options, and our words for errors.

Does not know tables, pools or tasks.
"""

import contextlib
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import StrBinaryDumper

from records.errors import KeepsakeError, ServedElsewhere, StorageBusy, StorageError, StorageLacks
from storage.postgres.dialect import joined, translated
from storage.postgres.full_text import TsVector
from storage.postgres.statements import HalfVector, Statements, escaped, unescaped
from storage.search.full_text import FullText

CONNECT_SECONDS = 5
"""How long a server may take to let us in."""
STATEMENT_SECONDS = 60
"""No statement of ours takes nearly so long; one that does is given up."""
LOCK_SECONDS = 20
"""How long a write waits for another of the same owner."""
SILENT_SECONDS = 10
"""A server that says nothing for so long is gone."""
JOINED = 250
"""Rows that one INSERT has; a statement may have 65,535 values."""
HANGING_SECONDS = 15
"""A write in which nothing happens for so long is undone: its process hangs, and others wait for its locks."""
PAGE_COST = 1.1
"""Of a page that is looked up, next to one that is read in order. All our statements look up rows of an owner; by the
server's default (4, for disks that turn) it read whole tables for them, and turns cost it twice as much.
"""
LEASE_LOST = "55K01"
"""Raised by demand_lease (shared_schema.py)."""

_MISSING = {"42703", "42704", "42883"}
"""A column, a type (or another object) or a function that is not there."""


class _Text(StrBinaryDumper):
    """A text parameter is of type text, not of whatever type the place where it stands suggests."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escaped(obj))


class _Whole(Int8BinaryDumper):
    """Every whole number is of one type."""

    def dump(self, obj: int) -> Buffer | None:
        return super().dump(int(obj))


class _HalfVector(Dumper):
    """Without a type, since its number differs from database to database: the place where it stands says it."""

    format = pq.Format.BINARY

    def dump(self, obj: HalfVector) -> Buffer | None:
        return obj


class _TextLoader(Loader):
    format = pq.Format.BINARY

    def load(self, data: Buffer) -> str:
        return unescaped(bytes(data))


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


class Cursor:
    """What a statement returned, all of it: nothing is left on the way when the next statement begins."""

    def __init__(self, statements: Statements) -> None:
        self.row_factory: Any = _Named
        self._statements = statements
        self._rows: Iterator[Any] = iter(())

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> "Cursor":
        rows, columns = self._statements.execute(sql, values)
        self._rows = iter(rows) if self.row_factory is None else iter([_Named(row, columns) for row in rows])
        return self

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class Connection:
    """A connection that takes the shared statements (storage/files/sql.py)."""

    full_text: FullText = TsVector()

    def __init__(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        self.raw = raw
        self.statements = Statements(raw.pgconn)

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
                self.statements.execute(together, [value for row in some for value in row], is_translated=True)
            elif len(some) == 1:
                self.statements.execute(sql, some[0])
            else:  # in a pipeline: one journey to the server for all of them
                psycopg.RawCursor(self.raw).executemany(translated(sql).encode(), some)
        return self.cursor()

    def cursor(self) -> Cursor:
        return Cursor(self.statements)

    def rollback(self) -> None:
        if not self.is_idle:
            self.run("ROLLBACK")

    def run(self, script: str) -> None:
        """Statements of PostgreSQL's own, without values: not translated, and sent as they stand."""
        self.statements.run(script)


def set_up(raw: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """Make a new connection carry our values."""
    raw.adapters.register_dumper(str, _Text)
    raw.adapters.register_dumper(int, _Whole)
    raw.adapters.register_dumper(bool, _Whole)
    raw.adapters.register_dumper(HalfVector, _HalfVector)
    raw.adapters.register_loader("text", _TextLoader)
    raw.prepare_threshold = None  # it forgets what is prepared at every ROLLBACK, by DEALLOCATE ALL: ours, too


def cut(raw: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """End a connection at once, whatever it waits for; may be called from any thread."""
    with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(raw.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


OPTIONS: dict[str, Any] = {
    "autocommit": True,  # transactions are begun by name
    "connect_timeout": CONNECT_SECONDS,
    "fallback_application_name": "keepsake",
    "client_encoding": "utf8",
    "keepalives_idle": SILENT_SECONDS,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": SILENT_SECONDS * 1000,
}
SESSION = f"""
SET statement_timeout = '{STATEMENT_SECONDS}s'; SET lock_timeout = '{LOCK_SECONDS}s'; SET random_page_cost = {PAGE_COST}
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
        case "42" if code in _MISSING:
            return StorageLacks("The PostgreSQL server lacks a function, a type or a column; nothing was changed.")
        case "57" if code == "57014":
            return StorageBusy("The PostgreSQL server took too long; nothing was changed.")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return StorageError("The PostgreSQL server cannot be reached; nothing was lost. Please try again in a moment.")
    return StorageError(f"The PostgreSQL server refused what was asked ({type(error).__name__}); nothing was changed.")

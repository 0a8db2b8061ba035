"""Statements on one connection: read, or written as one transaction, or heard of when committed.

Does not know how a connection is opened, nor how a transaction begins and ends (database.py).
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar, cast

import aiosqlite

from records.errors import StorageError
from storage.files.driver import Row, explained, sqlite3

Value = str | int | float | bytes | None
Result = TypeVar("Result")


class Connection(aiosqlite.Connection):
    """aiosqlite's, which besides runs whole functions in its thread."""

    async def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Raises ValueError when closed."""
        return await cast(Callable[..., Awaitable[Result]], self._execute)(work, self._conn)


class Reader:
    """Reading statements on one connection."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        with explained(self._path):
            try:
                return list(await self._connection.execute_fetchall(sql, values))
            except ValueError as error:
                raise closed(self._path) from error

    async def together(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` reads with the connection, as of one moment: one hop between threads for all its statements."""
        is_open = False

        def frozen(connection: sqlite3.Connection) -> Result:
            nonlocal is_open
            is_open = True
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.rollback()

        with explained(self._path):
            try:
                return await self._connection.run(frozen)
            except ValueError as error:
                if is_open:
                    raise
                raise closed(self._path) from error

    async def row(self, sql: str, *values: Value) -> Row | None:
        rows = await self.rows(sql, *values)
        return rows[0] if rows else None


class Transaction(Reader):
    """Statements of one transaction; they count only when the `async with db.write()` around them ends well."""

    async def insert(self, sql: str, *values: Value) -> int:
        """Run an INSERT; the rowid it made."""
        with explained(self._path):
            row = await self._connection.execute_insert(sql, values)
        return int(row[0]) if row else 0

    async def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run one statement for each row."""
        with explained(self._path):
            async with self._connection.executemany(sql, rows):
                pass


class Witness(Protocol):
    """Who hears of commits. All three are called with the writer's lock held."""

    async def before_commit(self, tx: Transaction) -> None:
        """The last act of a writing transaction; if it raises, nothing is committed."""

    async def after_failure(self) -> None:
        """The transaction that reached `before_commit` was not committed."""

    def after_commit(self) -> None:
        """The transaction is in the file."""


def closed(path: Path) -> StorageError:
    return StorageError(f"{path.name} is closed.")

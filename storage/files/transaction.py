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
    """aiosqlite's, which runs whole functions in its thread. `name`: of that thread; `hops`: functions run so far."""

    def __init__(self, connector: Callable[[], sqlite3.Connection], name: str) -> None:
        super().__init__(connector, 64)
        self._thread.name = name
        self.hops = 0

    @property
    def is_open(self) -> bool:
        return self._running and self._connection is not None

    async def run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Raises ValueError when closed."""
        self.hops += 1
        return await cast(Callable[..., Awaitable[Result]], self._execute)(work, self._conn)


class Reader:
    """Reading statements on one connection."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        return await self._run(lambda connection: connection.execute(sql, values).fetchall())

    async def row(self, sql: str, *values: Value) -> Row | None:
        rows = await self.rows(sql, *values)
        return rows[0] if rows else None

    async def together(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """What `work` reads with the connection, as of one moment: one hop between threads for all its statements."""

        def frozen(connection: sqlite3.Connection) -> Result:
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                connection.rollback()

        return await self._run(frozen)

    async def _run(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        if not self._connection.is_open:
            raise closed(self._path)
        with explained(self._path):
            return await self._connection.run(work)


class Transaction(Reader):
    """Statements of one transaction; they count only when the `async with db.write()` around them ends well."""

    async def insert(self, sql: str, *values: Value) -> int:
        """Run an INSERT; the rowid it made."""
        return await self._run(lambda connection: connection.execute(sql, values).lastrowid or 0)

    async def run(self, work: Callable[..., Result], *values: object) -> Result:
        """What `work` does with the connection and these values: one hop between threads for all its statements."""
        return await self._run(lambda connection: work(connection, *values))

    async def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run one statement for each row."""

        def all_of_them(connection: sqlite3.Connection) -> None:
            connection.executemany(sql, rows)

        await self._run(all_of_them)


class CommitHooks(Protocol):
    """What is called around each commit, while nobody else writes. The first two run in the database's thread."""

    def before_commit(self, connection: sqlite3.Connection) -> None:
        """The last act of a writing transaction; if it raises, nothing is committed."""

    def after_failure(self) -> None:
        """The transaction that reached `before_commit` was not committed."""

    def after_commit(self) -> None:
        """The transaction is in the file. Called on the event loop, before the next one begins."""


def closed(path: Path) -> StorageError:
    return StorageError(f"{path.name} is closed.")

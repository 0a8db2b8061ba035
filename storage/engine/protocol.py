"""The database interface that both engines implement, and the base class of the parts that use it."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

Value = str | int | float | bytes | None
Result = TypeVar("Result")


class Row(Protocol):
    """A result row, whose values can be read by position or by name."""

    def __getitem__(self, key: int | str, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...


class Cursor(Protocol):
    """The result of a statement."""

    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection, used only in its own thread. Its statements must run on both engines.

    Use `?` or `?1` as placeholders, `json_each(?)` for a list of integers and `json_each(?, '$')` for any other list.
    """

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor: ...
    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> object: ...
    def rollback(self) -> None: ...


class Runner(Protocol):
    """A function that runs `work` with one connection, in the thread of that connection."""

    def __call__(self, work: Callable[[Any], Result], /) -> Awaitable[Result]: ...


class Reader:
    """Runs read statements on one connection."""

    def __init__(self, run: Runner, *, begin_sql: str = "BEGIN") -> None:
        self._run = run
        self._begin = begin_sql

    async def fetch_rows(self, sql: str, *values: Value) -> list[Row]:
        return await self._run(lambda connection: connection.execute(sql, values).fetchall())

    async def execute(self, sql: str, *values: Value) -> None:
        await self.fetch_rows(sql, *values)

    async def fetch_row(self, sql: str, *values: Value) -> Row | None:
        rows = await self.fetch_rows(sql, *values)
        return rows[0] if rows else None

    async def run_in_snapshot(self, work: Callable[[Connection], Result]) -> Result:
        """Run `work` in the connection's thread, with all its statements in one snapshot. Return its result."""

        def run_and_roll_back(connection: Connection) -> Result:
            connection.execute(self._begin)
            try:
                return work(connection)
            finally:
                connection.rollback()

        return await self._run(run_and_roll_back)

    async def run(self, work: Callable[..., Result], *values: object) -> Result:
        """Run `work(connection, *values)` in the connection's thread, and return its result."""
        return await self._run(lambda connection: work(connection, *values))


class Transaction(Reader):
    """A transaction. It is committed if the `async with db.open_transaction(owner)` block ends without an error."""

    async def execute_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run a statement once for each row of parameters."""
        await self._run(lambda connection: connection.executemany(sql, rows))


class OwnerDatabase(Protocol):
    """A store's database. Code that passes an `owner` may access only that owner's rows; PostgreSQL enforces this."""

    def open_reader(self, owner: int | None, *, in_snapshot: bool = False) -> AbstractAsyncContextManager[Reader]:
        """Borrow a connection for a short block. With `in_snapshot`, all statements in the block share a snapshot."""

    def open_transaction(self, owner: int | None) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction that is committed when the block ends, or rolled back if the block raises."""

    async def transact(self, work: Callable[[Connection], Result], owner: int | None) -> Result:
        """Run `work` as one transaction in the database's thread, and return its result once it is on disk.

        `work` may run again after a rollback, so it must not change anything except the database.
        """
        ...

    async def try_to_truncate_write_ahead_log(self) -> bool:
        """Truncate the log, which may hold deleted text. Return False if the log is in use."""
        ...

    async def vacuum_tables(self) -> None:
        """Rewrite the tables so that they hold no traces of deleted rows."""


class StatementRunner:
    """Runs single statements on a database. `owner` is the owner of the rows, or None for rows of any owner."""

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database

    async def _fetch_rows(self, owner: int | None, sql: str, *values: Value) -> list[Row]:
        async with self.database.open_reader(owner) as reader:
            return await reader.fetch_rows(sql, *values)

    async def _fetch_row(self, owner: int | None, sql: str, *values: Value) -> Row | None:
        async with self.database.open_reader(owner) as reader:
            return await reader.fetch_row(sql, *values)

    async def _execute(self, owner: int | None, sql: str, *values: Value) -> list[Row]:
        return await self.database.transact(lambda connection: connection.execute(sql, values).fetchall(), owner)

"""The database as the tables of a store see it, whichever engine it is: rows, connections, transactions of an owner."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

Value = str | int | float | bytes | None
Result = TypeVar("Result")


class Row(Protocol):
    """A row, read by position or by name."""

    def __getitem__(self, key: int | str, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...


class Cursor(Protocol):
    """The result of a statement. `row_factory` None: rows are plain tuples."""

    row_factory: Any

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> "Cursor": ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection in its thread.

    Statements are SQL that both engines read: values stand where `?` or `?1` does, `json_each(?)` lists whole numbers,
    `json_each(?, '$')` anything else (storage/schema/postgres.sql has SQLite's functions for PostgreSQL).
    """

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor: ...
    def executemany(self, sql: str, values: Iterable[Sequence[Any]], /) -> Cursor: ...
    def cursor(self) -> Cursor: ...
    def rollback(self) -> None: ...


class Runner(Protocol):
    """Runs whole functions with one connection, in the thread that it belongs to."""

    def __call__(self, work: Callable[[Any], Result], /) -> Awaitable[Result]: ...


class Reader:
    """Reading statements on one connection."""

    def __init__(self, run: Runner, *, begin: str = "BEGIN") -> None:
        """`begin`: what begins a transaction that sees one moment."""
        self._run = run
        self._begin = begin

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        return await self._run(lambda connection: connection.execute(sql, values).fetchall())

    async def row(self, sql: str, *values: Value) -> Row | None:
        rows = await self.rows(sql, *values)
        return rows[0] if rows else None

    async def together(self, work: Callable[[Connection], Result]) -> Result:
        """Return what `work` reads as of one moment: one hop between threads for all its statements."""

        def frozen(connection: Connection) -> Result:
            connection.execute(self._begin)
            try:
                return work(connection)
            finally:
                connection.rollback()

        return await self._run(frozen)

    async def run(self, work: Callable[..., Result], *values: object) -> Result:
        """Return the result of `work` with these values: one hop between threads for all its statements."""
        return await self._run(lambda connection: work(connection, *values))


class Transaction(Reader):
    """Statements of one transaction; they count only when the `async with db.write()` around them ends well."""

    async def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Run one statement for each row."""

        def all_of_them(connection: Connection) -> None:
            connection.executemany(sql, rows)

        await self._run(all_of_them)


class OwnerDatabase(Protocol):
    """The database that holds the tables of a store.

    Each access names the owner whose rows it touches; None: everybody's. Writes of one owner follow each other. An
    engine that can do so refuses rows of other owners.
    """

    def read(self, owner: int | None, *, frozen: bool = False) -> AbstractAsyncContextManager[Reader]:
        """A connection for reading. `frozen`: all statements see the same moment; keep such a block short."""

    def write(self, owner: int | None) -> AbstractAsyncContextManager[Transaction]:
        """One transaction of many steps: committed (and on disk) when the block ends well, otherwise as if it had never
        been.
        """

    async def transact(self, work: Callable[[Connection], Result], owner: int | None) -> Result:
        """Run `work` with the connection as one transaction, in one hop to its thread; what it returned, on disk.

        `work` may be run a second time where its first run was undone, so it changes nothing but the database.
        """
        ...

    async def forget_log(self) -> bool:
        """Cut the log, so that erased text is not in it; False where it is in use."""
        ...

    async def rewrite(self) -> None:
        """Remove the traces of what was deleted."""

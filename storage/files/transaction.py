"""SQLite's connection in its own thread, and who hears of its commits.

Does not know how a connection is opened, nor how a transaction begins and ends (database.py).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, cast

import aiosqlite

from records.errors import StorageError
from storage.files.driver import explained, sqlite3

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


@dataclass(frozen=True, slots=True)
class InItsThread:
    """Runs work with a connection in its thread; errors come in our words."""

    connection: Connection
    path: Path

    async def __call__(self, work: Callable[[sqlite3.Connection], Result], /) -> Result:
        if not self.connection.is_open:
            raise StorageError(f"{self.path.name} is closed.")
        with explained(self.path):
            return await self.connection.run(work)


class CommitHooks(Protocol):
    """What is called around each commit, while nobody else writes. The first two run in the database's thread."""

    def before_commit(self, connection: sqlite3.Connection) -> None:
        """The last act of a writing transaction; if it raises, nothing is committed."""

    def after_failure(self) -> None:
        """The transaction that reached `before_commit` was not committed."""

    def after_commit(self) -> None:
        """The transaction is in the file. Called on the event loop, before the next one begins."""

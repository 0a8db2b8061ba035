"""The one writer of a SQLite file: whoever waits at the same moment shares one durable commit.

A piece of work is a function of the connection that runs in the database's thread. One that fails fails alone: each of
a group has a savepoint of its own.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

import aiosqlite

from records.errors import StorageBusy, StorageError
from runtime.tasks import uncancelled
from storage.engine.protocol import Transaction
from storage.engine.sqlite_driver import explained, sqlite3

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

MOST_TOGETHER = 128
"""Pieces of work that share a commit at most, so that nobody waits long for the others' statements."""


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
    """Callbacks around each commit, while nobody else writes. The first two run in the database's thread."""

    def before_commit(self, connection: sqlite3.Connection) -> None:
        """The last act of a writing transaction; if it raises, nothing is committed."""

    def after_failure(self) -> None:
        """The transaction that reached `before_commit` was not committed."""

    def after_commit(self) -> None:
        """The transaction is in the file. Called on the event loop, before the next one begins."""


@dataclass(frozen=True, slots=True)
class _Done(Generic[Result]):
    """The result of a piece of work; it counts once its group is committed."""

    result: Result


_Outcome = _Done[Any] | Exception


@dataclass(eq=False, slots=True)
class _Waiting:
    """A piece of work in the queue. `outcome` is set when it is durable, or has failed."""

    work: Work[Any]
    outcome: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    has_begun: bool = False

    def settle(self, outcome: _Outcome) -> None:
        if self.outcome.done():
            return
        if isinstance(outcome, _Done):
            self.outcome.set_result(outcome.result)
        else:
            self.outcome.set_exception(outcome)


class Writer:
    """Transactions on one connection, one after the other. `patience`: milliseconds that another process is waited for.

    `commit_hooks`, if set, are called around every commit. `commits` counts those that were made.
    """

    def __init__(self, connection: Connection, path: Path, *, patience: int) -> None:
        self.commit_hooks: CommitHooks | None = None
        self.commits = 0
        self._connection = connection
        self._path = path
        self._run = InItsThread(connection, path)
        self._patience = patience
        self._was_busy = False
        self._lock = asyncio.Lock()
        self._waiting: deque[_Waiting] = deque()
        self._writing: asyncio.Task[None] | None = None

    @property
    def hops(self) -> int:
        return self._connection.hops

    async def transact(self, work: Work[Result]) -> Result:
        """Run `work` as a transaction; what it returned, once that is on disk.

        `work` may be run several times where a run of it was undone by the failure of another's, so it changes
        nothing but the file. A cancelled caller leaves nothing half done: work that has begun is waited for.
        """
        waiting = _Waiting(work)
        self._waiting.append(waiting)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        try:
            result: Result = await asyncio.shield(waiting.outcome)
        except asyncio.CancelledError:
            if waiting.has_begun:
                await uncancelled(partial(_settled, waiting))
            else:
                self._waiting.remove(waiting)
            raise
        return result

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[Transaction]:
        """One transaction of many steps, nobody else's in between; committed when the block ends well."""
        async with self._lock:
            try:
                await self._run(self._begin)
                yield Transaction(self._run)
            except BaseException:
                await uncancelled(self._roll_back)
                raise
            await uncancelled(self._commit_alone)

    @contextlib.asynccontextmanager
    async def outside(self) -> AsyncIterator[Callable[[Work[Any]], Coroutine[Any, Any, Any]]]:
        """Run work on the connection outside any transaction, while nobody else writes."""
        async with self._lock:
            yield self._run

    async def finish(self) -> None:
        """Wait until everything in the queue is written."""
        if self._writing is not None:
            await asyncio.wait({self._writing})

    # the queue -----------------------------------------------------------------------------------------------
    async def _write_waiting(self) -> None:
        """Each round takes what waits by then off the queue."""
        while self._waiting:
            async with self._lock:
                group = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_TOGETHER))]
                for one in group:
                    one.has_begun = True
                try:
                    await uncancelled(partial(self._write, group))
                except Exception as error:  # broad: nobody may wait for ever, nor the next ones behind them
                    for one in group:
                        one.settle(error)

    async def _write(self, group: Sequence[_Waiting]) -> None:
        try:
            outcomes = await self._run(partial(self._together, [one.work for one in group]))
        except Exception as error:  # broad: whatever it is, its waiters must hear of it
            outcomes = [error] * len(group)
        if outcomes is None:  # one of them, or the disk, failed in a way that undid all
            for one in group:
                await self._write([one])
            return
        if any(isinstance(one, _Done) for one in outcomes):
            self._note_commit()
        for one, outcome in zip(group, outcomes, strict=True):
            one.settle(outcome)

    async def _commit_alone(self) -> None:
        await self._run(self._commit)
        self._note_commit()

    def _note_commit(self) -> None:
        self.commits += 1
        if self.commit_hooks:
            self.commit_hooks.after_commit()

    async def _roll_back(self) -> None:
        # Queued behind whatever a cancelled task left in the connection's own queue; a no-op outside a transaction.
        with contextlib.suppress(ValueError), explained(self._path):
            await self._connection.rollback()

    # in the database's thread --------------------------------------------------------------------------------
    def _together(self, works: Sequence[Work[Any]], connection: sqlite3.Connection) -> list[_Outcome] | None:
        """The result or error of each; None where a failure undid the work of several."""
        self._begin(connection)
        outcomes: list[_Outcome] = []
        try:
            for work in works:
                outcomes.append(self._in_savepoint(work, connection))
                if not connection.in_transaction and len(works) > 1:
                    return None  # SQLite itself took everything back (a full disk, for one)
            if any(isinstance(one, _Done) for one in outcomes):
                self._commit(connection)
        except Exception as error:  # broad: it is the waiters' to judge
            return [error] if len(works) == 1 else None
        finally:
            connection.rollback()
        return outcomes

    def _in_savepoint(self, work: Work[Any], connection: sqlite3.Connection) -> _Outcome:
        connection.execute("SAVEPOINT one")
        outcome: _Outcome
        try:
            with explained(self._path):
                outcome = _Done(work(connection))
        except Exception as error:  # broad: it is the waiter's to judge
            outcome = error
            if connection.in_transaction:
                connection.execute("ROLLBACK TO one")
        if connection.in_transaction:
            connection.execute("RELEASE one")
        return outcome

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Patience once: while another process goes on holding the file, the next writers are told soon."""
        try:
            with explained(self._path):
                connection.execute("BEGIN IMMEDIATE")
        except StorageBusy:
            self._was_busy = True
            connection.execute("PRAGMA busy_timeout=50")
            raise
        if self._was_busy:
            self._was_busy = False
            connection.execute(f"PRAGMA busy_timeout={self._patience}")

    def _commit(self, connection: sqlite3.Connection) -> None:
        try:
            with explained(self._path):
                if self.commit_hooks:
                    self.commit_hooks.before_commit(connection)
                connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            if self.commit_hooks:
                self.commit_hooks.after_failure()
            raise


async def _settled(waiting: _Waiting) -> None:
    """Until it is known what became of a piece of work, whatever that is."""
    await asyncio.wait({waiting.outcome})
    waiting.outcome.exception()

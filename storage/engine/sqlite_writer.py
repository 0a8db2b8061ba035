"""The single writer of a SQLite file. Writes that are waiting at the same time share one durable commit.

If a write fails, its group is rolled back and each write is repeated by itself, so that only this one fails.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import aiosqlite

from records.errors import StorageBusy, StorageError
from runtime.tasks import run_to_completion
from storage.engine.protocol import Transaction
from storage.engine.sqlite_driver import BUSY_TIMEOUT_MS, sqlite3, translate_storage_errors

Result = TypeVar("Result")
Write = Callable[[sqlite3.Connection], Result]

MAX_GROUP_SIZE = 128  # writes that share one commit. More would delay the first of them too long.


class SqliteConnection(aiosqlite.Connection):
    """An aiosqlite connection that runs whole functions in its thread. `call_count` counts the functions run so far."""

    def __init__(self, open_file: Callable[[], sqlite3.Connection], path: Path, name: str) -> None:
        super().__init__(open_file, 64)
        self._thread.name = name
        self.path = path
        self.call_count = 0

    async def run(self, work: Callable[[sqlite3.Connection], Result], /) -> Result:
        """Run `work` in the connection's thread and return its result. Raise StorageError if the database fails."""
        if not self._running or self._connection is None:
            raise StorageError(f"{self.path.name} is closed.")
        self.call_count += 1
        with translate_storage_errors(self.path):
            return await cast(Callable[..., Awaitable[Result]], self._execute)(work, self._conn)


class CommitHooks(Protocol):
    """Callbacks around each commit, called while nobody else writes."""

    def prepare_commit(self, connection: sqlite3.Connection) -> None:
        """Prepare a commit in the database's thread, after a transaction's statements. An error prevents the commit."""

    def abort_commit(self) -> None:
        """Undo `prepare_commit` in the database's thread, because the transaction has failed."""

    def confirm_commit(self) -> None:
        """Handle a successful commit on the event loop, before the next transaction begins."""


@dataclass(eq=False, slots=True)
class _QueuedWrite:
    """A write in the queue. `outcome` is set when the write is on disk or has failed."""

    work: Write[Any]
    outcome: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    has_begun: bool = False


class SqliteWriter:
    """Runs transactions on one connection, one after the other. Hold `lock` to use the connection directly."""

    def __init__(self, connection: SqliteConnection, commit_hooks: CommitHooks | None = None) -> None:
        self.connection = connection
        self.lock = asyncio.Lock()
        self.commit_hooks = commit_hooks
        self.path = connection.path
        self._was_busy = False
        self._waiting: deque[_QueuedWrite] = deque()
        self._writing: asyncio.Task[None] | None = None

    async def transact(self, work: Write[Result], owner: int | None = None) -> Result:
        """Run `work` as a transaction, and return its result once it is on disk. `work` may run more than once."""
        waiting = _QueuedWrite(work)
        self._waiting.append(waiting)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._drain_queue())
        try:
            result: Result = await asyncio.shield(waiting.outcome)
        except asyncio.CancelledError:
            if waiting.has_begun:
                await run_to_completion(lambda: asyncio.wait({waiting.outcome}))
                waiting.outcome.exception()  # mark it as retrieved: nobody else awaits it
            else:
                self._waiting.remove(waiting)
            raise
        return result

    @contextlib.asynccontextmanager
    async def open_transaction(self, owner: int | None = None) -> AsyncIterator[Transaction]:
        """Open a transaction, while all other writers wait. Prefer `transact` unless the block must await something."""
        async with self.lock:
            try:
                await self.connection.run(self._begin_transaction)
                yield Transaction(self.connection.run)
            except BaseException:
                await run_to_completion(self._roll_back)
                raise
            await run_to_completion(self._commit_and_notify_hooks)

    async def wait_until_written(self) -> None:
        """Wait until all queued writes are committed or have failed."""
        if self._writing is not None:
            await asyncio.wait({self._writing})

    async def _drain_queue(self) -> None:
        while self._waiting:
            async with self.lock:
                group = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_GROUP_SIZE))]
                for waiting in group:
                    waiting.has_begun = True
                await run_to_completion(partial(self._write_group, group))

    async def _write_group(self, group: Sequence[_QueuedWrite]) -> None:
        try:
            results = await self.connection.run(partial(self._run_all_or_none, [waiting.work for waiting in group]))
            if results is not None and self.commit_hooks:
                self.commit_hooks.confirm_commit()
        except Exception as error:  # broad: every waiting caller must get an outcome
            for waiting in group:
                waiting.outcome.set_exception(error)
            return
        if results is None:  # the whole group was rolled back: find the write that fails
            for waiting in group:
                await self._write_group([waiting])
            return
        for waiting, result in zip(group, results, strict=True):
            waiting.outcome.set_result(result)

    async def _commit_and_notify_hooks(self) -> None:
        await self.connection.run(self._commit)
        if self.commit_hooks:
            self.commit_hooks.confirm_commit()

    async def _roll_back(self) -> None:
        # Runs after what a cancelled task left in the thread's queue. Does nothing outside a transaction.
        with contextlib.suppress(ValueError), translate_storage_errors(self.path):
            await self.connection.rollback()

    def _run_all_or_none(self, writes: Sequence[Write[Any]], connection: sqlite3.Connection) -> list[Any] | None:
        """Run writes in one transaction and return their results, or None if one of several fails. Then roll back."""
        self._begin_transaction(connection)
        results = []
        try:
            for work in writes:
                results.append(work(connection))
                if not connection.in_transaction and len(writes) > 1:
                    return None  # SQLite rolled everything back by itself
            self._commit(connection)
        except Exception as error:
            if len(writes) > 1:
                return None
            if isinstance(error, StopIteration):  # No future accepts it, and the caller would wait for ever.
                raise RuntimeError from error  # noqa: TRY004
            raise
        finally:
            connection.rollback()
        return results

    def _begin_transaction(self, connection: sqlite3.Connection) -> None:
        """Begin a transaction. After SQLITE_BUSY, use a short busy timeout until a BEGIN succeeds."""
        try:
            with translate_storage_errors(self.path):
                connection.execute("BEGIN IMMEDIATE")
        except StorageBusy:
            self._was_busy = True
            connection.execute("PRAGMA busy_timeout=50")
            raise
        if self._was_busy:
            self._was_busy = False
            connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")

    def _commit(self, connection: sqlite3.Connection) -> None:
        try:
            with translate_storage_errors(self.path):
                if self.commit_hooks:
                    self.commit_hooks.prepare_commit(connection)
                connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            if self.commit_hooks:
                self.commit_hooks.abort_commit()
            raise

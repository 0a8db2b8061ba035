"""All access to a PostgreSQL server: connections from a pool, transactions of an owner one after the other.

Statements run in threads, as SQLite's do, so that the same tables serve both.
"""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from records.errors import ServedElsewhere, SettingsError, StorageError
from runtime.tasks import uncancelled
from storage.engine.postgres_driver import HANGING_SECONDS, OPTIONS, SESSION, STALE, Connection, cut, explained, set_up
from storage.engine.protocol import Connection as AnyConnection
from storage.engine.protocol import Reader, Transaction

Result = TypeVar("Result")
Raw = psycopg.Connection[tuple[Any, ...]]


class Replica(Protocol):
    """This process among several. `held`: the fences of the leases that it holds, by owner."""

    id: int
    held: dict[int, int]

    def register(self, raw: psycopg.Connection[Any]) -> None:
        """Become one of the processes."""


CONNECTIONS = 8
"""Of one process; a server has a hundred for all of them unless told otherwise."""
EVERYBODY = "*"
_READ_ONLY = (b"in_hot_standby", b"default_transaction_read_only")
_VACUUMED = (
    "messages, summaries, facts, fact_vectors, profiles, versions, accounts, words, word_counts, places, vectors"
)


@dataclass(slots=True)
class _Pooled:
    """A connection of the pool: in whose name it reads, and when it was used last, of time.monotonic()."""

    connection: Connection
    whose: str = ""
    used: float = 0.0


@dataclass(slots=True)
class _InThreads:
    """Runs work with one connection, in the database's threads; errors come in our words.

    The connection is taken by the first work, in one hop between threads with it. `begin`, `whose`: see `_taken`.
    """

    database: "PostgresDatabase"
    begin: str
    whose: str
    connection: Connection | None = None

    async def __call__(self, work: Callable[[Any], Result], /) -> Result:
        return await self.database.in_thread(partial(self._done, work))

    def take(self) -> Connection:
        """The connection; in a thread."""
        if self.connection is None:
            self.connection = self.database._taken(self.begin, whose=self.whose)
            # What takes several steps is not done again from its beginning.
            self.connection.prepares = not self.begin
        return self.connection

    def _done(self, work: Callable[[Any], Result]) -> Result:
        """Run `work`; once more where a newer program has changed a table since a statement was prepared."""
        connection = self.take()
        is_whole = connection.is_idle
        try:
            return work(connection)
        except STALE:
            if not is_whole or not connection.is_idle:
                raise
            connection.prepare_nothing()
            return work(connection)


class PostgresDatabase:
    """An open database. Made by `open` only (stores/postgres.py says with which tables); implements OwnerDatabase.

    Where several processes share it, a write of an owner demands that this one (`replica`) holds the owner's lease.
    """

    def __init__(
        self, pool: ConnectionPool[Raw], threads: ThreadPoolExecutor, replica: Replica | None, full_text: object
    ) -> None:
        self._full_text = full_text
        self._replica = replica
        self._pool = pool
        self._threads = threads
        # As many as there are threads: what waits for a connection must not keep the threads of those that have one.
        self._free = asyncio.Semaphore(CONNECTIONS)
        self._connections: dict[Raw, _Pooled] = {}
        self._away_until = 0.0
        self._ending: asyncio.TimerHandle | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, url: str, *, migrate: Callable[[Raw], None], full_text: object, replica: Replica | None = None
    ) -> AsyncIterator["PostgresDatabase"]:
        """Connect, bring the schema up to date by `migrate`, and close everything at the end. `full_text`: the index of
        words that goes with each connection; `replica`: becomes one of the processes that share the database.

        Raises SettingsError naming DATABASE_URL where nobody answers there or lets us in, StorageTooNew, StorageError.
        """
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # it warns of each attempt, with the server's words
        threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="postgres")
        pool: ConnectionPool[Raw] = ConnectionPool(
            url,
            min_size=1,
            max_size=CONNECTIONS,
            kwargs=OPTIONS,
            configure=partial(_configured, replica),
            timeout=3.0,  # work waits so long for a connection while the server is away
            reconnect_timeout=3.0,  # the next request begins another attempt at once
            open=False,
        )
        database = cls(pool, threads, replica, full_text)
        try:
            await database.in_thread(partial(_prepare, url, migrate, replica))
            await database.in_thread(pool.open)
            yield database
        finally:
            await uncancelled(partial(database.in_thread, partial(pool.close, 1.0)))
            threads.shutdown(wait=False)
            if database._ending is not None:
                database._ending.cancel()

    async def transact(self, work: Callable[[AnyConnection], Result], owner: int | None) -> Result:
        """As OwnerDatabase has it."""

        def whole() -> Result:
            begin = self._writing(owner)
            connection = self._taken(begin)
            try:
                try:
                    result = work(connection)
                except STALE:
                    connection.rollback()
                    connection.prepare_nothing()
                    connection.run(begin)
                    result = work(connection)
                connection.run("COMMIT")
            finally:
                self._give_back(connection)
            return result

        async with self._free:
            return await self.in_thread(whole)

    @contextlib.asynccontextmanager
    async def write(self, owner: int | None) -> AsyncIterator[Transaction]:
        """As OwnerDatabase has it."""
        async with self._held(self._writing(owner)) as run:
            yield Transaction(run)
            await run(lambda connection: connection.run("COMMIT"))

    @contextlib.asynccontextmanager
    async def read(self, owner: int | None, *, frozen: bool = False) -> AsyncIterator[Reader]:
        """As OwnerDatabase has it."""
        whose = _setting(owner)
        begin = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT set_config('app.owner', '{whose}', true)"
        async with self._held(begin if frozen else "", whose=whose) as run:
            yield Reader(run, begin="BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def finish_by(self, moment: float) -> None:
        """From this moment of time.monotonic() on nothing waits for the server: what waits then fails.

        A server whose machine is gone says nothing, not even that; what was asked of it would wait for longer than a
        stop may take.
        """
        if self._ending is None:
            self._ending = asyncio.get_running_loop().call_later(moment - time.monotonic(), self._let_go)

    def _let_go(self) -> None:
        self._away_until = math.inf
        for raw in list(self._connections):
            cut(raw)

    async def forget_log(self) -> bool:
        """True: the server's log and its copies are not in our power."""
        return True

    async def rewrite(self) -> None:
        """Free what was deleted (VACUUM) while others go on. What pages still hold is overwritten in time."""
        async with self.read(None) as reader:
            await reader.run(lambda connection: connection.run(f"VACUUM {_VACUUMED}"))

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`; it is waited for even when the caller is cancelled meanwhile."""

        def done() -> Result:
            with explained():
                return work()

        async def waited() -> Result:
            return await asyncio.get_running_loop().run_in_executor(self._threads, done)

        return await uncancelled(waited)

    @contextlib.asynccontextmanager
    async def _held(self, begin: str, *, whose: str = "") -> AsyncIterator[_InThreads]:
        """A connection for the length of a block; what is not committed then is undone."""
        run = _InThreads(self, begin, whose)
        async with self._free:
            try:
                if begin:
                    await self.in_thread(run.take)
                yield run
            finally:
                if (connection := run.connection) is not None:
                    give_back = partial(self._give_back, connection)
                    if connection.is_idle:  # nothing is asked of the server
                        give_back()
                    else:
                        await uncancelled(partial(self.in_thread, give_back))

    def _writing(self, owner: int | None) -> str:
        """The beginning of a writing transaction: writes of one owner follow each other, also those of other processes.

        Raises ServedElsewhere where this process does not hold the owner's lease.
        """
        if owner is None:
            return f"BEGIN; SELECT set_config('app.owner', '{EVERYBODY}', true)"
        lock = f"pg_advisory_xact_lock(hashtextextended('keepsake {int(owner)}', 0))"
        begin = f"BEGIN; SELECT set_config('app.owner', '{int(owner)}', true), {lock}"
        if self._replica is None:
            return begin
        if (fence := self._replica.held.get(owner)) is None:
            raise ServedElsewhere
        limit = f"SET LOCAL idle_in_transaction_session_timeout = '{HANGING_SECONDS}s'"
        return f"{begin}; {limit}; SELECT demand_lease({int(owner)}, {int(fence)})"

    # in a thread ---------------------------------------------------------------------------------------------
    def _taken(self, begin: str, *, whose: str = "") -> Connection:
        """A connection that answers, after the statements `begin`, or in the name of `whose`."""
        for last in range(CONNECTIONS, -1, -1):
            if time.monotonic() < self._away_until:
                raise psycopg.OperationalError("the server is away")
            try:
                raw = self._pool.getconn()
            except PoolTimeout:
                # A turn asks several times: everybody else is told at once meanwhile.
                self._away_until = time.monotonic() + 2.0
                raise
            pooled = self._pooled(raw)
            connection = pooled.connection
            try:
                if begin:
                    connection.run(begin)
                elif pooled.whose != whose or time.monotonic() - pooled.used > 1.0:
                    connection.run(f"SELECT set_config('app.owner', '{whose}', false)")
                    pooled.whose = whose
            except psycopg.OperationalError:
                # It had died in the pool, and nothing was done with it yet.
                is_gone = raw.closed
                self._give_back(connection)
                if not is_gone or not last:
                    raise
            else:
                pooled.used = time.monotonic()
                return connection
        raise AssertionError

    def _pooled(self, raw: Raw) -> _Pooled:
        if (found := self._connections.get(raw)) is None:
            for closed in [one for one in list(self._connections) if one.closed]:
                self._connections.pop(closed, None)
            found = self._connections[raw] = _Pooled(Connection(raw, self._full_text))
        return found

    def _give_back(self, connection: Connection) -> None:
        raw = connection.raw
        connection.prepares = True
        if raw.pgconn.transaction_status == TransactionStatus.INERROR and _is_read_only(raw):
            self._pool.drain()  # new connections may find the server to which this one failed over
        with contextlib.suppress(psycopg.Error):
            raw.rollback()
        if raw.closed:
            self._connections.pop(raw, None)
        self._pool.putconn(raw)


def _configured(replica: Replica | None, raw: Raw) -> None:
    set_up(raw)
    raw.execute(f"{SESSION}; SET app.replica = '{replica.id if replica else 0}'".encode())


def _is_read_only(raw: Raw) -> bool:
    """Whether the server takes no writes. It reports these settings by itself, so nothing is asked."""
    return any(raw.pgconn.parameter_status(name) == b"on" for name in _READ_ONLY)


def _setting(owner: int | None) -> str:
    return EVERYBODY if owner is None else str(int(owner))


def _prepare(url: str, migrate: Callable[[Raw], None], replica: Replica | None) -> None:
    """Make sure that the server lets us in, and has our tables."""
    try:
        raw: Raw = psycopg.connect(url, **OPTIONS)
    except psycopg.Error as error:
        sentence, is_wrong = refusal(str(error))
        if is_wrong:
            raise SettingsError("DATABASE_URL", sentence) from error
        raise StorageError(f"DATABASE_URL: {sentence}") from error
    with contextlib.closing(raw):
        _demand_sessions(raw, url)
        migrate(raw)
        if replica is not None:
            replica.register(raw)


def _demand_sessions(raw: Raw, url: str) -> None:
    """Raise SettingsError if a pooler gives this connection another session of the server after each transaction.

    LISTEN and settings of a session would be lost then. A pooler tells its clients a number of its own as the server
    process; one in session mode keeps the process for this connection, so that the second cannot get it.
    """
    process = "SELECT pg_backend_pid()"
    first = raw.execute(process).fetchone()
    if first == (raw.info.backend_pid,):
        return
    with contextlib.closing(psycopg.connect(url, **OPTIONS)) as other:
        try:
            other.execute("BEGIN")
            is_shared = other.execute(process).fetchone() == first or raw.execute(process).fetchone() != first
        except psycopg.errors.ProtocolViolation:  # a mode in which there are no transactions
            is_shared = True
    if is_shared:
        raise SettingsError("DATABASE_URL", "leads to a pooler in transaction mode; Keepsake needs its session mode.")


def refusal(words: str) -> tuple[str, bool]:
    """Why a server did not let us in, and whether the setting is wrong; otherwise a later attempt may succeed. Of the
    driver's words nothing is shown: they may hold what is secret.
    """
    words = "".join(words.split('"')[::2])  # paths and names are the operator's, and say anything
    if "Permission denied" in words:
        return "this program's user may not open the socket of the PostgreSQL server, or a folder above it.", True
    if "too many" in words or "connection slots" in words:
        return "the PostgreSQL server has no room for another connection.", False
    if "starting up" in words or "shutting down" in words or "recovery mode" in words:
        return "the PostgreSQL server is starting or stopping.", False
    if "Temporary failure" in words:
        return "the name of the PostgreSQL server's machine cannot be looked up right now.", False
    if "resolve host" in words or "translate host" in words:
        return "the name of the PostgreSQL server's machine is not known here.", True
    if "password" in words or "authentication" in words or "role" in words:
        return "the PostgreSQL server does not accept this user or password.", True
    if "database" in words and "does not exist" in words:
        return "the PostgreSQL server has no such database.", True
    if "invalid" in words or "missing" in words:
        return "is no address of a PostgreSQL server (postgresql://user:password@host:port/database).", True
    return "no PostgreSQL server answers at this address.", False

"""All access to a PostgreSQL server: a connection pool, and one writing transaction at a time for each owner.

Statements run in threads, as they do for SQLite, so that both engines share the code in storage/tables.
"""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from records.errors import ServedElsewhere, SettingsError, StorageError
from runtime.tasks import run_to_completion
from storage.engine import postgres_driver as driver
from storage.engine.protocol import Connection, Reader, Runner, Transaction
from storage.engine.replica import Replica

Result = TypeVar("Result")
Raw = psycopg.Connection[tuple[Any, ...]]


MAX_CONNECTIONS = 8  # connections of one process. A server accepts 100 by default, for all processes together.
EVERYBODY = "*"  # the value of app.owner that allows the rows of all owners
_BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_READ_ONLY_SETTINGS = (b"in_hot_standby", b"default_transaction_read_only")  # reported by the server without a query
_VACUUMED_TABLES = (
    "messages, summaries, facts, fact_vectors, profiles, versions, accounts, words, word_counts, places, vectors"
)


class PostgresDatabase:
    """An open PostgreSQL database. If it has a `replica`, only the holder of an owner's lease may write."""

    def __init__(
        self, pool: ConnectionPool[Raw], threads: ThreadPoolExecutor, replica: Replica | None, full_text: object
    ) -> None:
        self._full_text = full_text
        self._replica = replica
        self._pool = pool
        self._threads = threads
        # One permit for each thread: work that waits for a connection must not block threads that have one.
        self._free = asyncio.Semaphore(MAX_CONNECTIONS)
        self._borrowed: set[Raw] = set()
        self._fail_fast_until = 0.0
        self._shutdown_timer: asyncio.TimerHandle | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, url: str, *, migrate: Callable[[Raw], None], text_index: object, replica: Replica | None = None
    ) -> AsyncIterator["PostgresDatabase"]:
        """Connect to the server, migrate its schema and register `replica`. Close all connections at the end.

        Raise SettingsError for a wrong address or login, StorageTooNew, or StorageError if the server fails.
        """
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # its warnings quote the server's messages
        threads = ThreadPoolExecutor(MAX_CONNECTIONS, thread_name_prefix="postgres")
        pool: ConnectionPool[Raw] = ConnectionPool(
            url,
            min_size=1,
            max_size=MAX_CONNECTIONS,
            kwargs=driver.OPTIONS,
            configure=partial(_configure_connection, replica),
            timeout=3.0,  # seconds to wait for a connection while the server is away
            reconnect_timeout=3.0,  # give up early: the next request tries again at once
            open=False,
        )
        database = cls(pool, threads, replica, text_index)
        try:
            await database.run_in_thread(partial(_migrate_and_add_replica, url, migrate, replica))
            await database.run_in_thread(pool.open)
            yield database
        finally:
            await run_to_completion(partial(database.run_in_thread, partial(pool.close, 1.0)))
            threads.shutdown(wait=False)
            if database._shutdown_timer is not None:
                database._shutdown_timer.cancel()

    async def transact(self, work: Callable[[Connection], Result], owner: int | None) -> Result:
        async with self.open_transaction(owner) as tx:
            return await tx.run(work)

    @contextlib.asynccontextmanager
    async def open_transaction(self, owner: int | None) -> AsyncIterator[Transaction]:
        async with self._borrow_connection(self._make_begin_sql(owner)) as run:
            yield Transaction(run)
            await run(lambda connection: connection.run("COMMIT"))

    @contextlib.asynccontextmanager
    async def open_reader(self, owner: int | None, *, in_snapshot: bool = False) -> AsyncIterator[Reader]:
        setting = EVERYBODY if owner is None else str(int(owner))
        begin = f"{_BEGIN_SNAPSHOT}; " if in_snapshot else ""
        async with self._borrow_connection(f"{begin}SELECT set_config('app.owner', '{setting}', false)") as run:
            yield Reader(run, begin_sql=_BEGIN_SNAPSHOT)

    def set_shutdown_deadline(self, deadline: float) -> None:
        """Cut all connections when time.monotonic() reaches `deadline`, even if the server never answers."""
        if self._shutdown_timer is None:
            delay = deadline - time.monotonic()
            self._shutdown_timer = asyncio.get_running_loop().call_later(delay, self._abort_connections)

    def _abort_connections(self) -> None:
        self._fail_fast_until = math.inf
        for raw in list(self._borrowed):
            driver.abort_connection(raw)

    async def try_to_truncate_write_ahead_log(self) -> bool:
        """Return True, because the server manages its own log."""
        return True

    async def vacuum_tables(self) -> None:
        """Vacuum the tables without blocking others. Freed pages are overwritten over time."""
        async with self.open_reader(None) as reader:
            await reader.run(lambda connection: connection.run(f"VACUUM {_VACUUMED_TABLES}"))

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run `work` in a thread and return its result. Wait for it even if the caller is cancelled."""

        async def wait_for_thread() -> Result:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, work)
            except psycopg.Error as error:
                raise driver.to_keepsake_error(error) from error

        return await run_to_completion(wait_for_thread)

    @contextlib.asynccontextmanager
    async def _borrow_connection(self, begin_sql: str) -> AsyncIterator[Runner]:
        """Yield a function that runs work on a borrowed connection. Roll back uncommitted work at the end."""
        borrowed: list[driver.PostgresConnection] = []

        async def run_on_connection(work: Callable[[Any], Result], /) -> Result:
            return await self.run_in_thread(partial(work, borrowed[0]))

        async with self._free:
            try:
                # In the list even if the caller is cancelled meanwhile, so that it is returned.
                await self.run_in_thread(lambda: borrowed.append(self._acquire_connection(begin_sql)))
                yield run_on_connection
            finally:
                for connection in borrowed:
                    await self.run_in_thread(partial(self._return_connection, connection))

    def _make_begin_sql(self, owner: int | None) -> str:
        """Return the SQL that begins a write and takes the owner's lock. Raise ServedElsewhere if the lease is lost."""
        if owner is None:
            return f"BEGIN; SELECT set_config('app.owner', '{EVERYBODY}', true)"
        lock = f"pg_advisory_xact_lock(hashtextextended('keepsake {int(owner)}', 0))"
        begin = f"BEGIN; SELECT set_config('app.owner', '{int(owner)}', true), {lock}"
        if self._replica is None:
            return begin
        if (fence := self._replica.held.get(owner)) is None:
            raise ServedElsewhere
        limit = f"SET LOCAL idle_in_transaction_session_timeout = '{driver.HANGING_SECONDS}s'"
        return f"{begin}; {limit}; SELECT demand_lease({int(owner)}, {int(fence)})"

    def _acquire_connection(self, begin_sql: str) -> driver.PostgresConnection:
        """Return a working connection after running `begin_sql`."""
        for last in range(MAX_CONNECTIONS, -1, -1):
            if time.monotonic() < self._fail_fast_until:
                raise psycopg.OperationalError("the server is away")
            try:
                raw = self._pool.getconn()
            except PoolTimeout:
                # One turn makes several requests: fail the next ones at once instead of waiting again.
                self._fail_fast_until = time.monotonic() + 2.0
                raise
            self._borrowed.add(raw)
            connection = driver.PostgresConnection(raw, self._full_text)
            try:
                connection.run(begin_sql)
            except psycopg.Error:
                # If the connection died in the pool before it was used, try another.
                is_gone = raw.closed
                self._return_connection(connection)
                if not is_gone or not last:
                    raise
            else:
                return connection
        raise AssertionError

    def _return_connection(self, connection: driver.PostgresConnection) -> None:
        raw = connection.raw
        is_read_only = any(raw.pgconn.parameter_status(name) == b"on" for name in _READ_ONLY_SETTINGS)
        if raw.pgconn.transaction_status == TransactionStatus.INERROR and is_read_only:
            self._pool.drain()  # after a failover, new connections may reach the new primary
        with contextlib.suppress(psycopg.Error):
            raw.rollback()
        self._borrowed.discard(raw)
        self._pool.putconn(raw)


def _configure_connection(replica: Replica | None, raw: Raw) -> None:
    driver.register_type_adapters(raw)
    raw.execute(f"{driver.SESSION}; SET app.replica = '{replica.id if replica else 0}'".encode())


@contextlib.contextmanager
def connect_without_pool(url: str) -> Iterator[Raw]:
    """Open a connection for a block. Raise SettingsError or StorageError if that or a statement fails."""
    try:
        raw: Raw = psycopg.connect(url, **driver.OPTIONS)
    except psycopg.Error as error:
        raise make_connection_error(str(error)) from error
    with contextlib.closing(raw):
        try:
            yield raw
        except psycopg.Error as error:
            raise driver.to_keepsake_error(error) from error


def _migrate_and_add_replica(url: str, migrate: Callable[[Raw], None], replica: Replica | None) -> None:
    with connect_without_pool(url) as raw:
        _require_session_pooling(raw, url)
        migrate(raw)
        if replica is not None:
            replica.register_process_in_database(raw)


def _require_session_pooling(raw: Raw, url: str) -> None:
    """Raise SettingsError if a pooler may change the server session, because LISTEN and session settings would be lost.

    Behind a pooler, the server's backend pid is not the client's. In session mode, each connection has its own process.
    """
    process = "SELECT pg_backend_pid()"
    first = raw.execute(process).fetchone()
    if first == (raw.info.backend_pid,):
        return
    with contextlib.closing(psycopg.connect(url, **driver.OPTIONS)) as other:
        try:
            other.execute("BEGIN")
            is_shared = other.execute(process).fetchone() == first or raw.execute(process).fetchone() != first
        except psycopg.errors.ProtocolViolation:  # statement mode has no transactions
            is_shared = True
    if is_shared:
        raise SettingsError("DATABASE_URL", "leads to a pooler in transaction mode; Keepsake needs its session mode.")


def make_connection_error(message: str) -> SettingsError | StorageError:
    """Return an error that explains the server's message without secrets: a SettingsError if a setting is wrong."""
    words = "".join(message.split('"')[::2])  # drop quoted paths and names: they may contain any of these words
    refusals = (refusal for refusal in _REFUSALS if any(phrase in words for phrase in refusal[0].split("|")))
    _, sentence, is_setting_wrong = next(refusals, ("", "no PostgreSQL server answers at this address.", False))
    return SettingsError("DATABASE_URL", sentence) if is_setting_wrong else StorageError(f"DATABASE_URL: {sentence}")


_REFUSALS = (
    ("Permission denied", "this program's user may not open the socket of the PostgreSQL server.", True),
    ("too many|connection slots", "the PostgreSQL server has no room for another connection.", False),
    ("starting up|shutting down|recovery mode", "the PostgreSQL server is starting or stopping.", False),
    ("Temporary failure", "the name of the PostgreSQL server's machine cannot be looked up right now.", False),
    ("resolve host|translate host", "the name of the PostgreSQL server's machine is not known here.", True),
    ("password|authentication|role", "the PostgreSQL server does not accept this user or password.", True),
    ("does not exist", "the PostgreSQL server has no such database.", True),
    ("invalid|missing", "is no address of a PostgreSQL server (postgresql://user:password@host:port/database).", True),
)  # Phrases in the server's messages, our sentence, and True if the setting is wrong. The first match counts.

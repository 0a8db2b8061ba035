"""Owner leases in PostgreSQL: one process at a time serves an owner, and another takes over if it dies.

Every writing transaction checks the unique fencing number of its lease, so that no dead process commits anything.
"""

import asyncio
import json
import logging
import math
from collections import Counter
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from attrs import define, field

from records.errors import KeepsakeError, ServedElsewhere, StorageError
from runtime.tasks import run_to_completion
from storage.bot_state.leases import POLLING, OwnerLeases, PrepareOwners
from storage.engine.postgres import PostgresDatabase
from storage.engine.protocol import Connection, StatementRunner
from storage.engine.replica import MAX_WAIT_SECONDS, Replica
from storage.schema.rows import format_moment

log = logging.getLogger(__name__)

MAX_OWNERS_PER_CLAIM = 50  # owners taken in one transaction, so that others get a share
OVERDUE = timedelta(seconds=2)  # older updates are taken beyond the fair share, because their process may hang
RELEASE_POLL_SECONDS = 0.2  # time between two requests to release an owner
MAX_RELEASE_REQUESTS = 15  # requests to release an owner before giving up, three seconds in all

# Includes owners that this process took in a commit whose reply was lost.
_UNSERVED = """
SELECT user_id FROM leases WHERE user_id IN (SELECT value FROM json_each(?))
AND (is_dead(replica_id) OR replica_id = ?) AND is_at_home(user_id, ?)
ORDER BY user_id LIMIT ? FOR UPDATE SKIP LOCKED
"""
# Owners with waiting updates or unfinished work of dead processes; with a flag for those who have waited too long.
_WITH_WORK = """
SELECT user_id, MIN(received_at) <= ? AS is_overdue FROM updates WHERE bot_id = ? AND done_at IS NULL GROUP BY user_id
UNION ALL SELECT user_id, TRUE FROM leases
WHERE replica_id IN (SELECT id FROM replicas WHERE expires_at <= clock_timestamp()) AND user_id > ?
"""
# The number of live processes, and of the owners that they serve.
_LIVING = """
SELECT COUNT(DISTINCT replicas.id), COUNT(leases.user_id)
FROM replicas LEFT JOIN leases ON leases.replica_id = replicas.id AND leases.user_id > ?
WHERE replicas.expires_at > clock_timestamp()
"""
_FREE = "SELECT COUNT(*) FROM leases WHERE user_id IN (SELECT value FROM json_each(?)) AND is_dead(replica_id)"
_TAKE = """
UPDATE leases SET replica_id = ?, fence = nextval('lease_fences')
WHERE user_id IN (SELECT value FROM json_each(?)) RETURNING user_id, fence
"""
# A fold begun by another process becomes void with that process's lease.
_EXPIRE_FOLDS = """
UPDATE jobs SET state = 'expired' WHERE user_id IN (SELECT value FROM json_each(?)) AND state = 'processing'
"""
_FOLDING = "SELECT user_id FROM jobs WHERE state = 'processing' AND user_id IN (SELECT value FROM json_each(?))"
_RELEASE = """
UPDATE leases SET replica_id = NULL, fence = 0
WHERE replica_id = ? AND user_id IN (SELECT value FROM json_each(?))
"""


@define(eq=False)
class PostgresLeases(StatementRunner, OwnerLeases):
    """Manages this process's leases. Create it with `open`."""

    database: PostgresDatabase
    replica: Replica
    _prepare: list[PrepareOwners] = field(factory=list[PrepareOwners], init=False)
    _served: set[int] = field(factory=set[int], init=False)
    _kept: Counter[int] = field(factory=Counter[int], init=False)
    _taking: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _changed: asyncio.Event = field(factory=asyncio.Event, init=False)
    _checking: asyncio.Task[None] | None = field(default=None, init=False)

    @classmethod
    @asynccontextmanager
    async def open(cls, database: PostgresDatabase, replica: Replica, url: str) -> AsyncIterator["PostgresLeases"]:
        """Yield the leases of this process and send heartbeats while the block runs. Release all leases at the end."""
        leases = cls(database, replica)
        try:
            async with replica.send_heartbeats(url, leases._recheck_or_drop_leases):
                yield leases
        finally:
            # After the last heartbeat, which would register the process again. Restores are refused while one lives.
            await run_to_completion(leases._release_all_leases)

    def is_serving(self, owner: int) -> bool:
        return owner in self._served

    def add_owner_acquired_callback(self, callback: PrepareOwners) -> None:
        self._prepare.append(callback)

    async def start_serving(self, owner: int) -> None:
        if owner in self._served:
            return
        async with self._taking:
            if owner in self._served:
                return
            me = self.replica

            def take_lease_and_get_fence(connection: Connection) -> dict[int, int]:
                connection.execute("INSERT INTO leases (user_id) VALUES (?) ON CONFLICT DO NOTHING", (owner,))
                return _take_leases_and_get_fences(connection, me.id, _lock_unserved_owners(connection, [owner], me, 1))

            if not await self._prepare_new_owners_if_any(await self.database.transact(take_lease_and_get_fence, None)):
                raise ServedElsewhere

    @asynccontextmanager
    async def hold_owner_lease(self, owner: int) -> AsyncIterator[None]:
        self._kept[owner] += 1
        try:
            for asked in range(MAX_RELEASE_REQUESTS + 1):
                try:
                    await self.start_serving(owner)
                    break
                except ServedElsewhere:
                    if asked == MAX_RELEASE_REQUESTS:
                        raise
                await self._execute(None, "SELECT pg_notify('keepsake_' || current_schema(), ?)", str(owner))
                await asyncio.sleep(RELEASE_POLL_SECONDS)
            yield
        finally:
            self._kept[owner] -= 1
            self._kept += Counter[int]()  # drops the zero counts

    async def release_requested_owners(self, busy_owners: Collection[int]) -> None:
        """Release the owners that other processes want, except those with updates or summaries in progress."""
        free = (self.replica.wanted & self._served) - set(busy_owners) - self._kept.keys()
        self.replica.wanted.clear()
        if free:
            folding = await self._fetch_rows(None, _FOLDING, json.dumps(sorted(free)))
            await self.release_owners(free - {row[0] for row in folding} - self._kept.keys())

    async def take_over_waiting_owners(self, bot_id: int, *, now: datetime) -> None:
        """Take over owners of dead processes, owners with overdue updates, and a fair share of other waiting owners."""
        async with self._taking:
            me = self.replica

            def take_leases_and_get_fences(connection: Connection) -> dict[int, int]:
                values = (format_moment(now - OVERDUE), bot_id, POLLING)
                waiting = {
                    row[0]: row[1]
                    for row in connection.execute(_WITH_WORK, values).fetchall()
                    if row[0] not in self._served
                }
                overdue = [owner for owner, is_overdue in waiting.items() if is_overdue]
                fresh = [owner for owner, is_overdue in waiting.items() if not is_overdue]
                free = _lock_unserved_owners(connection, overdue, me, MAX_OWNERS_PER_CLAIM) if overdue else []
                if fresh and (share := self._count_claimable_owners(connection, fresh)) > 0:
                    free += _lock_unserved_owners(connection, fresh, me, share)
                return _take_leases_and_get_fences(connection, me.id, free)

            await self._prepare_new_owners_if_any(await self.database.transact(take_leases_and_get_fences, None))

    def _count_claimable_owners(self, connection: Connection, waiting_owners: Sequence[int]) -> int:
        """Return how many of the waiting owners this process may take over as its even share of all owners."""
        processes, served = connection.execute(_LIVING, (POLLING,)).fetchall()[0]
        [free] = connection.execute(_FREE, (json.dumps(waiting_owners),)).fetchall()[0]
        fair: int = math.ceil((served + free) / max(1, processes))
        return min(MAX_OWNERS_PER_CLAIM, fair - len(self.served_owners))

    async def require_lease(self, owner: int, fence: int) -> None:
        """Raise ServedElsewhere if this process has lost the lease. First wait for a heartbeat if the last is old."""
        await self.replica.wait_for_fresh_heartbeat()
        if self._checking is not None:
            await asyncio.wait({self._checking})
        if self.replica.held.get(owner) != fence:
            raise ServedElsewhere

    async def release_owners(self, owners: Collection[int]) -> None:
        """Release the leases of these owners, so that other processes may take them over."""
        gone = [owner for owner in owners if self.replica.held.pop(owner, None) is not None]
        self._served.difference_update(gone)
        if gone:
            await self._execute(None, _RELEASE, self.replica.id, json.dumps(gone))
            self._signal_lease_change()

    async def check_writable(self) -> None:
        """Test that the server accepts writes. Raise StorageError if it is unreachable or read-only."""
        await self._execute(None, "UPDATE replicas SET instance_id = instance_id WHERE id = ?", self.replica.id)

    @property
    def served_owners(self) -> frozenset[int]:
        return frozenset(owner for owner in self._served if owner > POLLING)

    @property
    def unprepared_owners(self) -> frozenset[int]:
        """The owners whose leases this process holds, but whose callbacks have not finished yet."""
        return frozenset(self.replica.held.keys() - self._served)

    async def wait_for_lease_change(self) -> None:
        """Wait until a lease is taken, lost or released, but at most a few seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self._changed.wait()

    async def _prepare_new_owners_if_any(self, fences_by_owner: dict[int, int]) -> bool:
        """Run the callbacks for new owners. If a callback fails, release the owners. Return False if none are new."""
        owners = list(fences_by_owner)
        if not owners:
            return False
        self.replica.held.update(fences_by_owner)
        people = [owner for owner in owners if owner > POLLING]
        try:
            for prepare in self._prepare if people else ():
                await prepare(people)
        except BaseException as error:
            if isinstance(error, KeepsakeError):
                log.warning("owners cannot be served yet: %s", error.sentence)
            with suppress(StorageError):
                await run_to_completion(lambda: self.release_owners(owners))
            raise
        self._served.update(owners)
        self._signal_lease_change()
        return True

    def _recheck_or_drop_leases(self) -> None:
        """Give up all leases if this process may have been declared dead. Otherwise check them in the database."""
        if not self.replica.is_certainly_alive():
            self._drop_lost_leases(list(self.replica.held))
        elif self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._read_leases_and_drop_lost())

    async def _read_leases_and_drop_lost(self) -> None:
        while True:
            before = dict(self.replica.held)
            try:
                rows = await self._fetch_rows(
                    None, "SELECT user_id, fence FROM leases WHERE replica_id = ?", self.replica.id
                )
            except StorageError:
                await asyncio.sleep(MAX_WAIT_SECONDS)
                continue
            mine = {row[0]: row[1] for row in rows}
            self._drop_lost_leases([owner for owner, fence in before.items() if mine.get(owner) != fence])
            return

    def _drop_lost_leases(self, owners: Sequence[int]) -> None:
        for owner in owners:
            self.replica.held.pop(owner, None)
            self._served.discard(owner)
        if owners:
            log.warning("%d owners are served by other processes now", len(owners))
            self._signal_lease_change()

    async def _release_all_leases(self) -> None:
        if self._checking is not None:
            self._checking.cancel()
        with suppress(StorageError):
            await self.release_owners(list(self.replica.held))
            async with self.database.open_transaction(None) as tx:
                await tx.execute("DELETE FROM replicas WHERE id = ?", self.replica.id)
                await tx.execute("SELECT pg_notify('keepsake_' || current_schema(), '')")

    def _signal_lease_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _lock_unserved_owners(connection: Connection, owners: Sequence[int], replica: Replica, limit: int) -> list[int]:
    values = (json.dumps(sorted(owners)), replica.id, replica.instance_id, limit)
    return [row[0] for row in connection.execute(_UNSERVED, values).fetchall()]


def _take_leases_and_get_fences(connection: Connection, replica_id: int, owners: Sequence[int]) -> dict[int, int]:
    if not owners:
        return {}
    these = json.dumps(list(owners))
    connection.execute(_EXPIRE_FOLDS, (these,))
    return {row[0]: row[1] for row in connection.execute(_TAKE, (replica_id, these)).fetchall()}

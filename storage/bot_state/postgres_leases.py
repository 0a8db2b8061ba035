"""Leases on owners, in PostgreSQL: each is served by one process at a time, and by another when that one dies.

A lease has a fence, a number that no other lease ever had; every writing transaction of an owner checks it, so that a
process that was taken for dead and wakes cannot commit.
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
from runtime.tasks import uncancelled
from storage.bot_state.leases import OnGain
from storage.bot_state.replica import LOOK_SECONDS, Replica
from storage.engine.postgres import PostgresDatabase
from storage.engine.protocol import Connection
from storage.schema.rows import text_of

log = logging.getLogger(__name__)

POLLING = -(2**62)
"""The owner that stands for fetching the updates of a bot is this minus the bot's id; no chat has such an id."""
TAKEN_AT_ONCE = 50
OVERDUE = timedelta(seconds=2)
"""How long a process leaves what is more than its share of the owners to the others, of which one may hang."""

ASK_SECONDS = 0.2
MOST_ASKED = 15
"""Times that a process is asked to let go of an owner, so far apart."""

_KNOWN = "INSERT INTO leases (user_id) VALUES (?) ON CONFLICT DO NOTHING"
_FREE_ONE = """
SELECT user_id FROM leases
WHERE user_id = ? AND (is_dead(replica_id) OR replica_id = ?) AND is_at_home(user_id, ?) FOR UPDATE SKIP LOCKED
"""
# Also what this process took without hearing of it: the reply to that commit was lost.
_FREE_WITH_WORK = """
SELECT user_id FROM leases WHERE user_id IN (SELECT value FROM json_each(?))
AND (is_dead(replica_id) OR replica_id = ?) AND is_at_home(user_id, ?)
ORDER BY user_id LIMIT ? FOR UPDATE SKIP LOCKED
"""
# Owners with updates that wait, and those whom a process served when it died: it may have left something half done. Who
# of them has waited too long already.
_WITH_WORK = """
SELECT user_id, MIN(received_at) <= ? AS is_overdue FROM updates WHERE bot_id = ? AND done_at IS NULL GROUP BY user_id
UNION ALL SELECT user_id, TRUE FROM leases
WHERE replica_id IN (SELECT id FROM replicas WHERE expires_at <= clock_timestamp()) AND user_id > ?
"""
# The processes that live, and the owners whom they serve.
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
# A fold that another process had begun is void with that process's lease.
_EXPIRE_FOLDS = """
UPDATE jobs SET state = 'expired' WHERE user_id IN (SELECT value FROM json_each(?)) AND state = 'processing'
"""
_FOLDING = "SELECT user_id FROM jobs WHERE state = 'processing' AND user_id IN (SELECT value FROM json_each(?))"
_STILL_MINE = "SELECT user_id, fence FROM leases WHERE replica_id = ?"
_RELEASE = """
UPDATE leases SET replica_id = NULL, fence = 0
WHERE replica_id = ? AND user_id IN (SELECT value FROM json_each(?))
"""


@define(eq=False)
class PostgresLeases:
    """The leases of this process; implements OwnerLeases. Made by `opened`.

    `on_gain`: called with owners that this process begins to serve, before anything of theirs is handled.
    """

    database: PostgresDatabase
    replica: Replica
    on_gain: list[OnGain] = field(factory=list[OnGain], init=False)
    _served: set[int] = field(factory=set[int], init=False)
    _kept: Counter[int] = field(factory=Counter[int], init=False)
    _taking: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _changed: asyncio.Event = field(factory=asyncio.Event, init=False)
    _checking: asyncio.Task[None] | None = field(default=None, init=False)

    @classmethod
    @asynccontextmanager
    async def opened(cls, database: PostgresDatabase, replica: Replica, url: str) -> AsyncIterator["PostgresLeases"]:
        """This process lives while the block runs; at the end all its leases are given back."""
        leases = cls(database, replica)
        async with replica.living(url, leases._lapsed):
            try:
                yield leases
            finally:
                await uncancelled(leases._leave)

    def holds(self, owner: int) -> bool:
        return owner in self._served

    async def hold(self, owner: int) -> None:
        if owner in self._served:
            return
        async with self._taking:
            if owner in self._served:
                return
            me = self.replica

            def taken(connection: Connection) -> dict[int, int]:
                connection.execute(_KNOWN, (owner,))
                free = connection.execute(_FREE_ONE, (owner, me.id, me.instance_id)).fetchall()
                return _take(connection, me.id, [row[0] for row in free])

            if not await self._gain(await self.database.transact(taken, None)):
                raise ServedElsewhere

    @asynccontextmanager
    async def kept(self, owner: int) -> AsyncIterator[None]:
        self._kept[owner] += 1
        try:
            for asked in range(MOST_ASKED + 1):
                try:
                    await self.hold(owner)
                    break
                except ServedElsewhere:
                    if asked == MOST_ASKED:
                        raise
                async with self.database.write(None) as tx:
                    await tx.rows("SELECT pg_notify('keepsake_' || current_schema(), ?)", str(owner))
                await asyncio.sleep(ASK_SECONDS)
            yield
        finally:
            self._kept[owner] -= 1
            self._kept += Counter[int]()  # leaves out who is at zero

    async def let_go(self, busy: Collection[int]) -> None:
        """See SharedWork."""
        wanted, self.replica.wanted = self.replica.wanted, set()
        free = (wanted & self._served) - set(busy) - self._kept.keys()
        if free:
            async with self.database.read(None) as reader:
                folding = await reader.rows(_FOLDING, json.dumps(sorted(free)))
            await self.release(free - {row[0] for row in folding} - self._kept.keys())

    async def take_work(self, bot_id: int, *, now: datetime) -> None:
        """Begin to serve owners whose updates wait and whom nobody serves, and those of a process that died. Of those
        whose updates have just come only as many as make this process's share. Raises StorageError.
        """
        async with self._taking:
            me = self.replica

            def taken(connection: Connection) -> dict[int, int]:
                values = (text_of(now - OVERDUE), bot_id, POLLING)
                waiting = {
                    row[0]: row[1]
                    for row in connection.execute(_WITH_WORK, values).fetchall()
                    if row[0] not in self._served
                }
                overdue = [owner for owner, is_overdue in waiting.items() if is_overdue]
                fresh = [owner for owner, is_overdue in waiting.items() if not is_overdue]
                found = _free(connection, overdue, me, TAKEN_AT_ONCE) if overdue else []
                if fresh and (share := self._share(connection, fresh)) > 0:
                    found += _free(connection, fresh, me, share)
                return _take(connection, me.id, found)

            await self._gain(await self.database.transact(taken, None))

    def _share(self, connection: Connection, waiting: Sequence[int]) -> int:
        """This process's fair share of these owners among all that live."""
        processes, served = connection.execute(_LIVING, (POLLING,)).fetchall()[0]
        [free] = connection.execute(_FREE, (json.dumps(waiting),)).fetchall()[0]
        fair: int = math.ceil((served + free) / max(1, processes))
        return min(TAKEN_AT_ONCE, fair - len(self.served))

    async def confirm(self, owner: int, fence: int) -> None:
        """Wait until it is certain that this process holds a lease. Raises ServedElsewhere where it was lost."""
        await self.replica.until_sure()
        if self._checking is not None:
            await asyncio.wait({self._checking})
        if self.replica.held.get(owner) != fence:
            raise ServedElsewhere

    async def release(self, owners: Collection[int]) -> None:
        """Let other processes serve these owners. Raises StorageError."""
        gone = [owner for owner in owners if self.replica.held.pop(owner, None) is not None]
        self._served.difference_update(gone)
        if gone:
            values = (self.replica.id, json.dumps(gone))
            await self.database.transact(lambda connection: connection.execute(_RELEASE, values).fetchall(), None)
            self._note_change()

    async def demand_writable(self) -> None:
        """Write this process's own row. Raises StorageError where the server is away, or read-only."""
        async with self.database.write(None) as tx:
            await tx.rows("UPDATE replicas SET instance_id = instance_id WHERE id = ?", self.replica.id)

    @property
    def served(self) -> frozenset[int]:
        """The owners that this process serves."""
        return frozenset(owner for owner in self._served if owner > POLLING)

    @property
    def unprepared(self) -> frozenset[int]:
        """The owners whose leases are taken, but of whom nothing may be handled yet."""
        return frozenset(self.replica.held.keys() - self._served)

    async def changed(self) -> None:
        """Wait until leases were gained or lost."""
        await self._changed.wait()

    async def _gain(self, taken: dict[int, int]) -> bool:
        """Prepare owners whose leases were taken; whether there are any. What cannot be prepared is given back."""
        owners = list(taken)
        if not owners:
            return False
        self.replica.held.update(taken)
        people = [owner for owner in owners if owner > POLLING]
        try:
            for prepare in self.on_gain if people else ():
                await prepare(people)
        except BaseException as error:
            if isinstance(error, KeepsakeError):
                log.warning("owners cannot be served yet: %s", error.sentence)
            with suppress(StorageError):
                await uncancelled(lambda: self.release(owners))
            raise
        self._served.update(owners)
        self._note_change()
        return True

    def _lapsed(self) -> None:
        """This process was taken for dead: what others have taken since is theirs."""
        if not self.replica.may_go_on():
            self._lose(list(self.replica.held))
        elif self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check())

    async def _check(self) -> None:
        while True:
            before = dict(self.replica.held)
            try:
                async with self.database.read(None) as reader:
                    rows = await reader.rows(_STILL_MINE, self.replica.id)
            except StorageError:
                await asyncio.sleep(LOOK_SECONDS)
                continue
            mine = {row[0]: row[1] for row in rows}
            self._lose([owner for owner, fence in before.items() if mine.get(owner) != fence])
            return

    def _lose(self, owners: Sequence[int]) -> None:
        for owner in owners:
            self.replica.held.pop(owner, None)
            self._served.discard(owner)
        if owners:
            log.warning("%d owners are served by other processes now", len(owners))
            self._note_change()

    async def _leave(self) -> None:
        if self._checking is not None:
            self._checking.cancel()
        with suppress(StorageError):
            await self.release(list(self.replica.held))
            async with self.database.write(None) as tx:
                await tx.rows("DELETE FROM replicas WHERE id = ?", self.replica.id)
                await tx.rows("SELECT pg_notify('keepsake_' || current_schema(), '')")

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


@define(eq=False)
class PollingLeader:
    """Fetching a bot's updates from Telegram, which one process at a time does for all."""

    _leases: PostgresLeases
    _bot_id: int

    @property
    def _name(self) -> int:
        return POLLING - self._bot_id

    def is_leader(self) -> bool:
        """Whether this process does it."""
        return self._leases.holds(self._name)

    async def take(self) -> None:
        """Do it from now on, unless another process does."""
        with suppress(ServedElsewhere, StorageError):
            await self._leases.hold(self._name)

    async def changed(self) -> None:
        """Wait until whose it is may have changed; a few seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self._leases.changed()


def _free(connection: Connection, owners: Sequence[int], me: Replica, most: int) -> list[int]:
    """Those of these owners whom no other process serves, at most so many; their leases are locked."""
    values = (json.dumps(sorted(owners)), me.id, me.instance_id, most)
    return [row[0] for row in connection.execute(_FREE_WITH_WORK, values).fetchall()]


def _take(connection: Connection, replica: int, owners: Sequence[int]) -> dict[int, int]:
    """The new fences of these owners' leases, whose rows are locked."""
    if not owners:
        return {}
    these = json.dumps(list(owners))
    connection.execute(_EXPIRE_FOLDS, (these,))
    return {row[0]: row[1] for row in connection.execute(_TAKE, (replica, these)).fetchall()}

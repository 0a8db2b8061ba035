"""The update inbox in PostgreSQL, which processes share: each update is handed to the one that serves its owner.

Every change of an update that was handed out checks the lease under which it was.
"""

import asyncio
import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime

from attrs import define, field

from records.errors import ServedElsewhere
from storage.bot_state.inbox import Arrival, Counted, Inbox, Lease, PendingUpdate, pending_of
from storage.bot_state.postgres_leases import PollingLeader, PostgresLeases
from storage.engine.postgres import PostgresDatabase
from storage.engine.protocol import Connection
from storage.schema.rows import text_of
from text.characters import well_formed

_NOW = "SELECT COALESCE((SELECT new_id FROM renamings WHERE old_id = ? AND is_done = 1), ?)"
_RECEIVE = """
INSERT INTO updates (bot_id, update_id, user_id, person_id, payload, received_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (bot_id, update_id) DO NOTHING RETURNING position
"""
_KNOWN = "INSERT INTO leases (user_id) VALUES (?) ON CONFLICT DO NOTHING"
_CLAIM = """
UPDATE updates SET fence = given.fence,
  attempts = attempts + CASE WHEN updates.fence IN (0, given.fence) THEN 0 ELSE 1 END
FROM (
  SELECT one.position, leases.fence FROM updates AS one JOIN leases ON leases.user_id = one.user_id
  WHERE one.bot_id = ? AND one.done_at IS NULL AND leases.replica_id = ?
  AND (one.fence <> leases.fence OR ? = 1)
  AND leases.user_id NOT IN (SELECT value FROM json_each(?))
  ORDER BY one.position LIMIT ? FOR UPDATE OF one
) AS given WHERE updates.position = given.position RETURNING updates.*
"""
# What was passed on while the server was away is this process's to do, if it still serves the owner and nobody else was
# handed it meanwhile.
_ADOPT = """
UPDATE updates SET fence = leases.fence FROM leases
WHERE bot_id = ? AND update_id = ? AND updates.fence = 0 AND leases.user_id = updates.user_id AND replica_id = ?
"""
_UNFINISHED = """
SELECT person_id, COUNT(*) FROM updates
WHERE bot_id = ? AND done_at IS NULL AND person_id IN (SELECT value FROM json_each(?)) GROUP BY person_id
"""
_UNFINISHED_IN = f"SELECT update_id FROM updates WHERE bot_id = ? AND done_at IS NULL AND user_id = ({_NOW})"  # noqa: S608


class PostgresInbox(Inbox):
    """The inbox in PostgreSQL."""

    _mine = """bot_id = ? AND update_id = ?
    AND fence = (SELECT fence FROM leases WHERE leases.user_id = updates.user_id AND replica_id = ?)"""

    def __init__(self, database: PostgresDatabase, leases: PostgresLeases) -> None:
        super().__init__(database)
        self.leases = leases
        self._me = leases.replica
        self._holder = (leases.replica.id,)

    async def receive_all(self, bot_id: int, arrivals: Sequence[Arrival], now: datetime) -> set[int]:
        at = text_of(now)
        for arrival in arrivals:
            if arrival.is_begun:
                with suppress(ServedElsewhere):
                    await self.leases.hold(arrival.owner)

        def put(connection: Connection) -> set[int]:
            new: set[int] = set()
            owners: set[int] = set()
            for arrival in arrivals:
                [owner] = connection.execute(_NOW, (arrival.owner, arrival.owner)).fetchone()
                values = (bot_id, arrival.update_id, owner, arrival.person, well_formed(arrival.payload), at)
                if connection.execute(_RECEIVE, values).fetchone() is not None:
                    new.add(arrival.update_id)
                    owners.add(owner)
                if arrival.is_begun:  # also where it is not new: the reply to an earlier commit may have been lost
                    connection.execute(_ADOPT, (bot_id, arrival.update_id, self._me.id))
            for owner in sorted(owners):
                connection.execute(_KNOWN, (owner,))
                connection.execute("SELECT wake_for(?, ?)", (owner, self._me.id))
            return new

        new = await self.database.transact(put, None)
        self._me.called.set()
        return new

    async def begin(self, bot_id: int, update_id: int, what: Counted) -> int:
        count = await super().begin(bot_id, update_id, what)
        if not count:
            raise ServedElsewhere
        return count


@define(eq=False)
class SharedWork:
    """Divides the updates of one inbox among several processes. `former`: where updates were kept before this
    process shared its work.
    """

    database: PostgresDatabase
    leases: PostgresLeases
    former: Inbox
    _claiming: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _is_doubtful: bool = field(default=False, init=False)

    def polling(self, bot_id: int) -> PollingLeader:
        """Fetching the updates of a bot."""
        return PollingLeader(self.leases, bot_id)

    async def claim(self, bot_id: int, *, most: int, now: datetime) -> list[PendingUpdate]:
        """Claim what this process is to do from now on, in the order of arrival, each once for as long as it serves the
        owner; after a failure also what was handed out before and is not done. Owners whom nobody serves are served by
        this process from now on. Raises StorageError.
        """
        async with self._claiming:  # two at once would each get some of an owner's
            await self.leases.take_work(bot_id, now=now)
            # The last claim may have been committed and its reply lost: then all that is claimed is handed out again.
            again, self._is_doubtful = self._is_doubtful, True
            unprepared = json.dumps(sorted(self.leases.unprepared))
            values = (bot_id, self.leases.replica.id, again, unprepared, 10_000 if again else most)
            rows = await self.database.transact(lambda connection: connection.execute(_CLAIM, values).fetchall(), None)
            self._is_doubtful = False
        return [
            pending_of(row, Lease(row["user_id"], row["fence"]))
            for row in sorted(rows, key=lambda row: int(row["position"]))
        ]

    async def arrived(self) -> None:
        """Wait until there may be something to claim; a few seconds at most."""
        await self.leases.replica.until_called()

    async def unfinished_of(self, bot_id: int, people: Sequence[int]) -> dict[int, int]:
        """Count the updates of each person that are not done, in whichever process. Raises StorageError."""
        async with self.database.read(None) as reader:
            rows = await reader.rows(_UNFINISHED, bot_id, json.dumps(sorted(set(people))))
        return {row[0]: row[1] for row in rows}

    async def unfinished_in(self, bot_id: int, owner: int) -> set[int]:
        """The updates of an owner that are not done, in whichever process. Raises StorageError."""
        async with self.database.read(None) as reader:
            return {row[0] for row in await reader.rows(_UNFINISHED_IN, bot_id, owner, owner)}

    def served(self) -> Collection[int]:
        """The owners that this process serves."""
        return self.leases.served

    async def release(self, owners: Sequence[int]) -> None:
        """Let any process serve these owners. Raises StorageError."""
        await self.leases.release(owners)

    async def let_go(self, busy: Collection[int]) -> None:
        """Let other processes serve the owners for whom they ask, unless something is done for them here; `busy`: whose
        updates are under way. Raises StorageError.
        """
        await self.leases.let_go(busy)

    def lease(self, owner: int) -> Lease | None:
        """This process's lease of an owner."""
        fence = self.leases.replica.held.get(owner)
        return Lease(owner, fence) if fence is not None else None

    async def confirm(self, lease: Lease) -> None:
        """Wait until it is certain that this lease is held. Raises ServedElsewhere where it was lost."""
        await self.leases.confirm(lease.owner, lease.fence)

    def may_go_on(self) -> bool:
        """While the database is away: whether no other process can have taken over what this one does."""
        return self.leases.replica.may_go_on()

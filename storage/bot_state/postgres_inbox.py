"""The update inbox in PostgreSQL, shared by processes. Each update is claimed by the process that serves its owner."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from records.errors import ServedElsewhere
from storage.bot_state.inbox import AttemptCounter, Inbox, Lease, PendingUpdate, ReceivedUpdate, parse_pending_update
from storage.bot_state.postgres_leases import PostgresLeases
from storage.engine.postgres import PostgresDatabase
from storage.engine.protocol import Connection
from storage.schema.rows import format_moment

_CURRENT_OWNER = "SELECT COALESCE((SELECT new_id FROM renamings WHERE old_id = ? AND is_done = 1), ?)"
_RECEIVE = """
INSERT INTO updates (bot_id, update_id, user_id, person_id, payload, received_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (bot_id, update_id) DO NOTHING RETURNING position
"""
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
# Claims an update that this process began while the server was away, if it serves the owner and nobody has claimed it.
_ADOPT = """
UPDATE updates SET fence = leases.fence FROM leases
WHERE bot_id = ? AND update_id = ? AND updates.fence = 0 AND leases.user_id = updates.user_id AND replica_id = ?
"""
_UNFINISHED = """
SELECT person_id, COUNT(*) FROM updates
WHERE bot_id = ? AND done_at IS NULL AND person_id IN (SELECT value FROM json_each(?)) GROUP BY person_id
"""
_UNFINISHED_IN = f"SELECT update_id FROM updates WHERE bot_id = ? AND done_at IS NULL AND user_id = ({_CURRENT_OWNER})"  # noqa: S608


class PostgresInbox(Inbox):
    """The update inbox in PostgreSQL, which all processes of a bot share. `former` is the old inbox in memory.db."""

    _mine = """bot_id = ? AND update_id = ?
    AND fence = (SELECT fence FROM leases WHERE leases.user_id = updates.user_id AND replica_id = ?)"""

    def __init__(self, database: PostgresDatabase, leases: PostgresLeases, former: Inbox) -> None:
        super().__init__(database)
        self.leases = leases
        self.former = former
        self._claiming = asyncio.Lock()
        self._has_failed_claim = False
        self._me = leases.replica
        self._holder = (leases.replica.id,)

    async def store_and_get_new_ids(self, bot_id: int, arrivals: Sequence[ReceivedUpdate], now: datetime) -> set[int]:
        at = format_moment(now)
        for arrival in arrivals:
            if arrival.is_begun:
                with suppress(ServedElsewhere):
                    await self.leases.start_serving(arrival.owner)

        def insert_and_get_new_ids(connection: Connection) -> set[int]:
            new: set[int] = set()
            owners: set[int] = set()
            for arrival in arrivals:
                [owner] = connection.execute(_CURRENT_OWNER, (arrival.owner, arrival.owner)).fetchone()
                values = (bot_id, arrival.update_id, owner, arrival.person, arrival.payload, at)
                if connection.execute(_RECEIVE, values).fetchone() is not None:
                    new.add(arrival.update_id)
                    owners.add(owner)
                if arrival.is_begun:  # even if it is not new: the reply to an earlier commit may have been lost
                    connection.execute(_ADOPT, (bot_id, arrival.update_id, self._me.id))
            for owner in sorted(owners):
                connection.execute("INSERT INTO leases (user_id) VALUES (?) ON CONFLICT DO NOTHING", (owner,))
                connection.execute("SELECT wake_for(?, ?)", (owner, self._me.id))
            return new

        new = await self.database.transact(insert_and_get_new_ids, None)
        self._me.called.set()
        return new

    async def increment_and_get(self, bot_id: int, update_id: int, counter: AttemptCounter) -> int:
        count = await super().increment_and_get(bot_id, update_id, counter)
        if not count:
            raise ServedElsewhere
        return count

    async def claim_updates(self, bot_id: int, *, limit: int, now: datetime) -> list[PendingUpdate]:
        """Take over unserved owners, then claim up to `limit` updates in order of arrival.

        If the previous claim failed, also return the unfinished updates that it claimed.
        """
        async with self._claiming:  # two claims at once would split an owner's updates between them
            await self.leases.take_over_waiting_owners(bot_id, now=now)
            # The last claim may have been committed and its reply lost: then return everything claimed again.
            again, self._has_failed_claim = self._has_failed_claim, True
            unprepared = json.dumps(sorted(self.leases.unprepared_owners))
            values = (bot_id, self._me.id, again, unprepared, 10_000 if again else limit)
            rows = await self._execute(None, _CLAIM, *values)
            self._has_failed_claim = False
        return [
            parse_pending_update(row, Lease(row["user_id"], row["fence"]))
            for row in sorted(rows, key=lambda row: int(row["position"]))
        ]

    async def count_unfinished_updates_by_person(self, bot_id: int, person_ids: Sequence[int]) -> dict[int, int]:
        """Count each person's unfinished updates across all processes."""
        rows = await self._fetch_rows(None, _UNFINISHED, bot_id, json.dumps(sorted(set(person_ids))))
        return {row[0]: row[1] for row in rows}

    async def list_ids_of_unfinished_updates(self, bot_id: int, owner: int) -> set[int]:
        return {row[0] for row in await self._fetch_rows(None, _UNFINISHED_IN, bot_id, owner, owner)}

    def find_lease(self, owner: int) -> Lease | None:
        fence = self._me.held.get(owner)
        return Lease(owner, fence) if fence is not None else None

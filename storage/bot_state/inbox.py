"""The update inbox: raw updates of Telegram, committed before Telegram is told that we have them. What it promises
wherever it is kept, and the one in memory.db.

Owns which updates are seen, pending and done, and how often a file's reading and an answer's sending were begun.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from records.owners import Mode
from storage.engine.protocol import Connection, OwnerDatabase, Row, Value
from storage.schema.rows import text_of
from text.characters import well_formed

Counted = Literal["attempts", "readings", "sends"]
"""Counters of an update over all runs, so that what kills the process is not tried for ever: the beginnings of
its work, of work that an untrusted file decides, and of the sending of its answer.
"""
NOBODY = 0
"""The owner of an update that belongs to no chat, and the sender of one that names none."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """An update as it came. `owner`: whose work it is; `person`: who sent it; `is_begun`: this process handles it
    already, because it could not be written at first.
    """

    update_id: int
    payload: str
    owner: int = NOBODY
    person: int = NOBODY
    is_begun: bool = False


class Lease(NamedTuple):
    """This process's claim on an owner; `fence`: a number that no other lease ever had."""

    owner: int
    fence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingUpdate:
    """An update that is not done yet.

    `attempts`: how often its work was begun; `sends`: how often the sending of its answer was begun. A first send
    that is recorded here has an unknown outcome. `mode`: how memory stood when it was said, where it was noted.
    `shown`: the messages that show something of its answer, in order. `lease`: under which it was handed out, where
    several processes share the work.
    """

    update_id: int
    payload: str
    received_at: datetime
    attempts: int
    sends: int
    mode: Mode | None = None
    shown: tuple[int, ...] = ()
    lease: Lease | None = None


_RECEIVE = """
INSERT INTO updates (bot_id, update_id, payload, received_at) VALUES (?, ?, ?, ?)
ON CONFLICT (bot_id, update_id) DO NOTHING RETURNING position
"""


class Inbox:
    """Raw updates by bot and id, in memory.db. Every method is durable when it returns and raises StorageError."""

    _mine = "bot_id = ? AND update_id = ?"
    """Which updates this process may change: by the bot, the update and what `_holder` has."""
    _holder: tuple[Value, ...] = ()

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database

    async def receive(self, bot_id: int, arrival: Arrival, now: datetime) -> bool:
        """Keep an update; False when its id was seen before (within the time that `purge` leaves)."""
        return arrival.update_id in await self.receive_all(bot_id, [arrival], now)

    async def receive_all(self, bot_id: int, arrivals: Sequence[Arrival], now: datetime) -> set[int]:
        """Keep updates, in this order, in one transaction; the ids of those that were not seen before."""
        at = text_of(now)
        kept = {arrival.update_id: well_formed(arrival.payload) for arrival in arrivals}

        def put(connection: Connection) -> set[int]:
            return {
                update_id
                for update_id, payload in kept.items()
                if connection.execute(_RECEIVE, (bot_id, update_id, payload, at)).fetchone() is not None
            }

        return await self.database.transact(put, None)

    async def pending(self, bot_id: int) -> list[PendingUpdate]:
        """Updates that are not done, in the order of arrival."""
        async with self.database.read(None) as reader:
            rows = await reader.rows(
                "SELECT * FROM updates WHERE bot_id = ? AND done_at IS NULL ORDER BY position", bot_id
            )
        return [pending_of(row) for row in rows]

    async def note_mode(self, bot_id: int, update_id: int, mode: Mode) -> None:
        """Note how memory stood when this was said, for a run that takes it up later."""
        await self._change("mode = ?", mode, bot_id, update_id)

    async def note_shown(self, bot_id: int, update_id: int, message_ids: Sequence[int]) -> None:
        """Which messages show something of its answer, for a run that has to finish them."""
        await self._change("shown = ?", json.dumps(list(message_ids)), bot_id, update_id)

    async def begin(self, bot_id: int, update_id: int, what: Counted) -> int:
        """Count that something begins, before it does; 1 for the first time, 0 where the id is not kept.

        Raises ServedElsewhere where another process has the update by now.
        """
        rows = await self._change(f"{what} = {what} + 1", bot_id, update_id, returning=what)
        return int(rows[0][0]) if rows else 0

    async def take_back(self, bot_id: int, update_id: int, what: Counted) -> None:
        """Uncount what is known to have had no effect, or was stopped in order."""
        await self._change(f"{what} = max({what} - 1, 0)", bot_id, update_id)

    async def grant_send(self, bot_id: int, update_id: int, *, most: int) -> None:
        """Leave room for one more sending below `most`: the process died over the last, perhaps before it was made."""
        await self._change("sends = min(sends, ?)", most - 1, bot_id, update_id)

    async def _change(self, what: str, *values: Value, returning: str = "position") -> list[Row]:
        """`values`: what `what` asks for, the bot, the update."""
        sql = f"UPDATE updates SET {what} WHERE {self._mine} RETURNING {returning}"  # noqa: S608
        asked = (*values, *self._holder)
        return await self.database.transact(lambda connection: connection.execute(sql, asked).fetchall(), None)

    async def done(self, bot_id: int, update_ids: Sequence[int], now: datetime) -> None:
        """Everything about these updates is done: their payloads are removed, their ids stay. What another process has
        by now stays as it is.
        """
        sql = f"UPDATE updates SET payload = NULL, done_at = ? WHERE done_at IS NULL AND {self._mine}"  # noqa: S608
        rows = [(text_of(now), bot_id, update_id, *self._holder) for update_id in update_ids]

        def mark(connection: Connection) -> None:
            connection.executemany(sql, rows)

        await self.database.transact(mark, None)

    async def waiting(self) -> dict[str, int]:
        """Positions of updates that are not done and have a payload, by source ("bot:update")."""
        async with self.database.read(None) as reader:
            rows = await reader.rows(
                "SELECT position, bot_id, update_id FROM updates WHERE done_at IS NULL AND payload IS NOT NULL"
            )
        return {f"{row['bot_id']}:{row['update_id']}": row["position"] for row in rows}

    async def empty(self, positions: Sequence[int]) -> None:
        """Remove the payloads, because what they said was forgotten. The next start drops such an update."""
        async with self.database.write(None) as tx:
            await tx.many(
                "UPDATE updates SET payload = NULL WHERE position = ?", [(position,) for position in positions]
            )

    async def forget_text(self) -> bool:
        """Remove the payloads of done updates from the file's log as well; False when that has to wait."""
        return await self.database.forget_log()

    async def purge(self, older_than: datetime) -> int:
        """Forget ids that were done before `older_than`; Telegram delivers none older than 24 hours. Their number."""
        async with self.database.write(None) as tx:
            rows = await tx.rows("DELETE FROM updates WHERE done_at < ? RETURNING position", text_of(older_than))
        return len(rows)


def pending_of(row: Row, lease: Lease | None = None) -> PendingUpdate:
    return PendingUpdate(
        update_id=row["update_id"],
        payload=row["payload"] or "",
        received_at=datetime.fromisoformat(row["received_at"]),
        attempts=row["attempts"],
        sends=row["sends"],
        mode=row["mode"],
        shown=tuple(json.loads(row["shown"])),
        lease=lease,
    )

"""The update inbox: every raw update of Telegram, committed before Telegram is told that we have it.

Owns which updates are seen, pending and done, and how often a file's reading and an answer's sending were begun. Lives
in memory.db. Does not know what is in a payload.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from records.owners import Mode
from storage.files.database import Database
from storage.files.driver import sqlite3
from storage.files.rows import text_of
from storage.files.sql import Value
from text.characters import well_formed

_RECEIVE = """
INSERT INTO updates (bot_id, update_id, payload, received_at) VALUES (?, ?, ?, ?)
ON CONFLICT (bot_id, update_id) DO NOTHING RETURNING position
"""
_DONE = "UPDATE updates SET payload = NULL, done_at = ? WHERE bot_id = ? AND update_id = ? AND done_at IS NULL"

Counted = Literal["attempts", "readings", "sends"]
"""What is counted of an update over all runs, so that what kills the process is not tried for ever: the beginnings of
its work, of work that an untrusted file decides, and of the sending of its answer.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingUpdate:
    """An update that is not done yet.

    `attempts`: how often its work was begun; `sends`: how often the sending of its answer was begun. A first send
    that is recorded here has an unknown outcome. `mode`: how memory stood when it was said, where it was noted.
    """

    update_id: int
    payload: str
    received_at: datetime
    attempts: int
    sends: int
    mode: Mode | None = None


class UpdateInbox:
    """Raw updates by bot and update id. Every method is durable when it returns."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def receive(self, bot_id: int, update_id: int, payload: str, now: datetime) -> bool:
        """Keep an update; False when its id was seen before (within the time that `purge` leaves)."""
        return update_id in await self.receive_all(bot_id, {update_id: payload}, now)

    async def receive_all(self, bot_id: int, payloads: Mapping[int, str], now: datetime) -> set[int]:
        """Keep updates, in this order, in one transaction; the ids of those that were not seen before."""
        at = text_of(now)
        kept = {update_id: well_formed(payload) for update_id, payload in payloads.items()}

        def put(connection: sqlite3.Connection) -> set[int]:
            return {
                update_id
                for update_id, payload in kept.items()
                if connection.execute(_RECEIVE, (bot_id, update_id, payload, at)).fetchone() is not None
            }

        return await self._db.transact(put)

    async def pending(self, bot_id: int) -> list[PendingUpdate]:
        """What is not done, in the order of arrival."""
        async with self._db.read() as reader:
            rows = await reader.rows(
                "SELECT * FROM updates WHERE bot_id = ? AND done_at IS NULL ORDER BY position", bot_id
            )
        return [
            PendingUpdate(
                update_id=row["update_id"],
                payload=row["payload"] or "",
                received_at=datetime.fromisoformat(row["received_at"]),
                attempts=row["attempts"],
                sends=row["sends"],
                mode=row["mode"],
            )
            for row in rows
        ]

    async def note_mode(self, bot_id: int, update_id: int, mode: Mode) -> None:
        """How memory stood when this was said, for a run that takes it up later."""
        await self._change("mode = ?", mode, bot_id, update_id)

    async def begin(self, bot_id: int, update_id: int, what: Counted) -> int:
        """Count that something begins, before it does; 1 for the first time, 0 where the id is not kept."""
        sql = f"UPDATE updates SET {what} = {what} + 1 WHERE bot_id = ? AND update_id = ? RETURNING {what}"  # noqa: S608
        row = await self._db.transact(lambda connection: connection.execute(sql, (bot_id, update_id)).fetchone())
        return int(row[0]) if row else 0

    async def take_back(self, bot_id: int, update_id: int, what: Counted) -> None:
        """Uncount what is known to have had no effect, or was stopped in order."""
        await self._change(f"{what} = max({what} - 1, 0)", bot_id, update_id)

    async def grant_send(self, bot_id: int, update_id: int, *, most: int) -> None:
        """Leave room for one more sending below `most`: the process died over the last, perhaps before it was made."""
        await self._change("sends = min(sends, ?)", most - 1, bot_id, update_id)

    async def _change(self, what: str, *values: Value) -> None:
        """`values`: what `what` asks for, the bot, the update."""
        sql = f"UPDATE updates SET {what} WHERE bot_id = ? AND update_id = ?"  # noqa: S608

        def run(connection: sqlite3.Connection) -> None:
            connection.execute(sql, values)

        await self._db.transact(run)

    async def done(self, bot_id: int, update_ids: Sequence[int], now: datetime) -> None:
        """Everything about these updates is done: their payloads are removed, their ids stay."""
        at = text_of(now)

        def mark(connection: sqlite3.Connection) -> None:
            connection.executemany(_DONE, [(at, bot_id, update_id) for update_id in update_ids])

        await self._db.transact(mark)

    async def waiting(self) -> dict[str, int]:
        """Where what is not done and still has its payload stands, by its source ("bot:update")."""
        async with self._db.read() as reader:
            rows = await reader.rows(
                "SELECT position, bot_id, update_id FROM updates WHERE done_at IS NULL AND payload IS NOT NULL"
            )
        return {f"{row['bot_id']}:{row['update_id']}": row["position"] for row in rows}

    async def empty(self, positions: Sequence[int]) -> None:
        """Remove the payloads, because what they said was forgotten. The next start drops such an update."""
        async with self._db.write() as tx:
            await tx.many("UPDATE updates SET payload = NULL WHERE position = ?", [(one,) for one in positions])

    async def forget_text(self) -> bool:
        """Remove the payloads of done updates from the file's log as well; False when that has to wait."""
        return await self._db.forget_log()

    async def purge(self, older_than: datetime) -> int:
        """Forget ids that were done before `older_than`; Telegram delivers none older than 24 hours. Their number."""
        async with self._db.write() as tx:
            rows = await tx.rows("DELETE FROM updates WHERE done_at < ? RETURNING position", text_of(older_than))
        return len(rows)

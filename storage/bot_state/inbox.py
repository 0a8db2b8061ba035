"""The update inbox in memory.db: every raw update of Telegram, committed before Telegram is told that we have it.

Owns which updates are seen, pending and done, and how often a file's reading and an answer's sending were begun. Does
not know what is in a payload.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from records.owners import Mode
from storage.bot_state.inbox_protocol import Arrival, Counted, PendingUpdate, SharedWork
from storage.engine.protocol import Value
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import sqlite3
from storage.schema.rows import text_of
from text.characters import well_formed

_RECEIVE = """
INSERT INTO updates (bot_id, update_id, payload, received_at) VALUES (?, ?, ?, ?)
ON CONFLICT (bot_id, update_id) DO NOTHING RETURNING position
"""
_DONE = "UPDATE updates SET payload = NULL, done_at = ? WHERE bot_id = ? AND update_id = ? AND done_at IS NULL"


class UpdateInbox:
    """The inbox in memory.db: implements Inbox."""

    shared: SharedWork | None = None

    def __init__(self, database: Database) -> None:
        self._db = database

    async def receive(self, bot_id: int, arrival: Arrival, now: datetime) -> bool:
        return arrival.update_id in await self.receive_all(bot_id, [arrival], now)

    async def receive_all(self, bot_id: int, arrivals: Sequence[Arrival], now: datetime) -> set[int]:
        at = text_of(now)
        kept = {arrival.update_id: well_formed(arrival.payload) for arrival in arrivals}

        def put(connection: sqlite3.Connection) -> set[int]:
            return {
                update_id
                for update_id, payload in kept.items()
                if connection.execute(_RECEIVE, (bot_id, update_id, payload, at)).fetchone() is not None
            }

        return await self._db.transact(put)

    async def pending(self, bot_id: int) -> list[PendingUpdate]:
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
                shown=tuple(json.loads(row["shown"])),
            )
            for row in rows
        ]

    async def note_mode(self, bot_id: int, update_id: int, mode: Mode) -> None:
        await self._change("mode = ?", mode, bot_id, update_id)

    async def note_shown(self, bot_id: int, update_id: int, message_ids: Sequence[int]) -> None:
        await self._change("shown = ?", json.dumps(list(message_ids)), bot_id, update_id)

    async def begin(self, bot_id: int, update_id: int, what: Counted) -> int:
        sql = f"UPDATE updates SET {what} = {what} + 1 WHERE bot_id = ? AND update_id = ? RETURNING {what}"  # noqa: S608
        row = await self._db.transact(lambda connection: connection.execute(sql, (bot_id, update_id)).fetchone())
        return int(row[0]) if row else 0

    async def take_back(self, bot_id: int, update_id: int, what: Counted) -> None:
        await self._change(f"{what} = max({what} - 1, 0)", bot_id, update_id)

    async def grant_send(self, bot_id: int, update_id: int, *, most: int) -> None:
        await self._change("sends = min(sends, ?)", most - 1, bot_id, update_id)

    async def _change(self, what: str, *values: Value) -> None:
        """`values`: what `what` asks for, the bot, the update."""
        sql = f"UPDATE updates SET {what} WHERE bot_id = ? AND update_id = ?"  # noqa: S608

        def run(connection: sqlite3.Connection) -> None:
            connection.execute(sql, values)

        await self._db.transact(run)

    async def done(self, bot_id: int, update_ids: Sequence[int], now: datetime) -> None:
        at = text_of(now)

        def mark(connection: sqlite3.Connection) -> None:
            connection.executemany(_DONE, [(at, bot_id, update_id) for update_id in update_ids])

        await self._db.transact(mark)

    async def waiting(self) -> dict[str, int]:
        async with self._db.read() as reader:
            rows = await reader.rows(
                "SELECT position, bot_id, update_id FROM updates WHERE done_at IS NULL AND payload IS NOT NULL"
            )
        return {f"{row['bot_id']}:{row['update_id']}": row["position"] for row in rows}

    async def empty(self, positions: Sequence[int]) -> None:
        async with self._db.write() as tx:
            await tx.many("UPDATE updates SET payload = NULL WHERE position = ?", [(one,) for one in positions])

    async def forget_text(self) -> bool:
        return await self._db.forget_log()

    async def purge(self, older_than: datetime) -> int:
        async with self._db.write() as tx:
            rows = await tx.rows("DELETE FROM updates WHERE done_at < ? RETURNING position", text_of(older_than))
        return len(rows)

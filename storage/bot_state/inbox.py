"""The update inbox in memory.db: raw updates, committed before they are confirmed to Telegram."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from records.owners import Mode
from storage.engine.protocol import Connection, Row, StatementRunner, Value
from storage.schema.portable_tables import skip_damaged_item, translate_value_errors
from storage.schema.rows import format_moment

AttemptCounter = Literal["attempts", "readings", "sends"]
"""Counters of how often handling an update, reading its files and sending its answer were begun, over all runs."""
NOBODY = 0  # the owner of an update without a chat, and the sender of one without a sender


@dataclass(frozen=True, slots=True)
class ReceivedUpdate:
    """A received update, with its JSON in ASCII. `is_begun` is True if handling it began before it was stored."""

    update_id: int
    payload: str
    owner: int = NOBODY
    person: int = NOBODY
    is_begun: bool = False


class Lease(NamedTuple):
    """This process's claim on an owner. `fence` is unique among all leases ever made."""

    owner: int
    fence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingUpdate:
    """An update that has not been completed. `attempts` counts tries to handle it, and `sends` tries to answer it.

    `mode` is the memory mode when it arrived. `shown` holds the ids of the messages that show its answer.
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


class Inbox(StatementRunner):
    """Raw updates by bot and id, in memory.db. Every change is durable when its method returns."""

    _mine = "bot_id = ? AND update_id = ?"
    """The SQL condition for an update that this process may change. It takes the bot, the update and `_holder`."""
    _holder: tuple[Value, ...] = ()

    async def store_and_get_new_ids(self, bot_id: int, arrivals: Sequence[ReceivedUpdate], now: datetime) -> set[int]:
        """Store updates in the order of arrival, and return the ids of those that were new."""
        at = format_moment(now)

        def insert_and_get_new_ids(connection: Connection) -> set[int]:
            return {
                new.update_id
                for new in arrivals
                if connection.execute(_RECEIVE, (bot_id, new.update_id, new.payload, at)).fetchone() is not None
            }

        return await self.database.transact(insert_and_get_new_ids, None)

    async def list_pending_updates(self, bot_id: int) -> list[PendingUpdate]:
        """Return the updates that are not done, in order of arrival."""
        sql = "SELECT * FROM updates WHERE bot_id = ? AND done_at IS NULL ORDER BY position"
        pending: list[PendingUpdate] = []
        for row in await self._fetch_rows(None, sql, bot_id):
            with skip_damaged_item(row["update_id"]):
                pending.append(parse_pending_update(row))
        return pending

    async def count_pending_updates(self) -> int:
        [[count]] = await self._fetch_rows(None, "SELECT COUNT(*) FROM updates WHERE done_at IS NULL")
        return int(count)

    async def record_memory_mode(self, bot_id: int, update_id: int, mode: Mode) -> None:
        """Record the memory mode at the arrival of an update, so that a later run resumes it with the same mode."""
        await self._update_and_fetch_rows("mode = ?", mode, bot_id, update_id)

    async def record_answer_messages(self, bot_id: int, update_id: int, message_ids: Sequence[int]) -> None:
        """Record the ids of messages that show the answer, so that a later run can finish them."""
        await self._update_and_fetch_rows("shown = ?", json.dumps(list(message_ids)), bot_id, update_id)

    async def increment_and_get(self, bot_id: int, update_id: int, counter: AttemptCounter) -> int:
        """Increment and return a counter. For an unknown update, return 0 or, in PostgreSQL, raise ServedElsewhere."""
        rows = await self._update_and_fetch_rows(f"{counter} = {counter} + 1", bot_id, update_id, returning=counter)
        return int(rows[0][0]) if rows else 0

    async def decrement_attempts(self, bot_id: int, update_id: int, counter: AttemptCounter) -> None:
        """Decrement a counter after an attempt that had no effect or was stopped cleanly."""
        await self._update_and_fetch_rows(f"{counter} = max({counter} - 1, 0)", bot_id, update_id)

    async def allow_another_send(self, bot_id: int, update_id: int, *, max_sends: int) -> None:
        """Lower the count of sends to `max_sends - 1` if it is higher, so that one more send is allowed."""
        await self._update_and_fetch_rows("sends = min(sends, ?)", max_sends - 1, bot_id, update_id)

    async def _update_and_fetch_rows(self, set_clause: str, *values: Value, returning: str = "position") -> list[Row]:
        """Apply the SQL `set_clause` to an update's row, and return the column named by `returning`.

        `values` are the placeholder values of `set_clause`, followed by the bot's id and the update's id.
        """
        sql = f"UPDATE updates SET {set_clause} WHERE {self._mine} RETURNING {returning}"  # noqa: S608
        return await self._execute(None, sql, *values, *self._holder)

    async def mark_updates_done(self, bot_id: int, update_ids: Sequence[int], now: datetime) -> None:
        """Mark updates as done and remove their payloads. Skip updates that another process has claimed."""
        sql = f"UPDATE updates SET payload = NULL, done_at = ? WHERE done_at IS NULL AND {self._mine}"  # noqa: S608
        rows = [(format_moment(now), bot_id, update_id, *self._holder) for update_id in update_ids]
        await self.database.transact(lambda connection: connection.executemany(sql, rows), None)

    async def find_positions_by_source(self) -> dict[str, int]:
        """Return the inbox positions of unfinished updates with payloads, keyed by source ("bot_id:update_id")."""
        sql = "SELECT position, bot_id, update_id FROM updates WHERE done_at IS NULL AND payload IS NOT NULL"
        return {f"{row[1]}:{row[2]}": row[0] for row in await self._fetch_rows(None, sql)}

    async def erase_payloads(self, positions: Sequence[int]) -> None:
        """Remove the payloads of updates that were forgotten. The next start drops these updates."""
        sql = "UPDATE updates SET payload = NULL WHERE position = ?"
        async with self.database.open_transaction(None) as tx:
            await tx.execute_many(sql, [(number,) for number in positions])

    async def delete_and_count_done_updates(self, done_before: datetime) -> int:
        """Delete the updates that were done before `done_before`, and return their number."""
        sql = "DELETE FROM updates WHERE done_at < ? RETURNING position"
        return len(await self._execute(None, sql, format_moment(done_before)))


def parse_pending_update(row: Row, lease: Lease | None = None) -> PendingUpdate:
    with translate_value_errors("updates"):
        return PendingUpdate(
            update_id=row["update_id"],
            payload=row["payload"] or "",
            received_at=datetime.fromisoformat(row["received_at"]),
            attempts=int(row["attempts"]),
            sends=int(row["sends"]),
            mode=row["mode"],
            shown=tuple(json.loads(row["shown"])),
            lease=lease,
        )

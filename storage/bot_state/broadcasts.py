"""Admins' messages to everybody, stored with the outcome for each recipient until the broadcast is over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from storage.engine.protocol import Row, StatementRunner
from storage.schema.rows import format_moment

Outcome = Literal["arrived", "gone", "unknown"]
"""The outcome is "gone" if the person has blocked the bot or never wrote to it, "unknown" if it may have arrived."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Broadcast:
    """A message from an admin to everybody. `receipt_id` is the id of the message that shows its progress."""

    id: int
    admin: int
    text: str
    receipt_id: int | None
    is_sending: bool
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class BroadcastProgress:
    """The number of recipients by outcome. `left` counts those who are still waiting for the message."""

    arrived: int = 0
    gone: int = 0
    unknown: int = 0
    left: int = 0


class Broadcasts(StatementRunner):
    """All broadcasts. Every change is durable when its method returns.

    Only the process that serves the admin may send or delete a broadcast. Others raise ServedElsewhere.
    """

    async def store_draft(self, admin_id: int, text: str, *, now: datetime) -> Broadcast:
        """Store a draft and delete the admin's earlier unsent drafts."""
        async with self.database.open_transaction(None) as tx:
            await tx.execute("DELETE FROM broadcasts WHERE admin_id = ? AND is_sending = 0", admin_id)
            [row] = await tx.fetch_rows(_PROPOSE, admin_id, text, format_moment(now))
        return _parse_broadcast(row)

    async def find_broadcast(self, broadcast_id: int) -> Broadcast | None:
        row = await self._fetch_row(None, "SELECT * FROM broadcasts WHERE id = ?", broadcast_id)
        return _parse_broadcast(row) if row else None

    async def try_to_start(self, broadcast: Broadcast, person_ids: Sequence[int], *, receipt_id: int | None) -> bool:
        """Start sending a broadcast to these people. Return False if it was started already or deleted."""
        async with self.database.open_transaction(broadcast.admin) as tx:
            if begun := await tx.fetch_rows(_BEGIN, receipt_id, broadcast.id):
                await tx.execute_many(_PERSON, [(broadcast.id, person_id) for person_id in person_ids])
        return bool(begun)

    async def list_broadcasts_in_progress(self) -> Sequence[Broadcast]:
        """Return the broadcasts in progress, oldest first."""
        rows = await self._fetch_rows(None, "SELECT * FROM broadcasts WHERE is_sending = 1 ORDER BY id")
        return [_parse_broadcast(row) for row in rows]

    async def take_next_recipient_id(self, broadcast: Broadcast) -> int | None:
        """Return the id of the next recipient, or None if nobody is left. Mark that recipient's outcome as unknown."""
        rows = await self._execute(broadcast.admin, _NEXT, broadcast.id)
        return int(rows[0][0]) if rows else None

    async def record_outcome(self, broadcast: Broadcast, person_id: int, outcome: Outcome) -> None:
        await self._execute(broadcast.admin, _OUTCOME, outcome, broadcast.id, person_id)

    async def requeue_recipient(self, broadcast: Broadcast, person_id: int) -> None:
        """Put a person back in the queue after a send that definitely failed. Any process may do this."""
        await self._execute(None, _OUTCOME, "", broadcast.id, person_id)

    async def remove_recipient(self, broadcast: Broadcast, person_id: int) -> None:
        leaving = "DELETE FROM broadcast_people WHERE broadcast_id = ? AND person_id = ?"
        await self._execute(broadcast.admin, leaving, broadcast.id, person_id)

    async def count_outcomes(self, broadcast: Broadcast) -> BroadcastProgress:
        sql = "SELECT outcome, COUNT(*) FROM broadcast_people WHERE broadcast_id = ? GROUP BY outcome"
        rows = await self._fetch_rows(None, sql, broadcast.id)
        return BroadcastProgress(**{row[0] or "left": int(row[1]) for row in rows})

    async def delete_broadcast_if_exists(self, broadcast: Broadcast) -> bool:
        """Delete a finished or cancelled broadcast. Return False if it was already deleted."""
        async with self.database.open_transaction(broadcast.admin) as tx:
            await tx.execute("DELETE FROM broadcast_people WHERE broadcast_id = ?", broadcast.id)
            return bool(await tx.fetch_rows("DELETE FROM broadcasts WHERE id = ? RETURNING id", broadcast.id))


def _parse_broadcast(row: Row) -> Broadcast:
    return Broadcast(
        id=row["id"],
        admin=row["admin_id"],
        text=row["text"],
        receipt_id=row["receipt_id"],
        is_sending=bool(row["is_sending"]),
        created_at=datetime.fromisoformat(row["created_at"]),
    )


_PROPOSE = "INSERT INTO broadcasts (admin_id, text, created_at) VALUES (?, ?, ?) RETURNING *"
_BEGIN = "UPDATE broadcasts SET is_sending = 1, receipt_id = ? WHERE id = ? AND is_sending = 0 RETURNING id"
_PERSON = "INSERT INTO broadcast_people (broadcast_id, person_id) VALUES (?, ?)"
_OUTCOME = "UPDATE broadcast_people SET outcome = ? WHERE broadcast_id = ? AND person_id = ?"
_NEXT = """
UPDATE broadcast_people SET outcome = 'unknown' WHERE outcome = '' AND (broadcast_id, person_id) IN (
  SELECT broadcast_id, person_id FROM broadcast_people WHERE broadcast_id = ? AND outcome = ''
  ORDER BY person_id LIMIT 1
) RETURNING person_id
"""

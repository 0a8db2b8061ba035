"""A message of an admin to everybody, on its way: its words, whom it goes to, and who has had it.

Only what is under way is kept: once it is over, words and people are erased.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from storage.engine.protocol import OwnerDatabase, Row
from storage.schema.rows import text_of

Outcome = Literal["arrived", "gone", "unknown"]
"""gone: the person has blocked the bot, or never wrote to it; unknown: nobody knows whether it arrived."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Broadcast:
    """`receipt`: the message that tells its admin how far it is; None until it is sent off, and
    for one of the dashboard's.
    """

    id: int
    admin: int
    text: str
    receipt: int | None
    is_sending: bool
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """People, by what came of it. `left`: who have not been sent it yet."""

    arrived: int = 0
    gone: int = 0
    unknown: int = 0
    left: int = 0

    @property
    def people(self) -> int:
        return self.arrived + self.gone + self.unknown + self.left


class Broadcasts:
    """One instance for each database. Every method that changes something is durable when it returns.

    What is on its way is changed by the process that serves its admin, one change after the other: a method raises
    ServedElsewhere where another does by now.
    """

    def __init__(self, database: OwnerDatabase) -> None:
        self.database = database

    async def propose(self, admin: int, text: str, *, now: datetime) -> Broadcast:
        """Keep what an admin would like to send; what they proposed before and did not send is erased."""
        async with self.database.write(None) as tx:
            await tx.rows("DELETE FROM broadcasts WHERE admin_id = ? AND is_sending = 0", admin)
            [row] = await tx.rows(_PROPOSE, admin, text, text_of(now))
        return _broadcast(row)

    async def get(self, number: int) -> Broadcast | None:
        async with self.database.read(None) as reader:
            row = await reader.row("SELECT * FROM broadcasts WHERE id = ?", number)
        return _broadcast(row) if row else None

    async def begin(self, one: Broadcast, people: Sequence[int], *, receipt: int | None) -> bool:
        """From now on it goes to these people; False where it does already, or is gone."""
        async with self.database.write(one.admin) as tx:
            begun = await tx.rows(_BEGIN, receipt, one.id)
            if begun:
                await tx.many(_PERSON, [(one.id, person) for person in people])
        return bool(begun)

    async def sending(self) -> Sequence[Broadcast]:
        """Broadcasts under way, the oldest first."""
        async with self.database.read(None) as reader:
            rows = await reader.rows("SELECT * FROM broadcasts WHERE is_sending = 1 ORDER BY id")
        return [_broadcast(row) for row in rows]

    async def next_person(self, one: Broadcast) -> int | None:
        """Somebody who has not been sent it; from now on they have, whatever happens. None: nobody is left."""
        async with self.database.write(one.admin) as tx:
            rows = await tx.rows(_NEXT, one.id)
        return int(rows[0][0]) if rows else None

    async def note(self, one: Broadcast, person: int, outcome: Outcome) -> None:
        """Note the outcome for one person; unknown until then."""
        async with self.database.write(one.admin) as tx:
            await tx.rows(_OUTCOME, outcome, one.id, person)

    async def give_back(self, one: Broadcast, person: int) -> None:
        """It surely was not sent to this person: they are asked for again, by whichever process sends it now."""
        async with self.database.write(None) as tx:
            await tx.rows(_OUTCOME, "", one.id, person)

    async def leave_out(self, one: Broadcast, person: int) -> None:
        """It does not go to this person any more: they were removed."""
        async with self.database.write(one.admin) as tx:
            await tx.rows("DELETE FROM broadcast_people WHERE broadcast_id = ? AND person_id = ?", one.id, person)

    async def progress(self, one: Broadcast) -> Progress:
        async with self.database.read(None) as reader:
            rows = await reader.rows(
                "SELECT outcome, COUNT(*) FROM broadcast_people WHERE broadcast_id = ? GROUP BY outcome", one.id
            )
        return Progress(**{row[0] or "left": int(row[1]) for row in rows})

    async def end(self, one: Broadcast) -> bool:
        """It is over, or was called off: nothing of it is kept. False where it was already."""
        async with self.database.write(one.admin) as tx:
            await tx.rows("DELETE FROM broadcast_people WHERE broadcast_id = ?", one.id)
            return bool(await tx.rows("DELETE FROM broadcasts WHERE id = ? RETURNING id", one.id))


def _broadcast(row: Row) -> Broadcast:
    return Broadcast(
        id=row["id"],
        admin=row["admin_id"],
        text=row["text"],
        receipt=row["receipt_id"],
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

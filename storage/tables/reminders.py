"""The reminders of owners: kept, due, and told once.

A part of MemoryStore (`store.reminders`). Owns the SQL of `reminders`. Does not know when one is due again
(text/time_zones.py), or how it is told.
"""

from datetime import datetime, tzinfo

from records.reminders import MAX_REMINDERS, Reminder, ReminderWish
from storage.engine.protocol import Connection
from storage.schema.portable_tables import REMINDERS
from storage.schema.rows import REMINDER_ROWS, AnyRow, format_moment
from storage.tables.owner_tables import OwnerTables, take_ids
from text.time_zones import to_utc


class ReminderTable(OwnerTables):
    """The reminders of the owners in one store. Every method is durable when it returns."""

    async def add(
        self,
        owner: int,
        wish: ReminderWish,
        *,
        thread: int,
        person: int,
        language: str,
        now: datetime,
        source: int | None = None,
    ) -> Reminder | None:
        """Keep a reminder; the one that is there where the same was asked for already; None where there are
        MOST_REMINDERS. Raise StorageError when the owner does not live here.
        """

        def put(connection: Connection) -> Reminder | None:
            same = (owner, thread, wish.text, format_moment(wish.due_at), wish.repeat)
            if row := connection.execute(_SAME, same).fetchone():
                return parse_reminder(row)
            if connection.execute(_COUNT, (owner,)).fetchone()[0] >= MAX_REMINDERS:
                return None
            made = Reminder(
                id=take_ids(connection, self.kind, owner, "next_reminder_id"),
                owner=owner,
                thread=thread,
                person=person,
                text=wish.text,
                due_at=wish.due_at,
                local=wish.local,
                repeat=wish.repeat,
                month_day=wish.month_day,
                language=language,
                created_at=now,
                source=source,
            )
            row = REMINDER_ROWS.row(made) | {"wall_time": _format_wall_time(wish.local)}
            connection.execute(REMINDERS.upsert, REMINDERS.stored(row))
            return made

        return await self.database.transact(put, owner)

    async def all(self, owner: int) -> list[Reminder]:
        """Return the next ones first."""
        return [parse_reminder(row) for row in await self._fetch_rows(owner, _ALL, owner)]

    async def remove(self, owner: int, number: int) -> Reminder | None:
        """Remove a reminder; what it was, None where there is none."""
        rows = await self._execute_for(owner, _REMOVE, owner, number)
        return parse_reminder(rows[0]) if rows else None

    async def due(self, now: datetime, *, limit: int) -> list[Reminder]:
        """Return those that are due by now, of owners whom this process serves: first the longest overdue of each."""
        return [parse_reminder(row) for row in await self._fetch_rows(None, _DUE, format_moment(now), self.kind, limit)]

    async def begin(self, one: Reminder) -> int | None:
        """Note that telling it begins; how often that was for this time. None where it is gone, or due at another."""
        rows = await self._execute_for(one.owner, _BEGIN, one.owner, one.id, format_moment(one.due_at))
        return int(rows[0][0]) if rows else None

    async def take_back(self, one: Reminder) -> None:
        """It surely was not told: that attempt does not count."""
        await self._execute_for(one.owner, _TAKE_BACK, one.owner, one.id, format_moment(one.due_at))

    async def done(self, one: Reminder, again: tuple[datetime, datetime] | None) -> None:
        """It was told for this time. `again`: when it is due next, the moment and by the wall clock; None: never."""
        key = (one.owner, one.id, format_moment(one.due_at))
        if again is None:
            await self._execute_for(one.owner, _DONE, *key)
        else:
            await self._execute_for(one.owner, _AGAIN, format_moment(again[0]), _format_wall_time(again[1]), *key)


def follow_owner(connection: Connection, owner: int, zone: tzinfo) -> None:
    """Have an owner's reminders go by the clock of another zone."""
    rows = connection.execute("SELECT * FROM reminders WHERE user_id = ? AND wall_time <> ''", (owner,)).fetchall()
    for reminder in map(parse_reminder, rows):
        if reminder.local is not None:
            moved = (format_moment(to_utc(reminder.local, zone)), owner, reminder.id)
            connection.execute("UPDATE reminders SET due_at = ? WHERE user_id = ? AND id = ?", moved)


def parse_reminder(row: AnyRow) -> Reminder:
    """Return a row as a reminder. A time or day that somebody broke by editing the file counts as missing."""
    try:
        local = datetime.fromisoformat(row["wall_time"]).replace(tzinfo=None) if row["wall_time"] else None
    except ValueError:
        local = None
    day = row["month_day"] if 0 <= row["month_day"] <= 31 else 0
    return REMINDER_ROWS.of(row, local=local, month_day=day)


def _format_wall_time(local: datetime | None) -> str:
    return local.isoformat(timespec="minutes") if local else ""


_SAME = "SELECT * FROM reminders WHERE user_id = ? AND thread_id = ? AND text = ? AND due_at = ? AND repeat = ?"
_COUNT = "SELECT COUNT(*) FROM reminders WHERE user_id = ?"
_ALL = "SELECT * FROM reminders WHERE user_id = ? ORDER BY due_at, id"
_REMOVE = "DELETE FROM reminders WHERE user_id = ? AND id = ? RETURNING *"
# While a memory moves, both stores have a copy: the one that the owner lives in counts.
_DUE = """
SELECT r.* FROM reminders AS r JOIN users AS u ON u.user_id = r.user_id
WHERE r.due_at <= ? AND u.storage_type = ? AND served_here(r.user_id)
ORDER BY ROW_NUMBER() OVER (PARTITION BY r.user_id ORDER BY r.due_at, r.id), r.due_at, r.user_id, r.id LIMIT ?
"""
_BEGIN = "UPDATE reminders SET sends = sends + 1 WHERE user_id = ? AND id = ? AND due_at = ? RETURNING sends"
_TAKE_BACK = """
UPDATE reminders SET sends = sends - 1 WHERE user_id = ? AND id = ? AND due_at = ? AND sends > 0 RETURNING sends
"""
_DONE = "DELETE FROM reminders WHERE user_id = ? AND id = ? AND due_at = ? RETURNING id"
_AGAIN = """
UPDATE reminders SET due_at = ?, wall_time = ?, sends = 0 WHERE user_id = ? AND id = ? AND due_at = ? RETURNING id
"""

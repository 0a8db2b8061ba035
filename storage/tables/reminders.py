"""The SQL of `reminders`. text/time_zones.py computes the next due time of a repeating reminder."""

import json
from dataclasses import fields, replace
from datetime import datetime, tzinfo

from records.reminders import MAX_REMINDERS, NewReminder, Reminder
from storage.engine.protocol import Connection
from storage.schema.portable_tables import REMINDERS, PortableRow
from storage.schema.rows import REMINDER_ROWS, AnyRow, format_moment
from storage.tables.owner_tables import OwnerTables, reserve_ids_and_get_first
from text.time_zones import find_next_due_time, to_utc


class ReminderTable(OwnerTables):
    """The reminders of the owners in one store (`store.reminders`)."""

    async def add_reminder(
        self,
        owner: int,
        reminder: NewReminder,
        *,
        thread: int,
        person_id: int,
        language: str,
        now: datetime,
        source_id: int | None = None,
    ) -> Reminder | None:
        """Store a reminder, or return an identical stored one. Return None if the owner has MAX_REMINDERS already."""

        def insert_reminder(connection: Connection) -> Reminder | None:
            rule = reminder.repeat, json.dumps(reminder.weekdays)
            same = (owner, thread, reminder.text, format_moment(reminder.due_at), *rule)
            if row := connection.execute(_SAME, same).fetchone():
                return parse_reminder(row)
            if connection.execute(_COUNT, (owner,)).fetchone()[0] >= MAX_REMINDERS:
                return None
            made = Reminder(
                id=reserve_ids_and_get_first(connection, self.kind, owner, "next_reminder_id"),
                owner=owner,
                thread=thread,
                person=person_id,
                language=language,
                created_at=now,
                source=source_id,
                **{field.name: getattr(reminder, field.name) for field in fields(NewReminder)},
            )
            connection.execute(REMINDERS.upsert_sql, REMINDERS.to_params(make_reminder_row(made)))
            return made

        return await self.database.transact(insert_reminder, owner)

    async def list_reminders(self, owner: int) -> list[Reminder]:
        """Return an owner's reminders, soonest first."""
        return [parse_reminder(row) for row in await self._fetch_rows(owner, _ALL, owner)]

    async def remove_reminder(self, owner: int, reminder_id: int) -> Reminder | None:
        rows = await self._execute(owner, _REMOVE, owner, reminder_id)
        return parse_reminder(rows[0]) if rows else None

    async def list_due_reminders(self, now: datetime, *, limit: int) -> list[Reminder]:
        """Return up to `limit` due reminders. Every owner's most overdue reminder precedes anybody's second one."""
        return [parse_reminder(row) for row in await self._fetch_rows(None, _DUE, format_moment(now), self.kind, limit)]

    async def record_and_count_sending_attempts(self, reminder: Reminder) -> int | None:
        """Count an attempt to send a reminder. Return the number of attempts, or None if the reminder has changed."""
        rows = await self._execute(reminder.owner, _BEGIN, *_make_occurrence_key(reminder))
        return int(rows[0][0]) if rows else None

    async def undo_sending_attempt(self, reminder: Reminder) -> None:
        """Undo the last `record_and_count_sending_attempts`. Call this only if the reminder was definitely not sent."""
        await self._execute(reminder.owner, _TAKE_BACK, *_make_occurrence_key(reminder))

    async def delete_or_reschedule(self, reminder: Reminder, next_due: tuple[datetime, datetime] | None) -> None:
        """Delete a reminder that was sent, or set its next due time, given in UTC and in local time."""
        if next_due is None:
            await self._execute(reminder.owner, _DONE, *_make_occurrence_key(reminder))
        else:
            values = format_moment(next_due[0]), next_due[1].isoformat(timespec="minutes")
            await self._execute(reminder.owner, _AGAIN, *values, *_make_occurrence_key(reminder))


def _make_occurrence_key(reminder: Reminder) -> tuple[int, int, str]:
    return reminder.owner, reminder.id, format_moment(reminder.due_at)


def move_reminders_to_zone(connection: Connection, owner: int, zone: tzinfo, *, now: datetime) -> None:
    """Reschedule reminders for the same local times in `zone`. Advance a repeating one if its time has passed."""
    rows = connection.execute("SELECT * FROM reminders WHERE user_id = ? AND wall_time <> ''", (owner,)).fetchall()
    for reminder in map(parse_reminder, rows):
        if (local := reminder.local) is not None:
            due_at = to_utc(local, zone)
            if due_at <= now < reminder.due_at:
                due_at, local = find_next_due_time(reminder, zone, after=now) or (due_at, local)
            moved = (format_moment(due_at), local.isoformat(timespec="minutes"), owner, reminder.id)
            connection.execute("UPDATE reminders SET due_at = ?, wall_time = ? WHERE user_id = ? AND id = ?", moved)


def make_reminder_row(reminder: Reminder) -> PortableRow:
    wall_time = reminder.local.isoformat(timespec="minutes") if reminder.local else ""
    return REMINDER_ROWS.to_row(reminder) | {"wall_time": wall_time}


def parse_reminder(row: AnyRow) -> Reminder:
    """Convert a row to a reminder. Drop an invalid local time or invalid days."""
    reminder = REMINDER_ROWS.parse(row, local=None)
    try:
        local = datetime.fromisoformat(row["wall_time"]).replace(tzinfo=None) if row["wall_time"] else None
    except (ValueError, TypeError):
        local = None
    month_day = reminder.month_day if 0 <= reminder.month_day <= 31 else 0
    weekdays = tuple(day for day in range(7) if day in reminder.weekdays)
    return replace(reminder, local=local, month_day=month_day, weekdays=weekdays)


_SAME = """
SELECT * FROM reminders WHERE user_id = ? AND thread_id = ? AND text = ? AND due_at = ? AND repeat = ?
AND weekdays = ?
"""
_COUNT = "SELECT COUNT(*) FROM reminders WHERE user_id = ?"
_ALL = "SELECT * FROM reminders WHERE user_id = ? ORDER BY due_at, id"
_REMOVE = "DELETE FROM reminders WHERE user_id = ? AND id = ? RETURNING *"
# While a memory moves, both stores have a copy. `users` says which store counts.
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

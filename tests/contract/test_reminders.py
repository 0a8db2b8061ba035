"""Tests of reminders in every store: limits, due times, time zones, moves and forgetting."""

import contextlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from records.errors import StorageError
from records.forgetting import ForgetRequest
from records.owners import StorageType
from records.reminders import MAX_REMINDERS, NewReminder, Reminder
from storage.schema.portable_tables import REMINDERS
from storage.schema.rows import REMINDER_ROWS
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, NOW, make_config, make_message, open_sqlite, open_transaction

# ruff: noqa: DTZ001 - wall clocks have no zone
HOUR = timedelta(hours=1)
WISH = NewReminder(text="call mum", due_at=NOW + HOUR, local=datetime(2026, 3, 1, 13))


async def add_reminder(
    store: MemoryStore, reminder: NewReminder = WISH, *, owner: int = ANNA.owner, source: int | None = None
) -> Reminder:
    made = await store.reminders.add_reminder(
        owner, reminder, thread=0, person_id=owner, language="de", now=NOW, source_id=source
    )
    assert made is not None
    return made


async def test_adds_lists_and_removes_reminders(store: MemoryStore) -> None:
    weekly = NewReminder(text="bins", due_at=NOW + timedelta(minutes=1), local=None, repeat="weekly", month_day=0)
    first, second = await add_reminder(store), await add_reminder(store, weekly)
    assert (first.id, second.id) == (1, 2)
    assert await add_reminder(store) == first, "the same asked for twice is kept once"
    assert await store.reminders.list_reminders(ANNA.owner) == [second, first]
    assert await store.reminders.list_reminders(BORIS.owner) == []
    assert await store.reminders.remove_reminder(BORIS.owner, first.id) is None
    assert await store.reminders.remove_reminder(ANNA.owner, first.id) == first
    assert await store.reminders.remove_reminder(ANNA.owner, first.id) is None
    assert (await add_reminder(store)).id == 3, "a number is never given again"


async def test_rejects_reminders_beyond_limit_per_owner(store: MemoryStore) -> None:
    made = REMINDER_ROWS.to_row(await add_reminder(store)) | {"wall_time": ""}
    async with open_transaction(store) as tx:
        rows = [REMINDERS.to_params(made | {"id": number}) for number in range(2, MAX_REMINDERS + 1)]
        await tx.execute_many(REMINDERS.upsert_sql, rows)
    assert (await add_reminder(store)).id == 1, "the one that is there"
    more_of_them = replace(WISH, text="one more")
    more = await store.reminders.add_reminder(ANNA.owner, more_of_them, thread=0, person_id=7, language="", now=NOW)
    assert more is None
    assert (await add_reminder(store, owner=BORIS.owner)).id == 1
    with pytest.raises(StorageError):
        await add_reminder(store, owner=99)


async def test_due_reminder_is_deleted_or_rescheduled(store: MemoryStore) -> None:
    late, early = await add_reminder(store), await add_reminder(store, replace(WISH, due_at=NOW), owner=BORIS.owner)
    assert await store.reminders.list_due_reminders(NOW - HOUR, limit=9) == []
    assert await store.reminders.list_due_reminders(NOW, limit=9) == [early]
    assert await store.reminders.list_due_reminders(NOW + HOUR, limit=9) == [early, late]
    assert await store.reminders.list_due_reminders(NOW + HOUR, limit=1) == [early]
    assert await store.reminders.record_and_count_sending_attempts(late) == 1
    assert await store.reminders.record_and_count_sending_attempts(late) == 2
    await store.reminders.undo_sending_attempt(late)
    assert await store.reminders.record_and_count_sending_attempts(late) == 2
    again = (NOW + 2 * HOUR, datetime(2026, 3, 1, 14))
    await store.reminders.delete_or_reschedule(late, again)
    [moved] = await store.reminders.list_reminders(ANNA.owner)
    assert moved == replace(late, due_at=again[0], local=again[1], sends=0)
    assert await store.reminders.record_and_count_sending_attempts(late) is None, "it is due at another time now"
    await store.reminders.delete_or_reschedule(late, None)
    assert len(await store.reminders.list_reminders(ANNA.owner)) == 1
    await store.reminders.delete_or_reschedule(early, None)
    assert await store.reminders.list_due_reminders(NOW + 9 * HOUR, limit=9) == [moved]


async def test_due_reminders_alternate_between_owners(store: MemoryStore) -> None:
    many = [await add_reminder(store, replace(WISH, text=str(number), due_at=NOW)) for number in range(3)]
    one = await add_reminder(store, owner=BORIS.owner)
    assert await store.reminders.list_due_reminders(NOW + HOUR, limit=3) == [many[0], one, many[1]]


async def test_wall_clock_reminder_follows_owner_time_zone(store: MemoryStore) -> None:
    await add_reminder(store)
    distance = await add_reminder(store, NewReminder(text="pizza", due_at=NOW + HOUR, local=None))
    await store.upsert_owner(replace(make_config(store, ANNA.owner), timezone="Asia/Tokyo"))
    found = {reminder.text: reminder.due_at for reminder in await store.reminders.list_reminders(ANNA.owner)}
    assert found == {"call mum": datetime(2026, 3, 1, 4, tzinfo=UTC), "pizza": distance.due_at}


async def test_daily_reminder_past_in_new_time_zone_moves_to_next_day(store: MemoryStore) -> None:
    """A reminder for 8:00 in UTC was past after the change to Tokyo, and the bot once reported it as missed."""
    daily = NewReminder(
        text="vitamins", due_at=NOW + 20 * HOUR, local=datetime(2026, 3, 2, 8), repeat="daily", month_day=0
    )
    await add_reminder(store, daily)
    late = NOW + 19 * HOUR
    await store.upsert_owner(replace(make_config(store, ANNA.owner), timezone="Asia/Tokyo", updated_at=late))
    [moved] = await store.reminders.list_reminders(ANNA.owner)
    assert (moved.due_at, moved.local) == (datetime(2026, 3, 2, 23, tzinfo=UTC), datetime(2026, 3, 3, 8))
    assert await store.reminders.list_due_reminders(late, limit=9) == []


async def test_forgetting_source_message_or_everything_deletes_reminders(store: MemoryStore) -> None:
    [message] = await store.append_messages(ANNA, [make_message("remind me to call mum")])
    await add_reminder(store, source=message.id)
    other = await add_reminder(store, replace(WISH, text="bins"))
    what = ForgetRequest(what="messages", ids=(message.id,))
    assert (await store.forgetting.preview_deletion(ANNA.owner, what)).reminders == 1
    assert (await store.forgetting.forget(ANNA.owner, what, now=NOW)).reminders == 1
    assert await store.reminders.list_reminders(ANNA.owner) == [other]
    everything = ForgetRequest(what="everything")
    assert not (await store.forgetting.preview_deletion(ANNA.owner, everything)).is_empty
    assert (await store.forgetting.forget(ANNA.owner, everything, now=NOW)).reminders == 1
    assert await store.reminders.list_reminders(ANNA.owner) == []


async def test_reminders_move_with_owner(store: MemoryStore, tmp_path: Path) -> None:
    await add_reminder(store, replace(WISH, repeat="monthly", month_day=31))
    async with contextlib.AsyncExitStack() as stack:
        (tmp_path / "other").mkdir()
        other: MemoryStore = await stack.enter_async_context(open_sqlite(tmp_path / "other"))
        await other.load_owner(ANNA.owner, store.dump_owner(ANNA.owner))
        assert await other.compute_digest(ANNA.owner) == await store.compute_digest(ANNA.owner)
        assert other.kind is StorageType.SQLITE
        moved = await other.reminders.list_reminders(ANNA.owner)
    assert moved == await store.reminders.list_reminders(ANNA.owner)
    await store.rename_owner(ANNA.owner, -77)
    assert [reminder.text for reminder in await store.reminders.list_reminders(-77)] == ["call mum"]

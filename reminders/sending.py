"""Delivery of due reminders. Each attempt is recorded before and after it, so that a crash loses no reminder."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

from attrs import define, field

from external_memory import ExternalMemory
from records.errors import KeepsakeError
from records.reminders import NewReminder, Reminder
from records.scopes import Clock
from runtime.tasks import cancel_and_wait, repeat_in_background, run_to_completion
from text.time_zones import find_next_due_time

log = logging.getLogger(__name__)

MAX_SENDS = 2  # attempts to send a reminder if it is unknown whether an attempt arrived
MAX_CONCURRENT_OWNERS = 50  # owners who get reminders at the same time, since Telegram may pause a chat for minutes
MAX_DUE = 200  # reminders read at once. list_due_reminders returns the first one of every owner before any second one.
GRACE = 2.0  # seconds to finish sending a reminder when the bot stops
LOOK_EVERY = 5.0  # seconds between two checks for due reminders

REFUSED_PAUSE = timedelta(hours=1)  # until the next attempt to send a reminder that Telegram refused
MAX_REFUSED = timedelta(days=30)  # for which a one-time reminder waits for an owner who has blocked the bot

# It may have arrived, never will, is tried again later, or Telegram refuses it.
SendOutcome = Literal["arrived", "unknown", "gone", "later", "refused"]
SendReminder = Callable[[Reminder, datetime], Awaitable[SendOutcome]]  # sends a reminder at a given time


@define(kw_only=True, eq=False)
class Reminders:
    """Stores the reminders of all owners, and sends them when they are due."""

    _memory: ExternalMemory
    _clock: Clock
    _telling: dict[int, asyncio.Task[None]] = field(factory=dict[int, "asyncio.Task[None]"], init=False)  # by owner
    # By owner and id: one topic of a group may be closed while another one is open.
    _refused_until: dict[tuple[int, int], datetime] = field(factory=dict[tuple[int, int], datetime], init=False)

    async def add(
        self, owner: int, reminder: NewReminder, *, thread: int, person: int, language: str, source: int | None = None
    ) -> Reminder | None:
        """Store a reminder, even if memory is off. Return None if the owner already has the maximum number."""
        if await self._memory.get_config(owner) is None:
            await self._memory.change_config(owner, lambda known: known)
        async with self._memory.open_store(owner) as store:
            return await store.reminders.add_reminder(
                owner, reminder, thread=thread, person_id=person, language=language, now=self._clock(), source_id=source
            )

    async def list_reminders(self, owner: int) -> Sequence[Reminder]:
        async with self._memory.open_store(owner) as store:
            return await store.reminders.list_reminders(owner)

    async def remove(self, owner: int, reminder_id: int) -> Reminder | None:
        async with self._memory.open_store(owner) as store:
            return await store.reminders.remove_reminder(owner, reminder_id)

    @asynccontextmanager
    async def run_sender(self, send: SendReminder) -> AsyncIterator[None]:
        """Send due reminders while the block is open. At its end, wait up to GRACE seconds for those being sent."""
        look = partial(self.start_sending_due_reminders, send)
        try:
            async with repeat_in_background("sending reminders", look, interval=LOOK_EVERY, at_start=True, grace=GRACE):
                yield
        finally:
            if left := list(self._telling.values()):
                await asyncio.wait(left, timeout=GRACE)
                await cancel_and_wait(*left)

    async def start_sending_due_reminders(self, send: SendReminder) -> list[asyncio.Task[None]]:
        """Start sending due reminders, in at most one task per owner, and return the new tasks."""
        begun, now = list[asyncio.Task[None]](), self._clock()
        self._refused_until = {key: until for key, until in self._refused_until.items() if until > now}
        for store in self._memory.stores:
            due = defaultdict[int, list[Reminder]](list)
            for reminder in await store.reminders.list_due_reminders(now, limit=MAX_DUE + len(self._refused_until)):
                if (reminder.owner, reminder.id) not in self._refused_until:
                    due[reminder.owner].append(reminder)
            for owner, theirs in due.items():
                if owner not in self._telling and len(self._telling) < MAX_CONCURRENT_OWNERS:
                    task = self._telling[owner] = asyncio.create_task(self._send_due_reminders(theirs, send))
                    task.add_done_callback(partial(self._telling.pop, owner))
                    begun.append(task)
        return begun

    async def _send_due_reminders(self, reminders: Sequence[Reminder], send: SendReminder) -> None:
        for reminder in reminders:
            try:
                if not await self._try_to_send_reminder(reminder, send):
                    return
            except KeepsakeError as error:
                log.warning("a reminder of %d is not sent yet: %s", reminder.owner, type(error).__name__)

    async def _try_to_send_reminder(self, reminder: Reminder, send: SendReminder) -> bool:
        """Send a reminder if possible. Return False if the owner's further reminders should be sent later, too."""
        while True:
            async with self._memory.open_store(reminder.owner) as store:
                times = await store.reminders.record_and_count_sending_attempts(reminder)
            if times is None:
                return True
            if times > MAX_SENDS:
                log.warning("a reminder of %d is not sent a third time", reminder.owner)
                break
            now = self._clock()
            told = await send(reminder, now)
            waits = told == "refused" and not reminder.repeat and now - reminder.due_at < MAX_REFUSED
            if waits:
                log.info("a reminder of %d waits: Telegram does not take it", reminder.owner)
                self._refused_until[reminder.owner, reminder.id] = now + REFUSED_PAUSE
            elif told == "refused":
                log.warning("a reminder of %d is dropped: Telegram does not take it", reminder.owner)
            if waits or told == "later":
                async with self._memory.open_store(reminder.owner) as store:
                    await store.reminders.undo_sending_attempt(reminder)
                return waits
            if told != "unknown":
                break
        await run_to_completion(lambda: self._finish_or_reschedule(reminder))
        return True

    async def _finish_or_reschedule(self, reminder: Reminder) -> None:
        config = await self._memory.get_config(reminder.owner)
        again = find_next_due_time(reminder, config.zone, after=self._clock()) if config else None
        async with self._memory.open_store(reminder.owner) as store:
            await store.reminders.delete_or_reschedule(reminder, again)

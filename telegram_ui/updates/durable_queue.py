"""The queue between Telegram and the bot. An update is on disk before it is confirmed to Telegram."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeVar

import telegram
from cachetools import TTLCache

from records.errors import StorageError
from records.owners import Mode
from runtime.metrics import make_gauge
from storage.bot_state.inbox import NOBODY, AttemptCounter, Inbox, Lease, PendingUpdate, ReceivedUpdate
from telegram_ui.updates.parsing import parse_raw_update

logger = logging.getLogger(__name__)

T = TypeVar("T")

UNFINISHED = make_gauge("keepsake_updates_unfinished", "Updates that this process has taken and that are not done.")

MAX_UNFINISHED = 1_000  # updates of all people. Telegram keeps the others until there is room.
# Further updates of the person are refused with a sentence, so that nobody waits for them.
MAX_UNFINISHED_PER_PERSON = 200
MAX_URGENT = 20  # further commands and presses of one person. /stop is needed most when too much is waiting.
MAX_KNOWN_PEOPLE = 10_000  # people whose refusals or unfinished updates are remembered
MAX_RUNS = 20  # process crashes that an update may cause before it is dropped
MIN_TRYING_TIME = timedelta(hours=1)  # before an update is dropped, since another one may cause the crashes
MAX_SENDS = 2  # an answer whose sending has an unknown outcome is sent once more, and never a third time


@dataclass(frozen=True, slots=True)
class QueuedUpdate:
    """An update waiting for the dispatcher. Its repr does not show its text."""

    update: telegram.Update
    is_durable: bool  # True if it has a row in the inbox, or gets one once the disk works
    mode: Mode | None = None  # the memory mode that an earlier run recorded
    is_refused: bool = False  # True if its sender has too many unfinished updates, and must be told
    is_replayed: bool = False  # True if an earlier run may have begun to handle it
    lease: Lease | None = None  # under which this process handles it
    shown_before: tuple[int, ...] = ()  # the messages in which an earlier run began to show the answer

    @property
    def update_id(self) -> int:
        return self.update.update_id

    def __repr__(self) -> str:
        return f"QueuedUpdate({self.update_id})"


@dataclass(slots=True)
class TrackedUpdate:
    """An update that is in progress, or done but not marked so on disk yet, or not on disk yet."""

    item: QueuedUpdate | None = None  # None if this run did not handle it
    is_on_disk: bool = True
    state: Literal["in progress", "left to next run", "done", "being marked", "marked as done"] = "in progress"

    @property
    def is_unsettled(self) -> bool:
        return self.state not in ("left to next run", "marked as done")


class DurableQueue(asyncio.Queue[QueuedUpdate]):
    """An update queue that commits updates to disk before enqueue_updates() returns. Each update is delivered once.

    `is_relevant` returns True if an update concerns the bot. Other updates are queued but never written. While `limit`
    updates are unfinished, enqueue_updates() waits, and so does polling. A person's updates beyond `limit_per_person`
    are refused. If writing to disk fails, an update is still handled once, but not confirmed to Telegram.
    """

    _enqueues_at_once = True  # False if updates are begun by the process that claims them

    def __init__(
        self,
        inbox: Inbox,
        *,
        is_relevant: Callable[[telegram.Update], bool],
        now: Callable[[], datetime],
        limit: int = MAX_UNFINISHED,
        limit_per_person: int = MAX_UNFINISHED_PER_PERSON,
    ) -> None:
        super().__init__()
        self._inbox = inbox
        self._is_relevant = is_relevant
        self._now = now
        self._limit = limit
        self._limit_per_person = limit_per_person
        self._bot_id = 0
        self._tracked: dict[int, TrackedUpdate] = {}  # by update id
        self._counts_by_person: Counter[int] = Counter()  # of the updates in progress
        self._refused = TTLCache[int, bool](MAX_KNOWN_PEOPLE, 60.0, lambda: now().timestamp())
        self._room = asyncio.Event()
        self._lock = asyncio.Lock()
        self._cutting = asyncio.Lock()
        self._has_text = asyncio.Event()  # set if the log may hold texts to be removed

    @property
    def is_full(self) -> bool:
        return self._counts_by_person.total() >= self._limit

    async def restore_pending_updates_and_count(self, bot: telegram.Bot) -> int:
        """Queue the updates that an earlier run left unfinished, and return their number. Call this before polling."""
        self._bot_id = bot.id
        rows = await self._inbox.list_pending_updates(bot.id)
        for row in rows:
            attempts = await self._inbox.increment_and_get(bot.id, row.update_id, "attempts")
            await self._requeue_or_give_up(row, attempts, bot)
        return len(rows)

    async def _requeue_or_give_up(self, row: PendingUpdate, attempts: int, bot: telegram.Bot) -> None:
        if attempts > MAX_RUNS and self._now() - row.received_at > MIN_TRYING_TIME:
            logger.error("Update %s was never finished in %s runs; given up.", row.update_id, MAX_RUNS)
            await self.mark_updates_done([row.update_id])
        else:
            if row.sends >= MAX_SENDS:
                await self._inbox.allow_another_send(bot.id, row.update_id, max_sends=MAX_SENDS)
            await self._requeue(row, bot, is_replayed=attempts > 0)

    async def enqueue_updates(self, updates: Sequence[tuple[telegram.Update, Mapping[str, object]]]) -> None:
        """Commit updates in one transaction, and queue them in order. First wait while the queue is full.

        Each update comes with its raw JSON. Raise StorageError if Telegram should send them again.
        """
        while updates and self.is_full:
            self._room.clear()
            await self._room.wait()
        # One call at a time, in order: a webhook's requests arrive side by side.
        async with self._lock:
            # First, since an update that is written then is no longer tracked, and would be taken for a new one.
            arrivals, others = self._select_arrivals_and_others(updates)
            await self._try_to_write_unwritten_updates()
            new, error = set[int](), None
            try:
                if arrivals:
                    new = await self._inbox.store_and_get_new_ids(self._bot_id, [*arrivals.values()], self._now())
            except StorageError as failure:
                error = failure
            for update, _ in updates:
                number = update.update_id
                if number in others:
                    await self.put(others.pop(number))
                elif arrivals.pop(number, None) is None:
                    continue  # a server may send an update twice, also in one batch
                elif error is not None:
                    await self._enqueue_unwritten_update_or_raise(update, error)
                elif self._enqueues_at_once and number in new:
                    await self._enqueue_update(QueuedUpdate(update, is_durable=True))
                elif self._enqueues_at_once:
                    await self._requeue_if_lost(update)

    def _select_arrivals_and_others(
        self, updates: Iterable[tuple[telegram.Update, Mapping[str, object]]]
    ) -> tuple[dict[int, ReceivedUpdate], dict[int, QueuedUpdate]]:
        """Return the updates to be written, and those to be queued without that, by id. Leave out unreadable ones."""
        arrivals, others, counts_by_sender = dict[int, ReceivedUpdate](), dict[int, QueuedUpdate](), Counter[int]()
        for update, raw in updates:
            number = update.update_id
            try:
                sender = find_sender_id_or_nobody(update)
                if not self._is_relevant(update):
                    others[number] = QueuedUpdate(update, is_durable=False)
                elif self._exceeds_sender_limit(update, sender, counts_by_sender[sender]):
                    if self._try_to_reserve_refusal_notice(sender):
                        others[number] = QueuedUpdate(update, is_durable=False, is_refused=True)
                elif number not in self._tracked:
                    arrivals[number] = ReceivedUpdate(number, json.dumps(raw), find_chat_id_or_nobody(update), sender)
                    counts_by_sender[sender] += 1
            except Exception as error:  # broad: fields may have any type, and an error here would end polling
                logger.error("Update %s is unreadable (%s); ignored.", number, type(error).__name__)  # noqa: TRY400
        return arrivals, others

    async def mark_updates_done(
        self, update_ids: Iterable[int], *, is_text_stored: bool = False, may_truncate_log_later: bool = False
    ) -> None:
        """Mark updates as done and delete their payloads. If the disk fails, the next call retries.

        Unless the memory stores their text (`is_text_stored`), also remove it from the database's log. If
        `may_truncate_log_later` is set and other updates are waiting, keep_truncating_database_log() does this later.
        """
        finished = set(update_ids)
        self.stop_tracking_updates(finished)
        for number in finished:
            tracked = self._tracked.setdefault(number, TrackedUpdate())
            tracked.state = "being marked" if tracked.state == "being marked" else "done"  # another call marks it
        marking = sorted(number for number, tracked in self._tracked.items() if tracked.state == "done")
        for number in marking:
            self._tracked[number].state = "being marked"
        is_marked = False
        try:
            if marking:
                await self._inbox.mark_updates_done(self._bot_id, marking, self._now())
            is_marked = True
        except StorageError as error:
            logger.warning("The inbox cannot mark updates as done (%s); retrying later.", type(error).__name__)
        finally:
            for number in marking:
                self._tracked[number].state = "marked as done" if is_marked else "done"
                self._drop_if_settled(number)
        if not is_text_stored:
            self._has_text.set()
            if not may_truncate_log_later or not self._counts_by_person:
                await self.try_to_truncate_database_log()

    async def keep_truncating_database_log(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Truncate the database's log whenever it contains texts of finished updates. Runs until it is cancelled."""
        while True:
            await self._has_text.wait()
            # A cut costs as much as several commits, and fails while another program reads the file.
            await pause(1.0 if await self.try_to_truncate_database_log() else 10.0)

    async def try_to_truncate_database_log(self) -> bool:
        """Remove the texts of finished updates from the database's log. Return False on failure."""
        async with self._cutting:
            if self._has_text.is_set():
                self._has_text.clear()
                try:
                    is_cut = await self._inbox.database.try_to_truncate_write_ahead_log()
                except StorageError as error:
                    is_cut = False
                    logger.warning("The inbox's log cannot be cut (%s); retrying later.", type(error).__name__)
                if not is_cut:
                    self._has_text.set()
            return not self._has_text.is_set()

    async def record_memory_mode(self, update_id: int, mode: Mode) -> None:
        """Record the memory mode in which an update was sent, for a later run."""
        await self._run_or_warn("how memory stood", self._inbox.record_memory_mode(self._bot_id, update_id, mode))

    async def record_answer_message_ids(self, update_id: int, message_ids: Sequence[int]) -> None:
        """Record the ids of the messages that show a part of an answer, for a later run."""
        work = self._inbox.record_answer_messages(self._bot_id, update_id, message_ids)
        await self._run_or_warn("where an answer is shown", work)

    def get_earlier_answer_message_ids(self, update_id: int) -> tuple[int, ...]:
        """Return the ids of the messages in which an earlier run began to show the answer."""
        item = self._get_tracked(update_id).item
        return item.shown_before if item is not None else ()

    async def increment_and_get_attempts(self, update_id: int, counter: AttemptCounter) -> int:
        """Count an attempt on disk. Return the number of attempts in all runs, or 1 if the disk fails."""
        return await self._run_or_warn(counter, self._inbox.increment_and_get(self._bot_id, update_id, counter)) or 1

    async def decrement_attempts(self, update_id: int, counter: AttemptCounter) -> None:
        """Undo increment_and_get_attempts() for an attempt that had no effect or was stopped by a shutdown."""
        await self._run_or_warn(counter, self._inbox.decrement_attempts(self._bot_id, update_id, counter))

    async def _run_or_warn(self, purpose: str, work: Awaitable[T]) -> T | None:
        try:
            return await work
        except StorageError as error:
            logger.warning("The inbox cannot note %s (%s).", purpose, type(error).__name__)
            return None

    def are_updates_on_disk(self, update_ids: Iterable[int]) -> bool:
        return all(self._get_tracked(number).is_on_disk for number in update_ids)

    def _list_unwritten_updates(self) -> list[telegram.Update]:
        """Return the updates that were passed on and are not on disk yet, by ascending id."""
        items = [tracked.item for tracked in self._tracked.values() if tracked.item and not tracked.is_on_disk]
        return [item.update for item in sorted(items, key=lambda item: item.update_id)]

    async def require_lease(self, lease: Lease) -> None:
        """Raise ServedElsewhere if this process has lost the lease. With only one process, do nothing."""

    async def delete_old_update_ids(self) -> None:
        """Delete update ids older than 48 hours. Telegram repeats an update for at most 24 hours."""
        await self._inbox.delete_and_count_done_updates(self._now() - timedelta(hours=48))

    async def retry_writes_and_get_first_failed_id(self) -> int | None:
        """Write the updates that are not on disk yet. Return the lowest id that could not be written, or None."""
        async with self._lock:
            await self._try_to_write_unwritten_updates()
        return next((update.update_id for update in self._list_unwritten_updates()), None)

    async def _try_to_write_unwritten_updates(self) -> None:
        with suppress(StorageError):  # the next call tries again
            for update in self._list_unwritten_updates():
                number, tracked = update.update_id, self._tracked[update.update_id]
                # Otherwise it is in progress here, or already answered.
                is_begun = tracked.state != "left to next run"
                place = find_chat_id_or_nobody(update), find_sender_id_or_nobody(update)
                arrival = ReceivedUpdate(number, update.to_json(), *place, is_begun)
                await self._inbox.store_and_get_new_ids(self._bot_id, [arrival], self._now())
                if tracked.state not in ("in progress", "left to next run"):
                    await self._inbox.mark_updates_done(self._bot_id, [number], self._now())
                tracked.is_on_disk = True
                self._drop_if_settled(number)

    async def _requeue_if_lost(self, update: telegram.Update) -> None:
        """Queue an update that an earlier call wrote to disk but did not queue, because it failed."""
        for row in await self._inbox.list_pending_updates(self._bot_id):
            if row.update_id == update.update_id:
                await self._requeue(row, update.get_bot())

    async def _enqueue_unwritten_update_or_raise(self, update: telegram.Update, error: StorageError) -> None:
        """Enqueue an update that could not be written to disk. Raise StorageError if Telegram should redeliver it."""
        if not await self._can_handle_unwritten_update(update):
            raise StorageError("The update could not be kept.") from error
        logger.error("Update %s is not on disk yet (%s).", update.update_id, type(error).__name__)
        item = QueuedUpdate(update, is_durable=True, lease=self._find_lease(update))
        await self._enqueue_update(item, is_on_disk=False)

    async def _can_handle_unwritten_update(self, update: telegram.Update) -> bool:
        return True

    def _find_lease(self, update: telegram.Update) -> Lease | None:
        return None  # a process that is alone needs none

    async def _requeue(self, row: PendingUpdate, bot: telegram.Bot, *, is_replayed: bool = True) -> None:
        number = row.update_id
        update = parse_stored_update(row, bot) if row.payload else None
        if update is None:
            if not row.payload:
                logger.info("Update %s was forgotten before it was answered.", number)
            await self.mark_updates_done([number])
            return
        item = QueuedUpdate(update, is_durable=True, mode=row.mode, is_replayed=is_replayed, lease=row.lease)
        await self._enqueue_update(replace(item, shown_before=row.shown))

    async def _enqueue_update(self, item: QueuedUpdate, *, is_on_disk: bool = True) -> None:
        tracked = self._get_tracked(item.update_id)
        if tracked.state == "in progress":
            tracked.item = item
        else:
            self._tracked[item.update_id] = TrackedUpdate(item, is_on_disk)
            self._counts_by_person[find_sender_id_or_nobody(item.update)] += 1
            UNFINISHED.set(self._counts_by_person.total())
        await self.put(item)

    def _get_tracked(self, update_id: int) -> TrackedUpdate:
        return self._tracked.get(update_id) or TrackedUpdate(state="left to next run")

    def stop_tracking_updates(self, update_ids: Iterable[int]) -> None:
        """Stop tracking updates. The next run handles those that are not marked as done."""
        for number, tracked in [(number, self._get_tracked(number)) for number in update_ids]:
            if tracked.item is not None and tracked.state == "in progress":
                sender = find_sender_id_or_nobody(tracked.item.update)
                self._counts_by_person[sender] -= 1
                if not self._counts_by_person[sender]:
                    del self._counts_by_person[sender]
                tracked.state = "left to next run"
                self._drop_if_settled(number)
        UNFINISHED.set(self._counts_by_person.total())
        self._room.set()

    def _drop_if_settled(self, update_id: int) -> None:
        if self._tracked[update_id].is_on_disk and not self._tracked[update_id].is_unsettled:
            del self._tracked[update_id]

    def _exceeds_sender_limit(self, update: telegram.Update, sender: int, pending_count: int) -> bool:
        message = update.message
        if sender == NOBODY or self._get_tracked(update.update_id).state == "in progress":
            return False
        is_command = message is not None and str(message.text or "").startswith("/")
        limit = self._limit_per_person + (MAX_URGENT if is_command or update.callback_query else 0)
        return self._count_unfinished_updates(sender) + pending_count >= limit

    def _count_unfinished_updates(self, person_id: int) -> int:
        return self._counts_by_person[person_id]

    def _try_to_reserve_refusal_notice(self, sender: int) -> bool:
        if sender in self._refused:  # the person has just been told
            return False
        self._refused[sender] = True
        logger.warning("Person %s has %s updates unfinished; more are refused.", sender, self._counts_by_person[sender])
        return True


def parse_stored_update(row: PendingUpdate, bot: telegram.Bot) -> telegram.Update | None:
    try:
        return parse_raw_update(json.loads(row.payload), bot)
    except Exception as error:  # broad: one unreadable row must not keep the others from being answered
        logger.error("Update %s in the inbox is unreadable (%s); dropped.", row.update_id, type(error).__name__)  # noqa: TRY400
        return None


def find_chat_id_or_nobody(update: telegram.Update) -> int:
    chat = update.effective_chat
    return chat.id if chat is not None and isinstance(chat.id, int) else NOBODY


def find_sender_id_or_nobody(update: telegram.Update) -> int:
    """Return the id of the person who sent an update, or NOBODY if there is none."""
    user = update.effective_user
    return user.id if user is not None and isinstance(user.id, int) else NOBODY

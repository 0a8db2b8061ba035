"""The update queue of a process that shares its work with others. It claims updates from a shared inbox."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

import telegram
from cachetools import LRUCache

from records.errors import KeepsakeError, StorageError
from storage.bot_state.inbox import NOBODY, Lease, ReceivedUpdate
from telegram_ui.updates.durable_queue import (
    MAX_KNOWN_PEOPLE,
    MAX_UNFINISHED,
    MAX_UNFINISHED_PER_PERSON,
    DurableQueue,
    find_chat_id_or_nobody,
    find_sender_id_or_nobody,
    parse_stored_update,
)

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_inbox import PostgresInbox

logger = logging.getLogger(__name__)

IDLE_SECONDS = 300.0  # seconds without an update after which another process may serve a chat


class SharedQueue(DurableQueue):
    """A DurableQueue shared by several processes, each of which handles the updates that it claims.

    `learn_people` takes people's ids and loads access decisions stored by other processes. `monotonic` returns seconds.
    """

    _enqueues_at_once = False

    def __init__(
        self,
        inbox: "PostgresInbox",
        *,
        is_relevant: Callable[[telegram.Update], bool],
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
        learn_people: Callable[[Sequence[int]], Awaitable[None]],
        limit: int = MAX_UNFINISHED,
        limit_per_person: int = MAX_UNFINISHED_PER_PERSON,
    ) -> None:
        super().__init__(inbox, is_relevant=is_relevant, now=now, limit=limit, limit_per_person=limit_per_person)
        self._shared = inbox
        self._monotonic = monotonic
        self._learn_people = learn_people
        self._claiming = asyncio.Lock()  # claimed updates are queued before the next claim
        self._last: dict[int, float] = {}  # when each owner served here was last busy
        self._known = LRUCache[int, int](MAX_KNOWN_PEOPLE)  # each person's unfinished updates in all processes

    async def restore_pending_updates_and_count(self, bot: telegram.Bot) -> int:
        """Move the pending updates from the former inbox in memory.db to the shared inbox, and return their number."""
        self._bot_id = bot.id
        former = self._shared.former
        rows = await former.list_pending_updates(bot.id)
        for row in rows:
            if (update := parse_stored_update(row, bot)) is not None:
                arrival = ReceivedUpdate(
                    row.update_id, row.payload, find_chat_id_or_nobody(update), find_sender_id_or_nobody(update)
                )
                await self._inbox.store_and_get_new_ids(bot.id, [arrival], row.received_at)
            await former.mark_updates_done(bot.id, [row.update_id], self._now())
        return len(rows)

    async def keep_claiming_updates(self, bot: telegram.Bot, pause: Callable[[float], Awaitable[None]]) -> None:
        """Claim updates from the shared inbox for as long as the bot runs."""
        while True:
            try:
                found = await self.claim_updates_and_count(bot)
                await self.release_idle_and_requested_leases()
            except KeepsakeError as error:
                logger.warning("Updates cannot be claimed right now (%s).", type(error).__name__)
                await pause(1.0)
                continue
            if self._list_unwritten_updates():
                await self.retry_writes_and_get_first_failed_id()
            if not found:
                await self._shared.leases.replica.wait_for_work()

    async def enqueue_updates(self, updates: Sequence[tuple[telegram.Update, Mapping[str, object]]]) -> None:
        await self._load_unfinished_counts_of_senders([update for update, _ in updates])
        await super().enqueue_updates(updates)

    @property
    def is_full(self) -> bool:
        return False  # received updates need not be handled here

    async def claim_updates_and_count(self, bot: telegram.Bot) -> int:
        """Claim updates from the shared inbox, queue them, and return how many were claimed."""
        # One claim serves several updates.
        while (room := self._limit - self._counts_by_person.total()) < min(20, self._limit):
            self._room.clear()
            await self._room.wait()
        async with self._claiming:
            rows = await self._shared.claim_updates(bot.id, limit=room, now=self._now())
            for row in rows:
                # Taken while the database was away, or claimed twice.
                tracked = self._get_tracked(row.update_id)
                has_other_lease = tracked.state == "in progress" and tracked.item and tracked.item.lease != row.lease
                if not tracked.is_unsettled or has_other_lease:
                    await self._requeue_or_give_up(row, row.attempts, bot)
        return len(rows)

    async def _can_handle_unwritten_update(self, update: telegram.Update) -> bool:
        # If this process serves the chat, and no updates on disk come before this one.
        if self._find_lease(update) is None or not self._shared.leases.replica.is_certainly_alive():
            return False
        bot = update.get_bot()
        try:
            await self.claim_updates_and_count(bot)
        except KeepsakeError:
            # The reply to the claim may be lost too, so ask again without a commit.
            try:
                waiting = await self._shared.list_ids_of_unfinished_updates(bot.id, find_chat_id_or_nobody(update))
            except StorageError:
                return True  # the database is away, so go on without it
            return waiting <= {number for number, tracked in self._tracked.items() if tracked.is_unsettled}
        return False

    async def release_idle_and_requested_leases(self) -> None:
        """Drop updates whose lease was lost. Release the leases of chats that are idle or requested by others."""
        now, served = self._monotonic(), set(self._shared.leases.served_owners)
        held = self._list_leases()
        self.stop_tracking_updates(
            [number for number, lease in held.items() if lease and self._shared.find_lease(lease.owner) != lease]
        )
        busy = {lease.owner for lease in self._list_leases().values() if lease is not None}
        self._last = {owner: now if owner in busy else self._last.get(owner, now) for owner in served}
        if gone := [owner for owner, last in self._last.items() if now - last > IDLE_SECONDS]:
            await self._shared.leases.release_owners(gone)
        await self._shared.leases.release_requested_owners(busy)

    def _list_leases(self) -> dict[int, Lease | None]:
        """Return the leases of the updates in progress, by update id."""
        in_progress = [known.item for known in self._tracked.values() if known.state == "in progress"]
        return {item.update_id: item.lease for item in in_progress if item is not None}

    async def _load_unfinished_counts_of_senders(self, updates: Iterable[telegram.Update]) -> None:
        people = sorted({find_sender_id_or_nobody(update) for update in updates} - {NOBODY})
        with suppress(StorageError):  # enqueue_updates() handles the failure
            if people:
                await self._learn_people(people)
                found = await self._shared.count_unfinished_updates_by_person(self._bot_id, people)
                self._known.update({person: found.get(person, 0) for person in people})

    def _count_unfinished_updates(self, person_id: int) -> int:
        return self._known.get(person_id, 0)

    def _find_lease(self, update: telegram.Update) -> Lease | None:
        return self._shared.find_lease(find_chat_id_or_nobody(update))

    async def require_lease(self, lease: Lease) -> None:
        await self._shared.leases.require_lease(*lease)

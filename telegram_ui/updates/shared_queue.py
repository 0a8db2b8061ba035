"""The queue of a process that shares its work with others.

receive() only commits updates. The process that serves their chat claims them from the inbox.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import telegram
from cachetools import LRUCache

from records.errors import KeepsakeError, StorageError
from storage.bot_state.inbox import NOBODY, Inbox, Lease
from telegram_ui.updates.durable_queue import MAX_OF_ONE, MAX_UNFINISHED, PEOPLE_KNOWN, DurableQueue, make_arrival

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_inbox import SharedWork

logger = logging.getLogger(__name__)

IDLE_FOR = 300.0  # seconds without an update after which another process may serve a chat


class SharedQueue(DurableQueue):
    """A DurableQueue from which an update comes out in the process that claims it.

    `monotonic` returns seconds. `learn_people` is given senders, and reads other processes' decisions about strangers.
    """

    _begins_at_once = False

    def __init__(
        self,
        inbox: Inbox,
        shared: "SharedWork",
        *,
        keep: Callable[[telegram.Update], bool],
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
        learn_people: Callable[[Sequence[int]], Awaitable[None]],
        limit: int = MAX_UNFINISHED,
        limit_of_one: int = MAX_OF_ONE,
    ) -> None:
        super().__init__(inbox, keep=keep, now=now, limit=limit, limit_of_one=limit_of_one)
        self._shared = shared
        self._monotonic = monotonic
        self._learn_people = learn_people
        self._claiming = asyncio.Lock()  # claimed updates are queued before the next claim
        self._last: dict[int, float] = {}  # when each owner served here was last busy
        self._known = LRUCache[int, int](PEOPLE_KNOWN)  # each person's unfinished updates in all processes

    async def replay(self, bot: telegram.Bot) -> int:
        """Move the updates that this process kept before it shared its work to the common inbox, and count them."""
        self._bot_id = bot.id
        former = self._shared.former
        rows = await former.pending(bot.id)
        for row in rows:
            try:
                update = telegram.Update.de_json(json.loads(row.payload), bot)
            except Exception as error:  # broad: the library may raise anything
                logger.error("Update %s in the inbox is unreadable (%s); dropped.", row.update_id, type(error).__name__)  # noqa: TRY400
            else:
                await self._inbox.receive(bot.id, [make_arrival(update, row.payload)], row.received_at)
            await former.done(bot.id, [row.update_id], self._now())
        return len(rows)

    async def claim_all(self, bot: telegram.Bot, pause: Callable[[float], Awaitable[None]]) -> None:
        """Claim updates for as long as the bot runs."""
        while True:
            try:
                found = await self.claim(bot)
                await self.let_go()
            except KeepsakeError as error:
                logger.warning("Updates cannot be claimed right now (%s).", type(error).__name__)
                await pause(1.0)
                continue
            if self._unwritten:
                await self.retry_unwritten()
            if not found:
                await self._shared.leases.replica.wait_for_call()

    async def receive(self, updates: Sequence[tuple[telegram.Update, Mapping[str, object]]]) -> None:
        await self._count_updates([update for update, _ in updates])
        await super().receive(updates)

    @property
    def is_full(self) -> bool:
        return False  # received updates need not be handled here

    async def claim(self, bot: telegram.Bot) -> int:
        """Claim and queue updates, and count them."""
        while (room := self._limit - len(self._unfinished)) < min(20, self._limit):  # one claim serves several updates
            self._room.clear()
            await self._room.wait()
        async with self._claiming:
            rows = await self._shared.claim(bot.id, most=room, now=self._now())
            for row in rows:
                # Taken while the database was away, or claimed twice.
                is_under_way = row.update_id in self._leases and self._leases[row.update_id] == row.lease
                if not is_under_way and row.update_id not in self._unmarked:
                    await self._take_up(row, row.attempts, bot)
        return len(rows)

    async def _is_catching_up(self, update: telegram.Update) -> bool:
        bot = update.get_bot()
        try:
            await self.claim(bot)
        except KeepsakeError:
            # The reply to the claim may be lost too, so ask again without a commit.
            try:
                waiting = await self._shared.unfinished_in(bot.id, make_arrival(update, "").owner)
            except StorageError:
                return False  # the database is away, so go on without it
            return not waiting <= self._leases.keys() | self._unmarked
        return True

    async def let_go(self) -> None:
        """Drop updates whose lease was lost, and release the leases of quiet chats and of those others ask for."""
        now, served = self._monotonic(), set(self._shared.leases.served)
        held = {number: lease for number, lease in self._leases.items() if lease is not None}
        self._drop_finished([number for number, lease in held.items() if self._shared.lease(lease.owner) != lease])
        busy = {lease.owner for lease in self._leases.values() if lease is not None}
        self._last = {owner: now if owner in busy else self._last.get(owner, now) for owner in served}
        if gone := [owner for owner, last in self._last.items() if now - last > IDLE_FOR]:
            await self._shared.leases.release(gone)
        await self._shared.leases.let_go(busy)

    async def _count_updates(self, updates: Iterable[telegram.Update]) -> None:
        people = sorted({make_arrival(update, "").person for update in updates} - {NOBODY})
        if not people:
            return
        try:
            await self._learn_people(people)
            found = await self._shared.unfinished_of(self._bot_id, people)
        except StorageError:
            return  # receive() handles the failure
        self._known.update({person: found.get(person, 0) for person in people})

    def _count_unfinished(self, person: int) -> int:
        return self._known.get(person, 0)

    def _may_go_on(self, update: telegram.Update) -> bool:
        return self._find_lease(update) is not None and self._shared.leases.replica.may_go_on()

    def _find_lease(self, update: telegram.Update) -> Lease | None:
        return self._shared.lease(make_arrival(update, "").owner)

    async def confirm(self, lease: Lease) -> None:
        await self._shared.confirm(lease)

"""The queue of a process that shares its work with others: what comes in goes to whoever serves its chat.

Updates come out of the inbox, where this process claims them; receive() only commits.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import telegram
from cachetools import LRUCache

from records.errors import KeepsakeError, StorageError
from storage.bot_state.inbox import NOBODY, Arrival, Inbox, Lease
from telegram_ui.updates.durable_queue import (
    MAX_OF_ONE,
    MAX_UNFINISHED,
    PEOPLE_KNOWN,
    DurableQueue,
    make_arrival,
)

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_inbox import SharedWork

logger = logging.getLogger(__name__)

IDLE_FOR = 300.0  # seconds without an update, after which another process may serve a chat


class SharedQueue(DurableQueue):
    """As its parent; an update that was received comes out of the queue of the process that claims it.

    `monotonic`: seconds. `learn_people`: if one of these is a stranger, reads whom other processes have let in.
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
        self._claiming = asyncio.Lock()  # what is claimed is queued before the next is
        self._last: dict[int, float] = {}  # when an owner who is served here was last busy
        self._known = LRUCache[int, int](PEOPLE_KNOWN)  # updates of a person that nobody has finished

    async def replay(self, bot: telegram.Bot) -> int:
        """Nothing is this process's own yet; what it had before it shared its work goes to all. How much that was."""
        self._bot_id = bot.id
        former = self._shared.former
        rows = await former.pending(bot.id)
        for row in rows:
            try:
                update = telegram.Update.de_json(json.loads(row.payload), bot)
            except Exception as error:  # broad: PTB raises whatever it stumbles over
                logger.error("Update %s in the inbox is unreadable (%s); dropped.", row.update_id, type(error).__name__)  # noqa: TRY400
            else:
                await self._inbox.receive(bot.id, [make_arrival(update, row.payload)], row.received_at)
            await former.done(bot.id, [row.update_id], self._now())
        return len(rows)

    async def claim_all(self, bot: telegram.Bot, pause: Callable[[float], Awaitable[None]]) -> None:
        """Claim what falls to this process, for as long as the bot runs."""
        while True:
            try:
                found = await self.claim(bot)
                await self.let_go()
            except KeepsakeError as error:
                logger.warning("Updates cannot be claimed right now (%s).", type(error).__name__)
                await pause(1.0)
                continue
            if self._unwritten:
                await self.first_unwritten()
            if not found:
                await self._shared.arrived()

    async def receive(self, updates: Sequence[tuple[telegram.Update, Mapping[str, object]]]) -> None:
        await self._count_updates([update for update, _ in updates])
        await super().receive(updates)

    @property
    def is_full(self) -> bool:
        """Never: what is received need not be handled here."""
        return False

    async def claim(self, bot: telegram.Bot) -> int:
        """Claim, and queue what was claimed; how much that was."""
        while (room := self._limit - len(self._unfinished)) < min(20, self._limit):  # so that one claim serves several
            self._room.clear()
            await self._room.wait()
        async with self._claiming:
            rows = await self._shared.claim(bot.id, most=room, now=self._now())
            for row in rows:
                # Under the same lease it is under way: it was taken while the database was away, or is claimed again.
                is_under_way = row.update_id in self._leases and self._leases[row.update_id] == row.lease
                if not is_under_way and row.update_id not in self._unmarked:
                    await self._take_up(row, row.attempts, bot)
        return len(rows)

    async def _is_catching_up(self, update: telegram.Update) -> bool:
        """Claim first what others wrote before it: it may not be claimed yet where only the reply was lost."""
        bot = update.get_bot()
        try:
            await self.claim(bot)
        except KeepsakeError:
            # The claim's reply may be lost, too. A question is not: it commits nothing.
            try:
                waiting = await self._shared.unfinished_in(bot.id, make_arrival(update, "").owner)
            except StorageError:
                return False  # the database is away: what cannot be written goes on without it
            return not waiting <= self._leases.keys() | self._unmarked
        return True

    async def let_go(self) -> None:
        """Drop updates whose lease was lost: they are handled under the next one, here or elsewhere.

        Chats that have been quiet may be served by any process: the work is divided again as they speak.
        """
        now, served = self._monotonic(), set(self._shared.served())
        held = {number: lease for number, lease in self._leases.items() if lease is not None}
        self._finish([number for number, lease in held.items() if self._shared.lease(lease.owner) != lease])
        busy = {lease.owner for lease in self._leases.values() if lease is not None}
        self._last = {owner: now if owner in busy else self._last.get(owner, now) for owner in served}
        if gone := [owner for owner, last in self._last.items() if now - last > IDLE_FOR]:
            await self._shared.release(gone)
        await self._shared.let_go(busy)

    async def _count_updates(self, updates: Iterable[telegram.Update]) -> None:
        """Learn whether their senders are served by now, and how many updates they have in all processes."""
        people = sorted({make_arrival(update, "").person for update in updates} - {NOBODY})
        if not people:
            return
        try:
            await self._learn_people(people)
            found = await self._shared.unfinished_of(self._bot_id, people)
        except StorageError:
            return  # receive() will know what to do
        self._known.update({person: found.get(person, 0) for person in people})

    def _count_unfinished(self, person: int) -> int:
        return self._known.get(person, 0)

    def _make_arrival(self, update: telegram.Update) -> Arrival:
        number = update.update_id
        is_begun = number in self._unwritten and (number in self._unfinished or number in self._answered)
        return replace(super()._make_arrival(update), is_begun=is_begun)

    def _may_go_on(self, update: telegram.Update) -> bool:
        return self._lease_of(update) is not None and self._shared.may_go_on()

    def _lease_of(self, update: telegram.Update) -> Lease | None:
        return self._shared.lease(make_arrival(update, "").owner)

    async def confirm(self, lease: Lease) -> None:
        await self._shared.confirm(lease)

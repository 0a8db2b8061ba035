"""The queue between Telegram and the bot: an update is on disk before Telegram is told that we have it.

receive() commits; an update is confirmed only after it, by polling and webhook alike.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

import telegram
from cachetools import LRUCache

from records.errors import StorageError
from records.owners import Mode
from runtime.metrics import make_gauge
from storage.bot_state.inbox import NOBODY, Arrival, Counted, Inbox, Lease, PendingUpdate

logger = logging.getLogger(__name__)

T = TypeVar("T")

UNFINISHED = make_gauge("keepsake_updates_unfinished", "Updates that this process has taken and that are not done.")

MAX_UNFINISHED = 1_000  # updates of everybody; Telegram keeps the others until there is room
MAX_OF_ONE = 200  # updates of one person; any more are refused with a sentence, so that nobody waits for them
MAX_URGENT = 20  # commands and presses of one person beyond that: /stop is needed most when too much waits
PEOPLE_KNOWN = 10_000  # people of whom the process knows when they were last told
BEGINNINGS = 20  # runs that may die over an update before it is given up
TRIED_FOR = timedelta(hours=1)  # and the least time until then: it may only have waited behind the one that killed them
SENDS_EVER = 2  # an answer whose sending has an unknown outcome is sent once more, and never a third time


@dataclass(frozen=True, slots=True)
class Received:
    """An update as it is handed over. Its repr shows no text.

    `mode`: how memory stood when it was said, where an earlier run noted it. `is_replayed`: an earlier run had it.
    `is_refused`: its sender has too many that are not finished; it is kept nowhere, and they are to be told.
    `lease`: under which it is handled, where several processes share the work.
    """

    update: telegram.Update
    is_durable: bool
    mode: Mode | None = None
    is_refused: bool = False
    is_replayed: bool = False
    lease: Lease | None = None

    @property
    def update_id(self) -> int:
        return self.update.update_id

    def __repr__(self) -> str:
        return f"Received({self.update_id})"


class DurableQueue(asyncio.Queue[Received]):
    """An update queue whose receive() returns when the updates are committed; each comes out of it once.

    `keep` says whether an update concerns the bot; those that do not are passed on and never written.
    `limit`: how many kept updates may be unfinished before receive(), and so polling, waits.
    `limit_of_one`: the most of one person; their next ones are refused, so that nobody else waits behind them.
    While the disk takes nothing, an update is passed on once, unwritten, and stays with Telegram: whoever polls asks
    first_unwritten() for what must not be confirmed, and a webhook is_written() before it answers.
    """

    _begins_at_once = True
    """False: whoever claims an update begins its work."""

    def __init__(
        self,
        inbox: Inbox,
        *,
        keep: Callable[[telegram.Update], bool],
        now: Callable[[], datetime],
        limit: int = MAX_UNFINISHED,
        limit_of_one: int = MAX_OF_ONE,
    ) -> None:
        super().__init__()
        self._inbox = inbox
        self._keep = keep
        self._now = now
        self._limit = limit
        self._limit_of_one = limit_of_one
        self._bot_id = 0
        self._unfinished: dict[int, int] = {}  # whose each is
        self._shown_before: dict[int, tuple[int, ...]] = {}
        self._leases: dict[int, Lease | None] = {}  # under which each of them was handed out
        self._of_each: Counter[int] = Counter()
        self._refused = LRUCache[int, datetime](PEOPLE_KNOWN)
        self._unmarked: set[int] = set()  # finished, but the disk did not take it yet
        self._being_marked: set[int] = set()
        self._unwritten: dict[int, telegram.Update] = {}  # passed on, but on no disk yet
        self._answered: set[int] = set()  # those of them that are done
        self._room = asyncio.Event()
        self._lock = asyncio.Lock()
        self._ahead: dict[int, bool] = {}  # on disk and not handed over yet: whether its id was new
        self._cutting = asyncio.Lock()
        self._has_text = asyncio.Event()  # texts that belong in no file may still be in the file's log

    @property
    def is_full(self) -> bool:
        return len(self._unfinished) >= self._limit

    async def replay(self, bot: telegram.Bot) -> int:
        """Queue the updates that an earlier run left unfinished, and count them. Call once before fetching begins."""
        self._bot_id = bot.id
        rows = await self._inbox.pending(bot.id)
        for row in rows:
            attempts = await self._inbox.begin(bot.id, row.update_id, "attempts")
            await self._take_up(row, attempts, bot)
        return len(rows)

    async def _take_up(self, row: PendingUpdate, attempts: int, bot: telegram.Bot) -> None:
        """Queue what an earlier run did not finish, unless it was begun too often."""
        if attempts > BEGINNINGS and self._now() - row.received_at > TRIED_FOR:
            logger.error("Update %s was never finished in %s runs; given up.", row.update_id, BEGINNINGS)
            await self.done([row.update_id])
        else:
            if row.sends >= SENDS_EVER:
                await self._inbox.grant_send(bot.id, row.update_id, most=SENDS_EVER)
            await self._requeue(row, bot)

    async def receive(self, updates: Sequence[tuple[telegram.Update, Mapping[str, object]]]) -> None:
        """Commit updates, all at once and each as it came, and hand them over in order, as soon as there is room.

        Raises StorageError where Telegram is to offer them again.
        """
        if len(updates) > 1:
            await self._write_all(updates)
        for update, _ in updates:
            await self._hand_over_update(update)

    async def _hand_over_update(self, update: telegram.Update) -> None:
        try:
            is_durable = update.update_id in self._ahead or self._keep(update)
        except Exception as error:  # broad: PTB takes fields of any type; what is raised here would end polling
            logger.error("Update %s is unreadable (%s); ignored.", update.update_id, type(error).__name__)  # noqa: TRY400
            return
        if not is_durable:
            await self.put(Received(update, is_durable=False))
        elif update.update_id not in self._ahead and self._is_too_much(update):
            await self._refuse_update(update)
        else:
            while self.is_full:
                self._room.clear()
                await self._room.wait()
            await self._put_kept(update)

    async def _write_all(self, updates: Iterable[tuple[telegram.Update, Mapping[str, object]]]) -> None:
        """Write updates in one transaction. Where that fails, _hand_over() writes each by itself."""
        try:
            arrivals: list[Arrival] = []
            of_each = Counter[int]()
            for update, raw in updates:
                who = _sender_of(update)
                if (
                    update.update_id not in self._unwritten
                    and self._keep(update)
                    and not self._is_too_much(update, of_each[who])
                ):
                    arrivals.append(make_arrival(update, json.dumps(raw)))
                    of_each[who] += 1
            if arrivals:
                new = await self._inbox.receive(self._bot_id, arrivals, self._now())
                self._ahead |= {arrival.update_id: arrival.update_id in new for arrival in arrivals}
        except Exception as error:  # broad: as for _hand_over()
            logger.debug("Updates are written one by one (%s).", type(error).__name__)

    async def done(self, update_ids: Iterable[int], *, is_remembered: bool = False, soon: bool = False) -> None:
        """The updates' effects are done: their payloads may go.
        A failing disk is retried with the next call.

        `is_remembered`: memory holds their text, so it does no harm where the file's log keeps it for a while.
        Otherwise it is taken out of there before this returns; with `soon`, and while others wait for their answers,
        `forget_texts` does it within a second or so.
        """
        finished = set(update_ids)
        self._finish(finished)
        self._unmarked |= finished
        self._answered |= finished & self._unwritten.keys()
        # What another call is marking is left to it: together they would mark everything many times over.
        marking = self._unmarked - self._being_marked
        self._being_marked |= marking
        try:
            if marking:
                await self._inbox.done(self._bot_id, sorted(marking), self._now())
            self._unmarked -= marking
        except StorageError as error:
            logger.warning("The inbox cannot mark updates as done (%s); retrying later.", type(error).__name__)
        finally:
            self._being_marked -= marking
        if not is_remembered:
            self._has_text.set()
            if not soon or not self._unfinished:
                await self.forget_text()

    async def forget_texts(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Take texts that belong in no file out of the file's log too, for as long as the bot runs.

        One cut serves all who are done by then.
        """
        while True:
            await self._has_text.wait()
            # A cut costs as much as several commits; another program's reading may be in its way.
            await pause(1.0 if await self.forget_text() else 10.0)

    async def forget_text(self) -> bool:
        """Cut the log now if it may hold such a text; False when it still may. One cut serves all who wait for it."""
        async with self._cutting:
            return await self._cut()

    async def _cut(self) -> bool:
        if self._has_text.is_set():
            self._has_text.clear()
            try:
                is_cut = await self._inbox.forget_text()
            except StorageError as error:
                is_cut = False
                logger.warning("The inbox's log cannot be cut (%s); retrying later.", type(error).__name__)
            if not is_cut:
                self._has_text.set()
        return not self._has_text.is_set()

    async def note_mode(self, update_id: int, mode: Mode) -> None:
        """Keep how memory stands while this is said, for a run that takes it up later."""
        await self._run_noted("how memory stood", self._inbox.note_mode(self._bot_id, update_id, mode))

    async def note_shown(self, update_id: int, message_ids: Sequence[int]) -> None:
        """Keep which messages show something of an answer."""
        await self._run_noted("where an answer is shown", self._inbox.note_shown(self._bot_id, update_id, message_ids))

    def shown_before(self, update_id: int) -> tuple[int, ...]:
        """Return the messages with which an earlier run began to answer an update."""
        return self._shown_before.get(update_id, ())

    async def begin(self, update_id: int, what: Counted) -> int:
        """Count durably that something begins; which time it is, over all runs."""
        # An answer in hand is worth more than the count of its sendings.
        return await self._run_noted(what, self._inbox.begin(self._bot_id, update_id, what)) or 1

    async def take_back(self, update_id: int, what: Counted) -> None:
        """Take a count back: the attempt surely had no effect, or was stopped in order."""
        await self._run_noted(what, self._inbox.take_back(self._bot_id, update_id, what))

    async def _run_noted(self, what: str, work: Awaitable[T]) -> T | None:
        """Write something, and return the outcome; None where the disk does not take it."""
        try:
            return await work
        except StorageError as error:
            logger.warning("The inbox cannot note %s (%s).", what, type(error).__name__)
            return None

    def are_on_disk(self, update_ids: Iterable[int]) -> bool:
        """Return True if the next run will find these updates until they are done."""
        return self._unwritten.keys().isdisjoint(update_ids)

    def postpone(self, update_ids: Iterable[int]) -> None:
        """Leave updates to the next run."""
        self._finish(update_ids)

    async def confirm(self, lease: Lease) -> None:
        """Wait until it is certain that this process holds a lease. Raise ServedElsewhere where it was lost."""

    async def purge(self) -> None:
        """Forget ids that Telegram will not offer again."""
        # Twice the time for which Telegram offers an update again.
        await self._inbox.purge(self._now() - timedelta(hours=48))

    def is_written(self, update_id: int) -> bool:
        """Return False for an update that was handed over and that the disk has not taken yet."""
        return update_id not in self._unwritten

    async def first_unwritten(self) -> int | None:
        """Retry unwritten updates, and return the lowest id that is still not on disk."""
        async with self._lock:
            for update in [self._unwritten[number] for number in sorted(self._unwritten)]:
                try:
                    await self._write(update)
                except StorageError:
                    break
        return min(self._unwritten, default=None)

    async def _put_kept(self, update: telegram.Update) -> None:
        number = update.update_id
        # One at a time, in order: a webhook's requests arrive side by side.
        async with self._lock:
            try:
                was_passed_on = number in self._unwritten
                is_new = await self._write(update)
                if self._begins_at_once and not was_passed_on:
                    if is_new:
                        await self._enqueue_update(update)
                    elif number not in self._unfinished and number not in self._unmarked:
                        await self._recover_updates(number, update.get_bot())
            except StorageError as error:
                if number not in self._unwritten and self._may_go_on(update) and not await self._is_catching_up(update):
                    logger.error("Update %s is not on disk yet (%s).", number, type(error).__name__)  # noqa: TRY400
                    self._unwritten[number] = update
                    await self._enqueue_update(update, lease=self._lease_of(update))
                if number not in self._unwritten:
                    raise StorageError("The update could not be kept.") from error
            except Exception as error:
                # Broad, because anything else would end polling for good.
                logger.error(  # noqa: TRY400
                    "Update %s could not be kept (%s); it stays with Telegram.", number, type(error).__name__
                )
                raise StorageError("The update could not be kept.") from error

    def _may_go_on(self, update: telegram.Update) -> bool:
        """Return True if an update may be handled although it cannot be written."""
        return True

    async def _is_catching_up(self, update: telegram.Update) -> bool:
        """After a failed write: whether the update is to be offered again, for others that were written come first."""
        return False

    def _lease_of(self, update: telegram.Update) -> Lease | None:
        """Under which an update is handled that nobody handed out."""
        return None

    async def _write(self, update: telegram.Update) -> bool:
        """Commit an update and return True if its id was new. Raise StorageError."""
        number = update.update_id
        if number in self._ahead:
            return self._ahead.pop(number)
        is_new = number in await self._inbox.receive(self._bot_id, [self._make_arrival(update)], self._now())
        if number in self._answered:
            await self._inbox.done(self._bot_id, [number], self._now())
        self._answered.discard(number)
        self._unwritten.pop(number, None)
        return is_new

    def _make_arrival(self, update: telegram.Update) -> Arrival:
        return make_arrival(update, update.to_json())

    async def _recover_updates(self, number: int, bot: telegram.Bot) -> None:
        """An earlier put() was cancelled, or failed, after its commit: on disk, and yet never queued."""
        for row in await self._inbox.pending(self._bot_id):
            if row.update_id == number:
                await self._requeue(row, bot)

    async def _requeue(self, row: PendingUpdate, bot: telegram.Bot) -> None:
        if not row.payload:
            logger.info("Update %s was forgotten before it was answered.", row.update_id)
            await self.done([row.update_id])
            return
        try:
            update = telegram.Update.de_json(json.loads(row.payload), bot)
        except Exception as error:  # broad: one unreadable row must not keep the others from being answered
            logger.error(  # noqa: TRY400
                "Update %s in the inbox is unreadable (%s); dropped.", row.update_id, type(error).__name__
            )
            await self.done([row.update_id])
        else:
            if row.shown:
                self._shown_before[row.update_id] = row.shown
            await self._enqueue_update(update, row.mode, is_replayed=True, lease=row.lease)

    async def _enqueue_update(
        self,
        update: telegram.Update,
        mode: Mode | None = None,
        *,
        is_replayed: bool = False,
        lease: Lease | None = None,
    ) -> None:
        who = _sender_of(update)
        self._leases[update.update_id] = lease
        if update.update_id not in self._unfinished:
            self._unfinished[update.update_id] = who
            self._of_each[who] += 1
            UNFINISHED.set(len(self._unfinished))
        await self.put(Received(update, is_durable=True, mode=mode, is_replayed=is_replayed, lease=lease))

    def _finish(self, update_ids: Iterable[int]) -> None:
        for number in update_ids:
            self._shown_before.pop(number, None)
            self._leases.pop(number, None)
            who = self._unfinished.pop(number, None)
            if who is not None:
                self._of_each[who] -= 1
                if not self._of_each[who]:
                    del self._of_each[who]
        UNFINISHED.set(len(self._unfinished))
        self._room.set()

    def _is_too_much(self, update: telegram.Update, more: int = 0) -> bool:
        """Return True if the sender has too many unfinished updates, `more` of this poll included."""
        who = _sender_of(update)
        if who == NOBODY or update.update_id in self._unfinished:
            return False
        return self._count_unfinished(who) + more >= self._limit_of_one + (MAX_URGENT if _is_urgent(update) else 0)

    def _count_unfinished(self, person: int) -> int:
        return self._of_each[person]

    async def _refuse_update(self, update: telegram.Update) -> None:
        """Pass on the first update in a while, so that its sender is told, and drop the others."""
        who, now = _sender_of(update), self._now()
        last = self._refused.get(who)
        if last is not None and now - last < timedelta(minutes=1):
            return
        self._refused[who] = now
        logger.warning("Person %s has %s updates unfinished; more are refused.", who, self._of_each[who])
        await self.put(Received(update, is_durable=False, is_refused=True))


def make_arrival(update: telegram.Update, payload: str) -> Arrival:
    """Return an update as the inbox keeps it: all that is done for it belongs to the memory of its chat."""
    chat = update.effective_chat
    owner = chat.id if chat is not None and isinstance(chat.id, int) else NOBODY
    return Arrival(update.update_id, payload, owner, _sender_of(update))


def _sender_of(update: telegram.Update) -> int:
    """Return the sender's id, or NOBODY."""
    user = update.effective_user
    return user.id if user is not None and isinstance(user.id, int) else NOBODY


def _is_urgent(update: telegram.Update) -> bool:
    message = update.message
    return update.callback_query is not None or (message is not None and str(message.text or "").startswith("/"))

"""Ordered work, lane by lane: one thing at a time in a lane, lanes independent, so many at once in all.

Fair: a lane that has had its turn goes to the end of the row, so nobody's backlog holds up another's first
message. An idle lane costs nothing. Does not know what the work is; work answers for its own failures.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import TypeVar

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]
T = TypeVar("T")


class Ticket:
    """A place in a lane. A held one keeps the place, and those behind it waiting, until it is released."""

    def __init__(self, queues: "SerialQueues", key: Hashable, work: Work, *, held: bool) -> None:
        self._queues = queues
        self.key = key
        self.work = work
        self.held = held
        self.task: asyncio.Task[None] | None = None
        self.has_begun = False

    def release(self) -> None:
        """Let the work begin when its turn comes; a second call does nothing."""
        if self.held:
            self.held = False
            self._queues.released(self)


class SerialQueues:
    """Lanes by key; at most `at_once` pieces of work run at the same time."""

    def __init__(self, name: str, *, at_once: int) -> None:
        self._name = name
        self._at_once = at_once
        self._waiting: dict[Hashable, deque[Ticket]] = {}
        self._row: deque[Hashable] = deque()  # the lanes whose head may begin, each once, longest waiting first
        self._running: dict[Hashable, Ticket] = {}
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    def __len__(self) -> int:
        """How many pieces of work wait or run."""
        return sum(map(len, self._waiting.values())) + len(self._running)

    def submit(self, key: Hashable, work: Work, *, held: bool = False) -> Ticket:
        """Queue work at the end of its lane. After close() it is not begun any more."""
        ticket = Ticket(self, key, work, held=held)
        lane = self._waiting.setdefault(key, deque())
        lane.append(ticket)
        self._idle.clear()
        if len(lane) == 1:
            self._line_up(key)
            self._begin()
        return ticket

    def released(self, ticket: Ticket) -> None:
        """A held ticket may go; it begins now if it is the next of its lane."""
        lane = self._waiting.get(ticket.key)
        if lane and lane[0] is ticket:
            self._line_up(ticket.key)
            self._begin()

    def cancel(self, key: Hashable) -> bool:
        """Cancel the work that has begun in a lane; whether there was any.

        What is leaving already is left alone: a second cancel would break off its tidying up.
        """
        ticket = self._running.get(key)
        if ticket is None or not ticket.has_begun or ticket.task is None or ticket.task.cancelling():
            return False
        return ticket.task.cancel()

    def drop_next(self, key: Hashable, kind: type[T]) -> T | None:
        """Take out of a lane what is next but has not begun; None if nothing of that kind is, or it is held."""
        ticket = self._running.get(key)
        if ticket and not ticket.has_begun and ticket.task and isinstance(ticket.work, kind):
            ticket.task.cancel()
            return ticket.work
        lane = self._waiting.get(key)
        if ticket or not lane or lane[0].held:
            return None
        work = lane[0].work
        if not isinstance(work, kind):
            return None
        lane.popleft()
        self._row.remove(key)
        if lane:
            self._line_up(key)
        else:
            del self._waiting[key]
        self._settle_down()
        return work

    async def idle(self) -> None:
        """Wait until nothing waits or runs."""
        await self._idle.wait()

    async def close(self, *, grace: float, patience: float = 0) -> None:
        """Begin nothing more, cancel what does not end within `patience` seconds, give that `grace` seconds
        to tidy up, then cancel it again.
        """
        self._closed = True
        self._waiting.clear()
        self._row.clear()
        running = {ticket.task for ticket in self._running.values() if ticket.task}
        if running and patience:
            _, running = await asyncio.wait(running, timeout=patience)
        for task in running:
            task.cancel()
        if running:
            _, late = await asyncio.wait(running, timeout=grace)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1)
        self._settle_down()

    def _line_up(self, key: Hashable) -> None:
        if key not in self._running and not self._waiting[key][0].held:
            self._row.append(key)

    def _begin(self) -> None:
        while self._row and len(self._running) < self._at_once and not self._closed:
            key = self._row.popleft()
            ticket = self._waiting[key].popleft()
            self._running[key] = ticket
            ticket.task = asyncio.create_task(self._run(ticket), name=f"{self._name}:{key}")
            ticket.task.add_done_callback(partial(self._ended, key))

    async def _run(self, ticket: Ticket) -> None:
        ticket.has_begun = True
        try:
            await ticket.work()
        except Exception as error:  # broad: the last resort: a lane must survive whatever its work does
            logger.error("Work in the lane %s failed with %s.", self._name, type(error).__name__)  # noqa: TRY400

    def _ended(self, key: Hashable, _: object) -> None:
        del self._running[key]
        lane = self._waiting.get(key)
        if lane:
            self._line_up(key)
        elif lane is not None:
            del self._waiting[key]
        self._begin()
        self._settle_down()

    def _settle_down(self) -> None:
        if not self._waiting and not self._running:
            self._idle.set()

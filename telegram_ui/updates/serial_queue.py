"""Job queues, one per key. Each queue runs one job at a time, and the total number of running jobs is limited.

Scheduling is fair: after each job, its queue moves behind the other queues that are ready. One owner's topics can use
only some of the job slots, so one person's backlog does not delay another's first message.
"""

import asyncio
import logging
import sys
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from attrs import define, field

from records.errors import ServedElsewhere

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[object]]
T = TypeVar("T")


@define(eq=False)
class JobTicket:
    """A job in a queue. If it is held, neither this job nor the jobs after it can start until it is released."""

    key: Hashable
    work: Work
    is_held: bool
    task: asyncio.Task[None] | None = None
    has_begun: bool = False  # True once it has been stoppable
    is_stoppable: bool = False  # True while `try_to_cancel_running_job` may end it
    context: Context = field(factory=copy_context)


@define(eq=False, slots=False)
class SerialQueues:
    """A queue of jobs for each key. Each queue runs its jobs one at a time."""

    _name: str
    _max_running: int = field(kw_only=True)
    _max_per_owner: int = field(default=sys.maxsize, kw_only=True)
    _get_owner: Callable[[Any], object] = field(default=lambda key: key, kw_only=True)  # of a key

    def __attrs_post_init__(self) -> None:
        self._waiting: dict[Hashable, deque[JobTicket]] = {}
        self._ready: deque[Hashable] = deque()  # queues whose first job may begin, longest waiting first
        self._running: dict[Hashable, JobTicket] = {}
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values())) + len(self._running)

    def submit(self, key: Hashable, work: Work, *, waits_for_release: bool = False, is_next: bool = False) -> JobTicket:
        """Add a job at the end of the queue `key` (at its front if `is_next`), and return a ticket for the job."""
        ticket = JobTicket(key, work, waits_for_release)
        queue = self._waiting.setdefault(key, deque())
        queue.insert(0 if is_next else len(queue), ticket)
        if len(queue) == 1:
            self._mark_queue_ready(key)
            self._begin_ready_jobs()
        return ticket

    def release_held_job(self, ticket: JobTicket) -> None:
        """Let a held job start once it is first in its queue. Releasing a job that is not held has no effect."""
        if ticket.is_held:
            ticket.is_held = False
            queue = self._waiting.get(ticket.key)
            if queue and queue[0] is ticket:
                self._mark_queue_ready(ticket.key)
                self._begin_ready_jobs()

    @contextmanager
    def allow_cancelling_job(self, key: Hashable) -> Iterator[None]:
        """Allow `try_to_cancel_running_job` to cancel the running job of the queue `key` while the block runs."""
        ticket = self._running.get(key)
        if ticket is None:
            yield
            return
        ticket.has_begun = ticket.is_stoppable = True
        try:
            yield
        finally:
            ticket.is_stoppable = False

    def has_waiting_job(self, key: Hashable) -> bool:
        return bool(self._waiting.get(key))

    def has_running_job(self, key: Hashable) -> bool:
        return key in self._running

    def try_to_cancel_running_job(self, key: Hashable) -> bool:
        """Cancel the queue's running job if it currently allows this. Return True if it was cancelled."""
        ticket = self._running.get(key)
        # Cancelling it twice would interrupt its cleanup.
        if ticket is None or ticket.task is None or not ticket.is_stoppable or ticket.task.cancelling():
            return False
        return ticket.task.cancel()

    def pop_first_work_of_type(self, key: Hashable, work_type: type[T]) -> T | None:
        """Remove a queue's first job and return its work, or None if it is held, has begun or has another type."""
        ticket, queue = self._running.get(key), self._waiting.get(key)
        if ticket and ticket.task:
            if ticket.is_stoppable or ticket.task.cancelling():
                return None
            if not ticket.has_begun and isinstance(ticket.work, work_type):
                ticket.task.cancel()
                return ticket.work
        if not queue or queue[0].is_held or not isinstance(work := queue[0].work, work_type):
            return None
        queue.popleft()
        if key in self._ready:
            self._ready.remove(key)
        if queue:
            self._mark_queue_ready(key)
        else:
            del self._waiting[key]
        return work

    async def close(self, *, grace: float, timeout: float = 0) -> None:
        """Drop waiting jobs. Cancel jobs still running after `timeout` seconds, and once more after `grace` seconds."""
        self._closed = True
        self._waiting.clear()
        self._ready.clear()
        running = {ticket.task for ticket in self._running.values() if ticket.task}
        if running and timeout:
            _, running = await asyncio.wait(running, timeout=timeout)
        for task in running:
            task.cancel()
        if running:
            _, late = await asyncio.wait(running, timeout=grace)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1)

    def _mark_queue_ready(self, key: Hashable) -> None:
        if key not in self._running and not self._waiting[key][0].is_held:
            self._ready.append(key)

    def _begin_ready_jobs(self) -> None:
        while self._ready and len(self._running) < self._max_running and not self._closed:
            counts = Counter(map(self._get_owner, self._running))
            key = next((key for key in self._ready if counts[self._get_owner(key)] < self._max_per_owner), None)
            if key is None:
                break
            self._ready.remove(key)
            ticket = self._waiting[key].popleft()
            self._running[key] = ticket
            run, name = self._run_job(ticket), f"{self._name}:{key}"
            # In the context of its submitter, because another job's end may call this.
            ticket.task = asyncio.create_task(run, name=name, context=ticket.context)
            ticket.task.add_done_callback(partial(self._remove_ended_job, key))

    async def _run_job(self, ticket: JobTicket) -> None:
        try:
            await ticket.work()
        except ServedElsewhere:
            logger.info("Work in the queue %s is another process's now.", self._name)
        except Exception as error:  # broad: a queue must survive its jobs
            logger.error("Work in the queue %s failed with %s.", self._name, type(error).__name__)  # noqa: TRY400

    def _remove_ended_job(self, key: Hashable, _: object) -> None:
        del self._running[key]
        queue = self._waiting.get(key)
        if queue:
            self._mark_queue_ready(key)
        elif queue is not None:
            del self._waiting[key]
        self._begin_ready_jobs()


class Queues:
    """The bot's queues. Each kind of work has its own, so commands never wait for a model."""

    def __init__(self) -> None:
        self.commands = SerialQueues("commands", max_running=128)
        self.slow = SerialQueues("slow commands", max_running=8)
        # Most jobs wait for a model. Anybody may open topics, so a chat's share is bounded.
        self.chats = SerialQueues("chats", max_running=256, max_per_owner=16, get_owner=attrgetter("owner"))
        self.follow_ups = SerialQueues("settling", max_running=4)
        self.notices = SerialQueues("notices", max_running=4)
        self.buttons = SerialQueues("buttons", max_running=4)

    async def close(self, *, grace: float) -> None:
        """Drop waiting jobs, and give running jobs about `grace` seconds to finish."""
        timeout = min(2.0, grace)  # the next run would repeat a command that is half done
        patient, others = (self.commands, self.slow, self.notices), (self.chats, self.follow_ups, self.buttons)
        await asyncio.gather(
            *(queue.close(grace=grace - timeout, timeout=timeout) for queue in patient),
            *(queue.close(grace=grace) for queue in others),
        )

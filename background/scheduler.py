"""Tasks that run regularly in the background, each at its own interval, each failing by itself.

Owns the intervals. Does not know what the tasks do.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self

from runtime.tasks import ended

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduledTask:
    """`work` runs every so many seconds, the first time after as many; it never overlaps with itself.

    `at_start`: the first time at once, for a process that never lives long enough.
    """

    name: str
    work: Callable[[], Awaitable[object]]
    every: float
    at_start: bool = False


class Scheduler:
    """Runs tasks while the `async with` is open. A failure is logged, and the task runs again at its time."""

    def __init__(self, scheduled: Sequence[ScheduledTask]) -> None:
        self._scheduled = scheduled
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._repeat(task)) for task in self._scheduled]
        return self

    async def __aexit__(self, *_: object) -> None:
        await ended(*self._tasks)

    async def once(self) -> None:
        """Run every task now, in order."""
        for task in self._scheduled:
            await self._run(task)

    async def _repeat(self, task: ScheduledTask) -> None:
        if task.at_start:
            await self._run(task)
        while True:
            await asyncio.sleep(task.every)
            await self._run(task)

    async def _run(self, task: ScheduledTask) -> None:
        try:
            await task.work()
        except Exception as error:  # broad: a failure here must not end the other tasks
            # Without the error's text, which may quote what people said.
            log.warning("%s failed: %s", task.name, type(error).__name__)

"""Run background tasks at regular intervals. A failing task does not affect the others."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self

from runtime.tasks import cancel_and_wait

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduledTask:
    """A task that runs each time `every` seconds have passed. With `at_start`, it also runs at the start."""

    name: str
    work: Callable[[], Awaitable[object]]
    every: float
    at_start: bool = False


class Scheduler:
    """Runs tasks while the `async with` block is open. If a run fails, it is logged, and the next one is on time."""

    def __init__(self, scheduled: Sequence[ScheduledTask]) -> None:
        self._scheduled = scheduled
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._repeat_task(task)) for task in self._scheduled]
        return self

    async def __aexit__(self, *_: object) -> None:
        await cancel_and_wait(*self._tasks)

    async def _repeat_task(self, task: ScheduledTask) -> None:
        if task.at_start:
            await self._run_task(task)
        while True:
            await asyncio.sleep(task.every)
            await self._run_task(task)

    async def _run_task(self, task: ScheduledTask) -> None:
        try:
            await task.work()
        except Exception as error:  # broad: a failure here must not end the other tasks
            # Without the error's text, which may quote what people said.
            log.warning("%s failed: %s", task.name, type(error).__name__)

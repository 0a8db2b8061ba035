"""Run background tasks at regular intervals. A failing task does not affect the others."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from runtime.tasks import cancel_and_wait

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduledTask:
    """A task that runs every `every` seconds. If `at_start` is True, it also runs when the scheduler starts."""

    name: str
    work: Callable[[], Awaitable[object]]
    every: float
    at_start: bool = False


@asynccontextmanager
async def run_scheduled_tasks(scheduled: Sequence[ScheduledTask]) -> AsyncIterator[None]:
    """Run tasks at their intervals while the block is open. Log failed runs and carry on."""
    running = [asyncio.create_task(_repeat_task(task)) for task in scheduled]
    try:
        yield
    finally:
        await cancel_and_wait(*running)


async def _repeat_task(task: ScheduledTask) -> None:
    if task.at_start:
        await _run_task(task)
    while True:
        await asyncio.sleep(task.every)
        await _run_task(task)


async def _run_task(task: ScheduledTask) -> None:
    try:
        await task.work()
    except Exception as error:  # broad: a failure here must not end the other tasks
        # Without the error's text, which may quote what people said.
        log.warning("%s failed: %s", task.name, type(error).__name__)

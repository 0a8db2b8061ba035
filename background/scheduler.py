"""What is done now and then beside the talk: each step in its own time, each failing by itself.

Owns their rhythm. Does not know what they do.
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
    """`work` is done every so many seconds, the first time after as many; it never overlaps with itself."""

    name: str
    work: Callable[[], Awaitable[object]]
    every: float


class Scheduler:
    """Steps that run while the block runs. One that fails is said in the log and done again in its time."""

    def __init__(self, steps: Sequence[ScheduledTask]) -> None:
        self._steps = steps
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._repeat(step)) for step in self._steps]
        return self

    async def __aexit__(self, *_: object) -> None:
        await ended(*self._tasks)

    async def once(self) -> None:
        """Every step, now, in order."""
        for step in self._steps:
            await self._run(step)

    async def _repeat(self, step: ScheduledTask) -> None:
        while True:
            await asyncio.sleep(step.every)
            await self._run(step)

    async def _run(self, step: ScheduledTask) -> None:
        try:
            await step.work()
        except Exception as error:  # broad: whatever fails here must not end what is done beside it
            # Without the error's text, which may quote what people said.
            log.warning("%s failed: %s", step.name, type(error).__name__)

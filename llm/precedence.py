"""Prioritises answers to people over background requests to the same endpoint."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar

MAX_WAIT_SECONDS = 180.0  # seconds that a background request waits for a moment in which no answer is written
MAX_INTERRUPTIONS = 3  # after these, a background request may finish. Otherwise a busy chat would never be summarised.

Result = TypeVar("Result")

_answering: ContextVar[bool] = ContextVar("answering", default=False)  # whether a person waits for what this task does


class Precedence:
    """Gives answers precedence over background requests at one endpoint."""

    def __init__(self, max_wait_seconds: float = MAX_WAIT_SECONDS) -> None:
        self._patience = max_wait_seconds
        self._answers = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._interruptible: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def hold_background_requests(self) -> AsyncIterator[None]:
        """Hold back the background requests of other tasks while the block runs."""
        self._answers += 1
        self._quiet.clear()
        while self._interruptible:
            self._interruptible.pop().reschedule(asyncio.get_running_loop().time())
        was = _answering.set(True)
        try:
            yield
        finally:
            _answering.reset(was)
            self._answers -= 1
            if not self._answers:
                self._quiet.set()

    async def run_when_idle(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Run `work` between answers. If an answer begins, restart `work` later, but only MAX_INTERRUPTIONS times."""
        for _ in range(0 if _answering.get() else MAX_INTERRUPTIONS):
            try:
                async with asyncio.timeout(self._patience):
                    await self._quiet.wait()
            except TimeoutError:
                break
            interruption = asyncio.timeout(None)
            try:
                async with interruption:
                    self._interruptible.add(interruption)
                    return await work()
            except TimeoutError:
                if not interruption.expired():
                    raise
            finally:
                self._interruptible.discard(interruption)
        return await work()

"""The clock that sending waits by, which tests replace."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds, and waiting by them."""

    def time(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
    def call_later(self, seconds: float, callback: Callable[[], None]) -> "Timer":
        """Call it then, unless the timer is cancelled: for what hardly ever comes to that, and is not worth a task."""
        ...


class Timer(Protocol):
    """What will be called."""

    def cancel(self) -> object: ...


class SystemClock:
    """The machine's own clock."""

    def time(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)

"""The clock that sending waits by, which tests replace."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds, and waiting by them."""

    def time(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def time(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

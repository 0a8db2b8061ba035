"""Pace outgoing messages. Previews are always limited. Final texts are limited only after Telegram refused one."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

MAX_MESSAGES_A_SECOND = 28  # Telegram takes about 30 (core.telegram.org/bots/faq, "My bot is hitting limits")
MAX_PREVIEWS_A_SECOND = 20  # including drafts, typing and removed buttons. The rest is for final texts.
LIMIT_SECONDS = 60.0  # how long texts are limited after a refusal. Before one, Telegram allows bursts.


class TimeSource(Protocol):
    """A monotonic clock that can also wait and schedule calls."""

    def time(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
    def call_later(self, seconds: float, callback: Callable[[], None]) -> "Timer": ...


class Timer(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> object: ...


class SystemClock:
    """A clock that reads the system's monotonic time and waits in the event loop."""

    def time(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)


class SendingPace:
    """Keeps messages to all chats within Telegram's rate limit. Final texts take precedence over previews."""

    def __init__(self, clock: TimeSource) -> None:
        self._clock = clock
        self._moments = deque([-math.inf] * MAX_MESSAGES_A_SECOND, maxlen=MAX_MESSAGES_A_SECOND)  # of the latest
        self._previews = asyncio.Lock()
        self._held_until = 0.0

    def limit_final_message_rate(self) -> None:
        """Limit the rate of final texts for LIMIT_SECONDS. Call this when Telegram has refused a message."""
        self._held_until = self._clock.time() + LIMIT_SECONDS

    async def wait_before_final_message(self) -> None:
        """Wait until a final text may be sent. Callers proceed in the order of their calls."""
        now = self._clock.time()
        moment = max(now, self._moments[0] + 1.0) if now < self._held_until else now
        self._moments.append(moment)
        if moment > now:
            await self._clock.sleep(moment - now)

    async def wait_before_preview(self) -> None:
        """Wait until a preview, or another request that can be late, may be sent without delaying final texts."""
        async with self._previews:
            while (wait := self._moments[-MAX_PREVIEWS_A_SECOND] + 1.0 - self._clock.time()) > 0:
                await self._clock.sleep(wait)
            self._moments.append(self._clock.time())

"""The clock that sending waits by, and how many messages a second go to Telegram in all once it has refused one:
texts that must arrive go first.

Owns the bot's share of Telegram's limit on all chats together; what Telegram asks of one chat is delivery.py's.
What several processes of a bot send too much together is refused, and sent again.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

MAX_MESSAGES_A_SECOND = 28
"""Messages a second in all: Telegram takes about 30 (core.telegram.org/bots/faq, "My bot is hitting limits")."""
PREVIEWS = 20  # drafts and edits among them, while answers are written: the rest is for what must arrive
SECOND = 1.0
HELD_FOR = 60.0
"""Seconds after a refusal for which the limits are kept. Before one they are not: a server of one's own has none, and
Telegram allows short bursts."""


class Clock(Protocol):
    """A monotonic clock that can wait."""

    def time(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
    def call_later(self, seconds: float, callback: Callable[[], None]) -> "Timer":
        """Call it then, unless the timer is cancelled: for what hardly ever comes to that, and is not worth a task."""
        ...


class Timer(Protocol):
    """A scheduled call."""

    def cancel(self) -> object: ...


class SystemClock:
    """The system clock."""

    def time(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)


class SendingPace:
    """One for the whole bot. A text that must arrive is never behind a preview; each kind goes in the order asked."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._moments: deque[float] = deque(maxlen=MAX_MESSAGES_A_SECOND)
        """Return when the latest messages went or will go, ascending."""
        self._previews = asyncio.Lock()
        self._held_until = 0.0

    def refused(self) -> None:
        """Pause after Telegram asked for it."""
        self._held_until = self._clock.time() + HELD_FOR

    async def final(self) -> None:
        """Wait for the next place, which is taken at once: nothing that comes later is before it."""
        now = self._clock.time()
        is_full = now < self._held_until and len(self._moments) == MAX_MESSAGES_A_SECOND
        moment = max(now, self._moments[0] + SECOND) if is_full else now
        self._moments.append(moment)
        if moment > now:
            await self._clock.sleep(moment - now)

    async def preview(self) -> None:
        """Wait until there is room that no text needs."""
        async with self._previews:
            while (wait := self._free_from() - self._clock.time()) > 0:
                await self._clock.sleep(wait)
            self._moments.append(self._clock.time())

    def _free_from(self) -> float:
        if self._clock.time() >= self._held_until or len(self._moments) < PREVIEWS:
            return 0.0
        return self._moments[-PREVIEWS] + SECOND

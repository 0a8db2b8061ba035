"""The updates of people who have very many waiting, so that the others' overtake them.

They are on disk already; here they wait until Telegram has given out what is behind them, and then go on little by
little. Does not know how updates are fetched, nor what they say.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

MANY = 25
"""Unfinished updates of one person beyond which theirs wait here: no fewer than a paste has (paste.MOST_PIECES)."""
LONGEST_HELD = 1.0
"""Seconds that they wait at most while polls come back full."""
PACE = 0.002
"""Seconds between two of them: somebody else's answer takes dozens of steps on the event loop meanwhile."""

T = TypeVar("T")


class Backlogs(Generic[T]):
    """What waits of each person, in order; people take turns. `go_on` is called with what goes on."""

    def __init__(self, go_on: Callable[[T], None]) -> None:
        self._go_on = go_on
        self._waiting: dict[int, deque[T]] = {}
        self._is_any = asyncio.Event()
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._held_until: float | None = None

    def __contains__(self, person: int) -> bool:
        return person in self._waiting

    def add(self, person: int, item: T) -> None:
        self._waiting.setdefault(person, deque()).append(item)
        self._is_any.set()

    def hold(self) -> None:
        """More is to be fetched: until `release` nothing goes on, for LONGEST_HELD at most."""
        if self._held_until is None:
            self._held_until = asyncio.get_running_loop().time() + LONGEST_HELD
            self._is_open.clear()

    def release(self) -> None:
        """All there is has been fetched."""
        self._held_until = None
        self._is_open.set()

    async def keep_going(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Let what waits go on, for as long as the bot runs."""
        while True:
            await self._is_any.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._held_until):
                    await self._is_open.wait()
            for person, items in list(self._waiting.items()):
                self._go_on(items.popleft())
                if not items:
                    del self._waiting[person]
            if not self._waiting:
                self._is_any.clear()
            await pause(PACE)

"""A numbered list that can be waited on: the world's events, and the journal of API calls.

Does not know what its entries mean.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator

from playground.refusals import Json


class Pulse:
    """Wakes everybody who waits, once for each beat; whoever wakes looks again for what it waits for."""

    def __init__(self) -> None:
        self._beat = asyncio.Event()

    def beat(self) -> None:
        beaten, self._beat = self._beat, asyncio.Event()
        beaten.set()

    async def wait(self) -> None:
        await self._beat.wait()


class Feed:
    """Entries numbered from 1 in their field "n"; the newest `keep` stay."""

    def __init__(self, *, keep: int = 10_000) -> None:
        self._entries: deque[Json] = deque(maxlen=keep)
        self._pulse = Pulse()
        self.last = 0

    def __iter__(self) -> Iterator[Json]:
        return iter(tuple(self._entries))

    def add(self, entry: Json) -> Json:
        self.last += 1
        numbered = {"n": self.last, **entry}
        self._entries.append(numbered)
        self._pulse.beat()
        return numbered

    def covers(self, since: int) -> bool:
        """Whether every entry after `since` is still here (and `since` is a number of this feed)."""
        return self.last - len(self._entries) <= since <= self.last

    def since(self, since: int) -> list[Json]:
        """The kept entries with a number above `since`, oldest first."""
        newest_first = []
        for entry in reversed(self._entries):
            if entry["n"] <= since:
                break
            newest_first.append(entry)
        return newest_first[::-1]

    async def after(self, since: int) -> list[Json]:
        """As since(), but waits until there is one."""
        while self.last <= since:
            await self._pulse.wait()
        return self.since(since)

    async def first(self, matches: Callable[[Json], bool], *, since: int = 0, timeout: float = 60) -> Json:
        """The first entry after `since` that matches, waited for; TimeoutError after `timeout` seconds."""
        async with asyncio.timeout(timeout):
            while True:
                for entry in await self.after(since):
                    if matches(entry):
                        return entry
                    since = entry["n"]

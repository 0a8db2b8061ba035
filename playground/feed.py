"""A numbered list whose readers can wait for new entries, used for events and for the record of API calls."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator

from playground.refusals import Json


class Notifier:
    """Wakes all waiting tasks at each notification. A task that is woken must check its condition again."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify_all(self) -> None:
        old_event, self._event = self._event, asyncio.Event()
        old_event.set()

    async def wait_for_notification(self) -> None:
        await self._event.wait()


class Feed:
    """A list of entries that keeps only the newest `max_entries`. The field "n" of an entry is its number, from 1."""

    def __init__(self, *, max_entries: int = 10_000) -> None:
        self._entries: deque[Json] = deque(maxlen=max_entries)
        self._notifier = Notifier()
        self.last = 0

    def __iter__(self) -> Iterator[Json]:
        return iter(tuple(self._entries))

    def add(self, entry: Json) -> Json:
        self.last += 1
        numbered = {"n": self.last, **entry}
        self._entries.append(numbered)
        self._notifier.notify_all()
        return numbered

    def has_all_entries_since(self, since: int) -> bool:
        """Return True if all entries after number `since` are still kept."""
        return self.last - len(self._entries) <= since <= self.last

    def list_entries_since(self, since: int) -> list[Json]:
        """Return the kept entries after number `since`, oldest first."""
        newest_first = []
        for entry in reversed(self._entries):
            if entry["n"] <= since:
                break
            newest_first.append(entry)
        return newest_first[::-1]

    async def wait_for_entries(self, since: int) -> list[Json]:
        """Wait until there is an entry after number `since`, and return all such entries, oldest first."""
        while self.last <= since:
            await self._notifier.wait_for_notification()
        return self.list_entries_since(since)

    async def wait_for_first_match(
        self, matches: Callable[[Json], bool], *, since: int = 0, timeout: float = 60
    ) -> Json:
        """Return the first matching entry after number `since`. Raise TimeoutError after `timeout` seconds."""
        async with asyncio.timeout(timeout):
            while True:
                for entry in await self.wait_for_entries(since):
                    if matches(entry):
                        return entry
                    since = entry["n"]

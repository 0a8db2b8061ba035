"""One readers-writer lock an owner: who may use that owner's memory at the same moment.

Owns the rules of waiting. Turns of one scope are put in order by its queue (telegram_ui/updates/serial_queue.py).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class ReadersWriterLock:
    """Many readers at once, or one writer alone. A writer that waits goes before readers that come after it.

    Not re-entrant: a task that is inside must not enter again. Leaving never waits.
    """

    def __init__(self) -> None:
        self._readers = 0
        self._writers = 0  # inside or waiting
        self._is_exclusive = False
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        if self._writers:
            await self._wait_until(lambda: not self._writers)
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1
            self._changed.set()

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        self._writers += 1
        try:
            await self._wait_until(lambda: not self._readers and not self._is_exclusive)
            self._is_exclusive = True
            try:
                yield
            finally:
                self._is_exclusive = False
        finally:
            self._writers -= 1
            self._changed.set()

    async def _wait_until(self, is_free: Callable[[], bool]) -> None:
        while not is_free():
            self._changed.clear()
            await self._changed.wait()


class OwnerLock(ReadersWriterLock):
    """The lock of one memory: `shared` to use a store, `exclusive` to move it, to change its settings or to erase.

    A turn takes as long as a model does, and a setting or a deleted fact should not wait that long. So a turn shares
    the lock only while it uses a store, and is counted from its question to its answer (`turn`). What changes words
    that an answer may have read waits until no turn is under way (`between_turns`), and takes the lock after that.
    """

    def __init__(self) -> None:
        super().__init__()
        self._turns = ReadersWriterLock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        # Not `return self._turns.shared()`: this lock lives only while somebody holds it, its part does not count.
        async with self._turns.shared():
            yield

    @asynccontextmanager
    async def between_turns(self) -> AsyncIterator[None]:
        async with self._turns.exclusive():
            yield


class OwnerLocks:
    """The locks of all owners. Each lives while somebody holds it or waits for it, so idle owners cost nothing."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[int, OwnerLock] = WeakValueDictionary()

    def __len__(self) -> int:
        """Return the number of locks at this moment."""
        return len(self._locks)

    def of(self, owner: int) -> OwnerLock:
        found = self._locks.get(owner)
        if found is None:
            found = self._locks[owner] = OwnerLock()
        return found

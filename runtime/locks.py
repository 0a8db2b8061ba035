"""Readers-writer locks for owners' memories."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class ReadersWriterLock:
    """A readers-writer lock for asyncio that prefers writers. It is not re-entrant."""

    def __init__(self) -> None:
        self._readers = 0
        self._writers = 0  # inside or waiting
        self._is_exclusive = False
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def hold_shared(self) -> AsyncIterator[None]:
        if self._writers:
            await self._wait_until(lambda: not self._writers)
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1
            self._changed.set()

    @asynccontextmanager
    async def hold_exclusive(self) -> AsyncIterator[None]:
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


class OwnerLocks(WeakValueDictionary[int, ReadersWriterLock]):
    """A lock for each owner. A lock exists only while somebody uses it."""

    def get_lock(self, owner: int) -> ReadersWriterLock:
        return self.get(owner) or self.setdefault(owner, ReadersWriterLock())

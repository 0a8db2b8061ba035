"""Who may use what belongs to an owner at the same moment: many at once, or one alone.

A gate lives as long as somebody is at it or inside, so that any number of owners cost nothing afterwards. Does not
know what is done inside.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class OwnerLock:
    """Lets many use an owner's memory at once, or one alone for a move. Who waits to be alone goes first.

    Not re-entrant: a task that is inside must not enter again.
    """

    def __init__(self) -> None:
        self._inside = 0
        self._alone = False
        self._waiting = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        async with self._changed:
            await self._changed.wait_for(lambda: not self._alone and not self._waiting)
            self._inside += 1
        try:
            yield
        finally:
            await asyncio.shield(self._left())

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        async with self._changed:
            self._waiting += 1
            try:
                await self._changed.wait_for(lambda: not self._alone and not self._inside)
            finally:
                self._waiting -= 1
                self._changed.notify_all()
            self._alone = True
        try:
            yield
        finally:
            await asyncio.shield(self._left())

    async def _left(self) -> None:
        async with self._changed:
            if self._alone:
                self._alone = False
            else:
                self._inside -= 1
            self._changed.notify_all()


class OwnerLocks:
    """The gates of all owners."""

    def __init__(self) -> None:
        # Weakly: whoever waits at a gate or is inside holds it.
        self._gates: WeakValueDictionary[int, OwnerLock] = WeakValueDictionary()

    def __len__(self) -> int:
        """How many gates there are at this moment."""
        return len(self._gates)

    def of(self, owner: int) -> OwnerLock:
        return self._gates.setdefault(owner, OwnerLock())

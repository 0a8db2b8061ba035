"""Who may be at an owner's memory at the same time: many, or one alone.

Does not know what they do there.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class OwnerGate:
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

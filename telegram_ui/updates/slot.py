"""A slot among a limited number, which may be left before its work is over. Does not know what the work is."""

import asyncio


class Slot:
    """One of the slots of those whose prompts are being made; left at the end, if not before."""

    def __init__(self, slots: asyncio.Semaphore) -> None:
        self._slots = slots
        self._is_held = False

    async def __aenter__(self) -> "Slot":
        await self._slots.acquire()
        self._is_held = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Let the next one in. A second call does nothing."""
        if self._is_held:
            self._is_held = False
            self._slots.release()

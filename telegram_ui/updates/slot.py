"""A slot among a limited number, which may be left before its work is over. Does not know what the work is."""

import asyncio


class Slot:
    """One of the slots of those whose prompts are being made; left at the end, if not before."""

    def __init__(self, slots: asyncio.Semaphore) -> None:
        self._slots = slots
        self._is_held = False
        self._leaving: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "Slot":
        await self._slots.acquire()
        self._is_held = True
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
        self.leave()

    def leave_after(self, seconds: float) -> None:
        """Let the next one in so much later, if the work is not over before."""
        if self._leaving is None:
            self._leaving = asyncio.get_running_loop().call_later(seconds, self.leave)

    def leave(self) -> None:
        """Let the next one in. A second call does nothing."""
        if self._is_held:
            self._is_held = False
            self._slots.release()

"""Measure how long the event loop is held up, in its thread's processor time and in units of machine speed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.support.processor_time import frozen_heap, measure_unit

EACH = 0.001
"""Seconds between two measurements.

A loop that never rests would take the processor from the code that is being watched.
"""


@dataclass
class Held:
    """The longest computation in one turn of the loop. `seconds` is too long by `EACH` at most."""

    seconds: float = 0.0

    @property
    def units(self) -> float:
        """The longest turn in units of this machine's speed, which is measured now."""
        return self.seconds / measure_unit()


@asynccontextmanager
async def watch_loop() -> AsyncIterator[Held]:
    """Measure the longest turn of the running loop while the block runs."""
    held, loop = Held(), asyncio.get_running_loop()
    last = time.thread_time()
    handle: asyncio.Handle = loop.call_soon(lambda: None)

    def turn() -> None:
        nonlocal last, handle
        now = time.thread_time()
        held.seconds = max(held.seconds, now - last)
        last = now
        handle = loop.call_later(EACH, turn)

    with frozen_heap():
        turn()
        try:
            yield held
        finally:
            handle.cancel()
            held.seconds = max(held.seconds, time.thread_time() - last)

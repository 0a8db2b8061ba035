"""Measure how long the event loop was held up, in processor time of its thread and in units of the machine's speed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.support.processor_time import frozen_heap, measure_unit

EACH = 0.001
"""Seconds after which it is looked again: a loop that never rests would take the processor from what it waits for."""


@dataclass
class Held:
    """`seconds`: the longest that one turn of the loop computed, and `EACH` more at most."""

    seconds: float = 0.0

    @property
    def units(self) -> float:
        """The same in units of this machine's speed, which is measured now."""
        return self.seconds / measure_unit()


@asynccontextmanager
async def watch_loop() -> AsyncIterator[Held]:
    """Watch the running loop while the block runs."""
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

"""Large work during which other work goes on: loops in a thread that pause, and many objects that no collector walks
through.

A thread that computes gives the interpreter away only when others have waited for it for 5 ms, at each of the dozens of
steps that an answer takes; one that sleeps for a moment gives it away at once.
"""

import gc
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

STRETCH = 0.002
"""Seconds of work between two pauses."""
PAUSE = 0.0005


def yielding_gil(items: Iterable[T]) -> Iterator[T]:
    """The same items, with a pause of the calling thread now and then. Never to be used on the event loop."""
    until = time.perf_counter() + STRETCH
    for item in items:
        yield item
        if time.perf_counter() > until:
            time.sleep(PAUSE)
            until = time.perf_counter() + STRETCH


def consumed(items: deque[T]) -> Iterator[T]:
    """The same items, each let go of when the next is taken: to free 100,000 at once holds everybody up for 100 ms."""
    while items:
        yield items.popleft()


NEVER = 1_000_000_000
_USUAL = gc.get_threshold()[2]
_gc_paused = [0]


@contextmanager
def gc_paused() -> Iterator[None]:
    """While the block holds very many objects: Python's collector, which would walk through all of them again and again
    and let nobody run meanwhile (300 ms for 100,000 messages), looks at young objects only. To be entered on the event
    loop; what the block held should be gone when it ends.
    """
    often = gc.get_threshold()
    if not _gc_paused[0]:
        gc.set_threshold(often[0], often[1], NEVER)
    _gc_paused[0] += 1
    try:
        yield
    finally:
        _gc_paused[0] -= 1
        if not _gc_paused[0]:
            gc.set_threshold(often[0], often[1], _USUAL)

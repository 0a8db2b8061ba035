"""Large work during which other work goes on: loops in a thread that pause.

A thread that computes gives the interpreter away only when others have waited for it for 5 ms, at each of the dozens of
steps that an answer takes; one that sleeps for a moment gives it away at once.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

STRETCH = 0.002  # seconds of work between two pauses


def yielding_gil(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, and pause the thread from time to time. Never use this on the event loop."""
    until = time.perf_counter() + STRETCH
    for item in items:
        yield item
        if time.perf_counter() > until:
            time.sleep(0.0005)
            until = time.perf_counter() + STRETCH


def consume(items: deque[T]) -> Iterator[T]:
    """Yield the items and free each one when the next is taken. Freeing 100,000 at once blocks all for 100 ms."""
    while items:
        yield items.popleft()

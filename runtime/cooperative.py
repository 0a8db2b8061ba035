"""Insert short sleeps into long loops that run in a thread, because sleeping releases the GIL at once."""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

WORK_SECONDS = 0.002  # between two pauses


def iterate_with_sleeps(items: Iterable[T]) -> Iterator[T]:
    """Yield the items, and let the thread sleep briefly from time to time. Never use this on the event loop."""
    until = time.perf_counter() + WORK_SECONDS
    for item in items:
        yield item
        if time.perf_counter() > until:
            time.sleep(0.0005)
            until = time.perf_counter() + WORK_SECONDS


def drain_deque(items: deque[T]) -> Iterator[T]:
    """Remove and yield the items one by one. Freeing 100,000 items together would take about 100 ms."""
    while items:
        yield items.popleft()

"""Processor time in units of the machine's own speed.

A limit in units means the same on a slow and on a busy machine. A unit is a fixed piece of Python work, about a
millisecond on a machine of 2025. It is measured in the same test, next to the work that is judged, because the speed
of a shared machine changes while a test runs.
"""

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

SAMPLES = 3
"""How many times a unit is measured at each end.

The slowest measurement counts, because other processes slowed it down.
"""
_SENTENCE = {"text": "the walnuts are in the cellar " * 20, "numbers": list(range(200))}


def measure_unit() -> float:
    """Return the seconds of this thread's processor time that one unit takes now."""
    return max(_time_one_unit() for _ in range(SAMPLES))


def spend_one_unit() -> None:
    """Do the work that one unit stands for."""
    for _ in range(20):
        words = json.loads(json.dumps(_SENTENCE))["text"].split()
        sorted(words, key=len)
        "".join(word.title() for word in words)


@dataclass
class Stopwatch:
    """The units that a block of code took.

    `clock` returns seconds of processor time, of this thread or of the whole process.
    """

    clock: Callable[[], float]
    units: float = field(default=0.0, init=False)


@contextmanager
def count_units(clock: Callable[[], float] = time.process_time) -> Iterator[Stopwatch]:
    """Count the units that the block takes. `units` is set when the block has ended."""
    stopwatch = Stopwatch(clock)
    with frozen_heap():
        unit, began = measure_unit(), clock()
        yield stopwatch
        seconds = clock() - began
        stopwatch.units = seconds / max(unit, measure_unit())


@contextmanager
def frozen_heap() -> Iterator[None]:
    """Exclude existing objects from garbage collection while the block runs.

    A collection of what other tests have left takes up to a second.
    """
    if gc.get_freeze_count():  # within another block
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _time_one_unit() -> float:
    began = time.thread_time()
    spend_one_unit()
    return time.thread_time() - began

"""Measure what one input costs: how long it blocks the event loop, and how much memory it takes."""

import resource
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.loop_watch import watch_loop

MAX_HELD_UNITS = 200
"""The limit for one turn of the event loop, for an input below 1 MB.

In units of processor time (see processor_time.py).
"""
MAX_MEMORY_BYTES = 200_000_000
"""The limit for the memory that such an input takes at any moment, in bytes."""
COPY = 1.1
"""The factor for comparing a child's peak memory with our own.

A child's peak up to this multiple of ours is ignored: it may be only the forked copy of our own pages.
"""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_NEW_PEAK = "5"
"""The value that makes Linux measure the peak memory again from now on (proc(5), clear_refs)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What one input cost.

    `held`: the longest computation in one turn of the event loop, in units of processor time.
    `memory`: bytes, measured on Linux only.
    `child`: the peak bytes of a child process that read the input, if that is a new peak (wait4) above our own. Until
    a child runs a program of its own, Linux counts its copy of our memory, too.
    """

    held: float = 0.0
    memory: int = 0
    child: int = 0

    def complaints(self) -> list[str]:
        """Return one complaint per exceeded limit, or an empty list."""
        found = []
        if self.held > MAX_HELD_UNITS:
            found.append(f"held the event loop up for {self.held:.0f} ms of a fast processor")
        if self.memory > MAX_MEMORY_BYTES:
            found.append(f"took {self.memory / 1e6:.0f} MB")
        if self.child > MAX_MEMORY_BYTES:
            found.append(f"took {self.child / 1e6:.0f} MB of a child's")
        return found

    def max(self, other: "Cost") -> "Cost":
        return Cost(
            held=max(self.held, other.held), memory=max(self.memory, other.memory), child=max(self.child, other.child)
        )


async def measure_cost(act: Callable[[], Awaitable[object]]) -> Cost:
    """Run `act` and return its cost."""
    before, children = _memory("VmRSS"), _children()
    _forget_peak()
    async with watch_loop() as held:
        await act()
    most, ours = _memory("VmHWM"), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    child = _children() if _children() > max(children, COPY * ours) else 0
    return Cost(held=held.units, memory=max(0, most - before), child=child)


def _children() -> int:
    """Return the highest peak memory of the ended children, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def _forget_peak() -> None:
    with suppress(OSError):
        _RESET.write_text(_NEW_PEAK)


def _memory(name: str) -> int:
    """Return one memory figure of this process in bytes, or 0 if the system does not report it."""
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return 0

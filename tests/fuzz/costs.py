"""Measure what one input costs: how long it blocks the event loop, and how much memory it takes."""

import resource
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.loop_watch import watch_loop

MAX_HELD_UNITS = 200
"""Units of processor time (see processor_time.py) that one turn of the loop may compute over an input below 1 MB."""
MAX_MEMORY_BYTES = 200_000_000
"""Bytes that such an input may take at any moment."""
COPY = 1.1
"""A child's peak up to this multiple of ours may be only the forked copy of our own pages."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_NEW_PEAK = "5"
"""What makes Linux measure the peak again from here (proc(5), clear_refs)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """`held`: the longest that one turn of the loop computed, in units of processor time; `memory`: in bytes, measured
    on Linux alone; `child`: bytes that a process which read for it had at its peak, where that is a new peak (wait4)
    above our own: until it runs a program of its own, a child is a copy of us, and Linux counts that in.
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
    """The highest peak among the children that have ended, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def _forget_peak() -> None:
    with suppress(OSError):
        _RESET.write_text(_NEW_PEAK)


def _memory(name: str) -> int:
    """One figure of this process in bytes; 0 where the system does not tell."""
    with suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    return 0

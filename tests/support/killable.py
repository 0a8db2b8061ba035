"""Run a small program again and again and kill it. Runs are forked from a process that imports it once.

This module has both sides: serve() for the program, Runs for the test. It does not know what a run does: it hands
over the words of an order, and passes on the lines that the run prints.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.paths import ROOT


def serve(run: Callable[..., object]) -> None:
    """Fork a run for each line of stdin, with the words of the line as arguments, and wait until it is over."""
    for line in sys.stdin:
        if not (pid := os.fork()):
            print_line(f"pid {os.getpid()}")
            run(*line.split())
            os._exit(0)
        os.waitpid(pid, 0)
        print_line("over")


def print_line(line: str) -> None:
    """Write a line to stdout at once and in one piece, so that a kill cannot cut it."""
    os.write(1, f"{line}\n".encode())


class Runs:
    """The test's side of a program. It has one run at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._pid = 0

    async def begin(self, *words: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        told, pid = (await self.line()).split()
        assert told == "pid"
        self._pid = int(pid)

    async def line(self) -> str:
        """Return the next line that the run prints, or "over" at the end of the run."""
        assert self._process.stdout
        return (await self._process.stdout.readline()).decode().rstrip("\n")

    async def kill(self, delay: float) -> tuple[list[str], bool]:
        """Kill the run after `delay` seconds; return its lines until then, and True if it ended by itself.

        This does not wait for an event on purpose: the kill may hit any moment of the run.
        """
        lines: list[str] = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay):
                while (line := await self.line()) != "over":
                    lines.append(line)
                return lines, True
        is_over = False
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:  # it ended at this very moment
            is_over = True
        while (line := await self.line()) != "over":
            lines.append(line)
        return lines, is_over


@asynccontextmanager
async def runs_of(module: str) -> AsyncIterator[Runs]:
    """Start a module that ends with `serve`, and yield its runs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        yield Runs(process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with a run that a failed test has left
        await process.communicate()

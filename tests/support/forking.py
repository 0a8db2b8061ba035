"""Processes that tests/support/zygote.py forks, as asyncio shows those that it starts itself; they end with ours."""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.paths import ROOT

ENVIRON = {"PYTHONWARNINGS": "error::ResourceWarning"}
"""What a zygote's own interpreter is started with, and so every run."""


class ForkedProcess:
    """A run of bot.py, with those members of asyncio.subprocess.Process that are used here."""

    def __init__(self, pid: int, out: asyncio.StreamReader, err: asyncio.StreamReader, told: "_Pipe") -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout, self.stderr = out, err
        self._told = told
        self._over = asyncio.create_task(self._status())

    async def wait(self) -> int:
        return await asyncio.shield(self._over)

    def send_signal(self, number: int) -> None:
        """As subprocess.Popen does: nothing where it has just ended by itself, and its status is on its way."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def abandon(self) -> None:
        """Hear no more of it, as if this process had died: that ends it."""
        self._over.cancel()
        self._told.transport.close()

    async def _status(self) -> int:
        self.returncode = int(await self._told.reader.readline())
        await self._told.reader.read()
        self._told.transport.close()
        return self.returncode


class Zygote:
    """One zygote, from which any number of runs come; ended with this process.

    `shared_by`: a name for all processes that ask the same one. The first of them starts it, the last one ends it.
    """

    def __init__(self, shared_by: str) -> None:
        self._process, self._orders = _asked(f"\0keepsake-zygote-{shared_by}")
        atexit.register(self._close)

    def _close(self) -> None:
        self._orders.close()
        if self._process:
            self._process.wait()

    async def fork(
        self, arguments: Sequence[str], environ: Mapping[str, str], *, folder: Path, snapshot_after: int | None = None
    ) -> ForkedProcess:
        """Begin a run in `folder`, with this environment and no other.

        `snapshot_after`: bytes of a journal in place of the usual number, so that kills hit snapshots, too.
        """
        order = {
            "arguments": list(arguments),
            "environ": dict(environ),
            "folder": str(folder),
            "snapshot_after": snapshot_after,
        }
        pipes = [os.pipe() for _ in range(3)]
        try:
            socket.send_fds(self._orders, [json.dumps(order).encode()], [end for _, end in pipes])
        finally:
            for _, end in pipes:
                os.close(end)
        out, err, told = [await _reading(end) for end, _ in pipes]
        return ForkedProcess(int(await told.reader.readline()), out.reader, err.reader, told)


@cache
def get_zygote() -> Zygote:
    """What all runs are forked from, those of all workers of a test run: its imports alone take seconds."""
    return Zygote(os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid()))


def _asked(address: str) -> tuple[subprocess.Popen[bytes] | None, socket.socket]:
    """A connection to the zygote of an address, and its process if there was none before."""
    process = None
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            try:
                listener.bind(address)
            except OSError:  # taken: another process was first
                pass
            else:
                listener.listen()
                process = _started(listener.fileno())
        orders = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            orders.connect(address)
        except ConnectionRefusedError:  # whoever took the address a moment ago does not listen yet
            orders.close()
        else:
            return process, orders


def _started(listener: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.zygote", str(listener)],
        cwd=ROOT,
        env=ENVIRON,
        pass_fds=[listener],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


class _Pipe:
    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self.reader = reader
        self.transport = transport


async def _reading(end: int) -> _Pipe:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**20)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(end, "rb", buffering=0)
    )
    return _Pipe(reader, transport)

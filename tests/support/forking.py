"""Processes forked by tests/support/zygote.py, used like asyncio's own. They end with this process."""

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
"""The environment in which the zygote's interpreter starts. Its warning filter applies to every run."""


class ForkedProcess:
    """A forked run of bot.py, with the members of asyncio.subprocess.Process that the tests use."""

    def __init__(self, pid: int, out: asyncio.StreamReader, err: asyncio.StreamReader, told: "_Pipe") -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdout, self.stderr = out, err
        self._told = told
        self._over = asyncio.create_task(self._status())

    async def wait(self) -> int:
        return await asyncio.shield(self._over)

    def send_signal(self, number: int) -> None:
        """Send a signal. Do nothing if the process has just ended, as subprocess.Popen does."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def abandon(self) -> None:
        """Close the connection to the process, as if this process had died. The forked run is then killed."""
        self._over.cancel()
        self._told.transport.close()

    async def _status(self) -> int:
        self.returncode = int(await self._told.reader.readline())
        await self._told.reader.read()
        self._told.transport.close()
        return self.returncode


class Zygote:
    """A zygote that forks any number of runs.

    All processes with the same `shared_by` use the same zygote. The first of them starts it, and it ends with the
    last one.
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
        """Fork a run in `folder`, with exactly this environment.

        `snapshot_after`: the journal size in bytes that replaces the usual minimum, so that kills hit snapshots, too.
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
    """Return the zygote that all workers of a test run share. Its imports alone take seconds."""
    return Zygote(os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid()))


def _asked(address: str) -> tuple[subprocess.Popen[bytes] | None, socket.socket]:
    """Return a connection to the zygote at an address, and its process if this call started it."""
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

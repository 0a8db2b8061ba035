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
from pathlib import Path

from tests.paths import ROOT

ENVIRON = {"PYTHONWARNINGS": "error::ResourceWarning"}
"""What a zygote's own interpreter is started with, and so every run."""


class Forked:
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
    """One zygote, from which any number of runs come; ended by `close`, or with this process."""

    def __init__(self, *arguments: str) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.zygote", str(theirs.fileno()), *arguments],
                cwd=ROOT,
                env=ENVIRON,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.close)

    def close(self) -> None:
        """End it; its runs go on, as long as this process does."""
        atexit.unregister(self.close)
        self._orders.close()
        self._process.wait()

    async def fork(self, arguments: Sequence[str], environ: Mapping[str, str], *, folder: Path) -> Forked:
        """Begin a run in `folder`, with this environment and no other."""
        order = {"arguments": list(arguments), "environ": dict(environ), "folder": str(folder)}
        pipes = [os.pipe() for _ in range(3)]
        try:
            socket.send_fds(self._orders, [json.dumps(order).encode()], [end for _, end in pipes])
        finally:
            for _, end in pipes:
                os.close(end)
        out, err, told = [await _reading(end) for end, _ in pipes]
        return Forked(int(await told.reader.readline()), out.reader, err.reader, told)


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

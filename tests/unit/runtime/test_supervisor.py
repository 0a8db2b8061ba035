"""What systemd hears at its own kind of socket; and that it hears nothing of a loop that stands still."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.supervisor import Supervisor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")


@pytest.fixture(params=["a path", "an abstract name"])
def listening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """A datagram socket as systemd's, and the NOTIFY_SOCKET that leads to it."""
    name = str(tmp_path / "notify") if request.param == "a path" else f"@keepsake-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(name.replace("@", "\0"))
        made.setblocking(False)
        yield made, name


def heard(listener: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(listener.recv(4096).decode())
        except BlockingIOError:
            return found


async def test_states_arrive_and_the_watchdog_is_fed_while_the_loop_turns(listening: tuple[socket.socket, str]) -> None:
    listener, name = listening
    supervisor = Supervisor({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": str(os.getpid())})
    supervisor.notify_systemd("READY=1")
    assert heard(listener) == ["READY=1"]
    async with supervisor.notify_watchdog_in_background(), asyncio.timeout(30):
        for _ in range(3):
            assert await asyncio.get_running_loop().sock_recv(listener, 100) == b"WATCHDOG=1"
        heard(listener)
        time.sleep(0.1)  # noqa: ASYNC251 - the loop hangs
        assert heard(listener) == []


@pytest.mark.parametrize(
    "environ",
    [{}, {"WATCHDOG_USEC": "20000"}, {"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "x"}, {"NOTIFY_SOCKET": "/no/where"}],
)
async def test_where_nobody_listens_nothing_fails(environ: dict[str, str]) -> None:
    supervisor = Supervisor(environ)
    supervisor.notify_systemd("READY=1")
    async with supervisor.notify_watchdog_in_background():
        pass


async def test_the_watchdog_of_another_process_is_not_fed(listening: tuple[socket.socket, str]) -> None:
    listener, name = listening
    async with Supervisor(
        {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"}
    ).notify_watchdog_in_background():
        await asyncio.sleep(0)
    assert heard(listener) == []

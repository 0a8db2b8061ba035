"""Notifications reach systemd's socket, and none are sent while the event loop is blocked."""

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
def notify_socket(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """Yield a datagram socket like systemd's, and the value of NOTIFY_SOCKET that leads to it."""
    name = str(tmp_path / "notify") if request.param == "a path" else f"@keepsake-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
        made.bind(name.replace("@", "\0"))
        made.setblocking(False)
        yield made, name


def read_notifications(listener: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(listener.recv(4096).decode())
        except BlockingIOError:
            return found


async def test_notifies_systemd_and_watchdog_while_event_loop_runs(notify_socket: tuple[socket.socket, str]) -> None:
    listener, name = notify_socket
    supervisor = Supervisor({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": str(os.getpid())})
    supervisor.notify_systemd("READY=1")
    assert read_notifications(listener) == ["READY=1"]
    async with supervisor.notify_watchdog_in_background(), asyncio.timeout(30):
        for _ in range(3):
            assert await asyncio.get_running_loop().sock_recv(listener, 100) == b"WATCHDOG=1"
        read_notifications(listener)
        time.sleep(0.1)  # noqa: ASYNC251 - the loop hangs
        assert read_notifications(listener) == []


@pytest.mark.parametrize(
    "environ",
    [{}, {"WATCHDOG_USEC": "20000"}, {"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "x"}, {"NOTIFY_SOCKET": "/no/where"}],
)
async def test_missing_notify_socket_is_ignored(environ: dict[str, str]) -> None:
    supervisor = Supervisor(environ)
    supervisor.notify_systemd("READY=1")
    async with supervisor.notify_watchdog_in_background():
        pass


async def test_does_not_notify_watchdog_of_another_process(notify_socket: tuple[socket.socket, str]) -> None:
    listener, name = notify_socket
    async with Supervisor(
        {"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"}
    ).notify_watchdog_in_background():
        await asyncio.sleep(0)
    assert read_notifications(listener) == []

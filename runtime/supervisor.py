"""Notify systemd (sd_notify) that the process is ready, alive or stopping."""

import logging
import os
import socket
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext

from runtime.tasks import repeat_in_background

log = logging.getLogger(__name__)


class Supervisor:
    """Sends notifications to systemd if `environ` shows that systemd started this process."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address  # in Linux's abstract namespace
        limit = environ.get("WATCHDOG_USEC", "")
        is_for_us = environ.get("WATCHDOG_PID") in (None, "", str(os.getpid()))
        self._watchdog_seconds = int(limit) / 1e6 if self._address and is_for_us and limit.isdecimal() else 0.0

    def notify_systemd(self, state: str) -> None:
        """Send systemd a state such as "READY=1"."""
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.settimeout(1.0)
                sender.sendto(state.encode(), self._address)
        except OSError as error:
            log.warning("systemd was not told %s: %s", state, type(error).__name__)

    def notify_watchdog_in_background(self) -> AbstractAsyncContextManager[None]:
        """Notify the watchdog regularly while the block runs. If the event loop is blocked, nothing is sent."""
        if not self._watchdog_seconds:
            return nullcontext()

        async def report_alive() -> None:
            self.notify_systemd("WATCHDOG=1")

        return repeat_in_background("the watchdog", report_alive, interval=self._watchdog_seconds / 2, at_start=True)

"""Tell systemd how this process does (sd_notify): ready, alive, stopping. Where nobody listens, nothing is told."""

import logging
import os
import socket
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext

from runtime.tasks import repeat_in_background

log = logging.getLogger(__name__)

SEND_SECONDS = 1.0  # A supervisor whose socket is full for longer is not told


class Supervisor:
    """Whoever started this process, by the variables that systemd sets for it (`environ`)."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address  # in Linux's abstract namespace
        limit = environ.get("WATCHDOG_USEC", "")
        is_for_us = environ.get("WATCHDOG_PID") in (None, "", str(os.getpid()))
        self._watchdog_seconds = int(limit) / 1e6 if self._address and is_for_us and limit.isdecimal() else 0.0

    def tell(self, state: str) -> None:
        """Send a state such as READY=1."""
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.settimeout(SEND_SECONDS)
                sender.sendto(state.encode(), self._address)
        except OSError as error:
            log.warning("systemd was not told %s: %s", state, type(error).__name__)

    def watched(self) -> AbstractAsyncContextManager[None]:
        """Say in time, while the block runs, that the event loop turns. A loop that hangs is silent."""
        if not self._watchdog_seconds:
            return nullcontext()

        async def tell_alive() -> None:
            self.tell("WATCHDOG=1")

        return repeat_in_background(tell_alive, every=self._watchdog_seconds / 2, grace=0.0)

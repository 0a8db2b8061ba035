"""Whether a process may be given work: each of its parts is asked, seldom and not for long.

Does not know what the parts are, nor who wants to know.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from attrs import define, field

from records.errors import KeepsakeError

log = logging.getLogger(__name__)

FRESH_FOR = 2.0
"""Seconds for which an answer serves everybody who asks: some parts write to the disk for it."""
PATIENCE = 2.0
"""Seconds after which a part that has not answered is taken to fail: probes wait no longer themselves."""

Check = Callable[[], Awaitable[None]]
"""Raises a KeepsakeError where its part does not work."""


@define(eq=False)
class Readiness:
    """Ready once it has started, until it is asked to stop, while every part works. `monotonic`: seconds."""

    _is_stopping: Callable[[], bool]
    _monotonic: Callable[[], float] = time.monotonic
    _checks: dict[str, Check] = field(factory=dict, init=False)
    _is_started: bool = field(default=False, init=False)
    _known: dict[str, bool] = field(factory=dict, init=False)
    _known_at: float = field(default=float("-inf"), init=False)
    _asking: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    def started(self, **checks: Check) -> None:
        """The program has started; these are its parts."""
        self._checks = checks
        self._is_started = True
        self._known_at = float("-inf")

    async def asked(self) -> dict[str, bool]:
        """Whether each part works, by its name; the program is ready when all do."""
        running = {"started": self._is_started, "not stopping": not self._is_stopping()}
        if not all(running.values()):
            return running
        async with self._asking:
            if self._monotonic() - self._known_at >= FRESH_FOR:
                found = {name: await self._works(name, check) for name, check in self._checks.items()}
                self._known, self._known_at = found, self._monotonic()
        return running | self._known

    async def _works(self, name: str, check: Check) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                await check()
        except (KeepsakeError, TimeoutError) as error:
            if self._known.get(name, True):
                log.warning("not ready: %s (%s)", name, type(error).__name__)
            return False
        if not self._known.get(name, True):
            log.info("%s works again", name)
        return True

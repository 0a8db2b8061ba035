"""Answers a supervisor, a load balancer and Prometheus: is it alive, may it be given work, what has it counted.

Owns /healthz, /readyz and /metrics. Nothing here tells of people, and nothing is changed; there is no password either,
so the address is to be one that only the operator's own machines reach.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from attrs import define, field

from records.errors import KeepsakeError
from runtime import metrics

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

log = logging.getLogger(__name__)

FRESH_FOR = 2.0  # seconds for which an answer serves everybody who asks: some parts write to the disk for it
PATIENCE = 2.0  # seconds after which a part that has not answered is taken to fail: probes wait no longer themselves

Check = Callable[[], Awaitable[None]]  # raises a KeepsakeError where its part does not work


async def _nothing() -> None:
    pass


@define(eq=False)
class Readiness:
    """Ready once it has started, until it is asked to stop, while every part works. `monotonic`: seconds."""

    _is_stopping: Callable[[], bool]
    _monotonic: Callable[[], float] = time.monotonic
    _checks: dict[str, Check] = field(factory=dict, init=False)
    _measure: Check = field(default=_nothing, init=False)
    _is_started: bool = field(default=False, init=False)
    _known: dict[str, bool] = field(factory=dict, init=False)
    _known_at: float = field(default=float("-inf"), init=False)
    _asking: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    def started(self, measure: Check, **checks: Check) -> None:
        """The program has started; these are its parts. `measure`: sets the gauges that /metrics shows."""
        self._measure, self._checks = measure, checks
        self._is_started = True
        self._known_at = float("-inf")

    async def asked(self) -> dict[str, bool]:
        """Whether each part works, by its name; the program is ready when all do."""
        running = {"started": self._is_started, "not stopping": not self._is_stopping()}
        if not all(running.values()):
            return running
        async with self._asking:
            if self._monotonic() - self._known_at >= FRESH_FOR:
                found = {name: await self._is_working(name, check) for name, check in self._checks.items()}
                self._known, self._known_at = found, self._monotonic()
        return running | self._known

    async def measured(self) -> None:
        """Bring the gauges up to date, where that is possible in time."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._measure()
        except (KeepsakeError, TimeoutError) as error:
            log.debug("the figures are those of the last time: %s", type(error).__name__)

    async def _is_working(self, name: str, check: Check) -> bool:
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


@asynccontextmanager
async def serve_health(readiness: Readiness, address: tuple[str, int]) -> AsyncIterator[int]:
    """Answer while the block runs; gives the port. Raises SettingsError where the address cannot be taken."""
    # Here, because a bot that nobody asks needs no web server.
    from runtime.http_server import serve

    async with serve(_make_health_app(readiness), address, setting="HEALTH_LISTEN") as port:
        yield port


def _make_health_app(readiness: Readiness) -> "Starlette":
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    async def healthz(_: "Request") -> "Response":
        return PlainTextResponse("ok\n")  # said by the event loop, which therefore runs

    async def readyz(_: "Request") -> "Response":
        found = await readiness.asked()
        lines = [f"{part}: {'ok' if is_well else 'no'}\n" for part, is_well in found.items()]
        return PlainTextResponse("".join(lines), status_code=200 if all(found.values()) else 503)

    async def figures(_: "Request") -> "Response":
        await readiness.measured()
        return Response(metrics.render_page(), media_type=metrics.MEDIA_TYPE)

    return Starlette(
        routes=[Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", figures)],
    )

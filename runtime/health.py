"""Serve /healthz, /readyz and /metrics to a supervisor, a load balancer and Prometheus.

There is no password, so only the operator's machines should be able to reach them. No response contains personal data.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress

from attrs import define, field
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from records.errors import KeepsakeError
from runtime.metrics import REGISTRY

log = logging.getLogger(__name__)

CHECK_SECONDS = 2.0  # after which a check fails; probes do not wait longer either

Check = Callable[[], Awaitable[None]]  # raises a KeepsakeError if its part does not work


@define(eq=False)
class Readiness:
    """Checks whether the process is ready: it has started, is not stopping, and all of its parts work."""

    _is_stopping: Callable[[], bool]
    _checks: dict[str, Check] = field(factory=dict, init=False)
    _measure: Check | None = field(default=None, init=False)
    _is_started: bool = field(default=False, init=False)
    _failing: set[str] = field(factory=set, init=False)  # the names of the checks that failed last

    def mark_started(self, set_gauges: Callable[[], Awaitable[None]], **checks: Check) -> None:
        """Mark the process as started. `set_gauges` sets the gauges of /metrics, and `checks` test its parts."""
        self._measure, self._checks, self._is_started = set_gauges, checks, True

    async def check_each_component(self) -> dict[str, bool]:
        """Map each component's name to True if it works. The process is ready if all components work."""
        running = {"started": self._is_started, "not stopping": not self._is_stopping()}
        if not all(running.values()):
            return running
        return running | {name: await self._does_component_work(name, check) for name, check in self._checks.items()}

    async def update_gauges(self) -> None:
        """Update the gauges of /metrics. Give up after CHECK_SECONDS."""
        with suppress(KeepsakeError, TimeoutError):
            async with asyncio.timeout(CHECK_SECONDS):
                if self._measure:
                    await self._measure()

    async def _does_component_work(self, name: str, check: Check) -> bool:
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await check()
        except (KeepsakeError, TimeoutError) as error:
            if name not in self._failing:
                log.warning("not ready: %s (%s)", name, type(error).__name__)
            self._failing.add(name)
            return False
        if name in self._failing:
            log.info("%s works again", name)
        self._failing.discard(name)
        return True


def serve_health(readiness: Readiness, address: tuple[str, int]) -> AbstractAsyncContextManager[int]:
    """Serve the health endpoints during the block and yield the port. Raise SettingsError if the address is in use."""
    # Imported here, because a bot without HEALTH_LISTEN needs no web server.
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    from runtime.http_server import serve

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")  # the event loop runs

    async def readyz(_: Request) -> Response:
        found = await readiness.check_each_component()
        lines = [f"{part}: {'ok' if is_well else 'no'}\n" for part, is_well in found.items()]
        return PlainTextResponse("".join(lines), status_code=200 if all(found.values()) else 503)

    async def serve_metrics(_: Request) -> Response:
        await readiness.update_gauges()
        return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    app = Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", serve_metrics)])
    return serve(app, address, listen_setting="HEALTH_LISTEN")

"""What a supervisor, a load balancer and Prometheus ask: does it live, may it be given work, what has it counted.

Owns /healthz, /readyz and /metrics. Does not know what is checked. Nothing here tells of people, and nothing is
changed; there is no password either, so the address is to be one that only the operator's own machines reach.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from runtime import metrics
from runtime.http_server import served
from runtime.readiness import Readiness


@asynccontextmanager
async def health_served(readiness: Readiness, address: tuple[str, int]) -> AsyncIterator[int]:
    """Answer while the block runs; gives the port. Raises SettingsError where the address cannot be taken."""
    async with served(health_app(readiness), address, setting="HEALTH_LISTEN") as port:
        yield port


def health_app(readiness: Readiness) -> Starlette:
    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")  # said by the event loop, which therefore runs

    async def readyz(_: Request) -> Response:
        found = await readiness.asked()
        lines = [f"{part}: {'ok' if is_well else 'no'}\n" for part, is_well in found.items()]
        return PlainTextResponse("".join(lines), status_code=200 if all(found.values()) else 503)

    async def figures(_: Request) -> Response:
        return Response(metrics.page(), media_type=metrics.MEDIA_TYPE)

    return Starlette(
        routes=[Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", figures)],
    )

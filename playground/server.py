"""The playground's server: requests that can be held, connections that can be cut for real, a stop that ends both.

Does not know what it serves. Handlers reach their server through lifetime_of(request) and held(request, …).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from runtime.http_server import BoundedProtocol, serve_app
from runtime.tasks import cancel_and_wait

T = TypeVar("T")

MAX_CONNECTIONS = 900
"""At the same moment: a bot holds one for each answer that it sends, and a process may open 1,024 files."""


class Lifetime:
    """The lifetime of one server: when it stops, held requests end and spawned tasks are cancelled."""

    def __init__(self) -> None:
        self.stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self) -> None:
        self.stopping.set()
        await cancel_and_wait(*self._tasks)


def lifetime_of(request: Request) -> Lifetime:
    """The lifetime of the server that answers this request."""
    lifetime = getattr(request.state, "lifetime", None)
    if not isinstance(lifetime, Lifetime):
        raise TypeError("This app holds requests: run it with playground.server.serve().")
    return lifetime


async def held(request: Request, waiting: Coroutine[Any, Any, T], otherwise: T) -> T:
    """What `waiting` gives; `otherwise` if the client hangs up or the server stops. The body must be read."""
    work = asyncio.ensure_future(waiting)
    ends = [
        asyncio.ensure_future(lifetime_of(request).stopping.wait()),
        asyncio.ensure_future(_hung_up(request)),
    ]
    try:
        await asyncio.wait({work, *ends}, return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else otherwise
    finally:
        for task in (work, *ends):
            task.cancel()
        await asyncio.gather(work, *ends, return_exceptions=True)


async def drop(request: Request) -> None:
    """Cut the TCP connection (the client sees a reset), and wait until the server has noticed."""
    abort: Callable[[], None] = request.state.drop
    abort()
    await _hung_up(request)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


IDLE_FOR = 75
"""Seconds, more than the clients that come here keep a connection (ours 30): whoever closes it while the other sends
cuts a request off.
"""


class ServerProtocol(BoundedProtocol):
    """HTTP/1.1 that lets a handler cut its connection, within the bounds that every server here has."""

    most_connections = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "drop": transport.abort}


@contextlib.asynccontextmanager
async def serve(app: ASGIApp, port: int = 0, *, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serve `app` on this machine while the block runs; gives its URL, without a slash at the end.

    Port 0 takes a free one. A port in use is an OSError. At the end held requests are answered at once.
    """
    lifetime = Lifetime()

    async def with_lifetime(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["lifetime"] = lifetime
        await app(scope, receive, send)

    async with serve_app(with_lifetime, host, port, protocol=ServerProtocol, grace=5, idle=IDLE_FOR) as taken:
        try:
            yield f"http://{host}:{taken}"
        finally:
            await lifetime.stop()

"""An HTTP server whose handlers can hold requests and cut connections, and which ends both when it stops."""

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
    """The lifetime of one server. At its end, held requests finish and spawned tasks are cancelled."""

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
    """Return the lifetime of the server that handles this request."""
    lifetime = getattr(request.state, "lifetime", None)
    if not isinstance(lifetime, Lifetime):
        raise TypeError("This app holds requests: run it with playground.server.serve().")
    return lifetime


async def hold_request(request: Request, waiting: Coroutine[Any, Any, T], otherwise: T) -> T:
    """Return the result of `waiting`, or `otherwise` if the client disconnects or the server stops.

    Read the request's body before.
    """
    work = asyncio.ensure_future(waiting)
    ends = [
        asyncio.ensure_future(lifetime_of(request).stopping.wait()),
        asyncio.ensure_future(_wait_for_disconnect(request)),
    ]
    try:
        await asyncio.wait({work, *ends}, return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else otherwise
    finally:
        for task in (work, *ends):
            task.cancel()
        await asyncio.gather(work, *ends, return_exceptions=True)


async def cut_connection(request: Request) -> None:
    """Reset the TCP connection, and wait until the server has noticed."""
    abort: Callable[[], None] = request.state.drop
    abort()
    await _wait_for_disconnect(request)


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


IDLE_FOR = 75
"""Seconds, more than the clients that come here keep a connection (ours 30): whoever closes it while the other sends
cuts a request off.
"""


class ServerProtocol(BoundedProtocol):
    """HTTP/1.1 with the usual bounds, whose handlers can cut the connection."""

    max_connections = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "drop": transport.abort}


@contextlib.asynccontextmanager
async def serve(app: ASGIApp, port: int = 0, *, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serve `app` while the block runs, and yield its URL without a trailing slash.

    Port 0 takes a free port. Raise OSError if the port is in use. Held requests are answered when the block ends.
    """
    lifetime = Lifetime()

    async def with_lifetime(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["lifetime"] = lifetime
        await app(scope, receive, send)

    async with serve_app(
        with_lifetime, host, port, protocol=ServerProtocol, grace_seconds=5, idle_seconds=IDLE_FOR
    ) as taken:
        try:
            yield f"http://{host}:{taken}"
        finally:
            await lifetime.stop()

"""An HTTP server whose handlers can hold a request until something happens, or cut its connection.

When the server stops, it ends all held requests.
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
"""The most simultaneous connections. A bot needs one per answer, and a process may open 1,024 files."""


class ServerLifetime:
    """The lifetime of one server. When it ends, held requests are answered and spawned tasks are cancelled."""

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


def get_lifetime(request: Request) -> ServerLifetime:
    """Return the lifetime of the server that handles this request. Raise TypeError if serve() did not start it."""
    lifetime = getattr(request.state, "lifetime", None)
    if not isinstance(lifetime, ServerLifetime):
        raise TypeError("This app holds requests: run it with playground.server.serve().")
    return lifetime


async def run_until_disconnect(request: Request, work: Coroutine[Any, Any, T], default: T) -> T:
    """Return the result of `work`, or `default` if the client disconnects or the server stops first.

    Read the request's body before calling this.
    """
    task = asyncio.ensure_future(work)
    ends = [
        asyncio.ensure_future(get_lifetime(request).stopping.wait()),
        asyncio.ensure_future(_wait_for_disconnect(request)),
    ]
    try:
        await asyncio.wait({task, *ends}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else default
    finally:
        for pending in (task, *ends):
            pending.cancel()
        await asyncio.gather(task, *ends, return_exceptions=True)


async def cut_connection(request: Request) -> None:
    """Reset the TCP connection of a request, and wait until the server has noticed."""
    abort: Callable[[], None] = request.state.drop
    abort()
    await _wait_for_disconnect(request)


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


IDLE_SECONDS = 75
"""How long an idle connection is kept: longer than clients keep theirs (ours 30 seconds), because closing a connection
while the client sends would cut off a request.
"""


class ServerProtocol(BoundedProtocol):
    """The bounded HTTP/1.1 protocol, with a way for request handlers to cut the connection."""

    max_connections = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "drop": transport.abort}


@contextlib.asynccontextmanager
async def serve(app: ASGIApp, port: int = 0, *, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serve `app` while the block runs, and yield its URL without a trailing slash.

    Port 0 selects a free port. Raise OSError if the port is in use. Held requests are answered when the block ends.
    """
    lifetime = ServerLifetime()

    async def run_app_with_lifetime(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})["lifetime"] = lifetime
        await app(scope, receive, send)

    async with serve_app(
        run_app_with_lifetime, host, port, protocol=ServerProtocol, grace_seconds=5, idle_seconds=IDLE_SECONDS
    ) as taken:
        try:
            yield f"http://{host}:{taken}"
        finally:
            await lifetime.stop()

"""Serves an ASGI app in the running loop: listens before it is used, leaves signals alone, logs nothing, stops cleanly.

The one place that runs uvicorn.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from records.errors import SettingsError

REQUEST_WITHIN = 10.0
"""Seconds after which a request is looked at; one that has not arrived whole by the second look is given up."""
MAX_CONNECTIONS = 200
"""At the same moment; Telegram opens 40 at most (Bot API, setWebhook), or as many as max_connections says. One more
takes the place of the one that has kept us waiting longest: whoever held all of them would shut everybody else out.
"""

READ_WITHIN = 20.0
"""Seconds between two looks at an answer that waits for its reader; where nothing of it was read meanwhile, it is given
up, with whatever made it.
"""

LOOK_AGAIN = 0.002  # seconds between two looks at a stop: nothing tells when the last connection has gone


class BoundedProtocol(H11Protocol):
    """Connections in a limited number, and no request that never arrives whole: uvicorn waits for headers for ever."""

    most_connections = MAX_CONNECTIONS
    request_within = REQUEST_WITHIN
    read_within = READ_WITHIN

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._seen: object = None
        self._since = self.loop.time()
        self._look: asyncio.TimerHandle | None = None
        self._unread = 0
        self._look_at_reader = self.loop.call_later(self.read_within, self._drop_who_does_not_read)
        if len(self.connections) > self.most_connections and not self._make_room():
            transport.close()
        else:
            self._look = self.loop.call_later(self.request_within, self._look_again)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._look is not None:
            self._look.cancel()
        self._look_at_reader.cancel()
        super().connection_lost(exc)

    def _drop_who_does_not_read(self) -> None:
        """Close where as much waits to be read as at the last look."""
        unread = self.transport.get_write_buffer_size()
        if unread and unread == self._unread:
            self.transport.abort()
            return
        self._unread = unread
        self._look_at_reader = self.loop.call_later(self.read_within, self._drop_who_does_not_read)

    @property
    def _is_incomplete(self) -> bool:
        """Whether no whole request is here that would have to be answered."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _make_room(self) -> bool:
        """Close the oldest connection without a whole request, rather one that never brought any; False where every
        other one is at work.
        """
        others = (
            connection
            for connection in self.connections
            if isinstance(connection, BoundedProtocol) and connection is not self
        )
        waiting = [
            connection for connection in others if connection._is_incomplete and not connection.transport.is_closing()
        ]
        if not waiting:
            return False
        min(waiting, key=lambda connection: (connection.cycle is not None, connection._since)).transport.close()
        return True

    def _look_again(self) -> None:
        """Close where the same request is as incomplete as at the last look."""
        if self._is_incomplete and self._seen == (self.cycle,):
            self.transport.close()
            return
        self._seen = (self.cycle,) if self._is_incomplete else None
        self._look = self.loop.call_later(self.request_within, self._look_again)


class _Server(uvicorn.Server):
    """Starts and stops by events, and leaves the process's signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self.stop = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        await self.stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, which looks every tenth of a second whether all is done, and once more than it needs to."""
        for server in self.servers:
            server.close()
        state = self.server_state
        for connection in list(state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while state.tasks:
                    await asyncio.wait(state.tasks)
                while state.connections:  # noqa: ASYNC110 - a set that uvicorn keeps tells nobody
                    await asyncio.sleep(LOOK_AGAIN)
        for task in state.tasks:
            task.cancel()
        for server in self.servers:
            await server.wait_closed()


@contextlib.asynccontextmanager
async def serve_app(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    protocol: type[asyncio.Protocol] | None = None,
    grace: int = 2,
    idle: int = 5,
) -> AsyncIterator[int]:
    """Serve `app` at `host` while the block runs; gives the port (0 takes a free one).

    An address that cannot be taken is an OSError. At the end requests under way have `grace` seconds to finish. `idle`:
    seconds that a connection is kept between two requests, or after a refused one.
    """
    listener = _open_socket(host.strip("[]"), port)
    # No logging of its own: access lines would hold tokens, and whatever a stranger sends.
    config = uvicorn.Config(
        app,
        http=protocol or BoundedProtocol,
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=grace,
        timeout_keep_alive=idle,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    started = asyncio.create_task(server.ready.wait())
    try:
        await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)
        yield int(listener.getsockname()[1])
    finally:
        started.cancel()
        server.stop.set()
        await running
        listener.close()


@contextlib.asynccontextmanager
async def serve(
    app: ASGIApp, address: tuple[str, int], *, setting: str, protocol: type[asyncio.Protocol] | None = None
) -> AsyncIterator[int]:
    """As `serve_app`, at the address that a setting names. Raises SettingsError, naming it, where that is taken."""
    host, port = address
    async with contextlib.AsyncExitStack() as stack:
        try:
            taken = await stack.enter_async_context(serve_app(app, host, port, protocol=protocol))
        except OSError as error:
            raise SettingsError(setting, f"cannot listen on {host}:{port} ({error.strerror}).") from error
        yield taken


def _open_socket(host: str, port: int) -> socket.socket:
    """Named TCP in so many words: asyncio turns Nagle's delay (40 ms an answer) off for such sockets only."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener

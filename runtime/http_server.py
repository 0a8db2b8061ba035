"""Run uvicorn in the current event loop, with limits for slow clients and without its logging and signal handlers."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from records.errors import SettingsError

# Telegram opens at most 40 (Bot API, setWebhook). One more replaces the connection that has been waiting longest.
MAX_CONNECTIONS = 200
REQUEST_CHECK_SECONDS = 10.0  # seconds between two checks; a request that is incomplete at both is dropped
READ_CHECK_SECONDS = 20.0  # seconds between two checks; a client that read nothing in between is dropped


class BoundedProtocol(H11Protocol):
    """An HTTP/1.1 protocol that limits the number of connections, and drops clients that send or read too slowly."""

    max_connections = MAX_CONNECTIONS
    request_within = REQUEST_CHECK_SECONDS
    read_within = READ_CHECK_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._seen: object = None
        self._since = self.loop.time()
        self._request_check = self.loop.call_later(self.request_within, self._drop_client_if_request_incomplete)
        self._unread = 0
        self._reader_check = self.loop.call_later(self.read_within, self._drop_client_if_not_reading)
        if len(self.connections) > self.max_connections and not self._try_to_evict_idle_client():
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._request_check.cancel()
        self._reader_check.cancel()
        super().connection_lost(exc)

    def _drop_client_if_not_reading(self) -> None:
        unread = self.transport.get_write_buffer_size()
        if unread and unread == self._unread:
            self.transport.abort()
            return
        self._unread = unread
        self._reader_check = self.loop.call_later(self.read_within, self._drop_client_if_not_reading)

    @property
    def _awaits_client_data(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _try_to_evict_idle_client(self) -> bool:
        # Prefer connections that have never sent a complete request.
        others = [other for other in self.connections if isinstance(other, BoundedProtocol) and other is not self]
        waiting = [other for other in others if other._awaits_client_data and not other.transport.is_closing()]
        if not waiting:
            return False
        min(waiting, key=lambda connection: (connection.cycle is not None, connection._since)).transport.close()
        return True

    def _drop_client_if_request_incomplete(self) -> None:
        if self._awaits_client_data and self._seen == (self.cycle,):
            self.transport.close()
            return
        self._seen = (self.cycle,) if self._awaits_client_data else None
        self._request_check = self.loop.call_later(self.request_within, self._drop_client_if_request_incomplete)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.stop = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        await self.stop.wait()


@contextlib.asynccontextmanager
async def serve_app(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    protocol: type[asyncio.Protocol] = BoundedProtocol,
    grace_seconds: int = 2,
    idle_seconds: int = 5,
) -> AsyncIterator[int]:
    """Serve `app` during the block and yield the port. Port 0 selects a free one. Raise OSError if the port is in use.

    At the end, running requests get `grace_seconds` to finish. Idle connections are closed after `idle_seconds`.
    """
    listener = _open_listening_socket(host.strip("[]"), port)
    # Without access logs, which would contain tokens and whatever a stranger sends.
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=grace_seconds,
        timeout_keep_alive=idle_seconds,
    )
    server = _Server(config)
    # Clients may connect already: the socket is open, and they wait in its backlog.
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.stop.set()
        await running
        listener.close()


@contextlib.asynccontextmanager
async def serve(
    app: ASGIApp, address: tuple[str, int], *, listen_setting: str, protocol: type[asyncio.Protocol] = BoundedProtocol
) -> AsyncIterator[int]:
    """Serve `app` during the block and yield the port. If the address is in use, name `listen_setting` in the error."""
    host, port = address
    async with contextlib.AsyncExitStack() as stack:
        try:
            bound_port = await stack.enter_async_context(serve_app(app, host, port, protocol=protocol))
        except OSError as error:
            raise SettingsError(listen_setting, f"cannot listen on {host}:{port} ({error.strerror}).") from error
        yield bound_port


def _open_listening_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns off Nagle's algorithm, which would delay answers by 40 ms, only for sockets with this protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener

"""Clients that send nothing or never finish are disconnected, and others are served meanwhile."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from playground.server import IDLE_SECONDS
from runtime import http_server
from runtime.http_client import KEPT_ALIVE
from runtime.http_server import MAX_CONNECTIONS, serve_app

WHOLE = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi"


HELD = WHOLE.replace(b"POST / ", b"POST /held ")


class SlowEndpoint:
    """An endpoint that answers its requests once `released` is set."""

    def __init__(self) -> None:
        self.arrived = asyncio.Semaphore(0)
        self.released = asyncio.Event()

    async def answer(self, request: Request) -> Response:
        await request.body()
        self.arrived.release()
        await self.released.wait()
        return Response("served")


async def answer(request: Request) -> Response:
    await request.body()
    return Response("served")


async def stream_without_end(_: Request) -> Response:
    async def begin_and_wait() -> AsyncIterator[bytes]:
        yield b"data: and so on\n\n"
        await asyncio.Event().wait()

    return StreamingResponse(begin_and_wait(), media_type="text/event-stream")


async def send_much(_: Request) -> Response:
    return Response(bytes(50_000_000))


async def take_upload(request: Request) -> Response:
    pieces = request.stream()
    first = await anext(pieces)

    async def confirm_and_read_rest() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    return StreamingResponse(confirm_and_read_rest())


@pytest.fixture
def slow_endpoint() -> SlowEndpoint:
    return SlowEndpoint()


@pytest.fixture
async def port(slow_endpoint: SlowEndpoint) -> AsyncIterator[int]:
    app = Starlette(
        routes=[Route("/", answer, methods=["POST"]), Route("/held", slow_endpoint.answer, methods=["POST"])]
    )
    async with serve_app(app, "127.0.0.1", 0, grace_seconds=1) as taken:
        yield taken


async def check_served(port: int) -> bool:
    said, writer = await send_request(port)
    writer.close()
    return said.startswith(b"HTTP/1.1 200")


async def send_request(port: int) -> tuple[bytes, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(WHOLE)
    return await reader.read(200), writer


@pytest.mark.parametrize(
    "begun", [b"", b"POST / HT", b"POST / HTTP/1.1\r\nhost: a\r\n", WHOLE[:-1], WHOLE + b"POST / H"]
)
async def test_closes_connection_with_incomplete_request(
    port: int, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(http_server.BoundedProtocol, "request_within", 0.5)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begun)
    async with asyncio.timeout(20):
        said = await reader.read()
    assert (b"200" in said) == begun.startswith(WHOLE)
    writer.close()
    monkeypatch.undo()
    assert await check_served(port)


def test_client_keep_alive_is_shorter_than_server_idle_timeout() -> None:
    """Otherwise the server could cut off a request, and the client could not know if it was processed."""
    assert IDLE_SECONDS >= 2 * KEPT_ALIVE


async def test_closes_idle_connection_after_idle_seconds() -> None:
    async with serve_app(
        Starlette(routes=[Route("/", answer, methods=["POST"])]), "127.0.0.1", 0, idle_seconds=0
    ) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(WHOLE)
        async with asyncio.timeout(20):
            assert (await reader.read()).endswith(b"served")
        writer.close()


async def test_closes_oldest_idle_connection_beyond_limit(port: int) -> None:
    held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MAX_CONNECTIONS)]
    async with asyncio.timeout(http_server.REQUEST_CHECK_SECONDS):  # sooner than what is late is closed for that
        for place in range(3):
            said, writer = await send_request(port)
            assert said.startswith(b"HTTP/1.1 200"), "nobody can hold all the places"
            assert await held[place][0].read() == b"", "the oldest one is closed"
            held.append((held[place][0], writer))  # stays, so that the next one finds no room either
    newer = held[MAX_CONNECTIONS - 1]
    newer[1].write(WHOLE)
    async with asyncio.timeout(20):
        assert (await newer[0].read(200)).startswith(b"HTTP/1.1 200"), "the newer ones are still there"
    for _, connection in held:
        connection.close()
        await connection.wait_closed()


async def test_closes_new_connection_when_all_connections_are_busy(port: int, slow_endpoint: SlowEndpoint) -> None:
    held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MAX_CONNECTIONS)]
    for _, connection in held:
        connection.write(HELD)
    async with asyncio.timeout(20):
        for _ in held:
            await slow_endpoint.arrived.acquire()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        writer.close()
        slow_endpoint.released.set()
        for reader, connection in held:
            assert (await reader.read(200)).startswith(b"HTTP/1.1 200")
            connection.close()
            await connection.wait_closed()
        assert await check_served(port), "and there is room again"


@pytest.mark.parametrize(
    ("begun", "is_answered"),
    [
        (b"", False),
        (b"POST / HTTP/1.1\r\nho", False),
        (WHOLE, True),
        (WHOLE[:-1].replace(b"POST / ", b"POST /upload "), True),
        (b"GET /stream HTTP/1.1\r\nhost: a\r\n\r\n", True),
        (b"GET /much HTTP/1.1\r\nhost: a\r\n\r\n", True),
    ],
    ids=["idle", "half a request", "keep-alive", "running upload", "endless stream", "slow reader"],
)
async def test_stops_while_client_stays_connected(begun: bytes, is_answered: bool) -> None:
    routes = [
        Route("/", answer, methods=["POST"]),
        Route("/upload", take_upload, methods=["POST"]),
        Route("/stream", stream_without_end),
        Route("/much", send_much),
    ]
    async with asyncio.timeout(8):  # a bot with several servers has ten seconds to end
        async with serve_app(Starlette(routes=routes), "127.0.0.1", 0, grace_seconds=1) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**10)
            writer.write(begun)
            if is_answered:
                assert await reader.readexactly(12) == b"HTTP/1.1 200"
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
    writer.close()

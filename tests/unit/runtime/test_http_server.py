"""Whoever connects and sends nothing, or never ends, is let go; others are served meanwhile."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from runtime import http_server
from runtime.http_server import MOST_CONNECTIONS, serving

WHOLE = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi"


async def answer(request: Request) -> Response:
    await request.body()
    return Response("served")


@pytest.fixture
async def port() -> AsyncIterator[int]:
    app = Starlette(routes=[Route("/", answer, methods=["POST"])])
    async with serving(app, "127.0.0.1", 0, grace=1) as taken:
        yield taken


async def served(port: int) -> bool:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(WHOLE)
    said = await reader.read(200)
    writer.close()
    return said.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "begun", [b"", b"POST / HT", b"POST / HTTP/1.1\r\nhost: a\r\n", WHOLE[:-1], WHOLE + b"POST / H"]
)
async def test_a_request_that_never_arrives_whole_is_given_up(
    port: int, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(http_server, "REQUEST_WITHIN", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begun)
    async with asyncio.timeout(20):
        said = await reader.read()
    assert (b"200" in said) == begun.startswith(WHOLE)
    writer.close()
    assert await served(port)


async def test_connections_beyond_the_limit_are_closed_and_there_is_room_again(port: int) -> None:
    held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST_CONNECTIONS)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(20):
        assert await reader.read() == b""
    writer.close()
    for _, one in held:
        one.close()
        await one.wait_closed()
    async with asyncio.timeout(20):
        while not await served(port):
            pass

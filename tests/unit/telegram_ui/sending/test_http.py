"""Tests of requests to Telegram over aiohttp: forms, files, proxies, and the error for each failure."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from telegram import InputFile
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import RequestData
from telegram.request._requestparameter import RequestParameter

from playground.server import serve
from telegram_ui.sending import http
from telegram_ui.sending.http import AiohttpRequest, failed_without_response, request_had_no_effect
from tests.peers.ports import reserve_port

Handler = Callable[[Request], Awaitable[Response]]


@asynccontextmanager
async def serve_handler(handler: Handler) -> AsyncIterator[str]:
    async with serve(Starlette(routes=[Route("/{path:path}", handler, methods=["GET", "POST"])])) as url:
        yield url


@asynccontextmanager
async def open_request(*, trust_env: bool = False, **options: Any) -> AsyncIterator[AiohttpRequest]:
    async with AiohttpRequest(trust_env=trust_env, **options) as request:
        yield request


def make_request_data(**values: object) -> RequestData:
    return RequestData([RequestParameter.from_input(name, value) for name, value in values.items()])


async def echo_body(request: Request) -> Response:
    """Return the request's body in a Bot API answer."""
    return JSONResponse({"ok": True, "result": {"body": (await request.body()).decode()}})


async def test_form_values_and_files_are_transmitted_unchanged() -> None:
    async with serve_handler(echo_body) as url, open_request() as request:
        odd = "".join(map(chr, range(1, 256))) + "%41 привет 😀"
        plain: Any = await request.post(f"{url}/plain", make_request_data(text=odd, caption="", ids=[1, 2]))
        assert dict(parse_qsl(plain["body"], keep_blank_values=True)) == {"text": odd, "caption": "", "ids": "[1, 2]"}
        assert plain["body"].isascii()
        file = InputFile(b"words", filename="été.txt")
        with_file: Any = await request.post(f"{url}/file", make_request_data(document=file, caption="c"))
        assert 'filename="été.txt"\r\n\r\nwords\r\n' in with_file["body"].replace("Content-Type: text/plain\r\n", "")
        assert 'name="caption"\r\n\r\nc\r\n' in with_file["body"]
        assert b"body" in await request.retrieve(f"{url}/file")


async def test_large_file_is_uploaded_in_chunks() -> None:
    """aiohttp warns if a large body is written at once, because that blocks the event loop."""

    async def sized(request: Request) -> Response:
        return JSONResponse({"ok": True, "result": len(await request.body())})

    data = RequestData([RequestParameter("document", "attach://a", [InputFile(b"x" * 3_000_000, attach=True)])])
    async with serve_handler(sized) as url, open_request() as requests:
        sent: Any = await requests.post(f"{url}/sendDocument", data)
    assert sent > 3_000_000


async def test_answer_of_another_server_raises_telegram_error() -> None:
    """LM Studio answers so, with status 200. The KeyError ended the start, and --check, with a traceback."""

    async def answer_as_lm_studio(request: Request) -> Response:
        return JSONResponse({"error": f"Unexpected endpoint or method. (POST {request.url.path})"})

    async with serve_handler(answer_as_lm_studio) as url, open_request() as request:
        with pytest.raises(TelegramError, match="Invalid server response"):
            await request.post(f"{url}/bot123:token/getMe")


RELAYED_ERRORS = {
    b'{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":7}}': RetryAfter,
    b'{"ok": false, "error_code": 403, "description": "Forbidden: bot was blocked by the user"}': Forbidden,
    b'{"description":"Bad Request: chat not found","error_code":"400","ok":false}': BadRequest,
    b'\n{\n  "ok": false,\n  "error": "getaddrinfo ENOTFOUND"\n}': NetworkError,
    b'{"ok":false,"error_code":200}': NetworkError,
}


@pytest.mark.parametrize(("answer", "error"), RELAYED_ERRORS.items())
async def test_error_from_relay_that_loses_status_is_an_error(answer: bytes, error: type[TelegramError]) -> None:
    """PHP's header() keeps status 200 (TsSaltan/Telegram-bot-api-php-proxy). A KeyError lost the message."""

    async def answer_as_relay(request: Request) -> Response:
        return Response(answer, media_type="application/json")

    async with serve_handler(answer_as_relay) as url, open_request() as request:
        with pytest.raises(TelegramError) as raised:
            await request.post(f"{url}/bot123:token/sendMessage")
        assert type(raised.value) is error
        assert await request.retrieve(f"{url}/file/bot123:token/documents/a.json") == answer


@pytest.mark.parametrize(
    "fields",
    [
        {"parameters": "retry"},
        {"parameters": ["retry_after"]},
        {"parameters": {"retry_after": "soon"}},
        {"parameters": {"retry_after": "NaN"}},
        {"parameters": {"retry_after": 10**15}},
        {"parameters": {"migrate_to_chat_id": [-1001]}},
        {"parameters": None, "description": []},
        {"description": {"en": "Too many requests"}},
    ],
)
async def test_error_response_with_fields_of_other_types_raises_telegram_error(fields: dict[str, object]) -> None:
    """Servers that imitate the Bot API send such fields. An AttributeError of python-telegram-bot lost the message."""

    async def answer_oddly(_: Request) -> Response:
        return JSONResponse({"ok": False, "error_code": 429, **fields}, status_code=429)

    async with serve_handler(answer_oddly) as url, open_request() as request:
        with pytest.raises(TelegramError) as raised:
            await request.post(f"{url}/bot123:token/sendMessage")
    assert type(raised.value) is NetworkError


@pytest.mark.parametrize("seconds", [7, "7", 6.2])
async def test_429_response_raises_retry_after_with_whole_seconds(seconds: object) -> None:
    """Limiters in front of a Bot API server send fractions of a second, and relays send numbers as text."""

    async def busy(_: Request) -> Response:
        return JSONResponse({"ok": False, "parameters": {"retry_after": seconds}}, status_code=429)

    async with serve_handler(busy) as url, open_request() as request:
        with pytest.raises(RetryAfter) as raised:
            await request.post(url)
    assert http.get_retry_seconds(raised.value) == 7


async def test_download_beyond_size_limit_raises_bad_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A self-hosted Bot API server serves files of any size, and the declared size may be wrong."""
    monkeypatch.setattr(http, "MAX_ANSWER_BYTES", 1_000_000)

    async def long(_: Request) -> Response:
        async def body() -> AsyncIterator[bytes]:
            for _ in range(50):
                yield bytes(100_000)

        return StreamingResponse(body())

    async with serve_handler(long) as url, open_request() as request:
        with pytest.raises(BadRequest, match="too big"):
            await request.retrieve(url)


async def post_and_return_error(url: str, **options: Any) -> TelegramError:
    async with open_request(**options) as request:
        with pytest.raises(NetworkError) as raised:
            await request.post(f"{url}/bot4242:secret/sendMessage", make_request_data(text="words"))
    for word in ("secret", "words"):
        assert word not in str(raised.value)
    return raised.value


async def test_refused_connection_had_no_effect() -> None:
    with reserve_port() as port:
        error = await post_and_return_error(f"http://127.0.0.1:{port}")
    assert request_had_no_effect(error)
    assert failed_without_response(error)


async def test_unresolvable_host_had_no_effect() -> None:
    assert request_had_no_effect(await post_and_return_error("http://nowhere.invalid"))


async def test_connection_closed_after_request_may_have_had_effect() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        error = await post_and_return_error(f"http://127.0.0.1:{port}")
    assert not request_had_no_effect(error)
    assert failed_without_response(error)


async def test_read_timeout_raises_timed_out_and_may_have_had_effect() -> None:
    released = asyncio.Event()

    async def hang(_: Request) -> Response:
        await released.wait()
        return Response()

    async with serve_handler(hang) as url:
        error = await post_and_return_error(url, read_timeout=0.05)
        released.set()
    assert isinstance(error, TimedOut)
    assert not request_had_no_effect(error)


async def test_exhausted_connection_pool_had_no_effect() -> None:
    released, begun = asyncio.Event(), asyncio.Event()

    async def hang(_: Request) -> Response:
        begun.set()
        await released.wait()
        return JSONResponse({"ok": True, "result": {}})

    async with serve_handler(hang) as url, open_request() as request:
        first = asyncio.create_task(request.post(url))
        await begun.wait()
        with pytest.raises(TimedOut) as raised:
            await request.post(url, connect_timeout=0.05, pool_timeout=0.0)
        released.set()
        await first
    assert request_had_no_effect(raised.value)


async def test_environment_proxy_is_used_only_when_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 27\r\nConnection: close\r\n\r\n{"ok": true, "result": {} }')
        writer.close()

    async with await asyncio.start_server(proxy, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        async with open_request(trust_env=True) as request:
            assert await request.post("http://api.telegram.invalid/x") == {}
        assert asked == [b"POST http://api.telegram.invalid/x HTTP/1.1\r\n"]
        async with open_request() as request:
            with pytest.raises(NetworkError):
                await request.post("http://api.telegram.invalid/x")

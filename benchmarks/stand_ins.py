"""An OpenAI-compatible endpoint and an HTTP server that use little CPU time, for load tests.

The endpoint answers at once and repeats the tag ("#12-3") of the last user message. The server uses aiohttp, which has
a compiled parser. The server that the bot uses would spend more CPU time on a request than the bot itself.
"""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from aiohttp import web
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playground.server import Lifetime

TAG = re.compile(r"#\d+-\d+")
SHUTDOWN_SECONDS = 2.0  # given to unfinished requests at the end
_WORDS = "noted: that is a fine question, and this is as short an answer as a model would give to it."


class InstantEndpoint:
    """A model endpoint that answers at once and counts its requests."""

    def __init__(self) -> None:
        self.request_count = 0

    def app(self) -> ASGIApp:
        """Return the ASGI app, which serves only /v1/chat/completions."""
        return self._complete

    async def _complete(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or scope["path"] != "/v1/chat/completions":
            await Response(status_code=404)(scope, receive, send)
            return
        self.request_count += 1
        body = await Request(scope, receive).json()
        said = next((message["content"] for message in reversed(body["messages"]) if message["role"] == "user"), "")
        tags = TAG.findall(said)
        text = f"{tags[-1] if tags else '#0-0'} {_WORDS}"
        if body.get("stream"):
            await _send_stream(_make_stream_events(body, _split_into_thirds(text)), send)
            return
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        whole = {**_make_envelope(body, "chat.completion"), "choices": [choice], "usage": _make_usage(text)}
        await JSONResponse(whole)(scope, receive, send)


async def _send_stream(events: Iterator[str], send: Send) -> None:
    """Send server-sent events without the extra tasks that Starlette creates to detect a disconnecting client."""
    headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for event in events:
        await send({"type": "http.response.body", "body": f"data: {event}\n\n".encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _split_into_thirds(text: str) -> list[str]:
    third = len(text) // 3 + 1
    return [text[start : start + third] for start in range(0, len(text), third)]


def _make_stream_events(body: dict[str, Any], pieces: Sequence[str]) -> Iterator[str]:
    """Yield the stream's events: one for each piece of text, the finish reason, the usage if requested, and the end."""
    envelope = _make_envelope(body, "chat.completion.chunk")
    for piece in pieces:
        delta = {"role": "assistant", "content": piece}
        yield json.dumps({**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield json.dumps({**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if (body.get("stream_options") or {}).get("include_usage"):
        yield json.dumps({**envelope, "choices": [], "usage": _make_usage("".join(pieces))})
    yield "[DONE]"


def _make_envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "instant", "object": kind, "created": 0, "model": body.get("model", "")}


def _make_usage(text: str) -> dict[str, int]:
    count = len(text.split())
    return {"prompt_tokens": count, "completion_tokens": count, "total_tokens": 2 * count}


@contextlib.asynccontextmanager
async def serve_with_aiohttp(app: ASGIApp) -> AsyncIterator[str]:
    """Serve `app` on this machine while the block runs, and yield its URL without a trailing slash.

    Unlike playground.server.serve(), it does not notice a client that disconnects.
    """
    lifetime = Lifetime()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        asked = _AsgiExchange(request, await request.read())
        await app(_make_asgi_scope(request, lifetime), asked.receive, asked.send)
        if asked.answer is None:
            raise RuntimeError("the app gave no answer")
        return asked.answer

    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await lifetime.stop()
        await runner.cleanup()


class _AsgiExchange:
    """One request and its response, with the `receive` and `send` of ASGI."""

    def __init__(self, request: web.BaseRequest, body: bytes) -> None:
        self._request = request
        self._body: bytes | None = body
        self._start: Message = {}
        self.answer: web.StreamResponse | None = None

    async def receive(self) -> Message:
        """Return the whole body. If called again, wait until the request is cancelled."""
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        piece: bytes = message.get("body", b"")
        if self.answer is None and not message.get("more_body"):
            self.answer = web.Response(status=self._start["status"], headers=self._headers(), body=piece)
            return
        if self.answer is None:
            self.answer = web.StreamResponse(status=self._start["status"], headers=self._headers())
            await self.answer.prepare(self._request)
        if piece:
            await self.answer.write(piece)

    def _headers(self) -> dict[str, str]:
        named = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in self._start["headers"])
        return {name: value for name, value in named if name != "content-length"}


def _make_asgi_scope(request: web.BaseRequest, lifetime: Lifetime) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": request.query_string.encode(),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
        "state": {"lifetime": lifetime},
    }

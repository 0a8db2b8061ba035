"""An OpenAI-compatible endpoint and an HTTP server that cost little CPU time, for measurements of load.

The endpoint answers at once and repeats the tag ("#12-3") of the last user message. The server uses aiohttp, whose
parser is compiled, because the usual one spends more on a request than the bot.
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
STOPPED_WITHIN = 2.0  # seconds that requests under way are given at the end
_WORDS = "noted: that is a fine question, and this is as short an answer as a model would give to it."


class InstantModel:
    """The endpoint. `asked` counts its requests."""

    def __init__(self) -> None:
        self.asked = 0

    def app(self) -> ASGIApp:
        """Return the ASGI app, which answers only one path."""
        return self._complete

    async def _complete(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST" or scope["path"] != "/v1/chat/completions":
            await Response(status_code=404)(scope, receive, send)
            return
        self.asked += 1
        body = await Request(scope, receive).json()
        said = next((message["content"] for message in reversed(body["messages"]) if message["role"] == "user"), "")
        tags = TAG.findall(said)
        text = f"{tags[-1] if tags else '#0-0'} {_WORDS}"
        if body.get("stream"):
            await _send_stream(_events(body, _thirds(text)), send)
            return
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        whole = {**_envelope(body, "chat.completion"), "choices": [choice], "usage": _usage(text)}
        await JSONResponse(whole)(scope, receive, send)


async def _send_stream(events: Iterator[str], send: Send) -> None:
    """Send a stream without Starlette's tasks that watch for a client that disconnects."""
    headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for event in events:
        await send({"type": "http.response.body", "body": f"data: {event}\n\n".encode(), "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _thirds(text: str) -> list[str]:
    third = len(text) // 3 + 1
    return [text[start : start + third] for start in range(0, len(text), third)]


def _events(body: dict[str, Any], pieces: Sequence[str]) -> Iterator[str]:
    """Yield the events for the pieces of text, the end, and the usage."""
    envelope = _envelope(body, "chat.completion.chunk")
    for piece in pieces:
        delta = {"role": "assistant", "content": piece}
        yield json.dumps({**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield json.dumps({**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if (body.get("stream_options") or {}).get("include_usage"):
        yield json.dumps({**envelope, "choices": [], "usage": _usage("".join(pieces))})
    yield "[DONE]"


def _envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "instant", "object": kind, "created": 0, "model": body.get("model", "")}


def _usage(text: str) -> dict[str, int]:
    count = len(text.split())
    return {"prompt_tokens": count, "completion_tokens": count, "total_tokens": 2 * count}


@contextlib.asynccontextmanager
async def serve_lightly(app: ASGIApp) -> AsyncIterator[str]:
    """Serve `app` on this machine while the block runs, and yield its URL without a trailing slash.

    Unlike playground.server.serve(), it does not notice a client that disconnects.
    """
    lifetime = Lifetime()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        asked = _Asked(request, await request.read())
        await app(_scope(request, lifetime), asked.receive, asked.send)
        if asked.answer is None:
            raise RuntimeError("the app gave no answer")
        return asked.answer

    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=STOPPED_WITHIN)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await lifetime.stop()
        await runner.cleanup()


class _Asked:
    """One request and its response."""

    def __init__(self, request: web.BaseRequest, body: bytes) -> None:
        self._request = request
        self._body: bytes | None = body
        self._start: Message = {}
        self.answer: web.StreamResponse | None = None

    async def receive(self) -> Message:
        """Return the whole body, and after that wait until the request ends."""
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


def _scope(request: web.BaseRequest, lifetime: Lifetime) -> Scope:
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

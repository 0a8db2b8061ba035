"""An OpenAI-compatible endpoint and an HTTP server that use little CPU time, for load tests.

Both use aiohttp, which has a compiled parser. The server that the bot uses would spend more CPU time on a request than
the bot itself.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, Self

from aiohttp import web
from starlette.types import Message

from playground.bot_api import make_bot_api
from playground.server import ServerLifetime
from playground.world import World

TAG = re.compile(r"#\d+-\d+")
SHUTDOWN_SECONDS = 2.0  # given to unfinished requests at the end
_WORDS = "noted: that is a fine question, and this is as short an answer as a model would give to it."


class InstantEndpoint:
    """A model endpoint that answers at once with the tag ("#12-3") of the last user message, and counts requests."""

    def __init__(self) -> None:
        self.request_count = 0
        self.url = ""

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[Self]:
        """Serve the endpoint at `url` while the block runs."""
        async with _serve_with_aiohttp(self._complete) as url:
            self.url = f"{url}/v1"
            yield self

    async def _complete(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path != "/v1/chat/completions":
            return web.Response(status=404)
        self.request_count += 1
        body = await request.json()
        said = next((message["content"] for message in reversed(body["messages"]) if message["role"] == "user"), "")
        tags = TAG.findall(said)
        text = f"{tags[-1] if tags else '#0-0'} {_WORDS}"
        if body.get("stream"):
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
            await response.prepare(request)
            for event in _make_stream_events(body, text):
                await response.write(f"data: {event}\n\n".encode())
            return response
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return web.json_response(
            {**_make_envelope(body, "chat.completion"), "choices": [choice], "usage": _make_usage(text)}
        )


def _make_stream_events(body: dict[str, Any], text: str) -> Iterator[str]:
    """Yield a stream's events: the text in three parts, the finish reason, the usage if requested, and "[DONE]"."""
    envelope, third = _make_envelope(body, "chat.completion.chunk"), len(text) // 3 + 1
    for start in range(0, len(text), third):
        delta = {"role": "assistant", "content": text[start : start + third]}
        yield json.dumps({**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield json.dumps({**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if (body.get("stream_options") or {}).get("include_usage"):
        yield json.dumps({**envelope, "choices": [], "usage": _make_usage(text)})
    yield "[DONE]"


def _make_envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "instant", "object": kind, "created": 0, "model": body.get("model", "")}


def _make_usage(text: str) -> dict[str, int]:
    count = len(text.split())
    return {"prompt_tokens": count, "completion_tokens": count, "total_tokens": 2 * count}


@asynccontextmanager
async def serve_bot_api(world: World) -> AsyncIterator[str]:
    """Serve the local Bot API while the block runs, and yield its URL without a trailing slash.

    Unlike playground.server.serve(), it does not notice a client that disconnects.
    """
    app, lifetime = make_bot_api(world), ServerLifetime()

    async def call_app(request: web.BaseRequest) -> web.Response:
        bodies, messages = [await request.read()], list[Message]()

        async def receive() -> Message:
            if not bodies:  # the app waits until the client disconnects
                await asyncio.Event().wait()
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message: Message) -> None:
            messages.append(message)

        await app(
            {
                "type": "http",
                "method": request.method,
                "path": request.path,
                "query_string": request.query_string.encode(),
                "headers": [(name.lower(), value) for name, value in request.raw_headers],
                "state": {"lifetime": lifetime},
            },
            receive,
            send,
        )
        start, *parts = messages
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
        return web.Response(status=start["status"], headers=headers, body=b"".join(part["body"] for part in parts))

    async with _serve_with_aiohttp(call_app) as url:
        try:
            yield url
        finally:
            await lifetime.stop()


@asynccontextmanager
async def _serve_with_aiohttp(answer: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()

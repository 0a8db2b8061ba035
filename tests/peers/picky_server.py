"""An endpoint that refuses some requests, judged by their whole body, and answers all others."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from playground.server import serve

Body = Mapping[str, Any]
Refuse = Callable[[Body], Response | None]


@dataclass
class PickyServer:
    """A server that answers `text` to each request, unless `refuse` returns a refusal for it."""

    refuse: Refuse
    text: str = "Understood."
    bodies: list[Body] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.bodies.append(body)
        if (refusal := self.refuse(body)) is not None:
            return refusal
        if not body.get("stream"):
            choice = {"message": {"role": "assistant", "content": self.text}, "finish_reason": "stop"}
            return JSONResponse({"choices": [choice]})
        return make_stream_response({"delta": {"content": self.text}}, {"delta": {}, "finish_reason": "stop"})


@asynccontextmanager
async def run_picky_server(refuse: Refuse) -> AsyncIterator[tuple[PickyServer, str]]:
    """Run a picky server, and yield it and its base URL."""
    server = PickyServer(refuse)
    app = Starlette(routes=[Route("/v1/chat/completions", server.answer, methods=["POST"])])
    async with serve(app, 0) as url:
        yield server, f"{url}/v1"


def make_stream_response(*choices: Mapping[str, Any]) -> Response:
    events = [json.dumps({"choices": [{"index": 0, **choice}]}) for choice in choices]
    lines = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
    return StreamingResponse(iter([lines]), media_type="text/event-stream")


def make_refusal(status: int, body: object) -> Response:
    """Return a refusal with this body: plain text if it is a string, otherwise JSON."""
    return PlainTextResponse(body, status) if isinstance(body, str) else JSONResponse(body, status)


def get_request_text(body: Body) -> str:
    """Return all messages of a request as one JSON text."""
    return json.dumps(body["messages"], ensure_ascii=False)

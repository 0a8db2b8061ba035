"""An OpenAI-compatible endpoint that answers at once: what is left of a turn's time is the bot's own.

The answer repeats the tag ("#12-3") of the last user message, so that its person is known. Does not know bots.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

TAG = re.compile(r"#\d+-\d+")
_WORDS = "noted: that is a fine question, and this is as short an answer as a model would give to it."


class InstantModel:
    """The endpoint; `asked` counts its requests."""

    def __init__(self) -> None:
        self.asked = 0

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        self.asked += 1
        body = await request.json()
        said = next((one["content"] for one in reversed(body["messages"]) if one["role"] == "user"), "")
        tags = TAG.findall(said)
        text = f"{tags[-1] if tags else '#0-0'} {_WORDS}"
        if body.get("stream"):
            return StreamingResponse(_streamed(body, text), media_type="text/event-stream")
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({**_envelope(body, "chat.completion"), "choices": [choice], "usage": _usage(text)})


async def _streamed(body: dict[str, Any], text: str) -> AsyncIterator[bytes]:
    for event in _events(body, text):
        yield f"data: {event}\n\n".encode()


def _events(body: dict[str, Any], text: str) -> Iterator[str]:
    """Three pieces of text, the end, the usage."""
    envelope = _envelope(body, "chat.completion.chunk")
    third = len(text) // 3 + 1
    for start in range(0, len(text), third):
        delta = {"role": "assistant", "content": text[start : start + third]}
        yield json.dumps({**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield json.dumps({**envelope, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if (body.get("stream_options") or {}).get("include_usage"):
        yield json.dumps({**envelope, "choices": [], "usage": _usage(text)})
    yield "[DONE]"


def _envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "instant", "object": kind, "created": 0, "model": body.get("model", "")}


def _usage(text: str) -> dict[str, int]:
    count = len(text.split())
    return {"prompt_tokens": count, "completion_tokens": count, "total_tokens": 2 * count}

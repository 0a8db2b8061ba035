"""An OpenAI-compatible endpoint that answers at once: what is left of a turn's time is the bot's own.

The answer repeats the tag ("#12-3") of the last user message, so that its person is known. Does not know bots.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import cycle, islice
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

TAG = re.compile(r"#\d+-\d+")
PACE = 80.0
"""Tokens a second, as hosted models write."""
_WORDS = "noted: that is a fine question, and this is as short an answer as a model would give to it."


class InstantModel:
    """The endpoint; `asked` counts its requests. `tokens`: of an answer, streamed at `pace` a second; 0 = a short one,
    at once. `wait`: seconds before the first token.
    """

    def __init__(self, *, tokens: int = 0, pace: float = PACE, wait: float = 0.0) -> None:
        self.asked = 0
        self._tokens = tokens
        self._pace = pace
        self.wait = wait

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        self.asked += 1
        body = await request.json()
        if self.wait:
            await asyncio.sleep(self.wait)
        said = next((one["content"] for one in reversed(body["messages"]) if one["role"] == "user"), "")
        tags = TAG.findall(said)
        text = f"{tags[-1] if tags else '#0-0'} {_words(self._tokens)}"
        if body.get("stream"):
            pause = 1 / self._pace if self._tokens else 0.0
            pieces = re.findall(r"\S+\s*", text) if self._tokens else _thirds(text)
            return StreamingResponse(_streamed(body, pieces, pause), media_type="text/event-stream")
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({**_envelope(body, "chat.completion"), "choices": [choice], "usage": _usage(text)})


async def _streamed(body: dict[str, Any], pieces: Sequence[str], pause: float) -> AsyncIterator[bytes]:
    begun = time.perf_counter()
    for number, event in enumerate(_events(body, pieces)):
        # By the clock, so that a late waking does not slow the whole answer down.
        if pause and (early := begun + number * pause - time.perf_counter()) > 0:
            await asyncio.sleep(early)
        yield f"data: {event}\n\n".encode()


def _words(tokens: int) -> str:
    """Usual English words, which are about a token each."""
    return " ".join(islice(cycle(_WORDS.split()), tokens)) if tokens else _WORDS


def _thirds(text: str) -> list[str]:
    third = len(text) // 3 + 1
    return [text[start : start + third] for start in range(0, len(text), third)]


def _events(body: dict[str, Any], pieces: Sequence[str]) -> Iterator[str]:
    """The pieces of text, the end, the bill."""
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

"""A scripted OpenAI-compatible server over real HTTP: chat, embeddings, transcriptions, speech, models.

Each model, and each JSON schema that is asked for (facts, profile), has a queue of behaviours and a default for an
empty queue. Every request is recorded.
Tests in the same process use the Python object. Tests that run the bot as a process can script it over HTTP, too:
POST /script {"model": …, "queue": [behaviour, …], "default": behaviour}, POST /release, GET /requests, POST /reset.
`python -m tests.peers.openai_server --port N` runs it alone. It does not know what the bot does with its answers.
"""

import argparse
import asyncio
import hashlib
import json
import re
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from playground.parameters import parse_parameters
from playground.server import serve

Where = Literal["", "start", "middle"]
PATIENCE = 90.0
"""Seconds until a test that waits for a request fails instead of hanging the suite."""


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """How one request is answered. By default, the last user message is echoed.

    `text`: the answer; None echoes. With "extract:N" in `mode`, the answer is the first N sentences of the input.
    `hold`, `drop`: "start" means before any byte, "middle" within the answer. A hold ends by `release()`.
    `calls`: the tool calls, each {"name", "arguments"}. They come with a text only if one is given.
    `prompt_tokens`: the prompt tokens in the usage; None counts the prompt's words.
    `events`: the data of a stream, sent unchanged. A comment begins with a colon.
    `step`: each chunk of a stream waits for one release.
    `raw`: the body instead of an answer or of a refusal's JSON; in a stream, one more chunk.
    """

    text: str | None = None
    mode: str = "echo"
    status: int = 200
    code: str | None = None
    param: str | None = None
    message: str = "scripted failure"
    retry_after: str | None = None
    hold: Where = ""
    drop: Where = ""
    step: bool = False
    raw: str | None = None
    empty_choices: bool = False
    refusal: str | None = None
    reasoning: str | None = None
    finish: str | None = "stop"
    done: bool = True
    usage: bool = True
    plain: bool = False
    cached: int = 0
    calls: tuple[Mapping[str, Any], ...] = ()
    refuses: tuple[str, ...] = ()
    prompt_tokens: int | None = None
    events: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | str) -> Self:
        """Return a behaviour from POST /script: an object of these fields, or just a text."""
        if isinstance(value, str):
            return cls(text=value)
        return cls(**{**value, "refuses": tuple(value.get("refuses", ())), "calls": tuple(value.get("calls", ()))})


Answer = Behaviour | str
Default = Answer | Callable[[Sequence[Mapping[str, str]]], Answer]


@dataclass(frozen=True, kw_only=True)
class RecordedRequest:
    """A request as the server received it."""

    path: str
    model: str
    messages: tuple[Mapping[str, str], ...]
    body: Mapping[str, Any]
    key: str

    @property
    def schema(self) -> str:
        """The name of the JSON schema that the answer must follow, or "" if there is none."""
        wanted = self.body.get("response_format")
        return str((wanted.get("json_schema") or {}).get("name", "")) if isinstance(wanted, dict) else ""


@dataclass
class OpenAIServer:
    """A scripted model server that records its requests. Serve it with `run_openai_server()`."""

    requests: list[RecordedRequest] = field(default_factory=list)
    dimensions: int = 64
    listed: dict[str, dict[str, object]] = field(default_factory=dict)
    """By model, further fields of its entry in the list of models."""
    _queues: dict[str, deque[Behaviour]] = field(default_factory=lambda: defaultdict(deque))
    _defaults: dict[str, Default] = field(default_factory=dict)
    _schema_queues: dict[str, deque[Behaviour]] = field(default_factory=lambda: defaultdict(deque))
    _schema_defaults: dict[str, Default] = field(default_factory=dict)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _held: int = 0
    _hung_up: int = 0
    _releases: int = 0

    def script(self, model: str, *answers: Answer) -> None:
        """Queue answers for a model; each is used once, in order."""
        self._queues[model].extend(_make_behaviour(answer) for answer in answers)

    def script_schema(self, name: str, *answers: Answer) -> None:
        """Queue answers for requests that ask for the JSON schema of this name, whatever their model."""
        self._schema_queues[name].extend(_make_behaviour(answer) for answer in answers)

    def set_default_schema_answer(self, name: str, default: Default) -> None:
        """Set the answer for this schema while nothing is queued. By default it is an object without content."""
        self._schema_defaults[name] = default

    def list_schema_requests(self, schema: str) -> list[RecordedRequest]:
        """Return the recorded requests that asked for this JSON schema."""
        return [request for request in self.requests if request.schema == schema]

    def unscript(self, model: str) -> None:
        """Remove the answers that are still queued for a model."""
        self._queues[model].clear()

    @property
    def unasked(self) -> list[str]:
        """The models and schemas for which answers are still queued."""
        return [name for queues in (self._queues, self._schema_queues) for name, queue in queues.items() if queue]

    @property
    def defaults(self) -> dict[str, Default]:
        """The answers that are used while nothing is queued, by model and by schema."""
        return {**self._defaults, **self._schema_defaults}

    def set_default_answer(self, model: str, default: Default) -> None:
        """Set a model's answer while nothing is queued: a text, a behaviour, or a function of the messages."""
        self._defaults[model] = default

    def list_requests(self, model: str) -> list[RecordedRequest]:
        """Return the recorded requests for one model, except those that ask for a JSON schema."""
        return [request for request in self.requests if request.model == model and not request.schema]

    @property
    def hold_count(self) -> int:
        """The number of holds that have been reached in all."""
        return self._held

    async def release(self, times: int = 1) -> None:
        """Release held requests and stepped chunks. Each takes one release, now or later."""
        async with self._changed:
            self._releases += times
            self._changed.notify_all()

    async def wait_until_held(self, times: int = 1) -> None:
        """Wait until this many holds have been reached in all."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: self._held >= times)

    async def until_hung_up(self, times: int = 1) -> None:
        """Wait until this many clients have hung up while they were held."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: self._hung_up >= times)

    async def hold(self, receive: Receive) -> bool:
        """Wait for a release. Return False if the client hangs up or the server stops first.

        The body of the request must have been read.
        """
        released = asyncio.create_task(self._released())
        gone = asyncio.create_task(_hung_up(receive))
        try:
            await asyncio.wait({released, gone}, return_when=asyncio.FIRST_COMPLETED)
            if released.done():
                return True
            async with self._changed:
                self._hung_up += 1
                self._changed.notify_all()
            return False
        finally:
            for task in (released, gone):
                task.cancel()
            await asyncio.gather(released, gone, return_exceptions=True)

    async def _released(self) -> None:
        async with self._changed:
            self._held += 1
            self._changed.notify_all()
            await self._changed.wait_for(lambda: self._releases > 0)
            self._releases -= 1

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embeddings, methods=["POST"]),
                Route("/v1/audio/transcriptions", self._transcriptions, methods=["POST"]),
                Route("/v1/audio/speech", self._speech, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/script", self._script, methods=["POST"]),
                Route("/release", self._release, methods=["POST"]),
                Route("/reset", self._reset, methods=["POST"]),
                Route("/requests", self._requests),
            ]
        )

    async def _chat(self, request: Request) -> Response:
        recorded = await self._record(request)
        behaviour = self._next(recorded)
        refused = next((name for name in behaviour.refuses if name in recorded.body), None)
        if refused:
            behaviour = replace(
                behaviour, status=400, code="unsupported_parameter", message=f"Unsupported parameter: '{refused}'."
            )
        return _Scripted(self, request, recorded, behaviour)

    async def _embeddings(self, request: Request) -> Response:
        recorded = await self._record(request)
        behaviour = self._next(recorded)
        if behaviour.status != 200 or behaviour.hold or behaviour.drop or behaviour.raw is not None:
            return _Scripted(self, request, recorded, behaviour)
        given = recorded.body["input"]
        texts = [given] if isinstance(given, str) else given
        size = int(recorded.body.get("dimensions") or self.dimensions)
        data = [
            {"object": "embedding", "index": index, "embedding": hash_vector(text, size).tolist()}
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return JSONResponse({"object": "list", "model": recorded.model, "data": data, "usage": usage})

    async def _transcriptions(self, request: Request) -> Response:
        """Return the scripted transcript, or else the recording itself, read as text."""
        form = await parse_parameters(request)
        file = form.find_upload("file")
        assert file is not None
        data = file.data
        body: dict[str, Any] = {"model": form.read_text("model"), "name": file.name, "size": len(data)}
        recorded = RecordedRequest(
            path=request.url.path,
            model=body["model"],
            messages=(),
            body=body,
            key=request.headers.get("authorization", "").removeprefix("Bearer "),
        )
        self.requests.append(recorded)
        behaviour = self._next(recorded)
        if behaviour.status != 200 or behaviour.hold or behaviour.drop or behaviour.raw is not None:
            return _Scripted(self, request, recorded, behaviour)
        text = behaviour.text if behaviour.text is not None else data.decode("utf-8", "replace")
        return JSONResponse({"text": text})

    async def _speech(self, request: Request) -> Response:
        """Return a fake recording: the first bytes of an Ogg file, followed by the text."""
        recorded = await self._record(request)
        behaviour = self._next(recorded)
        if behaviour.status != 200 or behaviour.hold or behaviour.drop or behaviour.raw is not None:
            return _Scripted(self, request, recorded, behaviour)
        return Response(b"OggS" + recorded.body["input"].encode(), media_type="audio/ogg")

    async def _models(self, request: Request) -> Response:
        names = sorted({*self._queues, *self._defaults})
        listed = [{"id": name, "object": "model", **self.listed.get(name, {})} for name in names]
        return JSONResponse({"object": "list", "data": listed})

    async def _script(self, request: Request) -> Response:
        order = await request.json()
        if "schema" in order:
            self.script_schema(order["schema"], *(Behaviour.from_json(each) for each in order.get("queue", ())))
            if "default" in order:
                self.set_default_schema_answer(order["schema"], Behaviour.from_json(order["default"]))
            return JSONResponse({"ok": True})
        self.script(order["model"], *(Behaviour.from_json(each) for each in order.get("queue", ())))
        if "default" in order:
            self.set_default_answer(order["model"], Behaviour.from_json(order["default"]))
        return JSONResponse({"ok": True})

    async def _release(self, request: Request) -> Response:
        await self.release(int(request.query_params.get("times", "1")))
        return JSONResponse({"ok": True})

    async def _reset(self, request: Request) -> Response:
        self.requests.clear()
        self._queues.clear()
        self._defaults.clear()
        self._schema_queues.clear()
        self._schema_defaults.clear()
        return JSONResponse({"ok": True})

    async def _requests(self, request: Request) -> Response:
        return JSONResponse([asdict(recorded) for recorded in self.requests])

    async def _record(self, request: Request) -> RecordedRequest:
        body = await request.json()
        recorded = RecordedRequest(
            path=request.url.path,
            model=str(body.get("model", "")),
            messages=tuple(body.get("messages", ())),
            body=body,
            key=request.headers.get("authorization", "").removeprefix("Bearer "),
        )
        self.requests.append(recorded)
        return recorded

    def _next(self, recorded: RecordedRequest) -> Behaviour:
        if recorded.schema:
            waiting = self._schema_queues[recorded.schema]
            nothing = json.dumps({"facts": []} if recorded.schema == "facts" else {})
            usual = self._schema_defaults.get(recorded.schema, nothing)
            found = (
                waiting.popleft()
                if waiting
                else _make_behaviour(usual(recorded.messages) if callable(usual) else usual)
            )
            return replace(found, text=_quoting(found.text, recorded)) if recorded.schema == "facts" else found
        queue = self._queues[recorded.model]
        if queue:
            return queue.popleft()
        default = self._defaults.get(recorded.model, Behaviour())
        return _make_behaviour(default(recorded.messages) if callable(default) else default)


def _quoting(answer: str | None, recorded: RecordedRequest) -> str | None:
    """Return a scripted list of facts in which a fact without a quote quotes the whole line that it names."""
    try:
        facts = json.loads(answer or "")["facts"]
        lines = dict(_LINE.findall(str(recorded.messages[1]["content"])))
        quoted = [{"quote": lines.get(str(fact["message"]), ""), **fact} for fact in facts]
    except (ValueError, TypeError, KeyError):
        return answer
    return json.dumps({"facts": quoted}, ensure_ascii=False)


_LINE = re.compile(r"^#(-?\d+) \[[^\]]*\] [^:]*: ((?:.*\n?)(?:  .*\n?)*)", re.MULTILINE)


class _Scripted(Response):
    """The scripted answer to one request."""

    def __init__(self, server: OpenAIServer, request: Request, recorded: RecordedRequest, behaviour: Behaviour) -> None:
        super().__init__()
        self._server = server
        self._request = request
        self._recorded = recorded
        self._behaviour = behaviour

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        behaviour = self._behaviour
        if behaviour.hold == "start" and not await self._server.hold(receive):
            return
        if behaviour.drop == "start":
            await self._cut(receive)
            return
        if behaviour.status != 200:
            await self._refuse()(scope, receive, send)
        elif self._recorded.body.get("stream") and not behaviour.plain:
            await self._stream(receive, send)
        else:
            await self._plain(scope, receive, send)

    def _refuse(self) -> Response:
        behaviour = self._behaviour
        error = {"message": behaviour.message, "type": "scripted", "code": behaviour.code, "param": behaviour.param}
        headers = {"retry-after": behaviour.retry_after} if behaviour.retry_after is not None else {}
        body = behaviour.raw if behaviour.raw is not None else json.dumps({"error": error})
        return Response(body, status_code=behaviour.status, headers=headers, media_type="application/json")

    async def _plain(self, scope: Scope, receive: Receive, send: Send) -> None:
        behaviour = self._behaviour
        message: dict[str, Any] = {"role": "assistant", "content": self._text()}
        if behaviour.refusal is not None:
            message = {"role": "assistant", "content": None, "refusal": behaviour.refusal}
        if behaviour.reasoning is not None:
            message["reasoning_content"] = behaviour.reasoning
        if behaviour.calls:
            message |= {"content": behaviour.text, "tool_calls": [call for _, call in self._calls()]}
        finish = "tool_calls" if behaviour.calls else behaviour.finish
        body = self._envelope("chat.completion", {"message": message, "finish_reason": finish})
        if behaviour.usage:
            body["usage"] = self._usage()
        content = behaviour.raw if behaviour.raw is not None else json.dumps(body, ensure_ascii=False)
        if not behaviour.drop and behaviour.hold != "middle":
            await Response(content, media_type="application/json")(scope, receive, send)
            return
        half = content.encode()[: len(content) // 2]
        await _start(send, b"application/json")
        await send({"type": "http.response.body", "body": half, "more_body": True})
        if behaviour.hold and not await self._server.hold(receive):
            return
        if behaviour.drop:
            await self._cut(receive)
            return
        await send({"type": "http.response.body", "body": content.encode()[len(half) :], "more_body": False})

    async def _stream(self, receive: Receive, send: Send) -> None:
        behaviour = self._behaviour
        chunks = list(self._chunks())
        middle = len(chunks) // 2
        await _start(send, b"text/event-stream")
        for index, chunk in enumerate(chunks):
            if index == middle:
                if behaviour.hold == "middle" and not await self._server.hold(receive):
                    return
                if behaviour.drop == "middle":
                    await self._cut(receive)
                    return
            if behaviour.step and not await self._server.hold(receive):
                return
            event = f"{'' if chunk.startswith(':') else 'data: '}{chunk}\n\n".encode()
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _chunks(self) -> Iterator[str]:
        """Yield the data of each event. Text is sent word by word, without escaping characters such as U+2028."""
        behaviour = self._behaviour
        if behaviour.events:
            yield from behaviour.events
            return

        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> str:
            choice = {"delta": delta, "finish_reason": finish}
            return json.dumps(self._envelope("chat.completion.chunk", choice), ensure_ascii=False)

        yield chunk({"role": "assistant", "content": ""})
        for part in _words(behaviour.reasoning or ""):
            yield chunk({"reasoning_content": part})
        for part in _words(behaviour.refusal or ""):
            yield chunk({"refusal": part})
        for part in _words(self._text() if behaviour.refusal is None else ""):
            yield chunk({"content": part})
        for index, call in self._calls():
            function = call["function"]
            yield chunk({"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]})
            for part in re.findall(r".{1,7}", function["arguments"], re.DOTALL):
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
        if behaviour.raw is not None:
            yield behaviour.raw
        if behaviour.finish is not None:
            yield chunk({}, "tool_calls" if behaviour.calls else behaviour.finish)
        if behaviour.usage and self._recorded.body.get("stream_options", {}).get("include_usage"):
            yield json.dumps({**self._envelope("chat.completion.chunk", None), "usage": self._usage()})
        if behaviour.done:
            yield "[DONE]"

    def _envelope(self, kind: str, choice: Mapping[str, Any] | None) -> dict[str, Any]:
        choices = [] if choice is None or self._behaviour.empty_choices else [{"index": 0, **choice}]
        return {"id": "scripted", "object": kind, "created": 0, "model": self._recorded.model, "choices": choices}

    def _calls(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for index, call in enumerate(self._behaviour.calls):
            given = call["arguments"]
            arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
            function = {"name": call["name"], "arguments": arguments}
            yield index, {"id": f"call_{index}", "type": "function", "function": function}

    def _text(self) -> str:
        behaviour = self._behaviour
        if behaviour.text is not None or behaviour.calls:
            return behaviour.text or ""
        said = next((get_message_text(m) for m in reversed(self._recorded.messages) if m["role"] == "user"), "")
        if behaviour.mode.startswith("extract"):
            count = int(behaviour.mode.partition(":")[2] or 3)
            lines = [line for line in said.splitlines() if line and not line.startswith("<")]
            return " ".join(re.split(r"(?<=[.!?])\s+", " ".join(lines))[:count]) or "Nothing was said."
        return said

    def _usage(self) -> dict[str, Any]:
        prompt = self._behaviour.prompt_tokens
        if prompt is None:
            prompt = sum(len(get_message_text(message).split()) for message in self._recorded.messages)
        completion = len(self._text().split())
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": self._behaviour.cached},
        }

    async def _cut(self, receive: Receive) -> None:
        """Cut the TCP connection. The client sees a reset or an early end."""
        self._request.state.drop()
        await _hung_up(receive)


@asynccontextmanager
async def run_openai_server(
    server: OpenAIServer | None = None, port: int = 0
) -> AsyncIterator[tuple[OpenAIServer, str]]:
    """Run the server while the block runs; yield it and its base URL for OPENAI_BASE_URL (…/v1)."""
    server = server or OpenAIServer()
    async with serve(server.app(), port=port) as url:
        yield server, f"{url}/v1"


def hash_vector(text: str, dimensions: int) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """Return a deterministic vector, not normalised. Texts with common words have similar vectors."""
    vector = np.zeros(dimensions, dtype=np.float32)
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        vector[int.from_bytes(digest[:4], "big") % dimensions] += 1 if digest[4] % 2 else -1
        vector[int.from_bytes(digest[5:9], "big") % dimensions] += 0.5
    return vector


def get_message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message, without its pictures."""
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _make_behaviour(answer: Answer) -> Behaviour:
    return Behaviour(text=answer) if isinstance(answer, str) else answer


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text)


async def _start(send: Send, content_type: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", content_type)]})


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _alone(port: int) -> None:
    async with run_openai_server(port=port) as (_, url):
        print(url, flush=True)  # noqa: T201 - the URL is this command's output
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    asyncio.run(_alone(parser.parse_args().port))

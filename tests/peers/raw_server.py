"""A model server that sends exactly the given bytes, for responses that no well-behaved server sends."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RawAnswer:
    """One response: its body, status and content type.

    `then` is sent after the body, in a packet of its own. If `is_cut`, the connection is closed before the announced
    end. If `is_left_open`, more is announced, and nothing follows. `hidden_bytes` are sent without being announced. If
    `is_dropped`, the connection is closed instead of an answer.
    """

    body: bytes
    then: bytes = b""
    is_cut: bool = False
    is_left_open: bool = False
    status: int = 200
    content_type: str = "text/event-stream"
    hidden_bytes: int = 0
    is_dropped: bool = False


def make_stream(*events: Mapping[str, Any] | str, done: bool = True) -> RawAnswer:
    """Return a stream of these events. A string is sent unchanged as the data of an event."""
    data = [event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events]
    lines = [f"data: {text}\n\n" for text in (*data, *(["[DONE]"] if done else []))]
    return RawAnswer(body="".join(lines).encode())


def make_refusal(status: int, body: object) -> RawAnswer:
    return RawAnswer(body=json.dumps(body).encode(), status=status, content_type="application/json")


def make_chunk(finish: str | None = None, **delta: object) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def make_answer(text: str) -> RawAnswer:
    """Return a stream with this text in one chunk, and a last chunk that ends it."""
    return make_stream(make_chunk(content=text), make_chunk("stop"))


@dataclass
class RawServer:
    """A server that answers each chat request with `answer`, and records the requests."""

    answer: Callable[[Json], RawAnswer]
    requests: list[Json] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                sizes = [line for line in head.decode().lower().split("\r\n") if line.startswith("content-length:")]
                body = await reader.readexactly(int(sizes[0].split(":")[1]) if sizes else 0)
                raw = RawAnswer(body=b'{"data": []}', content_type="application/json")
                if head.split(b" ")[1].endswith(b"/chat/completions"):
                    self.requests.append(json.loads(body))
                    raw = self.answer(self.requests[-1])
                if raw.is_dropped:
                    break
                size = len(raw.body) + len(raw.then) + raw.is_cut + raw.is_left_open - raw.hidden_bytes
                about = f"content-type: {raw.content_type}\r\ncontent-length: {size}\r\n\r\n"
                writer.write(f"HTTP/1.1 {raw.status} X\r\n{about}".encode() + raw.body)
                await writer.drain()
                if raw.then or raw.is_cut:
                    writer.write(raw.then)
                    await writer.drain()
                if raw.is_cut:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def run_raw_server(answer: Callable[[Json], RawAnswer]) -> AsyncIterator[tuple[RawServer, str]]:
    """Run a raw server on a free port of this machine, and yield it and its base URL."""
    server = RawServer(answer)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        yield server, f"http://127.0.0.1:{port}/v1"


def get_request_text(request: Mapping[str, Any]) -> str:
    """Return the contents of all messages of a request as one text."""
    messages: Sequence[Mapping[str, Any]] = request["messages"]
    return "\n".join(json.dumps(message.get("content"), ensure_ascii=False) for message in messages)

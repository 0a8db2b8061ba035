"""Wraps the openai SDK with size limits and our own errors. Loading it takes a second, so endpoint.py does so late."""

import asyncio
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import date
from typing import Any

import aiohttp
import httpx2
from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient
from yarl import URL

from llm.event_reader import EventReader
from llm.failures import REQUESTS, NoConnection, StatusError
from records.errors import BrokenOff, ModelBroken
from runtime.bounded_json import parse_untrusted_json
from runtime.http_client import find_proxy, open_http_session

OPENAI_URL = "https://api.openai.com/v1"
MAX_REFUSAL_BYTES = 65_536  # bytes of an error's body that are read
MAX_ANSWER_BYTES = 64_000_000  # 100,000 tokens in events of 500 bytes have fewer
MAX_INFLATED_BYTES = 1_000_000  # bytes to decompress at a time
GZIP_MAGIC = 0x1F  # the first byte of gzip data, with which no text begins
_TEXT = re.compile(rb"[\t\n\r -~]{4}|[\t\n\r -~]{1,3}\Z|\xef\xbb\xbf")  # the beginning of events or JSON
MAX_ENDING_SECONDS = 3.0  # for what follows the reported end of an answer, such as its usage
DRAIN_SECONDS = 0.2  # for reading what follows the last event. Only a connection whose body was read fully is reused.
_OWN_HEADERS = frozenset({"accept", "authorization", "content-length", "content-type", "host", "user-agent"})
"""The headers that are sent. The SDK would add headers from the environment (OPENAI_ORG_ID, …), which belong to
OpenAI's address alone, and a description of this machine.
"""
_ENDING_FIELDS = ("shutdown_date", "expiration_date", "deprecation")  # of OpenAI, OpenRouter and Mistral

File = tuple[str, bytes, str]  # its name, content and type
JsonObject = Mapping[str, Any]
OnBytes = Callable[[], None]  # called whenever bytes have arrived


class BoundedBody(httpx2.AsyncByteStream):
    """A response body with a size limit. Longer error bodies are truncated, and longer answers raise ModelBroken."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self._encoding = response.headers.get("content-encoding", "").strip().lower()
        self._is_refusal = not 200 <= response.status < 300
        self.on_bytes: OnBytes = lambda: None
        self.deadline: float | None = None  # on the event loop's clock
        self.reader = EventReader()

    def end_within(self, seconds: float) -> None:
        self.deadline = asyncio.get_running_loop().time() + min(seconds, MAX_ENDING_SECONDS)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._decompress_chunks():
            size += len(chunk)
            if self._is_refusal and size >= MAX_REFUSAL_BYTES:
                yield chunk[: len(chunk) - (size - MAX_REFUSAL_BYTES)]
                return
            if size > MAX_ANSWER_BYTES:
                raise ModelBroken(remedy="(endless)")
            yield chunk
            await asyncio.sleep(0)  # what has arrived already is given without a wait: others go on in between

    async def _decompress_chunks(self) -> AsyncIterator[bytes]:
        """Yield the body, decompressed if it begins like gzip."""
        inflater, is_first, chunks = None, True, aiter(self._response.content.iter_any())
        try:
            while True:  # ends with the body, or at the deadline
                async with asyncio.timeout_at(self.deadline):
                    chunk = await anext(chunks)
                self.on_bytes()
                if is_first and chunk:
                    inflater, is_first = self._choose_decompressor(chunk), False
                if inflater is None:
                    yield chunk
                    continue
                while chunk:  # ends: each time around less of it is left
                    yield inflater.decompress(chunk, MAX_INFLATED_BYTES)
                    chunk = inflater.unconsumed_tail
                    if inflater.eof and (chunk := inflater.unused_data):
                        if chunk[0] != GZIP_MAGIC:
                            return  # padding, which other clients ignore as well
                        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)  # gzip's parts follow each other
        except (StopAsyncIteration, TimeoutError):
            return
        except zlib.error:
            raise ModelBroken(remedy="(malformed)") from None
        except (aiohttp.ClientError, OSError):
            if not self._is_refusal:  # its status is known
                raise BrokenOff from None

    def _choose_decompressor(self, first_chunk: bytes) -> "zlib._Decompress | None":
        if first_chunk[0] == GZIP_MAGIC:
            return zlib.decompressobj(zlib.MAX_WBITS | 16)
        if self._encoding and not self._is_refusal and not _TEXT.match(first_chunk):  # br, zstd, deflate
            raise BrokenOff(remedy=f"(Content-Encoding: {self._encoding})")
        return None

    async def aclose(self) -> None:
        self._response.release()

    async def read_events(self) -> AsyncGenerator[Iterator[JsonObject], None]:
        """Yield the objects of an event stream or JSON body, as they arrive together.

        Raise BrokenOff or ModelBroken if it is damaged.
        """
        chunks = aiter(self)
        async for chunk in chunks:
            yield self.reader.feed(chunk)
            if self.reader.is_over:
                break
        yield self.reader.parse_rest_of_body()
        if self.reader.is_foreign and not self.reader.is_over:
            yield iter([{"message": "The body does not end with an event."}])
        self.end_within(DRAIN_SECONDS)
        with suppress(BrokenOff):
            async for _ in chunks:
                pass

    async def read_body(self, max_bytes: int) -> bytes:
        """Return the whole body. Raise BrokenOff if it ends early, or ModelBroken if it exceeds `max_bytes`."""
        content = b"".join([chunk async for chunk in self])
        if len(content) > max_bytes:
            raise ModelBroken(remedy="(endless)")
        return content

    async def read_json(self, max_bytes: int) -> object:
        """Return the parsed body. Raise BrokenOff if it is cut off, or ModelBroken if it is not JSON."""
        try:
            return parse_untrusted_json(await self.read_body(max_bytes))
        except ValueError:
            raise ModelBroken(remedy="(malformed)") from None


class Transport(httpx2.AsyncBaseTransport):
    """Sends the SDK's requests over aiohttp, which costs less processor time than httpx."""

    _session: aiohttp.ClientSession | None = None
    _proxy: str | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = str(request.url)
        if self._session is None:  # opened late, since it needs the event loop
            self._session = open_http_session(max_connections=0, headers={})
            self._proxy = find_proxy(url)  # once: all requests go to one address
        response = await self._session.request(
            request.method,
            url,
            data=await request.aread() or None,
            # Encoded bodies come late and take time.
            headers={
                **{name: request.headers[name] for name in _OWN_HEADERS & {*request.headers}},
                "accept-encoding": "identity",
            },
            proxy=self._proxy,
            timeout=aiohttp.ClientTimeout(),
            allow_redirects=False,
            auto_decompress=False,
        )
        headers = [(name, value) for name, value in response.raw_headers if name.lower() != b"content-encoding"]
        body = BoundedBody(response)
        # httpx wraps the body, so it is handed on by itself, too.
        return httpx2.Response(response.status, headers=headers, stream=body, extensions={"body": body})

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()


class OpenAIClient:
    """Sends requests to one endpoint, without the SDK's retries and timeouts. A login in the URL replaces the key."""

    def __init__(self, *, api_key: str, base_url: str) -> None:
        url, key = URL(base_url or OPENAI_URL), api_key or "none needed"
        login = aiohttp.BasicAuth.from_url(url, encoding="utf-8")
        self._sdk = AsyncOpenAI(
            api_key=key,
            base_url=str(url.with_user(None).with_query(None)),
            max_retries=0,
            timeout=None,
            # An explicit one is not replaced by one out of the environment.
            default_headers={"Authorization": login.encode() if login else f"Bearer {key}"},
            default_query=dict(url.query),
            http_client=DefaultAsyncHttpxClient(transport=Transport(), timeout=None, follow_redirects=False),
        )

    async def aclose(self) -> None:
        await self._sdk.close()

    @asynccontextmanager
    async def post(
        self, path: str, body: JsonObject, on_bytes: OnBytes, *, file: File | None = None
    ) -> AsyncIterator[BoundedBody]:
        """Send a request and yield the answer's body. Raise NoConnection or StatusError."""
        form: dict[str, Any] = {}
        if file is not None:
            form = {"files": [("file", file)], "options": {"headers": {"Content-Type": "multipart/form-data"}}}
        try:
            stream: AsyncStream[object] = await self._sdk.post(
                path, cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object], **form
            )
        except APIStatusError as error:
            REQUESTS.labels(path, error.status_code).inc()
            raise StatusError(error.status_code, error.body, error.response.headers) from None
        except (APIConnectionError, aiohttp.ClientError, OSError) as error:
            REQUESTS.labels(path, "none").inc()
            raise NoConnection from error
        REQUESTS.labels(path, stream.response.status_code).inc()
        answer: BoundedBody = stream.response.extensions["body"]
        answer.on_bytes = on_bytes
        async with stream:
            yield answer

    async def list_shutdown_dates(self) -> dict[str, date]:
        """Return the shutdown dates that the endpoint announces, by model name."""
        found = {}
        for row in await self.list_models():
            for field in _ENDING_FIELDS:
                with suppress(ValueError):
                    found[str(row["id"])] = date.fromisoformat(str(row.get(field))[:10])
        return found

    async def list_models(self) -> list[Mapping[str, Any]]:
        """Return the models that the endpoint lists, each with its `id`. Return [] if the list cannot be read."""
        try:
            listed: Any = parse_untrusted_json((await self._sdk.get("/models", cast_to=httpx2.Response)).content)
        except (APIError, aiohttp.ClientError, OSError, ValueError, ModelBroken):
            return []
        parts = listed.values() if isinstance(listed, Mapping) else [listed]
        rows: list[Any] = next((part for part in parts if isinstance(part, list)), [])
        named = [row if isinstance(row, Mapping) else {"id": row} for row in rows if row]
        return [{"id": name, **row} for row in named if (name := row.get("id") or row.get("name"))]

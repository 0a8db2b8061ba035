"""One request for an answer over aiohttp, the answer's bytes as they come. The SDK's own way costs a third of a turn.

Owns the connection, the key's header, and which failures come before the answer and which within it. Does not know
what is asked for.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from llm.measured import REQUESTS
from runtime.bounded_json import parsed
from runtime.http_client import open_session, proxy_for, read_bytes

LONGEST_REFUSAL = 65_536
"""Bytes of an error's body that are read."""
NO_LIMIT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""The caller's patience counts; aiohttp's own limits would cut a long answer off."""
BRIEF = aiohttp.ClientTimeout(total=5.0)
"""Seconds for what a server says of itself."""
LONGEST_LIST = 4_000_000
"""Bytes of that; lists of hosted models are long."""


class NoConnection(Exception):  # noqa: N818 - reads as the state it is
    """There was no answer at all."""


class StatusError(Exception):
    """The endpoint answered with an error. `body`: as parsed from JSON, else as text."""

    def __init__(self, status_code: int, body: object, headers: Mapping[str, str]) -> None:
        super().__init__(status_code)
        self.status_code = status_code
        self.body = body
        self.headers = headers


class Transport:
    """Requests to one endpoint. `base_url`: with the version, without a slash at its end."""

    def __init__(self, *, api_key: str, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._headers = {
            "Authorization": f"Bearer {api_key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    @asynccontextmanager
    async def post(self, path: str, request: Mapping[str, Any]) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer, its body still to be read. Leaving before its end closes the connection.

        Raises NoConnection and StatusError; reading the body raises aiohttp.ClientError.
        """
        body = json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        async with self._sent(path, body) as response:
            yield response

    @asynccontextmanager
    async def send_form(self, path: str, form: aiohttp.FormData) -> AsyncIterator[aiohttp.ClientResponse]:
        """As `post`, for a form with files."""
        content = form()
        async with self._sent(path, content, {"Content-Type": content.content_type}) as response:
            yield response

    @asynccontextmanager
    async def _sent(
        self, path: str, body: bytes | aiohttp.Payload, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        session = self._open()
        try:
            response = await session.post(
                self._base_url + path, data=body, headers=headers, timeout=NO_LIMIT, proxy=self._proxy
            )
        except (aiohttp.ClientError, OSError) as error:
            REQUESTS.labels(path, "none").inc()
            raise NoConnection from error
        REQUESTS.labels(path, response.status).inc()
        async with response:
            if not response.ok:
                raise StatusError(response.status, await _refusal(response), response.headers)
            yield response

    async def json(self, path: str, request: Mapping[str, Any] | None = None, *, at_root: bool = False) -> object:
        """What the server says of itself there, in good time; None where it says nothing that can be read.

        `request`: is posted; None: the path is only read. `at_root`: the path is not under the API's own.
        """
        root = re.sub(r"/v\d+\w*(?:/openai)?\Z", "", self._base_url) if at_root else self._base_url
        how = "GET" if request is None else "POST"
        try:
            async with self._open().request(
                how, root + path, json=request, timeout=BRIEF, proxy=self._proxy
            ) as response:
                return await read_json(response, LONGEST_LIST) if response.ok else None
        except (aiohttp.ClientError, OSError, ValueError):
            return None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = open_session(connections=0, headers=self._headers)
            self._proxy = proxy_for(self._base_url)
        return self._session


async def _refusal(response: aiohttp.ClientResponse) -> object:
    """The body of an error."""
    text = await read_text(response, LONGEST_REFUSAL)
    try:
        return parsed(text)
    except ValueError:
        return text


async def read_json(response: aiohttp.ClientResponse, most: int) -> object:
    """A body of JSON. Raises ValueError where it is none, or longer than this many bytes."""
    return parsed(await read_text(response, most))


async def read_text(response: aiohttp.ClientResponse, most: int) -> str:
    """A body as text, at most this many bytes of it."""
    return (await read_bytes(response, most)).decode("utf-8", "replace")

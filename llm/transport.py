"""One request for an answer over aiohttp, the answer's bytes as they come. The SDK's own way costs a third of a turn.

Owns the connection, the key's header, and which failures come before the answer and which within it. Does not know
what is asked for.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from runtime.http_client import open_session, proxy_for

LONGEST_REFUSAL = 65_536
"""Bytes of an error's body that are read."""
NO_LIMIT = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None)
"""The caller's patience counts; aiohttp's own limits would cut a long answer off."""


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
        async with self._asked("POST", path, body) as response:
            yield response

    @asynccontextmanager
    async def get(self, path: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """As `post`, for what needs no request."""
        async with self._asked("GET", path, None) as response:
            yield response

    @asynccontextmanager
    async def _asked(self, method: str, path: str, body: bytes | None) -> AsyncIterator[aiohttp.ClientResponse]:
        if self._session is None:
            self._session = open_session(connections=0, headers=self._headers)
            self._proxy = proxy_for(self._base_url)
        try:
            response = await self._session.request(
                method, self._base_url + path, data=body, timeout=NO_LIMIT, proxy=self._proxy
            )
        except (aiohttp.ClientError, OSError) as error:
            raise NoConnection from error
        async with response:
            if not response.ok:
                raise StatusError(response.status, await _refusal(response), response.headers)
            yield response


async def _refusal(response: aiohttp.ClientResponse) -> object:
    """The body of an error."""
    read = bytearray()
    async for chunk in response.content.iter_any():
        read += chunk
        if len(read) >= LONGEST_REFUSAL:
            break
    text = read.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text

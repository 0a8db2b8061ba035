"""Open HTTP client sessions with certificates and proxies but without cookies, and read bodies within a limit."""

import ssl
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx

KEPT_ALIVE = 30.0  # seconds of an idle connection; Telegram and model servers keep them longer


def open_session(*, connections: int, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """Return a session with at most this many connections, or any number for 0. The caller closes it."""
    connector = aiohttp.TCPConnector(limit=connections, keepalive_timeout=KEPT_ALIVE, ssl=load_certificates())
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers=dict(headers))


def find_proxy(url: str) -> str | None:
    """Return the proxy for a URL from HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, or None.

    Keep the result: a lookup costs 0.1 ms, and aiohttp itself would repeat it for every request, in a thread.
    """
    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


async def read_bytes(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """Return the beginning of a body, at most `max_bytes`."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) >= max_bytes:
            break
    return bytes(body[:max_bytes])


@cache
def load_certificates() -> ssl.SSLContext:
    """Return certifi's certificates, or those of SSL_CERT_FILE. A small container may have none of its own."""
    return httpx.create_ssl_context()

"""The one way to open an HTTP client session (certificates, proxies, no cookies) and to read a body within a bound."""

import ssl
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx

KEPT_ALIVE = 30.0  # seconds that an idle connection is kept; the servers that are talked to keep them longer


def open_session(*, connections: int, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """Return a session of at most so many connections; 0 = any number. Close it. To be called where an
    event loop runs.
    """
    connector = aiohttp.TCPConnector(limit=connections, keepalive_timeout=KEPT_ALIVE, ssl=load_certificates())
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers=dict(headers))


def find_proxy(url: str) -> str | None:
    """Return the proxy that the environment names for a URL (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY).

    aiohttp itself would look it up in a thread for every request.
    """
    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


async def read_bytes(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Read at most `most` bytes of a body."""
    read = bytearray()
    async for chunk in response.content.iter_any():
        read += chunk
        if len(read) >= most:
            break
    return bytes(read[:most])


@cache
def load_certificates() -> ssl.SSLContext:
    """Return those of certifi (or of SSL_CERT_FILE): a small container may have none of its own. Reading them takes 30
    ms.
    """
    return httpx.create_ssl_context()

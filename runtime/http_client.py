"""Open HTTP client sessions with certificates and proxies but without cookies, and read bodies within a limit."""

import ssl
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx

MAX_HEADER_BYTES = 65_536  # bytes of one header of an answer; security policies of gateways have 10,000
KEPT_ALIVE = 30.0  # seconds of an idle connection; Telegram and model servers keep them longer


def open_http_session(*, max_connections: int, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """Open a client session, which the caller must close. If `max_connections` is 0, there is no limit."""
    connector = aiohttp.TCPConnector(limit=max_connections, keepalive_timeout=KEPT_ALIVE, ssl=get_ssl_context())
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=dict(headers),
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
    )


def find_proxy(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


async def read_body(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """Read at most `max_bytes` of a response body, and ignore the rest."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) >= max_bytes:
            break
    return bytes(body[:max_bytes])


@cache
def get_ssl_context() -> ssl.SSLContext:
    """Return an SSL context with certifi's certificates, or those in SSL_CERT_FILE if it is set."""
    return httpx.create_ssl_context()

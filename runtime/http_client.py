"""The one way to open an HTTP client session: certificates, proxies, no cookies. Does not know whom it talks to."""

import ssl
from collections.abc import Mapping
from functools import cache

import aiohttp
import httpx

KEPT_ALIVE = 30.0
"""Seconds that an idle connection is kept; the servers that are talked to keep them longer."""


def open_session(*, connections: int, trust_env: bool = True, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A session of at most so many connections; 0 = any number. Close it. `trust_env`: whether HTTPS_PROXY and its like
    are followed. To be called where an event loop runs.
    """
    connector = aiohttp.TCPConnector(limit=connections, keepalive_timeout=KEPT_ALIVE, ssl=_authorities())
    return aiohttp.ClientSession(
        connector=connector, trust_env=trust_env, cookie_jar=aiohttp.DummyCookieJar(), headers=dict(headers)
    )


@cache
def _authorities() -> ssl.SSLContext:
    """Those of certifi (or of SSL_CERT_FILE): a small container may have none of its own. Reading them takes 30 ms."""
    return httpx.create_ssl_context()

"""Exports are signed, so that a file from elsewhere that names an owner is told from one that this bot made.

Owns what a signature covers: every byte before it. The key is kept with the bot's state.
"""

import hashlib
import hmac
import re
from typing import Literal

_END = re.compile(rb',\n  "signature": "([0-9a-f]{8}):([0-9a-f]{64})"\n\}\s*$')
LONGEST_END = 200
"""Bytes at the end of a file among which its signature stands."""

Origin = Literal["here", "altered", "elsewhere"]
"""Who signed a file: this bot, and it is unchanged; this bot, and it was changed since; another, or nobody."""


def signature(key: bytes, digest: str) -> str:
    """Of a file with this SHA-256. It begins with what tells keys apart."""
    return f"{_name(key)}:{hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()}"


def sealed(data: bytes) -> tuple[str, str]:
    """The SHA-256 of what a file's signature covers, and that signature; both empty where it has none."""
    tail = data[-LONGEST_END:]
    end = _END.search(tail)
    if end is None:
        return "", ""
    covered = memoryview(data)[: len(data) - len(tail) + end.start()]
    return hashlib.sha256(covered).hexdigest(), f"{end[1].decode()}:{end[2].decode()}"


def origin(key: bytes, seal: tuple[str, str]) -> Origin:
    """Where a file with this digest and signature comes from."""
    digest, given = seal
    if not given.startswith(_name(key)):
        return "elsewhere"
    return "here" if hmac.compare_digest(given, signature(key, digest)) else "altered"


def _name(key: bytes) -> str:
    return hashlib.sha256(key).hexdigest()[:8]

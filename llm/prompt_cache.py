"""Explicit prompt caching for OpenAI's models from gpt-5.6 on. Does no I/O.

A cached token costs 1.25 times as much to write and a tenth to read. Without a breakpoint, each turn would
write the whole prompt and never read it.
"""

import re
from collections.abc import Sequence
from typing import Any

PARAMETER = "prompt_cache_key"
BREAKPOINT = {"mode": "explicit", "ttl": "30m"}
_VERSION = re.compile(r"(?:[\w.-]+/)?gpt-(\d{1,3})(?:\.(\d{1,3}))?(?![\d.])")
_FIRST_VERSION = (5, 6)


def needs_cache_breakpoint(model: str) -> bool:
    found = _VERSION.match(model.lower())
    return found is not None and (int(found[1]), int(found[2] or 0)) >= _FIRST_VERSION


def add_cache_breakpoint(messages: Sequence[dict[str, Any]]) -> None:
    """Add a cache breakpoint to the second-newest user message, if there is one."""
    users = [message for message in messages if message["role"] == "user"]
    if len(users) < 2:
        return
    content = users[-2]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    place = max(number for number, part in enumerate(parts) if part["type"] == "text")
    parts[place] = {**parts[place], "prompt_cache_breakpoint": BREAKPOINT}
    users[-2]["content"] = parts

"""Parse untrusted JSON on the event loop within bounds that keep it fast."""

import json

MAX_PARTS = 50_000  # objects and lists; a megabyte of empty lists would block the event loop for 200 ms


def parse_untrusted_json(text: str | bytes | bytearray, *, max_parts: int = MAX_PARTS) -> object:
    """Parse JSON. Raise ValueError if it is invalid, too deeply nested, or has over `max_parts` objects and lists."""
    if len(text) > max_parts and _count_opening_brackets(text) > max_parts:
        raise ValueError("too many parts")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _count_opening_brackets(text: str | bytes | bytearray) -> int:
    if isinstance(text, str):
        return text.count("[") + text.count("{")
    return text.count(b"[") + text.count(b"{")

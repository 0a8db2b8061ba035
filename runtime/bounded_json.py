"""Parse untrusted JSON on the event loop within bounds that keep it fast."""

import json

MAX_PARTS = 50_000  # objects and lists; a megabyte of empty lists would block the event loop for 200 ms


def parse_untrusted_json(text: str | bytes | bytearray, *, max_parts: int = MAX_PARTS) -> object:
    """Parse JSON. Raise ValueError if it is invalid, too deeply nested, or has over `max_parts` objects and lists."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(raw) > max_parts and raw.count(b"[") + raw.count(b"{") > max_parts:
        raise ValueError("too many parts")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None

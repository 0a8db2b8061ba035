"""Parses JSON that a model wrote with trailing commas, comments or prose around it. Does no I/O."""

import json

import json_repair

MAX_REPAIRED_CHARS = 4_000  # repairing takes up to the square of a text's length
_DECODER = json.JSONDecoder(strict=False)  # servers and models forget to escape tabs


def decode_json_and_find_end(text: str, start: int) -> tuple[object, int]:
    """Return the JSON value that begins at `start` and its end position, or (None, `start`) if it is invalid."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start


def parse_json_or_none(text: str) -> object:
    """Parse JSON, allowing unescaped control characters. Return None if it is invalid."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def ends_too_early(text: str) -> bool:
    """Return True if JSON is valid as far as it goes, but its end is missing."""
    try:
        json.loads(f"{text} ", strict=False)  # behind an escape, the decoder looks for a further character
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    except RecursionError:
        pass
    return False


def parse_json_leniently(text: str, max_chars: int = MAX_REPAIRED_CHARS) -> object:
    """Parse JSON, repairing it if necessary. Return None if that fails or the text is too long."""
    if (value := parse_json_or_none(text)) is not None or len(text) > max_chars:
        return value
    start = min((place for mark in "{[" if (place := text.find(mark)) >= 0), default=0)
    try:
        return json_repair.loads(text[start:], skip_json_loads=True)
    except (ValueError, RecursionError, AssertionError):  # nested too deeply, or too odd for the library
        return None

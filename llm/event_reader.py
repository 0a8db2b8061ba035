"""Parses a response body of server-sent events or JSON, whatever its content type says. Does no I/O.

Empty events are skipped. Invalid UTF-8 becomes a replacement character.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from records.errors import ModelBroken
from runtime.bounded_json import parse_bounded

MAX_EVENT_BYTES = 1_000_000  # bytes of one event of a stream; parsing one of nothing but brackets takes 50 ms
MAX_WHOLE_BYTES = 4_000_000  # bytes of an answer that comes whole
_BLANK = b" \t\r\n\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")
"""A carriage return at the end waits for the next bytes: a line feed may follow."""


class EventReader:
    """Parses one response body. `is_over` is True after the last event."""

    def __init__(self) -> None:
        self.is_over = False
        self._buffer = bytearray()
        self._is_json: bool | None = None
        self._data: list[str] = []
        self._size = 0
        self._name = ""

    def feed(self, chunk: bytes) -> Iterator[Mapping[str, Any]]:
        """Yield the objects that a chunk completes. Raise ModelBroken for a damaged or oversized event."""
        self._buffer += chunk
        if self._is_json is None and (start := self._buffer.lstrip(_BLANK)):
            self._is_json = start.startswith((b"{", b"["))
        if not self._is_json:
            *lines, rest = _LINE_END.split(bytes(self._buffer))
            self._buffer = bytearray(rest)
            for line in lines:
                yield from self._add_line(line)
        if self._size + len(self._buffer) > (MAX_WHOLE_BYTES if self._is_json else MAX_EVENT_BYTES):
            raise ModelBroken(remedy="(endless)")

    def finish(self) -> Iterator[Mapping[str, Any]]:
        """Yield the remaining objects at the end of the body."""
        rest = bytes(self._buffer)
        if self._is_json:
            yield from _parse_objects(_decode(rest))
        else:
            yield from self._add_line(rest.rstrip(b"\r"))
            yield from self._add_line(b"")

    def _add_line(self, line: bytes) -> Iterator[Mapping[str, Any]]:
        """Add a line to the current event. A blank line ends the event."""
        if self.is_over:
            return
        if line:
            name, _, value = _decode(line).partition(":")
            value = value.removeprefix(" ")
            if name.strip("\ufeff ").lower() == "data":
                self._data.append(value)
                self._size += len(line)
            elif name.lower() == "event":
                self._name = value.strip()
            if self._size > MAX_EVENT_BYTES:
                raise ModelBroken(remedy="(endless)")
            return
        data, event_name = "\n".join(self._data).strip(), self._name
        self._data, self._size, self._name = [], 0, ""
        self.is_over = data.startswith("[DONE]")
        if not self.is_over:
            for event in _parse_objects(data):
                yield {"error": event} if event_name == "error" and "error" not in event else event


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _parse_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a JSON text, alone or in a list (Gemini). Skip other text. Raise ModelBroken if damaged."""
    text = text.strip("\ufeff \t\r\n")
    if text[:1] not in ("{", "["):
        return
    try:
        value = parse_bounded(text)
    except ValueError:
        raise ModelBroken(remedy="(malformed)") from None
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict) and each:
            yield each

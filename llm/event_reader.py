"""Parses a response body of server-sent events or JSON, regardless of its content type. Does no I/O."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from llm.meant_json import decode_json_and_find_end, ends_too_early, parse_json_leniently
from records.errors import BrokenOff, ModelBroken
from runtime.bounded_json import MAX_PARTS

MAX_EVENT_BYTES = 1_000_000  # bytes of one event of a stream. Parsing that many brackets takes 50 ms.
MAX_WHOLE_BYTES = 4_000_000  # bytes of an answer that is not streamed
MAX_CUT_CHARS = 60_000  # characters of such an answer that is read without its end. Repairing them takes 0.3 s.
_BLANK = b" \t\r\n\xef\xbb\xbf"
_PREFIXES = re.compile(r"(?:\s|\ufeff|data:)*")  # some gateways add `data:` to a line that has it already
# At the end of JSON: half an escape, or a key without a value, which a repair would take for one.
_HALF_PART = re.compile(r'(?:(?<!\\)\\(?:u[\da-fA-F]{0,3})?|(?<=[{,])\s*"[^"\\]*"?\s*(?::\s*)?)\Z')
# In the JSON of an answer: the key of its finish reason, and those under which endpoints put what was said.
_KEY = re.compile(r'"(?:(?P<reason>\w{0,20}reason)|message|content|parts|text|response|tool_calls)"\s*:', re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")  # at the end, a carriage return may still get its line feed


class EventReader:
    """Parses one response body. `is_over` is True after the last event, `is_foreign` after a line that is none."""

    def __init__(self) -> None:
        self.is_over = False
        self.is_foreign = False
        self.is_json: bool | None = None  # and no stream of events: it is parsed at its end
        self._buffer = bytearray()
        self._data: list[str] = []
        self._size = 0
        self._is_error = False  # the event that is arriving

    def feed(self, chunk: bytes) -> Iterator[Mapping[str, Any]]:
        """Yield the objects that a chunk completes. Raise ModelBroken if an event is damaged or too large."""
        self._buffer += chunk
        if self.is_json is None and (start := self._buffer.lstrip(_BLANK)):
            self.is_json = start.startswith((b"{", b"["))
        if not self.is_json:
            *lines, rest = _LINE_END.split(bytes(self._buffer))
            self._buffer = bytearray(rest)
            for line in lines:
                yield from self._parse_line(line)
        if self._size + len(self._buffer) > (MAX_WHOLE_BYTES if self.is_json else MAX_EVENT_BYTES):
            raise ModelBroken(remedy="(endless)")

    def parse_rest_of_body(self) -> Iterator[Mapping[str, Any]]:
        """Yield the remaining objects at the end of the body. Raise BrokenOff after those of JSON without its end."""
        rest = bytes(self._buffer)
        if self.is_json:
            text = _HALF_PART.sub("", rest.decode("utf-8", "replace").rstrip("\ufffd"))
            if not ends_too_early(text):
                yield from parse_json_objects(text)
                return
            # A proxy may announce the length of what it got until then, and a server the number of characters.
            if isinstance(meant := parse_json_leniently(text, MAX_CUT_CHARS), Mapping):
                yield meant
            reasons = [key["reason"] for key in _KEY.finditer(text)]
            if all(reasons) or reasons[-1] is None:  # an end that was reported in front of the answer does not count
                yield {"choices": [{"finish_reason": "cut"}]}
            raise BrokenOff
        yield from self._parse_line(rest.rstrip(b"\r"))
        yield from self._parse_line(b"")

    def _parse_line(self, line: bytes) -> Iterator[Mapping[str, Any]]:
        if self.is_over:
            return
        name, _, value = line.decode("utf-8", "replace").partition(":")
        name, value = name.strip("\ufeff ").lower(), value.removeprefix(" ")
        if not line:
            yield from self._parse_event()
        elif name in ("data", "error"):  # llama.cpp has sent `error:` as the name of a field
            if self._data and self._data[-1].rstrip().endswith("}") and value.lstrip().startswith(("{", "[DONE]")):
                yield from self._parse_event()  # the blank line between two events is missing
            self._data.append(value)
            self._size += len(line)
            self._is_error |= name == "error"
        elif name == "event":
            self._is_error = value.strip() == "error"
        elif name not in ("", "id", "null", "retry"):  # "": a comment
            self.is_foreign = True

    def _parse_event(self) -> Iterator[Mapping[str, Any]]:
        data, is_error = "\n".join(self._data).strip(), self._is_error
        self._data, self._size, self._is_error = [], 0, False
        self.is_over = data.upper().startswith("[DONE]")
        if self.is_over:
            return
        try:
            events = list(parse_json_objects(data))
        except ModelBroken:  # the next stream may be whole
            raise BrokenOff from None
        if " " in data and not events and decode_json_and_find_end(data, 0)[1] == 0:  # an error; "ping" is none
            events = [{"message": data}]
        self.is_foreign = self.is_foreign and not events
        for event in events or ([{"message": data}] if is_error else []):
            yield {"error": event} if is_error and "error" not in event else event


def parse_json_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a text of one or more JSON values. Raise ModelBroken if a value is malformed."""
    place = _PREFIXES.match(text).end()  # type: ignore[union-attr] # it matches any text
    if text[place : place + 1] not in ("{", "["):
        return
    if text.count("{") + text.count("[") > MAX_PARTS:
        raise ModelBroken(remedy="(malformed)")
    while place < len(text):  # ends: each value has a character
        if text[place] not in "{[":  # MAX_PARTS bounds nothing else
            raise ModelBroken(remedy="(malformed)")
        value, end = decode_json_and_find_end(text, place)
        if value is None:
            raise ModelBroken(remedy="(malformed)")
        place = _PREFIXES.match(text, end).end()  # type: ignore[union-attr]
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and each:
                yield each

"""Read large JSON element by element, so that other threads can run and errors can give a line number."""

import json
import re
from collections.abc import Iterator
from itertools import count, islice
from typing import Any, NoReturn

from locales.catalog import tr
from records.errors import ImportRefused
from text.characters import repair_surrogates_in_json

MAX_DEPTH = 100  # the deepest nesting of objects and arrays
MAX_VALUE_CHARS = 32_000_000  # characters of one value, such as a whole ChatGPT conversation
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PUNCTUATION = re.compile(rf"{_STRING}|[{{}}\[\],]", re.DOTALL)
_SPACE = re.compile(r"[ \t\n\r]*")
_LINE = re.compile(r"\S[^\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_DECODER = json.JSONDecoder(parse_constant=int)  # which raises ValueError: NaN and Infinity are no numbers in JSON
_BEGINS_JSON = re.compile(
    r"\s*(?:\{|\[\s*(?:[\"{\[]|\]\s*\Z|(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*(?:,|\]\s*\Z)))"
)


def starts_like_json(text: str) -> bool:
    """Return True if a text begins like JSON. A bracket alone is not enough, as in "[LINE] Chat history"."""
    return _BEGINS_JSON.match(text) is not None


class NotJson(ImportRefused):
    """Raised for a text that is not valid JSON."""


class JsonStream:
    """Reads a JSON text one value at a time. Iterating over keys or elements skips values that were not read.

    At most `max_values` values can be read, because each takes some 100 bytes. Skipped values do not count.
    """

    def __init__(self, text: str, *, max_values: int) -> None:
        self._text = text
        self.at = 0  # the offset of the next value
        self._left = max_values
        self._has_surrogates = _SURROGATE.search(text) is not None

    def find_line_number(self, offset: int) -> int:
        return self._text.count("\n", 0, offset) + 1

    def peek_next_character(self) -> str:
        """Return the first character of the next value, or "" at the end."""
        self._skip_space_and_get_position()
        return self._text[self.at : self.at + 1]

    def read_value(self) -> Any:
        """Read the next value. Raise ImportRefused if it is invalid or too large."""
        self._skip_space_and_get_position()
        end, parts = self._find_value_end_and_count_parts(self._left)
        self._left -= parts
        if self._left < 0 or end - self.at > MAX_VALUE_CHARS:
            raise ImportRefused(tr("import-too-much"))
        try:
            value, self.at = _DECODER.raw_decode(self._text, self.at)
        except json.JSONDecodeError as error:
            self.raise_syntax_error(error.pos)
        except (RecursionError, ValueError):  # nested too deeply, or a number out of all bounds
            self.raise_syntax_error()
        self._skip_space_and_get_position()
        return repair_surrogates_in_json(value) if self._has_surrogates else value

    def skip_value(self) -> None:
        """Skip the next value without building objects or arrays."""
        if self.peek_next_character() not in ("{", "["):
            self.read_value()
            return
        self.at, _ = self._find_value_end_and_count_parts(len(self._text))
        self._skip_space_and_get_position()

    def iterate_keys(self) -> Iterator[str]:
        """Yield the name of each member of the next object, with the stream positioned at the member's value."""
        return self._iterate_part_names("{", "}")

    def iterate_element_indexes(self) -> Iterator[int]:
        """Yield the index of each element of the next array, with the stream positioned at the element."""
        yield from (number for number, _ in enumerate(self._iterate_part_names("[", "]")))

    def iterate_names_offsets_and_streams(self) -> Iterator[tuple[str, int, "JsonStream"]]:
        """Yield the name and offset of each top-level value or array element, and a stream positioned at it.

        The text may be an array, JSON Lines or concatenated values. In JSON Lines, each line has its own stream.
        """
        if self.peek_next_character() == "[":
            for number in self.iterate_element_indexes():
                yield f"[{number}]", self.at, self
            self.expect_end()
        elif self._is_json_lines():
            for number, found in enumerate(_LINE.finditer(self._text)):
                line = JsonStream(found[0], max_values=self._left)
                yield f"[{number}]", found.start(), line
                self._left = line._left
        else:
            for number in count():
                if not self.peek_next_character():
                    return
                begin = self.at
                yield f"[{number}]" if number else "", begin, self
                if self.at == begin:
                    self.skip_value()

    def _is_json_lines(self) -> bool:
        first = [found[0].rstrip() for found in islice(_LINE.finditer(self._text), 2)]
        return len(first) == 2 and all(line[0] == "{" for line in first) and any(line[-1] == "}" for line in first)

    def expect_end(self) -> None:
        """Raise NotJson unless only white space is left."""
        if self._skip_space_and_get_position() != len(self._text):
            self.raise_syntax_error()

    def raise_syntax_error(self, offset: int | None = None) -> NoReturn:
        """Raise NotJson with the line and column of `offset`, which defaults to the current position."""
        offset = self.at if offset is None else offset
        column = offset - self._text.rfind("\n", 0, offset)
        raise NotJson(tr("import-not-json", line=str(self.find_line_number(offset)), column=str(column)))

    def _find_value_end_and_count_parts(self, max_values: int) -> tuple[int, int]:
        """Return the end of the next value and its number of parts. Raise ImportRefused if there are too many."""
        if self.peek_next_character() not in ("{", "["):
            return self.at, 1
        depth, parts = 0, 1
        for found in _PUNCTUATION.finditer(self._text, self.at):
            mark = self._text[found.start()]
            depth += (mark in "{[") - (mark in "}]")
            parts += mark in "{[,"
            if not depth:
                return found.end(), parts
            if depth > MAX_DEPTH:
                self.raise_syntax_error()
            if parts > max_values:
                raise ImportRefused(tr("import-too-much"))
        return len(self._text), parts

    def _iterate_part_names(self, opening: str, closing: str) -> Iterator[str]:
        self._expect_character(opening)
        is_over = self._skip_character(closing)
        while not is_over:
            name = ""
            if opening == "{":
                name = self.read_value()
                if not isinstance(name, str):
                    self.raise_syntax_error()
                self._expect_character(":")
            begin = self._skip_space_and_get_position()
            yield name
            if self.at == begin:
                self.skip_value()
            is_over = self._skip_character(closing)
            if not is_over:
                self._expect_character(",")

    def _skip_character(self, character: str) -> bool:
        """Skip this character if it is the next one. Return True if it was."""
        is_next = self.peek_next_character() == character
        self.at += is_next
        return is_next

    def _expect_character(self, character: str) -> None:
        if not self._skip_character(character):
            self.raise_syntax_error()

    def _skip_space_and_get_position(self) -> int:
        found = _SPACE.match(self._text, self.at)
        self.at = found.end() if found else self.at
        return self.at

"""Columns of numbers, and those that Markdown marks with `--:`, stand right within a table that was made into text.

Owns how such a table is recognised again, for the converter pads every cell on its right.
"""

import re
from collections.abc import Iterator, Sequence

from telegram import MessageEntity

_CELL = r"[ \t]*+:?-++:?[ \t]*+"
# Possessive throughout: a line of many spaces takes no longer than it has characters.
_DELIMITERS = re.compile(rf"^[ \t>]*+\|?{_CELL}(?:\|{_CELL})*+\|?[ \t]*+$", re.MULTILINE)
_RULE = re.compile(r"-+(?:\+-+)+")
_NUMBER = re.compile(r"[-+−±~≈<>]?[ ]?[$€£¥₽]?[ ]?\d[\d.,'’\u00a0\u202f ]*[ ]?(?:%|[$€£¥₽]|[A-Za-zµ°]{1,3})?")
LONGEST_CELL = 40
"""Characters of a cell that may be a number."""


def aligned(text: str, entities: Sequence[MessageEntity], markdown: str) -> str:
    """The text, of the same length, with the columns of its tables aligned. `markdown`: what it was made from, without
    its code. Where it is not plain which table is which, nothing is changed.
    """
    blocks = [one for one in entities if one.type == MessageEntity.PRE and not one.language]
    marked = [_marked(match[0]) for match in _DELIMITERS.finditer(markdown) if "|" in match[0]]
    encoded = text.encode("utf-16-le", "surrogatepass")
    tables = [
        (one, rows)
        for one in blocks
        if (rows := _rows(encoded[2 * one.offset : 2 * (one.offset + one.length)].decode("utf-16-le", "surrogatepass")))
    ]
    if not tables or len(tables) != len(marked):
        return text
    for (one, rows), right in zip(tables, marked, strict=True):
        made = "\n".join(_aligned(rows, right)).encode("utf-16-le", "surrogatepass")
        if len(made) == 2 * one.length:
            encoded = encoded[: 2 * one.offset] + made + encoded[2 * (one.offset + one.length) :]
    return encoded.decode("utf-16-le", "surrogatepass")


def _marked(delimiters: str) -> list[bool]:
    """For each column whether it is to stand right: `--:`, but not `:-:`."""
    cells = [cell.strip() for cell in delimiters.strip(" \t>").strip("|").split("|")]
    return [cell.endswith(":") and not cell.startswith(":") for cell in cells]


def _rows(block: str) -> list[str]:
    """The lines of a table; none where this is none."""
    lines = block.split("\n")
    return lines if len(lines) > 2 and _RULE.fullmatch(lines[1]) else []


def _aligned(lines: Sequence[str], right: Sequence[bool]) -> Iterator[str]:
    rows = [line.split(" | ") for line in lines]
    columns = rows[0]
    body = [row for row in rows[2:] if row != [""]]
    if any(len(row) != len(columns) for row in body) or len(right) != len(columns):
        yield from lines
        return
    stands_right = [right[column] or all(_is_number(row[column]) for row in body) for column in range(len(columns))]
    for line, row in zip(lines, rows, strict=True):
        if len(row) == len(columns):
            yield " | ".join(_moved(cell) if moves else cell for cell, moves in zip(row, stands_right, strict=True))
        else:
            yield line


def _is_number(cell: str) -> bool:
    written = cell.strip()
    return len(written) <= LONGEST_CELL and (not written or _NUMBER.fullmatch(written) is not None)


def _moved(cell: str) -> str:
    """The padding before the words instead of after them."""
    words = cell.rstrip(" ")
    return " " * (len(cell) - len(words)) + words

"""A small bar chart as a PNG picture, drawn without a library: a bar for each day, numbers in dots.

Pure. Words are no part of it: they stand in the message, in the reader's language.
"""

import struct
import zlib
from collections.abc import Sequence

WIDTH, HEIGHT = 640, 320
"""Pixels."""
LEFT, RIGHT, TOP, BOTTOM = 16, 16, 40, 36
"""Pixels around the bars; the highest value stands above, the first and the last day below."""
SCALE = 3
"""Pixels of a dot of a digit."""
BACKGROUND, GRID, BAR, INK = (250, 250, 252), (225, 228, 235), (62, 116, 220), (70, 76, 90)
_DOTS = {
    "0": "111101101101111", "1": "010110010010111", "2": "111001111100111", "3": "111001111001111",
    "4": "101101111001001", "5": "111100111001111", "6": "111100111101111", "7": "111001001001001",
    "8": "111101111101111", "9": "111101111001111", "-": "000000111000000", ".": "000000000000010",
    "k": "100101110101101", "M": "101111111101101",
}  # fmt: skip
"""Rows of three dots, from the top."""
MOST_FIGURE = 12
"""Characters of a figure; further ones are not drawn."""


def bars(values: Sequence[int], *, first: str, last: str) -> bytes:
    """A PNG of values of at least 0, the oldest first. `first`, `last`: what stands below, as "11-21"."""
    rows = [bytearray(bytes(BACKGROUND) * WIDTH) for _ in range(HEIGHT)]
    inner, floor, most = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM, max([1, *values])
    for line in range(5):
        _fill(rows, LEFT, floor - line * (floor - TOP) // 4, inner, 1, GRID)
    step = inner / max(1, len(values))
    for number, value in enumerate(values):
        height = -(-value * (floor - TOP) // most)
        _fill(rows, LEFT + int(number * step) + 1, floor - height, max(1, int(step) - 2), height, BAR)
    _figure(rows, LEFT, TOP - 8 * SCALE, short(most))
    _figure(rows, LEFT, floor + 3 * SCALE, first)
    _figure(rows, WIDTH - RIGHT - 4 * SCALE * len(last[:MOST_FIGURE]), floor + 3 * SCALE, last)
    return _png(rows)


def short(number: int) -> str:
    """A number in few characters: 950, 1.2k, 34k, 5.6M."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if number >= unit:
            whole = number / unit
            return f"{whole:.1f}{sign}" if whole < 10 else f"{whole:.0f}{sign}"
    return str(number)


def _fill(rows: list[bytearray], x: int, y: int, width: int, height: int, colour: tuple[int, int, int]) -> None:
    for row in rows[max(0, y) : y + height]:
        row[3 * x : 3 * (x + width)] = bytes(colour) * width


def _figure(rows: list[bytearray], x: int, y: int, figure: str) -> None:
    for place, sign in enumerate(figure[:MOST_FIGURE]):
        for number, dot in enumerate(_DOTS.get(sign, "")):
            if dot == "1":
                _fill(rows, x + (4 * place + number % 3) * SCALE, y + number // 3 * SCALE, SCALE, SCALE, INK)


def _png(rows: Sequence[bytearray]) -> bytes:
    """Eight bits a colour, no transparency (PNG specification, chunks IHDR, IDAT and IEND)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", WIDTH, len(rows), 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")

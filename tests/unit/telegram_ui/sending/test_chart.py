"""The chart of /usage: a picture that programs can read, its bars as high as their values."""

import struct
import zlib

import pytest

from telegram_ui.sending.chart import BACKGROUND, BAR, BOTTOM, HEIGHT, LEFT, TOP, WIDTH, bars, short


def pixels(png: bytes) -> list[bytes]:
    """The rows of a picture as it was written: every chunk whole, no filter."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    found: dict[bytes, bytes] = {}
    rest = png[8:]
    while rest:
        size, kind = struct.unpack(">I4s", rest[:8])
        data = rest[8 : 8 + size]
        assert struct.unpack(">I", rest[8 + size : 12 + size])[0] == zlib.crc32(kind + data)
        found[kind], rest = data, rest[12 + size :]
    assert struct.unpack(">IIBBBBB", found[b"IHDR"]) == (WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    raw = zlib.decompress(found[b"IDAT"])
    rows = [raw[number * (1 + 3 * WIDTH) :][: 1 + 3 * WIDTH] for number in range(HEIGHT)]
    assert {row[0] for row in rows} == {0}
    return [row[1:] for row in rows]


def test_each_bar_is_as_high_as_its_value() -> None:
    rows = pixels(bars([0, 50, 100], first="11-19", last="11-21"))
    step = (WIDTH - 2 * LEFT) // 3
    middles = [LEFT + number * step + step // 2 for number in range(3)]
    heights = [sum(row[3 * x : 3 * x + 3] == bytes(BAR) for row in rows) for x in middles]
    assert heights == [0, (HEIGHT - TOP - BOTTOM) // 2, HEIGHT - TOP - BOTTOM]
    assert any(set(row) - set(bytes(BACKGROUND)) for row in rows[HEIGHT - BOTTOM + 4 :]), "the days stand below"


@pytest.mark.parametrize("values", [[], [0], [0] * 30, [10**12] * 400])
def test_whatever_is_counted_is_a_small_picture(values: list[int]) -> None:
    made = bars(values, first="1" * 50, last="ü")
    assert len(pixels(made)) == HEIGHT
    assert len(made) < 20_000


@pytest.mark.parametrize(
    ("number", "shown"), [(7, "7"), (950, "950"), (1_234, "1.2k"), (34_400, "34k"), (5_600_000, "5.6M")]
)
def test_a_figure_is_short(number: int, shown: str) -> None:
    assert short(number) == shown

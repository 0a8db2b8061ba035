"""Analysing a text takes linear time for any kind of words."""

import sys
import time
import unicodedata
from functools import partial
from types import FrameType
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.processor_time import count_units
from text import analyzer
from text.analyzer import list_search_terms
from text.characters import PIECE, normalize_unicode

LENGTH = 16_000  # characters of a question by which is searched

WORDS = {
    "codes": lambda number: f"w{number}x",
    "serial numbers": lambda number: f"a{number}-{number * 7}",
    "apostrophes": lambda number: f"a'{number}",
    "random letters": lambda number: "".join(chr(97 + (number * 7919 >> shift) % 26) for shift in range(8)),
    "Cyrillic codes": lambda number: f"дом{number}",
}


@pytest.mark.parametrize("kind", WORDS)
def test_listing_search_terms_takes_linear_number_of_calls(kind: str) -> None:
    """Calls are counted, because times vary on a busy machine. A megabyte once took six seconds."""

    def count_calls(length: int) -> int:
        count = 0

        def called(frame: FrameType, event: str, arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        text = " ".join(map(WORDS[kind], range(length)))[:length]
        sys.setprofile(called)
        try:
            list_search_terms(text)
        finally:
            sys.setprofile(None)
        return count

    assert count_calls(5_000) < 8 * 5_000
    assert count_calls(20_000) < 8 * 20_000


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0345\u0300\u0315\u031b", "\u05b0\u0591\u05bf"])
def test_normalizing_long_runs_of_combining_marks_is_cheap(marks: str) -> None:
    """unicodedata once sorted the marks in one call of 175 to 300 ms that blocked other threads (now about 4 ms)."""
    text = "a" + (marks * LENGTH)[: LENGTH - 1]
    for normalizes in (analyzer.normalize_text, analyzer.fold_accents, partial(normalize_unicode, "NFKD")):
        with count_units(time.thread_time) as stopwatch:
            normalizes(text)
        assert stopwatch.units < 100


WRITTEN = [
    "Grüße ",
    "e\u0301te\u0301 ",
    "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "ｶﾞｷﾞ",
    "ﬁ ",
    "Việt",
    "हिन्दी",
    "שָׁלוֹם",
    "한국",
    "学",
]


@given(st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=200), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_normalize_unicode_in_pieces_equals_unicodedata(
    parts: list[str], form: Literal["NFC", "NFD", "NFKC", "NFKD"]
) -> None:
    text = "".join(parts) * (1 + PIECE // len(parts))
    assert normalize_unicode(form, text) == unicodedata.normalize(form, text)

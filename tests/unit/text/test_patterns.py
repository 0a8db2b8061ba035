"""Expressions that are searched for only where a text holds a piece of what they find."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from retrieval import date_expressions
from tests.paths import ROOT
from text import cues, standing, subjects
from text.analyzer import folded, normal
from text.patterns import Family, Pattern


@cache
def ours() -> list[Pattern]:
    """Those of the program that have pieces."""
    named = [one for module in (cues, standing, date_expressions) for one in vars(module).values()]
    found = [one for one in named if isinstance(one, Pattern)]
    return [one for one in (*found, *subjects._PATTERNS.values(), *standing._loose()) if one.pieces]


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"\b(?:never|siempre)\b|никогда", ("never", "siempre", "никогда")),
        (r"\w+ summer(?: of)?", (" summer",)),
        (r"(?:no )?longer|(?:ago)+", ("longer", "ago")),
        (r"ja?mas|non\b.{0,20}\bmai", ("mas", "non")),
        (r"ja?m[aá]s", None),
        (r"总|總|[一二]", ("总", "總", "一", "二")),
        (r"(?:要|问)(?:,|，)", ("要", "问")),
        (r"\d+ \w", None),
        (r"abc|\d", None),
        (r"(?:abc)?\d", None),
        (r"y|o", None),
        (r"(?i:abc)|abd", None),
        (r"(?i)abc", None),
        (r"(?!abc)\w", None),
    ],
)
def test_the_pieces_of_an_expression(pattern: str, pieces: tuple[str, ...] | None) -> None:
    found = Pattern(pattern).pieces
    assert (found[1] if found else None) == pieces


def test_case_is_left_to_the_expression() -> None:
    assert Pattern("abc", re.IGNORECASE).search("xABC")


def test_most_expressions_have_pieces() -> None:
    assert len(ours()) > 30


def test_expressions_find_what_they_would_find_without_looking_for_pieces() -> None:
    lines = map(json.loads, (ROOT / "benchmarks" / "data" / "standing.jsonl").read_text(encoding="utf-8").splitlines())
    texts = {folded(normal(said)) for line in lines for said in _strings(line)}
    family = Family(ours())
    possible = {text: family.possible(text) for text in texts}
    assert sum(map(len, possible.values())) < 0.2 * len(texts) * len(ours())
    found = Counter[bool]()
    for one in ours():
        for text in texts:
            is_there = one.compiled.search(text) is not None
            assert (one.search(text) is not None) is is_there
            assert one in possible[text] or not is_there
            found[is_there] += 1
    assert found[True] > 500
    assert found[False] > 5_000


def _strings(value: object) -> Iterator[str]:
    """All texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def test_of_a_family_those_are_possible_whose_pieces_a_text_has() -> None:
    may, mayor, ask, unknown = map(Pattern, ("may", "mayor|ask", "ask|mask", r"\d"))
    family = Family([may, mayor, ask, unknown])
    assert family.possible("what") == {unknown}
    assert family.possible("a mayor") == {may, mayor, unknown}
    assert family.possible("a mask") == {mayor, ask, unknown}


def test_what_holds_no_piece_is_not_searched() -> None:
    pattern = Pattern(r"(?:a+)+ now|никогда")
    assert pattern.search("a" * 200) is None  # it would take for ever
    assert [found.group() for found in pattern.finditer("aa now")] == ["aa now"]
    assert pattern.match("x aa now") is None
    other = Pattern("never more")
    assert other.search("always") is None
    assert "compiled" not in vars(other)

"""A long text is analysed in stretches, and costs what its length costs, whatever its words are."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text import analyzer
from text.analyzer import STRETCH, analyse, positions

WORDS = {
    "codes": lambda number: f"w{number}x",
    "serial numbers": lambda number: f"a{number}-{number * 7}",
    "apostrophes": lambda number: f"a'{number}",
    "random letters": lambda number: "".join(chr(97 + (number * 7919 >> shift) % 26) for shift in range(8)),
    "Cyrillic codes": lambda number: f"дом{number}",
}


@pytest.mark.parametrize("kind", WORDS)
def test_no_kind_of_words_costs_much_more_than_prose(kind: str) -> None:
    """By processor time; six seconds a megabyte it was."""

    def cost(text: str) -> float:
        begun = time.thread_time()
        analyse(text)
        return time.thread_time() - begun

    prose = ("The walnut tree stands in our garden and bears fruit every year. " * 4_000)[:200_000]
    hostile = " ".join(map(WORDS[kind], range(40_000)))[:200_000]
    cost(prose)
    assert min(cost(hostile) for _ in range(3)) < 12 * min(cost(prose) for _ in range(3))


@given(st.text(st.sampled_from("ab1 -.é\nдом東"), min_size=1, max_size=60).map(lambda text: text * 800))
@settings(max_examples=15, deadline=None)
def test_stretches_are_the_whole_text(text: str) -> None:
    stretches = list(analyzer._stretches(text))
    assert "".join(text[start:end] for start, end in stretches) == text
    assert all(0 < end - start <= STRETCH for start, end in stretches)


def test_words_of_a_long_text_are_found_where_they_stand() -> None:
    text = "The garden has a wall. " * 3_000 + "The walnuts are in the cellar."
    assert "walnut" in analyse(text)
    [(start, end, _)] = positions(text, {"walnut"})
    assert text[start:end] == "walnuts"

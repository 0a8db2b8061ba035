"""Tests of search queries: quoted text is matched exactly, and the rest by its terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.question import SearchQuery


@pytest.mark.parametrize(
    ("typed", "phrases", "text"),
    [
        ("walnut oil", (), "walnut oil"),
        ('"Walnut  Oil" cheap', ("walnut oil",), "Walnut Oil cheap"),
        ("„Alte Mühle“ «белый дом»", ("alte mühle", "белый дом"), "Alte Mühle белый дом"),
        ('a " b', (), 'a " b'),
        ('"" x', (), '"" x'),
        ("「東京」", ("東京",), "東京"),
        ('a 5" screen “good phrase”', ("good phrase",), 'a 5" screen good phrase'),
        ('„er sagte "ja" dazu“', ('er sagte "ja" dazu',), 'er sagte "ja" dazu'),
    ],
)
def test_parses_quoted_text_as_phrases(typed: str, phrases: tuple[str, ...], text: str) -> None:
    query = SearchQuery.parse(typed)
    assert (query.phrases, query.text) == (phrases, text)


@pytest.mark.parametrize(
    ("text", "matches"),
    [("We bought WALNUT\noil.", True), ("walnut-oil", False), ("oil of walnut", False), ("ＷＡＬＮＵＴ oil", True)],
)
def test_phrase_match_ignores_case_and_whitespace(text: str, *, matches: bool) -> None:
    assert SearchQuery.parse('"walnut oil"').matches(text) is matches


def test_scores_sentences_by_search_query() -> None:
    query = SearchQuery.parse('"walnut oil" cheap')
    weights = [query.score_sentence(piece) for piece in ("The weather.", "Cheap walnuts.", "Some walnut oil.")]
    assert weights == sorted(weights)
    assert weights[0] == 0


@given(st.text(max_size=60))
def test_search_query_accepts_any_text(typed: str) -> None:
    query = SearchQuery.parse(typed)
    assert query.matches(typed) or query.phrases
    assert query.score_sentence(typed) >= 0

"""How much of a long message is shown: less where many compete next to a long-winded assistant."""

from dataclasses import replace

from retrieval.must_include import (
    BEST,
    BEST_TOKENS,
    OVERVIEW_TOKENS,
    REST_TOKENS,
    SNIPPET_TOKENS,
    STANDS_OUT,
    MustInclude,
    least_for,
)
from retrieval.question import Question
from retrieval.ranking import rank
from retrieval.search import Found
from tests.unit.retrieval.test_prompt_builder import TOKENS
from tests.unit.retrieval.test_ranking import Said, pool


def required(messages: int, *, assistant_mean: float, of_many: bool = False, of_overview: bool = False) -> MustInclude:
    rows = pool(*(Said(id=number, text="x", days=0) for number in range(1, messages + 1)))
    rows = replace(rows, matched=replace(rows.matched, assistant_mean=assistant_mean))
    asked = Question(text="?", terms=(), of_many=of_many, of_overview=of_overview)
    return MustInclude.of(Found(asked=asked, pool=rows, meaning=None, ranked=rank(rows, asked)), TOKENS)


def test_the_best_show_more_than_the_rest_next_to_a_long_winded_assistant() -> None:
    many = required(100, assistant_mean=60)
    assert (many.length(0, 1500), many.length(BEST, 1500)) == (BEST_TOKENS, REST_TOKENS)
    assert required(100, assistant_mean=60, of_many=True).length(0, 1500) == OVERVIEW_TOKENS


def test_in_little_room_fewer_show_more_and_none_takes_more_than_a_twelfth() -> None:
    many = required(100, assistant_mean=60)
    assert (many.length(0, 500), many.length(2, 500), many.length(3, 500)) == (41, 41, REST_TOKENS)
    assert many.length(0, 200) == REST_TOKENS
    assert many.length(BEST - 1, 1500) == many.length(BEST - 1, 3000) == BEST_TOKENS


def test_where_few_compete_or_nobody_is_long_winded_more_is_shown() -> None:
    assert required(10, assistant_mean=60).length(9, 1500) == 150
    assert required(3, assistant_mean=60).length(0, 1500) == SNIPPET_TOKENS
    assert required(100, assistant_mean=6).length(50, 1500) == SNIPPET_TOKENS


def test_an_overview_shows_a_little_of_many() -> None:
    overview = required(100, assistant_mean=60, of_many=True, of_overview=True)
    assert overview.length(0, 1500) == overview.length(60, 1500) == OVERVIEW_TOKENS


def test_where_nothing_is_asked_about_the_past_only_what_stands_out_is_offered() -> None:
    asks = required(100, assistant_mean=6)
    assert len(asks.in_order(0, 50)) == 50
    talks = replace(asks, least=least_for(Question(text="?", terms=(), of_past=False)))
    assert talks.in_order(0, 50) == []  # each scores 0
    assert least_for(Question(text="?", terms=(), of_past=True, is_small_talk=True)) > STANDS_OUT

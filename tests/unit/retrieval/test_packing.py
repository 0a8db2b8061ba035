"""Which messages fit the budget: the first tokens always, more only for what stands out."""

import math

import pytest

from records.context import Snippet
from retrieval.packing import ANYWAY, FEW, STANDS_OUT, least_score, pack
from tests.unit.retrieval.test_prompt_builder import NOW, TOKENS, message

ROOM = 1500


def snippets(scores: list[dict[str, float]]) -> list[Snippet]:
    return [
        Snippet(message=message(number, "user", text, turn=number), text=text, score=score)
        for number, score in enumerate(scores, start=1)
        for text in [f"Number {number}: " + "a few words about something " * 4]
    ]


def shown(scores: list[dict[str, float]], least: float) -> list[int]:
    packed = pack(snippets(scores), room=ROOM, now=NOW, count=TOKENS.count, least=least)
    return [one.message.id for one in packed]


def test_beyond_the_first_tokens_only_what_stands_out_is_shown() -> None:
    strong, weak = {"meaning": 0.5, "words": 0.4}, {"meaning": 0.9, "assistant": -0.5}
    anyway = shown([weak] * 60, 0.75)
    whole = shown([weak] * 60, -math.inf)
    assert len(anyway) - 1 <= len(whole) * ANYWAY / ROOM <= len(anyway) + 1
    assert shown([strong] * 60, 0.75) == shown([weak] * 60, -math.inf)
    assert shown([*[weak] * 20, strong, weak], 0.75) == [*anyway, 21]


def test_what_words_alone_brought_is_not_judged() -> None:
    by_words = [{"words": 0.01}] * 60
    assert shown(by_words, 0.75) == shown(by_words, -math.inf)


@pytest.mark.parametrize(
    ("messages", "least"), [(0, -math.inf), (50, -math.inf), (FEW, 0.0), (2 * FEW, STANDS_OUT), (10**6, STANDS_OUT)]
)
def test_what_stands_out_depends_on_how_many_there_are(messages: int, least: float) -> None:
    assert least_score(messages) >= least
    assert least_score(messages) <= max(0.0, least)

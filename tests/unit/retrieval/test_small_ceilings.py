"""However low a ceiling is, a context is made or refused; making it always ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import ContextTooLong
from tests.unit.retrieval.test_prompt_builder import TOKENS, drafted, summary, turns

MIN_CEILING = 7
"""Tokens of an empty request: nothing fits less."""


@given(
    ceiling=st.integers(MIN_CEILING, 499),
    text=st.sampled_from(["", "Why?", "word " * 400, "дом " * 300, "𝔘" * 500, "\n" * 300]),
    system=st.sampled_from(["", "Be kind.", "Be kind. " * 300]),
    talk=st.integers(0, 6),
    profile=st.sampled_from(["", "Anna sails. " * 40]),
)
def test_every_ceiling_is_kept(ceiling: int, text: str, system: str, talk: int, profile: str) -> None:
    archived = turns([("old question", "old answer " * 30)] * talk, chunk=1)
    context = drafted(
        text=text,
        system=system,
        archived=archived,
        summaries=[summary(1, 1, len(archived), "They talked. " * 9, 1)] if archived else [],
        unsummarized=turns([("hello there " * 20, "good day")] * talk, first=1 + len(archived)),
        ceiling=ceiling,
        profile=profile,
        facts=["Anna sails."] * talk,
        is_required=True,
    )
    assert TOKENS.count_request_tokens(context.messages) <= ceiling
    assert context.messages[-1].role == "user"


@pytest.mark.parametrize("ceiling", range(MIN_CEILING))
def test_a_ceiling_without_room_for_a_question_is_refused(ceiling: int) -> None:
    with pytest.raises(ContextTooLong, match=rf"too long for the model. \({ceiling}\)"):
        drafted(ceiling=ceiling)


def test_the_clock_goes_before_the_words() -> None:
    context = drafted(text="Where did I leave the walnuts?", ceiling=30)
    assert context.messages[-1].content == "Where did I leave the walnuts?"
    assert not context.message_was_cut

"""With any small token limit, building a context ends with a context or an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import ContextTooLong
from tests.unit.retrieval.test_prompt_builder import TOKENS, build_context, make_summary, make_turns

MIN_PROMPT_TOKENS = 7
"""The tokens of an empty request, which is the smallest possible one."""


@given(
    max_prompt_tokens=st.integers(MIN_PROMPT_TOKENS, 499),
    text=st.sampled_from(["", "Why?", "word " * 400, "дом " * 300, "𝔘" * 500, "\n" * 300]),
    system=st.sampled_from(["", "Be kind.", "Be kind. " * 300]),
    talk=st.integers(0, 6),
    profile=st.sampled_from(["", "Anna sails. " * 40]),
)
def test_context_fits_every_small_token_limit(
    max_prompt_tokens: int, text: str, system: str, talk: int, profile: str
) -> None:
    archived = make_turns([("old question", "old answer " * 30)] * talk, chunk=1)
    context = build_context(
        text=text,
        system=system,
        archived=archived,
        summaries=[make_summary(1, 1, len(archived), "They talked. " * 9, 1)] if archived else [],
        unsummarized=make_turns([("hello there " * 20, "good day")] * talk, first=1 + len(archived)),
        max_prompt_tokens=max_prompt_tokens,
        profile=profile,
        facts=["Anna sails."] * talk,
        is_required=True,
    )
    assert TOKENS.count_request_tokens(context.messages) <= max_prompt_tokens
    assert context.messages[-1].role == "user"


@pytest.mark.parametrize("max_prompt_tokens", range(MIN_PROMPT_TOKENS))
def test_raises_when_token_limit_has_no_room_for_question(max_prompt_tokens: int) -> None:
    with pytest.raises(ContextTooLong, match=rf"too long for the model. \({max_prompt_tokens}\)"):
        build_context(max_prompt_tokens=max_prompt_tokens)


def test_drops_clock_before_cutting_question() -> None:
    context = build_context(text="Where did I leave the walnuts?", max_prompt_tokens=30)
    assert context.messages[-1].content == "Where did I leave the walnuts?"
    assert not context.message_was_cut

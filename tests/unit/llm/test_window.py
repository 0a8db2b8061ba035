"""The context window starts as configured, shrinks after each refusal, and leaves room for an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.failures import StatusError
from llm.ladder import MIN_WINDOW_TOKENS, compute_lower_limit, compute_max_prompt_tokens
from records.model_calls import UNKNOWN, Abilities

REFUSALS = {
    "OpenAI": (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        (8192 - 1024) / 9001,
    ),
    "llama.cpp": (
        "request (1,234 tokens) exceeds the available context size (1024 tokens), try increasing it",
        768 / 1234,
    ),
    "Anthropic": ("prompt is too long: 210000 tokens > 200000 maximum", (200_000 - 1024) / 210_000),
    "Gemini": (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        (1_048_576 - 1024) / 1_200_000,
    ),
    "Mistral": (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        (32_768 - 1024) / 40_000,
    ),
    "more than two sizes": (
        "maximum context length is 4097 tokens. However, you requested 5000 tokens (4500 in the messages).",
        0.4,
    ),
    "Ollama": ("the input length exceeds the context length", 0.4),
    "Moonshot": ("Your request exceeded model token limit: 1500", (1500 - 375) / 5000),
    "nonsense": ("maximum context length of llama-405b is 3 tokens and not 99999999999999", 0.4),
}


@pytest.mark.parametrize(("words", "share"), REFUSALS.values(), ids=REFUSALS)
def test_lowers_limit_by_sizes_named_in_refusal(words: str, share: float) -> None:
    assert compute_lower_limit(5000, words) == int(share * 5000)


def test_finds_error_message_in_wrapped_body() -> None:
    assert StatusError(400, [{"error": {"message": "too long", "status": "INVALID_ARGUMENT"}}]).message == "too long"
    wrapped = {"error": {"message": "Provider returned error", "metadata": {"raw": "maximum context length is 512"}}}
    assert "512" in StatusError(400, wrapped).message


def test_configured_window_reserves_room_for_answer() -> None:
    assert compute_max_prompt_tokens(UNKNOWN, None) is None
    assert compute_max_prompt_tokens(Abilities(context=1024, tokens=1.2), None) == int(768 / 1.2)
    limit = compute_lower_limit(100_000, "")
    assert compute_max_prompt_tokens(Abilities(context=128_000), limit) == 40_000


def test_lowers_limit_without_sizes_in_refusal() -> None:
    first = compute_lower_limit(1000, "")
    second = compute_lower_limit(700, "", first)
    assert (first, second) == (400, 280)
    assert compute_lower_limit(100, "", second) == MIN_WINDOW_TOKENS


@given(st.lists(st.tuples(st.integers(1, 20_000), st.text() | st.from_regex(r"(\d{2,6} ){0,3}")), min_size=1))
def test_limit_stays_below_every_refused_size(refusals: list[tuple[int, str]]) -> None:
    limit = None
    for counted, words in refusals:
        limit = compute_lower_limit(counted, words, limit)
        assert MIN_WINDOW_TOKENS <= limit < max(counted, MIN_WINDOW_TOKENS + 1)

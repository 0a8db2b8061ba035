"""The window of a model: read from the refusals of many servers, corrected by their usage, with room for an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.failures import error_body, error_message
from llm.window import LEAST, Refusal, Window, read_refusal

REFUSALS = {
    "OpenAI": (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        Refusal(limit=8192, size=9001),
    ),
    "OpenAI, with an answer's length": (
        (
            "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4500 in the "
            "messages, 500 in the completion)."
        ),
        Refusal(limit=4097, size=5000),
    ),
    "OpenAI, newer": (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
        Refusal(limit=272_000, size=300_000),
    ),
    "vLLM": (
        (
            "This model's maximum context length is 2048 tokens. However, you requested 100 output tokens and your "
            "prompt contains at least 1949 input tokens, for a total of at least 2049 tokens."
        ),
        Refusal(limit=2048, size=2049),
    ),
    "vLLM, an answer too long": (
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 2048 "
            "tokens and your request has 1500 input tokens (2000 > 2048 - 1500)."
        ),
        Refusal(limit=2048, size=2000),
    ),
    "llama.cpp in words": (
        "request (1,234 tokens) exceeds the available context size (1024 tokens), try increasing it",
        Refusal(limit=1024, size=1234),
    ),
    "Ollama": ("the input length exceeds the context length", Refusal()),
    "Anthropic": ("prompt is too long: 210000 tokens > 200000 maximum", Refusal(limit=200_000, size=210_000)),
    "Anthropic, with an answer's length": (
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
        Refusal(limit=200_000, size=190_000),
    ),
    "Gemini": (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        Refusal(limit=1_048_576, size=1_200_000),
    ),
    "OpenRouter": (
        (
            "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens (8900 of "
            "text input, 100 in the output). Please reduce the length of either one."
        ),
        Refusal(limit=8192, size=9000),
    ),
    "Mistral": (
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        Refusal(limit=32_768, size=40_000),
    ),
    "LM Studio": (
        (
            "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
            "context length of only 4096 tokens"
        ),
        Refusal(limit=4096, size=5000),
    ),
    "xAI": (
        "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
        Refusal(limit=131_072, size=200_000),
    ),
    "Groq": (
        "Request too large for model x: Limit 6000, Requested 7000, please reduce",
        Refusal(limit=6000, size=7000),
    ),
    "nonsense": ("maximum context length is 3 tokens", Refusal()),
}


@pytest.mark.parametrize(("words", "found"), REFUSALS.values(), ids=REFUSALS)
def test_the_sizes_are_read_from_the_words_of_many_servers(words: str, found: Refusal) -> None:
    assert read_refusal({}, words) == found


def test_the_fields_of_a_refusal_count_before_its_words() -> None:
    error = {"code": 400, "n_prompt_tokens": 1500, "n_ctx": 1024, "type": "exceed_context_size_error"}
    assert read_refusal(error, "the request exceeds the available context size") == Refusal(limit=1024, size=1500)
    assert read_refusal({"n_ctx": "1024", "n_prompt_tokens": -3}, "") == Refusal()


def test_a_refusal_is_found_however_it_is_wrapped() -> None:
    assert error_message([{"error": {"message": "too long", "status": "INVALID_ARGUMENT"}}]) == "too long"
    wrapped = {"error": {"message": "Provider returned error", "metadata": {"raw": "maximum context length is 512"}}}
    assert read_refusal(error_body(wrapped), error_message(wrapped)) == Refusal(limit=512)


def test_a_prompt_leaves_room_for_an_answer_and_is_counted_as_the_endpoint_counts() -> None:
    assert Window().prompt is None
    window = Window()
    window.note_refusal(1000, Refusal(limit=1024, size=1200))
    assert window.prompt == int(768 / 1.2)
    window.note_usage(600, 780)
    assert window.prompt == int(768 / 1.3)
    window.note_usage(600, 600)
    assert window.prompt == int(768 / 1.24), "a smaller ratio is followed slowly"
    window.note_refusal(500, Refusal(limit=128_000, size=130_000))
    assert window.tokens == 128_000


def test_where_no_number_is_told_the_prompt_gets_shorter() -> None:
    window = Window()
    window.note_refusal(1000, Refusal())
    assert window.prompt == 600
    window.note_refusal(600, Refusal())
    assert window.prompt == 360
    window.note_refusal(100, Refusal())
    assert window.prompt == LEAST


@given(
    st.lists(
        st.tuples(st.integers(1, 20_000), st.none() | st.integers(64, 10**6), st.none() | st.integers(64, 10**6)),
        min_size=1,
    )
)
def test_what_was_refused_is_not_sent_again(refusals: list[tuple[int, int | None, int | None]]) -> None:
    window = Window()
    for counted, limit, size in refusals:
        window.note_refusal(counted, Refusal(limit=limit, size=size))
        assert window.prompt is not None
        assert LEAST <= window.prompt < max(counted, LEAST + 1)

"""If thoughts use up the answer length, the request is retried with more tokens or a shorter prompt."""

from pathlib import Path

import pytest

from tests.peers.raw_server import Json, RawAnswer, get_request_text, make_answer, make_chunk, make_refusal, make_stream
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, open_talk_with_server

APPLES = "Forty-two apples."
THOUGHTS = make_stream(make_chunk(reasoning_content="SECRET"), make_chunk("length"))


async def test_raises_max_tokens_when_thoughts_use_up_endpoint_limit(tmp_path: Path) -> None:
    """Workers AI stops at 256 tokens and TGI at 100 unless the request says otherwise."""
    answer = lambda request: make_answer(APPLES) if "max_tokens" in request else THOUGHTS  # noqa: E731
    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        assert (await talk.say("How many?")).text == APPLES
        assert len(server.requests) == 2
        assert (await talk.say("And now?")).text == APPLES
        assert len(server.requests) == 3


async def test_raises_max_tokens_for_answer_after_truncated_answer(tmp_path: Path) -> None:
    cut = make_stream(make_chunk(content="Forty-"), make_chunk("length"))
    answer = lambda request: make_answer(APPLES) if "max_tokens" in request else cut  # noqa: E731
    async with open_talk_with_server(tmp_path, answer) as (talk, _):
        assert (await talk.say("How many?")).text == "Forty-"
        assert (await talk.say("And now?")).text == APPLES


REFUSED = {"error": {"message": "This model's maximum context length is 4096 tokens. However, you requested 11192."}}


async def test_shortens_prompt_when_window_is_full(tmp_path: Path) -> None:
    """Ollama's window has 4,096 tokens. vLLM refuses an answer limit that does not fit into its window."""

    def answer(request: Json) -> RawAnswer:
        if "max_tokens" in request:
            return make_refusal(400, REFUSED)
        return THOUGHTS if len(get_request_text(request).split()) > 1_500 else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS + 1, "what helped is remembered"


async def test_leaves_prompt_whole_where_answer_limit_does_not_fit_into_window(tmp_path: Path) -> None:
    """Older versions of vLLM refuse an answer limit without naming the parameter."""
    cut = make_stream(make_chunk(content="Forty-"), make_chunk("length"))
    asked = 0

    def answer(request: Json) -> RawAnswer:
        nonlocal asked
        asked += 1
        return make_refusal(400, REFUSED) if "max_tokens" in request else make_answer(APPLES) if asked > 1 else cut

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        assert (await talk.say("How many? " + "word " * 1_500)).text == "Forty-"
        assert (await talk.say("And now?")).text == APPLES
        assert len(server.requests) == 3
        assert "How many?" in get_request_text(server.requests[-1])
        assert (await talk.say("And now?")).text == APPLES
        assert len(server.requests) == 4


ENDLESS = make_stream(make_chunk(reasoning_content="SECRET " * 3_000), make_chunk("length"))


@pytest.mark.parametrize(("thoughts", "most"), [(ENDLESS, 1), (THOUGHTS, MAX_REQUESTS)])
async def test_reports_endless_thoughts_after_few_requests(tmp_path: Path, thoughts: RawAnswer, most: int) -> None:
    """A model that already had enough tokens would only think again."""
    async with open_talk_with_server(tmp_path, lambda _: thoughts) as (talk, server):
        assert "allowed length" in (await talk.say("How many?")).text
        assert len(server.requests) <= most

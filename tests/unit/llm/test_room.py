"""An answer whose length was used up by thoughts is asked for again with more room, or with a shorter prompt."""

from pathlib import Path

import pytest

from tests.peers.raw_server import Json, Raw, chunk, refusal, said, stream, words_of
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, talking_to

APPLES = "Forty-two apples."
THOUGHTS = stream(chunk(reasoning_content="SECRET"), chunk("length"))


async def test_a_limit_of_the_endpoint_is_raised_for_this_answer_and_the_next(tmp_path: Path) -> None:
    """Workers AI stops at 256 tokens and TGI at 100 unless the request says otherwise."""
    answer = lambda request: said(APPLES) if "max_tokens" in request else THOUGHTS  # noqa: E731
    async with talking_to(tmp_path, answer) as (talk, server):
        assert (await talk.say("How many?")).text == APPLES
        assert len(server.requests) == 2
        assert (await talk.say("And now?")).text == APPLES
        assert len(server.requests) == 3


async def test_an_answer_that_was_cut_short_gives_the_next_one_room(tmp_path: Path) -> None:
    cut = stream(chunk(content="Forty-"), chunk("length"))
    answer = lambda request: said(APPLES) if "max_tokens" in request else cut  # noqa: E731
    async with talking_to(tmp_path, answer) as (talk, _):
        assert (await talk.say("How many?")).text == "Forty-"
        assert (await talk.say("And now?")).text == APPLES


REFUSED = {"error": {"message": "This model's maximum context length is 4096 tokens. However, you requested 11192."}}


async def test_a_full_window_is_met_with_a_shorter_prompt(tmp_path: Path) -> None:
    """Ollama's window has 4,096 tokens. vLLM refuses a limit that does not fit into it."""

    def answer(request: Json) -> Raw:
        if "max_tokens" in request:
            return refusal(400, REFUSED)
        return THOUGHTS if len(words_of(request).split()) > 1_500 else said(APPLES)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS + 1, "what helped is remembered"


ENDLESS = stream(chunk(reasoning_content="SECRET " * 3_000), chunk("length"))


@pytest.mark.parametrize(("thoughts", "most"), [(ENDLESS, 1), (THOUGHTS, MAX_REQUESTS)])
async def test_thoughts_without_end_are_told_of(tmp_path: Path, thoughts: Raw, most: int) -> None:
    """A model that has had room enough would only think again."""
    async with talking_to(tmp_path, lambda _: thoughts) as (talk, server):
        assert "allowed length" in (await talk.say("How many?")).text
        assert len(server.requests) <= most

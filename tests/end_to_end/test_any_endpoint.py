"""What real servers send and refuse, and what a person reads then: through the whole bot, over real HTTP."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.peers.raw_server import Json, Raw, chunk, raw_server, refusal, said, stream, words_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
APPLES = "Forty-two apples."
GOOD = (chunk(role="assistant", content=APPLES), chunk("stop"))
REMIND = json.dumps({"text": "water the fern", "in_minutes": 30})
CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "remind", "arguments": REMIND}}


async def test_a_good_answer_is_shown_however_it_is_sent(own_house: LocalServers) -> None:
    body = b"data: null\n\n" + stream(*GOOD).body
    answer = Raw(body=body, content_type="application/json")
    async with raw_server(lambda _: answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        assert await own_house.person().asks("How many?") == APPLES


async def test_bytes_that_are_no_text_cost_one_character(own_house: LocalServers) -> None:
    delta = b'data: {"choices":[{"index":0,"delta":{"content":"caf\xe9 ok"},"finish_reason":null}]}\n\n'
    answer = Raw(body=delta + stream(chunk("stop")).body)
    async with raw_server(lambda _: answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        assert await own_house.person().asks("Coffee?") == "caf\ufffd ok"


CALLS = {
    "two of one index": stream(
        chunk(tool_calls=[{**CALL, "id": "a"}]), chunk(tool_calls=[{**CALL, "id": "b"}]), chunk("tool_calls")
    ),
    "in the second choice": stream(
        {"choices": [
            {"index": 0, "delta": {"content": "Let me set that."}, "finish_reason": None},
            {"index": 1, "delta": {"tool_calls": [CALL]}, "finish_reason": None},
        ]},
        chunk("tool_calls"),
    ),
    "as text": said(f"<|tool_call_begin|>functions.remind:0<|tool_call_argument_begin|>{REMIND}<|tool_call_end|>"),
    "in XML": said('<minimax:tool_call>\n<invoke name="remind">\n<parameter name="text">water the fern</parameter>\n'
                   '<parameter name="in_minutes">30</parameter>\n</invoke>\n</minimax:tool_call>'),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
async def test_a_call_is_carried_out_however_it_is_made(own_house: LocalServers, kind: str) -> None:
    def answer(request: Json) -> Raw:
        return said("Shall I?") if request["messages"][-1]["role"] == "tool" else CALLS[kind]

    async with raw_server(answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        ann = own_house.person()
        since = ann.now
        ann.says("Remind me to water the fern in half an hour")
        asked = await ann.hears("water the fern", since=since)
        assert "reply_markup" in asked
        heard = " ".join(message.get("text", "") for message in ann.heard(since=since))
        assert "tool_call" not in heard
        assert "invoke" not in heard


async def test_a_thinking_model_gets_its_reasoning_back_within_the_turn(own_house: LocalServers) -> None:
    def answer(request: Json) -> Raw:
        messages: Sequence[Json] = request["messages"]
        if any(message.get("tool_calls") and not message.get("reasoning_content") for message in messages):
            return refusal(400, {"error": {"message": "reasoning_content must be passed back."}})
        if messages[-1]["role"] == "tool":
            return said("Shall I?")
        return stream(chunk(reasoning_content="They want it."), chunk(tool_calls=[CALL]), chunk("tool_calls"))

    async with raw_server(answer) as (server, url), own_house.bot(OPENAI_BASE_URL=url):
        ann = own_house.person()
        since = ann.now
        ann.says("Remind me to water the fern")
        await ann.hears("water the fern", since=since)
        await ann.hears("Shall I?", since=since)
    assert len([request for request in server.requests if request["model"] == ANSWERS]) == 2


async def test_a_prompt_that_is_too_long_gets_shorter(own_house: LocalServers) -> None:
    def answer(request: Json) -> Raw:
        return refusal(500, {"error": "zu lang"}) if len(words_of(request).split()) > 1_500 else said(APPLES)

    async with raw_server(answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url, MODEL_TIMEOUT="30"):
        ann = own_house.person()
        since = ann.now
        ann.says("How many of these? " + "word " * 780)
        ann.says("word " * 800)
        await ann.hears(APPLES, since=since)
        assert await ann.asks("And now?", APPLES) == APPLES


async def test_a_flagged_word_does_not_end_the_chat(own_house: LocalServers) -> None:
    flagged = refusal(400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}})

    def answer(request: Json) -> Raw:
        return flagged if "zorkblat" in words_of(request) else said("Paris, of course.")

    async with raw_server(answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        ann = own_house.person()
        await ann.sets_up()
        refused = await ann.asks("please explain zorkblat to me")
        assert "Paris" not in refused
        for question in ("what is the capital of France?", "and of Spain?", "thanks, one more?"):
            assert await ann.asks(question, "Paris") == "Paris, of course."


HALF = "There are forty-two"
BROKEN = {
    "an unknown reason": (chunk("insufficient_system_resource"), "[DONE]"),
    "a reason nobody knows": (chunk("gremlins"), "[DONE]"),
    "an error event": ({"error": {"message": "Upstream idle timeout", "code": 504}}, "[DONE]"),
    "a cut connection": (),
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_half_an_answer_is_shown_as_such_and_never_stored(own_house: LocalServers, kind: str) -> None:
    """It stays to be read, with [Try again] under it; neither memory nor the next prompt has it."""
    last = stream(*BROKEN[kind], done=False).body
    half = replace(stream(chunk(content=HALF), done=False), then=last, is_cut=not last)
    is_well = False
    async with (
        raw_server(lambda _: said(APPLES) if is_well else half) as (server, url),
        own_house.bot(OPENAI_BASE_URL=url, REPLY_STREAMING="auto"),
    ):
        ann = own_house.person()
        await ann.sets_up()
        broken = await ann.tells("How many?", "broke off")
        assert broken["text"].startswith(HALF)
        assert [button["text"] for row in broken["reply_markup"]["inline_keyboard"] for button in row] == ["Try again"]
        assert HALF not in str(own_house.memory.files().get_owner_rows(ann.owner))
        is_well = True
        assert await ann.asks("And now?", APPLES) == APPLES
        assert HALF not in words_of(server.requests[-1])

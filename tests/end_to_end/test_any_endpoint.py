"""Deviations of real model servers, tested through the whole bot over real HTTP."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.peers.raw_server import (
    Json,
    RawAnswer,
    get_request_text,
    make_answer,
    make_chunk,
    make_refusal,
    make_stream,
    run_raw_server,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")
APPLES = "Forty-two apples."
GOOD = (make_chunk(role="assistant", content=APPLES), make_chunk("stop"))
REMIND = json.dumps({"text": "water the fern", "in_minutes": 30})
CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "remind", "arguments": REMIND}}


async def test_stream_with_null_event_and_json_content_type_is_shown(own_servers: LocalServers) -> None:
    body = b"data: null\n\n" + make_stream(*GOOD).body
    answer = RawAnswer(body=body, content_type="application/json")
    async with run_raw_server(lambda _: answer) as (_, url), own_servers.run_bot(OPENAI_BASE_URL=url):
        assert await own_servers.add_person().ask("How many?") == APPLES


async def test_invalid_utf8_byte_becomes_one_replacement_character(own_servers: LocalServers) -> None:
    delta = b'data: {"choices":[{"index":0,"delta":{"content":"caf\xe9 ok"},"finish_reason":null}]}\n\n'
    answer = RawAnswer(body=delta + make_stream(make_chunk("stop")).body)
    async with run_raw_server(lambda _: answer) as (_, url), own_servers.run_bot(OPENAI_BASE_URL=url):
        assert await own_servers.add_person().ask("Coffee?") == "caf\ufffd ok"


CALLS = {
    "two of one index": make_stream(
        make_chunk(tool_calls=[{**CALL, "id": "a"}]),
        make_chunk(tool_calls=[{**CALL, "id": "b"}]),
        make_chunk("tool_calls"),
    ),
    "in the second choice": make_stream(
        {"choices": [
            {"index": 0, "delta": {"content": "Let me set that."}, "finish_reason": None},
            {"index": 1, "delta": {"tool_calls": [CALL]}, "finish_reason": None},
        ]},
        make_chunk("tool_calls"),
    ),
    "as text": make_answer(
        f"<|tool_call_begin|>functions.remind:0<|tool_call_argument_begin|>{REMIND}<|tool_call_end|>"
    ),
    "in XML": make_answer(
        '<minimax:tool_call>\n<invoke name="remind">\n<parameter name="text">water the fern</parameter>\n'
        '<parameter name="in_minutes">30</parameter>\n</invoke>\n</minimax:tool_call>'
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
async def test_tool_call_in_unusual_format_is_executed(own_servers: LocalServers, kind: str) -> None:
    def answer(request: Json) -> RawAnswer:
        return make_answer("Shall I?") if request["messages"][-1]["role"] == "tool" else CALLS[kind]

    async with run_raw_server(answer) as (_, url), own_servers.run_bot(OPENAI_BASE_URL=url):
        ann = own_servers.add_person()
        since = ann.last_event
        ann.say("Remind me to water the fern in half an hour")
        asked = await ann.wait_for_message("water the fern", since=since)
        assert "reply_markup" in asked
        heard = " ".join(message.get("text", "") for message in ann.list_bot_messages(since=since))
        assert "tool_call" not in heard
        assert "invoke" not in heard


async def test_reasoning_content_is_sent_back_within_turn(own_servers: LocalServers) -> None:
    def answer(request: Json) -> RawAnswer:
        messages: Sequence[Json] = request["messages"]
        if any(message.get("tool_calls") and not message.get("reasoning_content") for message in messages):
            return make_refusal(400, {"error": {"message": "reasoning_content must be passed back."}})
        if messages[-1]["role"] == "tool":
            return make_answer("Shall I?")
        return make_stream(
            make_chunk(reasoning_content="They want it."), make_chunk(tool_calls=[CALL]), make_chunk("tool_calls")
        )

    async with run_raw_server(answer) as (server, url), own_servers.run_bot(OPENAI_BASE_URL=url):
        ann = own_servers.add_person()
        since = ann.last_event
        ann.say("Remind me to water the fern")
        await ann.wait_for_message("water the fern", since=since)
        await ann.wait_for_message("Shall I?", since=since)
    assert len([request for request in server.requests if request["model"] == ANSWERS]) == 2


async def test_prompt_is_shortened_after_endpoint_refuses_long_prompt(own_servers: LocalServers) -> None:
    def answer(request: Json) -> RawAnswer:
        return (
            make_refusal(500, {"error": "zu lang"})
            if len(get_request_text(request).split()) > 1_500
            else make_answer(APPLES)
        )

    async with run_raw_server(answer) as (_, url), own_servers.run_bot(OPENAI_BASE_URL=url, MODEL_TIMEOUT="30"):
        ann = own_servers.add_person()
        since = ann.last_event
        ann.say("How many of these? " + "word " * 780)
        ann.say("word " * 800)
        await ann.wait_for_message(APPLES, since=since)
        assert await ann.ask("And now?", APPLES) == APPLES


async def test_flagged_message_does_not_block_later_answers(own_servers: LocalServers) -> None:
    flagged = make_refusal(400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}})

    def answer(request: Json) -> RawAnswer:
        return flagged if "zorkblat" in get_request_text(request) else make_answer("Paris, of course.")

    async with run_raw_server(answer) as (_, url), own_servers.run_bot(OPENAI_BASE_URL=url):
        ann = own_servers.add_person()
        await ann.set_up_memory()
        refused = await ann.ask("please explain zorkblat to me")
        assert "Paris" not in refused
        for question in ("what is the capital of France?", "and of Spain?", "thanks, one more?"):
            assert await ann.ask(question, "Paris") == "Paris, of course."


HALF = "There are forty-two"
BROKEN = {
    "an unknown reason": (make_chunk("insufficient_system_resource"), "[DONE]"),
    "a reason nobody knows": (make_chunk("gremlins"), "[DONE]"),
    "an error event": ({"error": {"message": "Upstream idle timeout", "code": 504}}, "[DONE]"),
    "a cut connection": (),
}


@pytest.mark.parametrize("kind", BROKEN)
async def test_interrupted_answer_is_shown_but_never_stored(own_servers: LocalServers, kind: str) -> None:
    """The answer stays readable, with [Try again] under it, but enters neither memory nor the next prompt."""
    last = make_stream(*BROKEN[kind], done=False).body
    half = replace(make_stream(make_chunk(content=HALF), done=False), then=last, is_cut=not last)
    is_well = False
    async with (
        run_raw_server(lambda _: make_answer(APPLES) if is_well else half) as (server, url),
        own_servers.run_bot(OPENAI_BASE_URL=url, REPLY_STREAMING="auto"),
    ):
        ann = own_servers.add_person()
        await ann.set_up_memory()
        broken = await ann.ask_for_message("How many?", "broke off")
        assert broken["text"].startswith(HALF)
        assert [button["text"] for row in broken["reply_markup"]["inline_keyboard"] for button in row] == ["Try again"]
        assert HALF not in str(own_servers.memory.read_state().get_owner_rows(ann.owner))
        is_well = True
        assert await ann.ask("And now?", APPLES) == APPLES
        assert HALF not in get_request_text(server.requests[-1])

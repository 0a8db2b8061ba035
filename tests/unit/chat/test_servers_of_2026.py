"""Tests of calls, reasoning, streams and refusals that servers sent in 2026, as reported to their projects."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from llm.written.calls import find_calls_in_text, repair_call
from llm.written.thoughts import remove_thoughts
from records.model_calls import ToolCall
from tests.peers.raw_server import Json, RawAnswer, get_request_text, make_answer, make_chunk, make_refusal, make_stream
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, open_talk_with_server

ARGUMENTS = '{"text": "fern", "in_minutes": 5}'
FERN = json.loads(ARGUMENTS)
NAMES = {"remind": ("text", "in_minutes"), "search_memory": ("query",)}

NAMED = {
    "GLM 5.2": "remind</arg_value>",
    "gpt-oss": "remind<|channel|>commentary",
    "gpt-oss, JSON": "remind<|channel|>json",
    "Codex": "functions.remind",
    "Kimi": "functions.remind:0",
    "no dot": "functionsremind",
    "Gemini": "default_api.remind",
    "Gemma 4": "google:tool:remind:index:0",
    "MCP": "mcp__keepsake__remind",
    "upper case": "Remind",
    "blanks": " remind\n",
    "brackets": "remind()",
    "quotes": '"remind"',
    "thoughts in front": "... </think><tool_call>remind",
}


@pytest.mark.parametrize("name", NAMED.values(), ids=NAMED)
def test_markup_in_tool_call_name_is_removed(name: str) -> None:
    call = repair_call(ToolCall(id="a", name=name, arguments=ARGUMENTS), NAMES)
    assert (call.id, call.name, json.loads(call.arguments)) == ("a", "remind", FERN)


def test_name_of_unknown_tool_is_unchanged() -> None:
    call = ToolCall(id="a", name="web_search", arguments=ARGUMENTS)
    assert repair_call(call, NAMES) == call


GIVEN = {
    "GLM 4.7, a stray tag": '{"text</arg_key>": "fern", "in_minutes": 5}',
    "GLM 4.7, stray tags": '{"<arg_key>text": "fern", "in_minutes</arg_key>": 5}',
    "wrapped": f'{{"arguments": {ARGUMENTS}}}',
    "like a schema": f'{{"properties": {ARGUMENTS}}}',
    "a list (Ollama)": f"[{ARGUMENTS}]",
    "XML": '<parameter name="text">fern</parameter><parameter name="in_minutes">5</parameter>',
}


@pytest.mark.parametrize("arguments", GIVEN.values(), ids=GIVEN)
def test_markup_in_tool_call_arguments_is_removed(arguments: str) -> None:
    call = repair_call(ToolCall(id="a", name="remind", arguments=arguments), NAMES)
    assert (call.name, json.loads(call.arguments)) == ("remind", FERN)


def make_call_stream(**delta: Any) -> RawAnswer:
    return make_stream(make_chunk(**delta), make_chunk("tool_calls"))


FLAT = {"index": 0, "id": "a", "name": "remind", "arguments": ARGUMENTS}
CALL = {"index": 0, "id": "a", "function": {"name": "remind", "arguments": ARGUMENTS}}
SHAPES = {
    "arguments in the name": make_call_stream(
        tool_calls=[
            {
                "function": {
                    "name": "remind<arg_key>text</arg_key><arg_value>fern</arg_value><arg_key>in_minutes</arg_key>"
                    "<arg_value>5</arg_value>",
                    "arguments": "{}",
                }
            }
        ]
    ),
    "flat": make_call_stream(tool_calls=[FLAT]),
    "Anthropic's": make_call_stream(tool_calls=[{"id": "a", "type": "tool_use", "name": "remind", "input": FERN}]),
    "an object": make_call_stream(tool_calls=CALL),
    "one": make_call_stream(tool_call=CALL),
    "next to null": make_call_stream(tool_calls=[None, CALL]),
    "in the choice": make_stream(
        {"choices": [{"index": 0, "delta": {}, "tool_calls": [CALL], "finish_reason": "stop"}]}
    ),
    "in a message next to a delta": make_stream(
        {"choices": [{"delta": {"role": "assistant"}, "message": {"tool_calls": [CALL]}, "finish_reason": "stop"}]}
    ),
    "repeated in a message": make_stream(
        {"choices": [{"delta": {"tool_calls": [CALL]}}]},
        {"choices": [{"delta": {"content": ""}, "message": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}]},
    ),
    "a part of the content": make_call_stream(
        content=[{"type": "text", "text": "Ok."}, {"type": "tool_use", "id": "a", "name": "remind", "input": FERN}]
    ),
    "Gemini's part": make_call_stream(content=[{"functionCall": {"name": "remind", "args": FERN}}]),
    "a number in quotes": make_call_stream(
        tool_calls=[{"function": {"name": "remind", "arguments": '{"text": "fern", "in_minutes": "5"}'}}]
    ),
    "Gemma's quotes": make_call_stream(
        tool_calls=[{"function": {"name": "remind", "arguments": '{text:<|"|>fern<|"|>,in_minutes:5}'}}]
    ),
    "gpt-oss after an answer": make_answer(f"I set it.assistantcommentary to=functions.remind json{ARGUMENTS}"),
    "gpt-oss, its recipient first": make_answer(
        f"<|start|>assistant to=functions.remind<|channel|>commentary json<|message|>{ARGUMENTS}<|call|>"
    ),
    "gpt-oss, the tool as a channel": make_answer(
        f"<|start|>assistant<|channel|>remind<|channel|>commentary<|message|>{ARGUMENTS}<|call|>"
    ),
    "gpt-oss, a channel as its type": make_answer(
        f"<|channel|>commentary to=functions.remind <|constrain|>commentary<|message|>{ARGUMENTS}<|call|>"
    ),
    "Gemma 4 without its tokens": make_answer("thought\nSECRET...call:remind{text:fern,in_minutes:5}"),
    "Llama 4, next to a tool that is not offered": make_answer(
        "[remind(text='fern', in_minutes=5), search_memory(query='fern')]"
    ),
    "quoted in llama.cpp's error": make_refusal(
        500,
        {
            "error": {
                "code": 500,
                "message": "Failed to parse input at pos 39: <|tool_call_start|>[remind(text='fern', in_minutes=5)]",
            }
        },
    ),
    "next to its own marks": make_call_stream(content="Sure.\n\n<｜DSML｜tool_calls", tool_calls=[CALL]),
}


@pytest.mark.parametrize("kind", SHAPES)
async def test_tool_call_is_executed_in_any_response_format(tmp_path: Path, kind: str) -> None:
    answers = iter([SHAPES[kind], make_answer("Shall I?")])
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, _):
        await talk.turn_on_memory()
        reply = await talk.say("Remind me of the fern in 5 minutes", on_text=show)
        assert (reply.text, [proposal.text for proposal in reply.proposals]) == ("Shall I?", ["fern"])
    assert not any(mark in text for text in shown for mark in ("<", "to=", "commentary", "SECRET", "pos 39"))


@pytest.mark.parametrize(
    "rest", ['<tool_response>{"ok": true}</tool_response>\nIt is set.', "Observation: set\nFinal Answer: Yes."]
)
def test_tool_result_invented_by_model_is_not_shown(rest: str) -> None:
    call = f'<tool_call>{{"name": "remind", "arguments": {ARGUMENTS}}}</tool_call>\n'
    assert find_calls_in_text(call + rest, NAMES, is_whole=True).shown == ""


@pytest.mark.parametrize("text", ["buy <b>milk</b> & eggs", "x < y", "write <div>ok</div>"])
def test_element_argument_may_contain_html(text: str) -> None:
    for written in (
        f"<tool_call><function=remind><parameter=text>{text}</parameter></function></tool_call>",
        f"<tool_call>remind<arg_key>text</arg_key></arg_key><arg_value>{text}</arg_value></tool_call>",
        f'<｜DSML｜invoke name="remind">\n<｜DSML｜parameter name="text" string="true">{text}',
    ):
        [call] = find_calls_in_text(written, NAMES, is_whole=True).calls
        assert json.loads(call.arguments) == {"text": text}


@pytest.mark.parametrize(
    "text",
    [
        "<think> is a tag that models write in front of their answer.",
        "<think> and </think> are tags that models write.",
        "<think> öffnet einen Block.",
    ],
)
def test_think_tag_discussed_in_answer_is_kept(text: str) -> None:
    assert remove_thoughts(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<|think|>SECRET<|end|><|begin|>assistant<|content|>Visible answer<|end|>",
        "Here are my reasoning steps:\nSECRET\n[BEGIN FINAL RESPONSE]\nVisible answer\n[END FINAL RESPONSE]",
        "<M2_7think>SECRET</M2_7think>Visible answer",
        "<think>SECRET",
        "<think> Okay, the user wants SECRET.",
    ],
)
def test_reasoning_of_newer_models_is_not_shown(text: str) -> None:
    assert remove_thoughts(text).strip() in ("Visible answer", "")


APPLES = "Forty-two apples."
BODIES = {
    "a gateway's warning": make_stream(
        make_chunk(content="Forty-two "), {"warning": "no usage"}, make_chunk("stop", content="apples.")
    ),
    "Workers AI": make_stream({"response": "Forty-two "}, {"response": "apples."}),
    "Workers AI, whole": RawAnswer(
        body=b'{"result": {"response": "Forty-two apples."}, "success": true, "errors": []}'
    ),
    "Gemini": make_stream(
        {"candidates": [{"content": {"parts": [{"text": "SECRET", "thought": True}, {"text": "Forty-two "}]}}]},
        {"candidates": [{"content": {"parts": [{"text": "apples."}]}, "finishReason": "STOP"}]},
    ),
    "thoughts as a flag": make_stream(
        make_chunk("stop", content=[{"thought": True, "text": "SECRET"}, {"text": APPLES}])
    ),
}


@pytest.mark.parametrize("kind", BODIES)
async def test_answer_is_read_from_unusual_response_bodies(tmp_path: Path, kind: str) -> None:
    async with open_talk_with_server(tmp_path, lambda _: BODIES[kind]) as (talk, _):
        assert (await talk.say("How many?")).text == APPLES


HALF = json.dumps(make_chunk(content="Forty-two "))
DAMAGED = {
    "an event in the middle": make_stream(HALF, '{"choices": [{"delta": {"con', make_chunk("stop", content="apples.")),
    "two events in one (GLM 5.1)": make_stream(HALF, '{"model": "glm-5.1", "chdata: ' + HALF, make_chunk("stop")),
    "two events in the first one (GLM 4.7)": make_stream(
        '{"choices": [{"delta": {"role": "adata: ' + HALF, make_chunk("stop")
    ),
    "an error as text": make_stream(make_chunk(content='{"message": "Too many tokens"}'), make_chunk("error_finish")),
    "nothing but thoughts": make_stream(make_chunk(reasoning_content="SECRET"), make_chunk("stop")),
    "a channel without a name": make_answer('<|channel|>commentary<|message|>{"text": "fern"}<|end|>'),
}


@pytest.mark.parametrize("kind", DAMAGED)
async def test_damaged_answer_is_requested_again(tmp_path: Path, kind: str) -> None:
    answers = iter([DAMAGED[kind], make_answer(APPLES)])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, _):
        assert (await talk.say("How many?")).text == APPLES


@pytest.mark.parametrize(
    "words",
    [
        "messages.9.assistant.reasoning_content: property 'messages.9.assistant.reasoning_content' is unsupported",
        "'messages.2' : for 'role:assistant' the following must be satisfied: 'reasoning_content' is unsupported",
    ],
)
async def test_refused_reasoning_content_does_not_disable_tools(tmp_path: Path, words: str) -> None:
    """Cerebras and Groq refuse `reasoning_content`, but DeepSeek and Kimi require it."""

    def answer(request: Json) -> RawAnswer:
        if any("reasoning_content" in message for message in request["messages"]):
            return make_refusal(400, {"message": words, "type": "invalid_request_error", "code": "wrong_api_format"})
        if request["messages"][-1]["role"] == "tool":
            return make_answer("Shall I?")
        return make_stream(
            make_chunk(reasoning_content="SECRET"), make_chunk(tool_calls=[CALL]), make_chunk("tool_calls")
        )

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        for count in (3, 2):
            server.requests.clear()
            reply = await talk.say("Remind me of the fern in 5 minutes")
            assert (reply.text, len(reply.proposals), len(server.requests)) == ("Shall I?", 1, count)


async def test_call_with_raw_line_break_runs_and_is_returned_as_valid_json(tmp_path: Path) -> None:
    """GLM 5.2 does not escape the line break, and Fireworks refuses such a call when it is sent back."""
    made = {"function": {"name": "remind", "arguments": '{"text": "water\nthe fern", "in_minutes": 5}'}}
    answers = iter([make_call_stream(tool_calls=[made]), make_answer("Shall I?")])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.turn_on_memory()
        assert len((await talk.say("Remind me of the fern in 5 minutes")).proposals) == 1
        [call] = server.requests[-1]["messages"][-2]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"text": "water\nthe fern", "in_minutes": 5}


@pytest.mark.parametrize("text", ["Okay", "好的", "To buy:\n- Milk"])
async def test_text_next_to_tool_call_is_sent_back_with_call(tmp_path: Path, text: str) -> None:
    answers = iter([make_call_stream(content=text, tool_calls=[CALL]), make_answer("Shall I?")])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.turn_on_memory()
        await talk.say("Remind me of the fern in 5 minutes")
        assert server.requests[-1]["messages"][-2]["content"] == text


async def test_earlier_tool_call_quoted_in_error_is_not_executed_again(tmp_path: Path) -> None:
    """llama.cpp quotes all messages in its error about one of them."""

    def answer(request: Json) -> RawAnswer:
        messages = request["messages"]
        if any(message["role"] == "tool" for message in messages):
            quoted = json.dumps([message for message in messages if message["role"] != "system"], indent=2)
            words = f"Failed to parse messages: Missing 'content' or 'tool_calls'; messages = {quoted}"
            return make_refusal(500, {"error": {"code": 500, "message": words}})
        return (
            make_answer("Shall I?") if "returned:" in messages[-1]["content"] else make_call_stream(tool_calls=[CALL])
        )

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        reply = await talk.say("Remind me of the fern in 5 minutes")
        assert (reply.text, len(reply.proposals)) == ("Shall I?", 1)
        assert sum("returned:" in str(message["content"]) for message in server.requests[-1]["messages"]) == 1


async def test_model_with_malformed_tool_calls_answers_without_tools(tmp_path: Path) -> None:
    """Gemini ends with MALFORMED_FUNCTION_CALL with and without history, and has not declined the message."""
    broken = make_stream(make_chunk(content=""), make_chunk("MALFORMED_FUNCTION_CALL"))
    async with open_talk_with_server(
        tmp_path, lambda request: broken if "tools" in request else make_answer(APPLES)
    ) as (talk, server):
        await talk.turn_on_memory()
        for question in ("How many?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
            assert question in get_request_text(server.requests[-1])


def make_feature_check(name: str) -> Callable[[Json], bool]:
    return lambda request: name in request


def has_system(request: Mapping[str, Any]) -> bool:
    return any(message["role"] == "system" for message in request["messages"])


def is_long(request: Mapping[str, Any]) -> bool:
    return len(get_request_text(request).split()) > 1_500


UPSTREAM = {"error": {"message": "Upstream request failed", "type": "upstream_error"}}
BUSY = {
    "429, a length": (is_long, 429, {"error": {"message": "TPM budget 1500"}}),
    "429, Anthropic": (is_long, 429, {"error": {"message": "Extra usage is required for long context requests."}}),
    "502, sub2api": (is_long, 502, UPSTREAM),
    "503, a length": (is_long, 503, {"detail": "Worker ran out of KV blocks"}),
    "529, a length": (is_long, 529, {"error": {"message": "overloaded"}}),
    "502, tools": (make_feature_check("tools"), 502, UPSTREAM),
    "502, an option": (make_feature_check("stream_options"), 502, UPSTREAM),
    "502, the system role": (has_system, 502, UPSTREAM),
    "503, tools": (make_feature_check("tools"), 503, {"error": {"message": "no backend"}}),
    "429, tools": (make_feature_check("tools"), 429, {"error": {"message": "nope"}}),
    "409, tools": (make_feature_check("tools"), 409, {"error": {"message": "conflict"}}),
}


@pytest.mark.parametrize("kind", BUSY)
async def test_refusal_disguised_as_busy_is_retried_in_simpler_form(tmp_path: Path, kind: str) -> None:
    is_refused, status, body = BUSY[kind]

    def answer(request: Json) -> RawAnswer:
        return make_refusal(status, body) if is_refused(request) else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS


async def test_busy_server_is_reported_and_later_requests_are_complete(tmp_path: Path) -> None:
    busy = [True]
    answer = lambda _: make_refusal(429, {"error": {"message": "slow down"}}) if busy[0] else make_answer(APPLES)  # noqa: E731
    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert "is busy" in (await talk.say("How many?")).text
        assert len(server.requests) <= MAX_REQUESTS
        busy.clear()
        busy.append(False)
        assert (await talk.say("And now?")).text == APPLES
        assert "tools" in server.requests[-1]
        assert "stream_options" in server.requests[-1]

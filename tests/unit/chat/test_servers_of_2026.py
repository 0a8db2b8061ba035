"""Calls, thoughts, streams and refusals that servers and gateways sent in 2026, after reports to their projects."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from llm.text_calls import find_calls_in_text, repair_call
from llm.thoughts import remove_thoughts
from records.model_calls import ToolCall
from tests.peers.raw_server import Json, Raw, chunk, refusal, said, stream, words_of
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, talking_to

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
def test_marks_in_the_name_of_a_call_are_removed(name: str) -> None:
    call = repair_call(ToolCall(id="a", name=name, arguments=ARGUMENTS), NAMES)
    assert (call.id, call.name, json.loads(call.arguments)) == ("a", "remind", FERN)


def test_a_tool_that_nobody_offered_keeps_its_name() -> None:
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
def test_marks_in_the_arguments_of_a_call_are_removed(arguments: str) -> None:
    call = repair_call(ToolCall(id="a", name="remind", arguments=arguments), NAMES)
    assert (call.name, json.loads(call.arguments)) == ("remind", FERN)


def calling(**delta: Any) -> Raw:
    return stream(chunk(**delta), chunk("tool_calls"))


FLAT = {"index": 0, "id": "a", "name": "remind", "arguments": ARGUMENTS}
CALL = {"index": 0, "id": "a", "function": {"name": "remind", "arguments": ARGUMENTS}}
SHAPES = {
    "arguments in the name": calling(
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
    "flat": calling(tool_calls=[FLAT]),
    "Anthropic's": calling(tool_calls=[{"id": "a", "type": "tool_use", "name": "remind", "input": FERN}]),
    "an object": calling(tool_calls=CALL),
    "one": calling(tool_call=CALL),
    "next to null": calling(tool_calls=[None, CALL]),
    "in the choice": stream({"choices": [{"index": 0, "delta": {}, "tool_calls": [CALL], "finish_reason": "stop"}]}),
    "in a message next to a delta": stream(
        {"choices": [{"delta": {"role": "assistant"}, "message": {"tool_calls": [CALL]}, "finish_reason": "stop"}]}
    ),
    "repeated in a message": stream(
        {"choices": [{"delta": {"tool_calls": [CALL]}}]},
        {"choices": [{"delta": {"content": ""}, "message": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}]},
    ),
    "a part of the content": calling(
        content=[{"type": "text", "text": "Ok."}, {"type": "tool_use", "id": "a", "name": "remind", "input": FERN}]
    ),
    "Gemini's part": calling(content=[{"functionCall": {"name": "remind", "args": FERN}}]),
    "a number in quotes": calling(
        tool_calls=[{"function": {"name": "remind", "arguments": '{"text": "fern", "in_minutes": "5"}'}}]
    ),
    "Gemma's quotes": calling(
        tool_calls=[{"function": {"name": "remind", "arguments": '{text:<|"|>fern<|"|>,in_minutes:5}'}}]
    ),
    "gpt-oss after an answer": said(f"I set it.assistantcommentary to=functions.remind json{ARGUMENTS}"),
    "gpt-oss, its recipient first": said(
        f"<|start|>assistant to=functions.remind<|channel|>commentary json<|message|>{ARGUMENTS}<|call|>"
    ),
    "gpt-oss, the tool as a channel": said(
        f"<|start|>assistant<|channel|>remind<|channel|>commentary<|message|>{ARGUMENTS}<|call|>"
    ),
    "gpt-oss, a channel as its type": said(
        f"<|channel|>commentary to=functions.remind <|constrain|>commentary<|message|>{ARGUMENTS}<|call|>"
    ),
    "Gemma 4 without its tokens": said("thought\nSECRET...call:remind{text:fern,in_minutes:5}"),
    "Llama 4, next to a tool that is not offered": said(
        "[remind(text='fern', in_minutes=5), search_memory(query='fern')]"
    ),
    "quoted in llama.cpp's error": refusal(
        500,
        {
            "error": {
                "code": 500,
                "message": "Failed to parse input at pos 39: <|tool_call_start|>[remind(text='fern', in_minutes=5)]",
            }
        },
    ),
    "next to its own marks": calling(content="Sure.\n\n<｜DSML｜tool_calls", tool_calls=[CALL]),
}


@pytest.mark.parametrize("kind", SHAPES)
async def test_a_call_is_done_in_whatever_shape_it_comes(tmp_path: Path, kind: str) -> None:
    answers = iter([SHAPES[kind], said("Shall I?")])
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    async with talking_to(tmp_path, lambda _: next(answers)) as (talk, _):
        await talk.remember()
        reply = await talk.say("Remind me of the fern in 5 minutes", on_text=show)
        assert (reply.text, [proposal.text for proposal in reply.proposals]) == ("Shall I?", ["fern"])
    assert not any(mark in text for text in shown for mark in ("<", "to=", "commentary", "SECRET", "pos 39"))


BEHIND = {
    "JSON": f'{{"name": "remind", "arguments": {ARGUMENTS}}}\nI have set it.',
    "a tag": f'<tool_call>\n{{"name": "remind", "arguments": {ARGUMENTS}}}\n</tool_call>\n\nI have set it.',
    "the same line": f'<tool_call>{{"name": "remind", "arguments": {ARGUMENTS}}}</tool_call> I have set it.',
    "Python": "<|tool_call_start|>[remind(text='fern', in_minutes=5)]<|tool_call_end|>I have set it.",
    "elements": "<function=remind>\n<parameter=text>\nfern\n</parameter>\n<parameter=in_minutes>\n5\n</parameter>\n"
    "</function>\n</tool_call>\nI have set it.",
}


@pytest.mark.parametrize("kind", BEHIND)
def test_a_sentence_behind_a_written_call_is_shown(kind: str) -> None:
    reading = find_calls_in_text(BEHIND[kind], NAMES, is_whole=True)
    assert ([json.loads(call.arguments) for call in reading.calls], reading.shown) == ([FERN], "I have set it.")


@pytest.mark.parametrize(
    "rest", ['<tool_response>{"ok": true}</tool_response>\nIt is set.', "Observation: set\nFinal Answer: Yes."]
)
def test_a_result_that_the_model_made_up_is_not_shown(rest: str) -> None:
    call = f'<tool_call>{{"name": "remind", "arguments": {ARGUMENTS}}}</tool_call>\n'
    assert find_calls_in_text(call + rest, NAMES, is_whole=True).shown == ""


@pytest.mark.parametrize("text", ["buy <b>milk</b> & eggs", "x < y", "write <div>ok</div>"])
def test_an_argument_in_an_element_may_hold_html(text: str) -> None:
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
def test_a_mark_that_is_the_subject_of_the_answer_stays(text: str) -> None:
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
def test_thoughts_of_newer_models_are_not_shown(text: str) -> None:
    assert remove_thoughts(text).strip() in ("Visible answer", "")


APPLES = "Forty-two apples."
BODIES = {
    "a gateway's warning": stream(
        chunk(content="Forty-two "), {"warning": "no usage"}, chunk("stop", content="apples.")
    ),
    "Workers AI": stream({"response": "Forty-two "}, {"response": "apples."}),
    "Workers AI, whole": Raw(body=b'{"result": {"response": "Forty-two apples."}, "success": true, "errors": []}'),
    "Gemini": stream(
        {"candidates": [{"content": {"parts": [{"text": "SECRET", "thought": True}, {"text": "Forty-two "}]}}]},
        {"candidates": [{"content": {"parts": [{"text": "apples."}]}, "finishReason": "STOP"}]},
    ),
    "thoughts as a flag": stream(chunk("stop", content=[{"thought": True, "text": "SECRET"}, {"text": APPLES}])),
}


@pytest.mark.parametrize("kind", BODIES)
async def test_a_good_answer_is_read(tmp_path: Path, kind: str) -> None:
    async with talking_to(tmp_path, lambda _: BODIES[kind]) as (talk, _):
        assert (await talk.say("How many?")).text == APPLES


HALF = json.dumps(chunk(content="Forty-two "))
DAMAGED = {
    "an event in the middle": stream(HALF, '{"choices": [{"delta": {"con', chunk("stop", content="apples.")),
    "two events in one (GLM 5.1)": stream(HALF, '{"model": "glm-5.1", "chdata: ' + HALF, chunk("stop")),
    "two events in the first one (GLM 4.7)": stream('{"choices": [{"delta": {"role": "adata: ' + HALF, chunk("stop")),
    "an error as text": stream(chunk(content='{"message": "Too many tokens"}'), chunk("error_finish")),
    "nothing but thoughts": stream(chunk(reasoning_content="SECRET"), chunk("stop")),
    "a channel without a name": said('<|channel|>commentary<|message|>{"text": "fern"}<|end|>'),
}


@pytest.mark.parametrize("kind", DAMAGED)
async def test_a_damaged_answer_is_asked_for_again(tmp_path: Path, kind: str) -> None:
    answers = iter([DAMAGED[kind], said(APPLES)])
    async with talking_to(tmp_path, lambda _: next(answers)) as (talk, _):
        assert (await talk.say("How many?")).text == APPLES


@pytest.mark.parametrize(
    "words",
    [
        "messages.9.assistant.reasoning_content: property 'messages.9.assistant.reasoning_content' is unsupported",
        "'messages.2' : for 'role:assistant' the following must be satisfied: 'reasoning_content' is unsupported",
    ],
)
async def test_thoughts_that_an_endpoint_does_not_take_back_cost_no_tools(tmp_path: Path, words: str) -> None:
    """Cerebras and Groq refuse what DeepSeek and Kimi demand."""

    def answer(request: Json) -> Raw:
        if any("reasoning_content" in message for message in request["messages"]):
            return refusal(400, {"message": words, "type": "invalid_request_error", "code": "wrong_api_format"})
        if request["messages"][-1]["role"] == "tool":
            return said("Shall I?")
        return stream(chunk(reasoning_content="SECRET"), chunk(tool_calls=[CALL]), chunk("tool_calls"))

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        for count in (3, 2):
            server.requests.clear()
            reply = await talk.say("Remind me of the fern in 5 minutes")
            assert (reply.text, len(reply.proposals), len(server.requests)) == ("Shall I?", 1, count)


async def test_a_call_with_a_line_break_in_a_text_is_made_and_goes_back_as_json(tmp_path: Path) -> None:
    """GLM 5.2 forgets to escape it, and Fireworks refuses such a call when it comes back."""
    made = {"function": {"name": "remind", "arguments": '{"text": "water\nthe fern", "in_minutes": 5}'}}
    answers = iter([calling(tool_calls=[made]), said("Shall I?")])
    async with talking_to(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.remember()
        assert len((await talk.say("Remind me of the fern in 5 minutes")).proposals) == 1
        [call] = server.requests[-1]["messages"][-2]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"text": "water\nthe fern", "in_minutes": 5}


@pytest.mark.parametrize("text", ["Okay", "好的", "To buy:\n- Milk"])
async def test_a_last_word_next_to_a_call_goes_back_with_it(tmp_path: Path, text: str) -> None:
    answers = iter([calling(content=text, tool_calls=[CALL]), said("Shall I?")])
    async with talking_to(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.remember()
        await talk.say("Remind me of the fern in 5 minutes")
        assert server.requests[-1]["messages"][-2]["content"] == text


async def test_a_call_of_the_prompt_that_an_error_quotes_is_not_run_again(tmp_path: Path) -> None:
    """llama.cpp quotes all messages in its error about one of them."""

    def answer(request: Json) -> Raw:
        messages = request["messages"]
        if any(message["role"] == "tool" for message in messages):
            quoted = json.dumps([message for message in messages if message["role"] != "system"], indent=2)
            words = f"Failed to parse messages: Missing 'content' or 'tool_calls'; messages = {quoted}"
            return refusal(500, {"error": {"code": 500, "message": words}})
        return said("Shall I?") if "returned:" in messages[-1]["content"] else calling(tool_calls=[CALL])

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        reply = await talk.say("Remind me of the fern in 5 minutes")
        assert (reply.text, len(reply.proposals)) == ("Shall I?", 1)
        assert sum("returned:" in str(message["content"]) for message in server.requests[-1]["messages"]) == 1


async def test_a_model_that_cannot_call_its_tools_answers_without(tmp_path: Path) -> None:
    """Gemini ends so, with the history and without, and has declined nothing."""
    broken = stream(chunk(content=""), chunk("MALFORMED_FUNCTION_CALL"))
    async with talking_to(tmp_path, lambda request: broken if "tools" in request else said(APPLES)) as (talk, server):
        await talk.remember()
        for question in ("How many?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
            assert question in words_of(server.requests[-1])


def has_feature(name: str) -> Callable[[Json], bool]:
    return lambda request: name in request


def has_system(request: Mapping[str, Any]) -> bool:
    return any(message["role"] == "system" for message in request["messages"])


def is_long(request: Mapping[str, Any]) -> bool:
    return len(words_of(request).split()) > 1_500


UPSTREAM = {"error": {"message": "Upstream request failed", "type": "upstream_error"}}
BUSY = {
    "429, a length": (is_long, 429, {"error": {"message": "TPM budget 1500"}}),
    "429, Anthropic": (is_long, 429, {"error": {"message": "Extra usage is required for long context requests."}}),
    "502, sub2api": (is_long, 502, UPSTREAM),
    "503, a length": (is_long, 503, {"detail": "Worker ran out of KV blocks"}),
    "529, a length": (is_long, 529, {"error": {"message": "overloaded"}}),
    "502, tools": (has_feature("tools"), 502, UPSTREAM),
    "502, an option": (has_feature("stream_options"), 502, UPSTREAM),
    "502, the system role": (has_system, 502, UPSTREAM),
    "503, tools": (has_feature("tools"), 503, {"error": {"message": "no backend"}}),
    "429, tools": (has_feature("tools"), 429, {"error": {"message": "nope"}}),
    "409, tools": (has_feature("tools"), 409, {"error": {"message": "conflict"}}),
}


@pytest.mark.parametrize("kind", BUSY)
async def test_what_a_gateway_refuses_as_if_it_were_busy_is_tried_in_a_simpler_form(tmp_path: Path, kind: str) -> None:
    is_refused, status, body = BUSY[kind]

    def answer(request: Json) -> Raw:
        return refusal(status, body) if is_refused(request) else said(APPLES)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) == MAX_REQUESTS


async def test_a_server_that_is_really_busy_is_told_of_and_nothing_is_left_out_later(tmp_path: Path) -> None:
    busy = [True]
    answer = lambda _: refusal(429, {"error": {"message": "slow down"}}) if busy[0] else said(APPLES)  # noqa: E731
    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert "is busy" in (await talk.say("How many?")).text
        assert len(server.requests) == MAX_REQUESTS
        busy.clear()
        busy.append(False)
        assert (await talk.say("And now?")).text == APPLES
        assert "tools" in server.requests[-1]
        assert "stream_options" in server.requests[-1]

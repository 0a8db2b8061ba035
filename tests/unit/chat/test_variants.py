"""Tests of further refusals, streams and calls that servers are known to send, in one table for each kind.

The wordings follow public reports about vLLM, llama.cpp, Ollama, LiteLLM, OpenRouter, Gemini, Mistral, Groq,
LM Studio, Azure and others.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from records.scopes import Scope
from records.turns import Reply
from tests.peers.openai_server import Behaviour
from tests.peers.picky_server import (
    Body,
    PickyServer,
    get_request_text,
    make_refusal,
    make_stream_response,
    run_picky_server,
)
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.chat.test_refusals import LIMIT, LONG, count_body_tokens, make_length_refusal

SCOPE = Scope(owner=ANNA.id)


def format_chunk(finish: str | None = None, **delta: object) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


async def say_and_list_replies(
    folder: Path, refuse: Callable[[Body], Response | None], *texts: str
) -> tuple[list[Reply], PickyServer]:
    async with run_picky_server(refuse) as (server, url), open_chat_harness(folder, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=50)
        return [await talk.say(text) for text in texts], server


TOO_LONG: list[tuple[int, object]] = [
    (400, {"error": {"message": "Input length ({N}) exceeds model's maximum context length ({L})."}}),
    (400, {"error": {"message": "Input length {N} exceeds the maximum allowed input length of {L} tokens."}}),
    (400, {"error": {"message": "the request exceeds the available context size (n_ctx). try increasing it"}}),
    (400, {"error": {"code": 400, "message": "The input token count ({N}) exceeds the maximum number of tokens "
     "allowed ({L}).", "status": "INVALID_ARGUMENT"}}),
    (400, {"error": "Trying to keep the first {N} tokens when context the overflows. However, the model is loaded with "
     "context length of only {L} tokens"}),
    (400, {"error": {"message": "Provider returned error", "code": 400, "metadata": {
     "raw": '{{"error":{{"message":"This model\'s maximum context length is {L} tokens."}}}}'}}}),
    (400, {"object": "error", "message": "Prompt contains {N} tokens, too large for model with {L} maximum context "
     "length", "code": "3051"}),
    (400, {"error": {"message": "Please reduce the length of the messages or completion."}}),
    (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: {N} > {L}"}}),
    (400, {"error": {"message": "Prompt tokens ({N}) exceeds context size ({L})", "type": "context_exceeded",
     "n_prompt_tokens": "{N}", "n_ctx": "{L}"}}),
    (413, {"error": {"message": "Request too large for model `m` in organization on tokens per minute (TPM): Limit {L},"
     " Requested {N}", "code": "rate_limit_exceeded"}}),
    (500, {"error": {"message": "litellm.ContextWindowExceededError: input is too long"}}),
    (422, {"detail": "Input is too long for requested model."}),
    (400, "Die Anfrage ist zu lang."),
]  # fmt: skip


@pytest.mark.parametrize(("status", "template"), TOO_LONG)
async def test_too_long_prompt_is_shortened(tmp_path: Path, status: int, template: object) -> None:
    replies, server = await say_and_list_replies(
        tmp_path, make_length_refusal(status, template), LONG, "And what is in the cellar?"
    )
    assert [reply.is_error for reply in replies] == [False, False]
    assert sum(count_body_tokens(body) > LIMIT for body in server.bodies) <= 4


REASONING: list[tuple[int, object]] = [
    (400, {"error": {"message": "The reasoning_content in the thinking mode must be passed back to the API."}}),
    (400, {"code": 20015, "message": "thinking is enabled but reasoning_content is missing in assistant tool call "
     "message at index 2", "data": None}),
    (500, {"error": {"message": "Error from provider: 400 missing reasoning_content", "type": "gateway_error"}}),
]  # fmt: skip
CALL: dict[str, Any] = {
    "id": "c1", "type": "function", "function": {"name": "search_memory", "arguments": '{"query": "walnuts"}'}
}  # fmt: skip


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", ""])
@pytest.mark.parametrize(("status", "body"), REASONING)
async def test_reasoning_model_is_supported_when_server_demands_reasoning(
    tmp_path: Path, status: int, body: object, field: str
) -> None:
    """The empty `field` is a server that demands reasoning which it never sent."""

    def answer(request: Body) -> Response | None:
        calls = [message for message in request["messages"] if message.get("tool_calls")]
        if calls:
            return None if field and field in calls[-1] else make_refusal(status, body)
        if "tools" not in request or request["messages"][-1]["role"] == "tool":
            return None
        thought = {field: "They want it."} if field else {}
        if any("search_memory returned" in str(message["content"]) for message in request["messages"]):
            return None
        return make_stream_response(
            {"delta": {**thought, "tool_calls": [{"index": 0, **CALL}]}, "finish_reason": "tool_calls"}
        )

    replies, server = await say_and_list_replies(tmp_path, answer, "Do I grow walnuts?", "And pears?")
    assert [reply.is_error for reply in replies] == [False, False]
    assert len(server.bodies) <= 8


DECLINED: list[Callable[[], Response]] = [
    lambda: make_refusal(400, {"error": {"message": "x", "code": "400", "provider_specific_fields": {
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}}}}}),
    lambda: make_refusal(
        400, {"error": {"message": "The response was filtered.", "code": "content_filter", "status": 400}}
    ),
    lambda: make_refusal(
        400, {"error": {"code": "data_inspection_failed", "message": "Input data may contain something."}}
    ),
    lambda: make_refusal(400, {"error": {"message": "输入内容包含敏感信息"}}),
    lambda: make_refusal(400, {"error": {"code": 400, "message": "User input blocked: PROHIBITED_CONTENT"}}),
    lambda: make_refusal(403, {"error": {"message": "The message violates our usage policies.", "code": 403}}),
    lambda: make_refusal(422, {"detail": "Nope."}),
    lambda: make_refusal(500, {"error": {"message": "Content violates usage guidelines."}}),
    lambda: make_stream_response({"delta": {"content": ""}, "finish_reason": "PROHIBITED_CONTENT"}),
    lambda: make_stream_response({"delta": {"refusal": "I cannot."}}, {"delta": {}, "finish_reason": "stop"}),
    lambda: make_stream_response({"delta": {}, "finish_reason": "SAFETY"}),
    lambda: make_stream_response({"delta": {}, "finish_reason": "sensitive"}),
]  # fmt: skip


@pytest.mark.parametrize("way", DECLINED)
async def test_declined_message_does_not_affect_later_turns(tmp_path: Path, way: Callable[[], Response]) -> None:
    refuse = lambda body: way() if "zorkblat" in get_request_text(body) else None  # noqa: E731
    texts = ("please explain zorkblat", "what is the capital of France?", "and of Spain?", "thanks")
    replies, server = await say_and_list_replies(tmp_path, refuse, *texts)
    assert [reply.is_error for reply in replies] == [True, False, False, False]
    assert "OPENAI_" not in replies[0].text
    assert "zorkblat" not in get_request_text(server.bodies[-1])


NO_SYSTEM: list[tuple[int, object]] = [
    (400, {"error": {"message": "Only user, assistant and tool roles are supported, got system.", "code": 400}}),
    (500, {"code": 500, "message": "System role not supported", "type": "server_error"}),
    (422, {"detail": [{"loc": ["body", "messages", 0, "role"], "msg": "unexpected value; permitted: 'user'"}]}),
    (400, {"error": {"message": "invalid role: system, must be one of user, assistant"}}),
    (500, {"error": {"message": "Jinja Exception: System messages are not allowed"}}),
    (500, ""),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), NO_SYSTEM)
async def test_model_without_system_role_is_supported(tmp_path: Path, status: int, body: object) -> None:
    def refuse(request: Body) -> Response | None:
        return (
            make_refusal(status, body) if any(message["role"] == "system" for message in request["messages"]) else None
        )

    replies, server = await say_and_list_replies(tmp_path, refuse, "Hello?", "And now?")
    assert [reply.is_error for reply in replies] == [False, False]
    assert server.bodies[-1]["messages"][0]["content"].startswith("You are")


NO_TOOLS: list[tuple[int, object]] = [
    (500, {"code": 500, "message": "Unsupported param: tools", "type": "server_error"}),
    (400, {"error": {"message": "llama3 does not support tools", "type": "api_error"}}),
    (400, {"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice', "code": 400}),
    (404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}),
    (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]}),
    (400, {"error": {"message": "Unrecognized request argument supplied: tools", "param": None}}),
    (400, {"error": {"message": "tool_use_failed", "failed_generation": "<function=x>"}}),
    (501, {"error": "Function calling is not implemented"}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), NO_TOOLS)
async def test_server_without_tools_is_supported(tmp_path: Path, status: int, body: object) -> None:
    refuse = lambda request: make_refusal(status, body) if "tools" in request else None  # noqa: E731
    replies, _ = await say_and_list_replies(tmp_path, refuse, "Hello?", "And now?")
    assert [reply.is_error for reply in replies] == [False, False]


NO_SCHEMA: list[tuple[int, object]] = [
    (400, {"error": {"message": "This response_format type is unavailable now", "code": "invalid_request_error"}}),
    (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
    (422, {"error": {"message": "Failed to deserialize the JSON body into the target type: unknown variant"}}),
    (400, {"code": "Client specified an invalid argument", "error": "The response_format parameter is unsupported at "
     "the moment. Leave it unset."}),
    (400, {"error": {"message": "Invalid schema for response_format 'facts': 'maxItems' is not permitted."}}),
    (400, {"object": "error", "message": "Grammar error: unimplemented keys", "code": 400}),
    (500, {"error": {"message": "failed to parse grammar", "type": "server_error"}}),
    (400, ""),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), NO_SCHEMA)
async def test_facts_are_learned_without_schema(tmp_path: Path, status: int, body: object) -> None:
    fact = {"text": "Anna grows walnuts.", "kind": "fact", "quote": "I grow walnuts", "message": 1}
    refuse = lambda request: make_refusal(status, body) if "response_format" in request else None  # noqa: E731
    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        server.text = f"```json\n{json.dumps({'facts': [fact]})[:-2]},]}}\n```"
        await talk.turn_on_memory(every_n=1)
        await talk.run_turn("I grow walnuts in my garden.")
        assert await known_facts(talk)


async def test_facts_of_long_message_are_learned_without_schema(tmp_path: Path) -> None:
    def refuse(request: Body) -> Response | None:
        return make_refusal(400, "") if "response_format" in request else None

    fact = {"text": "Anna grows walnuts.", "kind": "fact", "quote": "I grow walnuts", "message": 1}
    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        server.text = json.dumps({"facts": [fact]})
        await talk.turn_on_memory(every_n=1)
        await talk.run_turn("I grow walnuts in my garden. " + "And pears too, it is a big one. " * 160)
        assert await known_facts(talk)


@pytest.mark.parametrize("status", [400, 403, 422])
async def test_too_long_background_prompt_is_shortened_after_empty_error(tmp_path: Path, status: int) -> None:
    def refuse(request: Body) -> Response | None:
        return (
            make_refusal(status, "")
            if request["model"] == "summary-model" and count_body_tokens(request) > LIMIT
            else None
        )

    async with run_picky_server(refuse) as (server, url), open_chat_harness(tmp_path, openai_base_url=url) as talk:
        await talk.turn_on_memory(every_n=3)
        for text in (LONG[: len(LONG) // 4], "I grow walnuts in my garden.", "And pears."):
            await talk.run_turn(text)
        assert await talk.services.summaries.list_active_summaries(SCOPE)
        assert sum(count_body_tokens(body) > LIMIT for body in server.bodies if body["model"] == "summary-model") <= 6


async def known_facts(talk: ChatHarness) -> list[str]:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return [fact.text for fact in await store.facts.list_valid_facts(ANNA.id)]


STREAMS = {
    "no finish, no [DONE]": (format_chunk(content="Forty-two apples."),),
    "a tool's finish behind text": (format_chunk(content="Forty-two apples."), format_chunk("tool_calls"), "[DONE]"),
    "unknown event": ('{"type": "ping"}', format_chunk(content="Forty-two apples."), format_chunk("stop"), "[DONE]"),
    "usage alone": (
        format_chunk(content="Forty-two apples."),
        format_chunk("stop"),
        '{"usage": {"prompt_tokens": 3}}',
        "[DONE]",
    ),
    "a comment as data": (
        ": OPENROUTER PROCESSING",
        format_chunk(content="Forty-two apples."),
        format_chunk("stop"),
        "[DONE]",
    ),
    "strings": ('"ok"', format_chunk(content="Forty-two apples."), format_chunk("STOP"), "[DONE]"),
    "a null choice": ('{"choices": [null]}', format_chunk(content="Forty-two apples."), format_chunk("eos"), "[DONE]"),
    "finish with its text": (format_chunk("FINISH_REASON_STOP", content="Forty-two apples."), "[DONE]"),
    "parts": (format_chunk("stop", content=[{"type": "text", "text": "Forty-two apples."}]), "[DONE]"),
    "thinking parts": (
        format_chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "SECRET"}]}]),
        format_chunk("stop", content=[{"type": "text", "text": "Forty-two apples."}]),
        "[DONE]",
    ),
    "empty thoughts": (
        format_chunk(content="<think>\n\n</think>\n\nForty-two apples."),
        format_chunk("stop"),
        "[DONE]",
    ),
    "a null finish at the end": (format_chunk(content="Forty-two apples."), format_chunk(None), "[DONE]"),
    "no delta": (
        '{"choices": [{"index": 0}]}',
        format_chunk(content="Forty-two apples."),
        format_chunk("stop"),
        "[DONE]",
    ),
}


@pytest.mark.parametrize("events", STREAMS.values(), ids=STREAMS)
async def test_answer_is_read_from_unusual_stream(tmp_path: Path, events: tuple[str, ...]) -> None:
    async with open_chat_harness(tmp_path) as talk:
        talk.server.script("chat-model", Behaviour(events=events))
        assert (await talk.say("How many?")).text == "Forty-two apples."


REMIND = '{"text": "fern", "in_minutes": 5}'
WRITTEN = {
    "Qwen's bracket": f"[Calling tool: remind({REMIND})]",
    "tools": f'<tools>\n{{"name": "remind", "arguments": {REMIND}}}\n</tools>',
    "Llama 4": f'<|python_start|>{{"name": "remind", "parameters": {REMIND}}}<|python_end|>',
    "Llama's Python": '[remind(text="fern", in_minutes=5)]',
    "Granite": f'<|tool_call|>[{{"name": "remind", "arguments": {REMIND}}}]',
    "Mistral's newer": f"[TOOL_CALLS]remind[ARGS]{REMIND}",
    "Command": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "remind", "parameters": '
    + REMIND
    + "}]<|END_ACTION|>",
    "Jamba": f'<tool_calls>[{{"name": "remind", "arguments": {REMIND}}}]</tool_calls>',
    "FunctionGemma": "<start_function_call>call:remind{text:<escape>fern<escape>,in_minutes:5}<end_function_call>",
    "gpt-oss": f"<|channel|>commentary to=functions.remind <|constrain|>json<|message|>{REMIND}<|call|>",
    "Claude's": '<function_calls>\n<invoke name="remind">\n<parameter name="text">fern</parameter>\n'
    '<parameter name="in_minutes">5</parameter>\n</invoke>\n</function_calls>',
    "GLM": "<tool_call>remind\n<arg_key>text</arg_key>\n<arg_value>fern</arg_value>\n<arg_key>in_minutes</arg_key>\n"
    "<arg_value>5</arg_value>\n</tool_call>",
    "Phi": f'functools[{{"name": "remind", "arguments": {REMIND}}}]',
    "InternLM": f'<|action_start|><|plugin|>\n{{"name": "remind", "parameters": {REMIND}}}<|action_end|>',
    "Seed": "<seed:tool_call>\n<function=remind>\n<parameter=text>fern</parameter>\n"
    "<parameter=in_minutes>5</parameter>\n</function>\n</seed:tool_call>",
    "ReAct": f"Action: remind\nAction Input: {REMIND}",
    "behind thoughts": f'<think>I should.</think>\n<tool_call>{{"name": "remind", "arguments": {REMIND}}}</tool_call>',
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
async def test_tool_call_in_any_markup_is_executed_and_not_shown(tmp_path: Path, text: str) -> None:
    shown: list[str] = []

    async def show(draft: str) -> None:
        shown.append(draft)

    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=50)
        talk.server.script("chat-model", Behaviour(text=text), "Noted.")
        reply = await talk.say("Remind me in five minutes to water the fern.", on_text=show)
    assert reply.text == "Noted."
    assert [proposal.kind for proposal in reply.proposals] == ["remind"]
    assert not any("fern" in draft or "remind" in draft for draft in shown)


PARALLEL: dict[str, list[Mapping[str, object]]] = {
    "a string for an index": [{"index": "0", "id": "a"}, {"index": "1", "id": "b"}],
    "ids that repeat an index": [{"index": 0, "id": "call_0"}, {"index": 0, "id": "call_1"}],
    "null ids": [{"index": 0, "id": None}, {"index": 1, "id": None}],
    "one-based": [{"index": 1, "id": "a"}, {"index": 2, "id": "b"}],
    "empty ids without an index": [{"id": ""}, {"id": ""}],
}


@pytest.mark.parametrize("places", PARALLEL.values(), ids=PARALLEL)
async def test_parallel_tool_calls_make_two_proposals(tmp_path: Path, places: list[Mapping[str, object]]) -> None:
    functions = [
        {"name": "remind", "arguments": json.dumps({"text": text, "in_minutes": 5})} for text in ("fern", "walnut")
    ]
    calls = [{**place, "function": function} for place, function in zip(places, functions, strict=True)]
    one_by_one, together = [format_chunk(tool_calls=[call]) for call in calls], [format_chunk(tool_calls=calls)]
    for number, chunks in enumerate((one_by_one, together)):
        events = (*chunks, format_chunk("tool_calls"), "[DONE]")
        async with open_chat_harness(tmp_path / str(number)) as talk:
            await talk.turn_on_memory(every_n=50)
            talk.server.script("chat-model", Behaviour(events=events), "Noted.")
            assert len((await talk.say("Remind me of fern and walnut in five minutes.")).proposals) == 2

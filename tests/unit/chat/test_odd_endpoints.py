"""Tests of unusual streams, refusals and errors of real servers, in one turn and in the next."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.peers.raw_server import (
    Json,
    RawAnswer,
    RawServer,
    get_request_text,
    make_answer,
    make_chunk,
    make_refusal,
    make_stream,
    run_raw_server,
)
from tests.support.talk import ChatHarness, open_chat_harness

APPLES = "Forty-two apples."
GOOD = (make_chunk(role="assistant", content=APPLES), make_chunk("stop"))
MAX_REQUESTS = 4  # of one turn


@asynccontextmanager
async def open_talk_with_server(
    folder: Path, answer: Callable[[Json], RawAnswer]
) -> AsyncIterator[tuple[ChatHarness, RawServer]]:
    async with run_raw_server(answer) as (server, url), open_chat_harness(folder, openai_base_url=url) as talk:
        yield talk, server


def make_html_response(status: int) -> RawAnswer:
    return RawAnswer(body=b"<html><h1>Nope</h1></html>", status=status, content_type="text/html")


def make_event_stream(prefix: str) -> RawAnswer:
    return RawAnswer(body=prefix.encode() + make_stream(*GOOD).body)


STREAMS = {
    "null": make_event_stream("data: null\n\n"),
    "retry alone": make_event_stream("retry: 3000\n\n"),
    "a ping without data": make_event_stream("event: ping\ndata: \n\n"),
    "an empty list": make_event_stream("data: []\n\n"),
    "a comment": make_event_stream(": OPENROUTER PROCESSING\n\n"),
    "no finish_reason": make_stream(GOOD[0]),
    "neither finish_reason nor [DONE]": make_stream(GOOD[0], done=False),
    "under the label of JSON": RawAnswer(body=make_stream(*GOOD).body, content_type="application/json"),
    "under the label of text": RawAnswer(body=make_stream(*GOOD).body, content_type="text/plain; charset=utf-8"),
    "under an odd case": RawAnswer(body=make_stream(*GOOD).body, content_type="Text/Event-Stream"),
    "JSON under the label of a stream": RawAnswer(
        body=json.dumps({"choices": [{"index": 0, "message": {"content": APPLES}, "finish_reason": "stop"}]}).encode()
    ),
    "thoughts first": make_stream(make_chunk(content=f"<think time=3>SECRET</think>{APPLES}"), make_chunk("stop")),
    "a closing mark alone": make_stream(make_chunk(content=f"SECRET plan\n</think>\n\n{APPLES}"), make_chunk("stop")),
    "channels": make_stream(
        make_chunk(
            content=f"<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>{APPLES}"
        ),
        make_chunk("stop"),
    ),
}


@pytest.mark.parametrize("kind", STREAMS)
async def test_answer_is_read_from_unusual_response_formats(tmp_path: Path, kind: str) -> None:
    async with open_talk_with_server(tmp_path, lambda _: STREAMS[kind]) as (talk, _):
        assert (await talk.say("How many?")).text == APPLES


@pytest.mark.parametrize("finish", ["eos", "end", "end_turn", "STOP", "FINISH_REASON_STOP", "COMPLETE", "eos_token"])
async def test_unusual_finish_reason_completes_answer(tmp_path: Path, finish: str) -> None:
    async with open_talk_with_server(
        tmp_path, lambda _: make_stream(make_chunk(content=APPLES), make_chunk(finish))
    ) as (talk, server):
        assert (await talk.say("How many?")).text == APPLES
        assert len(server.requests) == 1


@pytest.mark.parametrize("finish", ["error", "network_error", "insufficient_system_resource", "SAFETY"])
async def test_fragment_of_incomplete_answer_is_not_shown(tmp_path: Path, finish: str) -> None:
    answers = iter([make_stream(make_chunk(content="Half an ans"), make_chunk(finish)), *[make_answer(APPLES)] * 5])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, _):
        reply = (await talk.say("How many?")).text
        assert reply == APPLES or "Half an ans" not in reply


NO_SYSTEM = [
    {"object": "error", "message": "System role not supported", "code": 400},
    [{"error": {"code": 400, "message": "Developer instruction is not enabled for this model"}}],
    {"error": {"message": "Only user and assistant roles are supported!", "type": "BadRequestError"}},
]


@pytest.mark.parametrize("body", NO_SYSTEM, ids=["vLLM", "Gemma", "a template"])
async def test_endpoint_without_system_role_is_supported(tmp_path: Path, body: object) -> None:
    def answer(request: Json) -> RawAnswer:
        has_system = any(message["role"] == "system" for message in request["messages"])
        return make_refusal(400, body) if has_system else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        assert (await talk.say("How many?")).text == APPLES
        asked = len(server.requests)
        assert asked <= MAX_REQUESTS
        assert (await talk.say("And today?")).text == APPLES
        assert len(server.requests) == asked + 1, "what helped is remembered"


async def test_single_message_endpoint_gets_conversation_in_one_message(tmp_path: Path) -> None:
    def answer(request: Json) -> RawAnswer:
        return (
            make_answer(APPLES)
            if len(request["messages"]) == 1
            else make_refusal(400, {"error": "one message, please"})
        )

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        for question in ("How many?", "And today?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
        [request] = server.requests
        assert "How many?" in get_request_text(request)
        assert APPLES in get_request_text(request)


FEATURES = {
    "tools, in German": ("tools", make_refusal(400, {"error": {"message": "Werkzeuge werden nicht unterstützt"}})),
    "tools, in Chinese": ("tools", make_refusal(400, {"error": {"code": "1210", "message": "API 调用参数有误"}})),
    "tools, 422 of FastAPI": (
        "tools",
        make_refusal(422, {"detail": [{"loc": ["body", "tools"], "msg": "extra fields"}]}),
    ),
    "tools, 501": ("tools", make_refusal(501, {"error": "not implemented"})),
    "tools, 405": ("tools", make_refusal(405, {"error": "nope"})),
    "tools, 404 (OpenRouter)": (
        "tools",
        make_refusal(404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}),
    ),
    "tools, 404 in words that name no model": (
        "tools",
        make_refusal(404, {"error": {"message": "No endpoints found that can handle the requested parameters."}}),
    ),
    "tools, 404 (Azure)": (
        "tools",
        make_refusal(404, {"error": {"message": "Unrecognized request argument supplied: tools", "code": None}}),
    ),
    "stream_options, 404 that names the model": (
        "stream_options",
        make_refusal(404, {"detail": "Model m: endpoint not found for the requested options"}),
    ),
    "tools, wrapped JSON (a gateway)": (
        "tools",
        make_refusal(400, {"error": {"message": '{"error": {"message": "Request contains an invalid argument."}}'}}),
    ),
    "tools, an error in the stream (Groq)": (
        "tools",
        RawAnswer(body=b'event: error\ndata: {"error": {"message": "Failed to call it.", "status_code": 400}}\n\n'),
    ),
    "tools, 415": ("tools", make_refusal(415, {})),
    "tools, 406": ("tools", make_refusal(406, {"message": "x"})),
    "tools, 500": ("tools", make_refusal(500, {"error": {"message": "list index out of range"}})),
    "tools, HTML": ("tools", make_html_response(400)),
    "tools, no error at all (Open WebUI)": ("tools", make_refusal(200, None)),
    "tools, empty body": ("tools", RawAnswer(body=b"", status=400, content_type="application/json")),
    "tools, under 200": ("tools", make_refusal(200, {"error": {"code": 400, "message": "Funktion nicht verfügbar"}})),
    "stream, 400": (
        "stream",
        make_refusal(400, {"error": {"message": "le streaming n'est pas permis", "param": "stream"}}),
    ),
    "stream, 403 without words": ("stream", RawAnswer(body=b"", status=403)),
    "stream, a proxy's 404": ("stream", RawAnswer(body=b"404 page not found", status=404)),
    "stream, 404 that names the model": ("stream", make_refusal(404, {"error": {"message": "model m: no such route"}})),
    "stream_options": (
        "stream_options",
        make_refusal(400, {"error": {"message": "Unrecognized field: stream_options"}}),
    ),
    "stream_options, 422": ("stream_options", make_refusal(422, {"message": "Extra inputs are not permitted"})),
    "stream_options, 500": ("stream_options", make_refusal(500, {"error": {"message": "KeyError: 'include_usage'"}})),
}


@pytest.mark.parametrize("kind", FEATURES)
async def test_refused_feature_is_omitted(tmp_path: Path, kind: str) -> None:
    name, refused = FEATURES[kind]
    async with open_talk_with_server(tmp_path, lambda request: refused if name in request else make_answer(APPLES)) as (
        talk,
        server,
    ):
        await talk.turn_on_memory()
        assert (await talk.say("How many?")).text == APPLES
        assert any(name in request for request in server.requests), "it was asked for"
        assert len(server.requests) <= MAX_REQUESTS
        assert (await talk.say("And today?")).text == APPLES


TOO_LONG = {
    "vLLM": (
        400,
        {"object": "error", "message": "The decoder prompt (length {N}) is longer than the maximum model length."},
    ),
    "TGI": (422, {"error": "Input validation error: `inputs` must have less than {L} tokens. Given: {N}"}),
    "DashScope": (
        400,
        {"error": {"message": "Range of input length should be [1, {L}]", "code": "invalid_parameter_error"}},
    ),
    "413": (413, {"message": "nope"}),
    "500 with a size": (500, {"error": {"message": "tensor of size {N} does not fit"}}),
    "Bedrock": (400, {"message": "Input is too long for requested model."}),
    "xAI": (400, {"error": "This model's maximum prompt length is {L} but the request contains {N} tokens."}),
    "Gemini": (
        400,
        [{"error": {"message": "The input token count ({N}) exceeds the maximum number of tokens allowed ({L})."}}],
    ),
    "Chinese": (400, {"error": {"message": "输入长度超过限制"}}),
    "Russian": (400, {"error": {"message": "Слишком длинный запрос"}}),
    "Portuguese 403": (403, {"error": {"message": "texto demasiado grande"}}),
    "bytes, 413 text": (413, "too big"),
    "500": (500, {"error": {"message": "could not allocate KV slot"}}),
    "429 tokens per minute (Groq)": (
        429,
        {
            "error": {
                "message": "Request too large for model `m` on tokens per minute (TPM): Limit {L}, Requested {N}.",
                "type": "tokens",
                "code": "rate_limit_exceeded",
            }
        },
    ),
    "431": (431, {}),
    "200 error": (200, {"error": {"code": 400, "message": "n_ctx exceeded"}}),
}


@pytest.mark.parametrize("kind", TOO_LONG)
async def test_too_long_prompt_is_shortened_for_any_error_wording(tmp_path: Path, kind: str) -> None:
    status, body = TOO_LONG[kind]

    def answer(request: Json) -> RawAnswer:
        length = len(get_request_text(request).split())
        text = json.dumps(body).replace("{N}", str(length)).replace("{L}", "1500")
        return make_refusal(status, json.loads(text)) if length > 1_500 else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, _):
        assert (await talk.say("How many of these? " + "word " * 780, "word " * 800)).text == APPLES
        assert (await talk.say("And now?")).text == APPLES


DECLINED = {
    "DeepSeek": make_refusal(400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}}),
    "Azure": make_refusal(400, {"error": {"message": "The response was filtered.", "code": "content_filter"}}),
    "a finish reason": make_stream(make_chunk(role="assistant", content=""), make_chunk("content_filter")),
    "Gemini": make_refusal(400, {"error": {"message": "blocked", "status": "PROHIBITED_CONTENT"}}),
    "200, error": make_refusal(200, {"error": {"code": "content_filter", "message": "nein"}}),
    "Chinese": make_refusal(
        400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}
    ),
    "unknown words": make_refusal(400, {"error": {"message": "Ta treść jest niedozwolona"}}),
    "unknown words, 403": make_refusal(403, {"error": {"message": "zakazane"}}),
    "HTML 403 (a firewall)": make_html_response(403),
    "xAI (it names the key)": make_refusal(
        403,
        {
            "code": "The caller does not have permission to execute the specified operation",
            "error": "Content violates usage guidelines. API key ID: 2, Failed check: SAFETY_CHECK_TYPE_BIO",
        },
    ),
    "MiniMax, under 200": RawAnswer(
        body=b'{"choices":null,"base_resp":{"status_code":1026,"status_msg":"new_sensitive"}}'
    ),
    "Cloudflare": make_refusal(424, {"success": False, "error": [{"code": 2016, "message": "Prompt blocked"}]}),
    "finish refusal (Anthropic)": make_stream(make_chunk(role="assistant", content=""), make_chunk("refusal")),
    "406": make_refusal(406, {"error": "zakazane"}),
    "451": make_refusal(451, {"error": "zakazane"}),
    "500": make_refusal(500, {"error": "zakazane"}),
    "empty answer": make_answer(""),
    "finish SAFETY": RawAnswer(
        body=b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"SAFETY"}]}\n\ndata: [DONE]\n\n'
    ),
    "no choices": RawAnswer(body=b'{"choices":[],"prompt_feedback":{"block_reason":"PROHIBITED_CONTENT"}}'),
}


@pytest.mark.parametrize("kind", DECLINED)
async def test_declined_message_does_not_affect_later_turns(tmp_path: Path, kind: str) -> None:
    def answer(request: Json) -> RawAnswer:
        return DECLINED[kind] if "zorkblat" in get_request_text(request) else make_answer("Paris, of course.")

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        told = (await talk.say("please explain zorkblat to me")).text
        assert ("is busy" if kind == "500" else "declined") in told  # a fault may pass
        for question in ("what is the capital of France?", "and of Spain?", "thanks, one more?"):
            server.requests.clear()
            assert (await talk.say(question)).text == "Paris, of course."
            assert len(server.requests) <= MAX_REQUESTS


@pytest.mark.parametrize("faults", [1, 2])
async def test_temporary_fault_does_not_mark_message_as_declined(tmp_path: Path, faults: int) -> None:
    answers = iter([*[make_refusal(500, {"error": "list index out of range"})] * faults, *[make_answer(APPLES)] * 5])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.turn_on_memory()
        assert (await talk.say("How many?")).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS
        assert (await talk.say("And today?")).text == APPLES
        assert "How many?" in get_request_text(server.requests[-1])


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ({"error": {"message": "nope", "code": "invalid_api_key"}}, 2),
        ({"error": {"message": "nope", "code": 401}}, 1),
        ({"error": {"message": "nope", "type": "authentication_error"}}, 2),
        ({"detail": {"error": "Invalid API key"}}, 2),
        ({"error": "Invalid token"}, 2),
        ({"message": "Forbidden"}, 2),  # API Gateway of AWS
        ("<html><head><title>403 Forbidden</title></head><body></body></html>", 2),  # nginx
        ("", 2),
    ],
)
async def test_wrong_key_under_403_costs_at_most_one_extra_request(
    tmp_path: Path, body: Json | str, asked: int
) -> None:
    refused = RawAnswer(body=body.encode(), status=403) if isinstance(body, str) else make_refusal(403, body)
    async with open_talk_with_server(tmp_path, lambda _: refused) as (talk, server):
        await talk.turn_on_memory()
        assert "Check OPENAI_API_KEY" in (await talk.say("How many?")).text
        assert len(server.requests) == asked


async def test_wrong_key_under_400_costs_one_extra_request(tmp_path: Path) -> None:
    """Seen with the OpenAI-compatible endpoint of Gemini."""
    words = "API key not valid. Please pass a valid API key."
    refused = make_refusal(400, [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}])
    async with open_talk_with_server(tmp_path, lambda _: refused) as (talk, server):
        await talk.turn_on_memory()
        assert "Check OPENAI_API_KEY" in (await talk.say("How many?")).text
        assert len(server.requests) == 2


CREDIT = "has no credit left"
BUSY = "is busy"
SENTENCES = {
    "a redirect": (RawAnswer(body=b"", status=307, content_type="text/html"), "Check OPENAI_BASE_URL"),
    "401 in HTML": (make_html_response(401), "Check OPENAI_API_KEY"),
    "402": (make_refusal(402, {"error": "pay"}), CREDIT),
    "403 for a balance": (make_refusal(403, {"error": {"message": "your account balance is insufficient"}}), CREDIT),
    "400 for arrears": (make_refusal(400, {"code": "Arrearage", "message": "Access denied."}), CREDIT),
    "a balance under 200": (
        RawAnswer(body=b'{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}'),
        CREDIT,
    ),
    "403 for a quota (new-api)": (
        make_refusal(403, {"error": {"message": "用户额度不足", "code": "insufficient_user_quota"}}),
        CREDIT,
    ),
    "403 for a limit of spending": (
        make_refusal(403, {"code": "denied", "error": "Your team has reached its monthly spending limit."}),
        CREDIT,
    ),
    "403 for a bill (Doubao)": (
        make_refusal(
            403, {"error": {"code": "AccountOverdueError", "message": "your account has an overdue balance."}}
        ),
        CREDIT,
    ),
    "403 for credits (xAI)": (
        make_refusal(
            403, {"code": "denied", "error": "Your newly created team doesn't have any credits or licenses yet."}
        ),
        CREDIT,
    ),
    "400 for a budget (LiteLLM)": (
        make_refusal(
            400, {"error": {"message": "Budget has been exceeded! Current cost: 1.2", "type": "budget_exceeded"}}
        ),
        CREDIT,
    ),
    "400 for a key (Gemini)": (
        make_refusal(400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}]),
        "Check OPENAI_API_KEY",
    ),
    "400 for a model": (make_refusal(400, {"error": {"message": "Model Not Exist"}}), "Check OPENAI_MODEL"),
    "400 for a model (Copilot)": (
        make_refusal(
            400, {"error": {"message": "It is not supported.", "code": "model_not_supported", "param": "model"}}
        ),
        "Check OPENAI_MODEL",
    ),
    "400 for a model (Perplexity)": (
        make_refusal(400, {"error": {"message": "Invalid model 'x'.", "type": "invalid_model", "code": 400}}),
        "Check OPENAI_MODEL",
    ),
    "400 for a model (OpenRouter)": (
        make_refusal(400, {"error": {"message": "x is not a valid model ID"}}),
        "OPENAI_MODEL",
    ),
    "400 for a model (LiteLLM)": (
        make_refusal(400, {"error": {"message": {"error": "Invalid model name passed in model=x."}, "code": "400"}}),
        "Check OPENAI_MODEL",
    ),
    "400 for a model (Zhipu)": (
        make_refusal(400, {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}),
        "Check OPENAI_MODEL",
    ),
    "400 for a key (Cloudflare)": (
        make_refusal(400, {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]}),
        "Check OPENAI_API_KEY",
    ),
    "200 for a key (MiniMax)": (
        RawAnswer(
            body=b'{"base_resp":{"status_code":1004,"status_msg":"login fail: Please carry the API secret key"}}'
        ),
        "Check OPENAI_API_KEY",
    ),
    "400 for a region (Gemini)": (
        make_refusal(400, [{"error": {"code": 400, "message": "User location is not supported for the API use."}}]),
        "Check OPENAI_API_KEY",
    ),
    "200 for load (Z.ai)": (
        RawAnswer(body=b'data: {"error":{"code":"1305","message":"It may be overloaded, please try again later"}}\n\n'),
        BUSY,
    ),
    "503 for a model (new-api)": (
        make_refusal(503, {"error": {"message": "当前分组下对于模型 m 无可用渠道", "code": "model_not_found"}}),
        "Check OPENAI_MODEL",
    ),
    "500 for a model that failed": (
        make_refusal(500, {"error": {"message": "Timed out.", "type": "model_error"}}),
        BUSY,
    ),
    "502 in HTML": (make_html_response(502), BUSY),
    "503 as a field of a stream": (RawAnswer(body=b'error: {"code":503,"message":"no slot"}\n\n'), BUSY),
    "404 in HTML": (make_html_response(404), "Check OPENAI_MODEL"),
    "403 for a key's limit (OpenRouter)": (
        make_refusal(
            403, {"error": {"message": "Key limit exceeded (total limit). Manage it in settings", "code": 403}}
        ),
        CREDIT,
    ),
    "403 for a free tier (DashScope)": (
        make_refusal(
            403, {"error": {"message": "The free tier is exhausted.", "code": "AllocationQuota.FreeTierOnly"}}
        ),
        CREDIT,
    ),
    "429 for a free allocation (Cloudflare)": (
        make_refusal(429, {"errors": [{"message": "you have used up your daily free allocation of 10,000 neurons"}]}),
        CREDIT,
    ),
    "429 for a minute of a free tier (Gemini)": (
        make_refusal(
            429, {"error": {"code": 429, "message": "Quota exceeded for metric: generate_content_free_tier_requests"}}
        ),
        BUSY,
    ),
    "403 for a token's quota (new-api)": (
        make_refusal(403, {"error": {"message": "该令牌额度已用尽", "type": "new_api_error"}}),
        CREDIT,
    ),
}


@pytest.mark.parametrize("kind", SENTENCES)
async def test_error_text_names_cause(tmp_path: Path, kind: str) -> None:
    answer, words = SENTENCES[kind]
    async with open_talk_with_server(tmp_path, lambda _: answer) as (talk, _):
        assert words in (await talk.say("How many?")).text


FAILED = {"message": "Failed to call a function. See 'failed_generation'.", "code": "tool_use_failed"}


async def test_tool_call_quoted_in_server_error_is_executed(tmp_path: Path) -> None:
    """Groq refuses a malformed tool call of its own model, and quotes the call in the error."""
    call = '<function=remind{"text": "water the fern", "in_minutes": 30}</function>'
    answers = iter([make_refusal(400, {"error": {**FAILED, "failed_generation": call}}), make_answer("Shall I?")])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.turn_on_memory()
        reply = await talk.say("Remind me to water the fern in half an hour")
        assert (reply.text, len(reply.proposals)) == ("Shall I?", 1)
        assert server.requests[-1]["messages"][-1]["role"] == "tool"


@pytest.mark.parametrize("more", [{"failed_generation": "Hm."}, {"message": "tool call validation failed"}])
async def test_malformed_tool_call_does_not_disable_tools_in_next_turn(tmp_path: Path, more: dict[str, str]) -> None:
    answers = iter([make_refusal(400, {"error": {**FAILED, **more}}), *[make_answer(APPLES)] * 2])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, server):
        await talk.turn_on_memory()
        for question in ("How many?", "And now?"):
            assert (await talk.say(question)).text == APPLES
        assert ["tools" in request for request in server.requests] == [True, False, True]

"""What real servers send and refuse, and what a person reads then: through the whole bot, over real HTTP."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from tests.end_to_end.harness import ANSWERS, House
from tests.peers.raw_server import Json, Raw, chunk, raw_server, refusal, said, stream, words_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
APPLES = "Forty-two apples."
GOOD = (chunk(role="assistant", content=APPLES), chunk("stop"))
REMIND = json.dumps({"text": "water the fern", "in_minutes": 30})
CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "remind", "arguments": REMIND}}


def sse(prefix: str) -> Raw:
    return Raw(body=prefix.encode() + stream(*GOOD).body)


STREAMS = {
    "null": sse("data: null\n\n"),
    "retry alone": sse("retry: 3000\n\n"),
    "a ping without data": sse("event: ping\ndata: \n\n"),
    "an empty list": sse("data: []\n\n"),
    "a comment": sse(": OPENROUTER PROCESSING\n\n"),
    "no finish_reason": stream(GOOD[0]),
    "neither finish_reason nor [DONE]": stream(GOOD[0], done=False),
    "under the label of JSON": Raw(body=stream(*GOOD).body, content_type="application/json"),
    "under the label of text": Raw(body=stream(*GOOD).body, content_type="text/plain; charset=utf-8"),
    "under an odd case": Raw(body=stream(*GOOD).body, content_type="Text/Event-Stream"),
    "JSON under the label of a stream": Raw(
        body=json.dumps({"choices": [{"index": 0, "message": {"content": APPLES}, "finish_reason": "stop"}]}).encode()
    ),
    "thoughts first": stream(chunk(content=f"<think time=3>SECRET</think>{APPLES}"), chunk("stop")),
    "a closing mark alone": stream(chunk(content=f"SECRET plan\n</think>\n\n{APPLES}"), chunk("stop")),
    "channels": stream(
        chunk(
            content=f"<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>{APPLES}"
        ),
        chunk("stop"),
    ),
}


@pytest.mark.parametrize("kind", STREAMS)
async def test_a_good_answer_is_shown_however_it_is_sent(own_house: House, kind: str) -> None:
    async with raw_server(lambda _: STREAMS[kind]) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        assert await own_house.person().asks("How many?") == APPLES


async def test_bytes_that_are_no_text_cost_one_character(own_house: House) -> None:
    delta = b'data: {"choices":[{"index":0,"delta":{"content":"caf\xe9 ok"},"finish_reason":null}]}\n\n'
    answer = Raw(body=delta + stream(chunk("stop")).body)
    async with raw_server(lambda _: answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        assert await own_house.person().asks("Coffee?") == "caf\ufffd ok"


@pytest.mark.parametrize("finish", ["error", "network_error", "insufficient_system_resource", "SAFETY"])
async def test_half_an_answer_is_never_taken_for_a_whole_one(own_house: House, finish: str) -> None:
    """Nothing of it was shown, so it is asked for again."""
    answers: Iterator[Raw] = iter([stream(chunk(content="Half an ans"), chunk(finish)), *[said(APPLES)] * 5])
    async with raw_server(lambda _: next(answers)) as (_, url), own_house.bot(OPENAI_BASE_URL=url):
        reply = await own_house.person().asks("How many?")
        assert reply == APPLES or "Half an ans" not in reply


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
async def test_a_call_is_carried_out_however_it_is_made(own_house: House, kind: str) -> None:
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


async def test_a_thinking_model_gets_its_reasoning_back_within_the_turn(own_house: House) -> None:
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


NO_SYSTEM = [
    {"object": "error", "message": "System role not supported", "code": 400},
    [{"error": {"code": 400, "message": "Developer instruction is not enabled for this model"}}],
    {"error": {"message": "Only user and assistant roles are supported!", "type": "BadRequestError"}},
]


@pytest.mark.parametrize("body", NO_SYSTEM, ids=["vLLM", "Gemma", "a template"])
async def test_an_endpoint_without_a_system_role_answers(own_house: House, body: object) -> None:
    def answer(request: Json) -> Raw:
        has_system = any(message["role"] == "system" for message in request["messages"])
        return refusal(400, body) if has_system else said(APPLES)

    async with raw_server(answer) as (server, url), own_house.bot(OPENAI_BASE_URL=url):
        ann = own_house.person()
        assert await ann.asks("How many?") == APPLES
        asked = len(server.requests)
        assert asked <= 4
        assert await ann.asks("And today?") == APPLES
        assert len(server.requests) == asked + 1, "what helped is remembered"


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
async def test_a_prompt_that_is_too_long_gets_shorter_whatever_the_words_are(own_house: House, kind: str) -> None:
    status, body = TOO_LONG[kind]

    def answer(request: Json) -> Raw:
        length = len(words_of(request).split())
        text = json.dumps(body).replace("{N}", str(length)).replace("{L}", "1500")
        return refusal(status, json.loads(text)) if length > 1_500 else said(APPLES)

    async with raw_server(answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url, MODEL_TIMEOUT="30"):
        ann = own_house.person()
        since = ann.now
        ann.says("How many of these? " + "word " * 780)
        ann.says("word " * 800)
        await ann.hears(APPLES, since=since)
        assert await ann.asks("And now?", APPLES) == APPLES


@pytest.mark.parametrize("way", [
    refusal(400, {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}}),
    refusal(400, {"error": {"message": "The response was filtered.", "code": "content_filter"}}),
    stream(chunk(role="assistant", content=""), chunk("content_filter")),
], ids=["DeepSeek", "Azure", "a finish reason"])  # fmt: skip
async def test_a_flagged_word_does_not_end_the_chat(own_house: House, way: Raw) -> None:
    def answer(request: Json) -> Raw:
        return way if "zorkblat" in words_of(request) else said("Paris, of course.")

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
async def test_half_an_answer_is_shown_as_such_and_never_stored(own_house: House, kind: str) -> None:
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
        assert HALF not in str(own_house.memory.files().home(ann.owner))
        is_well = True
        assert await ann.asks("And now?", APPLES) == APPLES
        assert HALF not in words_of(server.requests[-1])


@pytest.mark.parametrize("finish", ["eos", "end", "end_turn", "STOP", "FINISH_REASON_STOP", "COMPLETE", "eos_token"])
async def test_an_odd_end_of_a_whole_answer_is_one(own_house: House, finish: str) -> None:
    async with (
        raw_server(lambda _: stream(chunk(content=APPLES), chunk(finish))) as (server, url),
        own_house.bot(OPENAI_BASE_URL=url),
    ):
        assert await own_house.person().asks("How many?") == APPLES
        assert len(server.requests) == 1

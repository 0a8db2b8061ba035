"""Tests of bodies, calls and thoughts in the formats of unfamiliar servers, from reports to similar projects."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from llm.event_reader import EventReader
from llm.openai_api import OpenAIChat
from llm.partial_answer import PartialAnswer
from llm.tool_calls import ToolOffer
from llm.written.calls import find_calls_in_text
from llm.written.template_tokens import remove_template_tokens
from llm.written.thoughts import remove_thoughts
from records.errors import BrokenOff, ModelBusy, ModelError, ModelRefused
from records.model_calls import Completion
from settings import Secret
from tests.unit.llm.test_openai_api import DraftRecorder, make_prompt

APPLES = "Forty-two äpples. 🍏"


def make_chunk(finish: str | None = None, **delta: object) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}, ensure_ascii=False)


HEAD, TAIL, STOP = (
    make_chunk(role="assistant", content="Forty-two "),
    make_chunk(content="äpples. 🍏"),
    make_chunk("stop"),
)
WHOLE = json.dumps({"choices": [{"message": {"content": APPLES}, "finish_reason": "stop"}]}, ensure_ascii=False)


def format_sse(*events: str, end: str = "\n\n", done: bool = True) -> str:
    return "".join(f"data: {event}{end}" for event in (*events, *(["[DONE]"] if done else [])))


GOOD = format_sse(HEAD, TAIL, STOP)


@asynccontextmanager
async def serve_pieces(*pieces: bytes, head: str = "200 OK", headers: Sequence[str] = ()) -> AsyncIterator[str]:
    """Serve these pieces, each in its own packet, then close the connection. Yield the base URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = request.partition("content-length:")[2].partition("\r\n")[0]
            await reader.readexactly(int(size or 0))
            lines = [f"HTTP/1.1 {head}", *(headers or ["content-type: text/event-stream"]), "connection: close"]
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1"


async def ask(*pieces: bytes, head: str = "200 OK", headers: Sequence[str] = ()) -> Completion:
    async with (
        serve_pieces(*pieces, head=head, headers=headers) as url,
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=60, sleep=_no_pause) as model,
    ):
        return await model.complete(make_prompt())


async def _no_pause(seconds: float) -> None:
    return


BODIES = {
    "NDJSON": f"{HEAD}\n{TAIL}\n{STOP}\n",
    "objects without a gap": f"{HEAD}{TAIL}{STOP}",
    "one newline between events": format_sse(HEAD, TAIL, STOP, end="\n"),
    "one newline, CRLF": format_sse(HEAD, TAIL, STOP, end="\r\n"),
    "Data: in capitals": GOOD.replace("data:", "Data:"),
    "data:data:": GOOD.replace("data: {", "data: data: {"),
    "event and id lines": "".join(f"event: message\nid: {n}\ndata: {e}\n\n" for n, e in enumerate((HEAD, TAIL, STOP))),
    "DONE in lower case": format_sse(HEAD, TAIL, STOP, "[done]", done=False),
    "DONE in quotes": format_sse(HEAD, TAIL, STOP, '"[DONE]"', done=False),
    "DONE without brackets": format_sse(HEAD, TAIL, STOP, "DONE", done=False),
    "bare DONE line": format_sse(HEAD, TAIL, STOP, done=False) + "[DONE]\n\n",
    "JSON array pretty": json.dumps([json.loads(e) for e in (HEAD, TAIL, STOP)], indent=2, ensure_ascii=False),
    "JSON array as SSE data": format_sse(f"[{HEAD},{TAIL},{STOP}]"),
    "an object over several data lines": "".join(
        f"data: {line}\n" for line in json.dumps(json.loads(WHOLE), indent=1, ensure_ascii=False).split("\n")
    )
    + "\n",
    "pretty JSON": json.dumps(json.loads(WHOLE), indent=2, ensure_ascii=False),
    "delta null": format_sse(HEAD, '{"choices":[{"index":0,"delta":null,"finish_reason":null}]}', TAIL, STOP),
    "no delta at the end": format_sse(HEAD, TAIL, '{"choices":[{"index":0,"finish_reason":"stop"}]}'),
    "empty finish reasons": format_sse(HEAD.replace("null", '""'), TAIL.replace("null", '""'), STOP),
    "usage with empty choices": format_sse(
        HEAD, TAIL, STOP, '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}'
    ),
    "usage null in each": format_sse(*(e[:-1] + ',"usage":null}' for e in (HEAD, TAIL, STOP))),
    "usage of strings": format_sse(
        HEAD, TAIL, STOP, '{"choices":[],"usage":{"prompt_tokens":"3","completion_tokens":null}}'
    ),
    "usage as a list": format_sse(HEAD, TAIL, STOP, '{"choices":[],"usage":[1]}'),
    "content as parts": format_sse(make_chunk(content=[{"type": "text", "text": "Forty-two "}]), TAIL, STOP),
    "content as parts with thoughts": format_sse(
        make_chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "SECRET"}]}]),
        make_chunk(content=[{"type": "text", "text": APPLES}]),
        STOP,
    ),
    "content as parts, reasoning typed": format_sse(
        make_chunk(content=[{"type": "reasoning", "text": "SECRET"}, {"type": "text", "text": APPLES}]), STOP
    ),
    "content as one part": format_sse(make_chunk(content={"type": "text", "text": APPLES}), STOP),
    "content as output_text parts": format_sse(make_chunk(content=[{"type": "output_text", "text": APPLES}]), STOP),
    "content as list of strings": format_sse(make_chunk(content=["Forty-two ", "äpples. 🍏"]), STOP),
    "content as part with value": format_sse(make_chunk(content=[{"type": "text", "text": {"value": APPLES}}]), STOP),
    "delta as a string": '{"choices":[{"index":0,"delta":"Forty-two äpples. 🍏","finish_reason":"stop"}]}',
    "legacy completions text": format_sse(
        json.dumps({"choices": [{"index": 0, "text": APPLES, "finish_reason": "stop"}]})
    ),
    "message in a stream": format_sse(
        json.dumps({"choices": [{"index": 0, "message": {"content": APPLES}, "finish_reason": "stop"}]})
    ),
    "whole message repeated at end": format_sse(
        HEAD,
        TAIL,
        json.dumps(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {},
                        "message": {"role": "assistant", "content": APPLES},
                        "finish_reason": "stop",
                    }
                ]
            }
        ),
    ),
    "message grows next to delta": format_sse(
        '{"choices":[{"index":0,"delta":{"content":"Forty-two "},"message":{"content":"Forty-two "}}]}',
        '{"choices":[{"index":0,"delta":{"content":"äpples. 🍏"},"message":{"content":"Forty-two äpples. 🍏"},"finish_reason":"stop"}]}',  # noqa: E501
    ),
    "choices as an object": format_sse('{"choices":{"0":{"delta":{"content":"Forty-two äpples. 🍏"}}}}'),
    "index as a string": format_sse(*(e.replace('"index": 0', '"index": "0"') for e in (HEAD, TAIL, STOP))),
    "a leading blank": "\n\n \n" + GOOD,
    "BOM and CRLF": "\ufeff" + GOOD.replace("\n", "\r\n"),
    "comments between": ": hi\n\n" + GOOD.replace("\n\n", "\n: keep-alive\n\n"),
    "comment within an event": GOOD.replace("data: {", ": x\ndata: {"),
    "an unknown object": format_sse('{"type":"response.created"}', HEAD, '{"x_groq":{"id":"r"}}', TAIL, STOP),
    "x_groq error null": format_sse(HEAD, TAIL, STOP[:-1] + ',"x_groq":{"error":null}}'),
    "error empty object": format_sse(*(e[:-1] + ',"error":{}}' for e in (HEAD, TAIL, STOP))),
    "error empty string": format_sse(*(e[:-1] + ',"error":""}' for e in (HEAD, TAIL, STOP))),
    "error false": format_sse(*(e[:-1] + ',"error":false}' for e in (HEAD, TAIL, STOP))),
    "error code 0": format_sse(*(e[:-1] + ',"error":{"code":0,"message":""}}' for e in (HEAD, TAIL, STOP))),
    "base_resp ok (MiniMax)": format_sse(
        *(e[:-1] + ',"base_resp":{"status_code":0,"status_msg":""}}' for e in (HEAD, TAIL, STOP))
    ),
    "cost trailer after DONE": GOOD + 'data: {"cost": 0.1}\n\n',
    "truncated trailer": GOOD + 'data: {"cho',
    "garbage trailer before DONE": format_sse(HEAD, TAIL, STOP, "{broken", done=True),
    "NaN": format_sse(HEAD[:-1] + ',"logprobs":NaN}', TAIL, STOP),
    "control characters": format_sse(
        json.dumps({"choices": [{"index": 0, "delta": {"content": APPLES}, "x": "A"}]}, ensure_ascii=False).replace(
            '"A"', '"a\tb"'
        ),
        STOP,
    ),
    "finish STOP_SEQUENCE": format_sse(HEAD, TAIL, make_chunk("stop_sequence")),
    "finish model_length? no: eos_token_id": format_sse(HEAD, TAIL, make_chunk("EOS_TOKEN")),
    "finish as object": format_sse(HEAD, TAIL, '{"choices":[{"index":0,"delta":{},"finish_reason":{"type":"stop"}}]}'),
    "finish true": format_sse(HEAD, TAIL, '{"choices":[{"index":0,"delta":{},"finish_reason":true}]}'),
    "a delta with a text": '{"choices":[{"delta":{"text":"Forty-two äpples. 🍏"},"finish_reason":"stop"}]}',
    "a choice with a content": '{"choices":[{"content":"Forty-two äpples. 🍏","finish_reason":"stop"}]}',
    "finishReason of Gemini": format_sse(HEAD, TAIL, '{"choices":[{"index":0,"delta":{},"finishReason":"STOP"}]}'),
    "a chunk without a delta (Azure)": format_sse(
        HEAD, TAIL, STOP, '{"choices":[{"index":0,"content_filter_offsets":{}}]}'
    ),
    "a token of the template at the end": format_sse(HEAD, TAIL, make_chunk(content="<|im_end|>"), STOP),
    "finish as number": format_sse(HEAD, TAIL, '{"choices":[{"index":0,"delta":{},"finish_reason":1}]}'),
    "finish 'None'": format_sse(HEAD.replace("null", '"None"'), TAIL.replace("null", '"null"'), STOP),
    "finish unspecified": format_sse(HEAD.replace("null", '"FINISH_REASON_UNSPECIFIED"'), TAIL, STOP),
    "finish natural": format_sse(HEAD, TAIL, make_chunk("natural_stop")),
    "finish EndOfText": format_sse(HEAD, TAIL, make_chunk("end_of_text")),
    "finish endoftext": format_sse(HEAD, TAIL, make_chunk("endoftext")),
    "finish success": format_sse(HEAD, TAIL, make_chunk("success")),
    "finish ok": format_sse(HEAD, TAIL, make_chunk("OK")),
    "finish normal": format_sse(HEAD, TAIL, make_chunk("NORMAL")),
    "finish <|im_end|>": format_sse(HEAD, TAIL, make_chunk("<|im_end|>")),
    "finish EOSToken": format_sse(HEAD, TAIL, make_chunk("EOSToken")),
    "finish hit_eos": format_sse(HEAD, TAIL, make_chunk("hit_eos")),
    "refusal null": format_sse(
        make_chunk(role="assistant", content="Forty-two ", refusal=None, tool_calls=None), TAIL, STOP
    ),
    "tool_calls empty": format_sse(
        make_chunk(role="assistant", content="Forty-two ", tool_calls=[], function_call=None), TAIL, STOP
    ),
    "function_call empty": format_sse(
        make_chunk(content="Forty-two ", function_call={"name": "", "arguments": ""}), TAIL, STOP
    ),
    "two choices": format_sse(HEAD, HEAD.replace('"index": 0', '"index": 1'), TAIL, STOP),
    "wrapped in data": json.dumps({"code": 0, "data": json.loads(WHOLE)}, ensure_ascii=False),
    "wrapped in response": json.dumps({"success": True, "result": json.loads(WHOLE)}, ensure_ascii=False),
    "Ollama native": '{"model":"m","message":{"role":"assistant","content":"Forty-two äpples. 🍏"},"done":true,"done_reason":"stop"}',  # noqa: E501
    "Ollama native stream": '{"message":{"role":"assistant","content":"Forty-two "},"done":false}\n{"message":{"content":"äpples. 🍏"},"done":true,"done_reason":"stop"}\n',  # noqa: E501
    "JSON with newline heartbeat": "\n\n\n\n" + WHOLE,
    "surrogates": format_sse(HEAD.replace("Forty", "\\ud83d\\ude00Forty"), TAIL, STOP),
}


@pytest.mark.parametrize("kind", BODIES)
async def test_reads_answer_in_unusual_body_format(kind: str) -> None:
    text = (await ask(BODIES[kind].encode("utf-8", "surrogatepass"))).text
    assert text.removeprefix("\U0001f600") == APPLES


async def test_reads_answer_behind_long_header() -> None:
    policy = f"content-security-policy: connect-src {'https://example.org ' * 2_000}"
    assert (await ask(GOOD.encode(), headers=["content-type: text/event-stream", policy])).text == APPLES


async def test_keeps_message_chunks_with_common_prefix() -> None:
    pieces = [json.dumps({"message": {"content": piece}}) for piece in ("ha", "ha!")]
    assert (await ask(format_sse(*pieces, STOP).encode())).text == "haha!"


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(GOOD.encode())),
        ("x-gzip", gzip.compress(GOOD[:40].encode()) + gzip.compress(GOOD[40:].encode())),
        ("identity", GOOD.encode()),
        ("gzip", GOOD.encode()),
        ("gzip", gzip.compress(WHOLE.encode()) + bytes(8)),
        ("", gzip.compress(GOOD.encode())),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 100_000])
async def test_reads_compressed_body_regardless_of_content_encoding(encoding: str, body: bytes, size: int) -> None:
    pieces = [body[n : n + size] for n in range(0, len(body), size)]
    headers = ["content-type: text/event-stream", *([f"content-encoding: {encoding}"] if encoding else [])]
    assert (await ask(*pieces, headers=headers)).text == APPLES


async def test_error_names_unsupported_content_encoding() -> None:
    headers = ["content-type: text/event-stream", "content-encoding: br"]
    with pytest.raises(BrokenOff) as caught:
        await ask(b"\x1b\x2f\x00\xf8" + bytes(90), headers=headers)
    assert "Content-Encoding: br" in caught.value.remedy
    assert (await ask(GOOD.encode(), headers=headers)).text == APPLES


@pytest.mark.parametrize("body", [GOOD, GOOD.replace("\n", "\r\n"), WHOLE, GOOD.replace("\n", "\r")])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
async def test_reads_body_split_inside_characters(body: str, size: int) -> None:
    data = body.encode()
    assert (await ask(*[data[n : n + size] for n in range(0, len(data), size)])).text == APPLES


ERRORS = {
    "llama.cpp's error field": (
        'error: {"code":503,"message":"slot unavailable","type":"unavailable_error"}\n\n',
        ModelBusy,
    ),
    "HTML": ("<!DOCTYPE html><html><body>Just a moment...</body></html>", BrokenOff),
    "plain text": ("upstream connect error or disconnect/reset before headers", BrokenOff),
    "empty": ("", BrokenOff),
    "DONE alone": ("data: [DONE]\n\n", BrokenOff),
    "null": ("null", BrokenOff),
    "detail": ('{"detail":"Model overloaded"}', ModelBusy),
    "errors list": ('{"errors":[{"message":"boom"}]}', ModelBusy),
    "message and code": ('{"code":50001,"message":"internal"}', ModelBusy),
    "success false": ('{"success":false,"error":"quota exceeded","data":null}', ModelBusy),
    "choices with error": (
        '{"choices":[{"index":0,"error":{"code":502,"message":"Upstream"},"delta":{"content":""},"finish_reason":"error"}]}',
        ModelBusy,
    ),
    "MiniMax": ('{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}', ModelRefused),
    "error list": ('[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]', ModelBusy),
    "event error text": ("event: error\ndata: Internal Server Error\n\n", ModelBusy),
    "error_code": ('data: {"error_code":336007,"error_msg":"the input is too long"}\n\n', ModelError),
    "status 429 as text": ('data: {"error":{"code":"429","message":"slow down"}}\n\n', ModelBusy),
}


@pytest.mark.parametrize("kind", ERRORS)
async def test_error_body_with_status_200_raises_matching_error(kind: str) -> None:
    body, error = ERRORS[kind]
    with pytest.raises(error):
        await ask(body.encode())


async def test_json_that_ends_too_early_is_broken_off() -> None:
    """A proxy announces the length of what it got. "Malformed" would not be tried again."""
    for missing in (5, 40, len(WHOLE) - 2):
        with pytest.raises(BrokenOff):
            await ask(WHOLE.encode()[:-missing], headers=["content-type: application/json"])


ASKED_IN_JSON = ("content-type: application/json",)
IN_RUSSIAN = "Яблоки лежат в погребе."  # each letter takes two bytes


async def test_answer_whose_length_is_announced_in_characters_is_whole_if_its_end_is_behind_the_text() -> None:
    """`"Content-Length": body.length` in Node: each letter of two bytes takes one byte from the end."""
    answer = {"choices": [{"message": {"content": IN_RUSSIAN}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}
    body = json.dumps(answer, ensure_ascii=False)
    assert (await ask(body.encode()[: len(body)], headers=ASKED_IN_JSON)).text == IN_RUSSIAN


async def test_answer_that_is_cut_within_its_text_is_half_although_its_end_is_reported_before_it() -> None:
    answer = {"choices": [{"finish_reason": "stop", "message": {"content": IN_RUSSIAN}}]}
    body = json.dumps(answer, ensure_ascii=False)
    with pytest.raises(BrokenOff) as caught:
        await ask(body.encode()[: len(body)], headers=ASKED_IN_JSON)
    assert caught.value.half == "Яблоки лежат в"


async def test_long_answer_that_is_cut_is_shown_as_far_as_it_came() -> None:
    body = json.dumps({"choices": [{"message": {"content": IN_RUSSIAN * 400}, "finish_reason": "stop"}]}).encode()
    with pytest.raises(BrokenOff) as caught:
        await ask(body[: body.index(b"\\u", 40_000) + 3], headers=ASKED_IN_JSON)
    assert (IN_RUSSIAN * 400).startswith(caught.value.half)
    assert len(caught.value.half) > 6_000


FUNCTION = {"name": "remind", "arguments": '{"text": "fern"}'}
SORTED_BY_KEY: dict[str, dict[str, object]] = {  # as Azure and gateways in Go write them: the finish reason comes first
    "text": {"content": IN_RUSSIAN, "role": "assistant"},
    "thoughts": {"reasoning_content": "Apples?", "content": IN_RUSSIAN, "role": "assistant"},
    "parts": {"content": [{"type": "text", "text": IN_RUSSIAN}, {"type": "text", "text": " Pears, too."}]},
    "calls": {"content": "Sure.", "tool_calls": [{"id": n, "type": "function", "function": FUNCTION} for n in "ab"]},
}


@pytest.mark.parametrize("kind", SORTED_BY_KEY)
def test_no_cut_makes_half_an_answer_whole(kind: str) -> None:
    answer = {"choices": [{"finish_reason": "stop", "index": 0, "message": SORTED_BY_KEY[kind]}], "model": "m"}
    body = json.dumps(answer, ensure_ascii=False).encode()
    for size in range(1, len(body)):
        reader, arrived = EventReader(), PartialAnswer(offer=ToolOffer())
        assert not list(reader.feed(body[:size]))
        with suppress(BrokenOff):
            for event in reader.parse_rest_of_body():
                arrived.add_chunk_and_count_chars(event)
        assert not arrived.has_ended
        assert any(text.startswith(arrived.text) for text in (f"{IN_RUSSIAN} Pears, too.", "Sure."))


@pytest.mark.parametrize("kind", ["JSON", "a stream in one packet"])
async def test_text_that_arrives_with_news_of_failure_is_not_shown(kind: str) -> None:
    """A shown answer could not be asked for again."""
    body = WHOLE.replace("stop", "error") if kind == "JSON" else GOOD.replace("stop", "error")
    drafts = DraftRecorder()
    async with (
        serve_pieces(body.encode()) as url,
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=60, sleep=_no_pause) as model,
    ):
        with pytest.raises(BrokenOff):
            await model.complete(make_prompt(), on_text=drafts)
    assert drafts.texts == []


CALLS = json.loads(Path(__file__).with_name("written_calls.json").read_text(encoding="utf-8"))
THOUGHTS = json.loads(Path(__file__).with_name("written_thoughts.json").read_text(encoding="utf-8"))
NAMES = {"remind": ("text", "in_minutes"), "search_memory": ("query",)}


@pytest.mark.parametrize("kind", CALLS)
def test_parses_call_and_hides_markup_while_streaming(kind: str) -> None:
    reading = find_calls_in_text(CALLS[kind], NAMES, is_whole=True)
    for size in (1, 2, 5):  # of the pieces in which it arrives
        seen = ""
        for end in range(size, len(CALLS[kind]) + size, size):
            text = CALLS[kind][:end]
            seen = find_calls_in_text(text, NAMES, is_whole=False, shown_length=len(seen)).shown
            assert reading.shown.startswith(seen.rstrip())
    assert [(call.name, json.loads(call.arguments)) for call in reading.calls] == [
        ("remind", {"text": "fern", "in_minutes": 5})
    ]
    assert reading.shown.strip() in (
        "",
        "Sure, I will.",
        "Sure, I will:",
        "Let me set it.",
        "Thought: I should set it.",
        "Thought: I should set it.\nCode:",
        "I set it.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "I could remind you (in 5 minutes).",
        "Use the function remind(text, in_minutes) from the API.",
        "To remind {name}, write a mail.",
        'Here is JSON:\n```json\n{"name": "Anna", "age": 5}\n```',
        "1. remind\n2. search_memory",
        "- remind: sets a reminder\n- search_memory: searches",
        "I will remind you:\n(1) at 5\n(2) at 6",
        '{"word": "remind", "meaning": "to cause to remember"}',
        "<remind> is not a tag.",
        "```python\nclass Cache:\n    ...\n\ncache = Cache()\ncache.remind(key='a')\n```\nThis shows it.",
        "```js\nconst state = {\n  remind: { at: '10:00' },\n};\nremind({ text: 'hi' });\n```\nDone.",
        '```json\n{"name": "Anna", "action": "remind", "age": 5}\n```',
        '```json\n{"action": "remind", "items": ["milk", "eggs"]}\n```\nThat is the JSON.',
        '```json\n[{"word": "remind", "de": "erinnern"}, {"word": "forget", "de": "vergessen"}]\n```\nMore?',
        '```json\n{"remind": "erinnern", "forget": "vergessen"}\n```\nMore?',
        "The tool `search_memory` takes a query.",
        "remind\ntext: what of",
        "remind -5 of them",
        "```yaml\nname: build\nargs:\n  text: hi\n```",
        "Type: remind\n\nText: hello",
        'Use `remind("fern")` for that.',
        "I have these:\n- remind(text: str, in_minutes: int): sets one\n- search_memory(query: str)",
        'Such is the answer. {"name": "Anna", "likes": "remind"}',
    ],
)
def test_text_mentioning_tool_name_is_unchanged(text: str) -> None:
    assert find_calls_in_text(text, NAMES, is_whole=True).shown == text


@pytest.mark.parametrize("kind", THOUGHTS)
def test_hides_thoughts_in_formats_of_other_servers(kind: str) -> None:
    text = THOUGHTS[kind]
    assert remove_template_tokens(remove_thoughts(text), "").strip() == "Visible answer"
    if not text.startswith("SECRET"):
        drafts = [remove_thoughts(text[:end], is_whole=False) for end in range(len(text))]
        assert not any("SECR" in draft or "]<" in draft for draft in drafts)


@pytest.mark.parametrize(
    "text",
    [
        "Tags: <think>, <thinking> and <reasoning>.",
        "**<think>** is bold",
        "[Thinking](https://example.org) is a link",
        "The channel `<|channel|>analysis<|message|>` is hidden.",
        "analysis of the walnuts",
        "(thinking out loud) Let me see.",
        "```reason\nlet x = 1;\n```\nThis is ReasonML.",
        "```html\n<details>\n<summary>My thoughts</summary>\n<p>Hi</p>\n</details>\n```\nOpen it.",
        "【思考】\n1. 为什么？",
        "Names with a colon: <xml:lang> <mm:think>",
        "Write <xml:lang>, <mm:think>.",
        "Use <think>...</think> in your template.",
        "The regex r'<think>(.*?)</think>' removes it.",
        "Run it with report --until=<end-of-month>",
    ],
)
def test_keeps_thought_markers_mentioned_in_text(text: str) -> None:
    assert remove_thoughts(text) == text


@pytest.mark.parametrize("text", ["analysis of the walnuts", "[see the manual of the machine " + "and so on " * 5])
def test_shows_ordinary_text_while_streaming(text: str) -> None:
    assert remove_thoughts(text, is_whole=False) == text

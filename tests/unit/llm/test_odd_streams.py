"""Tests of streams as real servers sent them: parsed by their body, and an error if the answer is incomplete."""

import asyncio
import gzip
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from llm.openai_api import OpenAIChat
from llm.thinking_habit import REMEMBERED_SECONDS, ThinkingHabit
from records.errors import ModelBroken, ModelError
from records.model_calls import Completion, Tool
from settings import Secret
from tests.peers.openai_server import Behaviour, run_openai_server
from tests.peers.raw_server import RawAnswer, run_raw_server
from tests.unit.llm.test_openai_api import DraftRecorder, make_prompt, open_bench
from tests.unit.llm.test_openai_client import FixedPeer


def make_chunk(finish: str | None = None, **delta: object) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


TEXT, STOP = make_chunk(role="assistant", content="Forty-two apples."), make_chunk("stop")
STREAM = f"data: {TEXT}\n\ndata: {STOP}\n\ndata: [DONE]\n\n"
MESSAGE = {"role": "assistant", "content": "Forty-two apples."}
WHOLE = json.dumps({"choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}]})
LABELS = ["application/json", "text/plain", "application/octet-stream", "Text/Event-Stream", "text/event-stream"]


async def complete_with_body(body: bytes, label: str = "text/event-stream") -> Completion:
    peer = FixedPeer(Response(body, headers={"content-type": label}))
    async with peer.serve() as url, OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=10) as model:
        return await model.complete(make_prompt())


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    "body",
    [
        STREAM,
        WHOLE,
        f"\n {WHOLE}",
        f"[{TEXT}, {STOP}]",
        f"data: {WHOLE}\n\n",
        STREAM.replace("\n", "\r\n"),
        STREAM.replace("\n", "\r"),
        STREAM.replace("data: ", "data:"),
        "\ufeff" + STREAM,
        f"data: {TEXT}",
        f"data: {TEXT}\n\n",
    ],
)
async def test_parses_answer_regardless_of_content_type(body: str, label: str) -> None:
    assert (await complete_with_body(body.encode(), label)).text == "Forty-two apples."


async def test_reads_gzipped_stream() -> None:
    assert (await complete_with_body(gzip.compress(STREAM.encode()))).text == "Forty-two apples."


@pytest.mark.parametrize(
    "nothing",
    [
        "data: null",
        "retry: 3000",
        "event: ping\ndata: ",
        "data: []",
        "data:",
        "data: {}",
        "data: ping",
        ": OPENROUTER PROCESSING",
        "event: keepalive\ndata: {}",
        "id: 7",
        "unknown: field",
        'data: {"choices": []}',
        'data: {"choices": null}',
        'data: {"choices": [null]}',
        'data: {"choices": [{"delta": null}]}',
        'event: metadata\ndata: {"prompt_filter_results": []}',
        'data: {"error": null, "choices": []}',
    ],
)
async def test_skips_event_without_content(nothing: str) -> None:
    for body in (f"{nothing}\n\n{STREAM}", f"data: {TEXT}\n\n{nothing}\n\ndata: {STOP}\n\ndata: [DONE]\n\n"):
        assert (await complete_with_body(body.encode())).text == "Forty-two apples."


async def test_connection_cut_after_finish_reason_keeps_answer() -> None:
    """Some proxies close the connection before they have sent all announced bytes."""
    cut = RawAnswer(body=STREAM.replace("data: [DONE]\n\n", "").encode(), is_cut=True)
    async with (
        run_raw_server(lambda _: cut) as (_, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url) as model,
    ):
        assert (await model.complete(make_prompt())).text == "Forty-two apples."


@pytest.mark.parametrize("usage", ["", 'data: {"choices": [], "usage": {"prompt_tokens": 7}}\n\n'])
async def test_stream_left_open_after_finish_reason_is_whole(usage: str) -> None:
    """Bifrost (issue 6784) and vllm-mlx (issue 101): no [DONE] follows, and the connection stays open."""
    body = f"data: {TEXT}\n\ndata: {STOP}\n\n{usage}".encode()
    async with (
        run_raw_server(lambda _: RawAnswer(body=body, is_left_open=True)) as (server, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=4) as model,
    ):
        made = await model.complete(make_prompt())
    assert (made.text, len(server.requests)) == ("Forty-two apples.", 1)
    assert not usage or made.usage.prompt == 7


async def test_shows_transcript_of_spoken_answer() -> None:
    spoken = make_chunk(role="assistant", content=None, audio={"id": "a", "transcript": "Forty-two apples."})
    assert (await complete_with_body(f"data: {spoken}\n\ndata: {STOP}\n\n".encode())).text == "Forty-two apples."


JOKE = '{\n  "joke": "A cat that codes."\n}'


@pytest.mark.parametrize(
    "message",
    [
        {"content": "", "reasoning_content": JOKE},  # LM Studio (issue 1698), afm (issue 44)
        {"content": None, "reasoning": JOKE},  # vLLM (issue 48863)
        {"content": None, "tool_calls": [{"id": "c", "function": {"name": "json_tool_call", "arguments": JOKE}}]},
    ],
)
async def test_finds_json_that_server_took_for_thoughts_or_call(message: Mapping[str, object]) -> None:
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
    async with (
        run_raw_server(lambda _: RawAnswer(body=body)) as (_, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=10) as model,
    ):
        made = await model.complete(make_prompt(), schema={"name": "joke", "schema": {"type": "object"}})
        assert json.loads(made.text) == json.loads(JOKE)


async def test_thoughts_alone_are_no_json() -> None:
    message = {"content": "", "reasoning_content": 'They want {"joke": "a joke"}.'}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
    async with (
        run_raw_server(lambda _: RawAnswer(body=body)) as (_, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=10) as model,
    ):
        with pytest.raises(ModelBroken):
            await model.complete(make_prompt(), schema={"name": "joke", "schema": {"type": "object"}})


async def test_replaces_invalid_utf8_byte_with_one_character() -> None:
    damaged = make_chunk(content="caf? ok").encode().replace(b"?", b"\xf9")
    assert (await complete_with_body(b"data: " + damaged + b"\n\ndata: [DONE]\n\n")).text == "caf\ufffd ok"
    assert (await complete_with_body(WHOLE.encode().replace(b"-", b"\xff"))).text == "Forty\ufffdtwo apples."


BREAKS = [
    *(
        make_chunk(finish)
        for finish in ("error", "network_error", "insufficient_system_resource", "SAFETY", "sensitive")
    ),
    make_chunk("RECITATION"),
    make_chunk("abort"),
    json.dumps({"error": {"message": "Upstream idle timeout", "code": 504}}),
    json.dumps({"error": "server overloaded"}),
    json.dumps({"object": "error", "message": "CUDA out of memory", "code": 500}),
    # of the Responses API
    json.dumps({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error"}}}),
]


@pytest.mark.parametrize("last", BREAKS)
async def test_error_after_shown_text_raises_and_is_not_retried(last: str) -> None:
    broken = Behaviour(events=(make_chunk(content="Half an ans"), last, "[DONE]"), hold="middle")
    async with open_bench() as bench:
        bench.server.script("m", broken, "Again.")
        shown = DraftRecorder()
        answering = asyncio.create_task(bench.model.complete(make_prompt(), on_text=shown))
        await bench.server.wait_until_held()
        await shown.updated.wait()
        await bench.server.release()
        with pytest.raises(ModelBroken, match="broke off"):
            await answering
        assert shown.texts == ["Half an ans"]
        assert len(bench.server.requests) == 1


@pytest.mark.parametrize("last", BREAKS)
async def test_retries_broken_answer_if_nothing_was_shown(last: str) -> None:
    async with open_bench() as bench:
        bench.server.script("m", Behaviour(events=(last, "[DONE]")), "Again.")
        assert (await bench.model.complete(make_prompt(), on_text=DraftRecorder())).text == "Again."


@pytest.mark.parametrize(
    ("more", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 10}}, 10),
        ({"prompt_cache_hit_tokens": 10, "prompt_cache_miss_tokens": 9}, 10),
        ({"prompt_tokens_details": None, "cached_tokens": 10}, 10),
        ({"prompt_tokens_details": {"audio_tokens": 0}, "cache_read_input_tokens": 10}, 10),
        ({"prompt_tokens_details": {"cached_tokens": 18901}}, 19),
        ({"prompt_tokens_details": {"cached_tokens": 10}, "input_tokens_details": {"cached_tokens": 0}}, 10),
    ],
    ids=["OpenAI", "DeepSeek", "Moonshot", "Anthropic", "more than the prompt (Unsloth)", "under two names (new-api)"],
)
async def test_reads_cached_tokens_from_provider_specific_fields(more: dict[str, object], cached: int) -> None:
    usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 19, "completion_tokens": 2, **more}})
    answer = await complete_with_body(f"data: {TEXT}\n\ndata: {STOP}\n\ndata: {usage}\n\n".encode())
    assert (answer.usage.prompt, answer.usage.cached) == (19, cached)


async def test_named_error_event_raises_model_error() -> None:
    with pytest.raises(ModelError):
        await complete_with_body(b'event: error\ndata: {"message": "boom"}\n\n')


@pytest.mark.parametrize(
    "data", ["timeout", '{"code": "InternalError.Timeout", "request_id": "7"}', '{"message": "boom"}']
)
async def test_error_event_behind_text_is_error_whatever_follows(data: str) -> None:
    """DashScope names its events, and usage and an end may follow."""
    usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 7}})
    with pytest.raises(ModelBroken, match="broke off"):
        await complete_with_body(
            f"data: {TEXT}\n\nevent: error\ndata: {data}\n\ndata: {usage}\n\ndata: [DONE]\n\n".encode()
        )


@pytest.mark.parametrize(
    "last",
    [
        'data: {"type": "status", "message": "Generation finished"}',
        'data: {"title": "Apples"}',
        'data: {"base_resp": {"status_code": 0, "status_msg": "success"}, "choices": []}',
        "data: keep alive",
        "status: finished",
    ],
)
async def test_event_that_tells_something_does_not_break_answer_that_is_done(last: str) -> None:
    """The end of such a stream is [DONE], without a finish reason."""
    body = f"data: {TEXT}\n\n{last}\n\ndata: [DONE]\n\n"
    assert (await complete_with_body(body.encode())).text == "Forty-two apples."


async def parse_calls(*events: Mapping[str, Any] | str) -> list[tuple[str, str]]:
    async with open_bench() as bench:
        sent = tuple(event if isinstance(event, str) else json.dumps(event) for event in events)
        bench.server.script("m", Behaviour(events=(*sent, "[DONE]")))
        calls = (await bench.model.complete(make_prompt())).calls
    assert len({call.id for call in calls}) == len(calls)
    return [(call.name, call.arguments) for call in calls]


def make_call_delta(name: str | None, arguments: object, **more: object) -> dict[str, object]:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {**more, "type": "function", "function": function}


FIRST, SECOND = '{"text":"first"}', '{"text":"second"}'


@pytest.mark.parametrize(
    "pieces",
    [
        [make_call_delta("remind", FIRST, index=0, id="a"), make_call_delta("remind", SECOND, index=0, id="b")],
        [make_call_delta("remind", FIRST, index=0, id="a"), make_call_delta("remind", SECOND, index=1, id="a")],
        [make_call_delta("remind", FIRST, index=0), make_call_delta("remind", SECOND, index=0)],
        [make_call_delta("remind", FIRST), make_call_delta("remind", SECOND)],
        [make_call_delta("remind", FIRST, id="a"), make_call_delta("remind", SECOND, id="b")],
        [make_call_delta("remind", {"text": "first"}, index=0), make_call_delta("remind", {"text": "second"}, index=0)],
        [
            *(
                make_call_delta("remind", "", index=0, id="a"),
                make_call_delta(None, FIRST[:7], index=0),
                make_call_delta(None, FIRST[7:], index=0),
            ),
            *(
                make_call_delta("remind", "", index=0, id="b"),
                make_call_delta(None, SECOND[:7], index=0),
                make_call_delta(None, SECOND[7:]),
            ),
        ],
        [
            *(
                make_call_delta("remind", FIRST[:7], index=0, id="a"),
                make_call_delta("remind", FIRST[7:], index=0, id="a"),
            ),
            *(
                make_call_delta("remind", SECOND[:7], index=1, id="b"),
                make_call_delta("remind", SECOND[7:], index=1, id="b"),
            ),
        ],
        [
            *(make_call_delta("remind", "", id="a"), make_call_delta("remind", "", id="b")),
            *(make_call_delta(None, FIRST, id="a"), make_call_delta(None, SECOND, id="b")),
        ],
        [  # agno #8880
            *(make_call_delta("remind", FIRST, index=0, id="a"), make_call_delta("remind", "", index=0, id="b")),
            *(make_call_delta(None, SECOND[:7], index=1), make_call_delta(None, SECOND[7:], index=1)),
        ],
    ],
)
async def test_separates_two_calls_despite_ambiguous_indexes(pieces: list[dict[str, object]]) -> None:
    one_by_one = await parse_calls(*(make_chunk(tool_calls=[piece]) for piece in pieces), make_chunk("tool_calls"))
    assert [(name, json.loads(text)) for name, text in one_by_one] == [
        ("remind", {"text": "first"}),
        ("remind", {"text": "second"}),
    ]


async def test_splits_calls_joined_by_gateway() -> None:
    joined = make_call_delta("remind", f"{FIRST}\n{SECOND}", index=0, id="a")
    assert await parse_calls(make_chunk(tool_calls=[joined]), make_chunk("tool_calls")) == [
        ("remind", json.dumps(json.loads(FIRST))),
        ("remind", json.dumps(json.loads(SECOND))),
    ]


async def test_ignores_empty_object_before_streamed_arguments() -> None:
    """Claude behind Bedrock or Envoy's gateway (openai-agents-js #712, ai-gateway #1465)."""
    pieces = [make_call_delta("remind", "{}", index=0, id="a"), make_call_delta(None, FIRST, index=0)]
    made = await parse_calls(*(make_chunk(tool_calls=[piece]) for piece in pieces), make_chunk("tool_calls"))
    assert [(name, json.loads(text)) for name, text in made] == [("remind", {"text": "first"})]


async def test_drops_only_malformed_call() -> None:
    made = await parse_calls(
        make_chunk(
            tool_calls=[
                make_call_delta("remind", FIRST, index=0, id="a"),
                make_call_delta("remind", "now, please", index=1, id="b"),
            ]
        ),
        make_chunk("tool_calls"),
    )
    assert made == [("remind", FIRST)]
    cut = make_call_delta("remind", '{"text": "fi', index=0, id="a")
    whole = make_call_delta("remind", SECOND, index=1, id="b")
    assert await parse_calls(make_chunk(tool_calls=[cut, whole]), make_chunk("tool_calls")) == [("remind", SECOND)]


async def test_reads_call_from_second_choice_or_legacy_function_call() -> None:
    call = make_call_delta("remind", FIRST, index=0, id="c")
    both = [{"index": 0, "delta": {"content": "Let me."}}, {"index": 1, "delta": {"tool_calls": [call]}}]
    assert await parse_calls({"choices": both}, make_chunk("tool_calls")) == [("remind", FIRST)]
    assert await parse_calls({"choices": both[:1]}, {"choices": both[1:]}, make_chunk("stop")) == [("remind", FIRST)]
    assert await parse_calls(make_chunk("function_call", function_call=call["function"])) == [("remind", FIRST)]


THOUGHT = (*["SECRET plan. "] * 5, "\n</think>\n\n", "Forty-two apples.")


def stream_in_pieces(*texts: str, finish: str | None = "stop") -> Behaviour:
    return Behaviour(
        events=(*(make_chunk(content=text) for text in texts), make_chunk(finish), "[DONE]"), hold="middle"
    )


async def test_hides_thoughts_without_opening_tag_after_first_occurrence() -> None:
    """At first, such thoughts look like an answer. Later answers are held back until the closing tag or the end."""
    async with open_bench() as bench:
        bench.server.script("m", *[stream_in_pieces(*THOUGHT)] * 2, Behaviour(text="No thoughts now."))
        for number, shown in enumerate((DraftRecorder(), DraftRecorder())):
            answering = asyncio.create_task(bench.model.complete(make_prompt(), on_text=shown))
            await bench.server.wait_until_held()
            if not number:
                await shown.updated.wait()
            await bench.server.release()
            assert (await answering).text == "Forty-two apples."
            assert shown.texts[-1].strip() == "Forty-two apples."
            assert any("SECRET" in text for text in shown.texts) == (number == 0)
        last = DraftRecorder()
        assert (await bench.model.complete(make_prompt(), on_text=last)).text == "No thoughts now."
        assert last.texts == ["No thoughts now."]


async def test_hides_thoughts_without_opening_tag_of_model_named_thinking() -> None:
    async with run_openai_server() as (server, url):
        server.script("qwen3-4b-thinking", stream_in_pieces(*THOUGHT), "No thoughts now.", "Nor now.")
        async with OpenAIChat(model="qwen3-4b-thinking", api_key=Secret("k"), base_url=url) as model:
            shown = DraftRecorder()
            answering = asyncio.create_task(model.complete(make_prompt(), on_text=shown))
            await server.wait_until_held()
            await server.release()
            assert (await answering).text == "Forty-two apples."
            assert not any("SECRET" in text for text in shown.texts)


async def test_thinking_habit_of_model_survives_restart(tmp_path: Path) -> None:
    shown = DraftRecorder()
    async with run_openai_server() as (server, url):
        server.script("m", stream_in_pieces(*THOUGHT), stream_in_pieces(*THOUGHT))
        for on_text in (None, shown):
            async with OpenAIChat(model="m", api_key=Secret("k"), base_url=url, folder=tmp_path) as model:
                answering = asyncio.create_task(model.complete(make_prompt(), on_text=on_text))
                await server.wait_until_held()
                await server.release()
                assert (await answering).text == "Forty-two apples."
    assert shown.texts
    assert not any("SECRET" in text for text in shown.texts)


def test_thinking_habit_expires_after_thirty_days(tmp_path: Path) -> None:
    habit = ThinkingHabit(tmp_path, "", "m")
    likely = [habit.is_likely]
    for begins in (True, False):  # a short answer needs no thoughts
        habit.record_answer(begins_with_thoughts=begins)
        likely.append(habit.is_likely)
    assert likely == [False, True, True]
    assert not ThinkingHabit(tmp_path, "", "n").is_likely
    [file] = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert not ThinkingHabit(file, "", "m").is_likely  # in what is no folder
    past = file.stat().st_mtime - REMEMBERED_SECONDS
    os.utime(file, (past, past))
    habit.record_answer(begins_with_thoughts=False)
    assert not habit.is_likely


@pytest.mark.parametrize("finish", ["length", "network_error"])
async def test_thoughts_cut_before_closing_tag_are_not_an_answer(finish: str) -> None:
    async with open_bench() as bench:
        bench.server.script("m", Behaviour(text="SECRET</think>Yes."), *[Behaviour(text="SECRET", finish=finish)] * 3)
        assert (await bench.model.complete(make_prompt())).text == "Yes."
        shown = DraftRecorder()
        with pytest.raises(ModelBroken) as caught:
            await bench.model.complete(make_prompt(), on_text=shown)
        assert (caught.value.half, shown.texts) == ("", [])


CALL_AS_TEXT = '<tool_call>{"name": "remind", "arguments": {"text": "fern"}}</tool_call>'
REMIND = Tool(name="remind", description="Reminds.", parameters={"properties": {"text": {"type": "string"}}})


@pytest.mark.parametrize(
    "deltas",
    [
        [{"content": f"<think>I must call it.\n{CALL_AS_TEXT}"}],
        [{"reasoning_content": f"I must call it.\n{CALL_AS_TEXT}"}, {"content": ""}],
        [{"reasoning": f"I must call it.\n{CALL_AS_TEXT}"}],
    ],
)
async def test_makes_call_found_at_end_of_thoughts(deltas: list[dict[str, object]]) -> None:
    async with open_bench() as bench:
        bench.server.script(
            "m", Behaviour(events=(*(make_chunk(None, **delta) for delta in deltas), make_chunk("stop"), "[DONE]"))
        )
        shown = DraftRecorder()
        made = await bench.model.with_tools([REMIND]).complete(make_prompt(), on_text=shown)
        assert [(call.name, json.loads(call.arguments)) for call in made.calls] == [("remind", {"text": "fern"})]
        assert (made.text, shown.texts) == ("", [])

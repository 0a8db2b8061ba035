"""Streams as real servers sent them, over real HTTP: the body decides what it is, and a broken-off answer is none."""

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
from llm.thoughts import MAX_FILES, REMEMBERED_SECONDS, ThinkingHabit
from records.errors import ModelBroken, ModelError
from records.model_calls import Completion, Tool
from settings import Secret
from tests.peers.openai_server import Behaviour, running
from tests.peers.raw_server import Raw, raw_server
from tests.unit.llm.test_openai_api import Shown, a_bench, asked
from tests.unit.llm.test_openai_client import Peer


def chunk(finish: str | None = None, **delta: object) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


TEXT, STOP = chunk(role="assistant", content="Forty-two apples."), chunk("stop")
STREAM = f"data: {TEXT}\n\ndata: {STOP}\n\ndata: [DONE]\n\n"
MESSAGE = {"role": "assistant", "content": "Forty-two apples."}
WHOLE = json.dumps({"choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}]})
LABELS = ["application/json", "text/plain", "application/octet-stream", "Text/Event-Stream", "text/event-stream"]


async def answer_to(body: bytes, label: str = "text/event-stream") -> Completion:
    peer = Peer(Response(body, headers={"content-type": label}))
    async with peer.serving() as url, OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=10) as model:
        return await model.complete(asked())


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
async def test_an_answer_is_read_by_its_body(body: str, label: str) -> None:
    assert (await answer_to(body.encode(), label)).text == "Forty-two apples."


async def test_a_gzipped_stream_is_read() -> None:
    assert (await answer_to(gzip.compress(STREAM.encode()))).text == "Forty-two apples."


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
async def test_an_event_that_says_nothing_is_skipped(nothing: str) -> None:
    for body in (f"{nothing}\n\n{STREAM}", f"data: {TEXT}\n\n{nothing}\n\ndata: {STOP}\n\ndata: [DONE]\n\n"):
        assert (await answer_to(body.encode())).text == "Forty-two apples."


async def test_a_connection_cut_after_the_model_has_ended_costs_nothing() -> None:
    """Proxies close before the last bytes that they have announced."""
    cut = Raw(body=STREAM.replace("data: [DONE]\n\n", "").encode(), is_cut=True)
    async with raw_server(lambda _: cut) as (_, url), OpenAIChat(model="m", api_key=Secret("k"), base_url=url) as model:
        assert (await model.complete(asked())).text == "Forty-two apples."


async def test_bytes_that_are_no_utf8_cost_one_character() -> None:
    damaged = chunk(content="caf? ok").encode().replace(b"?", b"\xf9")
    assert (await answer_to(b"data: " + damaged + b"\n\ndata: [DONE]\n\n")).text == "caf\ufffd ok"
    assert (await answer_to(WHOLE.encode().replace(b"-", b"\xff"))).text == "Forty\ufffdtwo apples."


BREAKS = [
    *(chunk(finish) for finish in ("error", "network_error", "insufficient_system_resource", "SAFETY", "sensitive")),
    chunk("RECITATION"),
    chunk("abort"),
    json.dumps({"error": {"message": "Upstream idle timeout", "code": 504}}),
    json.dumps({"error": "server overloaded"}),
    json.dumps({"object": "error", "message": "CUDA out of memory", "code": 500}),
]


@pytest.mark.parametrize("last", BREAKS)
async def test_an_answer_that_breaks_off_is_no_whole_one(last: str) -> None:
    broken = Behaviour(events=(chunk(content="Half an ans"), last, "[DONE]"), hold="middle")
    async with a_bench() as bench:
        bench.server.script("m", broken, "Again.")
        shown = Shown()
        answering = asyncio.create_task(bench.model.complete(asked(), on_text=shown))
        await bench.server.until_held()
        await shown.more.wait()
        await bench.server.release()
        with pytest.raises(ModelBroken, match="broke off"):
            await answering
        assert shown.texts == ["Half an ans"]
        assert len(bench.server.requests) == 1


@pytest.mark.parametrize("last", BREAKS)
async def test_an_answer_of_which_nothing_was_shown_is_tried_again(last: str) -> None:
    async with a_bench() as bench:
        bench.server.script("m", Behaviour(events=(last, "[DONE]")), "Again.")
        assert (await bench.model.complete(asked(), on_text=Shown())).text == "Again."


@pytest.mark.parametrize(
    ("more", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 10}}, 10),
        ({"prompt_cache_hit_tokens": 10, "prompt_cache_miss_tokens": 9}, 10),
        ({"prompt_tokens_details": None, "cached_tokens": 10}, 10),
        ({"prompt_tokens_details": {"audio_tokens": 0}, "cache_read_input_tokens": 10}, 10),
        ({"prompt_tokens_details": {"cached_tokens": 18901}}, 19),
    ],
    ids=["OpenAI", "DeepSeek", "Moonshot", "Anthropic", "more than the prompt (Unsloth)"],
)
async def test_what_came_from_a_cache_is_counted_under_any_name(more: dict[str, object], cached: int) -> None:
    usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 19, "completion_tokens": 2, **more}})
    answer = await answer_to(f"data: {TEXT}\n\ndata: {STOP}\n\ndata: {usage}\n\n".encode())
    assert (answer.usage.prompt, answer.usage.cached) == (19, cached)


async def test_an_error_event_by_name_is_an_error() -> None:
    with pytest.raises(ModelError):
        await answer_to(b'event: error\ndata: {"message": "boom"}\n\n')


async def calls_in(*events: Mapping[str, Any] | str) -> list[tuple[str, str]]:
    async with a_bench() as bench:
        sent = tuple(event if isinstance(event, str) else json.dumps(event) for event in events)
        bench.server.script("m", Behaviour(events=(*sent, "[DONE]")))
        calls = (await bench.model.complete(asked())).calls
    assert len({call.id for call in calls}) == len(calls)
    return [(call.name, call.arguments) for call in calls]


def called(name: str | None, arguments: object, **more: object) -> dict[str, object]:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {**more, "type": "function", "function": function}


FIRST, SECOND = '{"text":"first"}', '{"text":"second"}'


@pytest.mark.parametrize(
    "pieces",
    [
        [called("remind", FIRST, index=0, id="a"), called("remind", SECOND, index=0, id="b")],
        [called("remind", FIRST, index=0, id="a"), called("remind", SECOND, index=1, id="a")],
        [called("remind", FIRST, index=0), called("remind", SECOND, index=0)],
        [called("remind", FIRST), called("remind", SECOND)],
        [called("remind", FIRST, id="a"), called("remind", SECOND, id="b")],
        [called("remind", {"text": "first"}, index=0), called("remind", {"text": "second"}, index=0)],
        [
            *(
                called("remind", "", index=0, id="a"),
                called(None, FIRST[:7], index=0),
                called(None, FIRST[7:], index=0),
            ),
            *(called("remind", "", index=0, id="b"), called(None, SECOND[:7], index=0), called(None, SECOND[7:])),
        ],
        [
            *(called("remind", FIRST[:7], index=0, id="a"), called("remind", FIRST[7:], index=0, id="a")),
            *(called("remind", SECOND[:7], index=1, id="b"), called("remind", SECOND[7:], index=1, id="b")),
        ],
        [
            *(called("remind", "", id="a"), called("remind", "", id="b")),
            *(called(None, FIRST, id="a"), called(None, SECOND, id="b")),
        ],
        [  # agno #8880
            *(called("remind", FIRST, index=0, id="a"), called("remind", "", index=0, id="b")),
            *(called(None, SECOND[:7], index=1), called(None, SECOND[7:], index=1)),
        ],
    ],
)
async def test_two_calls_are_two_however_they_are_numbered(pieces: list[dict[str, object]]) -> None:
    one_by_one = await calls_in(*(chunk(tool_calls=[piece]) for piece in pieces), chunk("tool_calls"))
    assert [(name, json.loads(text)) for name, text in one_by_one] == [
        ("remind", {"text": "first"}),
        ("remind", {"text": "second"}),
    ]


async def test_calls_that_a_gateway_joined_are_taken_apart() -> None:
    joined = called("remind", f"{FIRST}\n{SECOND}", index=0, id="a")
    assert await calls_in(chunk(tool_calls=[joined]), chunk("tool_calls")) == [
        ("remind", json.dumps(json.loads(FIRST))),
        ("remind", json.dumps(json.loads(SECOND))),
    ]


async def test_of_two_calls_the_damaged_one_is_left_out() -> None:
    made = await calls_in(
        chunk(tool_calls=[called("remind", FIRST, index=0, id="a"), called("remind", "now, please", index=1, id="b")]),
        chunk("tool_calls"),
    )
    assert made == [("remind", FIRST)]


async def test_a_call_in_a_second_choice_or_in_the_older_form_is_one() -> None:
    call = called("remind", FIRST, index=0, id="c")
    both = [{"index": 0, "delta": {"content": "Let me."}}, {"index": 1, "delta": {"tool_calls": [call]}}]
    assert await calls_in({"choices": both}, chunk("tool_calls")) == [("remind", FIRST)]
    assert await calls_in({"choices": both[:1]}, {"choices": both[1:]}, chunk("stop")) == [("remind", FIRST)]
    assert await calls_in(chunk("function_call", function_call=call["function"])) == [("remind", FIRST)]


THOUGHT = (*["SECRET plan. "] * 5, "\n</think>\n\n", "Forty-two apples.")


def in_pieces(*texts: str, finish: str | None = "stop") -> Behaviour:
    return Behaviour(events=(*(chunk(content=text) for text in texts), chunk(finish), "[DONE]"), hold="middle")


async def test_thoughts_before_a_closing_mark_alone_are_held_once_a_model_is_known_to_send_them() -> None:
    """Nothing tells them from an answer before the mark comes: the model's next answers are shown from it on."""
    async with a_bench() as bench:
        bench.server.script("m", *[in_pieces(*THOUGHT)] * 2, Behaviour(text="No thoughts now."))
        for number, shown in enumerate((Shown(), Shown())):
            answering = asyncio.create_task(bench.model.complete(asked(), on_text=shown))
            await bench.server.until_held()
            if not number:
                await shown.more.wait()
            await bench.server.release()
            assert (await answering).text == "Forty-two apples."
            assert shown.texts[-1].strip() == "Forty-two apples."
            assert any("SECRET" in text for text in shown.texts) == (number == 0)
        last = Shown()
        assert (await bench.model.complete(asked(), on_text=last)).text == "No thoughts now."
        assert last.texts == ["No thoughts now."]


async def test_the_first_draft_of_a_model_that_is_named_for_its_thoughts_waits_for_the_answer() -> None:
    async with running() as (server, url):
        server.script("qwen3-4b-thinking", in_pieces(*THOUGHT), "No thoughts now.", "Nor now.")
        async with OpenAIChat(model="qwen3-4b-thinking", api_key=Secret("k"), base_url=url) as model:
            shown = Shown()
            answering = asyncio.create_task(model.complete(asked(), on_text=shown))
            await server.until_held()
            await server.release()
            assert (await answering).text == "Forty-two apples."
            assert not any("SECRET" in text for text in shown.texts)


async def test_a_restart_does_not_show_the_thoughts_of_a_known_model(tmp_path: Path) -> None:
    shown = Shown()
    async with running() as (server, url):
        server.script("m", in_pieces(*THOUGHT), in_pieces(*THOUGHT))
        for on_text in (None, shown):
            async with OpenAIChat(model="m", api_key=Secret("k"), base_url=url, folder=tmp_path) as model:
                answering = asyncio.create_task(model.complete(asked(), on_text=on_text))
                await server.until_held()
                await server.release()
                assert (await answering).text == "Forty-two apples."
    assert shown.texts
    assert not any("SECRET" in text for text in shown.texts)


def test_a_habit_is_forgotten_thirty_days_after_it_was_found(tmp_path: Path) -> None:
    habit = ThinkingHabit(tmp_path, "", "m")
    assert not habit.is_known()
    habit.remember_habit()
    assert habit.is_known()
    assert not ThinkingHabit(tmp_path, "", "n").is_known()
    [file] = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert not ThinkingHabit(file, "", "m").is_known()  # in what is no folder
    past = file.stat().st_mtime - REMEMBERED_SECONDS
    os.utime(file, (past, past))
    assert not habit.is_known()
    for number in range(MAX_FILES + 5):  # the oldest go
        ThinkingHabit(tmp_path, "", str(number)).remember_habit()
    ThinkingHabit(tmp_path, "", "m")
    assert len([*tmp_path.iterdir()]) == MAX_FILES
    assert not file.exists()


@pytest.mark.parametrize("finish", ["length", "network_error"])
async def test_thoughts_that_are_cut_before_their_mark_are_no_answer(finish: str) -> None:
    async with a_bench() as bench:
        bench.server.script("m", Behaviour(text="SECRET</think>Yes."), *[Behaviour(text="SECRET", finish=finish)] * 3)
        assert (await bench.model.complete(asked())).text == "Yes."
        shown = Shown()
        with pytest.raises(ModelBroken) as caught:
            await bench.model.complete(asked(), on_text=shown)
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
async def test_a_call_in_thoughts_that_nothing_follows_is_done(deltas: list[dict[str, object]]) -> None:
    async with a_bench() as bench:
        bench.server.script(
            "m", Behaviour(events=(*(chunk(None, **delta) for delta in deltas), chunk("stop"), "[DONE]"))
        )
        shown = Shown()
        made = await bench.model.with_tools([REMIND]).complete(asked(), on_text=shown)
        assert [(call.name, json.loads(call.arguments)) for call in made.calls] == [("remind", {"text": "fern"})]
        assert (made.text, shown.texts) == ("", [])

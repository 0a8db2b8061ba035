"""Tests of answers in other protocols and of streams of cumulative chunks, as real endpoints sent them.

The cases come from reports to new-api, sub2api, LiteLLM, qwen-code and freellmapi, and from the references of the
protocols.
"""

import asyncio
import json
from pathlib import Path

import pytest

from llm.openai_api import OpenAIChat
from records.errors import BrokenOff
from settings import Secret
from tests.peers.openai_server import Behaviour
from tests.unit.llm.test_odd_streams import REMIND
from tests.unit.llm.test_openai_api import DraftRecorder, make_prompt, open_bench
from tests.unit.llm.test_unheard_of import APPLES, STOP, ask, format_sse, make_chunk, serve_pieces

BODIES = json.loads(Path(__file__).with_name("other_protocols.json").read_text(encoding="utf-8"))
ANSWERS, CALLS = BODIES["answers"], BODIES["calls"]
GROWING = [APPLES[:size] for size in (5, 10, 13, 16, len(APPLES))]


@pytest.mark.parametrize("kind", ANSWERS)
async def test_reads_answer_of_other_protocol_once(kind: str) -> None:
    assert (await ask(ANSWERS[kind].encode())).text == APPLES


@pytest.mark.parametrize("kind", CALLS)
async def test_reads_call_of_other_protocol(kind: str) -> None:
    async with (
        serve_pieces(CALLS[kind].encode()) as url,
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url) as model,
    ):
        made = await model.with_tools([REMIND]).complete(make_prompt())
    assert [(call.name, json.loads(call.arguments)) for call in made.calls] == [("remind", {"text": "fern"})]


async def test_speaker_name_in_delta_is_not_a_call() -> None:
    """MiniMax repeats the speaker's name in each chunk, but not the role."""
    pieces = [
        make_chunk(content=APPLES[:9], name="MiniMax AI"),
        make_chunk(content=APPLES[9:], name="MiniMax AI"),
        STOP,
    ]
    answer = await ask(format_sse(*pieces).encode())
    assert (answer.text, answer.calls) == (APPLES, ())


@pytest.mark.parametrize(
    "item",
    [
        {"type": "tool_call", "tool": "web", "arguments": {"q": "x"}, "output": "SECRET"},  # LM Studio
        {"type": "file_search_call", "id": "a", "results": [{"text": "SECRET"}]},
        {"type": "image_generation_call", "id": "a", "result": "SECRET"},
    ],
)
async def test_ignores_results_of_server_side_tools(item: dict[str, object]) -> None:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": APPLES}]}
    answer = await ask(json.dumps({"status": "completed", "output": [item, message]}).encode())
    assert (answer.text, answer.calls) == (APPLES, ())


async def test_separates_interleaved_parallel_calls() -> None:
    """The Responses protocol repeats all arguments in an event without the name of the call."""
    items = [
        {"type": "function_call", "id": text, "name": "remind", "arguments": json.dumps({"text": text})}
        for text in ("a", "b")
    ]
    added = [{"type": "response.output_item.added", "item": {**item, "arguments": ""}} for item in items]
    done = [{"type": "response.function_call_arguments.done", "arguments": item["arguments"]} for item in items]
    ended = [{"type": "response.output_item.done", "item": item} for item in items]
    events = [*added, *done, *ended, {"type": "response.completed", "response": {"status": "completed"}}]
    body = format_sse(*map(json.dumps, events)).encode()
    async with serve_pieces(body) as url, OpenAIChat(model="m", api_key=Secret("k"), base_url=url) as model:
        made = await model.with_tools([REMIND]).complete(make_prompt())
    assert [json.loads(call.arguments) for call in made.calls] == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize("finish", ["eosFound", "stopStringFound", "stop_str", "eog", "end_of_stream", "STOP"])
async def test_answer_with_finish_reason_of_its_end_is_whole(finish: str) -> None:
    """LM Studio, SGLang, llama.cpp and Gemini."""
    answer = await ask(format_sse(make_chunk(content=APPLES), make_chunk(finish)).encode())
    assert (answer.text, answer.is_truncated) == (APPLES, False)


@pytest.mark.parametrize(
    "finish", ["maxPredictedTokensReached", "contextLengthReached", "FINISH_REASON_MAX_TOKENS", "token_limit_reached"]
)
async def test_answer_with_finish_reason_of_limit_is_truncated(finish: str) -> None:
    answer = await ask(format_sse(make_chunk(content=APPLES), make_chunk(finish)).encode())
    assert (answer.text, answer.is_truncated) == (APPLES, True)


@pytest.mark.parametrize(
    "end",
    [
        format_sse('{"detail": "Internal Server Error"}', done=False),
        format_sse('{"status": "error", "message": "upstream timed out"}', done=False),
        format_sse('{"code": 500, "msg": "stream read error: EOF"}', done=False),
        format_sse('{"errors": [{"message": "capacity exceeded", "code": 3040}], "success": false}', done=False),
        format_sse("Internal Server Error", done=False),
        "<html>\n<head><title>502 Bad Gateway</title></head>\n</html>\n",
    ],
)
async def test_error_in_any_form_behind_text_is_broken_off(end: str) -> None:
    """Errors of FastAPI, new-api, sub2api, Workers AI and nginx. Without one, the same text is a whole answer."""
    text = format_sse(make_chunk(content=APPLES), done=False)
    assert (await ask(text.encode())).text == (await ask((text + format_sse("ping")).encode())).text == APPLES
    with pytest.raises(BrokenOff):
        await ask((text + end).encode())


@pytest.mark.parametrize("pieces", [("ha", "ha!"), ("\n", "\n", "Here."), ("1", "10", "100"), ("la ", "la ", "la la")])
async def test_keeps_all_pieces_with_common_prefix(pieces: tuple[str, ...]) -> None:
    assert (await ask(format_sse(*(make_chunk(content=piece) for piece in pieces), STOP).encode())).text == "".join(
        pieces
    ).strip()


async def test_does_not_duplicate_text_of_cumulative_chunks() -> None:
    async with open_bench() as bench:
        bench.server.script(
            "m", Behaviour(events=(*(make_chunk(content=text) for text in GROWING), STOP, "[DONE]"), step=True)
        )
        shown = DraftRecorder()
        answering = asyncio.create_task(bench.model.complete(make_prompt(), on_text=shown))
        await bench.server.release(len(GROWING) + 2)
        assert (await answering).text == APPLES
        assert all(APPLES.startswith(text) for text in shown.texts)


async def test_estimates_usage_when_response_has_none() -> None:
    """A prompt counted as zero tokens would not be charged to the person's budget."""
    assert (await ask(ANSWERS["anthropic"].encode())).usage.prompt > 0

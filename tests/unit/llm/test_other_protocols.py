"""Answers in the form of other protocols, and texts that come whole in each chunk, as real endpoints sent them.

After reports to new-api, sub2api, LiteLLM, qwen-code and freellmapi, and the references of the protocols.
"""

import asyncio
import json
from pathlib import Path

import pytest

from llm.openai_api import OpenAIChat
from settings import Secret
from tests.peers.openai_server import Behaviour
from tests.unit.llm.test_odd_streams import REMIND
from tests.unit.llm.test_openai_api import Shown, a_bench, asked
from tests.unit.llm.test_unheard_of import APPLES, STOP, ask, chunk, serving, sse

BODIES = json.loads(Path(__file__).with_name("other_protocols.json").read_text(encoding="utf-8"))
ANSWERS, CALLS = BODIES["answers"], BODIES["calls"]
GROWING = [APPLES[:size] for size in (5, 10, 13, 16, len(APPLES))]


@pytest.mark.parametrize("kind", ANSWERS)
async def test_an_answer_in_another_form_is_read_once(kind: str) -> None:
    assert (await ask(ANSWERS[kind].encode())).text == APPLES


@pytest.mark.parametrize("kind", CALLS)
async def test_a_call_in_another_form_is_one(kind: str) -> None:
    async with serving(CALLS[kind].encode()) as url, OpenAIChat(model="m", api_key=Secret("k"), base_url=url) as model:
        made = await model.with_tools([REMIND]).complete(asked())
    assert [(call.name, json.loads(call.arguments)) for call in made.calls] == [("remind", {"text": "fern"})]


async def test_a_message_that_names_its_speaker_calls_nothing() -> None:
    """MiniMax names the speaker in each piece, not the role in each."""
    pieces = [chunk(content=APPLES[:9], name="MiniMax AI"), chunk(content=APPLES[9:], name="MiniMax AI"), STOP]
    answer = await ask(sse(*pieces).encode())
    assert (answer.text, answer.calls) == (APPLES, ())


@pytest.mark.parametrize(
    "item",
    [
        {"type": "tool_call", "tool": "web", "arguments": {"q": "x"}, "output": "SECRET"},  # LM Studio
        {"type": "file_search_call", "id": "a", "results": [{"text": "SECRET"}]},
        {"type": "image_generation_call", "id": "a", "result": "SECRET"},
    ],
)
async def test_what_a_servers_own_tool_returned_is_no_answer(item: dict[str, object]) -> None:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": APPLES}]}
    answer = await ask(json.dumps({"status": "completed", "output": [item, message]}).encode())
    assert (answer.text, answer.calls) == (APPLES, ())


async def test_parallel_calls_whose_pieces_alternate_are_two() -> None:
    """The Responses protocol repeats all arguments in an event without the name of the call."""
    items = [
        {"type": "function_call", "id": text, "name": "remind", "arguments": json.dumps({"text": text})}
        for text in ("a", "b")
    ]
    added = [{"type": "response.output_item.added", "item": {**item, "arguments": ""}} for item in items]
    done = [{"type": "response.function_call_arguments.done", "arguments": item["arguments"]} for item in items]
    ended = [{"type": "response.output_item.done", "item": item} for item in items]
    events = [*added, *done, *ended, {"type": "response.completed", "response": {"status": "completed"}}]
    body = sse(*map(json.dumps, events)).encode()
    async with serving(body) as url, OpenAIChat(model="m", api_key=Secret("k"), base_url=url) as model:
        made = await model.with_tools([REMIND]).complete(asked())
    assert [json.loads(call.arguments) for call in made.calls] == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize("pieces", [("ha", "ha!"), ("\n", "\n", "Here."), ("1", "10", "100"), ("la ", "la ", "la la")])
async def test_pieces_that_begin_alike_are_no_repetition(pieces: tuple[str, ...]) -> None:
    assert (await ask(sse(*(chunk(content=piece) for piece in pieces), STOP).encode())).text == "".join(pieces).strip()


async def test_a_text_that_comes_whole_each_time_is_never_seen_twice() -> None:
    async with a_bench() as bench:
        bench.server.script(
            "m", Behaviour(events=(*(chunk(content=text) for text in GROWING), STOP, "[DONE]"), step=True)
        )
        shown = Shown()
        answering = asyncio.create_task(bench.model.complete(asked(), on_text=shown))
        await bench.server.release(len(GROWING) + 2)
        assert (await answering).text == APPLES
        assert all(APPLES.startswith(text) for text in shown.texts)


async def test_usage_is_estimated_where_none_is_told() -> None:
    """A prompt of no tokens would cost a person's budget nothing."""
    assert (await ask(ANSWERS["anthropic"].encode())).usage.prompt > 0

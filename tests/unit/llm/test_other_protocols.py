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

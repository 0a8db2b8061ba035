"""An endpoint that answers without measure: each answer is bounded, and others go on while it is read."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from llm import openai_api
from llm.endpoint import LONGEST_WORDS, error_message
from llm.event_stream import LINES_AT_ONCE, LONGEST_EVENT, events
from llm.partial_answer import LONGEST_TEXT, MOST_TOKENS
from llm.prompts import SEARCH_MEMORY
from llm.tool_calls import LONGEST_NAME, MOST_CALLS
from records.errors import ModelBroken
from runtime.bounded_json import MOST_PARTS, parsed
from tests.peers.openai_server import Behaviour
from tests.unit.llm.test_openai_api import a_bench, asked


async def chunked(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def delta(**said: object) -> str:
    return json.dumps({"choices": [{"delta": said}]})


@pytest.mark.parametrize("line", [b"\n", b"data: a\n\n", b"data: a\n"])
async def test_others_go_on_while_very_many_lines_are_read(line: bytes) -> None:
    """A chunk is read without waiting for anything; one of 64 kB took 300 ms until another task had its turn."""
    turns, lines = 0, 20 * LINES_AT_ONCE

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    async for _ in events(chunked(line * lines)):
        pass
    task.cancel()
    assert turns >= 19


@pytest.mark.parametrize("piece", [b"data: " + b"a" * 99_993, b"data:a\n" * 14_285])
async def test_an_event_without_end_is_given_up(piece: bytes) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while read < 2 * LONGEST_EVENT:
            read += len(piece)
            yield piece

    with pytest.raises(ModelBroken):
        async for _ in events(endless()):
            pass
    assert read < 1.5 * LONGEST_EVENT


async def test_of_a_call_no_more_is_taken_in_than_a_call_has() -> None:
    """Names and ids go back into the prompt, uncounted."""
    calls = [{"id": "i" * 9_000, "function": {"name": "n" * 9_000, "arguments": "{}"}}] * 20
    async with a_bench() as bench:
        bench.server.script("m", Behaviour(events=(delta(tool_calls=calls), "[DONE]")))
        made = (await bench.model.with_tools([SEARCH_MEMORY]).complete(asked())).calls
    assert len(made) <= MOST_CALLS
    assert {(len(one.id), len(one.name)) for one in made} == {(LONGEST_NAME, LONGEST_NAME)}


async def test_no_endpoint_is_believed_any_number_of_tokens() -> None:
    """No table takes such numbers, so that nobody's use could be written any more."""
    usage = {"prompt_tokens": 10**30, "completion_tokens": 10**30, "prompt_tokens_details": {"cached_tokens": 10**30}}
    async with a_bench() as bench:
        said = Behaviour(events=(delta(content="Yes."), json.dumps({"choices": [], "usage": usage}), "[DONE]"))
        bench.server.script("m", said)
        used = (await bench.model.complete(asked())).usage
    assert (used.prompt, used.completion, used.cached) == (MOST_TOKENS,) * 3


@pytest.mark.parametrize(
    "said",
    [
        Behaviour(events=(delta(content="word " * (LONGEST_TEXT // 5 + 1)), "[DONE]")),
        Behaviour(text="word " * (LONGEST_TEXT // 5 + 1), plain=True),
        Behaviour(raw=json.dumps({"choices": "a" * LONGEST_EVENT}), plain=True),
        Behaviour(raw='{"a": [' + "[]," * MOST_PARTS + "[]]}", plain=True),
        Behaviour(events=('{"choices": [{"delta": {"content": ' + '[{"text":' * 480 + '""' + "}]" * 480 + "}}]}",)),
    ],
    ids=["long text", "long text at once", "long object", "many parts", "nested parts of a text"],
)
async def test_an_answer_beyond_measure_is_a_sentence(said: Behaviour) -> None:
    async with a_bench() as bench:
        bench.server.default("m", said)
        with pytest.raises(ModelBroken):
            await bench.model.complete(asked())


async def test_an_answer_that_goes_on_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often something of it arrives: each sign of life renews the patience."""
    monkeypatch.setattr(openai_api, "LONGEST_TAKEN", -1.0)
    async with a_bench() as bench:
        bench.server.default("m", "Yes.")
        with pytest.raises(ModelBroken):
            await bench.model.complete(asked())


def test_only_the_beginning_of_an_error_is_searched() -> None:
    """80 kB of one word held everybody up for 13 s: some patterns take the square of a text's length."""
    assert len(error_message({"error": {"message": "stream " * 9_000}})) == LONGEST_WORDS
    assert len(error_message("stream " * 9_000)) == LONGEST_WORDS
    assert error_message({"error": {"message": "", "metadata": {"raw": "too long"}}}).strip() == "too long"


def test_a_text_of_json_has_so_many_parts() -> None:
    whole = "[" + "{}," * (MOST_PARTS - 2) + "{}]"
    assert isinstance(parsed(whole), list)
    with pytest.raises(ValueError, match="parts"):
        parsed(f"[{whole}]")

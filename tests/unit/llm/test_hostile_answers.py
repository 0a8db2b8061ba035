"""An endpoint that answers without measure: each answer is bounded, and others go on while it is read."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from chat.tools import SEARCH_MEMORY
from llm import endpoint
from llm.event_reader import MAX_EVENT_BYTES, MAX_WHOLE_BYTES
from llm.failures import MAX_ERROR_CHARS, StatusError
from llm.partial_answer import MAX_TEXT_CHARS, MAX_TOKENS, PartialAnswer
from llm.text_calls import find_calls_in_text
from llm.tool_calls import MAX_CALLS, MAX_NAME_CHARS, MAX_REASONING_CHARS, Reasoning, ToolOffer
from records.errors import ModelBroken, ModelUnreachable
from runtime.bounded_json import MAX_PARTS, parse_untrusted_json
from tests.peers.openai_server import Behaviour
from tests.unit.llm.test_openai_api import a_bench, asked


def delta(**said: object) -> str:
    return json.dumps({"choices": [{"delta": said, "finish_reason": "stop"}]})


async def test_a_long_answer_in_many_events_is_read_to_its_end() -> None:
    async with a_bench() as bench:
        bench.server.script("m", Behaviour(text="word " * (MAX_EVENT_BYTES // 100)))
        assert len((await bench.model.complete(asked())).text) > MAX_EVENT_BYTES // 100 * 4


async def test_of_a_call_no_more_is_taken_in_than_a_call_has() -> None:
    """Names and ids go back into the prompt, uncounted."""
    calls = [{"id": "i" * 9_000, "function": {"name": "n" * 9_000, "arguments": "{}"}}] * 20
    async with a_bench() as bench:
        bench.server.script("m", Behaviour(events=(delta(tool_calls=calls), "[DONE]")))
        made = (await bench.model.with_tools([SEARCH_MEMORY]).complete(asked())).calls
    assert len(made) <= MAX_CALLS
    assert max(max(len(call.id), len(call.name)) for call in made) == MAX_NAME_CHARS


async def test_what_goes_back_with_a_call_is_not_nested_without_measure() -> None:
    """It is written into the next request, which could not be made."""
    deep = json.loads('{"a":' * 900 + "1" + "}" * 900)
    call = {"id": "i", "function": {"name": "search_memory", "arguments": "{}"}, "extra_content": deep}
    async with a_bench() as bench:
        bench.server.script("m", Behaviour(events=(delta(tool_calls=[call]), "[DONE]")))
        [made] = (await bench.model.with_tools([SEARCH_MEMORY]).complete(asked())).calls
    assert made.extra == ""


async def test_no_endpoint_is_believed_any_number_of_tokens() -> None:
    """No table takes such numbers, so that nobody's use could be written any more."""
    usage = {"prompt_tokens": 10**30, "completion_tokens": 10**30, "prompt_tokens_details": {"cached_tokens": 10**30}}
    async with a_bench() as bench:
        said = Behaviour(events=(delta(content="Yes."), json.dumps({"choices": [], "usage": usage}), "[DONE]"))
        bench.server.script("m", said)
        used = (await bench.model.complete(asked())).usage
    assert (used.prompt, used.completion, used.cached) == (MAX_TOKENS,) * 3


@pytest.mark.parametrize(
    "said",
    [
        Behaviour(events=(delta(content="word " * (MAX_TEXT_CHARS // 5 + 1)), "[DONE]")),
        Behaviour(text="word " * (MAX_TEXT_CHARS // 5 + 1), plain=True),
        Behaviour(raw=json.dumps({"choices": "a" * MAX_WHOLE_BYTES}), plain=True),
        Behaviour(events=(delta(content="a" * MAX_EVENT_BYTES),)),
        Behaviour(events=("a\ndata:" * (MAX_EVENT_BYTES // 6),)),
        Behaviour(events=("[" * 100_000,)),
        Behaviour(events=(delta(content="Yes.").replace("Y", "\\ud800").replace('"stop"', "null"), "{\ufeff}")),
        Behaviour(events=('{"choices": [{"index": ' + "9" * 5_000 + "}]}",)),
        Behaviour(raw='{"a": [' + "[]," * MAX_PARTS + "[]]}", plain=True),
        Behaviour(events=('{"choices": [{"delta": {"content": ' + '[{"text":' * 480 + '""' + "}]" * 480 + "}}]}",)),
    ],
    ids=[
        "long text",
        "long text at once",
        "long object",
        "long event",
        "event of many lines",
        "deep event",
        "no JSON",
        "long number",
        "many parts",
        "nested parts of a text",
    ],
)
async def test_an_answer_beyond_measure_is_a_sentence(said: Behaviour) -> None:
    async with a_bench() as bench:
        bench.server.default("m", said)
        with pytest.raises(ModelBroken):
            await bench.model.complete(asked())


async def test_an_answer_that_goes_on_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often something of it arrives: each sign of life restarts the timer."""
    monkeypatch.setattr(endpoint, "MAX_CALL_SECONDS", -1.0)
    async with a_bench() as bench:
        bench.server.default("m", "Yes.")
        with pytest.raises(ModelBroken):
            await bench.model.complete(asked())


async def test_an_answer_that_stands_still_is_given_up_however_often_a_byte_arrives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Signs of life, and chunks with nothing in them, held a turn for an hour."""
    monkeypatch.setattr(endpoint, "STRETCH", 0.001)
    async with a_bench() as bench:
        empty = json.dumps({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
        bench.server.default("m", Behaviour(events=(": processing", empty, "[DONE]"), hold="middle"))
        with pytest.raises(ModelUnreachable, match=r"in time. \(0.02 s\)"):
            async with asyncio.timeout(10):  # before the model's own 20 s of silence are over
                await bench.model.complete(asked())


async def test_an_answer_that_grows_has_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thoughts count, and calls: a small machine takes its time over them."""
    until: list[float] = []
    moment = 1_000.0
    monkeypatch.setattr(endpoint, "MIN_GROWTH_CHARS", 1)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: moment)
    timeout: Any = SimpleNamespace(reschedule=until.append)
    timer = endpoint.CallTimer(timeout, 60.0, 10_000.0)
    timer.restart_timeout()
    for chunk in ({"reasoning_content": "Hm"}, {"tool_calls": [{"index": 0}]}, {"content": "a"}, {"content": ""}):
        moment += 590
        timer.restart_timeout()
        timer.extend_timeout_on_progress(
            PartialAnswer(offer=ToolOffer()).add_chunk_and_count_chars(
                {"choices": [{"delta": {"role": "assistant"} | chunk}]}
            )
        )
    assert until == [1_060, 1_600, 1_650, 2_190, 2_240, 2_780, 2_830, 3_370], "an empty chunk moves nothing"


def test_only_the_beginning_of_an_error_is_searched() -> None:
    """80 kB of one word held everybody up for 13 s: some patterns take the square of a text's length."""
    assert len(StatusError(400, {"error": {"message": "stream " * 9_000}}).message) == MAX_ERROR_CHARS
    assert len(StatusError(400, "stream " * 9_000).message) == MAX_ERROR_CHARS
    assert StatusError(400, {"error": {"message": "", "metadata": {"raw": "too long"}}}).message == "too long"


def test_a_text_of_json_has_so_many_parts() -> None:
    whole = "[" + "{}," * (MAX_PARTS - 2) + "{}]"
    assert isinstance(parse_untrusted_json(whole), list)
    with pytest.raises(ValueError, match="parts"):
        parse_untrusted_json(f"[{whole}]")


def test_a_null_before_the_reasoning_hides_none_of_it() -> None:
    """vLLM and OpenRouter send `null` in chunks without reasoning."""
    reasoning = Reasoning()
    for said in (None, "First ", None, "second"):
        reasoning.add({"reasoning_content": said, "reasoning_details": None if said is None else [{"text": said}]})
    assert json.loads(reasoning.to_json()) == {
        "reasoning_content": "First second",
        "reasoning_details": [{"text": "First "}, {"text": "second"}],
    }


def test_reasoning_in_parts_has_a_bound() -> None:
    reasoning = Reasoning()
    for _ in range(500):  # Claude by OpenRouter sends its thoughts in as many
        reasoning.add({"reasoning_details": [{"type": "reasoning.text", "text": "a" * 20}]})
    assert len(json.loads(reasoning.to_json())["reasoning_details"]) == 500
    for _ in range(100):
        reasoning.add({"reasoning_details": [{"text": "a" * MAX_REASONING_CHARS}]})
    assert reasoning.to_json() == "", "its calls go back without"
    assert len(str(reasoning)) < 2 * MAX_REASONING_CHARS


def test_a_call_between_two_sentences_that_is_too_long_to_be_read_is_shown() -> None:
    call = json.dumps({"name": "remind", "arguments": {"text": "word " * 2_500}})
    text = f"Here it is:\n```\n{call}\n```\nThat is how."
    assert find_calls_in_text(text, {"remind": ("text",)}, is_whole=True).shown == text

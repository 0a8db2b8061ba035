"""Answers of a hostile endpoint are bounded and do not block other work."""

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
from llm.tool_calls import MAX_CALLS, MAX_NAME_CHARS, MAX_REASONING_CHARS, Reasoning, ToolOffer
from llm.written.calls import find_calls_in_text
from llm.written.thoughts import remove_thoughts
from records.errors import ModelBroken, ModelError, ModelUnreachable
from runtime.bounded_json import MAX_PARTS, parse_untrusted_json
from tests.peers.openai_server import Behaviour
from tests.support.processor_time import count_units
from tests.unit.llm.test_openai_api import make_prompt, open_bench


def make_delta_event(**said: object) -> str:
    return json.dumps({"choices": [{"delta": said, "finish_reason": "stop"}]})


async def test_reads_long_answer_in_many_events_completely() -> None:
    async with open_bench() as bench:
        bench.server.script("m", Behaviour(text="word " * (MAX_EVENT_BYTES // 100)))
        assert len((await bench.model.complete(make_prompt())).text) > MAX_EVENT_BYTES // 100 * 4


async def test_limits_number_of_calls_and_length_of_call_ids_and_names() -> None:
    """Call ids and names are sent back in the next prompt, but do not count toward its tokens."""
    calls = [{"id": "i" * 9_000, "function": {"name": "n" * 9_000, "arguments": "{}"}}] * 20
    async with open_bench() as bench:
        bench.server.script("m", Behaviour(events=(make_delta_event(tool_calls=calls), "[DONE]")))
        made = (await bench.model.with_tools([SEARCH_MEMORY]).complete(make_prompt())).calls
    assert len(made) <= MAX_CALLS
    assert max(max(len(call.id), len(call.name)) for call in made) == MAX_NAME_CHARS


async def test_drops_deeply_nested_extra_content_of_call() -> None:
    """The next request repeats the extra content, and content nested this deeply could not be serialized."""
    deep = json.loads('{"a":' * 900 + "1" + "}" * 900)
    call = {"id": "i", "function": {"name": "search_memory", "arguments": "{}"}, "extra_content": deep}
    async with open_bench() as bench:
        bench.server.script("m", Behaviour(events=(make_delta_event(tool_calls=[call]), "[DONE]")))
        [made] = (await bench.model.with_tools([SEARCH_MEMORY]).complete(make_prompt())).calls
    assert made.extra == ""


async def test_caps_reported_token_usage() -> None:
    """The usage ledger cannot store such large numbers, and one of them would stop all further writes."""
    usage = {"prompt_tokens": 10**30, "completion_tokens": 10**30, "prompt_tokens_details": {"cached_tokens": 10**30}}
    async with open_bench() as bench:
        said = Behaviour(
            events=(make_delta_event(content="Yes."), json.dumps({"choices": [], "usage": usage}), "[DONE]")
        )
        bench.server.script("m", said)
        used = (await bench.model.complete(make_prompt())).usage
    assert (used.prompt, used.completion, used.cached) == (MAX_TOKENS,) * 3


@pytest.mark.parametrize(
    "said",
    [
        Behaviour(events=(make_delta_event(content="word " * (MAX_TEXT_CHARS // 5 + 1)), "[DONE]")),
        Behaviour(text="word " * (MAX_TEXT_CHARS // 5 + 1), plain=True),
        Behaviour(raw=json.dumps({"choices": "a" * MAX_WHOLE_BYTES}), plain=True),
        Behaviour(events=(make_delta_event(content="a" * MAX_EVENT_BYTES),)),
        Behaviour(events=("a\ndata:" * (MAX_EVENT_BYTES // 6),)),
        Behaviour(events=("[" * 100_000,)),
        Behaviour(
            events=(make_delta_event(content="Yes.").replace("Y", "\\ud800").replace('"stop"', "null"), "{\ufeff}")
        ),
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
async def test_rejects_oversized_or_malformed_answer(said: Behaviour) -> None:
    async with open_bench() as bench:
        bench.server.set_default_answer("m", said)
        with pytest.raises(ModelError):
            await bench.model.complete(make_prompt())


async def test_rejects_answer_that_exceeds_max_call_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The total time is limited too, because each chunk restarts the timer."""
    monkeypatch.setattr(endpoint, "MAX_CALL_SECONDS", -1.0)
    async with open_bench() as bench:
        bench.server.set_default_answer("m", "Yes.")
        with pytest.raises(ModelBroken):
            await bench.model.complete(make_prompt())


async def test_keep_alives_do_not_prevent_timeout_of_stalled_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep-alive comments and empty chunks once kept a turn waiting for an hour."""
    monkeypatch.setattr(endpoint, "STRETCH", 0.001)
    async with open_bench() as bench:
        empty = json.dumps({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
        bench.server.set_default_answer("m", Behaviour(events=(": processing", empty, "[DONE]"), hold="middle"))
        with pytest.raises(ModelUnreachable, match=r"in time. \(0.02 s\)"):
            async with asyncio.timeout(10):  # before the model's own 20 s of silence are over
                await bench.model.complete(make_prompt())


async def test_growing_answer_extends_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thoughts and tool calls count as progress, because a slow machine needs a long time for them."""
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


def test_truncates_long_error_message() -> None:
    """80 kB of one word blocked the process for 13 s, because some patterns take quadratic time."""
    assert len(StatusError(400, {"error": {"message": "stream " * 9_000}}).message) == MAX_ERROR_CHARS
    assert len(StatusError(400, "stream " * 9_000).message) == MAX_ERROR_CHARS
    assert StatusError(400, {"error": {"message": "", "metadata": {"raw": "too long"}}}).message == "too long"


@pytest.mark.parametrize("field", ["code", "type"])
def test_truncates_long_error_code(field: str) -> None:
    """64 kB of one word as a code, which the same patterns search, blocked the process for 8 s."""
    long = StatusError(400, {"error": {field: "context_length_exceeded" + "max" * 20_000, "message": "no"}})
    assert len(long.searchable_text) <= MAX_ERROR_CHARS
    assert long.kind == "length"


def test_parse_untrusted_json_limits_number_of_parts() -> None:
    whole = "[" + "{}," * (MAX_PARTS - 2) + "{}]"
    assert isinstance(parse_untrusted_json(whole), list)
    with pytest.raises(ValueError, match="parts"):
        parse_untrusted_json(f"[{whole}]")


def test_skips_null_reasoning_chunks() -> None:
    """vLLM and OpenRouter send `null` in chunks without reasoning."""
    reasoning = Reasoning()
    for said in (None, "First ", None, "second"):
        reasoning.add({"reasoning_content": said, "reasoning_details": None if said is None else [{"text": said}]})
    assert json.loads(reasoning.to_json()) == {
        "reasoning_content": "First second",
        "reasoning_details": [{"text": "First "}, {"text": "second"}],
    }


def test_drops_reasoning_details_beyond_max_chars() -> None:
    reasoning = Reasoning()
    for _ in range(500):  # Claude by OpenRouter sends its thoughts in as many
        reasoning.add({"reasoning_details": [{"type": "reasoning.text", "text": "a" * 20}]})
    assert len(json.loads(reasoning.to_json())["reasoning_details"]) == 500
    for _ in range(100):
        reasoning.add({"reasoning_details": [{"text": "a" * MAX_REASONING_CHARS}]})
    assert reasoning.to_json() == "", "its calls go back without"
    assert len(str(reasoning)) < 2 * MAX_REASONING_CHARS


def test_looks_for_call_in_many_blanks_in_linear_time() -> None:
    """The search for its object began at each blank again: a second for 16,000 of them."""
    with count_units() as stopwatch:
        found = find_calls_in_text(f"<tool_call>{' ' * 16_000}", {"remind": ("text",)}, is_whole=True)
    assert (found.is_broken, stopwatch.units < 100) == (True, True)


@pytest.mark.parametrize("text", ["> Thinking:" + " " * 20_000, "*Thinking...*" + "\n" * 20_000])
def test_reads_blanks_behind_heading_of_thoughts_in_linear_time(text: str) -> None:
    """Each blank was tried as the end of the line: a second, and again with every draft."""
    with count_units() as stopwatch:
        assert remove_thoughts(text) == text
    assert stopwatch.units < 100

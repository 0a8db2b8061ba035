"""Tests of the responses of several providers' endpoints.

`source` lists the origin of each body: recorded here (llama.cpp), in the shape of a published capture, or written
from the provider's documentation. Bodies that were not recorded contain our own words. If a provider accepts every
schema today, its refusal is that of an older version, in the provider's error format.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from chat.tools import SEARCH_MEMORY
from llm.openai_api import OpenAIChat
from records.errors import ContextTooLong, ModelBusy, ModelLoading
from records.model_calls import PromptMessage
from settings import Secret
from tests.peers.openai_server import Behaviour, OpenAIServer, run_openai_server

PROVIDERS: dict[str, Mapping[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "peers" / "providers.json").read_text(encoding="utf-8")
)
SCHEMA = {"name": "facts", "schema": {"type": "object"}}

for_each_peer = pytest.mark.parametrize("peer", PROVIDERS.values(), ids=PROVIDERS)


class ProviderBench:
    """A model with its server, recording the drafts shown and the pauses."""

    def __init__(self, server: OpenAIServer, url: str) -> None:
        self.server, self.url = server, url
        self.drafts: list[str] = []
        self.pauses: list[float] = []
        self.model = OpenAIChat(
            model="m", api_key=Secret(""), base_url=url, timeout=20.0, sleep=self.wait, jitter=lambda: 0.0
        )

    async def wait(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def show(self, text: str) -> None:
        self.drafts.append(text)

    def list_request_bodies(self) -> list[Mapping[str, Any]]:
        return [request.body for request in self.server.requests]


@pytest.fixture
async def bench() -> AsyncIterator[ProviderBench]:
    async with run_openai_server() as (server, url):
        bench = ProviderBench(server, url)
        async with bench.model:
            yield bench


def make_prompt(words: str = "Hello?") -> list[PromptMessage]:
    return [PromptMessage(role="system", content="Be kind."), PromptMessage(role="user", content=words)]


def make_stream(events: list[Mapping[str, Any] | str]) -> Behaviour:
    """Return a streamed answer. Events are encoded as JSON, and strings such as comments are sent unchanged."""
    return Behaviour(events=(*(event if isinstance(event, str) else json.dumps(event) for event in events), "[DONE]"))


def get_expected_usage(peer: Mapping[str, Any], body: str) -> tuple[int, ...]:
    """Return the prompt, completion and cached tokens that a body reports."""
    return tuple(peer.get("said", {}).get(body, (20, 4, peer["cached"])))


def make_refusal(refusal: list[Any]) -> Behaviour:
    status, body, *_ = refusal
    return Behaviour(status=status, raw=json.dumps(body))


@for_each_peer
def test_every_peer_body_has_source(peer: Mapping[str, Any]) -> None:
    known = {"recorded here", "captured by others", "documentation"}
    assert known.issuperset(peer["source"])
    named = [body for bodies in peer["source"].values() for body in bodies]
    assert sorted(named) == sorted(peer.keys() - {"source", "said", "cached"})


@for_each_peer
async def test_reads_plain_answer(bench: ProviderBench, peer: Mapping[str, Any]) -> None:
    bench.server.script("m", Behaviour(raw=json.dumps(peer["answer"]), plain=True))
    made = await bench.model.complete(make_prompt(), on_text=bench.show)
    assert made.text == peer.get("said", {}).get("text", "Hello there.")
    assert bench.drafts == [made.text]
    assert (made.usage.prompt, made.usage.completion, made.usage.cached) == get_expected_usage(peer, "answer")


@for_each_peer
async def test_reads_streamed_answer(bench: ProviderBench, peer: Mapping[str, Any]) -> None:
    bench.server.script("m", make_stream(peer["stream"]))
    made = await bench.model.complete(make_prompt(), on_text=bench.show)
    assert made.text == peer.get("said", {}).get("text", "Hello there.")
    assert bench.drafts[-1] == made.text
    assert all(made.text.startswith(draft) for draft in bench.drafts)
    assert (made.usage.prompt, made.usage.completion, made.usage.cached) == get_expected_usage(peer, "stream")


@for_each_peer
async def test_reads_tool_call(bench: ProviderBench, peer: Mapping[str, Any]) -> None:
    bench.server.script("m", make_stream(peer["call"]))
    made = await bench.model.with_tools([SEARCH_MEMORY]).complete(make_prompt(), on_text=bench.show)
    (call,) = made.calls
    assert (call.name, json.loads(call.arguments)) == ("search_memory", {"query": "walnuts"})
    assert call.id
    assert not any("{" in text or "`" in text for text in bench.drafts)


async def test_returns_gemini_thought_signatures_with_calls(bench: ProviderBench) -> None:
    """Gemini 3 sends each call whole and without an index, and refuses calls that come back without signatures."""
    signed = [{"google": {"thought_signature": f"El4K{number}"}} for number in range(2)]
    functions = [{"name": "search_memory", "arguments": json.dumps({"query": word})} for word in ("walnuts", "pears")]
    chunks = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"id": "", "function": said, "extra_content": extra}]}}]}
        for said, extra in zip(functions, signed, strict=True)
    ]
    bench.server.script("m", make_stream([*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]))
    made = await bench.model.with_tools([SEARCH_MEMORY]).complete(make_prompt())
    assert [json.loads(call.arguments)["query"] for call in made.calls] == ["walnuts", "pears"]
    bench.server.script("m", "Both.")
    results = [PromptMessage(role="tool", content="none", call_id=call.id) for call in made.calls]
    await bench.model.complete(
        [*make_prompt(), PromptMessage(role="assistant", content="", calls=made.calls), *results]
    )
    sent = next(
        body["tool_calls"] for body in bench.list_request_bodies()[-1]["messages"] if body["role"] == "assistant"
    )
    assert [(call["function"], call["extra_content"]) for call in sent] == list(zip(functions, signed, strict=True))


async def test_drops_overlong_or_non_object_extra_content(bench: ProviderBench) -> None:
    function = {"name": "search_memory", "arguments": '{"query": "walnuts"}'}
    for extra in ({"google": "x" * 30_000}, "El4K"):
        call = {"index": 0, "id": "a", "function": function, "extra_content": extra}
        chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
        bench.server.script("m", make_stream([chunk]))
        made = await bench.model.with_tools([SEARCH_MEMORY]).complete(make_prompt())
        assert [call.extra for call in made.calls] == [""]


@for_each_peer
async def test_omits_schema_after_refusal(bench: ProviderBench, peer: Mapping[str, Any]) -> None:
    bench.server.script_schema("facts", make_refusal(peer["no_schema"]))
    bench.server.set_default_answer("m", '{"facts": []}')
    for _ in range(2):
        assert (await bench.model.complete(make_prompt(), schema=SCHEMA)).text == '{"facts": []}'
    is_harmless = ["Reply with the word" in str(body["messages"]) for body in bench.list_request_bodies()]
    assert sum(is_harmless) == (peer["no_schema"][0] == 404), "the model may be unknown"
    asked_for = [
        "response_format" in body
        for body, is_one in zip(bench.list_request_bodies(), is_harmless, strict=True)
        if not is_one
    ]
    assert asked_for == [True, False, False]


@pytest.mark.parametrize("name", [name for name, peer in PROVIDERS.items() if "no_tools" in peer])
async def test_omits_tools_after_refusal(bench: ProviderBench, name: str) -> None:
    bench.server.script("m", make_refusal(PROVIDERS[name]["no_tools"]), "Hello.", "Again.")
    model = bench.model.with_tools([SEARCH_MEMORY])
    assert [(await model.complete(make_prompt())).text for _ in range(2)] == ["Hello.", "Again."]
    assert ["tools" in body for body in bench.list_request_bodies()] == [True, False, False]


@for_each_peer
async def test_learns_prompt_limit_from_context_overflow(bench: ProviderBench, peer: Mapping[str, Any]) -> None:
    *_, limit = peer["too_long"]
    bench.server.script("m", make_refusal(peer["too_long"]))
    with pytest.raises(ContextTooLong):
        await bench.model.complete(make_prompt("word " * 1500))
    assert bench.model.max_prompt_tokens is not None
    assert bench.model.max_prompt_tokens < min(1500, limit or 1500)


@for_each_peer
async def test_retries_busy_endpoint_and_finally_raises(bench: ProviderBench, peer: Mapping[str, Any]) -> None:
    status, body, after, *told = peer["busy"]  # told: the seconds that the body names
    busy = Behaviour(status=status, raw=json.dumps(body), retry_after=after)
    bench.server.script("m", busy, "Now.")
    assert (await bench.model.complete(make_prompt())).text == "Now."
    wait = float(after or (*told, 0.25)[0])
    assert bench.pauses[0] == pytest.approx(wait, rel=0.1) or "Loading" in json.dumps(body)
    bench.server.script("m", *[busy] * 200)
    with pytest.raises(ModelBusy) as caught:
        await bench.model.complete(make_prompt())
    assert isinstance(caught.value, ModelLoading) == ("Loading" in json.dumps(body))


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([{"reasoning_content": "They want "}, {"reasoning_content": "it."}], {"reasoning_content": "They want it."}),
        ([{"reasoning": "Hm."}], {"reasoning": "Hm."}),
        ([{"thinking_blocks": [{"signature": "x"}]}], {"thinking_blocks": [{"signature": "x"}]}),
        ([{"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}],
         {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}),
        ([{"reasoning_content": "x" * 70_000}], {}),
    ],
)  # fmt: skip
async def test_returns_reasoning_with_calls(
    bench: ProviderBench, pieces: Sequence[Mapping[str, object]], expected: Mapping[str, object]
) -> None:
    """DeepSeek refuses all later requests of the turn without the reasoning. Overlong reasoning is omitted."""
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "note", "arguments": "{}"}}
    deltas = [*pieces, {"tool_calls": [call]}]
    events = [json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) for delta in deltas]
    bench.server.script("m", Behaviour(events=(*events, "[DONE]")), "Done.")
    made = await bench.model.complete(make_prompt())
    results = [PromptMessage(role="tool", content="noted", call_id=made.calls[0].id)]
    again = PromptMessage(role="assistant", content="", calls=made.calls, reasoning=made.reasoning)
    await bench.model.complete([*make_prompt(), again, *results])
    sent = next(message for message in bench.server.list_requests("m")[-1].messages if message["role"] == "assistant")
    assert {name: sent[name] for name in sent if "reason" in name or "think" in name} == expected


@pytest.mark.parametrize(
    ("model", "is_marked"),
    [("gpt-5.6", True), ("gpt-6-luna", True), ("openai/gpt-5.7-mini", True), ("gpt-5.4-mini", False),
     ("gpt-5", False), ("gpt-oss-120b", False), ("llama-3.3-70b", False)],
)  # fmt: skip
async def test_sets_cache_breakpoint_only_for_supporting_models(
    bench: ProviderBench, model: str, is_marked: bool
) -> None:
    prompt = [
        PromptMessage(role="system", content="Be kind."), PromptMessage(role="user", content="The summaries."),
        PromptMessage(role="assistant", content="Noted."), PromptMessage(role="user", content="The clock, and: hello?"),
    ]  # fmt: skip
    bench.server.set_default_answer(model, "Hello.")
    async with OpenAIChat(model=model, api_key=Secret("k"), base_url=bench.url, timeout=20) as chat:
        for scope in ("7", "7", "8"):
            await chat.for_person(scope).complete(prompt)
    keys = [request.body.get("prompt_cache_key") for request in bench.server.list_requests(model)]
    last = bench.server.list_requests(model)[-1].body["messages"]
    assert (keys[0] is not None and keys[0] == keys[1] != keys[2]) == is_marked
    assert isinstance(last[-1]["content"], str)
    if is_marked:
        (part,) = last[1]["content"]
        assert part["text"] == "The summaries."
        assert part["prompt_cache_breakpoint"]["mode"] == "explicit"
    else:
        assert keys == [None] * 3
        assert "prompt_cache_breakpoint" not in str(last)


async def test_omits_cache_breakpoints_after_refusal(bench: ProviderBench) -> None:
    prompt = [PromptMessage(role="user", content=word) for word in ("Stable.", "New?")]
    prompt.insert(1, PromptMessage(role="assistant", content="Yes."))
    message = "Unknown parameter: 'messages[0].content[0].prompt_cache_breakpoint'."
    bench.server.script("gpt-6", Behaviour(status=400, message=message), "Hello.", "Again.")
    async with OpenAIChat(model="gpt-6", api_key=Secret("k"), base_url=bench.url, timeout=20) as chat:
        for _ in range(2):
            await chat.for_person("7").complete(prompt)
    assert ["prompt_cache_key" in request.body for request in bench.server.list_requests("gpt-6")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 30}},
        {"input_tokens": 30, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 30},
        {"prompt_tokens": 100, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 30},
        {"prompt_tokens": 100.0, "prompt_tokens_details": {"cached_tokens": 40, "cache_creation_tokens": 30}},
        {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 30}},
        {"promptTokenCount": 100, "cachedContentTokenCount": 40, "cache_write_tokens": 30},
    ],
)
async def test_reads_cached_and_written_tokens_by_any_name(bench: ProviderBench, usage: Mapping[str, object]) -> None:
    """Anthropic does not count cached tokens as input tokens. LiteLLM uses Anthropic's names, but includes them."""
    answer = {"choices": [{"index": 0, "delta": {"content": "Hello."}, "finish_reason": "stop"}]}
    bench.server.script("m", make_stream([answer, {"choices": [], "usage": usage}]))
    used = (await bench.model.complete(make_prompt())).usage
    assert (used.prompt, used.cached, used.written) == (100, 40, 30)

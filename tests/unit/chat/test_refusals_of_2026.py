"""Tests of refusals that providers and gateways sent in 2026, as reported to opencode, pi, openclaw and others."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.peers.raw_server import Json, RawAnswer, get_request_text, make_answer, make_refusal
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, open_talk_with_server
from tests.unit.chat.test_servers_of_2026 import APPLES, has_system, is_long, make_feature_check

REFUSALS = json.loads(Path(__file__).with_name("refusals_of_2026.json").read_text(encoding="utf-8"))
IS_REFUSED: Mapping[str, Callable[[Json], bool]] = {
    "long": is_long,
    "system": has_system,
    "tools": make_feature_check("tools"),
    "stream": make_feature_check("stream"),
    "stream_options": make_feature_check("stream_options"),
    "streamed tools": lambda request: "tools" in request and bool(request.get("stream")),
}


@pytest.mark.parametrize("kind", REFUSALS)
async def test_refusal_in_new_wording_is_retried_in_simpler_form(tmp_path: Path, kind: str) -> None:
    refused, status, body = REFUSALS[kind].values()

    def answer(request: Json) -> RawAnswer:
        if not IS_REFUSED[refused](request):
            return make_answer(APPLES)
        return RawAnswer(body=body.encode(), status=status) if isinstance(body, str) else make_refusal(status, body)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert (await talk.say("word " * 3_000 if refused == "long" else "How many?")).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS


@pytest.mark.parametrize("kind", ["sglang sys", "llama.cpp roles", "kserve 500"])
async def test_simpler_form_is_remembered_after_fault_that_names_reason(tmp_path: Path, kind: str) -> None:
    refused, status, body = REFUSALS[kind].values()
    is_refused = IS_REFUSED[refused]

    def answer(request: Json) -> RawAnswer:
        return make_refusal(status, body) if is_refused(request) else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert (await talk.say("word " * 3_000 if refused == "long" else "How many?")).text == APPLES
        server.requests.clear()
        for question in ("And today?", "And now?"):
            assert (await talk.say(question)).text == APPLES
        assert len(server.requests) == 2


async def test_message_declined_as_over_limit_does_not_affect_later_turns(tmp_path: Path) -> None:
    body = {"error": {"message": "Request rejected: per-request limit exceeded", "type": "rate_limit_error"}}

    def answer(request: Json) -> RawAnswer:
        return make_refusal(400, body) if "zorkblat" in get_request_text(request) else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert "declined" in (await talk.say("please explain zorkblat to me")).text
        for question in ("How many?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS


@pytest.mark.parametrize("kind", ["stream, Chinese", "stream, 422", "stream, 500"])
async def test_server_without_streaming_soon_gets_complete_requests(tmp_path: Path, kind: str) -> None:
    _, status, body = REFUSALS[kind].values()

    def answer(request: Json) -> RawAnswer:
        return make_refusal(status, body) if request.get("stream") else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        for question in ("How many?", "And today?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
        [request] = server.requests
        assert has_system(request)
        assert make_feature_check("tools")(request)
        assert "And today?" in get_request_text(request)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "the request exceeds the available context size, try increasing it"}}),  # llama.cpp
        (413, ""),
        (500, {"error": "ValueError : Input length 5000 exceeds the maximum allowed"}),  # KServe
    ],
)
async def test_long_message_is_shortened_until_small_server_accepts(tmp_path: Path, status: int, body: object) -> None:
    def answer(request: Json) -> RawAnswer:
        return make_refusal(status, body) if len(get_request_text(request).split()) > 400 else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS


async def test_message_that_never_fits_is_reported_as_too_long(tmp_path: Path) -> None:
    async with open_talk_with_server(
        tmp_path, lambda _: make_refusal(400, {"error": {"message": "prompt is too long"}})
    ) as (talk, _):
        await talk.turn_on_memory()
        assert "too long" in (await talk.say("word " * 700)).text


async def test_single_message_is_sent_after_alternating_roles_error(tmp_path: Path) -> None:
    body = {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}}

    def answer(request: Json) -> RawAnswer:
        return make_answer(APPLES) if len(request["messages"]) == 1 else make_refusal(400, body)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        for question in ("How many?", "And today?", "And now?", "And then?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
        assert "How many?" in get_request_text(server.requests[-1])


async def test_temporary_fault_that_names_roles_is_not_remembered(tmp_path: Path) -> None:
    fault = make_refusal(500, {"error": {"message": 'FATAL: role "litellm" is not permitted to log in'}})
    answers = iter([fault, *[make_answer(APPLES)] * 9])
    async with open_talk_with_server(tmp_path, lambda _: next(answers)) as (talk, server):
        for question in ("How many?", "And today?"):
            assert (await talk.say(question)).text == APPLES
            assert has_system(server.requests[-1])


@pytest.mark.parametrize("kind", ["bedrock streamed tools", "openai unverified", "openrouter unverified", "o1 stream"])
async def test_refused_stream_costs_one_request_once_and_keeps_tools(tmp_path: Path, kind: str) -> None:
    """Bedrock's Llama takes tools and streams, but not both. OpenRouter quotes the refusal that names the parameter."""
    refused, status, body = REFUSALS[kind].values()

    def answer(request: Json) -> RawAnswer:
        return make_refusal(status, body) if IS_REFUSED[refused](request) else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, server):
        await talk.turn_on_memory()
        for question in ("How many?", "And today?", "And now?"):
            assert (await talk.say(question)).text == APPLES
        assert len(server.requests) == 4
        assert "tools" in server.requests[-1]
        assert has_system(server.requests[-1])

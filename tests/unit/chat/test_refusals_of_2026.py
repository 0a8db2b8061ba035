"""Refusals that providers and gateways sent in 2026, after reports to opencode, pi, openclaw, archestra and others."""

import json
from pathlib import Path

import pytest

from tests.peers.raw_server import Json, Raw, refusal, said, words_of
from tests.unit.chat.test_odd_endpoints import MAX_REQUESTS, talking_to
from tests.unit.chat.test_servers_of_2026 import APPLES, has_feature, has_system, is_long

REFUSALS = json.loads(Path(__file__).with_name("refusals_of_2026.json").read_text(encoding="utf-8"))
IS_REFUSED = {
    "long": is_long,
    "system": has_system,
    "tools": has_feature("tools"),
    "stream": has_feature("stream"),
    "stream_options": has_feature("stream_options"),
}


@pytest.mark.parametrize("kind", REFUSALS)
async def test_what_is_refused_in_new_words_is_answered_in_a_simpler_form(tmp_path: Path, kind: str) -> None:
    refused, status, body = REFUSALS[kind].values()

    def answer(request: Json) -> Raw:
        if not IS_REFUSED[refused](request):
            return said(APPLES)
        return Raw(body=body.encode(), status=status) if isinstance(body, str) else refusal(status, body)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert (await talk.say("word " * 3_000 if refused == "long" else "How many?")).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS


@pytest.mark.parametrize("kind", ["sglang sys", "llama.cpp roles", "kserve 500"])
async def test_what_helped_after_a_fault_that_says_its_reason_is_remembered(tmp_path: Path, kind: str) -> None:
    refused, status, body = REFUSALS[kind].values()
    is_refused = IS_REFUSED[refused]

    def answer(request: Json) -> Raw:
        return refusal(status, body) if is_refused(request) else said(APPLES)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert (await talk.say("word " * 3_000 if refused == "long" else "How many?")).text == APPLES
        server.requests.clear()
        for question in ("And today?", "And now?"):
            assert (await talk.say(question)).text == APPLES
        assert len(server.requests) == 2


async def test_a_message_declined_in_words_about_a_limit_does_not_end_the_chat(tmp_path: Path) -> None:
    body = {"error": {"message": "Request rejected: per-request limit exceeded", "type": "rate_limit_error"}}

    def answer(request: Json) -> Raw:
        return refusal(400, body) if "zorkblat" in words_of(request) else said(APPLES)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert "declined" in (await talk.say("please explain zorkblat to me")).text
        for question in ("How many?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS


@pytest.mark.parametrize("kind", ["stream, Chinese", "stream, 422", "stream, 500"])
async def test_a_server_that_does_not_stream_soon_gets_the_whole_talk(tmp_path: Path, kind: str) -> None:
    _, status, body = REFUSALS[kind].values()

    def answer(request: Json) -> Raw:
        return refusal(status, body) if request.get("stream") else said(APPLES)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        for question in ("How many?", "And today?", "And now?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
        [request] = server.requests
        assert has_system(request)
        assert has_feature("tools")(request)
        assert "And today?" in words_of(request)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "the request exceeds the available context size, try increasing it"}}),  # llama.cpp
        (413, ""),
        (500, {"error": "ValueError : Input length 5000 exceeds the maximum allowed"}),  # KServe
    ],
)
async def test_a_long_message_to_a_small_server_is_shortened_until_it_fits(
    tmp_path: Path, status: int, body: object
) -> None:
    def answer(request: Json) -> Raw:
        return refusal(status, body) if len(words_of(request).split()) > 400 else said(APPLES)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        assert (await talk.say("word " * 3_000)).text == APPLES
        assert len(server.requests) <= MAX_REQUESTS


async def test_a_message_that_never_fits_is_too_long_and_not_declined(tmp_path: Path) -> None:
    async with talking_to(tmp_path, lambda _: refusal(400, {"error": {"message": "prompt is too long"}})) as (talk, _):
        await talk.remember()
        assert "too long" in (await talk.say("word " * 700)).text


async def test_one_message_is_taken_where_roles_are_said_to_alternate(tmp_path: Path) -> None:
    body = {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}}

    def answer(request: Json) -> Raw:
        return said(APPLES) if len(request["messages"]) == 1 else refusal(400, body)

    async with talking_to(tmp_path, answer) as (talk, server):
        await talk.remember()
        for question in ("How many?", "And today?", "And now?", "And then?"):
            server.requests.clear()
            assert (await talk.say(question)).text == APPLES
            assert len(server.requests) <= MAX_REQUESTS
        assert "How many?" in words_of(server.requests[-1])


async def test_a_fault_that_names_roles_and_passes_is_not_remembered(tmp_path: Path) -> None:
    fault = refusal(500, {"error": {"message": 'FATAL: role "litellm" is not permitted to log in'}})
    answers = iter([fault, *[said(APPLES)] * 9])
    async with talking_to(tmp_path, lambda _: next(answers)) as (talk, server):
        for question in ("How many?", "And today?"):
            assert (await talk.say(question)).text == APPLES
            assert has_system(server.requests[-1])

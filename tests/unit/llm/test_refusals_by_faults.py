"""Tests of servers that fail, or say nothing, where they mean a refusal. What helped begins later requests."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from starlette.responses import Response

from chat.tools import SEARCH_MEMORY
from llm.openai_api import OpenAIChat
from llm.precedence import Precedence
from records.errors import ModelBusy
from settings import Secret
from tests.peers.picky_server import Body, PickyServer, make_refusal, run_picky_server
from tests.peers.raw_server import Json, RawAnswer, make_answer, run_raw_server
from tests.unit.llm.test_openai_api import make_prompt

SCHEMA = {"name": "facts", "schema": {"type": "object"}}


async def skip_pause(seconds: float) -> None:
    return


@asynccontextmanager
async def open_model(refuse: Callable[[Body], Response | None]) -> AsyncIterator[tuple[PickyServer, OpenAIChat]]:
    async with (
        run_picky_server(refuse) as (server, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=20, sleep=skip_pause) as model,
    ):
        yield server, model


async def count_requests_of_answers(server: PickyServer, model: OpenAIChat, answers: int) -> list[int]:
    counts = []
    for _ in range(answers):
        before = len(server.bodies)
        offer = [SEARCH_MEMORY] if model.supports_tools else []
        assert (await model.with_tools(offer).for_person("7").complete(make_prompt())).text == server.text
        counts.append(len(server.bodies) - before)
    return counts


def has_system(body: Body) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


@pytest.mark.parametrize("status", [505, 506, 508, 510])
async def test_tools_refused_with_any_status_cost_one_more_request_once(status: int) -> None:
    async with open_model(lambda body: make_refusal(status, "") if "tools" in body else None) as (server, model):
        first, second, third = await count_requests_of_answers(server, model, 3)
    assert (first <= 4, second, third) == (True, 1, 1)


@pytest.mark.parametrize(
    "is_refused",
    [lambda body: "tools" in body, lambda body: "stream_options" in body, lambda body: "stream" in body, has_system],
    ids=["tools", "stream options", "streams", "system role"],
)
@pytest.mark.parametrize("status", [500, 502, 503])
async def test_what_a_wordless_fault_refuses_is_left_out_from_the_third_answer_on(
    is_refused: Callable[[Body], bool], status: int
) -> None:
    """mistral.rs answers 500 without a body to the system role (its issue 506), and gateways in front of it 502."""
    async with open_model(lambda body: make_refusal(status, "") if is_refused(body) else None) as (server, model):
        counts = await count_requests_of_answers(server, model, 3)
    assert max(counts) <= 4
    assert counts[2] == 1


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_trouble_that_passes_takes_nothing_away(status: int) -> None:
    faults = [status, status, status]
    async with open_model(lambda _: make_refusal(faults.pop(), "") if faults else None) as (server, model):
        await count_requests_of_answers(server, model, 2)
        for _ in range(2):
            faults.append(status)
            await count_requests_of_answers(server, model, 2)
    assert {"tools", "stream_options", "stream"} <= server.bodies[-1].keys()
    assert has_system(server.bodies[-1])


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_schema_that_makes_the_server_fail_is_left_out(status: int) -> None:
    """Foundry Local answers 500 to a schema (its issue 81), and gateways in front of such servers 502."""
    async with open_model(lambda body: make_refusal(status, "") if "response_format" in body else None) as (
        server,
        model,
    ):
        background, server.text = model.for_background_work(Precedence()), '{"facts": []}'
        for _ in range(2):
            assert (await background.complete(make_prompt(), schema=SCHEMA)).text == server.text
    assert len(server.bodies) == 5
    assert "stream_options" in server.bodies[-1]


@pytest.mark.parametrize("status", [500, 502])
async def test_fault_at_the_system_role_does_not_end_background_work(status: int) -> None:
    """Else nothing would ever be summarised: a summary has no schema to leave out."""
    async with open_model(lambda body: make_refusal(status, "") if has_system(body) else None) as (server, model):
        background = model.for_background_work(Precedence())
        for _ in range(3):
            assert (await background.complete(make_prompt())).text == server.text
    assert [has_system(body) for body in server.bodies] == [True, True, True, False, True, True, False, False]


async def test_prose_without_schema_is_no_answer_while_the_server_may_only_be_busy() -> None:
    """Else messages would count as read for facts while a server that keeps to schemas restarts."""
    faults = [500, 500, 500]
    async with open_model(lambda _: make_refusal(faults.pop(), "") if faults else None) as (server, model):
        background = model.for_background_work(Precedence())
        server.text = "There is nothing to tell."
        with pytest.raises(ModelBusy):
            await background.complete(make_prompt(), schema=SCHEMA)
        assert (await background.complete(make_prompt(), schema=SCHEMA)).text == server.text
    assert "response_format" in server.bodies[-1]


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_prose_is_read_once_the_server_has_failed_at_the_schema_again_and_again(status: int) -> None:
    """Else facts would be asked for again for ever: the model writes prose, and the server always fails before it."""
    async with open_model(lambda body: make_refusal(status, "") if "response_format" in body else None) as (
        server,
        model,
    ):
        background, server.text = model.for_background_work(Precedence()), "There is nothing to tell."
        for _ in range(2):
            with pytest.raises(ModelBusy):
                await background.complete(make_prompt(), schema=SCHEMA)
        assert (await background.complete(make_prompt(), schema=SCHEMA)).text == server.text
        asked = len(server.bodies)
        assert (await background.complete(make_prompt(), schema=SCHEMA)).text == server.text
    assert len(server.bodies) == asked + 1
    assert "response_format" not in server.bodies[-1]


async def test_an_answer_to_a_schema_ends_the_doubt_about_schemas() -> None:
    """A server that restarts now and then is not taken for one that fails at schemas."""
    faults: list[int] = []
    async with open_model(lambda _: make_refusal(faults.pop(), "") if faults else None) as (server, model):
        background, server.text = model.for_background_work(Precedence()), "There is nothing to tell."
        for _ in range(4):
            faults += [503, 503, 503]
            with pytest.raises(ModelBusy):
                await background.complete(make_prompt(), schema=SCHEMA)
            await background.complete(make_prompt(), schema=SCHEMA)
    assert "response_format" in server.bodies[-1]


async def test_tools_left_out_with_a_refused_parameter_are_offered_again() -> None:
    """GPUStack misspelled the parameter that it refused (its issue 429), so all parameters and tools were left out."""
    words = "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_otpions'), 'msg': 'Extra inputs are not permitted'}]"
    refusal = {"object": "error", "message": words, "type": "BadRequestError", "code": 400}
    async with open_model(lambda body: make_refusal(400, refusal) if "stream_options" in body else None) as (
        server,
        model,
    ):
        counts = await count_requests_of_answers(server, model, 4)
    assert counts == [2, 1, 1, 1]
    assert ["tools" in body for body in server.bodies[1:]] == [False, False, True, True]


async def test_tools_offered_again_in_vain_are_left_out_for_good() -> None:
    async with open_model(lambda body: make_refusal(400, {"error": "nein"}) if "tools" in body else None) as (
        server,
        model,
    ):
        counts = await count_requests_of_answers(server, model, 6)
    assert counts == [2, 1, 2, 1, 1, 1]


async def test_server_with_empty_streams_is_asked_without_them() -> None:
    async with open_model(lambda body: make_refusal(200, "") if body.get("stream") else None) as (server, model):
        counts = await count_requests_of_answers(server, model, 3)
    assert max(counts) <= 4
    assert counts[2] == 1
    assert "tools" in server.bodies[-1]


@pytest.mark.parametrize("has_long_stream", [False, True])
async def test_server_that_drops_a_request_is_asked_in_a_simpler_form(has_long_stream: bool) -> None:
    """Some crash on tools. Others announce fewer bytes of a stream than they send, which is no HTTP any more."""

    def answer(request: Json) -> RawAnswer:
        if has_long_stream and request.get("stream"):
            return replace(make_answer("Paris, of course."), hidden_bytes=40)
        if not has_long_stream and "tools" in request:
            return RawAnswer(body=b"", is_dropped=True)
        return make_answer("Paris, of course.")

    async with (
        run_raw_server(answer) as (server, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=20, sleep=skip_pause) as model,
    ):
        asked = model.with_tools([SEARCH_MEMORY]).for_person("7")
        assert (await asked.complete(make_prompt())).text == "Paris, of course."
    assert len(server.requests) <= 4

"""Tool calls that a model writes as text are executed, and neither shown nor stored."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
WALNUTS = "The walnuts are in the blue cellar box."
CALL = json.dumps({"name": "search_memory", "arguments": {"query": "walnuts"}})
BROKEN = '<tool_call>{"name": "search_memory", "arguments": walnuts</tool_call>'


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, snippet_budget=0) as talk:
        await talk.turn_on_memory(every_n=3)
        await talk.run_turn(WALNUTS)
        for number in range(8):
            await talk.run_turn(f"Something else, number {number}.")
        yield talk


async def ask_and_record(talk: ChatHarness, *answers: Behaviour | str) -> tuple[str, list[str], list[bool]]:
    """Ask, and return the answer, every text shown before it, and for each request if it offered tools."""
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    before = len(talk.server.list_requests("chat-model"))
    talk.server.script("chat-model", *answers)
    reply = await talk.say("Where did I put them?", on_text=show)
    return reply.text, shown, ["tools" in request.body for request in talk.server.list_requests("chat-model")[before:]]


async def stored(talk: ChatHarness) -> str:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return "\n".join(message.content for message in await store.timeline.read_page(SCOPE))


@pytest.mark.parametrize("written", [CALL, f"```json\n{CALL}\n```", "{" + CALL + "}", f"<tool_call>{CALL}</tool_call>"])
@pytest.mark.parametrize("plain", [False, True], ids=["streamed", "at once"])
async def test_written_call_is_executed_and_never_shown_or_stored(talk: ChatHarness, written: str, plain: bool) -> None:
    answer, shown, _ = await ask_and_record(talk, Behaviour(text=written, plain=plain), "In the blue box.")
    assert answer == "In the blue box."
    assert shown[0].startswith("In")
    *_, call, result = talk.server.list_requests("chat-model")[-1].messages
    assert (call["role"], call["content"], result["role"]) == ("assistant", "", "tool")
    assert WALNUTS in result["content"]
    assert '"name"' not in await stored(talk)


async def test_requested_json_is_not_mistaken_for_tool_call(talk: ChatHarness) -> None:
    wanted = '```json\n{"name": "Anna", "arguments": ["for", "against"]}\n```'
    answer, shown, offered = await ask_and_record(talk, wanted)
    assert (answer, shown[-1], offered) == (wanted, wanted, [True])


async def test_unreadable_call_is_retried_without_tools(talk: ChatHarness, caplog: pytest.LogCaptureFixture) -> None:
    answer, shown, offered = await ask_and_record(talk, BROKEN, "In a box.")
    assert (answer, shown[-1], offered) == ("In a box.", "In a box.", [True, False])
    assert (await ask_and_record(talk, "Yes."))[2] == [True], "once says little"
    with caplog.at_level("INFO"):
        assert (await ask_and_record(talk, BROKEN, "In a box."))[2] == [True, False]
    assert "chat-model takes no tools" in caplog.text
    assert "walnuts" not in caplog.text
    assert (await ask_and_record(talk, "Yes."))[2] == [False]
    assert "tool_call" not in await stored(talk)


async def test_readable_call_resets_count_of_unreadable_calls(talk: ChatHarness) -> None:
    await ask_and_record(talk, BROKEN, "In a box.")
    await ask_and_record(talk, CALL, "In the blue box.")
    await ask_and_record(talk, BROKEN, "In a box.")
    assert (await ask_and_record(talk, "Yes."))[2] == [True]


async def test_calls_of_tools_that_do_not_exist_do_not_count_as_unreadable(talk: ChatHarness) -> None:
    for _ in range(3):
        unknown = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
        assert (await ask_and_record(talk, unknown, "In a box."))[2] == [True, False]
    assert (await ask_and_record(talk, "Yes."))[2] == [True]


async def test_response_of_calls_only_is_not_an_answer(talk: ChatHarness) -> None:
    answer, shown, offered = await ask_and_record(talk, BROKEN, CALL)
    assert "could not answer" in answer
    assert (shown, offered) == ([], [True, False])


async def test_written_call_after_last_search_is_retried_without_tools(talk: ChatHarness) -> None:
    answer, _, offered = await ask_and_record(talk, *[CALL] * 6, "In the blue box.")
    assert (answer, offered) == ("In the blue box.", [True] * 6 + [False])

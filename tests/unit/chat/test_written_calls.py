"""Models that write calls of tools as text: the call is carried out, and nobody reads or stores a word of it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, Talk, talking

SCOPE = Scope(owner=ANNA.id)
WALNUTS = "The walnuts are in the blue cellar box."
CALL = json.dumps({"name": "search_memory", "arguments": {"query": "walnuts"}})
BROKEN = '<tool_call>{"name": "search_memory", "arguments": walnuts</tool_call>'


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path, snippet_budget=0) as talk:
        await talk.remember(every_n=3)
        await talk.turn(WALNUTS)
        for number in range(8):
            await talk.turn(f"Something else, number {number}.")
        yield talk


async def asked(talk: Talk, *answers: Behaviour | str) -> tuple[str, list[str], list[bool]]:
    """The answer, everything that was shown on the way, and which of the requests offered tools."""
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    before = len(talk.server.of("chat-model"))
    talk.server.script("chat-model", *answers)
    reply = await talk.say("Where did I put them?", on_text=show)
    return reply.text, shown, ["tools" in request.body for request in talk.server.of("chat-model")[before:]]


async def stored(talk: Talk) -> str:
    async with talk.services.memory.open_store(ANNA.id) as store:
        return "\n".join(message.content for message in await store.timeline.read_page(SCOPE))


@pytest.mark.parametrize("written", [CALL, f"```json\n{CALL}\n```", "{" + CALL + "}", f"<tool_call>{CALL}</tool_call>"])
@pytest.mark.parametrize("plain", [False, True], ids=["streamed", "at once"])
async def test_a_written_call_is_carried_out_and_never_shown_or_stored(talk: Talk, written: str, plain: bool) -> None:
    answer, shown, _ = await asked(talk, Behaviour(text=written, plain=plain), "In the blue box.")
    assert answer == "In the blue box."
    assert shown[0].startswith("In")
    *_, call, result = talk.server.of("chat-model")[-1].messages
    assert (call["role"], call["content"], result["role"]) == ("assistant", "", "tool")
    assert WALNUTS in result["content"]
    assert '"name"' not in await stored(talk)


async def test_json_that_was_asked_for_is_an_answer(talk: Talk) -> None:
    wanted = '```json\n{"name": "Anna", "arguments": ["for", "against"]}\n```'
    answer, shown, offered = await asked(talk, wanted)
    assert (answer, shown[-1], offered) == (wanted, wanted, [True])


async def test_a_call_that_cannot_be_read_is_asked_again_without_tools(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    answer, shown, offered = await asked(talk, BROKEN, "In a box.")
    assert (answer, shown[-1], offered) == ("In a box.", "In a box.", [True, False])
    assert (await asked(talk, "Yes."))[2] == [True], "once says little"
    with caplog.at_level("INFO"):
        assert (await asked(talk, BROKEN, "In a box."))[2] == [True, False]
    assert "chat-model takes no tools" in caplog.text
    assert "walnuts" not in caplog.text
    assert (await asked(talk, "Yes."))[2] == [False]
    assert "tool_call" not in await stored(talk)


async def test_a_call_that_can_be_read_shows_that_the_model_is_able_to(talk: Talk) -> None:
    await asked(talk, BROKEN, "In a box.")
    await asked(talk, CALL, "In the blue box.")
    await asked(talk, BROKEN, "In a box.")
    assert (await asked(talk, "Yes."))[2] == [True]


async def test_who_writes_nothing_but_calls_has_not_answered(talk: Talk) -> None:
    answer, shown, offered = await asked(talk, BROKEN, CALL)
    assert "could not answer" in answer
    assert (shown, offered) == ([], [True, False])


async def test_after_the_last_search_a_written_call_is_asked_again(talk: Talk) -> None:
    answer, _, offered = await asked(talk, *[CALL] * 6, "In the blue box.")
    assert (answer, offered) == ("In the blue box.", [True] * 6 + [False])

"""Undone, forgotten or deleted facts: work in progress does not restore their text, and nothing else is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chat.facts_by_hand import change_fact_and_report
from records.facts import Fact
from records.forgetting import ForgetRequest
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.chat.test_forgetting import WORD, find_traces
from tests.unit.facts.test_learning import format_facts_answer, list_extraction_requests, list_facts, make_fact

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50, storage=storage)
        yield talk


async def add_edited_fact(talk: ChatHarness, *texts: str) -> Fact:
    """Add a fact with the first text, then edit it to each of the others."""
    fact, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, texts[0])
    for text in texts[1:]:
        changed = await talk.services.facts.edit(ANNA.id, fact.id, text)
        assert changed is not None
        fact = changed
    return fact


async def undo_fact_edit(talk: ChatHarness, fact: int) -> None:
    taken = await talk.services.corrections.undo_fact_edit(ANNA.id, fact)
    assert taken is not None
    assert taken.is_clean


async def forget(talk: ChatHarness, fact: int) -> None:
    assert (await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="facts", ids=(fact,)))).is_clean


async def delete_fact(talk: ChatHarness, fact: int) -> None:
    assert "Deleted" in await change_fact_and_report(talk.services, ANNA.id, "delete", fact)


@pytest.mark.parametrize("erase", [undo_fact_edit, forget, delete_fact])
async def test_learning_in_progress_does_not_restore_erased_fact(
    talk: ChatHarness, tmp_path: Path, erase: Callable[[ChatHarness, int], Awaitable[None]]
) -> None:
    fact = await add_edited_fact(talk, "Anna drinks tea.", f"Anna drinks {WORD}.")
    await talk.say("Now I drink it every morning.")
    brought_back = format_facts_answer(make_fact(f"Anna drinks {WORD} every morning.", 1, replaces=fact.id))
    talk.server.script_schema("facts", Behaviour(hold="start", text=brought_back))
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna drinks it every morning.", 1)))
    learning = asyncio.create_task(talk.services.facts.learn_before_fold(SCOPE, [1]))
    await talk.server.wait_until_held()
    await erase(talk, fact.id)
    await talk.server.release()
    await learning
    assert not [fact.text for fact in await list_facts(talk) if fact.is_valid and WORD in fact.text]
    if erase is not delete_fact:  # it may still be restored
        assert find_traces(tmp_path) == []
    await talk.services.facts.learn_before_fold(SCOPE, [1])
    assert (WORD in str(list_extraction_requests(talk)[1])) == (erase is delete_fact), (
        "asked again, it sees what is known and decided now"
    )
    assert "Anna drinks it every morning." in [fact.text for fact in await list_facts(talk) if fact.is_valid]


@pytest.mark.parametrize("mode", ["on", "off", "incognito"])
async def test_conversation_continues_after_fact_edit_is_undone(talk: ChatHarness, mode: str) -> None:
    memory = talk.services.memory
    fact = await add_edited_fact(talk, "Anna likes tea.", f"Anna likes {WORD}.")
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    if mode == "off":
        await memory.set_enabled(ANNA.id, enabled=False)
    elif mode == "incognito":
        await memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    await talk.say("The code word is tangerine.")
    await undo_fact_edit(talk, fact.id)
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="profiles", ids=(1,)))
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    assert [fact.text for fact, _ in explanation.facts if fact] == ([] if mode == "off" else ["Anna likes tea."])
    await talk.say("What was the code word?")
    assert "tangerine" in talk.list_prompts()[-1]
    assert WORD not in talk.list_prompts()[-1]


async def test_fact_edit_is_undone_while_answer_is_generated(talk: ChatHarness) -> None:
    fact = await add_edited_fact(talk, "Anna likes tea.", f"Anna likes {WORD}.")
    talk.server.script("chat-model", Behaviour(hold="start", text="I see."))
    answering = asyncio.create_task(talk.say("What do I like?"))
    await talk.server.wait_until_held()
    await undo_fact_edit(talk, fact.id)
    assert not answering.done()
    await talk.server.release()
    assert (await answering).text == "I see."
    assert WORD in talk.list_prompts()[-1]


@pytest.mark.parametrize("erase", [undo_fact_edit, forget])
async def test_facts_learned_next_to_erased_fact_lose_its_text(
    talk: ChatHarness, tmp_path: Path, erase: Callable[[ChatHarness, int], Awaitable[None]]
) -> None:
    """The message is learned from again, and the new fact does not contain the erased word."""
    fact = await add_edited_fact(talk, "Anna drinks tea.", f"Anna drinks {WORD}.")
    await talk.say("Now I drink it every morning, and get up early.")
    talk.server.script_schema(
        "facts",
        format_facts_answer(
            make_fact(f"Anna drinks {WORD} every morning.", 1, replaces=fact.id),
            make_fact("Anna gets up early.", 1, replaces=fact.id),
        ),
    )
    await talk.services.facts.learn(SCOPE)
    assert len(await list_facts(talk)) == 4
    await erase(talk, fact.id)
    assert find_traces(tmp_path) == []
    assert "Anna gets up early." in [fact.text for fact in await list_facts(talk) if fact.is_valid]
    talk.server.set_default_schema_answer("facts", format_facts_answer(make_fact("Anna drinks it every morning.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert "Anna drinks it every morning." in [fact.text for fact in await list_facts(talk) if fact.is_valid]

"""Words of a fact that are taken back: nothing that was under way brings them back, and nothing else goes with them."""

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
from tests.support.talk import ANNA, Talk, talking
from tests.unit.chat.test_forgetting import WORD, traces
from tests.unit.facts.test_learning import answer, asked, known, told

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.remember(every_n=50, storage=storage)
        yield talk


async def edited(talk: Talk, *texts: str) -> Fact:
    """A fact told by hand in the first words, and given the others since."""
    fact, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, texts[0])
    for text in texts[1:]:
        changed = await talk.services.facts.edit(ANNA.id, fact.id, text)
        assert changed is not None
        fact = changed
    return fact


async def take_back(talk: Talk, fact: int) -> None:
    taken = await talk.services.corrections.undo_fact_edit(ANNA.id, fact)
    assert taken is not None
    assert taken.is_clean


async def forget(talk: Talk, fact: int) -> None:
    assert (await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="facts", ids=(fact,)))).is_clean


async def delete(talk: Talk, fact: int) -> None:
    assert "Deleted" in await change_fact_and_report(talk.services, ANNA.id, "delete", fact)


@pytest.mark.parametrize("erase", [take_back, forget, delete])
async def test_what_is_being_learned_does_not_bring_back_the_words_of_a_fact_that_it_was_shown(
    talk: Talk, tmp_path: Path, erase: Callable[[Talk, int], Awaitable[None]]
) -> None:
    fact = await edited(talk, "Anna drinks tea.", f"Anna drinks {WORD}.")
    await talk.say("Now I drink it every morning.")
    brought_back = answer(told(f"Anna drinks {WORD} every morning.", 1, replaces=fact.id))
    talk.server.script_schema("facts", Behaviour(hold="start", text=brought_back))
    talk.server.default_schema("facts", answer(told("Anna drinks it every morning.", 1)))
    learning = asyncio.create_task(talk.services.facts.learn_before_fold(SCOPE, [1]))
    await talk.server.until_held()
    await erase(talk, fact.id)
    await talk.server.release()
    await learning
    assert not [fact.text for fact in await known(talk) if fact.is_valid and WORD in fact.text]
    if erase is not delete:  # it may still be restored
        assert traces(tmp_path) == []
    await talk.services.facts.learn_before_fold(SCOPE, [1])
    assert (WORD in str(asked(talk)[1])) == (erase is delete), "asked again, it sees what is known and decided now"
    assert "Anna drinks it every morning." in [fact.text for fact in await known(talk) if fact.is_valid]


@pytest.mark.parametrize("mode", ["on", "off", "incognito"])
async def test_the_talk_goes_on_where_a_fact_is_taken_back(talk: Talk, mode: str) -> None:
    memory = talk.services.memory
    fact = await edited(talk, "Anna likes tea.", f"Anna likes {WORD}.")
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    if mode == "off":
        await memory.set_enabled(ANNA.id, enabled=False)
    elif mode == "incognito":
        await memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    await talk.say("The code word is tangerine.")
    await take_back(talk, fact.id)
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="profiles", ids=(1,)))
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    assert [fact.text for fact, _ in explanation.facts if fact] == ([] if mode == "off" else ["Anna likes tea."])
    await talk.say("What was the code word?")
    assert "tangerine" in talk.prompts()[-1]
    assert WORD not in talk.prompts()[-1]


async def test_a_fact_is_taken_back_while_an_answer_is_written(talk: Talk) -> None:
    fact = await edited(talk, "Anna likes tea.", f"Anna likes {WORD}.")
    talk.server.script("chat-model", Behaviour(hold="start", text="I see."))
    answering = asyncio.create_task(talk.say("What do I like?"))
    await talk.server.until_held()
    await take_back(talk, fact.id)
    assert not answering.done()
    await talk.server.release()
    assert (await answering).text == "I see."
    assert WORD in talk.prompts()[-1]


@pytest.mark.parametrize("erase", [take_back, forget])
async def test_what_was_learned_beside_a_fact_does_not_keep_its_words(
    talk: Talk, tmp_path: Path, erase: Callable[[Talk, int], Awaitable[None]]
) -> None:
    """It is learned again, from its own message alone."""
    fact = await edited(talk, "Anna drinks tea.", f"Anna drinks {WORD}.")
    await talk.say("Now I drink it every morning, and get up early.")
    talk.server.script_schema(
        "facts",
        answer(
            told(f"Anna drinks {WORD} every morning.", 1, replaces=fact.id),
            told("Anna gets up early.", 1, replaces=fact.id),
        ),
    )
    await talk.services.facts.learn(SCOPE)
    assert len(await known(talk)) == 4
    await erase(talk, fact.id)
    assert traces(tmp_path) == []
    assert "Anna gets up early." in [fact.text for fact in await known(talk) if fact.is_valid]
    talk.server.default_schema("facts", answer(told("Anna drinks it every morning.", 1)))
    await talk.services.facts.learn(SCOPE)
    assert "Anna drinks it every morning." in [fact.text for fact in await known(talk) if fact.is_valid]

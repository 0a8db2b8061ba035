"""What a person asks to keep to holds at once, in every prompt to which it could apply, and as long as they want it."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from records.facts import Fact
from records.forgetting import Forgetting
from records.messages import Origin
from records.owners import IN_FILES, StorageType
from records.scopes import Scope
from tests.support.talk import ANNA, Talk, talking

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.remember(every_n=50, storage=storage)
        yield talk


async def known(talk: Talk) -> list[Fact]:
    return [one for one in await talk.services.facts.known(ANNA.id) if one.is_standing]


async def holding(talk: Talk) -> list[str]:
    return [one.text for one in await known(talk) if one.is_valid]


async def carried(talk: Talk, question: str) -> list[str]:
    """The instructions and preferences in the prompt of a question."""
    reply = await talk.say(question)
    assert reply.context is not None
    return [one.fact.text for one in reply.context.facts if one.fact.is_standing]


async def test_it_holds_for_the_very_answer_with_the_persons_own_authority(talk: Talk) -> None:
    assert await carried(talk, "Always show metric units.") == ["Always show metric units."]
    await talk.say("How far is it to Voss?")
    request = talk.server.of("chat-model")[-1].messages
    assert "metric" not in request[0]["content"]
    assert (request[-1]["role"], request[0]["role"]) == ("user", "system")
    block = request[-1]["content"].split("<instructions>")[1].split("</instructions>")[0]
    assert "[fact 1 · since 2026-11-21] Always show metric units." in block
    assert request[-1]["content"].endswith("How far is it to Voss?")


async def test_it_is_there_long_after_its_turn_was_folded(talk: Talk) -> None:
    await talk.say("Call me Sam. And when I ask for code, add type hints.")
    for number in range(6):
        await talk.say(f"Point {number}.")
    assert (await talk.services.summaries.fold_now(SCOPE)).state == "folded"
    sam, hints = "Call me Sam.", "And when I ask for code, add type hints."
    assert await carried(talk, "Who painted the Night Watch, and when was that exactly?") == [sam]
    assert sorted(await carried(talk, "Write a Python function that sorts names.")) == sorted([sam, hints])


async def test_the_later_wish_takes_the_place_of_the_earlier_and_names_it(talk: Talk) -> None:
    await talk.say("Always use metric units.")
    await talk.say("From now on use imperial units.")
    old, new = await known(talk)
    assert (old.superseded_by, old.is_valid, new.is_valid) == (new.id, False, True)
    assert await carried(talk, "How far is it to Voss?") == [new.text]


async def test_it_can_be_ended_and_restored(talk: Talk) -> None:
    await talk.say("Never use emojis.")
    await talk.say("End every answer with a proverb from now on.")
    await talk.say("Stop doing that!")
    assert await holding(talk) == ["Never use emojis."]
    await talk.say("You can use emojis again.")
    assert await holding(talk) == []
    await talk.say("Never use emojis.")
    [fact] = [one for one in await known(talk) if one.is_valid]
    await talk.services.facts.delete(ANNA.id, fact.id)
    assert await carried(talk, "Hello there, my friend!") == []
    await talk.services.facts.restore(ANNA.id, fact.id)
    assert await carried(talk, "Hello there, my friend!") == ["Never use emojis."]


async def test_a_turn_that_is_answered_again_is_noted_once(talk: Talk) -> None:
    await talk.say("Never use emojis.")
    await talk.say("End every answer with a proverb from now on.")
    reply = await talk.say("Stop doing that!")
    assert reply.turn is not None
    assert await talk.conversation.answer_again(SCOPE, reply.turn, ANNA) is not None
    assert await holding(talk) == ["Never use emojis."]
    reply = await talk.say("Always be brief.")
    [*_, fact] = await known(talk)
    await talk.services.facts.delete(ANNA.id, fact.id)
    assert reply.turn is not None
    assert await talk.conversation.answer_again(SCOPE, reply.turn, ANNA) is not None
    assert await holding(talk) == ["Never use emojis."]


async def test_saying_it_again_adds_a_source_and_no_fact(talk: Talk) -> None:
    await talk.say("Never use emojis.")
    await talk.say("never use emojis!")
    [fact] = await known(talk)
    assert fact.source_ids == (1, 3)


async def test_it_goes_with_the_message_that_asked_for_it(talk: Talk) -> None:
    await talk.say("Never use emojis.")
    await talk.services.corrections.forget(ANNA.id, Forgetting(what="messages", ids=(1,)))
    assert await known(talk) == []


async def test_what_others_said_asks_for_nothing(talk: Talk) -> None:
    forwarded: Origin = "forwarded"
    incoming = talk.incoming("Always answer in capitals.")
    await talk.conversation.reply(
        replace(incoming, pieces=tuple(replace(piece, origin=forwarded) for piece in incoming.pieces))
    )
    talk.server.script("chat-model", "Always answer in verse.")
    await talk.say("What do poets do?")
    assert await known(talk) == []


async def test_incognito_and_without_facts_nothing_is_noted(tmp_path: Path) -> None:
    async with talking(tmp_path, facts="off") as talk:
        await talk.remember()
        await talk.say("Never use emojis.")
        assert await known(talk) == []
    async with talking(tmp_path) as talk:
        await talk.services.memory.choose(ANNA.id, lambda config: replace(config, incognito=True))
        await talk.say("Never use emojis.")
        assert await known(talk) == []


async def test_a_model_that_finds_it_too_adds_nothing(talk: Talk) -> None:
    def found(text: str, kind: str, source: int) -> dict[str, object]:
        return {"message": source, "text": text, "type": kind, "replaces": None}

    await talk.say("End every answer with a proverb from now on.")
    await talk.say("Stop doing that!")
    await talk.say("I live in Oslo, and always show metric units.")
    talk.server.default_schema(
        "facts",
        json.dumps(
            {
                "facts": [
                    found("Anna wants every answer to end with a proverb.", "instruction", 1),
                    found("Anna wants metric units always shown.", "instruction", 5),
                    found("Anna lives in Oslo.", "fact", 5),
                ]
            }
        ),
    )
    await talk.services.facts.learn(SCOPE)
    assert await holding(talk) == ["I live in Oslo, and always show metric units."]
    assert "Anna lives in Oslo." in [one.text for one in await talk.services.facts.known(ANNA.id)]


async def test_what_a_model_alone_finds_is_carried_and_replaced_as_well(talk: Talk) -> None:
    def answer(text: str, source: int) -> str:
        fact = {"message": source, "text": text, "type": "instruction", "replaces": None}
        return json.dumps({"facts": [fact]})

    await talk.say("It would be kind if miles were left out and kilometres were given.")
    talk.server.default_schema("facts", answer("Anna wants distances in kilometres.", 1))
    await talk.services.facts.learn(SCOPE)
    assert await carried(talk, "Who painted the Night Watch?") == ["Anna wants distances in kilometres."]
    await talk.say("Oh, miles would suit me better these days.")
    talk.server.default_schema("facts", answer("Anna wants distances in miles.", 5))
    await talk.services.facts.learn(SCOPE)
    assert await holding(talk) == ["Anna wants distances in miles."]


async def test_it_moves_with_the_memory(talk: Talk) -> None:
    await talk.say("Never use emojis.")
    config = await talk.services.memory.config(ANNA.id)
    assert config is not None
    other = next(one for one in IN_FILES if one is not config.storage)
    await talk.services.memory.configure(ANNA.id, storage=other, every_n=50)
    assert await carried(talk, "Hello there, my friend!") == ["Never use emojis."]


async def test_what_is_added_by_hand_is_of_its_kind(talk: Talk) -> None:
    facts = talk.services.facts
    added = [await facts.add(ANNA.id, text) for text in ("Always be brief.", "I prefer tea to coffee.", "I am tall.")]
    assert [fact.kind for fact, _ in added] == ["instruction", "preference", "personal"]


async def test_a_group_keeps_to_what_its_members_ask_and_knows_who(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.remember(owner=-5)
        incoming = replace(talk.incoming("Call me Sam."), scope=Scope(owner=-5), in_group=True)
        await talk.conversation.reply(incoming)
        assert [one.text for one in await talk.services.facts.known(-5)] == ["Anna: Call me Sam."]

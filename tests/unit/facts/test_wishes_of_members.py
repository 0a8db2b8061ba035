"""In a group, a lasting wish applies only to its member, and wishes added by admins apply to all."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from facts import reconciliation
from records.facts import FactKind, NewFact
from records.owners import StorageType
from records.scopes import Person, Scope
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.chat.test_conversation import limit_database_pages

GROUP = Scope(owner=-5)
BOB = Person(id=8, name=ANNA.name)  # names are free to take


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=50, storage=storage, owner=GROUP.owner)
        yield talk


async def list_wishes_in_prompt(talk: ChatHarness, person: Person, text: str, *, scope: Scope = GROUP) -> list[str]:
    """Send a member's message and return the lasting wishes in its prompt."""
    said = replace(talk.make_user_message(text), scope=scope, person=person, in_group=True)
    reply = await talk.conversation.reply(said)
    assert reply.context is not None
    return sorted(fact.fact.text.rpartition(": ")[2] for fact in reply.context.facts if fact.fact.is_lasting)


async def teach_wish(talk: ChatHarness, person: Person, text: str, *, replaces: int | None = None) -> None:
    """Let a member write a text, and learn it as a lasting wish."""
    await list_wishes_in_prompt(talk, person, text)
    async with talk.services.memory.open_store(GROUP.owner) as store:
        [message] = [message for message in await store.timeline.read_page(GROUP, limit=2) if message.is_user]
    wish = {"message": message.id, "text": text, "type": "instruction", "replaces": replaces}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [wish]}))
    await talk.services.facts.learn(GROUP)
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": []}))


async def test_wish_applies_only_to_member_who_wrote_message(talk: ChatHarness) -> None:
    await teach_wish(talk, BOB, "Never use emojis.")
    assert await list_wishes_in_prompt(talk, ANNA, "Good morning to you all!") == []
    assert await list_wishes_in_prompt(talk, BOB, "Good morning to you all!") == ["Never use emojis."]


async def test_member_cannot_replace_wish_of_another_member(talk: ChatHarness) -> None:
    await teach_wish(talk, ANNA, "Always use metric units.")
    await teach_wish(talk, BOB, "Always use imperial units.", replaces=1)
    assert await list_wishes_in_prompt(talk, ANNA, "Good morning to you all!") == ["Always use metric units."]


@pytest.mark.parametrize("kind", ["instruction", "preference"])
def test_reconciliation_keeps_wishes_of_different_members_apart(kind: FactKind) -> None:
    moment = datetime(2026, 11, 21, tzinfo=UTC)
    wishes = [
        NewFact(
            text=f"Answers use {units} units.",
            kind=kind,
            subject="units",
            source_ids=(person.id,),
            observed_at=moment,
            valid_from=moment,
            only_one=True,
            person_id=person.id,
        )
        for person, units in ((ANNA, "metric"), (BOB, "imperial"))
    ]
    changes = reconciliation.plan_fact_changes(wishes, [])
    assert [(change.same_as, change.closes, change.ends) for change in changes] == [(None, (), False)] * 2


TWO_ANNAS = [(("Anna", "Anna"), "Anna2"), (("Anna Weber", "Anna Braun"), "Anna Braun"), (("王伟", "李娜"), "李娜")]


@pytest.mark.parametrize(("names", "told"), TWO_ANNAS)
async def test_members_with_similar_names_keep_separate_homes(
    talk: ChatHarness, names: tuple[str, str], told: str
) -> None:
    """One member's home used to end the other's, because the model and the comparison saw "Anna" twice."""
    for number, name, town in ((7, names[0], "Porto"), (8, names[1], "Köln")):
        await list_wishes_in_prompt(talk, Person(id=number, name=name), f"I live in {town}.")
        async with talk.services.memory.open_store(GROUP.owner) as store:
            [said] = [message for message in await store.timeline.read_page(GROUP, limit=2) if message.is_user]
        home = {"message": said.id, "quote": f"I live in {town}", "text": f"{said.speaker} lives in {town}."}
        home |= {"type": "state", "about": said.speaker, "attribute": "home", "is_single": True, "replaces": []}
        talk.server.set_default_schema_answer("facts", json.dumps({"facts": [home]}))
        await talk.services.facts.learn(GROUP)
    assert f"{told}: I live in Köln." in talk.list_prompts()[-1]
    async with talk.services.memory.open_store(GROUP.owner) as store:
        texts = [fact.text for fact in await store.facts.list_valid_facts(GROUP.owner)]
    assert texts == [f"{names[0]} lives in Porto.", f"{told} lives in Köln."]


async def read_speaker(talk: ChatHarness, scope: Scope = GROUP) -> str:
    """Return the name under which the last message of a member is stored."""
    async with talk.services.memory.open_store(GROUP.owner) as store:
        [said] = [message for message in await store.timeline.read_page(scope, limit=2) if message.is_user]
    return said.speaker


async def test_namesakes_stay_distinct_after_renames_and_restart(tmp_path: Path, storage: StorageType) -> None:
    said = [(7, "Anna"), (8, "Anna"), (8, "Bea"), (7, "Anja"), (8, "Anna"), (7, "Anna"), (9, "Anna2"), (9, "Anna2")]
    chosen = []
    for run in range(2):
        async with open_chat_harness(tmp_path) as talk:
            if run == 0:
                await talk.turn_on_memory(every_n=50, storage=storage, owner=GROUP.owner)
            talk.updates, talk.moment[0] = count(1 + 100 * run), talk.moment[0] + timedelta(days=run)
            for number, name in said:
                await list_wishes_in_prompt(talk, Person(id=number, name=name), "Good morning!")
                chosen.append(await read_speaker(talk))
    assert chosen == ["Anna", "Anna2", "Bea", "Anja", "Anna2", "Anna", "Anna22", "Anna22"] * 2


async def test_name_that_could_not_be_stored_stays_available_to_namesake(tmp_path: Path) -> None:
    topic = Scope(owner=GROUP.owner, thread=5)
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(every_n=50, owner=GROUP.owner)
        await limit_database_pages(talk, 1)
        await list_wishes_in_prompt(talk, ANNA, "While it fails." + " and so on" * 1000)
        await limit_database_pages(talk, 2**30)
        await list_wishes_in_prompt(talk, BOB, "Good morning!", scope=topic)
        assert await read_speaker(talk, topic) == "Anna"
        await list_wishes_in_prompt(talk, ANNA, "Good evening!")
        assert await read_speaker(talk) == "Anna2"

"""The profile: when it is distilled, from what, and what of it may stand."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from chat.facts_by_hand import change_fact_and_report
from facts.distillation import correct_and_store_profile
from facts.schemas import format_profile_text, parse_profile_sections
from records.errors import ModelBroken, ModelBusy
from records.facts import NewProfile
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, Talk, talking

SCOPE = Scope(owner=ANNA.id)
DOCUMENT = {"profile": "Anna lives in Oslo.", "preferences": "", "ongoing_topics": "She looks for a boat."}


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path, profile_every_summaries=4, profile_keep_summaries=2) as talk:
        await talk.remember(every_n=1, storage=storage)
        talk.server.default_schema("profile", json.dumps(DOCUMENT))
        yield talk


async def test_it_is_distilled_when_enough_is_waiting_and_leaves_the_newest(talk: Talk) -> None:
    for number in range(3):
        await talk.turn(f"Point {number}.")
    assert talk.server.asked_for("profile") == []
    await talk.turn("Point 3.")
    (version,) = await talk.services.distiller.list_versions(ANNA.id)
    assert version.text == "Anna lives in Oslo.\nShe looks for a boat."
    (request,) = talk.server.asked_for("profile")
    assert request.messages[1]["content"].count("[2026-11-21] ") == 2
    await talk.turn("Point 4.")
    assert len(talk.server.asked_for("profile")) == 1
    await talk.turn("Point 5.")
    assert [version.id for version in await talk.services.distiller.list_versions(ANNA.id)] == [2, 1]
    assert "<profile>\nAnna" in talk.server.asked_for("profile")[1].messages[1]["content"]


async def test_it_stands_before_the_summaries_in_every_prompt(talk: Talk) -> None:
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna sails.")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    await talk.turn("Point 0.")
    reply = await talk.say("Point 1.")
    assert reply.context is not None
    assert reply.context.profile is not None
    messages = talk.server.of("chat-model")[-1].messages
    assert [message["role"] for message in messages[:2]] == ["system", "user"]
    assert messages[1]["content"].index("<profile>") < messages[1]["content"].index("<summaries>")
    assert {part.name: part.tokens for part in reply.context.parts}["profile"] > 0
    assert sum(part.tokens for part in reply.context.parts) == reply.context.token_count


@pytest.mark.parametrize(
    "told",
    [
        "The user talked about several things.",
        "{}",
        "[]",
        '{"profile": 7}',
        '{"profile": "I\'m sorry, I can\'t help with that."}',
        '{"profile": "Anna owes 98765 euros."}',
    ],
)
async def test_what_is_no_profile_is_not_stored(talk: Talk, told: str) -> None:
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna sails.")
    talk.server.default_schema("profile", told)
    with pytest.raises(ModelBroken):  # and not: "there is not enough yet"
        await talk.services.distiller.distil_now(ANNA.id)
    assert await talk.services.distiller.list_versions(ANNA.id) == []


async def test_a_failure_is_not_repeated_with_every_turn_and_disturbs_nothing(talk: Talk) -> None:
    talk.server.default_schema("profile", Behaviour(status=500))
    for number in range(4):
        assert await talk.turn(f"Point {number}.") == ()
    tries = len(talk.server.asked_for("profile"))
    assert tries > 0
    await talk.conversation.run_post_turn_tasks(SCOPE)
    assert len(talk.server.asked_for("profile")) == tries
    with pytest.raises(ModelBusy):
        await talk.services.distiller.distil_now(ANNA.id)
    assert len(await talk.services.summaries.list_active_summaries(SCOPE)) == 4


async def test_there_is_none_of_nothing(talk: Talk) -> None:
    assert await talk.services.distiller.distil_now(ANNA.id) is None
    assert talk.server.asked_for("profile") == []


def test_a_profile_has_at_most_so_many_words() -> None:
    told = json.dumps({"profile": "word " * 500, "preferences": "more " * 10, "key_history": ["One.", "Two."]})
    text = format_profile_text(parse_profile_sections(f"Here it is: {told} Enjoy!"), max_words=400)
    assert 390 <= len(text.split()) <= 400
    few = parse_profile_sections(json.dumps({"key_history": ["One.", "Two."]}))
    assert format_profile_text(few, max_words=400) == "One. Two."


def test_a_profile_is_in_the_language_of_the_talk_alone() -> None:
    told = {"profile": "Анна живёт в Казани.", "preferences": "Любит джаз.", "ongoing_topics": "Ищет лодку."}
    text = format_profile_text(parse_profile_sections(json.dumps(told)), max_words=400)
    assert text == "Анна живёт в Казани.\nЛюбит джаз.\nИщет лодку."


HELD = {"profile": "Anna lives in Lisbon. She works as a nurse.", "preferences": "Anna likes jazz."}


async def _know_lisbon(talk: Talk) -> tuple[int, int]:
    """Add two facts that a profile then tells."""
    home, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna lives in Lisbon.")
    job, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna works as a nurse.")
    talk.server.default_schema("profile", json.dumps(HELD))
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    return home.id, job.id


async def _read_profile(talk: Talk) -> str:
    return (await talk.services.distiller.list_versions(ANNA.id))[0].text


@pytest.mark.parametrize("how", ["delete", "edit", "supersede_fact"])
async def test_what_is_taken_back_by_hand_leaves_the_profile_at_once(talk: Talk, how: str) -> None:
    home, _ = await _know_lisbon(talk)
    assert await _read_profile(talk) == ("Anna lives in Lisbon. She works as a nurse.\nAnna likes jazz.")
    if how == "delete":
        await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    else:
        assert await getattr(talk.services.facts, how)(ANNA.id, home, "Anna lives in Porto.") is not None
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."


@pytest.mark.parametrize("is_asked_first", [True, False])
async def test_what_was_taken_back_before_a_kill_is_in_no_prompt(talk: Talk, *, is_asked_first: bool) -> None:
    """The process died after it had changed a fact and before it changed the profile."""
    home, _ = await _know_lisbon(talk)
    assert "lives in Lisbon" in await _read_prompt(talk, "Good morning.")
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.facts.edit_fact(ANNA.id, home, "Anna lives in Porto.", now=talk.moment[0])
    if not is_asked_first:
        assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."
    prompt = await _read_prompt(talk, "Where do I live?")
    assert "Anna lives in Porto." in prompt
    assert "<profile>\nShe works as a nurse.\nAnna likes jazz." in prompt
    assert "lives in Lisbon" not in prompt.partition("</profile>")[0]


@pytest.mark.parametrize("is_on", [True, False])
async def test_the_follow_up_of_a_turn_corrects_the_profile_before_the_next_one(talk: Talk, *, is_on: bool) -> None:
    """With 9,000 facts it takes most of a second, for which the next answer waited."""
    home, _ = await _know_lisbon(talk)
    await talk.services.facts.edit(ANNA.id, home, "Anna lives in Porto.")
    await talk.services.memory.set_enabled(ANNA.id, enabled=is_on)
    await talk.conversation.run_post_turn_tasks(SCOPE)
    async with talk.services.memory.open_store(ANNA.id) as store:
        profile = await store.profiles.find_newest_profile(ANNA.id)
    assert profile is not None
    assert ("Lisbon" in profile.text) is not is_on


async def test_the_rest_of_the_memory_is_read_where_a_profile_cannot_be_corrected(talk: Talk) -> None:
    """One damaged row of a deleted fact took the whole memory from every prompt."""
    home, _ = await _know_lisbon(talk)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    async with talk.services.memory.open_store(ANNA.id) as store, store.database.open_transaction(ANNA.id) as tx:
        await tx.execute("UPDATE facts SET created_at = 'some day' WHERE user_id = ? AND id = ?", ANNA.id, home)
    assert (await talk.say("What do I do for a living?")).notices == ()
    assert "Anna works as a nurse." in talk.prompts()[-1]


async def test_an_incognito_turn_neither_reads_nor_writes_a_profile_that_facts_overrule(talk: Talk) -> None:
    home, _ = await _know_lisbon(talk)
    assert "lives in Lisbon" in await _read_profile(talk)
    await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, incognito=True))
    assert "<profile>" in await _read_prompt(talk, "What do I do?")
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    async with talk.services.memory.open_store(ANNA.id) as store:
        before = await store.profiles.list_versions(ANNA.id)
        assert "Lisbon" not in await _read_prompt(talk, "What do I do for a living?")
        assert await store.profiles.list_versions(ANNA.id) == before
    await talk.services.memory.change_config(ANNA.id, lambda config: replace(config, incognito=False))
    prompt = await _read_prompt(talk, "And now?")
    assert "<profile>" in prompt
    assert "Lisbon" not in prompt


async def _read_prompt(talk: Talk, question: str) -> str:
    await talk.say(question)
    return talk.prompts()[-1]


async def test_a_summary_brings_nothing_back_that_was_taken_back_by_hand(talk: Talk) -> None:
    home, job = await _know_lisbon(talk)
    await change_fact_and_report(talk.services, ANNA.id, "pin", job)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    talk.server.default("summary-model", "Anna lives in Lisbon, where the weather is mild.")
    await talk.turn("How is the weather in Lisbon?")
    await talk.turn("And tomorrow?")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    request = talk.server.asked_for("profile")[-1].messages[1]["content"]
    assert "<superseded>\nAnna lives in Lisbon.\n</superseded>" in request
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."


MOVED = {"text": "Anna lives in Porto since 2026-10.", "quote": "I moved to Porto last month", "about": "Anna"}


async def test_what_is_corrected_in_the_chat_leaves_the_profile_and_no_model_brings_it_back(talk: Talk) -> None:
    """A model went on telling the old home from a summary. A move was before the day on which the old home was said."""
    talk.server.default_schema("profile", json.dumps(HELD))
    for number, said, fact in (
        (1, "i live in lisbon", {"text": "Anna lives in Lisbon.", "quote": "i live in lisbon", "about": "Anna"}),
        (3, "No, I moved to Porto last month, keep up!", MOVED),
    ):
        home = {**fact, "message": number, "type": "state", "attribute": "home", "is_single": True, "replaces": []}
        talk.server.script_schema("facts", json.dumps({"facts": [home]}))
        await talk.turn(said)
        await talk.services.facts.learn(SCOPE)
        if number == 1:
            assert await talk.services.distiller.distil_now(ANNA.id) is not None
            assert "lives in Lisbon" in await _read_profile(talk)
    facts = await talk.services.facts.list_all(ANNA.id)
    assert [fact.text for fact in facts if fact.is_valid] == [MOVED["text"]]
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."
    talk.server.default("summary-model", "Anna lives in Lisbon, where the weather is mild.")
    await talk.turn("How is the weather?")
    await talk.turn("And tomorrow?")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    request = talk.server.asked_for("profile")[-1].messages[1]["content"]
    assert "<superseded>\nAnna lives in Lisbon.\n</superseded>" in request
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."


async def test_what_is_said_again_after_it_was_deleted_is_in_the_profile(talk: Talk) -> None:
    home, _ = await _know_lisbon(talk)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna lives in Lisbon.")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    assert "Anna lives in Lisbon." in await _read_profile(talk)


async def test_a_profile_of_nothing_but_what_was_taken_back_is_not_kept(talk: Talk) -> None:
    home, _ = await _know_lisbon(talk)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    talk.server.default_schema("profile", json.dumps({"profile": "Anna lives in Lisbon."}))
    before = await _read_profile(talk)
    assert await talk.services.distiller.distil_now(ANNA.id) is None
    assert await _read_profile(talk) == before


async def test_what_is_taken_back_while_a_profile_is_being_stored_is_not_in_it(talk: Talk) -> None:
    """The change is stored between what the profile was compared with and the profile itself."""
    home, _ = await _know_lisbon(talk)
    compared = asyncio.Event()

    def clock() -> datetime:
        compared.set()
        return talk.moment[0]

    async with talk.services.memory.open_store(ANNA.id) as store:
        new = NewProfile(
            owner=ANNA.id, text=f"{HELD['profile']} She skis.", model="m", base_id=1, facts=(), summary_ids=()
        )
        async with store.database.open_transaction(ANNA.id):  # the others wait, in the order in which they came
            deleting = asyncio.create_task(store.facts.delete_fact(ANNA.id, home, now=talk.moment[0]))
            storing = asyncio.create_task(correct_and_store_profile(store, ANNA.id, new, clock=clock))
            await compared.wait()
        await asyncio.gather(deleting, storing)
    assert await _read_profile(talk) == "She works as a nurse. She skis."

"""Tests of the profile: when it is distilled, from which sources, and which sentences are removed from it."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from chat.facts_by_hand import change_fact_and_report
from facts.distillation import correct_and_store_profile, format_profile_text
from facts.schemas import parse_profile_sections
from records.errors import ModelBroken, ModelBusy
from records.facts import NewProfile
from records.owners import StorageType
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

SCOPE = Scope(owner=ANNA.id)
DOCUMENT = {"profile": "Anna lives in Oslo.", "preferences": "", "ongoing_topics": "She looks for a boat."}


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, profile_every_summaries=4, profile_keep_summaries=2) as talk:
        await talk.turn_on_memory(every_n=1, storage=storage)
        talk.server.set_default_schema_answer("profile", json.dumps(DOCUMENT))
        yield talk


async def test_profile_is_distilled_after_enough_summaries_without_newest(talk: ChatHarness) -> None:
    for number in range(3):
        await talk.run_turn(f"Point {number}.")
    assert talk.server.list_schema_requests("profile") == []
    await talk.run_turn("Point 3.")
    (version,) = await talk.services.distiller.list_versions(ANNA.id)
    assert version.text == "Anna lives in Oslo.\nShe looks for a boat."
    (request,) = talk.server.list_schema_requests("profile")
    assert request.messages[1]["content"].count("[2026-11-21] ") == 2
    await talk.run_turn("Point 4.")
    assert len(talk.server.list_schema_requests("profile")) == 1
    await talk.run_turn("Point 5.")
    assert [version.id for version in await talk.services.distiller.list_versions(ANNA.id)] == [2, 1]
    assert "<profile>\nAnna" in talk.server.list_schema_requests("profile")[1].messages[1]["content"]


async def test_prompt_contains_profile_before_summaries(talk: ChatHarness) -> None:
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna sails.")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    await talk.run_turn("Point 0.")
    reply = await talk.say("Point 1.")
    assert reply.context is not None
    assert reply.context.profile is not None
    messages = talk.server.list_requests("chat-model")[-1].messages
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
async def test_rejects_invalid_profile_answer(talk: ChatHarness, told: str) -> None:
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna sails.")
    talk.server.set_default_schema_answer("profile", told)
    with pytest.raises(ModelBroken):  # and not: "there is not enough yet"
        await talk.services.distiller.distil_now(ANNA.id)
    assert await talk.services.distiller.list_versions(ANNA.id) == []


async def test_failed_distillation_is_not_retried_every_turn_and_folds_continue(talk: ChatHarness) -> None:
    talk.server.set_default_schema_answer("profile", Behaviour(status=500))
    for number in range(4):
        assert await talk.run_turn(f"Point {number}.") == ()
    tries = len(talk.server.list_schema_requests("profile"))
    assert tries > 0
    await talk.conversation.run_post_turn_tasks(SCOPE)
    assert len(talk.server.list_schema_requests("profile")) == tries
    with pytest.raises(ModelBusy):  # prose, which answers the last attempt without the schema, is no profile
        await talk.services.distiller.distil_now(ANNA.id)
    assert len(await talk.services.summaries.list_active_summaries(SCOPE)) == 4


async def test_empty_memory_yields_no_profile(talk: ChatHarness) -> None:
    assert await talk.services.distiller.distil_now(ANNA.id) is None
    assert talk.server.list_schema_requests("profile") == []


def test_limits_profile_to_max_words() -> None:
    told = json.dumps({"profile": "word " * 500, "preferences": "more " * 10, "key_history": ["One.", "Two."]})
    text = format_profile_text(parse_profile_sections(f"Here it is: {told} Enjoy!"), max_words=400)
    assert 390 <= len(text.split()) <= 400
    few = parse_profile_sections(json.dumps({"key_history": ["One.", "Two."]}))
    assert format_profile_text(few, max_words=400) == "One. Two."


def test_profile_text_has_no_headings_in_another_language() -> None:
    told = {"profile": "Анна живёт в Казани.", "preferences": "Любит джаз.", "ongoing_topics": "Ищет лодку."}
    text = format_profile_text(parse_profile_sections(json.dumps(told)), max_words=400)
    assert text == "Анна живёт в Казани.\nЛюбит джаз.\nИщет лодку."


HELD = {"profile": "Anna lives in Lisbon. She works as a nurse.", "preferences": "Anna likes jazz."}


async def _add_lisbon_facts_and_profile(talk: ChatHarness) -> tuple[int, int]:
    """Add two facts, distil a profile that contains them, and return the ids of the facts."""
    home, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna lives in Lisbon.")
    job, _ = await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna works as a nurse.")
    talk.server.set_default_schema_answer("profile", json.dumps(HELD))
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    return home.id, job.id


async def _read_profile(talk: ChatHarness) -> str:
    return (await talk.services.distiller.list_versions(ANNA.id))[0].text


@pytest.mark.parametrize("how", ["delete", "edit", "supersede_fact"])
async def test_changing_fact_removes_old_sentence_from_profile(talk: ChatHarness, how: str) -> None:
    home, _ = await _add_lisbon_facts_and_profile(talk)
    assert await _read_profile(talk) == ("Anna lives in Lisbon. She works as a nurse.\nAnna likes jazz.")
    if how == "delete":
        await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    else:
        assert await getattr(talk.services.facts, how)(ANNA.id, home, "Anna lives in Porto.") is not None
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."


@pytest.mark.parametrize("is_asked_first", [True, False])
async def test_prompt_omits_overruled_profile_sentence_after_crash(talk: ChatHarness, *, is_asked_first: bool) -> None:
    """The process died after it had changed a fact and before it changed the profile."""
    home, _ = await _add_lisbon_facts_and_profile(talk)
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
async def test_post_turn_task_corrects_profile_only_while_memory_is_on(talk: ChatHarness, *, is_on: bool) -> None:
    """With 9,000 facts the correction takes most of a second, and the next answer once waited for it."""
    home, _ = await _add_lisbon_facts_and_profile(talk)
    await talk.services.facts.edit(ANNA.id, home, "Anna lives in Porto.")
    await talk.services.memory.set_enabled(ANNA.id, enabled=is_on)
    await talk.conversation.run_post_turn_tasks(SCOPE)
    async with talk.services.memory.open_store(ANNA.id) as store:
        profile = await store.profiles.find_newest_profile(ANNA.id)
    assert profile is not None
    assert ("Lisbon" in profile.text) is not is_on


async def test_prompt_keeps_facts_when_profile_correction_fails(talk: ChatHarness) -> None:
    """A damaged row of a deleted fact once removed the whole memory from every prompt."""
    home, _ = await _add_lisbon_facts_and_profile(talk)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    async with talk.services.memory.open_store(ANNA.id) as store, store.database.open_transaction(ANNA.id) as tx:
        await tx.execute("UPDATE facts SET created_at = 'some day' WHERE user_id = ? AND id = ?", ANNA.id, home)
    assert (await talk.say("What do I do for a living?")).notices == ()
    assert "Anna works as a nurse." in talk.list_prompts()[-1]


async def test_incognito_turn_neither_reads_nor_corrects_overruled_profile(talk: ChatHarness) -> None:
    home, _ = await _add_lisbon_facts_and_profile(talk)
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


async def _read_prompt(talk: ChatHarness, question: str) -> str:
    await talk.say(question)
    return talk.list_prompts()[-1]


async def test_distillation_from_summaries_does_not_restore_deleted_fact(talk: ChatHarness) -> None:
    home, job = await _add_lisbon_facts_and_profile(talk)
    await change_fact_and_report(talk.services, ANNA.id, "pin", job)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    talk.server.set_default_answer("summary-model", "Anna lives in Lisbon, where the weather is mild.")
    await talk.run_turn("How is the weather in Lisbon?")
    await talk.run_turn("And tomorrow?")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    request = talk.server.list_schema_requests("profile")[-1].messages[1]["content"]
    assert "<superseded>\nAnna lives in Lisbon.\n</superseded>" in request
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."


MOVED = {"text": "Anna lives in Porto since 2026-10.", "quote": "I moved to Porto last month", "about": "Anna"}


async def test_fact_corrected_in_chat_leaves_profile_permanently(talk: ChatHarness) -> None:
    """A model kept the old home from a summary. The move is dated before the day on which the old home was said."""
    talk.server.set_default_schema_answer("profile", json.dumps(HELD))
    for number, said, fact in (
        (1, "i live in lisbon", {"text": "Anna lives in Lisbon.", "quote": "i live in lisbon", "about": "Anna"}),
        (3, "No, I moved to Porto last month, keep up!", MOVED),
    ):
        home = {**fact, "message": number, "type": "state", "attribute": "home", "is_single": True, "replaces": []}
        talk.server.script_schema("facts", json.dumps({"facts": [home]}))
        await talk.run_turn(said)
        await talk.services.facts.learn(SCOPE)
        if number == 1:
            assert await talk.services.distiller.distil_now(ANNA.id) is not None
            assert "lives in Lisbon" in await _read_profile(talk)
    facts = await talk.services.facts.list_all(ANNA.id)
    assert [fact.text for fact in facts if fact.is_valid] == [MOVED["text"]]
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."
    talk.server.set_default_answer("summary-model", "Anna lives in Lisbon, where the weather is mild.")
    await talk.run_turn("How is the weather?")
    await talk.run_turn("And tomorrow?")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    request = talk.server.list_schema_requests("profile")[-1].messages[1]["content"]
    assert "<superseded>\nAnna lives in Lisbon.\n</superseded>" in request
    assert await _read_profile(talk) == "She works as a nurse.\nAnna likes jazz."


async def test_profile_contains_fact_added_again_after_deletion(talk: ChatHarness) -> None:
    home, _ = await _add_lisbon_facts_and_profile(talk)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    await talk.services.facts.add_fact_unless_known(ANNA.id, "Anna lives in Lisbon.")
    assert await talk.services.distiller.distil_now(ANNA.id) is not None
    assert "Anna lives in Lisbon." in await _read_profile(talk)


async def test_profile_of_only_deleted_facts_is_not_stored(talk: ChatHarness) -> None:
    home, _ = await _add_lisbon_facts_and_profile(talk)
    await change_fact_and_report(talk.services, ANNA.id, "delete", home)
    talk.server.set_default_schema_answer("profile", json.dumps({"profile": "Anna lives in Lisbon."}))
    before = await _read_profile(talk)
    assert await talk.services.distiller.distil_now(ANNA.id) is None
    assert await _read_profile(talk) == before


async def test_stored_profile_omits_fact_deleted_meanwhile(talk: ChatHarness) -> None:
    """The fact is deleted after the profile was compared with the facts and before the profile is stored."""
    home, _ = await _add_lisbon_facts_and_profile(talk)
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

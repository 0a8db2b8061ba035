"""Deleted facts stay deleted when their sources are read again, even after the text of the fact was erased."""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest

from background.rebuild import RebuildProgress
from chat.facts_by_hand import change_fact_and_report, edit_fact
from records.forgetting import ForgetRequest
from records.owners import StorageType
from records.scopes import Scope
from telegram_ui.commands.why import make_explanation_pages
from telegram_ui.sending.chat import Chat
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness
from tests.unit.facts.test_history_extraction import import_chat, make_chat_export, run_extraction

SCOPE = Scope(owner=ANNA.id)
PORTO = "Anna lives in Porto."
SAID = "I live in Porto near the river."
BEES = "She keeps three hives of bees on the roof of the bakery."


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50, storage=storage)
        yield talk


def set_model_fact(talk: ChatHarness, message: int, quote: str = "I live in Porto", text: str = PORTO) -> None:
    """Let the model return this fact for every request."""
    fact: Mapping[str, Any] = {"message": message, "quote": quote, "text": text, "type": "state", "replaces": None}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [fact]}))


async def list_valid_texts(talk: ChatHarness) -> Sequence[str]:
    return [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]


async def learn_and_delete_fact(
    talk: ChatHarness, how: str, said: str = SAID, quote: str = "I live in Porto", text: str = PORTO
) -> None:
    """Let Anna say a text, learn a fact from it, and delete or forget it. A deleted fact is erased a day later."""
    set_model_fact(talk, 1, quote, text)
    await talk.say(said)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    if how == "forgotten":
        await talk.services.corrections.forget(ANNA.id, ForgetRequest(what="facts", ids=(fact.id,)))
        assert await talk.services.facts.list_all(ANNA.id) == []
        return
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    if how == "erased":
        talk.moment[0] += timedelta(days=1, minutes=1)
        await talk.services.corrections.forget_long_deleted_facts()
        assert await talk.services.facts.list_all(ANNA.id) == []


async def test_prompt_annotates_source_message_with_text_of_edited_fact(talk: ChatHarness) -> None:
    """The prompt says that the conversation is newer than the facts, so the model used the uncorrected text."""
    set_model_fact(talk, 1)
    await talk.say(SAID)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(days=1)
    await talk.services.facts.edit(ANNA.id, fact.id, "Anna lives in Braga.")
    await talk.say("Where do I live?")
    assert f"{SAID}\n[the user keeps of this: Anna lives in Braga.]\n" in talk.list_prompts()[-1]
    assert f"said {talk.moment[0]:%Y-%m-%d}] Anna lives in Braga." in talk.list_prompts()[-1]
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    talk.moment[0] += timedelta(days=1)
    for text, is_noted in ((f"{SAID} :)", True), ("I have a boat.", False)):
        await edit_in_telegram(talk, text)
        await talk.say("And now?")
        assert ("[the user keeps of this: Anna lives in Braga.]" in talk.list_prompts()[-1]) == is_noted, text
    text = "\n".join(page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC))
    assert "“Anna lives in Braga.” Since 22 November 2026, put in by hand." in text, "nobody said so"


async def test_prompt_notes_every_edited_fact_only_below_messages_before_edit(talk: ChatHarness) -> None:
    said = "I live in Porto near the river and work at a bakery."
    texts = {PORTO: "I live in Porto", "Anna works at a bakery.": "work at a bakery"}
    facts = [{"message": 1, "quote": quote, "text": text, "type": "state"} for text, quote in texts.items()]
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": facts}))
    await talk.say(said)
    home, work = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(days=1)
    await talk.services.facts.edit(ANNA.id, home.id, "Anna lives in Braga.")
    await talk.services.facts.edit(ANNA.id, work.id, "Anna works at a mill.")
    talk.moment[0] += timedelta(days=1)
    set_model_fact(talk, 3, "I live in Braga", "Anna lives in Braga.")
    await talk.say("I live in Braga until May.")
    await talk.services.facts.learn(SCOPE)
    (fact,) = [fact for fact in await talk.services.facts.list_all(ANNA.id) if 3 in fact.source_ids]
    assert fact.id == home.id
    await talk.say("Where do I live?")
    notes = "[the user keeps of this: Anna lives in Braga.]\n[the user keeps of this: Anna works at a mill.]"
    assert f"{said}\n{notes}\n" in talk.list_prompts()[-1]
    assert talk.list_prompts()[-1].count("[the user keeps") == 2


async def test_embedding_of_follow_up_question_excludes_edit_note(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path, facts_batch_turns=99, embedding_model="e") as talk:
        await talk.turn_on_memory(every_n=50)
        set_model_fact(talk, 1)
        await talk.say(SAID)
        (fact,) = await talk.services.facts.learn(SCOPE)
        await talk.services.facts.edit(ANNA.id, fact.id, "Anna lives in Braga.")
        talk.server.requests.clear()
        await talk.say("And now?")
        assert "keeps of this" in talk.list_prompts()[-1]
        assert [f"{SAID}\nAnd now?"] in [request.body["input"] for request in talk.server.list_requests("e")]


async def import_it_again(talk: ChatHarness) -> None:
    done = await import_chat(talk, make_chat_export(SAID))
    assert done.ids is not None
    set_model_fact(talk, done.ids[0])
    await run_extraction(talk, done)


async def rebuild_summaries(talk: ChatHarness) -> None:
    await talk.services.summaries.fold(SCOPE, "now")

    async def ignore(progress: RebuildProgress) -> None:
        """Ignore progress reports."""

    assert (await talk.services.rebuilder.rebuild_summaries(SCOPE, ignore)).state == "done"
    await talk.services.facts.learn(SCOPE)


async def regenerate(talk: ChatHarness) -> None:
    await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA)
    await talk.services.facts.learn(SCOPE)


async def edit_in_telegram(talk: ChatHarness, text: str) -> None:
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(SCOPE, 1, text, reason="edited", now=talk.moment[0])


async def edit_the_message(talk: ChatHarness) -> None:
    set_model_fact(talk, 1, "I live in Porto", "Anna moved to Porto, by the river.")
    await edit_in_telegram(talk, "I live in Porto, by the river.")
    await talk.services.facts.learn(SCOPE)


async def let_the_model_repeat_itself(talk: ChatHarness) -> None:
    for text in ("How is the weather in Porto?", "I like rain."):
        await talk.say(text)
    await talk.services.facts.learn(SCOPE)


@pytest.mark.parametrize("how", ["deleted", "erased", "forgotten"])
@pytest.mark.parametrize(
    "read_again",
    [import_it_again, rebuild_summaries, regenerate, edit_the_message, let_the_model_repeat_itself],
    ids=lambda way: way.__name__,
)
async def test_rereading_earlier_messages_does_not_restore_deleted_fact(
    talk: ChatHarness, read_again: Callable[[ChatHarness], Awaitable[None]], how: str
) -> None:
    await learn_and_delete_fact(talk, how)
    await read_again(talk)
    assert await list_valid_texts(talk) == []
    set_model_fact(talk, 3, "moved back to porto")
    await talk.say("Good news.")
    said = await talk.say("I moved back to Porto!")
    assert not said.is_error
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == [PORTO], "a later message that states it counts"


@pytest.mark.parametrize(
    "said",
    [
        "I went back to Porto",
        "Volví a mudarme a Porto",
        "Regresé a Porto",
        "Voltei para o Porto",
        "Я вернулась в Porto",
    ],
)
async def test_announcing_return_restores_deleted_home(talk: ChatHarness, said: str) -> None:
    await learn_and_delete_fact(talk, "deleted")
    set_model_fact(talk, 3, said)
    await talk.say(said)
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == [PORTO]


READINGS = {
    "en": ("I work at Siemens as a welder.", "work at Siemens", "Anna works at Siemens.", "Anna works at Bosch."),
    "de": ("Ich wohne in Gent am Kanal.", "wohne in Gent", "Anna wohnt in Gent.", "Anna wohnt in Brügge."),
    "es": ("Vivo en Gijón con mi perro.", "Vivo en Gijón", "Anna vive en Gijón.", "Anna vive en Oviedo."),
    "ru": ("Я живу в Туле у реки.", "живу в Туле", "Анна живёт в Туле.", "Анна живёт в Калуге."),
}
QUESTIONS = {
    "en": "At Siemens, how is the canteen?",
    "de": "In Gent, wie ist das Wetter?",
    "es": "¿En Gijón, por ejemplo, hace sol?",
    "ru": "В Туле, что посмотреть?",
}
AGAIN = {
    "en": "I work at Siemens again.",
    "de": "Ich wohne in Gent, wieder.",
    "es": "Vivo en Gijón otra vez.",
    "ru": "Снова живу в Туле.",
}


@pytest.mark.parametrize("how", ["edited", "replaced", "deleted"])
@pytest.mark.parametrize("language", READINGS)
async def test_decision_survives_question_and_is_listed_in_extraction_request(
    talk: ChatHarness, language: str, how: str
) -> None:
    said, quote, text, corrected = READINGS[language]
    set_model_fact(talk, 1, quote, text)
    await talk.say(said)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    facts = talk.services.facts
    if how == "edited":
        await facts.edit(ANNA.id, fact.id, corrected)
    elif how == "replaced":
        await facts.supersede_fact(ANNA.id, fact.id, corrected)
    else:
        await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    left = [] if how == "deleted" else [corrected]
    set_model_fact(talk, 3, " ".join(QUESTIONS[language].split()[:2]), text)
    await talk.say(QUESTIONS[language])
    await facts.learn(SCOPE)
    assert await list_valid_texts(talk) == left
    request = talk.server.list_schema_requests("facts")[-1].messages[1]["content"]
    assert f"withdrawn by hand, since 2026-11-21: {text}" in request
    assert all(text in request for text in left)
    set_model_fact(talk, 5, quote, text)
    await talk.say(AGAIN[language])
    await facts.learn(SCOPE)
    assert text in await list_valid_texts(talk)


async def test_deleting_home_of_one_member_keeps_home_of_another(talk: ChatHarness) -> None:
    group = Scope(owner=-5)
    await talk.turn_on_memory(owner=group.owner)
    for person, text in ((ANNA, "Ich wohne in Gent."), (BORIS, "Ich wohne in Gent, am Kanal.")):
        await talk.conversation.reply(replace(talk.make_user_message(text), scope=group, person=person, in_group=True))
    single: dict[str, Any] = {"quote": "wohne in Gent", "attribute": "home", "is_single": True, "type": "state"}
    told = [
        single | {"message": 1, "text": "Anna wohnt in Gent.", "about": "Anna", "replaces": None},
        single | {"message": 3, "text": "Boris wohnt in Gent.", "about": "Boris", "replaces": None},
    ]
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": told}))
    facts = talk.services.facts
    first, _ = await facts.learn(group)
    talk.moment[0] += timedelta(minutes=1)
    await change_fact_and_report(talk.services, group.owner, "delete", first.id)
    async with talk.services.memory.open_store(group.owner) as store:
        for number, text in ((1, "Ich wohne in Gent!"), (3, "Ich wohne in Gent, am Kanal!")):
            await store.forgetting.replace_message_text_if_changed(
                group, number, text, reason="edited", now=talk.moment[0]
            )
    await facts.learn(group)
    assert [fact.text for fact in await facts.list_all(group.owner) if fact.is_valid] == ["Boris wohnt in Gent."]


@pytest.mark.parametrize("how", ["deleted", "erased", "forgotten"])
async def test_rebuilt_summary_omits_deleted_fact_until_user_restates_fact(talk: ChatHarness, how: str) -> None:
    await learn_and_delete_fact(talk, how)
    await talk.say("I keep three hives of bees on the roof of the bakery.")
    told = f"On 21 November Anna said that she lives in Porto. {BEES}"
    talk.server.set_default_answer("summary-model", told)
    assert await rebuild_and_read_summary(talk) == BEES
    request = talk.list_prompts("summary-model")[-1]
    assert ("- Anna lives in Porto. (deleted)" in request) == (how == "deleted"), "an erased text is not kept"
    set_model_fact(talk, 5, "I live in Porto again")
    await talk.say("I live in Porto again, near the old market.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == [PORTO]
    assert await rebuild_and_read_summary(talk) == told


@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_deletion_does_not_affect_summary_of_later_messages(talk: ChatHarness, how: str) -> None:
    await learn_and_delete_fact(talk, how)
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    talk.moment[0] += timedelta(days=2)
    await talk.say("Is it safe to live in Porto during the fires?")
    told = "Anna asked if it is safe to live in Porto. She keeps bees."
    talk.server.set_default_answer("summary-model", told)
    (made,) = (await talk.services.summaries.fold(SCOPE, "now")).summaries
    assert made.text == told


DOG = ("Tengo un perro, Toby.", "Tengo un perro", "Anna tiene un perro, Toby.")


@pytest.mark.parametrize(
    ("said", "text", "is_learned"),
    [
        ("No tengo perro.", "Anna no tiene perro.", True),
        ("Claro que tengo un perro.", "Anna tiene un perro.", True),
        ("Un perro duerme mucho.", "Anna tiene un perro.", False),
    ],
)
@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_restatement_after_deletion_matches_words_of_original_quote(
    talk: ChatHarness, how: str, said: str, text: str, is_learned: bool
) -> None:
    """The verb has different stems in the sentence and in the fact ("tengo", "tiene")."""
    await learn_and_delete_fact(talk, how, *DOG)
    set_model_fact(talk, 3, said.rstrip("."), text)
    await talk.say(said)
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ([text] if is_learned else [])


@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_denial_that_nobody_said_is_not_learned_from_source_of_deleted_fact(talk: ChatHarness, how: str) -> None:
    await learn_and_delete_fact(talk, how)
    set_model_fact(talk, 1, text="Anna no longer lives in Porto.")
    await edit_in_telegram(talk, f"{SAID} :)")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == []


@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_summary_keeps_denial_of_deleted_fact(talk: ChatHarness, how: str) -> None:
    await learn_and_delete_fact(talk, how, *DOG)
    await talk.say("No tengo perro, era una broma. Vivo sola con mi piano.")
    for told, kept in (
        ("Anna no tiene perro. Vive sola con su piano.", "Anna no tiene perro. Vive sola con su piano."),
        ("Anna tiene un perro. Vive sola con su piano, no con amigos.", "Vive sola con su piano, no con amigos."),
    ):
        talk.server.set_default_answer("summary-model", told)
        assert await rebuild_and_read_summary(talk) == kept


async def test_pinned_fact_erased_by_retention_is_not_treated_as_deleted_by_hand(talk: ChatHarness) -> None:
    set_model_fact(talk, 1)
    await talk.say(SAID)
    (fact,) = await talk.services.facts.learn(SCOPE)
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    talk.moment[0] += timedelta(days=40)
    await talk.say("Porto is still lovely.")
    talk.moment[0] += timedelta(minutes=1)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    await talk.services.corrections.forget_old_archived_messages(timedelta(days=30))
    assert await talk.services.facts.list_all(ANNA.id) == []
    talk.server.set_default_answer("summary-model", f"Anna lives in Porto. {BEES}")
    (made,) = (await talk.services.summaries.fold(SCOPE, "now")).summaries
    assert made.text == f"Anna lives in Porto. {BEES}"


async def test_undoing_deletion_of_restated_fact_leaves_one_fact(talk: ChatHarness) -> None:
    await learn_and_delete_fact(talk, "deleted")
    set_model_fact(talk, 3, "I do live in Porto")
    await talk.say("I do live in Porto.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == [PORTO]
    assert PORTO in await change_fact_and_report(talk.services, ANNA.id, "undo", 1)
    assert await list_valid_texts(talk) == [PORTO]


@pytest.mark.parametrize("keeps_old_fact", [False, True])
async def test_summaries_omit_manually_corrected_fact(talk: ChatHarness, keeps_old_fact: bool) -> None:
    """A rebuilt summary and the summary of an import brought the old town back into the next prompt."""
    set_model_fact(talk, 1)
    await talk.say(SAID)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    edited = await edit_fact(talk.services, ANNA.id, fact.id, "Anna lives in Braga.", keeps_old_fact=keeps_old_fact)
    assert edited is None
    talk.server.set_default_answer("summary-model", f"- Anna lives in Porto near the river.\n- Bees\n  - {BEES}")
    assert await rebuild_and_read_summary(talk) == f"- Bees\n  - {BEES}"
    await import_chat(talk, make_chat_export(SAID, BEES))
    async with talk.services.memory.open_store(ANNA.id) as store:
        texts = [summary.text for summary in await store.list_summaries(SCOPE)]
    assert len(texts) == 2
    assert "Porto" not in str(texts)
    assert BEES in texts[0]


@pytest.mark.parametrize(
    ("said", "quote", "text", "again"),
    [
        ("Wir haben einen Dackel namens Bruno.", "Dackel namens Bruno", "Annas Hund ist der Dackel Bruno.", "einen "),
        ("Vivo en Sevilla cerca del río.", "Vivo en Sevilla", "La ciudad de Anna es Sevilla.", ""),
    ],
)
async def test_import_does_not_restore_deleted_fact_when_quote_stems_differ(
    talk: ChatHarness, said: str, quote: str, text: str, again: str
) -> None:
    """The language of a short quote is detected differently, so "namens" gets another stem than in the sentence."""
    set_model_fact(talk, 1, said.rstrip("."), f"Anna: {said}")
    await talk.say(said)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    done = await import_chat(talk, make_chat_export(said))
    assert done.ids is not None
    set_model_fact(talk, done.ids[0], again + quote, text)
    await run_extraction(talk, done)
    assert await list_valid_texts(talk) == []


async def rebuild_and_read_summary(talk: ChatHarness) -> str:
    await rebuild_summaries(talk)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [summary] = await store.list_summaries(SCOPE)
    return summary.text


@pytest.mark.parametrize("how", ["erased", "forgotten"])
async def test_learns_other_facts_of_edited_message_after_deletion(talk: ChatHarness, how: str) -> None:
    await learn_and_delete_fact(talk, how)
    set_model_fact(talk, 1, "work at Acme", "Anna works at Acme.")
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, 1, f"{SAID} And I work at Acme.", reason="edited", now=talk.moment[0]
        )
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_texts(talk) == ["Anna works at Acme."]


@pytest.mark.parametrize("how", ["erased", "forgotten"])
@pytest.mark.parametrize("what", ["everything", "messages", "conversations"])
async def test_forgetting_sources_deletes_decision(talk: ChatHarness, what: Any, how: str) -> None:
    await learn_and_delete_fact(talk, how)
    async with talk.services.memory.open_store(ANNA.id) as store:
        (decision,) = await store.facts.list_decisions(ANNA.id)
        assert "porto" not in repr(decision).casefold()
    ids = {"messages": (1,), "conversations": (0,)}.get(what, ())
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what=what, ids=ids))
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.facts.list_decisions(ANNA.id) == []


@pytest.mark.parametrize(
    ("edited", "texts", "is_pinned"),
    [
        ("The gate code is 4418.", ["Anna's gate code is 4418."], False),
        ("The code of the gate at work is 4417.", ["Anna's gate code is 4417."], True),
        ("Gate code: 4417.", ["Anna's gate code is 4417."], True),
    ],
)
async def test_pinned_fact_goes_with_its_value_when_own_message_is_edited(
    talk: ChatHarness, edited: str, texts: list[str], is_pinned: bool
) -> None:
    def answer(messages: Any) -> str:
        said = re.search(r"Anna: (.*code\D*(\d+))", messages[1]["content"])
        assert said
        told = {"message": 1, "quote": said[1], "text": f"Anna's gate code is {said[2]}.", "replaces": None}
        return json.dumps({"facts": [told]})

    talk.server.set_default_schema_answer("facts", answer)
    await talk.say("The gate code is 4417.")
    [fact] = await talk.services.facts.learn(SCOPE)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    talk.moment[0] += timedelta(minutes=1)
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(SCOPE, 1, edited, reason="edited", now=talk.moment[0])
    await talk.services.facts.learn(SCOPE)
    valid = [fact for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]
    assert ([fact.text for fact in valid], valid[0].is_pinned) == (texts, is_pinned)

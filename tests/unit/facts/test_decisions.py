"""A deleted fact stays deleted, also once no word of it is left, however often the same is read again."""

import json
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
from tests.support.talk import ANNA, BORIS, Talk, talking
from tests.unit.facts.test_history_extraction import chat, extracted, imported

SCOPE = Scope(owner=ANNA.id)
PORTO = "Anna lives in Porto."
SAID = "I live in Porto near the river."
BEES = "She keeps three hives of bees on the roof of the bakery."


@pytest.fixture
async def talk(tmp_path: Path, storage: StorageType) -> AsyncIterator[Talk]:
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.remember(every_n=50, storage=storage)
        yield talk


def repeat(talk: Talk, message: int, quote: str = "I live in Porto", text: str = PORTO) -> None:
    """Have the model say this, whatever it is asked."""
    fact: Mapping[str, Any] = {"message": message, "quote": quote, "text": text, "type": "state", "replaces": None}
    talk.server.default_schema("facts", json.dumps({"facts": [fact]}))


async def valid(talk: Talk) -> Sequence[str]:
    return [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]


async def delete(talk: Talk, how: str, said: str = SAID, quote: str = "I live in Porto", text: str = PORTO) -> None:
    """Have Anna say it, learn it, and delete or forget it; a fact that was deleted is erased a day later."""
    repeat(talk, 1, quote, text)
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


async def test_what_was_said_before_an_edit_by_hand_carries_the_new_text_in_prompts(talk: Talk) -> None:
    """The model is told that the talk is later than the facts, so it went back to what was corrected."""
    repeat(talk, 1)
    await talk.say(SAID)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(days=1)
    await talk.services.facts.edit(ANNA.id, fact.id, "Anna lives in Braga.")
    await talk.say("Where do I live?")
    assert f"{SAID}\n[the user keeps of this: Anna lives in Braga.]\n" in talk.prompts()[-1]
    assert f"said {talk.moment[0]:%Y-%m-%d}] Anna lives in Braga." in talk.prompts()[-1]
    explanation = await talk.services.explanations.explain_answer(SCOPE)
    assert explanation is not None
    talk.moment[0] += timedelta(days=1)
    for text, is_noted in ((f"{SAID} :)", True), ("I have a boat.", False)):
        await edit_in_telegram(talk, text)
        await talk.say("And now?")
        assert ("[the user keeps of this: Anna lives in Braga.]" in talk.prompts()[-1]) == is_noted, text
    text = "\n".join(page.text for page in make_explanation_pages(explanation, Chat(id=ANNA.id), UTC))
    assert "“Anna lives in Braga.” Since 22 November 2026, put in by hand." in text, "nobody said so"


async def test_every_edited_fact_of_a_message_is_noted_below_it_but_not_below_what_was_said_later(talk: Talk) -> None:
    said = "I live in Porto near the river and work at a bakery."
    texts = {PORTO: "I live in Porto", "Anna works at a bakery.": "work at a bakery"}
    facts = [{"message": 1, "quote": quote, "text": text, "type": "state"} for text, quote in texts.items()]
    talk.server.default_schema("facts", json.dumps({"facts": facts}))
    await talk.say(said)
    home, work = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(days=1)
    await talk.services.facts.edit(ANNA.id, home.id, "Anna lives in Braga.")
    await talk.services.facts.edit(ANNA.id, work.id, "Anna works at a mill.")
    talk.moment[0] += timedelta(days=1)
    repeat(talk, 3, "I live in Braga", "Anna lives in Braga.")
    await talk.say("I live in Braga until May.")
    await talk.services.facts.learn(SCOPE)
    (fact,) = [fact for fact in await talk.services.facts.list_all(ANNA.id) if 3 in fact.source_ids]
    assert fact.id == home.id
    await talk.say("Where do I live?")
    notes = "[the user keeps of this: Anna lives in Braga.]\n[the user keeps of this: Anna works at a mill.]"
    assert f"{said}\n{notes}\n" in talk.prompts()[-1]
    assert talk.prompts()[-1].count("[the user keeps") == 2


async def test_a_note_below_a_message_is_no_part_of_the_question_that_leans_on_it(tmp_path: Path) -> None:
    async with talking(tmp_path, facts_batch_turns=99, embedding_model="e") as talk:
        await talk.remember(every_n=50)
        repeat(talk, 1)
        await talk.say(SAID)
        (fact,) = await talk.services.facts.learn(SCOPE)
        await talk.services.facts.edit(ANNA.id, fact.id, "Anna lives in Braga.")
        talk.server.requests.clear()
        await talk.say("And now?")
        assert "keeps of this" in talk.prompts()[-1]
        assert [f"{SAID}\nAnd now?"] in [request.body["input"] for request in talk.server.of("e")]


async def import_it_again(talk: Talk) -> None:
    done = await imported(talk, chat(SAID))
    assert done.ids is not None
    repeat(talk, done.ids[0])
    await extracted(talk, done)


async def rebuild_summaries(talk: Talk) -> None:
    await talk.services.summaries.fold(SCOPE, "now")

    async def ignore(progress: RebuildProgress) -> None:
        """Nobody watches."""

    assert (await talk.services.rebuilder.rebuild_summaries(SCOPE, ignore)).state == "done"
    await talk.services.facts.learn(SCOPE)


async def regenerate(talk: Talk) -> None:
    await talk.conversation.answer_last_turn_again(SCOPE, 1, ANNA)
    await talk.services.facts.learn(SCOPE)


async def edit_in_telegram(talk: Talk, text: str) -> None:
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(SCOPE, 1, text, reason="edited", now=talk.moment[0])


async def edit_the_message(talk: Talk) -> None:
    repeat(talk, 1, "I live in Porto", "Anna moved to Porto, by the river.")
    await edit_in_telegram(talk, "I live in Porto, by the river.")
    await talk.services.facts.learn(SCOPE)


async def let_the_model_repeat_itself(talk: Talk) -> None:
    for text in ("How is the weather in Porto?", "I like rain."):
        await talk.say(text)
    await talk.services.facts.learn(SCOPE)


@pytest.mark.parametrize("how", ["deleted", "erased", "forgotten"])
@pytest.mark.parametrize(
    "read_again",
    [import_it_again, rebuild_summaries, regenerate, edit_the_message, let_the_model_repeat_itself],
    ids=lambda way: way.__name__,
)
async def test_nothing_said_before_a_deletion_brings_the_fact_back(
    talk: Talk, read_again: Callable[[Talk], Awaitable[None]], how: str
) -> None:
    await delete(talk, how)
    await read_again(talk)
    assert await valid(talk) == []
    repeat(talk, 3, "moved back to porto")
    await talk.say("Good news.")
    said = await talk.say("I moved back to Porto!")
    assert not said.is_error
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [PORTO], "a later message that states it counts"


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
async def test_who_returns_states_it_again_in_any_words(talk: Talk, said: str) -> None:
    await delete(talk, "deleted")
    repeat(talk, 3, said)
    await talk.say(said)
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [PORTO]


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
async def test_a_question_undoes_no_decision_and_its_request_carries_it(talk: Talk, language: str, how: str) -> None:
    said, quote, text, corrected = READINGS[language]
    repeat(talk, 1, quote, text)
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
    repeat(talk, 3, " ".join(QUESTIONS[language].split()[:2]), text)
    await talk.say(QUESTIONS[language])
    await facts.learn(SCOPE)
    assert await valid(talk) == left
    request = talk.server.asked_for("facts")[-1].messages[1]["content"]
    assert f"withdrawn by hand, since 2026-11-21: {text}" in request
    assert all(text in request for text in left)
    repeat(talk, 5, quote, text)
    await talk.say(AGAIN[language])
    await facts.learn(SCOPE)
    assert text in await valid(talk)


async def test_a_decision_about_one_member_leaves_the_home_of_another(talk: Talk) -> None:
    group = Scope(owner=-5)
    await talk.remember(owner=group.owner)
    for person, text in ((ANNA, "Ich wohne in Gent."), (BORIS, "Ich wohne in Gent, am Kanal.")):
        await talk.conversation.reply(replace(talk.incoming(text), scope=group, person=person, in_group=True))
    single: dict[str, Any] = {"quote": "wohne in Gent", "attribute": "home", "is_single": True, "type": "state"}
    told = [
        single | {"message": 1, "text": "Anna wohnt in Gent.", "about": "Anna", "replaces": None},
        single | {"message": 3, "text": "Boris wohnt in Gent.", "about": "Boris", "replaces": None},
    ]
    talk.server.default_schema("facts", json.dumps({"facts": told}))
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
async def test_a_rebuilt_summary_does_not_repeat_what_was_deleted_until_it_is_said_again(talk: Talk, how: str) -> None:
    await delete(talk, how)
    await talk.say("I keep three hives of bees on the roof of the bakery.")
    told = f"On 21 November Anna said that she lives in Porto. {BEES}"
    talk.server.default("summary-model", told)
    assert await rebuild(talk) == BEES
    request = talk.prompts("summary-model")[-1]
    assert ("- Anna lives in Porto. (deleted)" in request) == (how == "deleted"), "an erased text is not kept"
    repeat(talk, 5, "I live in Porto again")
    await talk.say("I live in Porto again, near the old market.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [PORTO]
    assert await rebuild(talk) == told


@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_a_deletion_leaves_the_summary_of_what_was_said_later(talk: Talk, how: str) -> None:
    await delete(talk, how)
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    talk.moment[0] += timedelta(days=2)
    await talk.say("Is it safe to live in Porto during the fires?")
    told = "Anna asked if it is safe to live in Porto. She keeps bees."
    talk.server.default("summary-model", told)
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
async def test_what_is_said_after_a_deletion_counts_in_the_words_from_which_it_was_learned(
    talk: Talk, how: str, said: str, text: str, is_learned: bool
) -> None:
    """The verb of the sentence and that of the fact have different stems: "tengo", "tiene"."""
    await delete(talk, how, *DOG)
    repeat(talk, 3, said.rstrip("."), text)
    await talk.say(said)
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ([text] if is_learned else [])


@pytest.mark.parametrize("how", ["deleted", "erased"])
async def test_a_summary_may_deny_what_was_deleted(talk: Talk, how: str) -> None:
    await delete(talk, how, *DOG)
    await talk.say("No tengo perro, era una broma. Vivo sola con mi piano.")
    for told, kept in (
        ("Anna no tiene perro. Vive sola con su piano.", "Anna no tiene perro. Vive sola con su piano."),
        ("Anna tiene un perro. Vive sola con su piano, no con amigos.", "Vive sola con su piano, no con amigos."),
    ):
        talk.server.default("summary-model", told)
        assert await rebuild(talk) == kept


async def test_a_pinned_fact_that_grew_too_old_was_not_taken_back(talk: Talk) -> None:
    repeat(talk, 1)
    await talk.say(SAID)
    (fact,) = await talk.services.facts.learn(SCOPE)
    assert (await talk.services.summaries.fold(SCOPE, "now")).state == "folded"
    talk.moment[0] += timedelta(days=40)
    await talk.say("Porto is still lovely.")
    talk.moment[0] += timedelta(minutes=1)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    await talk.services.corrections.forget_old_archived_messages(timedelta(days=30))
    assert await talk.services.facts.list_all(ANNA.id) == []
    talk.server.default("summary-model", f"Anna lives in Porto. {BEES}")
    (made,) = (await talk.services.summaries.fold(SCOPE, "now")).summaries
    assert made.text == f"Anna lives in Porto. {BEES}"


async def test_undoing_a_deletion_of_what_was_said_again_leaves_one_fact(talk: Talk) -> None:
    await delete(talk, "deleted")
    repeat(talk, 3, "I do live in Porto")
    await talk.say("I do live in Porto.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [PORTO]
    assert PORTO in await change_fact_and_report(talk.services, ANNA.id, "undo", 1)
    assert await valid(talk) == [PORTO]


@pytest.mark.parametrize("keeps_old_fact", [False, True])
async def test_no_summary_tells_what_was_corrected_by_hand(talk: Talk, keeps_old_fact: bool) -> None:
    """The old town was back in the next prompt, by a rebuilt summary and by that of an import."""
    repeat(talk, 1)
    await talk.say(SAID)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    edited = await edit_fact(talk.services, ANNA.id, fact.id, "Anna lives in Braga.", keeps_old_fact=keeps_old_fact)
    assert edited is None
    talk.server.default("summary-model", f"- Anna lives in Porto near the river.\n- Bees\n  - {BEES}")
    assert await rebuild(talk) == f"- Bees\n  - {BEES}"
    await imported(talk, chat(SAID, BEES))
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
async def test_a_shorter_quote_that_is_stemmed_as_another_language_brings_nothing_back(
    talk: Talk, said: str, quote: str, text: str, again: str
) -> None:
    """The imported sentence came back in other words: "namens" has another stem without the words around it."""
    repeat(talk, 1, said.rstrip("."), f"Anna: {said}")
    await talk.say(said)
    (fact,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    done = await imported(talk, chat(said))
    assert done.ids is not None
    repeat(talk, done.ids[0], again + quote, text)
    await extracted(talk, done)
    assert await valid(talk) == []


async def rebuild(talk: Talk) -> str:
    await rebuild_summaries(talk)
    async with talk.services.memory.open_store(ANNA.id) as store:
        [summary] = await store.list_summaries(SCOPE)
    return summary.text


@pytest.mark.parametrize("how", ["erased", "forgotten"])
async def test_other_facts_of_the_same_message_are_learned_again(talk: Talk, how: str) -> None:
    await delete(talk, how)
    repeat(talk, 1, "work at Acme", "Anna works at Acme.")
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, 1, f"{SAID} And I work at Acme.", reason="edited", now=talk.moment[0]
        )
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == ["Anna works at Acme."]


@pytest.mark.parametrize("how", ["erased", "forgotten"])
@pytest.mark.parametrize("what", ["everything", "messages", "conversations"])
async def test_a_decision_goes_with_the_words_that_it_is_about(talk: Talk, what: Any, how: str) -> None:
    await delete(talk, how)
    async with talk.services.memory.open_store(ANNA.id) as store:
        (decision,) = await store.facts.list_decisions(ANNA.id)
        assert "porto" not in repr(decision).casefold()
    ids = {"messages": (1,), "conversations": (0,)}.get(what, ())
    await talk.services.corrections.forget(ANNA.id, ForgetRequest(what=what, ids=ids))
    async with talk.services.memory.open_store(ANNA.id) as store:
        assert await store.facts.list_decisions(ANNA.id) == []

"""No field of a model's answer can undo a decision that is newer than the message it was learned from."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from chat.facts_by_hand import change_fact_and_report
from records.facts import Fact
from records.scopes import Scope
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_history_extraction import import_chat, make_chat_export, run_extraction

SCOPE = Scope(owner=ANNA.id)
SAID = "I live in Lisbon near the river."
TOLD: dict[str, Any] = {"message": 1, "quote": "I live in Lisbon", "text": "Anna lives in Lisbon.", "type": "state"}
HOME: dict[str, Any] = {"about": "Anna", "attribute": "home", "is_single": True}
FIRST, PORTO, ELSEWHERE = 1, 3, 99  # message ids

ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "as before": HOME,
    "no attribute": {},
    "another attribute": {"about": "Anna", "attribute": "city of residence", "is_single": True},
    "about somebody": {"about": "the person", "attribute": "living situation", "is_single": False},
    "other words": {"text": "Anna resides in Lisbon."},
    "more words": {"text": "Anna's flat is in Lisbon, near the river.", "quote": SAID},
    "another language": {"text": "Anna wohnt in Lissabon."},
    "another language, all quoted": {"text": "Anna wohnt am Fluss in Lissabon.", "quote": SAID},
    "a wrong line": {"message": ELSEWHERE},
    "a label": {"text": "Home: Lisbon"},
    "an event": {"type": "event", "text": "Anna moved to Lisbon."},
    "a taste": {"type": "preference", "text": "Anna prefers to live in Lisbon."},
    "an instruction": {"type": "instruction", "about": None, "text": "Remember that Anna lives in Lisbon."},
    "replaces what was decided": {"text": "Anna resides in Lisbon.", "replaces": "decided"},
    "replaces, in another language": {"text": "Anna wohnt in Lissabon.", "replaces": "decided", **HOME},
    "in the past": {"type": "past", "text": "Anna used to live in Lisbon.", "replaces": "decided", **HOME},
    "not sure": {"type": "maybe", "text": "Anna might live in Lisbon."},
}


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50)
        yield talk


def set_model_facts(talk: ChatHarness, *facts: Mapping[str, Any]) -> None:
    talk.server.set_default_schema_answer(
        "facts", json.dumps({"facts": [{"replaces": None, **fact} for fact in facts]})
    )


async def list_valid_facts(talk: ChatHarness) -> list[tuple[str, bool]]:
    return [(fact.text, fact.is_pinned) for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]


async def say_and_learn(talk: ChatHarness, said: str, /, **fact: Any) -> Fact:
    set_model_facts(talk, fact)
    await talk.say(said)
    (made,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    return made


async def edit_by_hand(talk: ChatHarness) -> int:
    fact = await say_and_learn(talk, SAID, **TOLD, **HOME)
    await talk.services.facts.edit(ANNA.id, fact.id, "Home: PORTO")
    return fact.id


async def replace_by_hand(talk: ChatHarness) -> int:
    fact = await say_and_learn(talk, SAID, **TOLD, **HOME)
    made = await talk.services.facts.supersede_fact(ANNA.id, fact.id, "I have moved to Porto")
    assert made is not None
    return made.id


async def pin_what_came_after(talk: ChatHarness) -> int:
    await say_and_learn(talk, SAID, **TOLD, **HOME)
    porto = {"message": PORTO, "quote": "I live in Porto", "text": "Anna lives in Porto.", "type": "state"}
    fact = await say_and_learn(talk, "Now I live in Porto.", **porto, **HOME)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    return fact.id


async def delete_by_hand(talk: ChatHarness) -> int:
    fact = await say_and_learn(talk, SAID, **TOLD, **HOME)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    return fact.id


async def delete_and_erase(talk: ChatHarness) -> int:
    fact_id = await delete_by_hand(talk)
    talk.moment[0] += timedelta(days=1, minutes=1)
    await talk.services.corrections.forget_long_deleted_facts()
    return fact_id


async def edit_the_message(talk: ChatHarness, told: Mapping[str, Any], number: int) -> None:
    set_model_facts(talk, told)
    text = f"{SAID} {number * ')'}"
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(SCOPE, FIRST, text, reason="edited", now=talk.moment[0])
    await talk.services.facts.learn(SCOPE)


async def import_it_again(talk: ChatHarness, told: Mapping[str, Any], number: int) -> None:
    done = await import_chat(talk, make_chat_export(SAID, first=number))
    assert done.ids is not None
    set_model_facts(talk, {**told, "message": done.ids[0] if told["message"] == FIRST else told["message"]})
    await run_extraction(talk, done)


DECISIONS = (edit_by_hand, replace_by_hand, pin_what_came_after, delete_by_hand, delete_and_erase)
WAYS = (edit_the_message, import_it_again)


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("read_again", WAYS, ids=lambda way: way.__name__)
async def test_no_model_answer_reverts_manual_decision(
    talk: ChatHarness, decide: Callable[[ChatHarness], Awaitable[int]], read_again: Callable[..., Awaitable[None]]
) -> None:
    decided = await decide(talk)
    before = await list_valid_facts(talk)
    after = {}
    for number, (name, fields) in enumerate(ANSWERS.items(), start=1):
        told = {**TOLD, **fields}
        if "replaces" in told:
            told["replaces"] = decided
        earlier = len(talk.server.list_schema_requests("facts"))
        await read_again(talk, told, number)
        asked = talk.server.list_schema_requests("facts")[
            earlier:
        ]  # once more for each half if the whole answer is refused
        assert asked
        assert SAID in asked[0].messages[1]["content"]
        after[name] = await list_valid_facts(talk)
    assert after == dict.fromkeys(ANSWERS, before)


CATS = "I live in Lisbon and have two cats called Tom and Mia."


@pytest.mark.parametrize("quote", ["have two cats called Tom and Mia", CATS])
@pytest.mark.parametrize("text", ["Anna has two cats called Tom and Mia.", "Anna's cats are Tom and Mia."])
async def test_learns_other_facts_of_same_sentence_after_deletion(talk: ChatHarness, quote: str, text: str) -> None:
    fact = await say_and_learn(talk, CATS, **TOLD | {"quote": CATS}, **HOME)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    set_model_facts(talk, TOLD | {"quote": CATS}, TOLD | {"quote": quote, "text": text})
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, FIRST, f"{CATS}!", reason="edited", now=talk.moment[0]
        )
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_facts(talk) == [(text, False)]


@pytest.mark.parametrize("text", ["Anna lives alone.", "Anna's brother Boris lives in Faro.", "Anna works in Lisbon."])
async def test_learns_unrelated_earlier_facts_after_deletion(talk: ChatHarness, text: str) -> None:
    await delete_by_hand(talk)
    done = await import_chat(talk, make_chat_export(text.replace("Anna's", "My").replace("Anna", "I")))
    assert done.ids is not None
    set_model_facts(talk, {"message": done.ids[0], "quote": text.split(" ", 1)[1], "text": text, "type": "state"})
    await run_extraction(talk, done)
    assert await list_valid_facts(talk) == [(text, False)]


SCRIPTS = {
    "de": ("Ich wohne in Gent am Kanal.", "Ich wohne in Gent", "Anna wohnt in Gent.", "Anna ist in Gent zu Hause."),
    "ru": ("Я живу в Туле у реки.", "живу в Туле", "Анна живёт в Туле.", "Дом Анны в Туле."),
    "zh": ("我住在里斯本，靠近河边。", "我住在里斯本", "安娜住在里斯本。", "安娜的家在里斯本。"),
    "ja": (
        "リスボンに住んでいます。",
        "リスボンに住んでいます",
        "アンナはリスボンに住んでいる。",
        "アンナの家はリスボン。",
    ),
    "ko": ("저는 리스본에 살아요.", "리스본에 살아요", "안나는 리스본에 산다.", "안나의 집은 리스본에 있다."),
    "ar": ("أسكن في لشبونة قرب النهر.", "أسكن في لشبونة", "آنا تسكن في لشبونة.", "بيت آنا في لشبونة."),
}


@pytest.mark.parametrize("language", SCRIPTS)
@pytest.mark.parametrize("read_again", WAYS, ids=lambda way: way.__name__)
async def test_deleted_fact_stays_deleted_in_every_script(
    talk: ChatHarness, language: str, read_again: Callable[..., Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, quote, text, other = SCRIPTS[language]
    monkeypatch.setattr(f"{__name__}.SAID", said)
    fact = await say_and_learn(talk, said, message=FIRST, quote=quote, text=text, type="state")
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    for number, again in enumerate((text, other, "Anna lives in Lisbon."), start=1):
        await read_again(talk, {"message": FIRST, "quote": quote, "text": again, "type": "state"}, number)
        assert await list_valid_facts(talk) == [], again


MENTIONS = {
    "en": (("I work at the pharmacy.", "work at the pharmacy", "Anna works at the pharmacy."),
           ("I was tired at work today.", "at work"), "I work at the pharmacy again."),
    "ru": (("Я работаю в аптеке.", "работаю в аптеке", "Анна работает в аптеке."),
           ("Устала на работе сегодня.", "на работе"), "Всё, снова работаю в аптеке!"),
    "ru, a visit": (("Я работаю в аптеке.", "работаю в аптеке", "Анна работает в аптеке."),
                    ("Заходила в аптеку за аспирином.", "в аптеку"), "Опять работаю в аптеке."),
    "zh": (("我在药店工作。", "在药店工作", "安娜在药店工作"), ("今天工作很累。", "今天工作"), "我又在药店工作。"),
}  # fmt: skip


@pytest.mark.parametrize("decide", ["edit", "delete"])
@pytest.mark.parametrize("language", MENTIONS)
async def test_later_mention_does_not_undo_decision_but_restatement_does(
    talk: ChatHarness, language: str, decide: str
) -> None:
    (said, quote, text), (mention, words), again = MENTIONS[language]
    job = {"about": "Anna", "attribute": "job", "is_single": True, "type": "state"}
    fact = await say_and_learn(talk, said, message=1, quote=quote, text=text, **job)
    if decide == "edit":
        await talk.services.facts.edit(ANNA.id, fact.id, "Anna: hospital")
    else:
        await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    before = await list_valid_facts(talk)
    set_model_facts(talk, {"message": 3, "quote": words, "text": text, **job})
    await talk.say(mention)
    talk.moment[0] += timedelta(minutes=1)
    assert await talk.services.facts.learn(SCOPE) == []
    assert await list_valid_facts(talk) == before
    await say_and_learn(talk, again, message=5, quote=again, text=text, **job)
    assert (text, False) in await list_valid_facts(talk)


async def test_mention_of_denied_thing_does_not_deny_it_again(talk: ChatHarness) -> None:
    told = {"text": "Anna no come gluten.", "type": "state"}
    fact = await say_and_learn(talk, "No como gluten.", message=1, quote="No como gluten", **told)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    set_model_facts(talk, {"message": 3, "quote": "documental sobre el gluten", **told})
    await talk.say("Vi un documental sobre el gluten.")
    assert await talk.services.facts.learn(SCOPE) == []
    talk.moment[0] += timedelta(minutes=1)
    await say_and_learn(talk, "Ya no como gluten.", message=5, quote="no como gluten", **told)
    assert await list_valid_facts(talk) == [("Anna no come gluten.", False)]


async def test_unsupported_value_does_not_replace_pinned_fact(talk: ChatHarness) -> None:
    job = {"about": "Anna", "attribute": "job", "is_single": True, "type": "state"}
    fact = await say_and_learn(
        talk,
        "I work at the hospital.",
        message=1,
        quote="work at the hospital",
        text="Anna works at the hospital.",
        **job,
    )
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    talk.moment[0] += timedelta(minutes=1)
    set_model_facts(talk, {"message": 3, "quote": "at work", "text": "Anna works at a school.", **job})
    await talk.say("I was tired at work today.")
    await talk.services.facts.learn(SCOPE)
    assert await list_valid_facts(talk) == [("Anna works at the hospital.", True)]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I work at a school.", "work at a school", "Anna is employed at a school."),
        ("Ich bin Lehrerin an einer Schule.", "Lehrerin an einer Schule", "Anna arbeitet an einer Schule."),
        ("我在学校工作。", "在学校工作", "安娜在一所学校上班"),
    ],
)
async def test_paraphrased_new_value_replaces_pinned_fact(talk: ChatHarness, said: str, quote: str, text: str) -> None:
    job = {"about": "Anna", "attribute": "job", "is_single": True, "type": "state"}
    old = {"quote": "work at the hospital", "text": "Anna works at the hospital."}
    fact = await say_and_learn(talk, "I work at the hospital.", message=1, **old, **job)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    await say_and_learn(talk, said, message=3, quote=quote, text=text, **job)
    assert await list_valid_facts(talk) == [(text, True)]


async def test_restated_german_fact_is_learned_again_after_deletion(talk: ChatHarness) -> None:
    name = {"quote": "Mutter heißt Ute", "text": "Annas Mutter heißt Ute.", "type": "state", "about": "Mutter"}
    fact = await say_and_learn(talk, "Meine Mutter heißt Ute.", message=1, **name)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    await say_and_learn(talk, "Meine Mutter heißt Ute.", message=3, **name)
    assert await list_valid_facts(talk) == [("Annas Mutter heißt Ute.", False)]


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("said", ["Translate into German: {}", "My sister says: {}", "If {}, I pay no rent."])
async def test_words_to_work_on_do_not_undo_decision(
    talk: ChatHarness, decide: Callable[[ChatHarness], Awaitable[int]], said: str
) -> None:
    decided = await decide(talk)
    before = await list_valid_facts(talk)
    talk.moment[0] += timedelta(minutes=5)
    await talk.say(said.format("I live in Lisbon"))
    async with talk.services.memory.open_store(ANNA.id) as store:
        [message] = [message for message in await store.read_last_turns(SCOPE, 1) if message.is_user]
    set_model_facts(talk, TOLD | HOME | {"message": message.id, "replaces": decided})
    assert await talk.services.facts.learn(SCOPE) == []
    assert await list_valid_facts(talk) == before

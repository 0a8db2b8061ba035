"""A decision stands, whatever a model makes of what was said before it: no field of its answer is trusted."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from chat.facts_by_hand import change_fact_and_report
from records.facts import Fact
from records.scopes import Scope
from tests.support.talk import ANNA, Talk, talking
from tests.unit.facts.test_history_extraction import chat, extracted, imported

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
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path, facts_batch_turns=99) as talk:
        await talk.remember(every_n=50)
        yield talk


def answer(talk: Talk, *facts: Mapping[str, Any]) -> None:
    talk.server.default_schema("facts", json.dumps({"facts": [{"replaces": None, **fact} for fact in facts]}))


async def valid(talk: Talk) -> list[tuple[str, bool]]:
    return [(fact.text, fact.is_pinned) for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]


async def say(talk: Talk, said: str, /, **fact: Any) -> Fact:
    answer(talk, fact)
    await talk.say(said)
    (made,) = await talk.services.facts.learn(SCOPE)
    talk.moment[0] += timedelta(minutes=1)
    return made


async def edit_by_hand(talk: Talk) -> int:
    fact = await say(talk, SAID, **TOLD, **HOME)
    await talk.services.facts.edit(ANNA.id, fact.id, "Home: PORTO")
    return fact.id


async def replace_by_hand(talk: Talk) -> int:
    fact = await say(talk, SAID, **TOLD, **HOME)
    made = await talk.services.facts.supersede_fact(ANNA.id, fact.id, "I have moved to Porto")
    assert made is not None
    return made.id


async def pin_what_came_after(talk: Talk) -> int:
    await say(talk, SAID, **TOLD, **HOME)
    porto = {"message": PORTO, "quote": "I live in Porto", "text": "Anna lives in Porto.", "type": "state"}
    fact = await say(talk, "Now I live in Porto.", **porto, **HOME)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    return fact.id


async def delete_by_hand(talk: Talk) -> int:
    fact = await say(talk, SAID, **TOLD, **HOME)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    return fact.id


async def delete_and_erase(talk: Talk) -> int:
    fact_id = await delete_by_hand(talk)
    talk.moment[0] += timedelta(days=1, minutes=1)
    await talk.services.corrections.forget_long_deleted_facts()
    return fact_id


async def edit_the_message(talk: Talk, told: Mapping[str, Any], number: int) -> None:
    answer(talk, told)
    text = f"{SAID} {number * ')'}"
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(SCOPE, FIRST, text, reason="edited", now=talk.moment[0])
    await talk.services.facts.learn(SCOPE)


async def import_it_again(talk: Talk, told: Mapping[str, Any], number: int) -> None:
    done = await imported(talk, chat(SAID, first=number))
    assert done.ids is not None
    answer(talk, {**told, "message": done.ids[0] if told["message"] == FIRST else told["message"]})
    await extracted(talk, done)


DECISIONS = (edit_by_hand, replace_by_hand, pin_what_came_after, delete_by_hand, delete_and_erase)
WAYS = (edit_the_message, import_it_again)


@pytest.mark.parametrize("decide", DECISIONS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("read_again", WAYS, ids=lambda way: way.__name__)
async def test_nothing_that_a_model_fills_in_brings_back_what_a_person_decided_about(
    talk: Talk, decide: Callable[[Talk], Awaitable[int]], read_again: Callable[..., Awaitable[None]]
) -> None:
    decided = await decide(talk)
    before = await valid(talk)
    after = {}
    for number, (name, fields) in enumerate(ANSWERS.items(), start=1):
        told = {**TOLD, **fields}
        if "replaces" in told:
            told["replaces"] = decided
        earlier = len(talk.server.asked_for("facts"))
        await read_again(talk, told, number)
        asked = talk.server.asked_for("facts")[earlier:]  # once more for each half if the whole answer is refused
        assert asked
        assert SAID in asked[0].messages[1]["content"]
        after[name] = await valid(talk)
    assert after == dict.fromkeys(ANSWERS, before)


CATS = "I live in Lisbon and have two cats called Tom and Mia."


@pytest.mark.parametrize("quote", ["have two cats called Tom and Mia", CATS])
@pytest.mark.parametrize("text", ["Anna has two cats called Tom and Mia.", "Anna's cats are Tom and Mia."])
async def test_other_facts_in_the_same_words_are_learned_again(talk: Talk, quote: str, text: str) -> None:
    fact = await say(talk, CATS, **TOLD | {"quote": CATS}, **HOME)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    answer(talk, TOLD | {"quote": CATS}, TOLD | {"quote": quote, "text": text})
    async with talk.services.memory.open_store(ANNA.id) as store:
        await store.forgetting.replace_message_text_if_changed(
            SCOPE, FIRST, f"{CATS}!", reason="edited", now=talk.moment[0]
        )
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [(text, False)]


@pytest.mark.parametrize("text", ["Anna lives alone.", "Anna's brother Boris lives in Faro.", "Anna works in Lisbon."])
async def test_other_things_said_before_a_decision_are_learned_after_it(talk: Talk, text: str) -> None:
    await delete_by_hand(talk)
    done = await imported(talk, chat(text.replace("Anna's", "My").replace("Anna", "I")))
    assert done.ids is not None
    answer(talk, {"message": done.ids[0], "quote": text.split(" ", 1)[1], "text": text, "type": "state"})
    await extracted(talk, done)
    assert await valid(talk) == [(text, False)]


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
async def test_a_deletion_stands_in_every_script(
    talk: Talk, language: str, read_again: Callable[..., Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, quote, text, other = SCRIPTS[language]
    monkeypatch.setattr(f"{__name__}.SAID", said)
    fact = await say(talk, said, message=FIRST, quote=quote, text=text, type="state")
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    for number, again in enumerate((text, other, "Anna lives in Lisbon."), start=1):
        await read_again(talk, {"message": FIRST, "quote": quote, "text": again, "type": "state"}, number)
        assert await valid(talk) == [], again


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
async def test_what_a_later_message_only_mentions_brings_nothing_back(talk: Talk, language: str, decide: str) -> None:
    (said, quote, text), (mention, words), again = MENTIONS[language]
    job = {"about": "Anna", "attribute": "job", "is_single": True, "type": "state"}
    fact = await say(talk, said, message=1, quote=quote, text=text, **job)
    if decide == "edit":
        await talk.services.facts.edit(ANNA.id, fact.id, "Anna: hospital")
    else:
        await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    before = await valid(talk)
    answer(talk, {"message": 3, "quote": words, "text": text, **job})
    await talk.say(mention)
    talk.moment[0] += timedelta(minutes=1)
    assert await talk.services.facts.learn(SCOPE) == []
    assert await valid(talk) == before
    await say(talk, again, message=5, quote=again, text=text, **job)
    assert (text, False) in await valid(talk)


async def test_a_value_that_nobody_said_does_not_take_the_place_of_a_pinned_one(talk: Talk) -> None:
    job = {"about": "Anna", "attribute": "job", "is_single": True, "type": "state"}
    fact = await say(
        talk,
        "I work at the hospital.",
        message=1,
        quote="work at the hospital",
        text="Anna works at the hospital.",
        **job,
    )
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    talk.moment[0] += timedelta(minutes=1)
    answer(talk, {"message": 3, "quote": "at work", "text": "Anna works at a school.", **job})
    await talk.say("I was tired at work today.")
    await talk.services.facts.learn(SCOPE)
    assert await valid(talk) == [("Anna works at the hospital.", True)]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I work at a school.", "work at a school", "Anna is employed at a school."),
        ("Ich bin Lehrerin an einer Schule.", "Lehrerin an einer Schule", "Anna arbeitet an einer Schule."),
        ("我在学校工作。", "在学校工作", "安娜在一所学校上班"),
    ],
)
async def test_a_new_value_in_other_words_than_the_persons_takes_the_place_of_a_pinned_one(
    talk: Talk, said: str, quote: str, text: str
) -> None:
    job = {"about": "Anna", "attribute": "job", "is_single": True, "type": "state"}
    old = {"quote": "work at the hospital", "text": "Anna works at the hospital."}
    fact = await say(talk, "I work at the hospital.", message=1, **old, **job)
    await change_fact_and_report(talk.services, ANNA.id, "pin", fact.id)
    await say(talk, said, message=3, quote=quote, text=text, **job)
    assert await valid(talk) == [(text, True)]


async def test_a_deleted_fact_that_is_said_again_is_learned_in_whatever_language_it_is_stemmed(talk: Talk) -> None:
    name = {"quote": "Mutter heißt Ute", "text": "Annas Mutter heißt Ute.", "type": "state", "about": "Mutter"}
    fact = await say(talk, "Meine Mutter heißt Ute.", message=1, **name)
    await change_fact_and_report(talk.services, ANNA.id, "delete", fact.id)
    await say(talk, "Meine Mutter heißt Ute.", message=3, **name)
    assert await valid(talk) == [("Annas Mutter heißt Ute.", False)]

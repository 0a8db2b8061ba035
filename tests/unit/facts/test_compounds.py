"""Compound facts are split only if each part has its own verb."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from facts.compounds import split_compound_fact
from facts.schemas import ExtractedFact
from records.scopes import Scope
from tests.support.talk import ANNA, ChatHarness, open_chat_harness

NAMES = "Anna Анна"

SPLIT = [
    ("I live in Lisbon and work as a nurse", "Anna lives in Lisbon and works as a nurse."),
    ("I live in Lisbon and I work as a nurse", "Anna lives in Lisbon and she works as a nurse."),
    (
        "I live in Lisbon, work as a nurse, and have two kids",
        "Anna lives in Lisbon, works as a nurse, and has two kids.",
    ),
    ("I live in Lisbon and work as a nurse", "The user lives in Lisbon and works as a nurse."),
    ("I'm a teacher and live in Kazan", "Anna is a teacher and lives in Kazan."),
    ("Ich wohne in Gent und arbeite als Pflegerin", "Anna wohnt in Gent und arbeitet als Pflegerin."),
    ("Ich bin 34 und habe zwei Kinder", "Anna ist 34 und hat zwei Kinder."),
    ("Vivo en Lugo y trabajo como enfermera", "Anna vive en Lugo y trabaja como enfermera."),
    ("Moro em Braga e trabalho como enfermeira", "Anna mora em Braga e trabalha como enfermeira."),
    ("J'habite à Lyon et je travaille comme infirmière", "Anna habite à Lyon et travaille comme infirmière."),
    ("Ho due gatti e vivo a Roma", "Anna ha due gatti e vive a Roma."),
    ("Я живу в Туле и работаю медсестрой", "Анна живёт в Туле и работает медсестрой."),
    ("أسكن في لشبونة وأعمل ممرضة", "آنا تسكن في لشبونة وتعمل ممرضة."),
    ("Живу в Казани и играю на скрипке", "Пользователь живёт в Казани и играет на скрипке."),
    ("Ich spiele Cello, und ich singe im Chor", "Anna spielt Cello, und sie singt im Chor."),
]
WHOLE = [
    ("I love my old dog and my grumpy cat", "Anna loves her old dog and her grumpy cat."),
    ("I have two cats called Tom and Mia", "Anna has two cats called Tom and Mia."),
    ("I like tea and strong coffee", "Anna likes tea and strong coffee."),
    ("I live with my husband and my two kids", "Anna lives with her husband and her two kids."),
    ("I moved to Bonn, where I work at the post office", "Anna moved to Bonn, where she works at the post office."),
    ("I might move to Oslo and work there as a cook", "Anna might move to Oslo and works there as a cook."),
    ("My brother lives in Faro and works as a cook", "Anna's brother lives in Faro and works as a cook."),
    ("Ich lebe mit meinem Mann und meinen zwei Kindern", "Anna lebt mit ihrem Mann und ihren zwei Kindern."),
    ("Ich ziehe vielleicht nach Oslo und arbeite als Koch", "Anna zieht vielleicht nach Oslo und arbeitet als Koch."),
    ("Vivo con mi hermano y mi perra vieja", "Anna vive con su hermano y su perra vieja."),
    ("J'aime les chats et les petits chiens", "Anna aime les chats et les petits chiens."),
    ("Я люблю свою собаку и свою старую кошку", "Анна любит свою собаку и свою старую кошку."),
    ("我住在里斯本，是一名护士", "安娜住在里斯本，是一名护士。"),
    ("Я играю в шахматы и интересуюсь", "Анна играет в шахматы, интересное дело для неё."),
    ("Toco el piano y la guitarra española", "Anna toca el piano y la guitarra española."),
    ("我喜欢喝茶和看书", "安娜喜欢喝茶和看书。"),
    ("Trabalho no Porto e minha irmã mora em Faro", "Anna trabalha no Porto e sua irmã mora em Faro."),
    ("", "Anna lives in Lisbon and works as a nurse."),
    ("und", "and, and."),
    ("I live and", "Anna lives and"),
    ("And I live, and", "Anna, and lives, and"),
]


def split_fact(quote: str, text: str, attribute: str = "home") -> list[ExtractedFact]:
    fact = ExtractedFact(
        text=text, kind="personal", message=1, replaces=(4,), quote=quote, attribute=attribute, is_single=True
    )
    return split_compound_fact(fact, NAMES)


@pytest.mark.parametrize(("quote", "text"), SPLIT)
def test_splits_fact_with_several_verbs(quote: str, text: str) -> None:
    parts = split_fact(quote, text)
    assert len(parts) == 2 + text.count("nurse, and")
    subject = text[: text.index(" ")]
    assert all(part.text.startswith(subject) and part.text.endswith(".") for part in parts)
    assert all(part.quote and part.quote in quote for part in parts)
    assert [(part.attribute, part.is_single, part.replaces) for part in parts] == [
        ("home", True, (4,)),
        *[("", False, ())] * (len(parts) - 1),
    ]


@pytest.mark.parametrize(("quote", "text"), WHOLE)
def test_does_not_split_lists_doubts_or_other_subjects(quote: str, text: str) -> None:
    assert [part.text for part in split_fact(quote, text)] == [text]


def test_split_assigns_each_attribute_to_its_part() -> None:
    quote, text = SPLIT[0]
    assert [part.attribute for part in split_fact(quote, text, "home and job")] == ["home", "job"]
    assert [part.attribute for part in split_fact(*SPLIT[2], "home, job and children")] == ["home", "job", "children"]
    assert [(part.attribute, part.replaces) for part in split_fact(quote, text, "")] == [("", (4,)), ("", ())]


MOVES: list[tuple[str, str, str, str, str]] = [
    (*SPLIT[0], "I moved to Porto.", "Anna lives in Porto.", "Anna works as a nurse."),
    (*SPLIT[5], "Ich bin nach Bonn gezogen.", "Anna wohnt in Bonn.", "Anna arbeitet als Pflegerin."),
    (*SPLIT[7], "Me mudé a Vigo.", "Anna vive en Vigo.", "Anna trabaja como enfermera."),
    (*SPLIT[11], "Я переехал в Омск.", "Анна живёт в Омске.", "Анна работает медсестрой."),
    (*SPLIT[12], "انتقلت إلى بورتو.", "آنا تسكن في بورتو.", "آنا تعمل ممرضة."),
]


@pytest.mark.parametrize(("quote", "text", "later", "new", "kept"), MOVES)
async def test_replacing_one_part_of_split_fact_keeps_other_part(
    tmp_path: Path, quote: str, text: str, later: str, new: str, kept: str
) -> None:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50)
        await say_and_learn(talk, f"{quote}.", {"message": 1, "quote": quote, "text": text})
        talk.moment[0] += timedelta(days=30)
        await say_and_learn(talk, later, {"message": 3, "quote": later, "text": new})
        facts = await talk.services.facts.list_all(ANNA.id)
        assert {fact.text for fact in facts if fact.is_valid} == {new, kept}
        [ended] = [fact for fact in facts if not fact.is_valid]
        assert facts[ended.superseded_by - 1].text == new if ended.superseded_by else False


async def say_and_learn(talk: ChatHarness, said: str, fact: Mapping[str, Any]) -> None:
    home = {"type": "state", "about": None, "attribute": "home", "is_single": True, "replaces": None}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [{**home, **fact}]}))
    await talk.say(said)
    await talk.services.facts.learn(Scope(owner=ANNA.id))

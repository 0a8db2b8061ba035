"""Facts come from a person's own words about themselves, not from code, quotations or words about other people."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.scopes import Scope
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_extraction import extract_most_likely_facts


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts_batch_turns=99) as talk:
        await talk.turn_on_memory(every_n=50)
        yield talk


@pytest.mark.parametrize(
    ("said", "quote", "text", "is_own"),
    [
        ("A minha tia mora em Évora.", "mora em Évora", "Anna mora em Évora.", False),
        ("My grandmother lives in Lublin.", "My grandmother lives in Lublin", "Anna lives in Lublin.", False),
        ("My cat is ill. She only eats special food.", "only eats special food", "Anna only eats special food.", False),
        ("Mein Mann trinkt nur Tee.", "trinkt nur Tee", "Anna trinkt nur Tee.", False),
        ("我奶奶住在绍兴。", "住在绍兴", "Anna住在绍兴。", False),
        ("جدتي تسكن في حلب.", "تسكن في حلب", "Anna تسكن في حلب.", False),
        ("Last summer I bought a boat.", "bought a boat", "Anna bought a boat.", True),
        ("Я в прошлом году купила лодку.", "купила лодку", "Anna купила лодку.", True),
        ("Being 34, bought a boat.", "bought a boat", "Anna bought a boat.", True),
        ("I recently sold my car.", "sold my car", "Anna sold my car.", True),
        ("我现在住在北京。", "住在北京", "Anna住在北京。", True),
        ("أنا طبيبة في حلب.", "طبيبة في حلب", "Anna طبيبة في حلب.", True),
        ("Ma tante habite à Metz.", "habite à Metz", "Anna habite à Metz.", False),
        ("J'habite à Brest.", "J'habite à Brest", "Anna habite à Brest.", True),
        ("On habite à Brest.", "On habite à Brest", "Anna habite à Brest.", True),
        ("Je travaille à Brest.", "Je travaille à Brest", "Anna travaille à Brest.", True),
        ("Jag bor i Lund.", "Jag bor i Lund", "Anna bor i Lund.", True),
        ("Saya tinggal di Bandung.", "Saya tinggal di Bandung", "Anna tinggal di Bandung.", True),
        ("Tôi sống ở Huế.", "Tôi sống ở Huế", "Anna sống ở Huế.", True),
        ("אני גר בתל אביב.", "אני גר בתל אביב", "Anna גר בתל אביב.", True),
        ("ฉันอยู่กรุงเทพ", "ฉันอยู่กรุงเทพ", "Annaอยู่กรุงเทพ", True),
        ("저는 서울에 살아요.", "저는 서울에 살아요", "Anna는 서울에 살아요.", True),
        ("Недавно переехала в Тулу.", "переехала в Тулу", "Anna переехала в Тулу.", True),
        ("Anna trusts Boris.", "Anna trusts Boris", "Anna trusts Boris.", True),
        ("Since May I live in Porto.", "I live in Porto", "Anna lives in Porto.", True),
        ("Finally bought a house!", "bought a house", "Anna bought a house.", True),
        ("The other day bought a boat.", "bought a boat", "Anna bought a boat.", True),
        ("As a child had a dog.", "had a dog", "Anna had a dog.", True),
        ("Me and my wife bought a boat.", "bought a boat", "Anna bought a boat.", True),
        ("Вчера купила дом в Туле.", "купила дом в Туле", "Anna купила дом в Туле.", True),
        ("В детстве жила в Омске.", "жила в Омске", "Anna жила в Омске.", True),
        ("Тётя купила дом в Туле.", "купила дом в Туле", "Anna купила дом в Туле.", False),
        ("De pequeña vivía en Lima.", "vivía en Lima", "Anna vivía en Lima.", True),
        ("El año pasado vivía en Lima.", "vivía en Lima", "Anna vivía en Lima.", True),
        ("Quando era criança tinha um gato.", "tinha um gato", "Anna tinha um gato.", True),
        ("اسمي آنا وأنا طبيبة في حلب.", "طبيبة في حلب", "Anna طبيبة في حلب.", True),
        ("我一直住在北京。", "住在北京", "Anna住在北京。", True),
        ("我是医生，住在北京。", "住在北京", "Anna住在北京。", True),
        ("我和老公住在北京。", "住在北京", "Anna住在北京。", True),
        ("我同事住在北京。", "住在北京", "Anna住在北京。", False),
        ("母は東京に住んでいます。", "東京に住んでいます", "Anna 東京に住んでいます。", False),
        ("우리는 서울에 살아요.", "서울에 살아요", "Anna는 서울에 살아요.", True),
        ("„Ich ziehe nach Rom“, habe ich ihr gesagt.", "Ich ziehe nach Rom", "Anna zieht nach Rom.", True),
        ("«Me mudo a Roma», le dije a mi jefa.", "Me mudo a Roma", "Anna se muda a Roma.", True),
        ("«Я живу в Риме», — сказала я маме.", "Я живу в Риме", "Anna живёт в Риме.", True),
        ("“Eu moro em Roma”, eu disse a ele.", "Eu moro em Roma", "Anna mora em Roma.", True),
        ("“You have asthma”, my doctor said.", "You have asthma", "Anna has asthma.", True),
        ("“I live in Rome.” My wife says hello.", "I live in Rome", "Anna lives in Rome.", True),
        ("“I have two dogs”, she said.", "I have two dogs", "Anna has two dogs.", False),
        ("“I live in Rome!” my boss said.", "I live in Rome", "Anna lives in Rome.", False),
        ('I read "Dune. I live in Rome and like it.', "I live in Rome", "Anna lives in Rome.", True),
        ('It is 55 " wide.\nI live in Rome.\nI saw "Up".', "I live in Rome", "Anna lives in Rome.", True),
    ],
)
def test_words_about_others_stay_about_them(said: str, quote: str, text: str, is_own: bool) -> None:
    told = {"message": 1, "text": text, "quote": quote, "attribute": "home", "is_single": True}
    [found] = extract_most_likely_facts(json.dumps([told]), said)
    sentence = said.replace("My cat is ill. ", "").rstrip(".。")
    assert (found.text, found.only_one) == ((text, True) if is_own else (f"Anna: {sentence}", False))


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("```python\nname = 'Carlos'\n# I live in Braga\n```\nWhy does it fail?", []),
        ("````md\n```\nhome: Braga\n```\nI live in Braga\n````\nWhy does it fail?", []),
        ("~~~yaml\nhome: 'I live in Braga'\n~~~\nIs that right?", []),
        ("On Monday Tom wrote:\n> I live in Braga\n> and work there\nHow do I answer him?", []),
        ("> Where do you live?\n>\nI live in Braga", ["Anna lives in Braga."]),
        ("Code starts with ``` in a chat. I live in Braga", ["Anna lives in Braga."]),
        ("Hello~~~ it is >30 degrees\nI live in Braga\n```\nprint(1)\n```", ["Anna lives in Braga."]),
    ],
)
async def test_code_and_block_quotes_yield_no_facts(talk: ChatHarness, said: str, texts: list[str]) -> None:
    told = {"message": 1, "quote": "I live in Braga", "text": "Anna lives in Braga.", "replaces": None}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [told]}))
    await talk.say(said)
    assert [fact.text for fact in await talk.services.facts.learn(Scope(owner=ANNA.id))] == texts

"""Facts come from a person's own words about themselves, not from code, quotations or words about other people."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from facts.kinds import rewrite_or_drop_fact_by_kind
from records.scopes import Scope
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.facts.test_dialogues import store_answered_message
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
        ("Tom plays the cello in Ghent.", "plays the cello in Ghent", "Anna plays the cello in Ghent.", False),
        ("My brother-in-law Per is a ferry captain.", "is a ferry captain", "Anna is a ferry captain.", False),
        ("Мой шурин Олег работает врачом.", "работает врачом", "Anna работает врачом.", False),
        ("Lukas spielt Fagott.", "spielt Fagott", "Anna spielt Fagott.", False),
        ("Teyzem Bursa'da yaşıyor.", "Bursa'da yaşıyor", "Anna Bursa'da yaşıyor.", False),
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
        ("Finally bought a house!", "bought a house", "Anna bought a house.", False),
        ("The other day bought a boat.", "bought a boat", "Anna bought a boat.", False),
        ("As a child had a dog.", "had a dog", "Anna had a dog.", False),
        ("Me and my wife bought a boat.", "bought a boat", "Anna bought a boat.", True),
        ("Вчера купила дом в Туле.", "купила дом в Туле", "Anna купила дом в Туле.", True),
        ("Тётя вчера купила дом.", "купила дом", "Anna купила дом.", False),
        ("Мой брат вчера купил дом.", "купил дом", "Anna купила дом.", False),
        ("Just started at Bosch.", "started at Bosch", "Anna started at Bosch.", True),
        ("Two weeks ago ran a race.", "ran a race", "Anna ran a race.", True),
        ("No ano passado vivia em Faro.", "vivia em Faro", "Anna vivia em Faro.", True),
        ("I've had two dogs.", "had two dogs", "Anna had two dogs.", True),
        ("My aunt moved to Dundee.", "moved to Dundee", "Anna moved to Dundee.", False),
        ("Mein Bruder ist nach Ulm gezogen.", "ist nach Ulm gezogen", "Anna ist nach Ulm gezogen.", False),
        ("Mi hermano se mudó a Jaén.", "se mudó a Jaén", "Anna se mudó a Jaén.", False),
        ("Моя сестра переехала в Сочи.", "переехала в Сочи", "Anna переехала в Сочи.", False),
        ("My grandmother lived in Graz.", "lived in Graz", "The person lived in Graz.", False),
        ("My grandmother lived in Graz.", "lived in Graz", "User lived in Graz.", False),
        ("Grandpa was a miner in Wales.", "was a miner in Wales", "She was a miner in Wales.", False),
        ("Meine Oma lebte in Graz.", "lebte in Graz", "Die Person lebte in Graz.", False),
        ("Моя бабушка жила в Орле.", "жила в Орле", "Пользователь жил в Орле.", False),
        ("La jefa cambió de coche.", "cambió de coche", "El usuario cambió de coche.", False),
        ("I lived in Graz as a student.", "lived in Graz", "The user lived in Graz as a student.", True),
        ("My dog is called Rolo.", "dog is called Rolo", "The dog is called Rolo.", True),
        ("В детстве жила в Омске.", "жила в Омске", "Anna жила в Омске.", False),
        ("Тётя купила дом в Туле.", "купила дом в Туле", "Anna купила дом в Туле.", False),
        ("De pequeña vivía en Lima.", "vivía en Lima", "Anna vivía en Lima.", False),
        ("El año pasado vivía en Lima.", "vivía en Lima", "Anna vivía en Lima.", True),
        ("Quando era criança tinha um gato.", "tinha um gato", "Anna tinha um gato.", False),
        ("اسمي آنا وأنا طبيبة في حلب.", "طبيبة في حلب", "Anna طبيبة في حلب.", True),
        ("我一直住在北京。", "住在北京", "Anna住在北京。", False),
        ("我是医生，住在北京。", "住在北京", "Anna住在北京。", True),
        ("我和老公住在北京。", "住在北京", "Anna住在北京。", False),
        ("我同事住在北京。", "住在北京", "Anna住在北京。", False),
        ("母は東京に住んでいます。", "東京に住んでいます", "Anna 東京に住んでいます。", False),
        ("우리는 서울에 살아요.", "서울에 살아요", "Anna는 서울에 살아요.", True),
        ("„Ich ziehe nach Rom“, habe ich ihr gesagt.", "Ich ziehe nach Rom", "Anna zieht nach Rom.", False),
        ("«Me mudo a Roma», le dije a mi jefa.", "Me mudo a Roma", "Anna se muda a Roma.", False),
        ("«Я живу в Риме», — сказала я маме.", "Я живу в Риме", "Anna живёт в Риме.", False),
        ("“Eu moro em Roma”, eu disse a ele.", "Eu moro em Roma", "Anna mora em Roma.", False),
        ("“You have asthma”, my doctor said.", "You have asthma", "Anna has asthma.", False),
        ("“I live in Rome.” My wife says hello.", "I live in Rome", "Anna lives in Rome.", True),
        ("“I have two dogs”, she said.", "I have two dogs", "Anna has two dogs.", False),
        ("“I live in Rome!” my boss said.", "I live in Rome", "Anna lives in Rome.", False),
        ('I read "Dune. I live in Rome and like it.', "I live in Rome", "Anna lives in Rome.", True),
        ('It is 55 " wide.\nI live in Rome.\nI saw "Up".', "I live in Rome", "Anna lives in Rome.", True),
    ],
)
def test_words_about_others_stay_about_them(said: str, quote: str, text: str, is_own: bool) -> None:
    """Words that may be about others are kept as said, such as "Finally bought a house!", in which nobody is named."""
    told = {"message": 1, "text": text, "quote": quote, "attribute": "home", "is_single": True}
    [found] = extract_most_likely_facts(json.dumps([told]), said)
    sentence = said.replace("My cat is ill. ", "").rstrip(".。!")
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


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("Translate into French: I live in Rome and I have two sons.", "I live in Rome", "Anna lives in Rome."),
        ("Übersetze ins Englische: Ich bin Lehrerin in Köln.", "bin Lehrerin in Köln", "Anna ist Lehrerin in Köln."),
        ("Переведи на английский: Я работаю в Туле.", "Я работаю в Туле", "Анна работает в Туле."),
        ("Corrige cette phrase : j'habite à Lyon", "j'habite à Lyon", "Anna habite à Lyon."),
        ("翻译成英文：我住在上海。", "我住在上海", "Anna住在上海。"),
        ("Pretend you are a pirate: I sail the seven seas.", "I sail the seven seas", "Anna sails the seven seas."),
        ("Mi vecino dice: tengo un barco.", "tengo un barco", "Anna tiene un barco."),
        (
            "Boss: I need the report by Friday\nMe: sure",
            "I need the report by Friday",
            "Anna needs the report by Friday.",
        ),
        ("[12.03.25, 14:22] Jonas: Ich habe ein Auto", "Ich habe ein Auto", "Anna hat ein Auto."),
        ("Our app's log has `I live in Rome now` in it.", "I live in Rome", "Anna lives in Rome."),
        ("If I lived in Oslo, I would ski every day.", "I would ski every day", "Anna skis every day."),
        ("Wenn ich in Kiel wohnen würde, hätte ich ein Boot.", "in Kiel wohnen würde", "Anna wohnt in Kiel."),
        ("Si viviera en Lima, comería ceviche.", "viviera en Lima", "Anna vive en Lima."),
        ("Suppose I have a boat in Split.", "I have a boat in Split", "Anna has a boat in Split."),
        ("Imagina que vivo en Roma.", "vivo en Roma", "Anna vive en Roma."),
    ],
)
@pytest.mark.parametrize("is_quote_whole", [False, True])
def test_introduced_and_conditional_words_are_kept_as_said(
    said: str, quote: str, text: str, is_quote_whole: bool
) -> None:
    told = {"message": 1, "text": text, "quote": said.split("\n")[0] if is_quote_whole else quote}
    [fact] = extract_most_likely_facts(json.dumps([told | {"attribute": "state", "is_single": True}]), said)
    found = rewrite_or_drop_fact_by_kind(fact, "", "Anna")
    assert found is not None
    sentence = said.split("\n")[0].rstrip(".。")
    assert (found.text, found.only_one, found.is_in_question) == (f"Anna: {sentence}", False, True)


def test_sentence_of_introduced_text_is_kept_with_its_introduction() -> None:
    said = "Summarise this text:\nMy name is Max. I grew up in Kenya and moved to Chad.\nI am 40."
    told = {"message": 1, "text": "Anna grew up in Kenya.", "quote": "I grew up in Kenya"}
    [fact] = extract_most_likely_facts(json.dumps([told]), said)
    found = rewrite_or_drop_fact_by_kind(fact, "", "Anna")
    assert found is not None
    assert found.text == "Anna: Summarise this text: I grew up in Kenya and moved to Chad"


@pytest.mark.parametrize(
    ("said", "quote", "text", "replaces"),
    [
        ("Correction: I live in Porto.", "I live in Porto", "Anna lives in Porto.", None),
        ("Tippfehler: ich wohne in Porto, nicht in Lissabon.", "ich wohne in Porto", "Anna wohnt in Porto.", 7),
        ("Update: I live in Porto now.", "I live in Porto now", "Anna lives in Porto.", 7),
        ("PS: I live in Porto.", "I live in Porto", "Anna lives in Porto.", None),
        ("更新：我现在住在北京。", "我现在住在北京", "Anna住在北京。", None),
        ("My home: 12 Mill Lane, Porto", "12 Mill Lane, Porto", "Anna's home is 12 Mill Lane, Porto.", None),
        ("Sí, vivo en Porto.", "vivo en Porto", "Anna vive en Porto.", None),
        ("Si, vivo en Porto.", "vivo en Porto", "Anna vive en Porto.", None),
        ("If it rains, I take the bus.", "If it rains, I take the bus", "Anna takes the bus if it rains.", None),
        ("I live in Porto. How far is Braga?", "I live in Porto. How far is Braga?", "Anna lives in Porto.", None),
        (
            "I'm allergic to nuts, is pesto safe?",
            "I'm allergic to nuts, is pesto safe?",
            "Anna is allergic to nuts.",
            None,
        ),
    ],
)
def test_own_words_with_introduction_or_question_are_a_fact(
    said: str, quote: str, text: str, replaces: int | None
) -> None:
    told = {"message": 1, "text": text, "quote": quote, "attribute": "state", "is_single": True, "replaces": replaces}
    [found] = extract_most_likely_facts(json.dumps([told]), said, known=(7,))
    assert rewrite_or_drop_fact_by_kind(found, "", "Anna") == found
    assert (found.text, found.only_one) == (text, True)


async def learn_home(talk: ChatHarness, said: str, quote: str, text: str, kind: str, **fields: str) -> list[str]:
    """Learn a home from a message whose line the model calls `kind`. Return the texts of all facts that hold."""
    fact = {
        "quote": quote,
        "text": text,
        "about": "Anna",
        "attribute": "home",
        "is_single": True,
        "replaces": [],
    } | fields
    async with talk.services.memory.open_store(ANNA.id) as store:
        message = await store_answered_message(store, Scope(owner=ANNA.id), ANNA, said, talk.moment)
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [fact | {"message": message.id}]}))
    talk.server.set_default_schema_answer("kind", json.dumps({"kind": kind}))
    await talk.services.facts.learn(Scope(owner=ANNA.id))
    return [fact.text for fact in await talk.services.facts.list_all(ANNA.id) if fact.is_valid]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("Fun fact: I live in Oslo!", "I live in Oslo", "Anna lives in Oslo."),
        ("My details: I live in Oslo", "I live in Oslo", "Anna lives in Oslo."),
        ("Good to know:\nI live in Oslo", "I live in Oslo", "Anna lives in Oslo."),
        ("Nur damit du es weißt: Ich wohne in Kiel.", "Ich wohne in Kiel", "Anna wohnt in Kiel."),
        ("Немного о себе: я живу в Омске.", "я живу в Омске", "Anna живёт в Омске."),
        ("Para tu información: vivo en Bilbao.", "vivo en Bilbao", "Anna vive en Bilbao."),
        ("À propos de moi : j'habite à Lyon", "j'habite à Lyon", "Anna habite à Lyon."),
    ],
)
async def test_model_tells_own_words_behind_colon_from_text_to_work_on(
    talk: ChatHarness, said: str, quote: str, text: str
) -> None:
    home = "Anna lives in Leeds."
    assert await learn_home(talk, "I live in Leeds.", "I live in Leeds", home, "fact") == [home]
    assert await learn_home(talk, said, quote, text, "ask") == [home]
    assert await learn_home(talk, said, quote, text, "nothing") == [
        home,
        f"Anna: {' '.join(said.split()).rstrip('.。!')}",
    ]
    assert text in (holding := await learn_home(talk, said, quote, text, "fact"))
    assert home not in holding


@pytest.mark.parametrize("said", ["My sister says: I live in Rome.", "妈妈说：I live in Rome."])
async def test_model_tells_own_words_from_those_of_others_behind_colon(talk: ChatHarness, said: str) -> None:
    assert await learn_home(talk, said, "I live in Rome", "Anna lives in Rome.", "nothing") == [
        f"Anna: {said.rstrip('.')}"
    ]


@pytest.mark.parametrize("said", ["Boss: I live in Rome\nMe: nice", "[12.03.25, 14:22] Jonas: I live in Rome"])
async def test_copied_chat_is_kept_as_said_without_asking_model(talk: ChatHarness, said: str) -> None:
    texts = await learn_home(talk, said, "I live in Rome", "Anna lives in Rome.", "fact")
    assert texts == [f"Anna: {said.splitlines()[0]}"]
    assert talk.server.list_schema_requests("kind") == []


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("By the way: I'm vegetarian.", "I'm vegetarian", "Anna is vegetarian."),
        ("Übrigens: ich bin Veganerin.", "ich bin Veganerin", "Anna ist Veganerin."),
        ("Кстати: я не ем мясо.", "я не ем мясо", "Anna не ест мясо."),
        ("Dato curioso: nací en un tren.", "nací en un tren", "Anna nació en un tren."),
    ],
)
async def test_type_decides_on_words_behind_colon_without_kind(
    talk: ChatHarness, said: str, quote: str, text: str
) -> None:
    assert await learn_home(talk, said, quote, text, "", type="state") == [text]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("Translate into German: I live in Rome.", "I live in Rome", "Anna lives in Rome."),
        ("Auf Englisch bitte: Ich wohne in Rom.", "Ich wohne in Rom", "Anna wohnt in Rom."),
        ("Переведи на испанский: я живу в Риме.", "я живу в Риме", "Anna живёт в Риме."),
    ],
)
async def test_words_behind_colon_replace_nothing_without_kind(
    talk: ChatHarness, said: str, quote: str, text: str
) -> None:
    home = "Anna lives in Leeds."
    assert await learn_home(talk, "I live in Leeds.", "I live in Leeds", home, "", type="state") == [home]
    assert home in await learn_home(talk, said, quote, text, "", type="state")


@pytest.mark.parametrize(
    ("said", "quote", "text", "kind", "kept"),
    [
        ("how long does it take to move to Oslo", "move to Oslo", "Anna moves to Oslo.", "ask", []),
        ("recomiéndame un hotel en Jaén", "un hotel en Jaén", "Anna está en un hotel en Jaén.", "ask", []),
        ("Ojalá viviera en Roma", "viviera en Roma", "Anna vive en Roma.", "wish", ["Anna: Ojalá viviera en Roma"]),
        ("Hätte ich ein Haus", "Hätte ich ein Haus", "Anna hat ein Haus.", "wish", ["Anna: Hätte ich ein Haus"]),
        ("Я живу в Казани", "живу в Казани", "Anna живёт в Казани.", "fact", ["Anna живёт в Казани."]),
    ],
)
async def test_any_model_is_asked_for_kind_of_fact_without_type(
    talk: ChatHarness, said: str, quote: str, text: str, kind: str, kept: list[str]
) -> None:
    assert await learn_home(talk, said, quote, text, kind) == kept
    assert talk.server.list_schema_requests("kind")


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("Update: I live in Porto now", "I live in Porto now", "Anna lives in Porto."),
        ("FYI: I moved to Rome", "I moved to Rome", "Anna moved to Rome."),
        ("Обновление: теперь я живу в Омске", "теперь я живу в Омске", "Anna живёт в Омске."),
    ],
)
async def test_announced_change_ends_old_value_though_model_tells_no_kind(
    talk: ChatHarness, said: str, quote: str, text: str
) -> None:
    await learn_home(talk, "I live in Leeds.", "I live in Leeds", "Anna lives in Leeds.", "fact")
    assert await learn_home(talk, said, quote, text, "") == [text]


@pytest.mark.parametrize("said", ["Chapter 1. I was a spy in Berlin.", "Шучу, я миллионер", "I'm a goldfish lol"])
async def test_what_the_model_calls_an_example_is_no_fact(talk: ChatHarness, said: str) -> None:
    told = {"message": 1, "quote": said, "text": f"Anna: {said}", "type": "example", "replaces": None}
    talk.server.set_default_schema_answer("facts", json.dumps({"facts": [told]}))
    await talk.say(said)
    assert await talk.services.facts.learn(Scope(owner=ANNA.id)) == []
    properties = talk.server.list_schema_requests("facts")[0].body["response_format"]["json_schema"]["schema"]
    assert "example" in properties["properties"]["facts"]["items"]["properties"]["type"]["enum"]


@pytest.mark.parametrize(
    ("about", "attribute", "subject"),
    [("home", "location", ""), ("Anna", "home", ""), ("", "home", ""), ("sister", "home", "sister home")],
)
def test_wrongly_told_words_about_another_keep_only_a_key_that_names_them(
    about: str, attribute: str, subject: str
) -> None:
    # As a model of 1.5 billion parameters answered; under "home location", the person's own move ended it.
    told = {"message": 1, "quote": "My sister is called Ingrid, she lives in Oslo", "text": "Anna lives in Oslo."}
    told |= {"type": "state", "about": about, "attribute": attribute, "is_single": True}
    (found,) = extract_most_likely_facts(json.dumps([told]), "My sister is called Ingrid, she lives in Oslo.")
    assert (found.text, found.subject) == ("Anna: My sister is called Ingrid, she lives in Oslo", subject)

"""What people tell a bot to keep to is found in their own words; what only looks like it is not."""

import re
import time

import pytest

from text import standing
from text.analyzer import analyse
from text.standing import Asked
from text.standing_words import WAYS
from text.subjects import subjects


def asked(question: str) -> Asked:
    return Asked.of(question, analyse(question))


@pytest.mark.parametrize(
    "message",
    [
        "always answer in English",
        "Could you always reply in French please?",
        "I'd like you to always cite your sources",
        "Please never use the word 'delve'.",
        "no emojis please",
        "keep it short please",
        "Whenever I mention a city, tell me its population.",
        "For code, use tabs instead of spaces.",
        "please call me Dr. Lee",
        "Don't ever call me ma'am.",
        "Bitte duze mich.",
        "Gib Preise künftig in Euro an.",
        "Wenn du mir Bücher empfiehlst, nenne auch die Seitenzahl.",
        "Ab jetzt bitte nur noch kurze Antworten.",
        "Si te pregunto por libros, menciona el año.",
        "Llámame Paco, por favor.",
        "No me llames señora.",
        "Пиши теперь без эмодзи.",
        "Давай на ты.",
        "Цены указывай в рублях.",
        "Если спрашиваю про фильмы, указывай год.",
        "每次回答都要给出来源。",
        "推荐书的时候请写上作者。",
        "请叫我李老师。",
        "Responda sempre em português.",
        "Quando recomendar livros, mencione o autor.",
        "Não use gírias.",
        "Réponds toujours en français.",
        "Rispondi sempre in italiano.",
        "Antwoord voortaan in het Nederlands.",
        "Odpowiadaj zawsze po polsku.",
        "Her zaman Türkçe cevap ver.",
        "今後は日本語で答えてください。",
        "앞으로 한국어로 답해 주세요.",
        "دائما استخدم الوحدات المترية",
    ],
)
def test_an_instruction_is_found(message: str) -> None:
    assert [one.kind for one in standing.find(f"It rained. {message}")] == ["instruction"]


@pytest.mark.parametrize(
    "message",
    [
        "I prefer dark chocolate to milk chocolate.",
        "Ich trinke lieber Tee als Kaffee.",
        "Me gusta más el té que el café.",
        "Мне больше нравится чай, чем кофе.",
        "我更喜欢喝茶，不喜欢咖啡。",
        "Gosto mais de chá do que de café.",
        "Je préfère le thé au café.",
    ],
)
def test_a_preference_is_found(message: str) -> None:
    assert [(one.kind, one.text) for one in standing.find(message)] == [("preference", message)]


@pytest.mark.parametrize(
    "message",
    [
        "I prefer not to say.",
        "When I ask for leave, my boss gets angry.",
        "Show me the way to always win at chess.",
        "We always use metric units in our lab.",
        "Please use the blue paint for the door.",
        "Never mind!",
        "Never give up!",
        "Call me tomorrow.",
        "Write a short poem about always being late.",
        'He said: "always answer in German".',
        "Can you explain why the sky is always blue?",
        "Translate this to German: I always use the bus.",
        "From now on I will eat less sugar.",
        "My teacher says: never give up.",
        "Tell me when I should always water tomatoes.",
        "No walnuts please, I am allergic to walnuts!",
        "Ich habe nie Zeit.",
        "Erkläre mir bitte, warum der Himmel immer blau ist.",
        "Nunca he estado en Roma.",
        "Explícame por qué siempre llueve aquí.",
        "Объясни, почему небо всегда голубое.",
        "Давай теперь поговорим о море.",
        "以后我想去罗马。",
        "为什么天总是蓝的",
        "Nunca estive em Roma.",
    ],
)
def test_what_only_looks_like_one_is_left_alone(message: str) -> None:
    assert standing.find(message) == []


@pytest.mark.parametrize(
    ("message", "is_last"),
    [
        ("Stop doing that, please.", True),
        ("Hör bitte auf damit.", True),
        ("Deja de hacer eso.", True),
        ("Перестань это делать.", True),
        ("别再这样做了。", True),
        ("Pare de fazer isso.", True),
        ("You can use emojis again.", False),
        ("You don't have to show metric units any more.", False),
    ],
)
def test_an_end_is_found(message: str, *, is_last: bool) -> None:
    assert [(one.kind, one.is_last) for one in standing.find(message)] == [("end", is_last)]


@pytest.mark.parametrize(
    ("wish", "applies", "does_not"),
    [
        ("When I ask for code, add type hints.", "Fix the bug in this script", "Who painted the Night Watch?"),
        ("Anna wants type hints when Anna asks for code.", "Write a Python function", "Who painted it?"),
        ("Wenn ich nach Rezepten frage, nimm Gramm.", "Wie backe ich einen Kuchen?", "Wer schrieb den Faust?"),
        ("Cuando te pida código, añade los tipos.", "Corrige este script", "¿Quién pintó Las Meninas?"),
        ("Если я спрашиваю рецепт, указывай граммы.", "Как сварить суп?", "Кто написал «Мёртвые души»?"),
        ("如果我问菜谱，请用克来写分量。", "红烧肉怎么做？", "谁写了红楼梦？"),
    ],
)
def test_a_condition_is_met_by_its_subject(wish: str, applies: str, does_not: str) -> None:
    assert standing.condition(wish)
    assert standing.applies(wish, asked(applies), is_preference=False)
    assert not standing.applies(wish, asked(does_not), is_preference=False)


def test_without_a_condition_it_always_applies() -> None:
    for wish in ("Always show metric units.", "Call me Sam.", "Be brief whenever possible."):
        assert standing.applies(wish, asked("Who painted the Night Watch?"), is_preference=False)


def test_a_preference_applies_to_its_subject_and_where_something_is_chosen() -> None:
    database = "I prefer Postgres over MySQL."
    assert standing.applies(database, asked("Which database suits a shop?"), is_preference=True)
    assert not standing.applies(database, asked("Which wine goes with fish?"), is_preference=True)
    unknown = "I prefer oil to acrylics."
    assert standing.applies(unknown, asked("Which paint should I buy?"), is_preference=True)
    assert not standing.applies(unknown, asked("When was Rembrandt born?"), is_preference=True)
    assert standing.applies("I prefer short answers.", asked("When was Rembrandt born?"), is_preference=True)


@pytest.mark.parametrize(
    ("new", "old", "takes_its_place"),
    [
        ("From now on use imperial units.", "Always show metric units.", True),
        ("Call me Samira.", "Call me Sam.", True),
        ("Don't call me Samuel.", "Call me Sam.", False),
        ("Antworte ausführlich.", "Antworte immer kurz.", True),
        ("For recipes, use grams.", "Always show metric units.", False),
        ("End every answer with a joke.", "Never use the word delve.", False),
    ],
)
def test_a_later_wish_takes_the_place_of_one_about_the_same(new: str, old: str, *, takes_its_place: bool) -> None:
    assert standing.replaces(new, old) is takes_its_place


def test_pasted_and_quoted_text_asks_for_nothing() -> None:
    assert standing.find("Always use tabs. " * 100) == []
    assert standing.find("```\nalways use tabs\n```") == []


def test_what_repeats_without_end_is_read_at_once() -> None:
    """A pattern that backtracks would take minutes."""
    began = time.process_time()
    for piece in ("please always ", ", when i ", "from now on, ", "for a ", "no more ", "i prefer ", "can you "):
        standing.find((piece * 100)[:290])
        standing.condition((piece * 100)[:290])
    assert time.process_time() - began < 1


@pytest.mark.parametrize("language", list(WAYS))
def test_no_word_before_an_order_can_be_read_in_two_ways(language: str) -> None:
    """What is one filler and also two in a row would be tried in every combination: twice the work with each word."""
    filler = re.compile(WAYS[language].filler)
    ways = ["de ahora en adelante", "desde ahora en adelante", "a partir de agora em diante", "from now on always"]
    for words in (way.split(" ") for way in ways):
        splits = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
        is_two = any(filler.fullmatch(one) and filler.fullmatch(other) for one, other in splits)
        assert not (is_two and filler.fullmatch(" ".join(words))), words


def test_subjects_are_told_apart() -> None:
    assert "code" in subjects("Can you fix the bug in this script?")
    assert "database" in subjects("怎么写一个SQL查询？")
    assert subjects("Who painted the Night Watch?") == frozenset()

"""Cues: what a question asks for, and what says that something always holds, in many languages."""

import pytest

from text import cues
from text.analyzer import analyse


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend for the roof?",
        "Welche Farbe hast du mir empfohlen?",
        "Qu'as-tu recommandé pour le toit ?",
        "¿Qué me recomendaste para el tejado?",
        "Что ты мне посоветовал для крыши?",
        "你推荐过什么？",
    ],
)
def test_the_assistants_own_words_are_asked_for(question: str) -> None:
    assert cues.is_of_assistant(question)
    assert not cues.is_of_assistant("Where did I park the car?")


@pytest.mark.parametrize(
    "question",
    [
        "In which order did I visit the cities?",
        "Can you summarise how my project went?",
        "How many different plants did I buy?",
        "In welcher Reihenfolge habe ich das erwähnt?",
        "Dans quel ordre ai-je parlé de cela ?",
        "¿En qué orden visité las ciudades?",
        "In welke volgorde was dat?",
        "В каком порядке я это делал?",
        "总结一下我的项目",
        "プロジェクトを要約して",
        "순서대로 말해줘",
    ],
)
def test_the_answer_stands_in_many_messages(question: str) -> None:
    assert cues.is_of_many(question)
    assert not cues.is_of_many("Where did I park the car?")


def test_across_asks_for_many_messages_only_where_it_speaks_of_the_talk() -> None:
    for talk in ("our conversations", "my requests", "all our chats", "all sessions", "all of my messages"):
        assert cues.is_of_many(f"Which colours did I name across {talk}?")
    for other in ("all comparisons", "all three sensors"):
        assert not cues.is_of_many(f"How did I confirm that the ratio was the same across {other}?")


@pytest.mark.parametrize(
    "question",
    [
        "Can you give me a summary of how my garden developed?",
        "How has my Spanish progressed since spring?",
        "Fass bitte zusammen, was ich gebaut habe",
        "Wie hat sich mein Projekt entwickelt?",
        "Résume ce que j'ai fait",
        "Comment mon projet a-t-il évolué ?",
        "Hazme un resumen de mi proyecto",
        "Faz um resumo do meu projeto",
        "Come si è evoluto il mio progetto?",
        "Geef een overzicht van mijn project",
        "Projemi özetle",
        "Podsumuj mój projekt",
        "Как развивался мой проект?",
        "لخص مشروعي",
        "总结一下我的项目",
        "プロジェクトを要約して",
        "프로젝트를 요약해 줘",
    ],
)
def test_an_overview_is_asked_for(question: str) -> None:
    assert cues.is_of_overview(question)
    assert cues.is_of_many(question)


@pytest.mark.parametrize("question", ["How should I design my resume?", "Mein Lebenslauf, wie ist er?", "mon résumé"])
def test_a_resume_is_no_overview(question: str) -> None:
    assert not cues.is_of_overview(question)


@pytest.mark.parametrize(
    "message",
    [
        "Always show metric units",
        "I prefer Postgres",
        "Benutze immer metrische Einheiten",
        "Utilise toujours le mètre",
        "Siempre usa el metro",
        "Usa sempre metri",
        "Gebruik altijd meters",
        "Zawsze używaj metrów",
        "Всегда используй метры",
        "دائما استخدم المتر",
        "请总是用公制",
        "必ずメートルで書いて",
    ],
)
def test_a_message_says_what_always_holds(message: str) -> None:
    assert cues.standing_terms().intersection(analyse(message))
    assert not cues.standing_terms().intersection(analyse("I bought two metres of rope in May"))


@pytest.mark.parametrize(
    ("message", "denies"),
    [
        ("I have never worked with Flask", True),
        ("Das habe ich noch nie gemacht", True),
        ("Nunca he estado en Lugo", True),
        ("Я никогда не был в Омске", True),
        ("Non ho mai visto il mare", True),
        ("我从未去过那里", True),
        ("I do not work with Flask today", False),
        ("Im Mai war ich dort", False),
    ],
)
def test_a_message_denies_altogether(message: str, denies: bool) -> None:
    assert cues.says_never(message) == denies

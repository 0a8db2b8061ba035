"""What a person says of themselves is newer than a fact, in their own language, and a mere mention is not."""

import pytest

from text.newer_words import says_newer


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("Sam lives in Portland.", "I moved to Seattle last week."),
        ("Sam lives in Portland.", "I've just moved from Portland to Seattle, any tips?"),
        ("Sam lives in Portland.", "We live in Seattle now"),
        ("Anna wohnt in Bremen.", "Ich bin letzte Woche nach Kiel gezogen."),
        ("Anna ist nach Bremen gezogen.", "Ich wohne jetzt in Kiel."),
        ("Ana vive en Sevilla.", "Me mudé a Cádiz el lunes."),
        ("Ana mora em Braga.", "Eu me mudei para Faro."),
        ("Аня живёт в Казани.", "Я переехала в Самару."),
        ("Léa habite à Lyon.", "J'habite maintenant à Nantes."),
        ("小明住在上海", "我现在住在北京"),
        ("Sam works at Initech.", "I started at Globex on Monday."),
        ("Sam is 33 years old.", "I turned 34 yesterday"),
        ("Sam's phone number is 12345.", "My new phone number is 99887."),
        ("Sam's sister Olga lives in Oslo.", "My sister Olga moved to Bergen."),
        ("Sam's exam is on 2026-06-05.", "My exam is on 12 June now."),
        ("Sam's exam is on 2026-06-05.", "The exam has been postponed to 12 June."),
        ("Sam is allergic to peanuts.", "I'm no longer allergic to peanuts."),
        ("Sam has three cats.", "I have four cats now"),
    ],
)
def test_what_differs_is_newer(fact: str, message: str) -> None:
    assert says_newer(fact, message)


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("Sam lives in Portland.", "I live in Portland, which bus goes to the zoo?"),
        ("Sam lives in Portland.", "My sister moved to Seattle."),
        ("Sam lives in Portland.", "Where do I live now?"),
        ("Sam lives in Portland.", "I moved the sofa and now it is better."),
        ("Anna wohnt in Bremen.", "Wo wohne ich jetzt?"),
        ("Sam works at Initech.", "I moved to Seattle."),
        ("Sam's sister Olga lives in Oslo.", "I moved to Bergen."),
        ("Sam's exam is on 2026-06-05.", "Is my exam now on 5 June?"),
        ("Sam likes Rust.", "I like to go for a walk now."),
        ("Sam has three cats.", "What do cats eat?"),
    ],
)
def test_what_says_the_same_or_something_else_is_not(fact: str, message: str) -> None:
    assert not says_newer(fact, message)

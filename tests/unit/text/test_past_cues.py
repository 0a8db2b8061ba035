"""Messages that surely ask for nothing that was said: few, since in doubt one may."""

import pytest

from text.past_cues import LONGEST, asks_anybody, is_small_talk, may_ask_for_past, only_tells


@pytest.mark.parametrize(
    "said",
    [
        "Hi!",
        "Thank you so much, that helps a lot 🙏",
        "Good morning",
        "hahaha",
        "Guten Abend!",
        "vielen Dank",
        "¡Muchas gracias!",
        "Bom dia",
        "Привет!",
        "спасибо большое",
        "谢谢你！",
        "صباح الخير",
    ],
)
def test_a_greeting_asks_for_nothing(said: str) -> None:
    assert is_small_talk(said)


@pytest.mark.parametrize(
    "said",
    ["yes", "ok", "go on", "да", "Thanks, and my sister's name?", "Hello Kitty is her favourite", "", " ", "👍 a"],
)
def test_what_goes_on_or_says_more_is_no_greeting(said: str) -> None:
    assert not is_small_talk(said)


@pytest.mark.parametrize(
    "asked",
    [
        "What should I drink for my voice?",
        "What is the capital of Mongolia?",
        "please translate 'where is the station' into Italian",
        "How do I center a div in CSS?",
        "Why is the sky blue?",
        "Was ist die Hauptstadt von Peru?",
        "Wie funktioniert eine Wärmepumpe?",
        "¿Qué debería beber para la voz?",
        "Qual é a capital do Peru?",
        "Что мне выпить для голоса?",
        "Напиши хайку про осень",
        "喝什么对嗓子好？",
        "ما هي عاصمة بيرو؟",
    ],
)
def test_what_anybody_could_be_asked(asked: str) -> None:
    assert asks_anybody(asked)
    assert not may_ask_for_past(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "What is the code of the lockbox?",
        "What should we cook this time?",
        "How do I find that recipe again?",
        "What's the best of my three ideas?",
        "Who is Dr. Amundsen?",
        "Where is the spare key?",
        "which libraries are used in this project?",
        "remind me what the sellers wanted",
        "Wie hieß mein Zahnarzt?",
        "¿Cuál es la mejor de mis ideas?",
        "Напиши нашему соседу ещё раз",
        "买球鞋该挑几码",
        "ما اسم أختي؟",
        "Quelle est la capitale du Pérou ?",
        "What is the difference between " + "a" * LONGEST,
    ],
)
def test_in_doubt_the_past_may_be_asked_for(asked: str) -> None:
    assert may_ask_for_past(asked)
    assert not is_small_talk(asked)


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("I had a nice walk today.", True),
        ("we opened on Friday, it went well", True),
        ("Ich war heute im Garten.", True),
        ("Сегодня мы были у бабушки", True),
        ("我今天去了公园", True),
        ("I need the code of the lockbox", False),
        ("I forgot where the key is", False),
        ("my sister, what was her name", False),
        ("我尿酸查出来多高", False),
        ("Ich suche die Nummer", False),
    ],
)
def test_news_ask_for_nothing(said: str, tells: bool) -> None:
    assert only_tells(said) is tells
    assert may_ask_for_past(said) is not tells

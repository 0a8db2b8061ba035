"""What a memory would keep is noticed; what it would not is let pass."""

import pytest

from locales.catalog import LANGUAGES, text_in
from text.personal import is_worth_keeping


@pytest.mark.parametrize(
    "text",
    [
        "My name is Ann.",
        "I live in Seattle with two cats",
        "Remember that my sister's birthday is in May.",
        "my best friend is called Lin",
        "I'm allergic to walnuts",
        "Ich wohne in Graz.",
        "Hallo! Ich bin Eva und wohne in Kiel.",
        "Hi, I'm Ann and live in Kiel",
        "Wir haben zwei Kinder.",
        "Tengo 34 años",
        "Мне 34 года",
        "Меня зовут Анна",
        "Vivo en Lima desde 2020",
        "Moro em Lisboa",
        "我叫小明",
        "اسمي سارة",
    ],
)
def test_what_is_said_of_oneself_is_worth_keeping(text: str) -> None:
    assert is_worth_keeping(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_page_suggests_to_say_is_worth_keeping(language: str) -> None:
    assert is_worth_keeping(text_in(language, "page-try-1"))
    assert is_worth_keeping(text_in(language, "page-try-2"))


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "What is my name?",
        "Thank you",
        "How do I live longer?",
        "The weather is fine",
        "2 + 2",
        "",
        "x" * 9000,
    ],
)
def test_everything_else_is_not(text: str) -> None:
    assert not is_worth_keeping(text)

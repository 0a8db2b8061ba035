"""Tests of texts by key: choice of language, missing translations, missing arguments, and plurals."""

import asyncio
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from locales.catalog import (
    LANGUAGES,
    choose_language,
    collect_all_translations,
    format_decimal,
    get_current_language,
    match_language,
    tr,
    translate,
    use_language,
)


@pytest.mark.parametrize(("language", "written"), [("en", "1,234.50"), ("de", "1.234,50"), ("ar", "1,234.50")])
def test_formats_decimal_for_language(language: str, written: str) -> None:
    with use_language(language):
        assert format_decimal(1234.5, 2) == written


def test_tr_uses_language_of_current_context() -> None:
    assert tr("shared-bot") == "the bot"
    with use_language("de"):
        assert tr("shared-bot") == "der Bot"
        with use_language("ru"):
            assert tr("shared-bot") == "бот"
        assert get_current_language() == "de"
    assert tr("shared-bot") == "the bot"


async def test_task_inherits_language_of_creating_context() -> None:
    async def translate_later() -> str:
        await asyncio.sleep(0)
        return tr("shared-bot")

    with use_language("es"):
        begun = asyncio.create_task(translate_later())
    assert await translate_later() == "the bot"
    assert await begun == "el bot"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["1 message", "2 messages", "1,234 messages"]),
        ("ru", ["1 сообщение", "2 сообщения", "1\N{NO-BREAK SPACE}234 сообщения"]),
        ("de", ["1 Nachricht", "2 Nachrichten", "1.234 Nachrichten"]),
        ("zh", ["1 条消息", "2 条消息", "1,234 条消息"]),
        ("ar", ["رسالة واحدة", "رسالتان", "\u20681,234\u2069 رسالة"]),
    ],
)
def test_formats_plurals_and_numbers_for_language(language: str, expected: list[str]) -> None:
    with use_language(language):
        assert [tr("shared-messages", messages=number) for number in (1, 2, 1234)] == expected


def test_russian_has_three_plural_forms() -> None:
    with use_language("ru"):
        told = [tr("shared-turns", turns=number) for number in (1, 3, 5, 11, 21, 22, 25)]
    assert told == [
        *("1 твоё сообщение", "3 твоих сообщения", "5 твоих сообщений", "11 твоих сообщений"),
        *("21 твоё сообщение", "22 твоих сообщения", "25 твоих сообщений"),
    ]


def test_falls_back_to_english_for_missing_translation(own_texts: Callable[[str, str], None]) -> None:
    own_texts("en", "trial-of-english = only here")
    assert translate("ru", "trial-of-english") == "only here"


def test_unknown_key_or_missing_argument_raises_lookup_error() -> None:
    with pytest.raises(LookupError, match="no-such"):
        tr("no-such")
    with pytest.raises(LookupError, match="shared-turns"):
        tr("shared-turns")


def test_rejects_key_with_path_traversal() -> None:
    with pytest.raises(LookupError):
        tr("../en/shared-bot")


def test_collect_all_translations_covers_other_languages() -> None:
    assert {"the bot", "der Bot", "机器人"} <= collect_all_translations("shared-bot")


@pytest.mark.parametrize(
    ("code", "expected"), [("pt-BR", "pt"), ("zh-hans", "zh"), ("RU", "ru"), ("de_AT", "de"), ("fr", ""), ("", "")]
)
def test_language_tag_matches_supported_language_or_none(code: str, expected: str) -> None:
    assert match_language(code) == expected


def test_chosen_language_precedes_app_language_and_default() -> None:
    assert choose_language("de", "ru", is_shared_chat=False, default="en") == "de"
    assert choose_language("", "ru", is_shared_chat=False, default="en") == "ru"
    assert choose_language("", "fr", is_shared_chat=False, default="es") == "es"
    assert choose_language("", "ru", is_shared_chat=True, default="en") == "en"
    assert choose_language("klingon", "", is_shared_chat=True, default="en") == "en", (
        "a store may hold what we do not speak"
    )
    assert set(LANGUAGES) == {"en", "ru", "es", "de", "zh", "pt", "ar"}


@pytest.mark.usefixtures("own_texts")
def test_concurrent_first_use_loads_all_texts() -> None:
    """A thread may load the texts of the menus while the first person already gets an answer."""
    keys = ["shared-bot", "menu-help", "forget-members"]
    together = threading.Barrier(len(keys))
    often = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(keys)) as threads:
            list(threads.map(lambda key: (together.wait(), translate("en", key)), keys))
    finally:
        sys.setswitchinterval(often)
    assert all(translate("en", key) for key in keys)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("length", [2_499, 2_500, 20_000])
def test_long_argument_is_truncated(language: str, length: int) -> None:
    """In Arabic, /why failed for messages of 2,499 characters and more."""
    told = translate(language, "why-said", {"date": "today", "speaker": "Ann", "text": "x" * length})
    assert "x" * 2_490 in told
    assert "…" in told

"""Tests of languages: the app's language, /language, groups, menus, and all replies."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from locales.catalog import ENGLISH, LANGUAGES, tr, translate, use_language
from records.owners import MAX_EVERY_N, StorageType
from telegram_ui.commands import wording
from telegram_ui.commands.basics import MAIN_COMMANDS
from telegram_ui.commands.registry import list_commands
from telegram_ui.commands.wording import set_current_time_for_formatting
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk

OTHERS = [language for language in LANGUAGES if language != ENGLISH]
ANSWERED = (
    *("start", "help", "privacy", "stop", "summary", "cancel", "settings", "language", "tz", "memory", "why"),
    *("search", "incognito", "forget", "import", "summary_status", "summary_show", "summary_policy"),
    *("summary_prompt", "summary_now", "summary_on", "summary_off"),
)
LIMITS = {"least": 1, "most": MAX_EVERY_N}


def set_app_language(desk: Desk, person: int, code: str) -> None:
    """Change the language of a person's Telegram app."""
    people = desk.peer.world.people
    people[person] = replace(people[person], language_code=code)


async def press_button(desk: Desk, name: str, chat: int = ANN, person: int = ANN) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(person, chat, message, buttons[name])


@pytest.mark.parametrize("language", LANGUAGES)
async def test_setup_uses_app_language(desk: Desk, language: str) -> None:
    def translate_text(key: str, **arguments: str | int) -> str:
        return translate(language, key, arguments)

    set_app_language(desk, ANN, f"{language}-XX")
    await desk.say(ANN, ANN, "/start")
    assert translate_text("basics-hello") in desk.get_last_text(ANN)
    assert list(desk.find_newest_buttons(ANN)[1]) == [
        translate_text(f"basics-{name}") for name in ("turn-on", "button-stored", "button-help")
    ]
    await desk.say(ANN, ANN, "/summary")
    assert translate_text("wizard-first") in desk.get_last_text(ANN)
    await press_button(desk, "JSON")
    assert desk.get_last_text(ANN) == translate_text("wizard-second", **LIMITS)
    await desk.say(ANN, ANN, "7")
    assert translate_text("wizard-done") in desk.get_last_text(ANN)
    assert translate_text("wizard-threshold", turns=7) in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/help")
    await press_button(desk, translate_text("basics-button-more"))
    assert all(
        translate_text(f"menu-{command.name}") in desk.get_last_text(ANN)
        for command in list_commands()
        if command.where != "admins"
    )


@pytest.mark.parametrize("language", OTHERS)
async def test_command_replies_contain_no_english_in_other_languages(desk: Desk, language: str) -> None:
    """Run every command before memory is set up, and again with a stored fact."""
    set_app_language(desk, ANN, language)
    for is_on in (False, True):
        if is_on:
            await desk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=5)
            await desk.services.facts.add_fact_unless_known(ANN, "Anna has a red bicycle.")
        for name in ANSWERED:
            before = len(desk.peer.list_bot_texts(ANN))
            await desk.say(ANN, ANN, f"/{name}")
            said = "\n".join(desk.peer.list_bot_texts(ANN)[before:])
            assert said, f"/{name} says nothing"
            for english in ("Memory", "message", "There is", "Nothing", "summar", " the ", " you "):
                assert english not in said.replace("/summar", "/"), f"/{name} in {language}: {said}"


async def test_chosen_language_overrides_app_language_until_reset(desk: Desk) -> None:
    set_app_language(desk, ANN, "ru")
    await desk.say(ANN, ANN, "/language")
    message, buttons = desk.find_newest_buttons(ANN)
    assert list(buttons) == [
        *LANGUAGES.values(),
        f"✓ {translate('ru', 'language-automatic')}",
        f"‹ {translate('ru', 'choices-heading')}",
    ]
    assert await press_button(desk, "Deutsch") is None
    assert desk.get_last_text(ANN) == translate("de", "language-question")
    assert desk.find_newest_buttons(ANN)[0]["message_id"] == message["message_id"], "the same message shows it"
    assert "✓ Deutsch" in desk.find_newest_buttons(ANN)[1]
    await desk.say(ANN, ANN, "/summary_off")
    assert desk.get_last_text(ANN) == translate("de", "summaries-is-off")
    config = await desk.services.memory.get_config(ANN)
    assert config is not None
    assert (config.language, config.enabled) == ("de", False), "it turns no memory on"
    desk.restart()
    await desk.say(ANN, ANN, "/language auto")
    assert desk.get_last_text(ANN) == translate("ru", "language-chosen", {"language": "Русский"})


async def test_language_can_be_chosen_by_name(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/language português")
    assert desk.get_last_text(ANN) == translate("pt", "language-chosen", {"language": "Português"})
    await desk.say(ANN, ANN, "/language klingon")
    assert desk.get_last_text(ANN) == translate("pt", "language-question")
    assert set(LANGUAGES.values()) <= {label.removeprefix("✓ ") for label in desk.find_newest_buttons(ANN)[1]}


async def test_unsupported_app_language_falls_back_to_default(desk: Desk) -> None:
    set_app_language(desk, ANN, "fi")
    await desk.say(ANN, ANN, "/summary_off")
    assert desk.get_last_text(ANN) == translate(ENGLISH, "summaries-is-off")


async def test_group_uses_language_of_admin_who_set_up_memory(desk: Desk) -> None:
    set_app_language(desk, ANN, "es")
    set_app_language(desk, BOB, "ru")
    await desk.say(BOB, GROUP, "/privacy")
    assert translate("ru", "basics-mode-off") in desk.get_last_text(GROUP), (
        "nobody has set it up: each is told in their own"
    )
    await desk.say(ANN, GROUP, "/summary_on")
    await desk.say(BOB, GROUP, "/summary_show")
    assert desk.get_last_text(GROUP) == translate("es", "summaries-none")
    await desk.say(BOB, GROUP, "/language de")
    assert desk.get_last_text(GROUP) == translate("es", "shared-admins-only"), "only admins choose"
    await desk.say(ANN, GROUP, "/language zh")
    await desk.say(BOB, GROUP, "/summary_show")
    assert desk.get_last_text(GROUP) == translate("zh", "summaries-none")


async def test_command_menus_cover_all_languages_and_chosen_language(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    menus: Mapping[str, str] = {
        call["params"].get("language_code", ""): call["params"]["commands"][0]["description"]
        for call in desk.peer.list_calls("setMyCommands")
        if call["params"]["scope"]["type"] == "all_private_chats"
    }
    assert menus == {
        "": translate(ENGLISH, "menu-memory"),
        **{language: translate(language, "menu-memory") for language in OTHERS},
    }
    private = [
        [command["command"] for command in call["params"]["commands"]]
        for call in desk.peer.list_calls("setMyCommands")
        if call["params"]["scope"]["type"] == "all_private_chats"
    ]
    assert {tuple(names[:8]) for names in private} == {MAIN_COMMANDS}, "the commands of /help come first"
    assert max(map(len, private)) <= 12
    await desk.say(ANN, ANN, "/language ar")
    chosen = desk.peer.list_calls("setMyCommands")[-1]["params"]
    assert chosen["scope"] == {"type": "chat", "chat_id": ANN}
    assert chosen["commands"][0]["description"] == translate("ar", "menu-memory")
    await desk.say(ANN, ANN, "/language auto")
    assert desk.peer.list_calls("deleteMyCommands")[-1]["params"]["scope"] == {"type": "chat", "chat_id": ANN}


@pytest.mark.parametrize(
    ("language", "day"),
    [
        ("en", "21 November"),
        ("ru", "21 ноября"),
        ("es", "21 de noviembre"),
        ("de", "21. November"),
        ("pt", "21 de novembro"),
        ("zh", "11月21日"),
        ("ar", "21 نوفمبر"),
    ],
)
async def test_formats_dates_for_language(language: str, day: str) -> None:
    now = datetime(2026, 11, 21, 16, 5, tzinfo=UTC)
    set_current_time_for_formatting(now)
    with use_language(language):
        assert wording.format_local_day(now) == day
        assert wording.format_day_and_time(now) == f"{tr('shared-today')} 16:05"
        assert wording.format_day_and_time(now, ZoneInfo("Asia/Tokyo")) == f"{tr('shared-today')} 1:05"
        assert wording.format_day_and_time(now + timedelta(hours=8)) == f"{tr('shared-tomorrow')} 0:05"
        assert wording.format_day_and_time(now - timedelta(days=1)) == f"{tr('shared-yesterday')} 16:05"
        assert (
            wording.format_day_and_time(now + timedelta(days=2))
            == wording.format_local_day(now + timedelta(days=2)) + " 16:05"
        )
        assert "2025" in wording.format_local_day(now - timedelta(days=360))

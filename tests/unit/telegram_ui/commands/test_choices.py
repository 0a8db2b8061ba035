"""Tests of /settings and /tz: shown options, changes by button, and permissions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from locales.catalog import tr
from records.owners import OwnerConfig, StorageType
from records.scopes import Person
from telegram_ui.commands import answer_buttons
from telegram_ui.commands.buttons import Buttons
from telegram_ui.sending.chat import Chat
from tests.support.talk import ChatHarness, open_chat_harness
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, IN_GROUP, Desk, Peer
from text.time_zones import list_utc_offsets

UTC_ZONE = "Time zone: UTC, 9:00"


def list_button_labels(desk: Desk, chat: int) -> list[str]:
    return list(desk.find_newest_buttons(chat)[1])


async def press_button(desk: Desk, label: str, chat: int = ANN) -> str | None:
    message, buttons = desk.find_newest_buttons(chat)
    return await desk.press_button(ANN, chat, message, buttons[label])


async def get_config(desk: Desk, owner: int = ANN) -> OwnerConfig:
    config = await desk.services.memory.get_config(owner)
    assert config is not None
    return config


async def test_settings_hide_inapplicable_buttons_while_memory_is_off(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/settings")
    assert list_button_labels(desk, ANN) == ["☐ Memory", UTC_ZONE, "Style: Usual", "Language: English"]
    await press_button(desk, "☐ Memory")
    assert (await get_config(desk)).enabled
    assert "☑ Memory" in list_button_labels(desk, ANN)
    assert "✓ Every 20" in list_button_labels(desk, ANN)


async def test_each_settings_button_changes_one_option_in_same_message(desk: Desk) -> None:
    await desk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=7)
    await desk.say(ANN, ANN, "/settings")
    message, _ = desk.find_newest_buttons(ANN)
    marked = [label for label in list_button_labels(desk, ANN) if label.startswith("✓")]
    assert marked == ["✓ Kept in SQLite", "✓ Every 7", "✓ Formatting: plain"]
    assert {"☑ Memory", "☐ Incognito", "How I summarise: Pyramid"} <= set(list_button_labels(desk, ANN))
    for label in ("Every 50", "How I summarise: Pyramid", "Sliding", "‹ Settings", "Kept in JSON"):
        await press_button(desk, label)
        assert {f"✓ {label}", "☑ Automatic summaries", "☑ Memory"} & set(list_button_labels(desk, ANN))
        assert desk.find_newest_buttons(ANN)[0]["message_id"] == message["message_id"]
    for label in ("☐ Incognito", "How I summarise: Sliding", "☑ Automatic summaries", "‹ Settings"):
        await press_button(desk, label)
    assert "☑ Incognito" in list_button_labels(desk, ANN)
    config = await get_config(desk)
    assert (config.every_n, config.policy, config.auto_fold, config.incognito, config.storage, config.enabled) == (
        *(50, "sliding", False, True, StorageType.JSON, True),
    )
    assert tr("basics-mode-incognito") in desk.get_last_text(ANN)
    assert "only /summary_now makes them" in desk.get_last_text(ANN)


async def test_spoken_answers_can_be_chosen_when_speech_model_is_set(peer: Peer, tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path / "data", speech_model="speaks") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.fetch_updates()
        await talk.turn_on_memory(owner=ANN)
        await desk.say(ANN, ANN, "/settings")
        assert "✓ Not spoken" in list_button_labels(desk, ANN)
        for label, kept in (("To voice only", "voice"), ("All spoken", "always")):
            await press_button(desk, label)
            assert f"✓ {label}" in list_button_labels(desk, ANN)
            assert (await get_config(desk)).spoken_answers == kept
        message, buttons = await regenerate_answer(desk, talk)
        assert "Regenerate" in buttons
        said = list(peer.world.messages[ANN].values())[-1]
        assert said["reply_to_message"]["message_id"] == message["message_id"]
        recording = peer.world.files.find_by_id(said["voice"]["file_id"])
        assert recording is not None
        assert recording.data == b"OggSUnderstood."


async def regenerate_answer(desk: Desk, talk: ChatHarness) -> tuple[Any, dict[str, str]]:
    """Regenerate an answer, and return the message with its buttons."""
    ann = Person(id=ANN, name="Ann")
    reply = await talk.say("I like tea.", person=ann)
    keyboard = answer_buttons.make_answer_keyboard(desk.commands.dependencies, Chat(id=ANN), ann, reply)
    await desk.peer.make_delivery().send_text(Chat(id=ANN), reply.text, keyboard=keyboard)
    await press_button(desk, "Regenerate")
    return desk.find_newest_buttons(ANN)


async def test_settings_set_time_zone_by_current_time_button(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/settings")
    message, _ = desk.find_newest_buttons(ANN)
    assert await press_button(desk, UTC_ZONE) is None
    assert "What time is it for you now?" in desk.get_last_text(ANN)
    assert not await desk.say(ANN, ANN, "never mind, how are you?"), "nobody waits for a text"
    there = list(desk.find_newest_buttons(ANN)[1])[list_utc_offsets().index(330)]
    assert await press_button(desk, there) == "Your time zone is Asia/Kolkata, where it is 14:30."
    assert (await get_config(desk)).timezone == "Asia/Kolkata"
    assert desk.find_newest_buttons(ANN)[0]["message_id"] == message["message_id"]
    assert "Time zone: Asia/Kolkata, 14:30" in list_button_labels(desk, ANN)


async def test_tz_buttons_are_replaced_by_chosen_zone(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/tz")
    there = list_button_labels(desk, ANN)[list_utc_offsets().index(-300)]
    assert await press_button(desk, there) is None
    assert desk.get_last_text(ANN) == f"Your time zone is UTC-5, where it is 4:00. {tr('choices-zone-fixed')}"
    assert (await get_config(desk)).timezone == "Etc/GMT+5"


async def test_only_group_admins_see_and_change_settings(desk: Desk) -> None:
    await desk.say(BOB, GROUP, "/settings@keepsake_bot")
    assert desk.get_last_text(GROUP) == tr("shared-admins-only")
    await desk.say(ANN, GROUP, "/settings@keepsake_bot")
    await press_button(desk, "☐ Memory", GROUP)
    assert (await get_config(desk, GROUP)).enabled
    message, buttons = desk.find_newest_buttons(GROUP)
    assert "somebody else" in (await desk.press_button(BOB, GROUP, message, buttons["Kept in JSON"]) or "")


async def test_foreign_or_forged_button_press_changes_no_group_setting(desk: Desk) -> None:
    """Buttons are pressed by other people, with forged data, from another chat, and with an empty signature."""
    await desk.services.memory.configure(GROUP, storage=StorageType.SQLITE, every_n=7)
    await desk.say(ANN, ANN, "/settings")
    private, _ = desk.find_newest_buttons(ANN)
    await desk.say(ANN, GROUP, "/settings@keepsake_bot")
    message, buttons = desk.find_newest_buttons(GROUP)
    before = await get_config(desk, GROUP)
    signing = Buttons(b"key")
    for label in ("Every 50", "Kept in JSON", "☑ Memory"):
        kind, person, payload, signature = buttons[label].split(":")
        for who, shown, data in (
            (BOB, message, buttons[label]),
            (BOB, message, f"{kind}:{BOB}:{payload}:{signature}"),
            (BOB, message, signing.make_signed_callback_data(kind, IN_GROUP, Person(id=BOB, name="Bob"), payload)),
            (ANN, message, f"{kind}:{person}:{payload}0:{signature}"),
            (ANN, message, f"{kind}:{person}:{payload}:"),
            (
                ANN,
                message,
                signing.make_signed_callback_data(kind, IN_GROUP, Person(id=ANN, name="Ann"), f"{payload}9999"),
            ),
            (ANN, private, buttons[label]),
        ):
            toast = await desk.press_button(who, GROUP if shown is message else ANN, shown, data)
            assert toast
            assert await get_config(desk, GROUP) == before
    assert await desk.services.memory.get_config(ANN) is None
    for _ in range(2):
        await desk.press_button(ANN, GROUP, message, buttons["Every 50"])
    assert await get_config(desk, GROUP) == replace(before, every_n=50, updated_at=desk.moment[0])


async def test_tz_accepts_zone_name_or_city(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/tz")
    assert "is UTC" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/tz new york")
    assert "America/New_York, where it is 4:" in desk.get_last_text(ANN)
    config = await talk.services.memory.get_config(ANN)
    assert config is not None
    assert config.timezone == "America/New_York"
    await desk.say(ANN, ANN, "/tz berl")
    assert "Did you mean Europe/Berlin?" in desk.get_last_text(ANN)
    await desk.say(BOB, GROUP, "/tz Europe/Berlin")
    assert desk.get_last_text(GROUP) == tr("shared-admins-only")
    await desk.say(ANN, ANN, "/tz utc")
    assert "is UTC" in desk.get_last_text(ANN)


async def test_tz_reply_names_understood_zone(desk: Desk, talk: ChatHarness) -> None:
    await desk.say(ANN, ANN, "/tz GMT-5")
    assert "is UTC-5, where it is 4:" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/tz UTC+3")
    assert "is UTC+3, where it is 12:" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/tz los angeles")
    assert "is America/Los_Angeles, where it is 1:" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/tz kolkata")
    assert "is Asia/Kolkata, where it is 14:30" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/tz UTC+99")
    assert "I know no time zone “UTC+99”" in desk.get_last_text(ANN)
    config = await talk.services.memory.get_config(ANN)
    assert config is not None
    assert config.timezone == "Asia/Kolkata"


async def test_unknown_policy_is_shown_by_name(desk: Desk) -> None:
    """An export of another version may contain such a policy."""
    await desk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=7)
    await desk.services.memory.change_config(ANN, lambda known: replace(known, policy="spiral"))
    for command in ("/settings", "/summary_status", "/summary_policy"):
        await desk.say(ANN, ANN, command)
        assert "spiral" in desk.get_last_text(ANN) + str(list_button_labels(desk, ANN)), command

"""/settings and /tz as a person sees them: what is shown, what a button changes, and who may."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from locales.catalog import tr
from records.owners import OwnerConfig, StorageType
from records.scopes import Person
from telegram_ui.commands import answer_buttons
from telegram_ui.commands.buttons import Buttons
from telegram_ui.sending.chat import Chat
from tests.support.talk import Talk, talking
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, IN_GROUP, Desk, Peer
from text.time_zones import list_utc_offsets

UTC_ZONE = "Time zone: UTC, 9:00"


def labels(desk: Desk, chat: int) -> list[str]:
    return list(desk.buttons(chat)[1])


async def choose(desk: Desk, label: str, chat: int = ANN) -> str | None:
    message, buttons = desk.buttons(chat)
    return await desk.press(ANN, chat, message, buttons[label])


async def config_of(desk: Desk, owner: int = ANN) -> OwnerConfig:
    config = await desk.services.memory.get_config(owner)
    assert config is not None
    return config


async def test_while_memory_is_off_only_what_has_an_effect_is_shown(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/settings")
    assert labels(desk, ANN) == ["☐ Memory", UTC_ZONE, "Style: Usual", "Language: English"]
    await choose(desk, "☐ Memory")
    assert (await config_of(desk)).enabled
    assert "☑ Memory" in labels(desk, ANN)
    assert "✓ Every 20" in labels(desk, ANN)


async def test_each_button_changes_one_choice_in_the_same_message(desk: Desk) -> None:
    await desk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=7)
    await desk.say(ANN, ANN, "/settings")
    message, _ = desk.buttons(ANN)
    marked = [label for label in labels(desk, ANN) if label.startswith("✓")]
    assert marked == ["✓ Kept in SQLite", "✓ Every 7", "✓ Formatting: plain"]
    assert {"☑ Memory", "☐ Incognito", "How I summarise: Pyramid"} <= set(labels(desk, ANN))
    for label in ("Every 50", "How I summarise: Pyramid", "Sliding", "‹ Settings", "Kept in JSON"):
        await choose(desk, label)
        assert {f"✓ {label}", "☑ Automatic summaries", "☑ Memory"} & set(labels(desk, ANN))
        assert desk.buttons(ANN)[0]["message_id"] == message["message_id"]
    for label in ("☐ Incognito", "How I summarise: Sliding", "☑ Automatic summaries", "‹ Settings"):
        await choose(desk, label)
    assert "☑ Incognito" in labels(desk, ANN)
    config = await config_of(desk)
    assert (config.every_n, config.policy, config.auto_fold, config.incognito, config.storage, config.enabled) == (
        *(50, "sliding", False, True, StorageType.JSON, True),
    )
    assert tr("basics-mode-incognito") in desk.last(ANN)
    assert "only /summary_now makes them" in desk.last(ANN)


async def test_spoken_answers_are_chosen_where_the_endpoint_speaks(peer: Peer, tmp_path: Path) -> None:
    async with talking(tmp_path / "data", speech_model="speaks") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.updates()
        await talk.remember(owner=ANN)
        await desk.say(ANN, ANN, "/settings")
        assert "✓ Not spoken" in labels(desk, ANN)
        for label, kept in (("To voice only", "voice"), ("All spoken", "always")):
            await choose(desk, label)
            assert f"✓ {label}" in labels(desk, ANN)
            assert (await config_of(desk)).spoken_answers == kept
        message, buttons = await regenerated(desk, talk)
        assert "Regenerate" in buttons
        said = list(peer.world.messages[ANN].values())[-1]
        assert said["reply_to_message"]["message_id"] == message["message_id"]
        recording = peer.world.files.find_by_id(said["voice"]["file_id"])
        assert recording is not None
        assert recording.data == b"OggSUnderstood."


async def regenerated(desk: Desk, talk: Talk) -> tuple[Any, dict[str, str]]:
    """Another answer, and its buttons."""
    ann = Person(id=ANN, name="Ann")
    reply = await talk.say("I like tea.", person=ann)
    keyboard = answer_buttons.make_answer_keyboard(desk.commands.dependencies, Chat(id=ANN), ann, reply)
    await desk.peer.delivery().send_text(Chat(id=ANN), reply.text, keyboard=keyboard)
    await choose(desk, "Regenerate")
    return desk.buttons(ANN)


async def test_the_time_that_it_is_for_somebody_is_a_button_and_the_settings_come_back(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/settings")
    message, _ = desk.buttons(ANN)
    assert await choose(desk, UTC_ZONE) is None
    assert "What time is it for you now?" in desk.last(ANN)
    assert not await desk.say(ANN, ANN, "never mind, how are you?"), "nobody waits for a text"
    there = list(desk.buttons(ANN)[1])[list_utc_offsets().index(330)]
    assert await choose(desk, there) == "Your time zone is Asia/Kolkata, where it is 14:30."
    assert (await config_of(desk)).timezone == "Asia/Kolkata"
    assert desk.buttons(ANN)[0]["message_id"] == message["message_id"]
    assert "Time zone: Asia/Kolkata, 14:30" in labels(desk, ANN)


async def test_asked_for_alone_the_times_give_way_to_what_was_chosen(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/tz")
    there = labels(desk, ANN)[list_utc_offsets().index(-300)]
    assert await choose(desk, there) is None
    assert desk.last(ANN) == f"Your time zone is UTC-5, where it is 4:00. {tr('choices-zone-fixed')}"
    assert (await config_of(desk)).timezone == "Etc/GMT+5"


async def test_in_a_group_only_admins_see_and_change_the_settings(desk: Desk) -> None:
    await desk.say(BOB, GROUP, "/settings@keepsake_bot")
    assert desk.last(GROUP) == tr("shared-admins-only")
    await desk.say(ANN, GROUP, "/settings@keepsake_bot")
    await choose(desk, "☐ Memory", GROUP)
    assert (await config_of(desk, GROUP)).enabled
    message, buttons = desk.buttons(GROUP)
    assert "somebody else" in (await desk.press(BOB, GROUP, message, buttons["Kept in JSON"]) or "")


async def test_no_press_but_an_admin_s_own_and_here_changes_a_group(desk: Desk) -> None:
    """Foreign ones, forged ones, from another chat, of somebody who was an admin once, and one that says nothing."""
    await desk.services.memory.configure(GROUP, storage=StorageType.SQLITE, every_n=7)
    await desk.say(ANN, ANN, "/settings")
    private, _ = desk.buttons(ANN)
    await desk.say(ANN, GROUP, "/settings@keepsake_bot")
    message, buttons = desk.buttons(GROUP)
    before = await config_of(desk, GROUP)
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
            toast = await desk.press(who, GROUP if shown is message else ANN, shown, data)
            assert toast
            assert await config_of(desk, GROUP) == before
    assert await desk.services.memory.get_config(ANN) is None
    for _ in range(2):
        await desk.press(ANN, GROUP, message, buttons["Every 50"])
    assert await config_of(desk, GROUP) == replace(before, every_n=50, updated_at=desk.moment[0])


async def test_a_zone_is_chosen_by_name_or_city(desk: Desk, talk: Talk) -> None:
    await desk.say(ANN, ANN, "/tz")
    assert "is UTC" in desk.last(ANN)
    await desk.say(ANN, ANN, "/tz new york")
    assert "America/New_York, where it is 4:" in desk.last(ANN)
    config = await talk.services.memory.get_config(ANN)
    assert config is not None
    assert config.timezone == "America/New_York"
    await desk.say(ANN, ANN, "/tz berl")
    assert "Did you mean Europe/Berlin?" in desk.last(ANN)
    await desk.say(BOB, GROUP, "/tz Europe/Berlin")
    assert desk.last(GROUP) == tr("shared-admins-only")
    await desk.say(ANN, ANN, "/tz utc")
    assert "is UTC" in desk.last(ANN)


async def test_what_was_understood_as_a_zone_is_said(desk: Desk, talk: Talk) -> None:
    await desk.say(ANN, ANN, "/tz GMT-5")
    assert "is UTC-5, where it is 4:" in desk.last(ANN)
    await desk.say(ANN, ANN, "/tz UTC+3")
    assert "is UTC+3, where it is 12:" in desk.last(ANN)
    await desk.say(ANN, ANN, "/tz los angeles")
    assert "is America/Los_Angeles, where it is 1:" in desk.last(ANN)
    await desk.say(ANN, ANN, "/tz kolkata")
    assert "is Asia/Kolkata, where it is 14:30" in desk.last(ANN)
    await desk.say(ANN, ANN, "/tz UTC+99")
    assert "I know no time zone “UTC+99”" in desk.last(ANN)
    config = await talk.services.memory.get_config(ANN)
    assert config is not None
    assert config.timezone == "Asia/Kolkata"


async def test_a_policy_that_this_program_does_not_know_is_shown_by_its_name(desk: Desk) -> None:
    """An export of another version may have named it."""
    await desk.services.memory.configure(ANN, storage=StorageType.SQLITE, every_n=7)
    await desk.services.memory.change_config(ANN, lambda known: replace(known, policy="spiral"))
    for command in ("/settings", "/summary_status", "/summary_policy"):
        await desk.say(ANN, ANN, command)
        assert "spiral" in desk.last(ANN) + str(labels(desk, ANN)), command

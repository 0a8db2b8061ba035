"""In groups, only the asker sees the reply to /why, /memory and /settings, if the server supports it."""

from playground.refusals import Json
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk

PARAMETERS = "ephemeral_message_parameters"


def list_texts_seen_by(desk: Desk, person: int) -> list[str]:
    """Return the bot's texts in the group that a person sees."""
    return [
        message["text"]
        for message in desk.peer.world.messages[GROUP].values()
        if message["from"]["is_bot"] and message.get("receiver_user", {"id": person})["id"] == person
    ]


def get_newest_message(desk: Desk) -> Json:
    return list(desk.peer.world.messages[GROUP].values())[-1]


async def press_button(desk: Desk, label: str) -> None:
    message, buttons = desk.find_newest_buttons(GROUP)
    await desk.press_button(ANN, GROUP, message, next(data for text, data in buttons.items() if label in text))


async def test_group_menu_marks_why_memory_and_settings_as_ephemeral(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    menu = desk.peer.world.list_menu_commands(ANN, GROUP)
    assert {row["command"] for row in menu if row.get("is_ephemeral")} == {"why", "memory", "settings"}
    assert not any(row.get("is_ephemeral") for row in desk.peer.world.list_menu_commands(ANN, ANN))


async def test_ephemeral_reply_and_buttons_are_visible_only_to_asker(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    await desk.say(ANN, GROUP, "/summary_on")
    public = list_texts_seen_by(desk, BOB)
    await desk.say(ANN, GROUP, "/memory add We meet on Mondays")
    for command in ("/memory", "/settings", "/why"):
        await desk.say(ANN, GROUP, command)
        assert get_newest_message(desk)["receiver_user"]["id"] == ANN
    await desk.say(ANN, GROUP, "/settings")
    await press_button(desk, "Incognito")
    assert desk.peer.list_calls("editEphemeralMessageText")
    assert "ncognito" in get_newest_message(desk)["text"]
    # Its buttons belong to other families, too.
    await press_button(desk, "Language")
    assert get_newest_message(desk)["receiver_user"]["id"] == ANN
    await press_button(desk, "‹")
    await press_button(desk, "Incognito")
    assert list_texts_seen_by(desk, BOB) == public
    assert not desk.peer.list_calls("editMessageText")


async def test_question_awaiting_reply_is_shown_to_whole_group(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    await desk.say(ANN, GROUP, "/summary_on")
    await desk.say(ANN, GROUP, "/memory")
    await press_button(desk, "Add")
    question = get_newest_message(desk)
    assert "receiver_user" not in question
    await desk.say(ANN, GROUP, "We meet on Mondays", reply_to=question["message_id"])
    await desk.say(ANN, GROUP, "/memory")
    assert "Mondays" in get_newest_message(desk)["text"]


async def test_non_admin_bot_replies_publicly_after_one_ephemeral_attempt(desk: Desk) -> None:
    for _ in range(2):
        await desk.say(ANN, GROUP, "/memory@keepsake_bot")
        assert "receiver_user" not in get_newest_message(desk)
    tried = [call for call in desk.peer.list_calls("sendMessage") if PARAMETERS in call["params"]]
    assert [call["answer"]["description"] for call in tried] == ["Bad Request: BOT_NOT_ADMIN"]


async def test_older_server_gets_public_replies_after_one_ephemeral_attempt(desk: Desk) -> None:
    desk.peer.add_fault("error", method="sendMessage", field=PARAMETERS, times=None)
    await desk.commands.set_command_menus(desk.peer.bot)
    for _ in range(2):
        await desk.say(ANN, GROUP, "/why")
        assert "receiver_user" not in get_newest_message(desk)
    assert len([call for call in desk.peer.list_calls("sendMessage") if PARAMETERS in call["params"]]) == 1


async def test_private_replies_are_not_ephemeral(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/memory")
    assert not [call for call in desk.peer.list_calls("sendMessage") if PARAMETERS in call["params"]]

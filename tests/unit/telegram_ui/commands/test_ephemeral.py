"""In a group /why, /memory and /settings are answered to the one who asked alone, where the server can do that."""

from playground.refusals import Json
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk

PARAMETERS = "ephemeral_message_parameters"


def seen_by(desk: Desk, person: int) -> list[str]:
    """The bot's texts in the group that a person sees."""
    return [
        message["text"]
        for message in desk.peer.world.messages[GROUP].values()
        if message["from"]["is_bot"] and message.get("receiver_user", {"id": person})["id"] == person
    ]


def newest(desk: Desk) -> Json:
    return list(desk.peer.world.messages[GROUP].values())[-1]


async def choose(desk: Desk, label: str) -> None:
    message, buttons = desk.buttons(GROUP)
    await desk.press(ANN, GROUP, message, next(data for text, data in buttons.items() if label in text))


async def test_the_menu_of_groups_sends_these_three_commands_ephemerally(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    menu = desk.peer.world.list_menu_commands(ANN, GROUP)
    assert {row["command"] for row in menu if row.get("is_ephemeral")} == {"why", "memory", "settings"}
    assert not any(row.get("is_ephemeral") for row in desk.peer.world.list_menu_commands(ANN, ANN))


async def test_only_the_one_who_asks_sees_the_answer_and_what_its_buttons_lead_to(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    await desk.say(ANN, GROUP, "/summary_on")
    public = seen_by(desk, BOB)
    await desk.say(ANN, GROUP, "/memory add We meet on Mondays")
    for command in ("/memory", "/settings", "/why"):
        await desk.say(ANN, GROUP, command)
        assert newest(desk)["receiver_user"]["id"] == ANN
    await desk.say(ANN, GROUP, "/settings")
    await choose(desk, "Incognito")
    assert desk.peer.called("editEphemeralMessageText")
    assert "ncognito" in newest(desk)["text"]
    # Its buttons belong to other families, too.
    await choose(desk, "Language")
    assert newest(desk)["receiver_user"]["id"] == ANN
    await choose(desk, "‹")
    await choose(desk, "Incognito")
    assert seen_by(desk, BOB) == public
    assert not desk.peer.called("editMessageText")


async def test_a_question_that_awaits_words_is_shown_to_all_for_it_needs_a_reply(desk: Desk) -> None:
    await desk.commands.set_command_menus(desk.peer.bot)
    await desk.say(ANN, GROUP, "/summary_on")
    await desk.say(ANN, GROUP, "/memory")
    await choose(desk, "Add")
    question = newest(desk)
    assert "receiver_user" not in question
    await desk.say(ANN, GROUP, "We meet on Mondays", reply_to=question["message_id"])
    await desk.say(ANN, GROUP, "/memory")
    assert "Mondays" in newest(desk)["text"]


async def test_a_bot_that_is_no_administrator_answers_a_typed_command_as_ever_and_tries_once(desk: Desk) -> None:
    for _ in range(2):
        await desk.say(ANN, GROUP, "/memory@keepsake_bot")
        assert "receiver_user" not in newest(desk)
    tried = [call for call in desk.peer.called("sendMessage") if PARAMETERS in call["params"]]
    assert [call["answer"]["description"] for call in tried] == ["Bad Request: BOT_NOT_ADMIN"]


async def test_an_older_server_answers_a_press_to_everybody_and_is_asked_once(desk: Desk) -> None:
    desk.peer.fault("error", method="sendMessage", field=PARAMETERS, times=None)
    await desk.commands.set_command_menus(desk.peer.bot)
    for _ in range(2):
        await desk.say(ANN, GROUP, "/why")
        assert "receiver_user" not in newest(desk)
    assert len([call for call in desk.peer.called("sendMessage") if PARAMETERS in call["params"]]) == 1


async def test_in_private_nothing_is_ephemeral(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/memory")
    assert not [call for call in desk.peer.called("sendMessage") if PARAMETERS in call["params"]]

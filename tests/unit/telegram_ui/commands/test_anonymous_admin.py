"""An anonymous admin of a group: the command comes under Telegram's common sender, the press under their own name."""

from records.scopes import Person
from telegram_ui.commands.command_group import ChatEvent
from telegram_ui.sending.chat import ANONYMOUS_ADMIN
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, IN_GROUP, Desk


async def test_an_admin_presses_the_buttons_of_an_anonymous_summary_and_a_member_does_not(desk: Desk) -> None:
    desk.peer.world.say(ANN, GROUP, "/summary")
    [update] = await desk.updates()
    anonymous = Person(id=ANONYMOUS_ADMIN, name="Admin")
    await desk.commands.handle_command("summary", ChatEvent(update=update, chat=IN_GROUP, person=anonymous))
    message, buttons = desk.buttons(GROUP)
    sqlite = next(label for label in buttons if "SQLite" in label)
    assert await desk.press(BOB, GROUP, message, buttons[sqlite]) == "This button belongs to somebody else."
    await desk.press(ANN, GROUP, message, buttons[sqlite])
    assert "500" in desk.last(GROUP)

"""/summary_rebuild, where the model fails."""

from records.scopes import Person
from tests.peers.openai_server import Behaviour
from tests.support.talk import Talk
from tests.unit.telegram_ui.commands.conftest import ANN, Desk


async def test_a_rebuild_that_failed_can_be_tried_again_by_a_button(desk: Desk, talk: Talk) -> None:
    await talk.remember(owner=ANN, every_n=1)
    await talk.turn("The walnuts are in the cellar.", person=Person(id=ANN, name="Ann"))
    talk.server.default("summary-model", Behaviour(status=401))
    await desk.say(ANN, ANN, "/summary_rebuild")
    await desk.peer.world.calls.first(lambda call: "could not be rebuilt" in str(call["params"].get("text", "")))
    message, buttons = desk.buttons(ANN)
    assert list(buttons) == ["Try again"]
    assert message["reply_to_message"]["text"] == "/summary_rebuild"

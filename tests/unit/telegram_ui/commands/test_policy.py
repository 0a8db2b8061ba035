"""Messages about failed or busy summaries and profiles have a button to try again."""

from datetime import timedelta

from locales.catalog import tr
from records.scopes import Person, Scope
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.memory import KIND
from telegram_ui.sending.chat import Chat
from tests.peers.openai_server import Behaviour
from tests.support.talk import ChatHarness
from tests.unit.telegram_ui.commands.conftest import ANN, Desk


async def test_failed_rebuild_can_be_retried_by_button(desk: Desk, talk: ChatHarness) -> None:
    await talk.turn_on_memory(owner=ANN, every_n=1)
    await talk.run_turn("The walnuts are in the cellar.", person=Person(id=ANN, name="Ann"))
    talk.server.set_default_answer("summary-model", Behaviour(status=401))
    calls = desk.peer.world.calls

    async def wait_until_it_failed(since: int) -> None:
        await calls.wait_for_first_match(
            lambda call: "The earlier summaries stay" in str(call["params"].get("text", "")), since=since
        )

    await desk.say(ANN, ANN, "/summary_rebuild")
    await wait_until_it_failed(0)
    message, buttons = desk.find_newest_buttons(ANN)
    assert list(buttons) == ["Try again"]
    since = calls.last
    assert await desk.press_button(ANN, ANN, message, buttons["Try again"]) is None
    await wait_until_it_failed(since)
    assert await desk.press_button(ANN, ANN, message, buttons["Try again"]) == tr("answers-pressed-already")


async def test_summary_now_offers_retry_while_lease_is_held(desk: Desk, talk: ChatHarness) -> None:
    await talk.turn_on_memory(owner=ANN)
    await talk.run_turn("The walnuts are in the cellar.", person=Person(id=ANN, name="Ann"))
    async with talk.services.memory.open_store(ANN) as store:
        await store.acquire_summary_lease(
            Scope(owner=ANN), "rebuild", now=talk.moment[0], duration=timedelta(minutes=5)
        )
    await desk.say(ANN, ANN, "/summary_now")
    assert "being made right now" in desk.get_last_text(ANN)
    assert list(desk.find_newest_buttons(ANN)[1]) == ["Try again"]


async def test_failed_profile_rewrite_offers_retry_button(desk: Desk, talk: ChatHarness) -> None:
    await talk.turn_on_memory(owner=ANN)
    await desk.say(ANN, ANN, "/memory add I live in Riga.")
    talk.server.set_default_schema_answer("profile", Behaviour(status=401))
    await desk.say(ANN, ANN, "/settings")
    message, _ = desk.find_newest_buttons(ANN)
    refresh = Buttons(b"key").make_signed_callback_data(KIND, Chat(id=ANN), Person(id=ANN, name="Ann"), "r")
    await desk.press_button(ANN, ANN, message, refresh)
    await desk.peer.world.calls.wait_for_first_match(
        lambda call: "was not written" in str(call["params"].get("text", ""))
    )
    assert desk.find_newest_buttons(ANN)[1] == {"Try again": refresh}

"""The buttons under an answer, pressed twice, by others, while a store fails, and stopped."""

import asyncio
from pathlib import Path

import pytest

from locales.catalog import tr
from records.errors import ModelRefused
from records.scopes import Person, Scope
from records.turns import IncomingPiece, Reply, UserMessage
from telegram_ui.commands.answer_buttons import format_reply, make_answer_keyboard
from telegram_ui.sending.chat import Chat
from tests.peers.openai_server import Behaviour
from tests.support.talk import Talk, talking
from tests.unit.chat.test_conversation import room
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, IN_GROUP, PRIVATE, Desk, Peer

PERSON = Person(id=ANN, name="Ann")


async def answered(desk: Desk, talk: Talk, chat: Chat = PRIVATE) -> None:
    """A question of Ann's and its answer, with its buttons."""
    piece = IncomingPiece(text="What is it?", source=f"1:{next(talk.updates)}", sent_at=talk.moment[0])
    incoming = UserMessage(scope=chat.scope, person=PERSON, pieces=(piece,), in_group=not chat.is_private)
    reply = await talk.conversation.reply(incoming)
    keyboard = make_answer_keyboard(desk.commands.dependencies, chat, PERSON, reply)
    await desk.peer.delivery().send_text(chat, reply.text, keyboard=keyboard)


async def stored(talk: Talk) -> list[str]:
    async with talk.services.memory.open_store(ANN) as store:
        return [message.content for message in await store.timeline.read_page(Scope(owner=ANN))]


async def test_a_double_tap_is_one_wish(desk: Desk, talk: Talk) -> None:
    await talk.remember(owner=ANN)
    await answered(desk, talk)
    message, buttons = desk.buttons(ANN)
    talk.server.script("chat-model", "Another one.", "A third one.")
    assert await desk.press(ANN, ANN, message, buttons["Regenerate"]) is None
    assert await desk.press(ANN, ANN, message, buttons["Regenerate"]) == tr("answers-pressed-already")
    assert await stored(talk) == ["What is it?", "Another one."]


async def test_what_a_failing_store_did_not_take_leaves_the_answer_that_stands_and_its_buttons(
    desk: Desk, talk: Talk
) -> None:
    await talk.remember(owner=ANN)
    await answered(desk, talk)
    message, buttons = desk.buttons(ANN)
    talk.server.script("chat-model", "A long one. " * 2_000, "Another one.")
    await room(talk, 1)
    assert await desk.press(ANN, ANN, message, buttons["Regenerate"]) is None
    assert desk.last(ANN).startswith("I could not answer: ")
    shown, buttons = desk.buttons(ANN)
    assert (shown["message_id"], shown["text"]) == (message["message_id"], "Understood.")
    assert not [task for task in asyncio.all_tasks() if "_paint" in repr(task.get_coro())], "nothing is shown on and on"
    assert await stored(talk) == ["What is it?", "Understood."]
    await room(talk, 2**30)
    assert await desk.press(ANN, ANN, message, buttons["Regenerate"]) is None
    assert await stored(talk) == ["What is it?", "Another one."]


async def test_who_may_not_press_waits_for_no_answer(desk: Desk, talk: Talk) -> None:
    await answered(desk, talk, IN_GROUP)
    message, buttons = desk.buttons(GROUP)
    regenerate = buttons["Regenerate"]
    row = desk.commands.find_button_action(regenerate, IN_GROUP, PERSON)
    assert row is not None
    assert row.queue == "chat"
    assert desk.commands.find_button_action(regenerate, IN_GROUP, Person(id=BOB, name="Bob")) is None
    assert await desk.press(BOB, GROUP, message, regenerate) == tr("shared-not-yours")
    assert len(talk.server.of("chat-model")) == 1


async def test_what_its_reader_stops_did_not_fail(desk: Desk, talk: Talk) -> None:
    await answered(desk, talk)
    message, buttons = desk.buttons(ANN)
    talk.server.script("chat-model", Behaviour(hold="start"))
    pressing = asyncio.create_task(desk.press(ANN, ANN, message, buttons["Regenerate"]))
    await talk.server.until_held()
    pressing.cancel()
    await pressing
    await talk.server.release()
    assert desk.buttons(ANN)[1].keys() >= {"Regenerate", "Why?"}, "the earlier answer stands"
    assert desk.last(ANN) == tr("answers-stopped"), "whoever writes /stop is answered"
    assert [call["params"].get("text") for call in desk.peer.called("answerCallbackQuery")] == [None, None]


async def test_an_answer_is_spoken_once_when_it_is_asked_for(peer: Peer, tmp_path: Path) -> None:
    async with talking(tmp_path / "data", speech_model="speaks", speech_voice="nova") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.updates()
        await answered(desk, talk)
        message, buttons = desk.buttons(ANN)
        talk.server.script("speaks", Behaviour(status=404))
        with pytest.raises(ModelRefused, match="SPEECH_MODEL"):
            await desk.press(ANN, ANN, message, buttons["Listen"])
        assert await desk.press(ANN, ANN, message, buttons["Listen"]) is None
        said = list(peer.world.messages[ANN].values())[-1]
        recording = peer.world.files.find_by_id(said["voice"]["file_id"])
        assert recording is not None
        assert recording.data == b"OggSUnderstood."
        assert said["reply_to_message"]["message_id"] == message["message_id"]
        assert talk.server.of("speaks")[-1].body["voice"] == "nova"
        assert await desk.press(ANN, ANN, message, buttons["Listen"]) == tr("answers-pressed-already")


def test_an_answer_that_was_stopped_in_the_middle_of_its_marks_shows_none() -> None:
    shown = format_reply(Reply(text="It is **very", is_stopped=True))
    assert shown == f"It is **very**\n\n{tr('answers-stopped')}"
    shown = format_reply(Reply(text="So:\n\n```py\nx = 1", is_stopped=True))
    assert shown == f"So:\n\n```py\nx = 1\n```\n\n{tr('answers-stopped')}"

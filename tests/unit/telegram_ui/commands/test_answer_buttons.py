"""Tests of the buttons under an answer: double taps, other people, a failing store, and cancellation."""

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
from tests.support.talk import ChatHarness, open_chat_harness
from tests.unit.chat.test_conversation import limit_database_pages
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, IN_GROUP, PRIVATE, Desk, Peer

PERSON = Person(id=ANN, name="Ann")


async def send_answer_with_buttons(desk: Desk, talk: ChatHarness, chat: Chat = PRIVATE) -> None:
    """Let Ann ask a question, and send the answer with its buttons."""
    piece = IncomingPiece(text="What is it?", source=f"1:{next(talk.updates)}", sent_at=talk.moment[0])
    incoming = UserMessage(scope=chat.scope, person=PERSON, pieces=(piece,), in_group=not chat.is_private)
    reply = await talk.conversation.reply(incoming)
    keyboard = make_answer_keyboard(desk.commands.dependencies, chat, PERSON, reply)
    await desk.peer.make_delivery().send_text(chat, reply.text, keyboard=keyboard)


async def list_stored_texts(talk: ChatHarness) -> list[str]:
    async with talk.services.memory.open_store(ANN) as store:
        return [message.content for message in await store.timeline.read_page(Scope(owner=ANN))]


async def test_double_tap_on_regenerate_makes_one_answer(desk: Desk, talk: ChatHarness) -> None:
    await talk.turn_on_memory(owner=ANN)
    await send_answer_with_buttons(desk, talk)
    message, buttons = desk.find_newest_buttons(ANN)
    talk.server.script("chat-model", "Another one.", "A third one.")
    assert await desk.press_button(ANN, ANN, message, buttons["Regenerate"]) is None
    assert await desk.press_button(ANN, ANN, message, buttons["Regenerate"]) == tr("answers-pressed-already")
    assert await list_stored_texts(talk) == ["What is it?", "Another one."]


async def test_regenerate_keeps_old_answer_and_buttons_when_store_is_full(desk: Desk, talk: ChatHarness) -> None:
    await talk.turn_on_memory(owner=ANN)
    await send_answer_with_buttons(desk, talk)
    message, buttons = desk.find_newest_buttons(ANN)
    talk.server.script("chat-model", "A long one. " * 2_000, "Another one.")
    await limit_database_pages(talk, 1)
    assert await desk.press_button(ANN, ANN, message, buttons["Regenerate"]) is None
    assert desk.get_last_text(ANN).startswith("I could not answer: ")
    shown, buttons = desk.find_newest_buttons(ANN)
    assert (shown["message_id"], shown["text"]) == (message["message_id"], "Understood.")
    assert not [task for task in asyncio.all_tasks() if "_paint" in repr(task.get_coro())], "nothing is shown on and on"
    assert await list_stored_texts(talk) == ["What is it?", "Understood."]
    await limit_database_pages(talk, 2**30)
    assert await desk.press_button(ANN, ANN, message, buttons["Regenerate"]) is None
    assert await list_stored_texts(talk) == ["What is it?", "Another one."]


async def test_press_by_unauthorized_person_is_refused_without_queueing(desk: Desk, talk: ChatHarness) -> None:
    await send_answer_with_buttons(desk, talk, IN_GROUP)
    message, buttons = desk.find_newest_buttons(GROUP)
    regenerate = buttons["Regenerate"]
    row = desk.commands.find_button_action(regenerate, IN_GROUP, PERSON)
    assert row is not None
    assert row.queue == "chat"
    assert desk.commands.find_button_action(regenerate, IN_GROUP, Person(id=BOB, name="Bob")) is None
    assert await desk.press_button(BOB, GROUP, message, regenerate) == tr("shared-not-yours")
    assert len(talk.server.list_requests("chat-model")) == 1


async def test_cancelled_regeneration_keeps_answer_and_confirms_stop(desk: Desk, talk: ChatHarness) -> None:
    await send_answer_with_buttons(desk, talk)
    message, buttons = desk.find_newest_buttons(ANN)
    talk.server.script("chat-model", Behaviour(hold="start"))
    pressing = asyncio.create_task(desk.press_button(ANN, ANN, message, buttons["Regenerate"]))
    await talk.server.wait_until_held()
    pressing.cancel()
    await pressing
    await talk.server.release()
    assert desk.find_newest_buttons(ANN)[1].keys() >= {"Regenerate", "Why?"}, "the earlier answer stands"
    assert desk.get_last_text(ANN) == tr("answers-stopped"), "whoever writes /stop is answered"
    assert [call["params"].get("text") for call in desk.peer.list_calls("answerCallbackQuery")] == [None, None]


async def test_listen_button_sends_spoken_answer_once(peer: Peer, tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path / "data", speech_model="speaks", speech_voice="nova") as talk:
        desk = Desk(peer, talk.services, talk.moment)
        await desk.fetch_updates()
        await send_answer_with_buttons(desk, talk)
        message, buttons = desk.find_newest_buttons(ANN)
        talk.server.script("speaks", Behaviour(status=404))
        with pytest.raises(ModelRefused, match="SPEECH_MODEL"):
            await desk.press_button(ANN, ANN, message, buttons["Listen"])
        assert await desk.press_button(ANN, ANN, message, buttons["Listen"]) is None
        said = list(peer.world.messages[ANN].values())[-1]
        recording = peer.world.files.find_by_id(said["voice"]["file_id"])
        assert recording is not None
        assert recording.data == b"OggSUnderstood."
        assert said["reply_to_message"]["message_id"] == message["message_id"]
        assert talk.server.list_requests("speaks")[-1].body["voice"] == "nova"
        assert await desk.press_button(ANN, ANN, message, buttons["Listen"]) == tr("answers-pressed-already")


def test_format_reply_closes_code_block_of_stopped_answer() -> None:
    shown = format_reply(Reply(text="It is **very", is_stopped=True))
    assert shown == f"It is **very**\n\n{tr('answers-stopped')}"
    shown = format_reply(Reply(text="So:\n\n```py\nx = 1", is_stopped=True))
    assert shown == f"So:\n\n```py\nx = 1\n```\n\n{tr('answers-stopped')}"

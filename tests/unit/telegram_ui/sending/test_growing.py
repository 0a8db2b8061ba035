"""An answer longer than a message continues in the next. No part appears twice, even after a kill."""

import asyncio

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import tr
from playground.refusals import Json
from telegram_ui.sending.formatting import MAX_UNITS, convert_markdown_if_short
from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import ANN, GROUP, IN_GROUP, PRIVATE, Peer
from tests.unit.telegram_ui.sending.conftest import interrupt_answer

STOP = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop")]])
UNDER = InlineKeyboardMarkup([[InlineKeyboardButton("Why", callback_data="why")]])
LONG = "**All** of them:\n" + "\n".join(f"line {number} 😀" for number in range(900))


def list_bot_messages(peer: Peer, chat: int) -> list[Json]:
    bot = peer.world.bot["id"]
    return [message for message in peer.world.messages.get(chat, {}).values() if message["from"]["id"] == bot]


async def show_growing_answer(peer: Peer, stream: AnswerStream, text: str, *steps: str) -> None:
    """Preview a text step by step. `steps` are the methods of the expected requests."""
    await peer.show_beginning(stream, text)
    for number, method in enumerate(steps, start=1):
        await peer.wait_for_call(method, sum(step == method for step in steps[:number]))
        peer.clock.advance(5.0)


async def test_full_message_is_finalized_and_answer_continues_in_next_message(peer: Peer) -> None:
    noted: list[list[int]] = []

    async def note(ids: object) -> None:
        noted.append(list(ids))  # type: ignore[call-overload]

    stream = AnswerStream(peer.make_delivery("edit"), IN_GROUP, make_stop_keyboard=lambda: STOP, note_shown=note)
    await show_growing_answer(peer, stream, LONG[:3000], "sendMessage")
    assert "reply_markup" in list_bot_messages(peer, GROUP)[0]
    await stream.schedule_preview(LONG)
    await peer.wait_for_call("editMessageText")
    peer.clock.advance(5.0)
    await peer.wait_for_call("sendMessage", 2)
    first, second, *_ = parts = convert_markdown_if_short(LONG)
    assert len(parts) > 2
    assert [message["text"] for message in list_bot_messages(peer, GROUP)] == [first.text.strip(), second.text.strip()]
    assert "reply_markup" not in list_bot_messages(peer, GROUP)[0], "the button is under the last message"
    ids = await stream.send_final_answer(LONG, keyboard=UNDER)
    assert [message["text"] for message in list_bot_messages(peer, GROUP)] == [part.text.strip() for part in parts]
    assert ids == [message["message_id"] for message in list_bot_messages(peer, GROUP)]
    assert ["reply_markup" in message for message in list_bot_messages(peer, GROUP)] == [False] * (len(parts) - 1) + [
        True
    ]
    assert noted[-1] == ids


async def test_code_block_beyond_message_limit_continues_in_new_draft(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery(), PRIVATE)
    code = "```python\n" + "x = 1\n" * 1000 + "```"
    await show_growing_answer(peer, stream, code, "sendMessage", "sendMessageDraft")
    [settled] = list_bot_messages(peer, ANN)
    [draft] = [call["params"] for call in peer.list_calls("sendMessageDraft")]
    assert settled["entities"][0]["language"] == "python"
    assert "python" in str(draft["entities"]), "the block is opened again, with its language"
    await stream.send_final_answer(code)
    assert "\n".join(peer.list_bot_texts(ANN)) == "x = 1\n" * 999 + "x = 1"
    assert len(peer.list_calls("sendMessage")) == 2
    assert not peer.list_calls("editMessageText"), "what stands as it should is left alone"


async def test_surplus_preview_messages_are_deleted(peer: Peer) -> None:
    """Before a tool call, a model may write text that its final answer omits."""
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE, make_stop_keyboard=lambda: STOP)
    await show_growing_answer(peer, stream, LONG[:6000], "sendMessage", "sendMessage")
    await stream.send_final_answer("short", keyboard=UNDER)
    assert peer.list_bot_texts(ANN) == ["short"]


async def test_only_last_message_of_stopped_answer_is_marked(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE, make_stop_keyboard=lambda: STOP)
    await show_growing_answer(peer, stream, LONG[:6000], "sendMessage", "sendMessage")
    await interrupt_answer(stream, asyncio.CancelledError())
    first, second = peer.list_bot_texts(ANN)
    assert tr("answers-stopped") not in first
    assert second.endswith(tr("answers-stopped"))


async def test_next_run_reuses_messages_of_killed_run(peer: Peer) -> None:
    noted, two = list[int](), asyncio.Event()

    async def record_message_ids(ids: object) -> None:
        noted[:] = list(ids)  # type: ignore[call-overload]
        if len(noted) == 2:
            two.set()

    killed = AnswerStream(peer.make_delivery(), PRIVATE, note_shown=record_message_ids)
    await show_growing_answer(peer, killed, LONG, "sendMessage")
    await two.wait()  # its clock stands still: nothing more is shown
    again = AnswerStream(peer.make_delivery(), PRIVATE, replaced_ids=noted, note_shown=record_message_ids)
    await again.send_final_answer(LONG, keyboard=UNDER)
    assert peer.list_bot_texts(ANN) == [part.text.strip() for part in convert_markdown_if_short(LONG)]


@pytest.mark.parametrize("gone", [0, 1])
async def test_answer_keeps_order_when_preview_message_was_deleted(peer: Peer, gone: int) -> None:
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE)
    await show_growing_answer(peer, stream, LONG, "sendMessage", "sendMessage")
    ids = [message["message_id"] for message in list_bot_messages(peer, ANN)]
    await interrupt_answer(stream, asyncio.CancelledError())
    peer.world.remove_message(ANN, ids[gone])
    await AnswerStream(peer.make_delivery("edit"), PRIVATE, replaced_ids=ids).send_final_answer(LONG)
    assert peer.list_bot_texts(ANN) == [part.text.strip() for part in convert_markdown_if_short(LONG)]


async def test_file_follows_messages_already_shown(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE)
    await show_growing_answer(peer, stream, "A long answer, дом.\n" * 1500, *["sendMessage"] * 6)
    await stream.send_final_answer("A long answer, дом.\n" * 5_000)
    texts = peer.list_bot_texts(ANN)
    assert len(texts) == 6
    assert [text.endswith(tr("answers-in-file")) for text in texts] == [False] * 5 + [True]
    assert all(len(text) <= MAX_UNITS for text in texts)
    assert len(peer.list_calls("sendDocument")) == 1

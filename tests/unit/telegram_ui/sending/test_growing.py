"""An answer that outgrows a message goes on in the next while it is written; whatever dies, no part is there twice."""

import asyncio

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import tr
from playground.refusals import Json
from telegram_ui.sending.formatting import MAX_UNITS, convert_markdown_if_short
from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import ANN, GROUP, IN_GROUP, PRIVATE, Peer

STOP = InlineKeyboardMarkup([[InlineKeyboardButton("Stop", callback_data="stop")]])
UNDER = InlineKeyboardMarkup([[InlineKeyboardButton("Why", callback_data="why")]])
LONG = "**All** of them:\n" + "\n".join(f"line {number} 😀" for number in range(900))


def shown(peer: Peer, chat: int) -> list[Json]:
    bot = peer.world.bot["id"]
    return [message for message in peer.world.messages.get(chat, {}).values() if message["from"]["id"] == bot]


async def grown(peer: Peer, stream: AnswerStream, text: str, *steps: str) -> None:
    """Show a text in as many steps as it needs: each is the method of one request."""
    await peer.begin(stream, text)
    for number, method in enumerate(steps, start=1):
        await peer.call(method, sum(step == method for step in steps[:number]))
        peer.clock.advance(5.0)


async def test_a_message_that_is_full_is_settled_and_the_answer_goes_on_in_the_next(peer: Peer) -> None:
    noted: list[list[int]] = []

    async def note(ids: object) -> None:
        noted.append(list(ids))  # type: ignore[call-overload]

    stream = AnswerStream(peer.delivery("edit"), IN_GROUP, make_stop_keyboard=lambda: STOP, note_shown=note)
    await grown(peer, stream, LONG[:3000], "sendMessage")
    assert "reply_markup" in shown(peer, GROUP)[0]
    await stream.schedule_preview(LONG)
    await peer.call("editMessageText")
    peer.clock.advance(5.0)
    await peer.call("sendMessage", 2)
    first, second, *_ = parts = convert_markdown_if_short(LONG)
    assert len(parts) > 2
    assert [message["text"] for message in shown(peer, GROUP)] == [first.text.strip(), second.text.strip()]
    assert "reply_markup" not in shown(peer, GROUP)[0], "the button is under the last message"
    ids = await stream.send_final_answer(LONG, keyboard=UNDER)
    assert [message["text"] for message in shown(peer, GROUP)] == [part.text.strip() for part in parts]
    assert ids == [message["message_id"] for message in shown(peer, GROUP)]
    assert ["reply_markup" in message for message in shown(peer, GROUP)] == [False] * (len(parts) - 1) + [True]
    assert noted[-1] == ids


async def test_a_draft_goes_on_in_a_draft_of_its_own(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery(), PRIVATE)
    code = "```python\n" + "x = 1\n" * 1000 + "```"
    await grown(peer, stream, code, "sendMessage", "sendMessageDraft")
    [settled] = shown(peer, ANN)
    [draft] = [call["params"] for call in peer.called("sendMessageDraft")]
    assert settled["entities"][0]["language"] == "python"
    assert "python" in str(draft["entities"]), "the block is opened again, with its language"
    await stream.send_final_answer(code)
    assert "\n".join(peer.texts(ANN)) == "x = 1\n" * 999 + "x = 1"
    assert len(peer.called("sendMessage")) == 2
    assert not peer.called("editMessageText"), "what stands as it should is left alone"


async def test_what_turns_out_to_be_no_part_of_the_answer_is_deleted(peer: Peer) -> None:
    """Before a tool is used a model may write what it then leaves out."""
    stream = AnswerStream(peer.delivery("edit"), PRIVATE, make_stop_keyboard=lambda: STOP)
    await grown(peer, stream, LONG[:6000], "sendMessage", "sendMessage")
    await stream.send_final_answer("short", keyboard=UNDER)
    assert peer.texts(ANN) == ["short"]


async def test_only_the_last_message_is_marked_where_an_answer_is_stopped(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery("edit"), PRIVATE, make_stop_keyboard=lambda: STOP)
    await grown(peer, stream, LONG[:6000], "sendMessage", "sendMessage")
    await stream.mark_stopped()
    first, second = peer.texts(ANN)
    assert tr("answers-stopped") not in first
    assert second.endswith(tr("answers-stopped"))


async def test_the_next_run_takes_up_the_messages_of_one_that_was_killed(peer: Peer) -> None:
    noted, two = list[int](), asyncio.Event()

    async def note(ids: object) -> None:
        noted[:] = list(ids)  # type: ignore[call-overload]
        if len(noted) == 2:
            two.set()

    killed = AnswerStream(peer.delivery(), PRIVATE, note_shown=note)
    await grown(peer, killed, LONG, "sendMessage")
    await two.wait()  # its clock stands still: nothing more is shown
    again = AnswerStream(peer.delivery(), PRIVATE, replaced_ids=noted, note_shown=note)
    await again.send_final_answer(LONG, keyboard=UNDER)
    assert peer.texts(ANN) == [part.text.strip() for part in convert_markdown_if_short(LONG)]


@pytest.mark.parametrize("gone", [0, 1])
async def test_the_order_stays_where_one_of_the_messages_is_gone(peer: Peer, gone: int) -> None:
    stream = AnswerStream(peer.delivery("edit"), PRIVATE)
    await grown(peer, stream, LONG, "sendMessage", "sendMessage")
    ids = [message["message_id"] for message in shown(peer, ANN)]
    await stream.mark_stopped()
    peer.world.remove_message(ANN, ids[gone])
    await AnswerStream(peer.delivery("edit"), PRIVATE, replaced_ids=ids).send_final_answer(LONG)
    assert peer.texts(ANN) == [part.text.strip() for part in convert_markdown_if_short(LONG)]


async def test_a_file_follows_the_messages_that_were_read_already(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery("edit"), PRIVATE)
    await grown(peer, stream, "A long answer, дом.\n" * 1500, *["sendMessage"] * 6)
    await stream.send_final_answer("A long answer, дом.\n" * 5_000)
    texts = peer.texts(ANN)
    assert len(texts) == 6
    assert [text.endswith(tr("answers-in-file")) for text in texts] == [False] * 5 + [True]
    assert all(len(text) <= MAX_UNITS for text in texts)
    assert len(peer.called("sendDocument")) == 1

"""Answers are sent as rich messages if chosen and useful, with a fallback if Telegram refuses."""

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from playground.faults import Fault
from telegram_ui.sending.formatting import convert_to_rich_markdown_if_needed
from telegram_ui.sending.newer_api import REFUSED_SECONDS
from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import ANN, PRIVATE, Peer
from tests.unit.telegram_ui.sending.conftest import interrupt_answer

UNDER = InlineKeyboardMarkup([[InlineKeyboardButton("Why", callback_data="why")]])
TABLE = "Prices:\n\n| a | b |\n|---|---|\n| 1 | 2 |"


async def want_rich() -> bool:
    return True


def list_called_methods(peer: Peer, *methods: str) -> list[str]:
    return [call["method"] for call in peer.world.calls if call["method"] in methods]


@pytest.mark.parametrize(
    ("markdown", "sent"),
    [
        (TABLE, TABLE),
        ("so $e^x$ it is", "so $e^x$ it is"),
        ("so \\(e^x\\) it is", "so $e^x$ it is"),
        ("\\[ \\frac{1}{2} \\]", "$$ \\frac{1}{2} $$"),
        ("long " * 1000, "long " * 1000),
        ("**short** and `plain`", ""),
        ("It costs $5 and $10. a | b", ""),
        ("x" * 32_769, ""),
        (" \n", ""),
    ],
)
def test_converts_to_rich_markdown_only_when_needed(markdown: str, sent: str) -> None:
    assert convert_to_rich_markdown_if_needed(markdown) == sent


async def test_rich_answer_replaces_preview(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery("edit"), PRIVATE, wants_rich=want_rich)
    await peer.show_beginning(stream, "Prices")
    await peer.wait_for_call("sendMessage")
    [sent] = await stream.send_final_answer(TABLE, keyboard=UNDER)
    assert [message["message_id"] for message in peer.world.messages[ANN].values() if message["from"]["is_bot"]] == [
        sent
    ]
    message = peer.world.messages[ANN][sent]
    assert message["rich_message"]["blocks"][0]["text"] == TABLE
    assert "reply_markup" in message


async def test_rich_message_is_not_tried_unless_chosen(peer: Peer) -> None:
    await AnswerStream(peer.make_delivery(), PRIVATE).send_final_answer(TABLE)
    assert list_called_methods(peer, "sendRichMessage") == []


@pytest.mark.parametrize("code", [400, 404])
async def test_refused_rich_message_falls_back_and_is_not_retried_for_a_day(peer: Peer, code: int) -> None:
    delivery = peer.make_delivery()
    peer.faults.add(Fault(kind="error", method="sendRichMessage", error_code=code, description="Not Found", times=1))
    for _ in range(2):
        [sent] = await AnswerStream(delivery, PRIVATE, wants_rich=want_rich).send_final_answer(TABLE)
        assert "1 | 2" in peer.world.messages[ANN][sent]["text"]
    assert list_called_methods(peer, "sendRichMessage") == ["sendRichMessage"]
    peer.clock.advance(REFUSED_SECONDS + 1.0)
    [sent] = await AnswerStream(delivery, PRIVATE, wants_rich=want_rich).send_final_answer(TABLE)
    assert "rich_message" in peer.world.messages[ANN][sent]


async def test_rich_draft_can_be_stopped(peer: Peer) -> None:
    stream = AnswerStream(peer.make_delivery(), PRIVATE, wants_rich=want_rich)
    await peer.show_beginning(stream, f"{TABLE}\n\nand **so")
    await peer.wait_for_call("sendRichMessageDraft")
    draft = peer.world.make_snapshot()["drafts"][str(ANN)]
    assert draft["rich_message"]["blocks"][0]["text"] == f"{TABLE}\n\nand **so**"
    assert draft["can_stop"]
    await interrupt_answer(stream, RuntimeError())

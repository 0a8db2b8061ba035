"""Answers as rich messages, where their reader chose them and they show more; a refusal costs nothing but that."""

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from playground.faults import Fault
from telegram_ui.sending.formatting import convert_to_rich_markdown_if_needed
from telegram_ui.sending.newer_api import REFUSED_SECONDS
from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import ANN, PRIVATE, Peer

UNDER = InlineKeyboardMarkup([[InlineKeyboardButton("Why", callback_data="why")]])
TABLE = "Prices:\n\n| a | b |\n|---|---|\n| 1 | 2 |"


async def chosen() -> bool:
    return True


def calls(peer: Peer, *methods: str) -> list[str]:
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
def test_only_what_shows_more_is_sent_so(markdown: str, sent: str) -> None:
    assert convert_to_rich_markdown_if_needed(markdown) == sent


async def test_an_answer_with_a_table_takes_the_place_of_what_grew(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery("edit"), PRIVATE, wants_rich=chosen)
    await peer.begin(stream, "Prices")
    await peer.call("sendMessage")
    [sent] = await stream.send_final_answer(TABLE, keyboard=UNDER)
    assert [message["message_id"] for message in peer.world.messages[ANN].values() if message["from"]["is_bot"]] == [
        sent
    ]
    message = peer.world.messages[ANN][sent]
    assert message["rich_message"]["blocks"][0]["text"] == TABLE
    assert "reply_markup" in message


async def test_without_the_choice_nothing_of_it_is_tried(peer: Peer) -> None:
    await AnswerStream(peer.delivery(), PRIVATE).send_final_answer(TABLE)
    assert calls(peer, "sendRichMessage") == []


@pytest.mark.parametrize("code", [400, 404])
async def test_a_refusal_falls_back_at_once_and_is_remembered_for_a_day(peer: Peer, code: int) -> None:
    delivery = peer.delivery()
    peer.faults.add(Fault(kind="error", method="sendRichMessage", error_code=code, description="Not Found", times=1))
    for _ in range(2):
        [sent] = await AnswerStream(delivery, PRIVATE, wants_rich=chosen).send_final_answer(TABLE)
        assert "1 | 2" in peer.world.messages[ANN][sent]["text"]
    assert calls(peer, "sendRichMessage") == ["sendRichMessage"]
    peer.clock.advance(REFUSED_SECONDS + 1.0)
    [sent] = await AnswerStream(delivery, PRIVATE, wants_rich=chosen).send_final_answer(TABLE)
    assert "rich_message" in peer.world.messages[ANN][sent]


async def test_drafts_are_rich_and_can_be_stopped(peer: Peer) -> None:
    stream = AnswerStream(peer.delivery(), PRIVATE, wants_rich=chosen)
    await peer.begin(stream, f"{TABLE}\n\nand **so")
    await peer.call("sendRichMessageDraft")
    draft = peer.world.make_snapshot()["drafts"][str(ANN)]
    assert draft["rich_message"]["blocks"][0]["text"] == f"{TABLE}\n\nand **so**"
    assert draft["can_stop"]
    await stream.mark_broken_off()

"""The callbacks that begin, send and stop answers, without the durable queue of a running bot."""

import asyncio
from collections.abc import Callable, Sequence

from telegram import InlineKeyboardMarkup

from telegram_ui.commands.command_group import Answer, AnswerControls, Outcome
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.streaming import AnswerStream


def begin_answer(
    delivery: Delivery,
    _update_id: int,
    chat: Chat,
    make_stop_keyboard: Callable[[], InlineKeyboardMarkup] | None,
    replaced_ids: Sequence[int],
) -> AnswerStream:
    return AnswerStream(delivery, chat, make_stop_keyboard=make_stop_keyboard, replaced_ids=replaced_ids)


async def send_answer_once(
    _: Answer, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
) -> tuple[Outcome, Sequence[MessageId]]:
    return "arrived", await stream.send_final_answer(text, keyboard=keyboard)


DIRECT_ANSWERS = AnswerControls(
    stop=lambda _: False, begin=begin_answer, send=send_answer_once, mark_done=lambda _: asyncio.sleep(0)
)

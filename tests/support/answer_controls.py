"""Begins and sends answers without the durable queue of a running bot."""

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from records.scopes import Person, Scope
from telegram_ui.commands.command_group import Answer
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.streaming import AnswerStream


class DirectAnswers:
    """An AnswerSender that makes one attempt at each answer."""

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery

    def open_stream(
        self, update_id: int, chat: Chat, person: Person, replaced_ids: Sequence[MessageId] = ()
    ) -> AnswerStream:
        stop = InlineKeyboardMarkup.from_button(InlineKeyboardButton("Stop", callback_data="stop"))
        return AnswerStream(self._delivery, chat, make_stop_keyboard=lambda: stop, replaced_ids=replaced_ids)

    async def send_answer(
        self, answer: Answer, stream: AnswerStream, text: str, keyboard: InlineKeyboardMarkup | None
    ) -> tuple[bool, Sequence[MessageId]]:
        return True, await stream.send_final_answer(text, keyboard=keyboard)

    async def mark_done_once_stored(self, answer: Answer) -> None:
        """Do nothing, because no later run would send the answer."""

    def try_to_stop(self, chat_scope: Scope) -> bool:
        return False

"""The button under a corrected message: its turn is answered again, where answers are written.

Does not know how an edit is taken in (updates/dispatch.py), nor what becomes of the earlier answer.
"""

import asyncio
from contextlib import suppress

from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import TelegramError

from records.scopes import Person
from telegram_ui.commands import proposals
from telegram_ui.commands.family import Ask, Dependencies, Family, press
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.streaming import AnswerStream

AGAIN = "an"
OFFER = "You changed your last message; I remember it as it is now. Shall I answer it again?"
LABEL = "Answer again"
TOO_LATE = "The conversation has gone on since, so that answer stays as it is. Just ask again."
ANSWERING = "Answering again:"


class EditedMessages(Family):
    """A family without commands of its own."""

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._dependencies = dependencies

    @press(AGAIN, queue="chat")
    async def _answer_again(self, ask: Ask) -> None:
        query = ask.update.callback_query
        if query is not None:
            # Now: Telegram shows the button as busy until then, and a model may take a minute.
            with suppress(TelegramError):
                await query.answer()
        chat, conversation = ask.chat, self._services.conversation
        stream = AnswerStream(self._delivery, chat)
        try:
            async with self._delivery.typing(chat):
                answered = await conversation.answer_again(
                    chat.scope, int(ask.argument), ask.person, in_group=not chat.is_private, on_text=stream.show
                )
        except asyncio.CancelledError:
            await stream.break_off()
            raise
        await self._show(ask, TOO_LATE if answered is None else ANSWERING)
        if answered is None:
            return
        incoming, reply = answered
        sent = await stream.finish(reply.text)
        if not reply.is_error:
            await conversation.shown(incoming, sent)
        for notice in reply.notices:
            await self._delivery.say(chat, notice)
        for proposal in reply.proposals:
            await proposals.ask(self._dependencies, chat, ask.person, proposal)


async def offer(dependencies: Dependencies, chat: Chat, person: Person, turn: int) -> None:
    """Offer to answer a corrected turn again."""
    data = dependencies.buttons.data(AGAIN, chat, person, str(turn))
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton(LABEL, callback_data=data)]])
    await dependencies.delivery.say(chat, OFFER, keyboard=keyboard)

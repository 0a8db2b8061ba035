"""The button under a corrected message: the turn is answered anew. Its press is served where answers are written.

Does not know how an edit is taken in (intake.py), nor what becomes of the earlier answer.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from telegram.error import TelegramError

from llm.chat_model import OnText
from records.scopes import Person, Scope
from records.turns import Incoming, Reply
from telegram_ui.commands import proposals
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.family import Ask, Handler, Press
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.streaming import AnswerStream

ANEW = "an"
OFFER = "You changed your last message; I remember it as it is now. Shall I answer it anew?"
LABEL = "Answer anew"
PAST = "The talk has gone on since, so that answer stays as it is. Just ask again."
TAKEN = "Answering anew:"


class Answering(Protocol):
    """What is needed of conversation.Conversation."""

    async def answer_again(
        self, scope: Scope, turn: int, person: Person, *, in_group: bool = False, on_text: OnText | None = None
    ) -> tuple[Incoming, Reply] | None: ...
    async def shown(self, incoming: Incoming, telegram_ids: Sequence[int]) -> None: ...


class EditedMessages:
    """A family without commands of its own."""

    def __init__(self, conversation: Answering, delivery: Delivery, buttons: Buttons) -> None:
        self._conversation = conversation
        self._delivery = delivery
        self._buttons = buttons

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return {}

    @property
    def presses(self) -> Mapping[str, Press]:
        return {ANEW: self._again}

    async def _again(self, ask: Ask) -> str | None:
        query = ask.update.callback_query
        if query is not None:
            # Now: Telegram shows the button as busy until then, and a model may take a minute.
            with suppress(TelegramError):
                await query.answer()
        chat = ask.chat
        stream = AnswerStream(self._delivery, chat)
        try:
            async with self._delivery.typing(chat):
                answered = await self._conversation.answer_again(
                    chat.scope, int(ask.argument), ask.person, in_group=not chat.is_private, on_text=stream.show
                )
        except asyncio.CancelledError:
            await stream.break_off()
            raise
        await self._delivery.replace(chat, ask.message_id, PAST if answered is None else TAKEN)
        if answered is not None:
            incoming, reply = answered
            sent = await stream.finish(reply.text)
            if not reply.is_error:
                await self._conversation.shown(incoming, sent)
            for notice in reply.notices:
                await self._delivery.say(chat, notice)
            for proposal in reply.proposals:
                await proposals.put(proposal, self._delivery, self._buttons, chat, ask.person)
        return None

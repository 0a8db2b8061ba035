"""Buttons whose press stands for a message: [Try again] for the one to which its own message replies, and the button
of a proposed command for that command.

Nothing is kept for them, so they work after a restart. Does not know what had failed, nor what is done with a message.
"""

from dataclasses import replace

import telegram
from attrs import define, field
from cachetools import LRUCache

from telegram_ui.commands.buttons import AGAIN, Buttons, NotTheirs, kind_of
from telegram_ui.commands.proposals import GIVE, PROPOSED, command_in
from telegram_ui.updates.durable_queue import Received
from telegram_ui.updates.parsing import ParsedUpdate, parse

PRESSES_KNOWN = 10_000
"""Messages under which the button was pressed, as far as the process remembers: a double tap is one wish."""


@define(eq=False)
class Repeats:
    """One for the whole bot."""

    _buttons: Buttons
    _pressed: LRUCache[tuple[int, int], int] = field(factory=lambda: LRUCache(PRESSES_KNOWN), init=False)

    def of(self, received: Received, press: ParsedUpdate) -> tuple[Received, ParsedUpdate] | None:
        """What a press asks for, as if it had just been sent; None where it is no such press, a second one, or one of a
        button that is not its presser's.
        """
        query = received.update.callback_query
        message = query.message if query else None
        if query is None or not isinstance(message, telegram.Message):
            return None
        try:
            payload = self._buttons.payload(query.data or "", press.chat, press.person)
        except NotTheirs:
            return None
        kind, asked, first = kind_of(query.data or ""), None, 0
        if kind == AGAIN and payload.isdecimal():
            asked, first = message.reply_to_message, int(payload)
        elif kind == PROPOSED and payload == GIVE:
            asked = _given(query, message)
        if asked is None or asked.from_user is None or asked.from_user.id != press.person.id:
            return None
        if self._pressed.setdefault((message.chat.id, message.message_id), press.update_id) != press.update_id:
            return None
        update = telegram.Update(press.update_id, message=asked)
        update.set_bot(received.update.get_bot())
        parsed = parse(update, update.get_bot().bot)
        if parsed is None or parsed.place != press.place:
            return None
        parsed = replace(parsed, addressed=True, first=first)
        # As after a restart: it may be stored by now, in the conversation that was open then.
        return replace(received, sent=update, is_replayed=True), parsed


def _given(query: telegram.CallbackQuery, question: telegram.Message) -> telegram.Message | None:
    """The command that a question proposes, as if who pressed its button had written it there."""
    command = command_in(question.text or "")
    if command is None:
        return None
    given = telegram.Message(
        message_id=question.message_id,
        date=question.date,
        chat=question.chat,
        from_user=query.from_user,
        text=command,
        message_thread_id=question.message_thread_id,
        is_topic_message=question.is_topic_message,
        direct_messages_topic=question.direct_messages_topic,
    )
    given.set_bot(query.get_bot())
    return given

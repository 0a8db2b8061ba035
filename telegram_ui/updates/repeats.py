"""[Try again] under what could not be done: a press of it stands for the message to which its own message replies.

Nothing is kept for it, so it works after a restart. Does not know what had failed, nor what is done with the message.
"""

from dataclasses import replace

import telegram
from attrs import define, field
from cachetools import LRUCache

from telegram_ui.commands.buttons import AGAIN, Buttons, NotTheirs, kind_of
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
        """What a press asks for again, as if it had just been sent; None where it is no such press, a second one, or
        one of a button that is not its presser's.
        """
        query = received.update.callback_query
        message = query.message if query else None
        if query is None or not isinstance(message, telegram.Message) or kind_of(query.data or "") != AGAIN:
            return None
        asked = message.reply_to_message
        try:
            first = self._buttons.payload(query.data or "", press.chat, press.person)
        except NotTheirs:
            return None
        if asked is None or asked.from_user is None or asked.from_user.id != press.person.id or not first.isdecimal():
            return None
        if self._pressed.setdefault((message.chat.id, message.message_id), press.update_id) != press.update_id:
            return None
        update = telegram.Update(press.update_id, message=asked)
        update.set_bot(received.update.get_bot())
        parsed = parse(update, update.get_bot().bot)
        if parsed is None or parsed.place != press.place:
            return None
        parsed = replace(parsed, addressed=True, first=int(first))
        # As after a restart: it may be stored by now, in the conversation that was open then.
        return replace(received, sent=update, is_replayed=True), parsed

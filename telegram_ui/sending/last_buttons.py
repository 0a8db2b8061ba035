"""Which message of a chat has the buttons of the last answer, so that only one has them.

Best effort, as previews are: where Telegram refuses, or after a restart, an earlier message keeps its buttons, and
they say by themselves that the conversation has gone on.
"""

import logging
from collections.abc import Sequence

from cachetools import LRUCache
from telegram.error import TelegramError

from records.scopes import Scope
from telegram_ui.sending.api_errors import kind
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery

log = logging.getLogger(__name__)

CHATS_KNOWN = 10_000
MOST_EARLIER = 20
"""Earlier answers of one chat whose buttons wait to be taken away: fewer are given before there is time for it."""


class LastButtons:
    """One for the whole bot."""

    def __init__(self) -> None:
        self._shown = LRUCache[Scope, int](CHATS_KNOWN)
        self._earlier = LRUCache[Scope, list[int]](CHATS_KNOWN)

    def note(self, chat: Chat, message_ids: Sequence[int]) -> bool:
        """These messages are the last answer. Whether an earlier one has buttons, which `clear` takes away."""
        before = self._shown.get(chat.place)
        if message_ids:
            self._shown[chat.place] = message_ids[-1]
        if before is not None and before not in message_ids:
            self._earlier[chat.place] = [*self._earlier.get(chat.place, []), before][-MOST_EARLIER:]
        return chat.place in self._earlier

    async def clear(self, delivery: Delivery, chat: Chat) -> None:
        """Take the buttons away from all answers but the last. Raises nothing of Telegram's."""
        for message_id in self._earlier.pop(chat.place, []):
            await _remove(delivery, chat, message_id)

    async def take_away(self, delivery: Delivery, chat: Chat, message_id: int | None) -> None:
        """Take the buttons away from this message. Raises nothing of Telegram's."""
        if self._shown.get(chat.place) == message_id:
            self._shown.pop(chat.place, None)
        elif message_id in (earlier := self._earlier.get(chat.place, [])):
            earlier.remove(message_id)
        if message_id is not None:
            await _remove(delivery, chat, message_id)


async def _remove(delivery: Delivery, chat: Chat, message_id: int) -> None:
    if delivery.current_id(chat) != chat.id or delivery.is_paused(chat):
        return
    try:
        await delivery.bot.edit_message_reply_markup(chat.id, message_id)
    except TelegramError as error:
        log.debug("buttons of an earlier answer stay: %s", kind(error))

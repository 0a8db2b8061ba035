"""Which message of a chat has the buttons of the last answer, so that only one has them.

Best effort, as previews are: where Telegram refuses, or after a restart, an earlier message keeps its buttons, and they
say by themselves that the conversation has gone on. Does not know what the buttons do.
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


class LastButtons:
    """One for the whole bot."""

    def __init__(self) -> None:
        self._shown = LRUCache[Scope, int](CHATS_KNOWN)

    async def note(self, delivery: Delivery, chat: Chat, message_ids: Sequence[int]) -> None:
        """These messages are the last answer; the buttons of the one before go. Raises nothing of Telegram's."""
        before = self._shown.get(chat.place)
        if message_ids:
            self._shown[chat.place] = message_ids[-1]
        if before is not None and before not in message_ids:
            await _remove(delivery, chat, before)

    async def take_away(self, delivery: Delivery, chat: Chat, message_id: int | None) -> None:
        """Take the buttons away from this message. Raises nothing of Telegram's."""
        if self._shown.get(chat.place) == message_id:
            self._shown.pop(chat.place, None)
        if message_id is not None:
            await _remove(delivery, chat, message_id)


async def _remove(delivery: Delivery, chat: Chat, message_id: int) -> None:
    if delivery.current_id(chat) != chat.id or delivery.is_paused(chat):
        return
    try:
        await delivery.bot.edit_message_reply_markup(chat.id, message_id, reply_markup=None)
    except TelegramError as error:
        log.debug("buttons of an earlier answer stay: %s", kind(error))

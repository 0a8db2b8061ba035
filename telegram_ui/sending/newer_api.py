"""Methods and fields of the Bot API that an older server does not know: tried once, and a refusal is remembered.

Whoever uses one has something plain to do instead.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from cachetools import TTLCache
from telegram.error import BadRequest, EndPointNotFound, InvalidToken

T = TypeVar("T")

REFUSED_FOR = 24 * 60 * 60
"""Seconds after which a refused feature is tried again: servers are updated."""
MAX_REFUSALS = 1_000
"""Refusals that are remembered, of all chats together."""


class NewerApi:
    """The refusals of one Bot API server. One for the whole bot; `now` gives seconds of any beginning."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._refused = TTLCache[tuple[str, int], bool](MAX_REFUSALS, REFUSED_FOR, now)

    def may_use(self, feature: str, chat_id: int = 0) -> bool:
        """Return True unless the server refused this feature within a day, in this chat or as a whole."""
        return (feature, 0) not in self._refused and (feature, chat_id) not in self._refused

    def note_refusal(self, feature: str, chat_id: int = 0) -> None:
        """Do without a feature for a day: in one chat, or everywhere (0)."""
        self._refused[feature, chat_id] = True

    async def attempt(self, feature: str, request: Callable[[], Awaitable[T]], *, chat_id: int = 0) -> T | None:
        """Make a request that uses a feature; None if the server refuses it, now or within the last day.

        `feature`: the method's name, or "method.field". An unknown method (404) is refused everywhere; a 400 only in
        `chat_id`, where one is given. Raises every other TelegramError (a pause, a network failure, a blocked bot).
        """
        if not self.may_use(feature, chat_id):
            return None
        try:
            return await request()
        except (EndPointNotFound, InvalidToken):  # python-telegram-bot's readings of 404
            self.note_refusal(feature)
        except BadRequest:
            self.note_refusal(feature, chat_id)
        return None

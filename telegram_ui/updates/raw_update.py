"""An update as Telegram sent it → python-telegram-bot's object, within limits."""

import logging
from collections.abc import Mapping
from typing import Any

import telegram
from telegram.error import TelegramError

logger = logging.getLogger(__name__)

MOST_PARTS = 5_000
"""Objects and lists of one update that is parsed: a message has at most 100 entities, and so has the one that it
replies to (Bot API, MessageEntity); python-telegram-bot takes 100 ms for some 10,000.
"""
MOST_DEPTH = 50
"""Of them within each other; a reply holds no further reply (Bot API, Message). 300 take a tenth of a second."""


def read_or_emptied(raw: dict[str, Any], bot: telegram.Bot) -> telegram.Update:
    """An update of getUpdates; one that python-telegram-bot cannot read is emptied to its id.

    It would otherwise be fetched for ever, hold up all later ones, and be logged with its text each time.
    """
    why = "too many parts"
    if _is_bounded(raw):
        try:
            return telegram.Update.de_json(raw, bot)
        except Exception as error:  # broad: the library raises whatever it stumbles over
            why = type(error).__name__
    number = raw.get("update_id")
    logger.error("Update %s is unreadable (%s); ignored.", number, why)
    if not isinstance(number, int):
        raise TelegramError("Invalid server response")
    return telegram.Update.de_json({"update_id": number}, bot)


def _is_bounded(raw: Mapping[str, Any]) -> bool:
    """Whether an update is made of at most MOST_PARTS objects and lists, MOST_DEPTH within each other."""
    parts, level = 0, list[Any]([raw])
    for _ in range(MOST_DEPTH):
        parts += len(level)
        if not level or parts > MOST_PARTS:
            break
        inner = (one for part in level for one in (part.values() if isinstance(part, dict) else part))
        level = [one for one in inner if isinstance(one, dict | list)]
    return not level and parts <= MOST_PARTS

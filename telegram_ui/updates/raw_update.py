"""Parse raw updates with python-telegram-bot, with limits on size and without the fields that it cannot parse."""

import logging
from contextlib import suppress
from typing import Any

import telegram
from telegram.error import TelegramError

logger = logging.getLogger(__name__)

# A message and the one that it replies to have at most 100 entities each (Bot API, MessageEntity).
MAX_PARTS = 5_000  # objects and lists in one update. python-telegram-bot parses 10,000 in 100 ms.
MAX_DEPTH = 50  # levels of them. 300 take a tenth of a second.
# python-telegram-bot does not parse formatted messages. Each of 32,768 characters may have styles of its own.
MAX_RICH_PARTS = 400_000  # objects and lists in formatted messages
MAX_RICH_DEPTH = 400  # levels of them. Each of Telegram's 16 levels of blocks takes four, and each style two.


def parse_raw_update(raw: dict[str, Any], bot: telegram.Bot) -> telegram.Update:
    """Parse an update, leaving out the unreadable fields of its message.

    If nothing can be read, return an update that has only its id, so that it does not block others. Raise
    TelegramError if it has no id.
    """
    reason, rich_messages = "too many parts", list[Any]()
    is_bounded = _fits_limits(raw, MAX_PARTS, MAX_DEPTH, rich_messages)
    if is_bounded and _fits_limits(rich_messages, MAX_RICH_PARTS, MAX_RICH_DEPTH):
        try:
            return telegram.Update.de_json(raw, bot)
        except Exception as error:  # broad: the library may raise anything
            reason = type(error).__name__
        with suppress(Exception):
            return telegram.Update.de_json(_remove_unreadable_fields(raw, bot), bot)
    number = raw.get("update_id")
    logger.error("Update %s is unreadable (%s); ignored.", number, reason)
    if not isinstance(number, int):
        raise TelegramError("Invalid server response")
    return telegram.Update.de_json({"update_id": number}, bot)


def _remove_unreadable_fields(raw: dict[str, Any], bot: telegram.Bot) -> dict[str, Any]:
    """Return a copy of an update without unparseable message fields. Mark it with a field `unreadable`."""
    result = dict(raw)
    for kind in ("message", "edited_message"):
        if isinstance(message := raw.get(kind), dict):
            required = {name: message[name] for name in ("message_id", "date", "chat", "from") if name in message}
            result[kind] = {**required, "unreadable": {}}
            for name, value in message.items():
                with suppress(Exception):
                    telegram.Message.de_json({**required, name: value}, bot)
                    result[kind][name] = value
    return result


def _fits_limits(value: object, max_parts: int, max_depth: int, rich_messages_out: list[Any] | None = None) -> bool:
    """Return True if a value is within both limits.

    If `rich_messages_out` is given, rich messages are appended to it and their parts are not counted.
    """
    parts, level = 0, list[Any]([value])
    for _ in range(max_depth):
        parts += len(level)
        if not level or parts > max_parts:
            break
        if rich_messages_out is not None:
            dicts = (part for part in level if isinstance(part, dict))
            rich_messages_out += [part["rich_message"] for part in dicts if "rich_message" in part]
        inner = (
            value
            for part in level
            for name, value in (part.items() if isinstance(part, dict) else enumerate(part))
            if rich_messages_out is None or name != "rich_message"
        )
        level = [value for value in inner if isinstance(value, dict | list)]
    return not level and parts <= max_parts

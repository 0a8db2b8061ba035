"""An update as Telegram sent it: what a look at it shows, and its parsing, which may wait.

For parsing takes longer than all else that is done with an update before the next poll. Does not know what becomes of
an update.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

import telegram
from telegram.error import TelegramError

from telegram_ui.updates.parsing import LARGEST_ID, ParsedUpdate, plain

logger = logging.getLogger(__name__)

MOST_PARTS = 5_000
"""Objects and lists of one update that is parsed: a message has at most 100 entities, and so has the one that it
replies to (Bot API, MessageEntity); python-telegram-bot takes 100 ms for some 10,000.
"""
MOST_DEPTH = 50
"""Of them within each other; a reply holds no further reply (Bot API, Message). 300 take a tenth of a second."""
_ONLY_PARSING_TELLS = frozenset({"sender_chat", "migrate_to_chat_id", "migrate_from_chat_id"})


class Glimpse(NamedTuple):
    """What an update shows of itself at a look. A tuple, for a poll makes a hundred of them.

    `is_told`: a stranger who sends it is answered; elsewhere, and for an edit, nothing is ever said to them.
    `is_urgent`: a command or a press. `is_plain`: a text that a person sends in private, so that it concerns the bot;
    `chat`: where, in this case.
    """

    update_id: int
    person: int
    is_told: bool
    is_urgent: bool
    is_plain: bool = False
    chat: int = 0


def glimpse(raw: Mapping[str, Any]) -> Glimpse | None:
    """An update of getUpdates at a look; None where only parsing tells: fields of another type than they should have,
    service messages that everybody may cause, senders that are a chat.
    """
    number = raw.get("update_id")
    said = raw.get("message") or raw.get("edited_message") or raw.get("callback_query")
    sender = said.get("from") if isinstance(said, dict) else None
    person = sender.get("id") if isinstance(sender, dict) else None
    if not isinstance(number, int) or not isinstance(said, dict) or not isinstance(person, int):
        return None
    if "callback_query" in raw:
        return Glimpse(update_id=number, person=person, is_told=True, is_urgent=True)
    if not _ONLY_PARSING_TELLS.isdisjoint(said):
        return None
    if "edited_message" in raw:
        return Glimpse(update_id=number, person=person, is_told=False, is_urgent=False)
    chat, text = said.get("chat"), said.get("text")
    kind = chat.get("type") if isinstance(chat, dict) else None
    if not isinstance(chat, dict) or not isinstance(kind, str):
        return None
    where = chat.get("id")
    ids = (number, person, where, said.get("message_id"))
    return Glimpse(
        update_id=number,
        person=person,
        is_told=kind == "private",
        is_urgent=isinstance(text, str) and text.startswith("/"),
        is_plain=kind == "private"
        and isinstance(text, str)
        and bool(text)
        and isinstance(sender, dict)
        and sender.get("is_bot") is False
        and all(isinstance(one, int) and abs(one) < LARGEST_ID for one in ids),
        chat=where if isinstance(where, int) else 0,
    )


class Unread:
    """A text of somebody in private, of which the library's objects are made when they are needed. Shows no text."""

    def __init__(self, raw: dict[str, Any], seen: Glimpse, bot: telegram.Bot) -> None:
        self.update_id = seen.update_id
        self.person = seen.person
        self.chat = seen.chat
        self.is_urgent = seen.is_urgent
        self._raw = raw
        self._bot = bot
        self._read: telegram.Update | None = None

    def plain(self) -> ParsedUpdate | None:
        """What it says, without those objects; None where only they tell."""
        return plain(self._raw, self._bot.id)

    def read(self) -> telegram.Update:
        """The update; emptied to its id where it cannot be parsed."""
        if self._read is None:
            self._read = read_or_emptied(self._raw, self._bot)
        return self._read

    def get_bot(self) -> telegram.Bot:
        return self._bot

    def to_json(self) -> str:
        return json.dumps(self._raw)


def read_or_emptied(raw: dict[str, Any], bot: telegram.Bot) -> telegram.Update:
    """An update of getUpdates; one that python-telegram-bot cannot read is emptied to its id.

    It would otherwise be fetched for ever, hold up all later ones, and be logged with its text each time.
    """
    try:
        return _read(raw, bot)
    except Exception as error:  # broad: the library raises whatever it stumbles over
        number = raw.get("update_id")
        logger.error("Update %s is unreadable (%s); ignored.", number, type(error).__name__)  # noqa: TRY400
        if not isinstance(number, int):
            raise TelegramError("Invalid server response") from None
        return telegram.Update.de_json({"update_id": number}, bot)


def _read(raw: dict[str, Any], bot: telegram.Bot) -> telegram.Update:
    if not _is_bounded(raw):
        raise ValueError("too many parts")
    return telegram.Update.de_json(raw, bot)


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

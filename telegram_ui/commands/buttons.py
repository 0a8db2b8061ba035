"""Callback data that works for its person in its scope alone, also after a restart; and whose answer has buttons.

Owns its form, kind:person:payload:signature, within Telegram's 64 bytes.
"""

import base64
import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Sequence

from cachetools import LRUCache
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import TelegramError

from locales.catalog import tr
from records.scopes import Person, Scope
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.http import name_error
from text.characters import replace_surrogates

AGAIN = "ag"  # the kind of the button that does again what the message says to which its own message replies
SETTINGS, BACK = "set", "b"
"""The kind of the buttons under /settings; what the one carries that shows them in the place of one of their lists."""
ZONE, ALONE = "z", "z.a"  # payloads of the button that asks for a city; with ALONE the message above it stays as it is
IN_PROCESS = "h"  # ends what it carries where only the process has what is to be done again: no message says all of it
MAX_PAYLOAD_CHARS = 28
"""Characters of a payload: 64 bytes less kind (3), a person's id (14), signature (16) and the colons."""


class Buttons:
    """Makes and reads callback data. `key`: a secret of this bot."""

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.sha256(b"keepsake buttons" + key).digest()

    def make_data(self, kind: str, chat: Chat, person: Person, payload: str = "") -> str:
        """Return the data of a button that only `person` may press, and only here.

        `payload`: ASCII without a colon, at most 28 characters; with a nonce if it may be used only once. Raises
        ValueError.
        """
        if len(payload) > MAX_PAYLOAD_CHARS or not payload.isascii() or ":" in payload or not 0 < len(kind) <= 3:
            raise ValueError("a button's payload is short, ASCII and without a colon")
        return f"{kind}:{person.id}:{payload}:{self._sign(kind, chat, person, payload)}"

    def make_button(
        self, kind: str, chat: Chat, person: Person, label: str, payload: str = "", *, erases: bool = False
    ) -> InlineKeyboardButton:
        """Return a button that only `person` may press, and only here; see `make_data`. `erases`: it is red."""
        style = "danger" if erases else None
        return InlineKeyboardButton(label, callback_data=self.make_data(kind, chat, person, payload), style=style)

    def make_retry_keyboard(
        self, chat: Chat, person: Person, update_id: int, *, is_held: bool = False
    ) -> InlineKeyboardMarkup:
        """[Try again], under a reply to what could not be done. `update_id`: the update that asked for it first."""
        payload = f"{update_id}{IN_PROCESS if is_held else ''}"
        return InlineKeyboardMarkup.from_button(self.make_button(AGAIN, chat, person, tr("answers-try-again"), payload))

    def read_payload(self, data: str, chat: Chat, person: Person) -> str:
        """Return the payload of a pressed button. Raise ForeignButton if it is forged or somebody else's."""
        kind, _, rest = replace_surrogates(data).partition(":")
        presser, _, rest = rest.partition(":")
        payload, _, signature = rest.rpartition(":")
        expected = self._sign(kind, chat, person, payload)
        if not hmac.compare_digest(f"{presser}:{signature}".encode(), f"{person.id}:{expected}".encode()):
            raise ForeignButton(tr("shared-dead-button") if presser == str(person.id) else tr("shared-not-yours"))
        return payload

    def _sign(self, kind: str, chat: Chat, person: Person, payload: str) -> str:
        signed = f"{kind}:{person.id}:{chat.location.owner}:{chat.location.thread}:{payload}"
        digest = hmac.digest(self._key, signed.encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:12]).decode()


class ForeignButton(Exception):  # noqa: N818 - what it says, not that something broke
    """The button is not the presser's, or not from this chat; the message is for the toast."""


def parse_kind(data: str) -> str:
    """Return the kind that a button was made with."""
    return data.partition(":")[0]


def is_for_anonymous(data: str) -> bool:
    """True if a button was made for an anonymous admin of a group. Any admin there may press it."""
    return data.split(":")[1:2] == [str(ANONYMOUS_ADMIN)]


def make_page_buttons(
    page: int, pages: int, button: Callable[[str, int], InlineKeyboardButton]
) -> list[InlineKeyboardButton]:
    """Return the row "◀ 2/5 ▶" that turns pages, of which the first is 0; empty where there is one alone. `button`
    makes one of a label and a page.
    """
    there = {"◀": page - 1, f"{page + 1}/{pages}": page, "▶": page + 1} if pages > 1 else {}
    return [button(label, at) for label, at in there.items() if 0 <= at < pages]


def split_rows(buttons: Sequence[InlineKeyboardButton], width: int) -> list[Sequence[InlineKeyboardButton]]:
    return [buttons[start : start + width] for start in range(0, len(buttons), width)]


def make_keyboard(*rows: Sequence[InlineKeyboardButton]) -> InlineKeyboardMarkup | None:
    """Return the rows that have a button; None where none has."""
    return InlineKeyboardMarkup([row for row in rows if row]) if any(rows) else None


def make_nonce() -> str:
    """Eight random characters that tell one question from the next."""
    return secrets.token_urlsafe(6)


log = logging.getLogger(__name__)

MAX_CHATS = 10_000
MAX_EARLIER_ANSWERS = 20
"""Earlier answers of one chat whose buttons wait to be taken away: fewer are given before there is time for it."""


class LastButtons:
    """Leaves buttons under the last answer of a chat alone. Best effort: where Telegram refuses, or after a restart, an
    earlier message keeps its buttons, and they say by themselves that the conversation has gone on.
    """

    def __init__(self) -> None:
        self._shown = LRUCache[Scope, int](MAX_CHATS)
        self._earlier = LRUCache[Scope, list[int]](MAX_CHATS)

    def record_answer(self, chat: Chat, message_ids: Sequence[int]) -> bool:
        """Record the messages of the last answer. Return True if an earlier answer still has buttons to clear."""
        before = self._shown.get(chat.location)
        if message_ids:
            self._shown[chat.location] = message_ids[-1]
        if before is not None and before not in message_ids:
            self._earlier[chat.location] = [*self._earlier.get(chat.location, []), before][-MAX_EARLIER_ANSWERS:]
        return chat.location in self._earlier

    async def clear_earlier(self, delivery: Delivery, chat: Chat) -> None:
        """Take the buttons away from all answers but the last. Raises nothing of Telegram's."""
        for message_id in self._earlier.pop(chat.location, []):
            await _remove_keyboard(delivery, chat, message_id)

    async def remove_buttons(self, delivery: Delivery, chat: Chat, message_id: int | None) -> None:
        """Take the buttons away from this message. Raises nothing of Telegram's."""
        if self._shown.get(chat.location) == message_id:
            self._shown.pop(chat.location, None)
        elif message_id in (earlier := self._earlier.get(chat.location, [])):
            earlier.remove(message_id)
        if message_id is not None:
            await _remove_keyboard(delivery, chat, message_id)


async def _remove_keyboard(delivery: Delivery, chat: Chat, message_id: int) -> None:
    if delivery.current_id(chat) != chat.id or delivery.is_paused(chat):
        return
    try:
        await delivery.bot.edit_message_reply_markup(chat.id, message_id)
    except TelegramError as error:
        log.debug("buttons of an earlier answer stay: %s", name_error(error))

"""Inline buttons: signed callback data, rows and pages of buttons, and the buttons of the last answer.

Callback data (kind:person:payload:signature, 64 bytes) is valid for one person in one scope, even after a restart.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from cachetools import LRUCache
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import TelegramError

from locales.catalog import tr
from records.scopes import Person, Scope
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.delivery import Delivery
from text.characters import repair_surrogates

Item = TypeVar("Item")

AGAIN = "ag"  # the kind of the [Try again] button, which repeats the message that the bot replied to
SETTINGS, BACK = "set", "b"  # the kind of the buttons under /settings, and the payload that leads back to them
ASK = "ask"  # the payload of the buttons under /settings that open another list
ZONE, ALONE = "z", "z.a"  # payloads that ask for a time zone; ALONE does so in a new message
IN_PROCESS = "h"  # ends the payload of [Try again] if only this process knows the whole request
MAX_PAYLOAD_CHARS = 28  # 64 bytes less kind (3), a person's id (14), signature (16) and the colons


class Buttons:
    """Makes and verifies signed callback data. `key` is the bot's secret."""

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.sha256(b"keepsake buttons" + key).digest()

    def make_signed_callback_data(self, kind: str, chat: Chat, person: Person, payload: str = "") -> str:
        """Return signed callback data for a button. Raise ValueError if the kind or the payload is invalid."""
        if len(payload) > MAX_PAYLOAD_CHARS or not payload.isascii() or ":" in payload or not 0 < len(kind) <= 3:
            raise ValueError("a button's payload is short, ASCII and without a colon")
        return f"{kind}:{person.id}:{payload}:{self._make_signature(kind, chat, person, payload)}"

    def make_button(
        self, kind: str, chat: Chat, person: Person, label: str, payload: str = "", *, erases: bool = False
    ) -> InlineKeyboardButton:
        """Return a button that only this person may press. If `erases` is True, it is shown in red."""
        style = "danger" if erases else None
        return InlineKeyboardButton(
            label, callback_data=self.make_signed_callback_data(kind, chat, person, payload), style=style
        )

    def verify_and_extract_payload(self, callback_data: str, chat: Chat, person: Person) -> str:
        """Return the payload of a pressed button. Raise ForeignButton if it is forged or belongs to someone else."""
        kind, _, rest = repair_surrogates(callback_data).partition(":")
        presser, _, rest = rest.partition(":")
        payload, _, signature = rest.rpartition(":")
        expected = self._make_signature(kind, chat, person, payload)
        if not hmac.compare_digest(f"{presser}:{signature}".encode(), f"{person.id}:{expected}".encode()):
            raise ForeignButton(tr("shared-dead-button") if presser == str(person.id) else tr("shared-not-yours"))
        return payload

    def _make_signature(self, kind: str, chat: Chat, person: Person, payload: str) -> str:
        signed = f"{kind}:{person.id}:{chat.chat_scope.owner}:{chat.chat_scope.thread}:{payload}"
        digest = hmac.digest(self._key, signed.encode(), "sha256")
        return base64.urlsafe_b64encode(digest[:12]).decode()


class ForeignButton(Exception):  # noqa: N818 - not a failure
    """Raised if a button belongs to another person or chat. The exception's text is shown to the user as a toast."""


def parse_button_kind(callback_data: str) -> str:
    return callback_data.partition(":")[0]


def select_page_and_count(items: Sequence[Item], page: int, per_page: int) -> tuple[Sequence[Item], int, int]:
    """Return the items on a page, the page number (clamped to the last page), and the number of pages."""
    pages = max(1, -(-len(items) // per_page))
    page = min(page, pages - 1)
    return items[page * per_page : (page + 1) * per_page], page, pages


def make_page_buttons(
    page: int, pages: int, make_button: Callable[[str, int], InlineKeyboardButton]
) -> list[InlineKeyboardButton]:
    """Return a row of buttons such as "◀ 2/5 ▶", or [] if there is only one page. Page numbers start at 0."""
    targets = {"◀": page - 1, f"{page + 1}/{pages}": page, "▶": page + 1} if pages > 1 else {}
    return [make_button(label, target) for label, target in targets.items() if 0 <= target < pages]


def split_into_rows(buttons: Sequence[InlineKeyboardButton], per_row: int) -> list[Sequence[InlineKeyboardButton]]:
    return [buttons[start : start + per_row] for start in range(0, len(buttons), per_row)]


def make_keyboard(*rows: Sequence[InlineKeyboardButton]) -> InlineKeyboardMarkup | None:
    """Return a keyboard of the rows that are not empty, or None if all rows are empty."""
    return InlineKeyboardMarkup([row for row in rows if row]) if any(rows) else None


def make_nonce() -> str:
    """Return a random URL-safe string of eight characters."""
    return secrets.token_urlsafe(6)


MAX_CHATS = 10_000


class LastButtons:
    """Remembers the message with answer buttons in each chat, so that the buttons of earlier answers can be removed."""

    def __init__(self) -> None:
        self._shown = LRUCache[Scope, int](MAX_CHATS)

    def record_answer_and_get_old_id(self, chat: Chat, message_ids: Sequence[int]) -> MessageId | None:
        """Record the messages of the last answer. Return the id of an earlier answer's message with buttons, if any."""
        before = self._shown.get(chat.chat_scope)
        if message_ids:
            self._shown[chat.chat_scope] = message_ids[-1]
        return None if before in message_ids else before

    async def remove_buttons_later(self, delivery: Delivery, chat: Chat, message_id: int) -> None:
        """Wait until the request would not delay an answer, then remove the buttons of a message. Ignore errors."""
        await delivery.pace.wait_before_preview()
        await self.remove_buttons(delivery, chat, message_id)

    async def remove_buttons(self, delivery: Delivery, chat: Chat, message_id: int | None) -> None:
        """Remove the buttons of a message. Do nothing if `message_id` is None. Ignore Telegram errors."""
        if self._shown.get(chat.chat_scope) == message_id:
            self._shown.pop(chat.chat_scope, None)
        if message_id is None or delivery.get_current_chat_id(chat) != chat.id or delivery.is_paused(chat):
            return
        with suppress(TelegramError):
            await delivery.bot.edit_message_reply_markup(chat.id, message_id)

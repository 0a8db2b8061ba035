"""Try Bot API features that an older server may lack, and remember which ones were refused."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from cachetools import TTLCache
from telegram import Bot, ForceReply, InlineKeyboardMarkup, LinkPreviewOptions
from telegram.error import BadRequest, EndPointNotFound, InvalidToken

from telegram_ui.sending.chat import SoleViewer
from telegram_ui.sending.formatting import Piece
from telegram_ui.sending.http import contains_any_phrase

T = TypeVar("T")
Keyboard = InlineKeyboardMarkup | ForceReply

CAN_STOP = {"can_stop": True, "keep_on_stop": True}  # a draft's stop button (Bot API 10.3)
REFUSED_SECONDS = 24 * 60 * 60  # time until a refused feature is tried again, because the server may have been updated


class NewerApi:
    """Remembers the features that the Bot API server refused. `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._refused = TTLCache[tuple[str, int], bool](1_000, REFUSED_SECONDS, now)

    def can_use(self, feature: str, chat_id: int = 0) -> bool:
        """Return True unless the server refused a feature within the last day, in this chat or everywhere."""
        return (feature, 0) not in self._refused and (feature, chat_id) not in self._refused

    def record_refusal(self, feature: str, chat_id: int = 0) -> None:
        """Remember for a day that a feature was refused in a chat, or everywhere if `chat_id` is 0."""
        self._refused[feature, chat_id] = True

    async def request_with_fallback(
        self,
        feature: str,
        newer_request: Callable[[], Awaitable[T]],
        older_request: Callable[[], Awaitable[T]],
        *,
        chat_id: int,
    ) -> T:
        """Make the newer request. If the server refuses it, make the older one, and use only that for a day."""
        if not self.can_use(feature, chat_id):
            return await older_request()
        try:
            return await newer_request()
        except BadRequest as refused:
            result = await older_request()
            if not contains_any_phrase(refused, "too old", "query_id_invalid"):  # an old button press says nothing
                self.record_refusal(feature, chat_id)
            return result

    async def try_feature(self, feature: str, request: Callable[[], Awaitable[T]], *, chat_id: int = 0) -> T | None:
        """Make a request that uses a feature. Return None if the server refuses it, or refused it within the last day.

        Status 404 is a refusal in all chats, 400 in `chat_id`, or in all if it is 0. Raise any other TelegramError.
        """
        if not self.can_use(feature, chat_id):
            return None
        try:
            return await request()
        except (EndPointNotFound, InvalidToken):  # 404
            self.record_refusal(feature)
        except BadRequest:
            self.record_refusal(feature, chat_id)
        return None


def make_ephemeral_fields(sole_viewer: SoleViewer) -> dict[str, Any]:
    """Return the request fields of a message that only one person can see (Bot API 10.3)."""
    query = {"callback_query_id": sole_viewer.query} if sole_viewer.query else {}
    fields: dict[str, Any] = {"ephemeral_message_parameters": {"receiver_user_id": sole_viewer.receiver, **query}}
    if sole_viewer.message_id and not query:
        fields["reply_parameters"] = {"ephemeral_message_id": sole_viewer.message_id}
    return fields


async def edit_ephemeral_message(
    bot: Bot, chat_id: int, sole_viewer: SoleViewer, piece: Piece, keyboard: InlineKeyboardMarkup | None
) -> None:
    """Try once to change the ephemeral message whose button was pressed. Raise TelegramError on failure."""
    fields = {
        "chat_id": chat_id,
        "receiver_user_id": sole_viewer.receiver,
        "ephemeral_message_id": sole_viewer.message_id,
        "text": piece.text,
        "entities": piece.entities or None,
        "link_preview_options": LinkPreviewOptions(is_disabled=True),
        "reply_markup": keyboard,
    }
    await bot.do_api_request("editEphemeralMessageText", fields)

"""The calls that a turn makes, without the objects that python-telegram-bot builds of each answer.

A sent message comes back whole, and of it only its id is asked for: parsing it took as long as sending it. Errors are
the library's own, and so are the parameters' forms. Does not know when anything is sent.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from telegram import Bot, ForceReply, InlineKeyboardMarkup, MessageEntity
from telegram.constants import ChatAction
from telegram.error import TelegramError

Keyboard = InlineKeyboardMarkup | ForceReply

_NO_PREVIEW = {"is_disabled": True}


async def send_message(
    bot: Bot,
    chat_id: int,
    text: str,
    *,
    entities: Sequence[MessageEntity] = (),
    topic: int | None = None,
    direct_messages_topic: int | None = None,
    keyboard: Keyboard | None = None,
    reply_to: int | None = None,
) -> int:
    """Send a text without a preview of its links; the id of its message. `reply_to` may be gone. Raises TelegramError.

    TelegramError itself where the answer says nothing of a message: it may be there.
    """
    sent = await _call(
        bot,
        "sendMessage",
        chat_id=chat_id,
        text=text,
        entities=entities or None,
        message_thread_id=topic,
        direct_messages_topic_id=direct_messages_topic,
        reply_markup=keyboard,
        reply_parameters={"message_id": reply_to, "allow_sending_without_reply": True} if reply_to else None,
        link_preview_options=_NO_PREVIEW,
    )
    number = sent.get("message_id") if isinstance(sent, Mapping) else None
    if not isinstance(number, int):
        raise TelegramError("Invalid server response")
    return number


async def edit_message(
    bot: Bot,
    chat_id: int,
    message_id: int,
    text: str,
    *,
    entities: Sequence[MessageEntity] = (),
    keyboard: InlineKeyboardMarkup | None = None,
) -> None:
    """Change a message's text and buttons. Raises TelegramError."""
    await _call(
        bot,
        "editMessageText",
        chat_id=chat_id,
        message_id=message_id,
        text=text,
        entities=entities or None,
        reply_markup=keyboard,
        link_preview_options=_NO_PREVIEW,
    )


async def remove_keyboard(bot: Bot, chat_id: int, message_id: int) -> None:
    """Take a message's buttons away. Raises TelegramError."""
    await _call(bot, "editMessageReplyMarkup", chat_id=chat_id, message_id=message_id)


async def send_draft(
    bot: Bot, chat_id: int, draft_id: int, text: str, topic: int | None, *, entities: Sequence[MessageEntity] = ()
) -> None:
    """Show a text that still grows. Raises TelegramError."""
    await _call(
        bot,
        "sendMessageDraft",
        chat_id=chat_id,
        draft_id=draft_id,
        text=text,
        message_thread_id=topic,
        entities=entities or None,
    )


async def send_typing(bot: Bot, chat_id: int, topic: int | None) -> None:
    """Show that the bot is writing. Raises TelegramError."""
    await _call(bot, "sendChatAction", chat_id=chat_id, action=ChatAction.TYPING, message_thread_id=topic)


async def _call(bot: Bot, method: str, **parameters: Any) -> Any:
    """A method of the Bot API by its name; what is None is left out. Its result as JSON gives it."""
    return await bot._post(method, parameters)

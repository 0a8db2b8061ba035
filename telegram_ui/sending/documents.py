"""Fetch and send files, within the limits of the Bot API."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import IO

import telegram
from telegram.error import BadRequest

from locales.catalog import tr
from records.errors import KeepsakeError
from telegram_ui.sending.chat import Chat, MessageId
from telegram_ui.sending.delivery import Delivery, DeliveryError
from telegram_ui.sending.http import contains_any_phrase

MAX_FETCHED_BYTES = 20 * 1024 * 1024  # bytes that a bot may fetch (Bot API, getFile)


class FileTooLarge(KeepsakeError):  # noqa: N818 - reads as the state it is
    """The file is too large for a bot to download."""

    may_pass = False

    def __init__(self) -> None:
        super().__init__(f"{tr('files-too-large', megabytes=MAX_FETCHED_BYTES // 2**20)} {tr('files-smaller')}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A file that can be downloaded from a chat."""

    file_id: str
    message_id: int  # of the message with the file
    size: int  # bytes
    name: str = ""


def find_document(message: object) -> Document | None:
    if not isinstance(message, telegram.Message):
        return None
    for carrier in (message, message.reply_to_message):
        if carrier is not None and carrier.document is not None:
            return Document(
                file_id=carrier.document.file_id,
                message_id=carrier.message_id,
                size=carrier.document.file_size or 0,
                name=carrier.document.file_name or "",
            )
    return None


async def download_file(delivery: Delivery, chat: Chat, file_id: str, size: int) -> bytes:
    """Return the content of a file. Raise FileTooLarge if it is too large, or DeliveryError if Telegram refuses."""
    _raise_if_too_large(size)

    async def fetch_file_from_telegram() -> bytes:
        file = await delivery.bot.get_file(file_id)
        # A message may understate the size, and a local server gives out files of any size.
        _raise_if_too_large(file.file_size or 0)
        return bytes(await file.download_as_bytearray())

    try:
        data = await delivery.request_with_retries(chat, fetch_file_from_telegram, is_repeatable=True)
    except BadRequest as refused:
        if contains_any_phrase(refused, "too big"):
            raise FileTooLarge from refused
        raise DeliveryError(tr("files-gone")) from refused
    _raise_if_too_large(len(data))
    return data


async def send_voice(delivery: Delivery, chat: Chat, recording: bytes) -> MessageId:
    """Send a voice recording (Ogg Opus), and return its message id. Raise DeliveryError on failure."""
    return await _upload_file(delivery, chat, delivery.bot.send_voice, recording, "answer.ogg")


async def send_file(delivery: Delivery, chat: Chat, file: IO[bytes], name: str, caption: str) -> MessageId:
    """Send a file, and return its message id. Raise DeliveryError on failure."""
    send = partial(delivery.bot.send_document, caption=caption, disable_content_type_detection=True)
    return await _upload_file(delivery, replace(chat, reply_to=None), send, file.read(), name)


async def _upload_file(
    delivery: Delivery, chat: Chat, send: Callable[..., Awaitable[telegram.Message]], content: bytes, name: str
) -> MessageId:
    async def upload_file_and_get_message_id() -> MessageId:
        destination, file = delivery.make_destination_fields(chat), telegram.InputFile(content, filename=name)
        message = await send(destination.pop("chat_id"), file, **destination, write_timeout=120.0, read_timeout=120.0)
        return message.message_id

    try:
        # Not repeatable, because the file may have arrived.
        return await delivery.request_with_retries(chat, upload_file_and_get_message_id, is_repeatable=False)
    except BadRequest as refused:
        raise DeliveryError(tr("errors-telegram-refused")) from refused


def _raise_if_too_large(size: int) -> None:
    if size > MAX_FETCHED_BYTES:
        raise FileTooLarge

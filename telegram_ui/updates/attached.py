"""Find the attachments of a message, their kinds, and the files that can be read."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import telegram
from telegram.ext.filters import StatusUpdate

from attachments.documents import sanitize_file_name
from locales.catalog import ENGLISH, translate
from telegram_ui.commands.wording import SENT_KINDS
from text.rich_messages import RichText

logger = logging.getLogger(__name__)

FileKind = Literal["document", "picture", "speech"]

FILE = "document"
MAX_FILES = 10  # files read in one formatted message, as many as an album holds
PICTURE_TYPES = frozenset({"image/jpeg", "image/png", "image/webp", "image/gif"})  # what models with vision take


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedFile:
    """A file attached to a message, of a kind that the bot can read."""

    kind: FileKind
    file_id: str
    name: str
    mime: str
    size: int  # bytes, 0 if unknown
    label: str  # its description in the memory, such as "the file report.pdf" or "a sticker 🙂"
    width: int = 0  # of a picture in pixels, or 0 if unknown
    height: int = 0
    sizes: tuple["AttachedFile", ...] = ()  # the sizes in which Telegram offers a picture, smallest first
    is_recorded: bool = False  # True for speech recorded in Telegram


def find_kind_files_and_unread_kinds(
    message: telegram.Message, content: RichText
) -> tuple[str, tuple[AttachedFile, ...], tuple[str, ...]]:
    if content.media:
        files, unread = _find_files_and_unread_kinds(content.media)
        return next(iter(unread), "new"), files, unread
    attachment, file = find_attachment_kind(message), _find_readable_file(message)
    if file is not None:
        return attachment, (file,), ()
    is_only_words = attachment == "new" and bool(content.text) and not message.caption
    return ("", (), ()) if is_only_words or not attachment else (attachment, (), (attachment,))


def find_attachment_kind(message: telegram.Message) -> str:
    """Return the kind of a message's attachment: one of SENT_KINDS, "new" for an unknown kind, or "" for none."""
    for field in SENT_KINDS:
        if getattr(message, field, None):
            return field
    if message.effective_attachment:  # a game, an invoice, paid media
        return "new"
    # Kinds newer than the library are objects in api_kwargs. In groups, they may be service messages: ignored.
    is_new = message.chat.type == "private" and any(isinstance(value, Mapping) for value in message.api_kwargs.values())
    if "rich_message" in message.api_kwargs or message.giveaway or message.giveaway_winners:
        return "new"
    return "new" if is_new and not StatusUpdate.ALL.filter(telegram.Update(0, message=message)) else ""


def _find_files_and_unread_kinds(media: Sequence[tuple[str, Any]]) -> tuple[tuple[AttachedFile, ...], tuple[str, ...]]:
    """Return the files in a rich message that can be read, and the kinds of its other media, such as "photo"."""
    files, unread = list[AttachedFile](), list[str]()
    for kind, raw in media:
        file = None
        if len(files) < MAX_FILES:
            envelope = {"message_id": 0, "date": 0, "chat": {"id": 0, "type": "private"}, kind: raw}
            try:
                file = _find_readable_file(telegram.Message.de_json(envelope, None))
            except Exception as error:  # broad: the library may raise anything
                logger.info("A file in a formatted message is unreadable: %s", type(error).__name__)
        if file is not None:
            files.append(file)
        else:
            unread.append(kind)
    return tuple(files), tuple(dict.fromkeys(unread))


def format_attachment_kind(kind: str) -> str:
    """Return the English name of an attachment kind. Memory stores this name, whatever the chat's language."""
    return translate(ENGLISH, f"files-kind-{kind}")


def _find_readable_file(message: telegram.Message) -> AttachedFile | None:
    if message.photo:
        return _make_picture_file("a photo", message.photo, "image/jpeg")
    if message.sticker is not None:
        sticker = message.sticker
        moves = sticker.is_animated or sticker.is_video
        still: telegram.PhotoSize | telegram.Sticker | None = sticker.thumbnail if moves else sticker
        label = f"a sticker {sanitize_file_name(sticker.emoji)}" if sticker.emoji else "a sticker"
        return _make_picture_file(label, [still], "image/webp") if still is not None else None
    if (document := message.document) is not None and not message.animation:
        name, mime = sanitize_file_name(document.file_name or "file"), (document.mime_type or "").lower()
        kind: FileKind = "speech" if mime.startswith("audio/") else "document"
        return _make_file("picture" if mime in PICTURE_TYPES else kind, document, name, mime, f"the file {name}")
    speech = message.voice or message.audio or message.video_note
    if speech is None:
        return None
    label = format_attachment_kind("voice" if message.voice else "audio" if message.audio else "video_note")
    given_name = speech.file_name if isinstance(speech, telegram.Audio) else None
    usual = "video.mp4" if message.video_note else "voice.ogg"
    given_type = None if isinstance(speech, telegram.VideoNote) else speech.mime_type
    file = _make_file("speech", speech, given_name or usual, given_type or "", label)
    return file if message.audio else replace(file, is_recorded=True)


def _make_picture_file(label: str, photos: Sequence[telegram.PhotoSize | telegram.Sticker], mime: str) -> AttachedFile:
    ascending = sorted(photos, key=lambda photo: photo.width * photo.height)
    picture = partial(AttachedFile, kind="picture", name="", mime=mime, label=label)
    sizes = tuple(
        picture(file_id=photo.file_id, width=photo.width, height=photo.height, size=photo.file_size or 0)
        for photo in ascending
    )
    return replace(sizes[-1], sizes=sizes)


def _make_file(
    kind: FileKind,
    file: telegram.Document | telegram.Voice | telegram.Audio | telegram.VideoNote,
    name: str,
    mime: str,
    label: str,
) -> AttachedFile:
    return AttachedFile(
        kind=kind, file_id=file.file_id, name=sanitize_file_name(name), mime=mime, size=file.file_size or 0, label=label
    )

"""Fetch and read the files of a turn before it is answered. Their content becomes part of the turn."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from attrs import define
from telegram import MessageEntity
from telegram.error import TelegramError

from chat.attachments import Attachments
from locales.catalog import tr
from locales.sentences import format_error
from records.attachments import Picture, count_picture_tokens
from records.errors import DocumentUnreadable, KeepsakeError
from records.turns import IncomingPiece, UserMessage
from telegram_ui.commands.command_group import ChatEvent
from telegram_ui.sending.delivery import ChatGone, Delivery, DeliveryUnknown
from telegram_ui.sending.documents import MAX_FETCHED_BYTES, FileTooLarge, download_file, find_document
from telegram_ui.sending.formatting import format_whole_text
from telegram_ui.updates.attached import AttachedFile
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import ParsedUpdate

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 2  # process crashes that one update's file may cause
MAX_FETCHES_AT_ONCE = 4  # files in memory at the same time, at most one for each person, each of at most 20 MB
MAX_PICTURE_BYTES = 5 * 2**20  # Anthropic's limit. Telegram's version of a photo has some 200 kB.
# Names of the exports that /import reads.
EXPORT = re.compile(r"(result|conversations|myactivity)\b.*\.json|.*\.zip|keepsake.*\.json(\.gz)?", re.IGNORECASE)


@dataclass
class TurnWithFiles:
    """A turn with the content of its files, and notices to its sender."""

    incoming: UserMessage
    notices: list[str] = field(default_factory=list)
    refusal: str = ""  # the reply instead of an answer if there are no words and no file could be read
    may_pass: bool = False  # True if another attempt may succeed


class AttachedFiles:
    """Reads the files that people attach to messages."""

    def __init__(self, delivery: Delivery, attachments: Attachments) -> None:
        self._delivery = delivery
        self._attachments = attachments
        self._fetching = asyncio.Semaphore(MAX_FETCHES_AT_ONCE)
        self._locks_by_person: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def add_file_contents_to_turn(self, turn: TurnWithFiles, pieces: Sequence[ParsedUpdate]) -> None:
        """Add the content of these messages' files to their turn. Raise ChatGone if the chat is gone."""
        made: list[IncomingPiece] = []
        has_content = False
        picture_count = sum(file.kind == "picture" for parsed in pieces for file in _list_files(parsed))
        for parsed, piece in zip(pieces, turn.incoming.pieces, strict=True):
            has_content = has_content or not parsed.is_wordless
            for name in (f"files-kind-{kind}" for kind in parsed.unread):
                turn.notices.append(f"{tr('files-cannot-read', what=tr(name))} {tr('files-words-only')}")
            file_pieces = list[IncomingPiece]()
            for file in _list_files(parsed):
                try:
                    async with self._locks_by_person.setdefault(parsed.person.id, asyncio.Lock()), self._fetching:
                        before, number = list[IncomingPiece](), len(file_pieces) + 1
                        if file.kind == "picture":
                            picture = await self._read_picture(parsed, file, piece, picture_count=picture_count)
                            turn.incoming = replace(turn.incoming, pictures=(*turn.incoming.pictures, picture))
                        elif file.kind == "speech":
                            *before, piece = await self._transcribe_file_as_pieces(
                                parsed, file, piece, file_number=number
                            )
                        else:
                            *before, piece = await self._read_document_as_pieces(
                                turn, parsed, file, piece, file_number=number
                            )
                    file_pieces += before
                    has_content = True
                except KeepsakeError as error:
                    if isinstance(error, ChatGone):
                        raise
                    turn.notices.append(format_error(error))
                    turn.may_pass = turn.may_pass or error.may_pass
            made += [*file_pieces, piece]
        turn.incoming = replace(turn.incoming, pieces=tuple(made))
        turn.notices = list(dict.fromkeys(turn.notices))
        if not has_content:
            turn.refusal = "\n".join(turn.notices)

    async def _read_picture(
        self, parsed: ParsedUpdate, file: AttachedFile, piece: IncomingPiece, *, picture_count: int
    ) -> Picture:
        """Fetch a picture in the largest size that leaves room for the other pictures of the turn."""
        tokens = await self._attachments.find_picture_token_limit(parsed.chat.id)
        size = choose_picture_size(file, tokens // picture_count)
        data = None
        if size.size <= MAX_PICTURE_BYTES:
            data = await self._fetch_file_from_telegram(parsed, size.file_id, size.size)
        if data is None or len(data) > MAX_PICTURE_BYTES:
            raise DocumentUnreadable(tr("files-too-large", megabytes=MAX_PICTURE_BYTES // 2**20))
        kept = bool(parsed.files) and not file.label.startswith("a sticker")
        kind = (f"Picture {file.name}" if file.name else "Photo") if kept else ""
        return Picture(
            data=data,
            mime=file.mime,
            width=size.width,
            height=size.height,
            kind=kind,
            source=f"{piece.source}:{file.file_id}",
        )

    async def _transcribe_file_as_pieces(
        self, parsed: ParsedUpdate, file: AttachedFile, piece: IncomingPiece, *, file_number: int
    ) -> list[IncomingPiece]:
        """Transcribe a file and show the text to the sender. Return the message's pieces with the transcript."""
        self._attachments.require_transcriber()
        data = await self._fetch_file_from_telegram(parsed, file.file_id, file.size)
        words = await self._attachments.transcribe_recording(data, file.name, file.mime, person_id=parsed.person.id)
        with suppress(DeliveryUnknown):
            shown = format_whole_text(words, MessageEntity.EXPANDABLE_BLOCKQUOTE)
            await self._delivery.send_text(replace(parsed.chat, reply_to=parsed.telegram_id), shown)
        heard = replace(piece, text=words, source=f"{piece.source}:{file_number}", telegram_id=None, seam="\n")
        # Words recorded in Telegram are the sender's own. In an audio file anybody may speak.
        if not file.is_recorded:
            return [replace(heard, text=f"[{file.name}]\n{words}", origin="document"), piece]
        if parsed.is_wordless and len(parsed.files) == 1:
            return [replace(piece, text=words)]
        return [heard, piece]

    async def _read_document_as_pieces(
        self, turn: TurnWithFiles, parsed: ParsedUpdate, file: AttachedFile, piece: IncomingPiece, *, file_number: int
    ) -> list[IncomingPiece]:
        if EXPORT.fullmatch(file.name):
            raise DocumentUnreadable(tr("files-is-export"))
        data = await self._fetch_file_from_telegram(parsed, file.file_id, file.size)
        found = await self._attachments.read_document(data, file.name)
        if not found.is_whole:
            turn.notices.append(tr("files-shortened", name=found.name, place=found.passages[-1].place))
        passages = [
            IncomingPiece(
                text=f"[{found.name}, {passage.place}]\n{passage.text}",
                source=f"{piece.source}:{passage_number}",
                sent_at=piece.sent_at,
                seam="\n",
                origin="document",
            )
            for passage_number, passage in enumerate(found.passages, file_number)
        ]
        return [*passages, piece]

    async def _fetch_file_from_telegram(self, parsed: ParsedUpdate, file_id: str, size: int) -> bytes:
        try:
            return await download_file(self._delivery, parsed.chat, file_id, size)
        except FileTooLarge:
            raise DocumentUnreadable(tr("files-too-large", megabytes=MAX_FETCHED_BYTES // 2**20)) from None


def choose_picture_size(file: AttachedFile, max_tokens: int) -> AttachedFile:
    """Return the largest size of a picture within a token limit, or the smallest size if none fits."""
    sizes = file.sizes or (file,)
    fit = [size for size in sizes if count_picture_tokens(size.width, size.height) <= max_tokens]
    return fit[-1] if fit else sizes[0]


def _list_files(parsed: ParsedUpdate) -> Sequence[AttachedFile]:
    return parsed.files or ((parsed.replied_picture,) if parsed.replied_picture else ())


@define(eq=False)
class FileAttempts:
    """Counts the attempts to read each file over all runs, because a file may kill the process."""

    _queue: DurableQueue
    _delivery: Delivery

    async def run_with_attempt_limit(self, event: ChatEvent, work: Callable[[], Awaitable[object]]) -> None:
        """Run work on a file. If the file has killed the process MAX_ATTEMPTS times, tell the sender instead."""
        number, query, chat = event.update.update_id, event.update.callback_query, event.chat
        if (attempt := await self._queue.increment_and_get_attempts(number, "readings")) <= MAX_ATTEMPTS:
            try:
                await work()
            except asyncio.CancelledError:  # the bot stops in order, and the next run tries again
                await self._queue.decrement_attempts(number, "readings")
                raise
            return
        logger.error("The process died %s times over the file of update %s; set aside.", attempt - 1, number)
        if query is None:
            document = find_document(event.update.effective_message)
            reply_to = document.message_id if document else None
            await self._delivery.send_text(replace(chat, reply_to=reply_to), tr("notices-set-aside"))
        else:
            await self._delivery.edit_message_or_send_new(chat, event.message_id, tr("notices-set-aside"))
            with suppress(TelegramError):  # the press may be too old, but the person sees the message
                await query.answer()

"""The files of a turn are fetched and read before it is answered: what was in them becomes pieces of the turn.

Owns what is read within which limits, and what a person is told of the rest. Does not know formats, models or stores.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from chat.attachments import Attachments
from records.errors import DocumentUnreadable, KeepsakeError
from records.turns import Incoming, Piece
from telegram_ui.sending.delivery import ChatGone, Delivery
from telegram_ui.sending.documents import MOST_FETCHED, Document, Documents, FileTooLarge
from telegram_ui.updates.attached import AttachedFile
from telegram_ui.updates.parsing import ParsedUpdate, incoming

FETCHED_AT_ONCE = 4
"""Files that are held in memory at the same time, of at most 20 MB each."""
TOO_LARGE = f"Telegram lets bots fetch files of at most {MOST_FETCHED // 2**20} MB, and this one is larger."
EXPORT = re.compile(r"(result|conversations)\b.*\.json|keepsake.*\.json(\.gz)?", re.IGNORECASE)
"""Names of the exports that /import reads."""
IS_EXPORT = "This looks like an export of a chat. Send /import first, then the file."
UNREAD = "I read your words only: I can't read {what} yet."
SHORTENED = "{name} is longer than what I keep of one file. I have read it up to {place}."


@dataclass
class Read:
    """A turn with what was in its files. `notices`: what its person should be told; `refusal`: nothing of it could be
    read and there are no words, so this is said instead of an answer.
    """

    incoming: Incoming
    notices: list[str] = field(default_factory=list)
    refusal: str = ""


class AttachedFiles:
    """One for the whole bot."""

    def __init__(self, delivery: Delivery, attachments: Attachments) -> None:
        self._files = Documents(delivery)
        self._attachments = attachments
        self._fetching = asyncio.Semaphore(FETCHED_AT_ONCE)

    async def read(self, pieces: Sequence[ParsedUpdate]) -> Read:
        """The turn that these messages make. Raises ChatGone; of other failures the person is told."""
        turn = Read(incoming(pieces))
        if not any(parsed.attachment for parsed in pieces):
            return turn
        made: list[Piece] = []
        has_content = False
        for parsed, piece in zip(pieces, turn.incoming.pieces, strict=True):
            has_content = has_content or not parsed.is_wordless
            if parsed.file is None:
                if parsed.attachment:
                    turn.notices.append(UNREAD.format(what=parsed.attachment))
                made.append(piece)
                continue
            try:
                async with self._fetching:
                    made += await self._with_file(turn, parsed, parsed.file, piece)
                has_content = True
            except KeepsakeError as error:
                if isinstance(error, ChatGone):
                    raise
                turn.notices.append(TOO_LARGE if isinstance(error, FileTooLarge) else error.sentence)
                made.append(piece)
        turn.incoming = replace(turn.incoming, pieces=tuple(made))
        turn.notices = list(dict.fromkeys(turn.notices))
        if not has_content:
            turn.refusal = "\n".join(turn.notices)
        return turn

    async def _with_file(self, turn: Read, parsed: ParsedUpdate, file: AttachedFile, piece: Piece) -> list[Piece]:
        """The pieces that a message with a file makes. Raises a KeepsakeError with a sentence for its sender."""
        if file.kind == "document":
            return await self._document(turn, parsed, file, piece)
        raise DocumentUnreadable(f"I can't read {parsed.attachment} yet: please write it in words.")

    async def _document(self, turn: Read, parsed: ParsedUpdate, file: AttachedFile, piece: Piece) -> list[Piece]:
        """The passages of a document before the words that came with it."""
        if EXPORT.fullmatch(file.name):
            raise DocumentUnreadable(IS_EXPORT)
        data = await self._fetched(parsed, file.file_id, file.size)
        found = await self._attachments.document(data, file.name, person=parsed.person.id)
        if not found.is_whole:
            turn.notices.append(SHORTENED.format(name=found.name, place=found.passages[-1].place))
        passages = [
            Piece(
                text=f"[{found.name}, {one.place}]\n{one.text}",
                source=f"{piece.source}:{number}",
                sent_at=piece.sent_at,
                seam="\n",
                origin="document",
            )
            for number, one in enumerate(found.passages, 1)
        ]
        return [*passages, piece]

    async def _fetched(self, parsed: ParsedUpdate, file_id: str, size: int) -> bytes:
        """Raises FileTooLarge and DeliveryError."""
        document = Document(file_id=file_id, message_id=parsed.telegram_id or 0, size=size)
        return await self._files.fetch(parsed.chat, document)

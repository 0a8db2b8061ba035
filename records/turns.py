"""An incoming turn and the reply to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from records.attachments import Picture
from records.context import Context
from records.messages import OTHERS, SENT_ALONG, Origin
from records.owners import Mode
from records.reminders import NewReminder
from records.scopes import Person, Scope

Notices = tuple[str, ...]  # sentences for the owner


@dataclass(frozen=True, kw_only=True, slots=True)
class UserMessage:
    """A message to the bot, in one or more pieces, independent of Telegram."""

    scope: Scope
    person: Person
    pieces: tuple["IncomingPiece", ...]  # in order; passages of documents come before the text
    in_group: bool = False
    mode: Mode | None = None  # of memory when it was sent, or None if unknown; if "off", it is never stored
    replied: "ReplyTarget | None" = None
    pictures: tuple[Picture, ...] = ()
    is_wordless: bool = False  # True if nobody wrote any text

    @property
    def text(self) -> str:
        return _join_pieces(self.pieces)

    @property
    def text_without_attachments(self) -> str:
        """The text that the person wrote or forwarded, without attachments."""
        return _join_pieces([piece for piece in self.pieces if piece.origin not in SENT_ALONG])

    @property
    def own_text(self) -> str:
        """The text that the person wrote, without forwarded texts and attachments."""
        return _join_pieces([piece for piece in self.pieces if piece.origin not in OTHERS])

    @property
    def forwarded_texts(self) -> tuple[str, ...]:
        return tuple(piece.text for piece in self.pieces if piece.origin in OTHERS and piece.origin not in SENT_ALONG)

    @property
    def attached_passages(self) -> tuple[str, ...]:
        return tuple(piece.text for piece in self.pieces if piece.origin in SENT_ALONG)

    @property
    def source(self) -> str:
        """The source of the last piece. It identifies the turn."""
        return self.pieces[-1].source


def _join_pieces(pieces: "Sequence[IncomingPiece]") -> str:
    return "".join(piece.text + piece.seam for piece in pieces[:-1]) + "".join(piece.text for piece in pieces[-1:])


@dataclass(frozen=True, kw_only=True, slots=True)
class IncomingPiece:
    """One Telegram message of a turn, or a passage of an attachment."""

    text: str
    source: str
    sent_at: datetime
    telegram_id: int | None = None
    seam: str = ""  # the separator before the next piece of the same paste
    origin: Origin = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyTarget:
    """The message that somebody replied to, or the part that was quoted."""

    text: str
    speaker: str = ""  # "" for the bot
    telegram_id: int | None = None  # None for a message of another chat


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """An action proposed by the model. A person accepts or declines it with a button."""

    kind: Literal["remember", "remind", "command"]
    text: str
    reminder: NewReminder | None = None  # the reminder to set
    source: int | None = None  # the stored message that asks for it; for a command, the first one of its turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The bot's answer to a turn, or the explanation of a failure, with notices for the reader."""

    text: str
    context: Context | None = None  # from which the answer was made
    notices: Notices = ()
    error_type: str = ""  # set after a failure, which the text explains
    half: str = ""  # the part of the answer that arrived before a failure
    is_repeated: bool = False  # True if the answer was already stored, as after a restart
    is_durable: bool = True  # False while memory still has to write the turn to disk
    is_remembered: bool = False  # True if memory holds the turn; otherwise, its text must not stay in any file
    is_incognito: bool = False  # True if memory was read but not written
    proposals: tuple[Proposal, ...] = ()
    turn: int | None = None  # the number by which the answer can be regenerated
    is_truncated: bool = False  # True if it can be continued, after the model's limit or because its reader stopped it
    is_stopped: bool = False
    version: int = 1  # counted from 1
    versions: int = 1
    offers_memory: bool = False  # True if memory is off and would have been useful

    @property
    def is_error(self) -> bool:
        """True if the text explains a failure."""
        return bool(self.error_type)

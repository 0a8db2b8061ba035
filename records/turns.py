"""An incoming turn and the reply to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from records.attachments import Picture
from records.context import Context
from records.messages import OTHERS, SENT_ALONG, Origin
from records.owners import Mode
from records.reminders import ReminderWish
from records.scopes import Person, Scope


@dataclass(frozen=True, kw_only=True, slots=True)
class Incoming:
    """A message as it came in, independent of Telegram.

    `pieces` are the parts of the message in order. A long paste has several. Passages of documents are pieces too, and
    come before the text. `mode` is the state of memory when it was sent, or None if unknown. A message sent while
    memory was off is never stored. `is_wordless` is True if nobody wrote any text.
    """

    scope: Scope
    person: Person
    pieces: tuple["IncomingPiece", ...]
    in_group: bool = False
    mode: Mode | None = None
    replied: "Replied | None" = None
    pictures: tuple[Picture, ...] = ()
    is_wordless: bool = False

    @property
    def text(self) -> str:
        return _join_pieces(self.pieces)

    @property
    def words(self) -> str:
        """The text of the person and of forwarded messages, without attachments."""
        return _join_pieces([piece for piece in self.pieces if piece.origin not in SENT_ALONG])

    @property
    def own_words(self) -> str:
        """The text that the person wrote themselves."""
        return _join_pieces([piece for piece in self.pieces if piece.origin not in OTHERS])

    @property
    def forwarded(self) -> tuple[str, ...]:
        return tuple(piece.text for piece in self.pieces if piece.origin in OTHERS and piece.origin not in SENT_ALONG)

    @property
    def passages(self) -> tuple[str, ...]:
        return tuple(piece.text for piece in self.pieces if piece.origin in SENT_ALONG)

    @property
    def source(self) -> str:
        """The source of the last piece. It identifies the turn."""
        return self.pieces[-1].source


def _join_pieces(pieces: "Sequence[IncomingPiece]") -> str:
    return "".join(piece.text + piece.seam for piece in pieces[:-1]) + "".join(piece.text for piece in pieces[-1:])


@dataclass(frozen=True, kw_only=True, slots=True)
class IncomingPiece:
    """One Telegram message of a turn. `seam` is the separator before the next piece of the same paste."""

    text: str
    source: str
    sent_at: datetime
    telegram_id: int | None = None
    seam: str = ""
    origin: Origin = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replied:
    """The message, or the quoted part of it, to which somebody replies.

    `speaker` is "" for the bot. `telegram_id` is None for a message of another chat.
    """

    text: str
    speaker: str = ""
    telegram_id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """An action that the model proposes and a person accepts or declines by a button.

    `fact` is the fact to forget, and `wish` the reminder to set. `source` is the stored message that asks for a
    reminder, or the first one of the turn that asks for a command.
    """

    kind: Literal["remember", "forget", "remind", "command"]
    text: str
    fact: int = 0
    wish: ReminderWish | None = None
    source: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An answer, the context from which it was made, and notices for its reader.

    After a failure, `error_type` is set, `text` explains it, and `half` is the part of the answer that had arrived.
    `is_repeated` marks an answer that was already stored, as after a restart. `is_durable` is False while memory still
    has to write the turn to disk. `is_remembered` is True if memory holds the turn. Otherwise, its text must not stay
    in any file. `is_incognito` is True if memory was read but not written. `turn` is the number by which the answer can
    be regenerated, or None. `is_truncated` is True if the answer can be continued, because of the model's limit or
    because its reader stopped it. `version` numbers the `versions` of an answer from 1. `offers_memory` is True if
    memory is off and would have been useful.
    """

    text: str
    context: Context | None = None
    notices: tuple[str, ...] = ()
    error_type: str = ""
    half: str = ""
    is_repeated: bool = False
    is_durable: bool = True
    is_remembered: bool = False
    is_incognito: bool = False
    proposals: tuple[Proposal, ...] = ()
    turn: int | None = None
    is_truncated: bool = False
    is_stopped: bool = False
    version: int = 1
    versions: int = 1
    offers_memory: bool = False

    @property
    def is_error(self) -> bool:
        return bool(self.error_type)

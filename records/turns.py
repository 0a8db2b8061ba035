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
    """A message as it came in: what the conversation needs to know of an update, and nothing of Telegram's shape.

    `pieces`: the texts of one split paste in order, usually one; each has its own source and telegram id. `mode`: the
    state of memory when they were said, None where nobody knows; what was said while it was off is not stored later.
    `replied`: the message that they reply to. The passages of documents are pieces as well, before the words that they
    came with; `pictures` go into the request as they are. `is_wordless`: nobody wrote a word to any of these.
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
        """The text of all pieces."""
        return _join_pieces(self.pieces)

    @property
    def words(self) -> str:
        """The person's own and forwarded texts, without the content of files."""
        return _join_pieces([piece for piece in self.pieces if piece.origin not in SENT_ALONG])

    @property
    def own_words(self) -> str:
        """The text that the person wrote themselves."""
        return _join_pieces([piece for piece in self.pieces if piece.origin not in OTHERS])

    @property
    def forwarded(self) -> tuple[str, ...]:
        """The forwarded texts."""
        return tuple(piece.text for piece in self.pieces if piece.origin in OTHERS and piece.origin not in SENT_ALONG)

    @property
    def passages(self) -> tuple[str, ...]:
        """The passages of attached documents."""
        return tuple(piece.text for piece in self.pieces if piece.origin in SENT_ALONG)

    @property
    def source(self) -> str:
        """The source of the last piece, which identifies the turn."""
        return self.pieces[-1].source


def _join_pieces(pieces: "Sequence[IncomingPiece]") -> str:
    return "".join(piece.text + piece.seam for piece in pieces[:-1]) + "".join(piece.text for piece in pieces[-1:])


@dataclass(frozen=True, kw_only=True, slots=True)
class IncomingPiece:
    """One Telegram message of an incoming turn. `seam` is the separator before the next piece of the same paste."""

    text: str
    source: str
    sent_at: datetime
    telegram_id: int | None = None
    seam: str = ""
    origin: Origin = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Replied:
    """An earlier message to which somebody replies, as they see it, or the part of it that they marked.

    `speaker`: who said it; "" for the assistant. `telegram_id`: None where it stands in another chat.
    """

    text: str
    speaker: str = ""
    telegram_id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """Something that a person decides by a button: a change to the facts, a command or a reminder that the model
    proposes. `fact`: the one to be forgotten; `wish`: the reminder; `source`: the stored message that asks for a
    reminder, or begins the turn that asks for a command.
    """

    kind: Literal["remember", "forget", "remind", "command"]
    text: str
    fact: int = 0
    wish: ReminderWish | None = None
    source: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An answer, the context that it was made from, and what else its reader should be told.

    `error_type`: of what failed, if the text is a sentence saying so, not a model's answer; `half`: the part of one
    that had arrived. `repeated`: it was stored already and is given again, as after a restart. `is_durable`: what
    memory should hold of the turn is on disk (True where memory is off); False while a store fails: it is kept in the
    process and written when the store works again. `is_remembered`: memory holds the turn; where it does not, its text
    must not stay in any file. `is_incognito`: memory was read for it, and nothing was written. `proposals`: what the
    model asks the reader to decide. `turn`: the number of the turn, by which it can be answered again (None: not at
    all). `is_truncated`: it can go on: the model stopped at its own limit, or was stopped by its reader (`is_stopped`).
    `version` of `versions`: answers to the same question, from 1. `offers_memory`: memory is off, and something was
    said that it could keep.
    """

    text: str
    context: Context | None = None
    notices: tuple[str, ...] = ()
    error_type: str = ""
    half: str = ""
    repeated: bool = False
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

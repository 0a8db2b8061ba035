"""Gather the messages of one turn: the pieces of a split text, an album, or a forwarded batch.

Telegram's clients split a text above 4,096 UTF-16 units, at a space or line end if possible.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from telegram_ui.sending.pace import Timer

LIMIT = 4096  # UTF-16 units of one Telegram message
MIN_SPLIT_UNITS = 4000  # a message that follows a text of this length at once belongs to it
MIN_CUT_UNITS = LIMIT // 2  # clients cut in the last half, so a shorter piece is the last one
MAX_PIECES = 25  # pieces of one paste, some 100,000 characters. The next piece begins another turn.
PAUSE_SECONDS = 1.5  # seconds without a further piece after which a paste is complete


class SentMessage(Protocol):
    """A message that may be a piece of a longer one."""

    @property
    def sender(self) -> Hashable: ...  # identifies the chat as well
    @property
    def units(self) -> int: ...  # length of the text in UTF-16 units
    @property
    def sent_at(self) -> datetime: ...
    @property
    def album(self) -> str: ...  # "" for none
    @property
    def origin(self) -> str: ...


CallLater = Callable[[float, Callable[[], None]], Timer]


def may_be_continued(piece: SentMessage) -> bool:
    """Return True if more pieces may follow: after a long text, a part of an album, or a forwarded message."""
    return piece.units >= MIN_CUT_UNITS or bool(piece.album) or piece.origin == "forwarded"


def continues_message(piece: SentMessage, last: SentMessage) -> bool:
    """Return True if `piece`, the sender's next message, continues `last`.

    It does if both are in one album or were forwarded together, if `last` is near Telegram's limit, or if the two are
    too long for one message.
    """
    # Telegram's dates have whole seconds.
    if piece.sender != last.sender or abs(piece.sent_at - last.sent_at) > timedelta(seconds=3):
        return False
    if piece.album or last.album:
        return piece.album == last.album
    if piece.origin == last.origin == "forwarded":
        return True
    is_long = last.units >= MIN_CUT_UNITS
    return last.units >= MIN_SPLIT_UNITS or (is_long and last.units + piece.units > LIMIT)


Piece = TypeVar("Piece", bound=SentMessage)


@dataclass(slots=True)
class _OpenPaste(Generic[Piece]):
    pieces: list[Piece]
    complete: Callable[[], None]
    timer: Timer | None = None


class Pastes(Generic[Piece]):
    """The pastes that wait for further pieces, at most one per sender. `later` is the event loop's `call_later`."""

    def __init__(self, later: CallLater, *, quiet: float = PAUSE_SECONDS) -> None:
        self._later = later
        self._quiet = quiet
        self._open_pastes: dict[Hashable, _OpenPaste[Piece]] = {}

    def begin(self, pieces: list[Piece], complete: Callable[[], None]) -> None:
        """Wait for more pieces, and append them to `pieces`. Call `complete` once at the end."""
        sender = pieces[0].sender
        self.end(sender)
        self._open_pastes[sender] = paste = _OpenPaste(pieces, complete)
        self._restart_timer(sender, paste)

    def extend(self, piece: Piece) -> bool:
        """Add a piece to its sender's paste. If it does not continue the paste, complete the paste and return False."""
        paste = self._open_pastes.get(piece.sender)
        if paste is None:
            return False
        if len(paste.pieces) >= MAX_PIECES or not continues_message(piece, paste.pieces[-1]):
            self.end(piece.sender)
            return False
        paste.pieces.append(piece)
        self._restart_timer(piece.sender, paste)
        return True

    def end(self, sender: Hashable) -> None:
        """Complete the sender's open paste, if any."""
        if paste := self._open_pastes.pop(sender, None):
            if paste.timer:
                paste.timer.cancel()
            paste.complete()

    def close(self) -> None:
        """Stop waiting without completing the open pastes."""
        for paste in self._open_pastes.values():
            if paste.timer:
                paste.timer.cancel()
        self._open_pastes.clear()

    def _restart_timer(self, sender: Hashable, paste: _OpenPaste[Piece]) -> None:
        if paste.timer:
            paste.timer.cancel()
            paste.timer = None
        if may_be_continued(paste.pieces[-1]):
            paste.timer = self._later(self._quiet, lambda: self.end(sender))
        else:
            self.end(sender)

"""Gather the messages of one turn: the pieces of a split text, an album, or a forwarded batch."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from records.scopes import Scope
from telegram_ui.sending.formatting import MAX_UNITS
from telegram_ui.sending.pace import Timer
from telegram_ui.updates.parsing import ParsedUpdate

MIN_SPLIT_UNITS = 4000  # a message that follows a text of this length at once belongs to it
MIN_CUT_UNITS = MAX_UNITS // 2  # clients cut a text in the last half of the limit, so a shorter piece is the last one
MAX_PIECES = 25  # pieces of one turn, some 100,000 characters. The next piece begins another turn.
PAUSE_SECONDS = 1.5  # seconds without a further piece after which a turn is complete


def can_be_continued(piece: ParsedUpdate) -> bool:
    """Return True if more pieces may follow `piece`, because it is long, forwarded or part of an album."""
    return piece.units >= MIN_CUT_UNITS or bool(piece.album) or piece.origin == "forwarded"


def belongs_to_same_turn(piece: ParsedUpdate, previous_piece: ParsedUpdate) -> bool:
    """Return True if `piece` belongs to the same turn as `previous_piece`, the message before it."""
    # Telegram's dates have whole seconds.
    if piece.sender_key != previous_piece.sender_key or abs(piece.sent_at - previous_piece.sent_at) > timedelta(
        seconds=3
    ):
        return False
    if piece.album or previous_piece.album:
        return piece.album == previous_piece.album
    if piece.origin == previous_piece.origin == "forwarded":
        return True
    is_long = previous_piece.units >= MIN_CUT_UNITS
    return previous_piece.units >= MIN_SPLIT_UNITS or (is_long and previous_piece.units + piece.units > MAX_UNITS)


@dataclass(slots=True)
class _Collection:
    pieces: list[ParsedUpdate]
    on_complete: Callable[[], None]
    timer: Timer | None = None


class PieceCollector:
    """Gathers the pieces of split texts, albums and forwarded batches, with at most one open collection per sender."""

    def __init__(self, call_later: Callable[[float, Callable[[], None]], Timer]) -> None:
        self._call_later = call_later
        self._collections: dict[tuple[Scope, int], _Collection] = {}

    def collect_further_pieces(self, pieces: list[ParsedUpdate], on_complete: Callable[[], None]) -> None:
        """Append further pieces to `pieces` as they arrive, and call `on_complete` after the last one."""
        sender_key = pieces[0].sender_key
        self.complete_collection(sender_key)
        self._collections[sender_key] = collection = _Collection(pieces, on_complete)
        self._restart_timer(sender_key, collection)

    def try_to_add_piece(self, piece: ParsedUpdate) -> bool:
        """Add a piece to its sender's open collection. If it does not fit, complete the collection and return False."""
        collection = self._collections.get(piece.sender_key)
        if collection is None:
            return False
        if len(collection.pieces) >= MAX_PIECES or not belongs_to_same_turn(piece, collection.pieces[-1]):
            self.complete_collection(piece.sender_key)
            return False
        collection.pieces.append(piece)
        self._restart_timer(piece.sender_key, collection)
        return True

    def complete_collection(self, sender_key: tuple[Scope, int]) -> None:
        if collection := self._collections.pop(sender_key, None):
            if collection.timer:
                collection.timer.cancel()
            collection.on_complete()

    def close(self) -> None:
        """Cancel all timers, and drop the open collections without completing them."""
        for collection in self._collections.values():
            if collection.timer:
                collection.timer.cancel()
        self._collections.clear()

    def _restart_timer(self, sender_key: tuple[Scope, int], collection: _Collection) -> None:
        if collection.timer:
            collection.timer.cancel()
            collection.timer = None
        if can_be_continued(collection.pieces[-1]):
            collection.timer = self._call_later(PAUSE_SECONDS, lambda: self.complete_collection(sender_key))
        else:
            self.complete_collection(sender_key)

"""Which texts are pieces of one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.text import count_utf16_units, split_text
from records.messages import Origin
from records.scopes import Person
from telegram_ui.sending.chat import Chat
from telegram_ui.updates.parsing import ParsedUpdate
from telegram_ui.updates.pieces import MAX_PIECES, PieceCollector, belongs_to_same_turn, can_be_continued

START = datetime(2026, 11, 21, tzinfo=UTC)


def piece(
    units: int, *, sender: str = "ann", sent_at: datetime = START, album: str = "", origin: Origin = ""
) -> ParsedUpdate:
    return ParsedUpdate(
        kind="text",
        update_id=1,
        bot_id=4242,
        chat=Chat(id=1),
        person=Person(id=1 if sender == "ann" else 2, name=sender),
        addressed=True,
        sent_at=sent_at,
        units=units,
        album=album,
        origin=origin,
    )


@dataclass
class Timers:
    """call_later by hand."""

    waiting: dict[int, Callable[[], None]] = field(default_factory=dict)
    number: int = 0

    def __call__(self, delay: float, call: Callable[[], None]) -> "Timer":
        assert delay == 1.5
        self.number += 1
        self.waiting[self.number] = call
        return Timer(self, self.number)

    def fire(self) -> None:
        [(number, call)] = self.waiting.items()
        del self.waiting[number]
        call()


@dataclass
class Timer:
    timers: Timers
    number: int

    def cancel(self) -> None:
        self.timers.waiting.pop(self.number, None)


class Turn:
    def __init__(self, collector: PieceCollector, first: ParsedUpdate) -> None:
        self.pieces = [first]
        self.complete = 0
        collector.collect_further_pieces(self.pieces, self._completed)

    def _completed(self) -> None:
        self.complete += 1


@pytest.fixture
def timers() -> Timers:
    return Timers()


@pytest.fixture
def collector(timers: Timers) -> PieceCollector:
    return PieceCollector(timers)


def test_long_pieces_are_gathered_until_it_is_quiet(collector: PieceCollector, timers: Timers) -> None:
    turn = Turn(collector, piece(4096))
    assert collector.try_to_add_piece(piece(4096))
    assert turn.complete == 0
    timers.fire()
    assert (len(turn.pieces), turn.complete) == (2, 1)
    assert not collector.try_to_add_piece(piece(10))


def test_a_paste_has_so_many_pieces_and_the_next_begins_another(collector: PieceCollector, timers: Timers) -> None:
    turn = Turn(collector, piece(4096))
    assert [collector.try_to_add_piece(piece(4096)) for _ in range(MAX_PIECES)] == [True] * (MAX_PIECES - 1) + [False]
    assert (len(turn.pieces), turn.complete) == (MAX_PIECES, 1)
    assert not timers.waiting


def test_a_short_piece_is_the_last(collector: PieceCollector, timers: Timers) -> None:
    turn = Turn(collector, piece(4000))
    assert collector.try_to_add_piece(piece(10))
    assert turn.complete == 1
    assert not timers.waiting
    assert not collector.try_to_add_piece(piece(10))


@pytest.mark.parametrize(
    "other",
    [piece(4096, sender="bob"), piece(10, sent_at=START + timedelta(seconds=4))],
    ids=["somebody else", "much later"],
)
def test_what_does_not_belong_is_not_taken(collector: PieceCollector, other: ParsedUpdate) -> None:
    turn = Turn(collector, piece(4096))
    assert not collector.try_to_add_piece(other)
    assert turn.pieces == [piece(4096)]
    assert turn.complete == (other.person.name == "ann")


def test_two_texts_that_would_have_fitted_into_one_message_are_two() -> None:
    assert not belongs_to_same_turn(piece(1000), piece(3000))
    assert belongs_to_same_turn(piece(1500), piece(3000))
    assert belongs_to_same_turn(piece(1), piece(4000))
    assert not can_be_continued(piece(2047))


def test_closing_leaves_open_pastes_incomplete(collector: PieceCollector, timers: Timers) -> None:
    turn = Turn(collector, piece(4096))
    collector.close()
    assert turn.complete == 0
    assert not timers.waiting


@given(st.lists(st.sampled_from(["x" * 700, "word ", "line\n", "😀"]), max_size=60).map("".join))
def test_whatever_a_client_splits_is_gathered_again(text: str) -> None:
    timers = Timers()
    collector = PieceCollector(timers)
    parts = [piece(count_utf16_units(part)) for part in split_text(text)]
    if not can_be_continued(parts[0]):
        assert len(parts) == 1
        return
    turn = Turn(collector, parts[0])
    taken = [collector.try_to_add_piece(part) for part in parts[1:]]
    assert all(taken)
    assert turn.pieces == parts


def test_an_album_and_a_forwarded_batch_are_one_turn() -> None:
    album, other = piece(0, album="5"), piece(0, album="6")
    forwarded = piece(20, origin="forwarded")
    assert can_be_continued(album)
    assert belongs_to_same_turn(album, album)
    assert not belongs_to_same_turn(other, album)
    assert not belongs_to_same_turn(piece(20), album)
    assert can_be_continued(forwarded)
    assert belongs_to_same_turn(forwarded, forwarded)
    assert not belongs_to_same_turn(piece(20), forwarded)
    assert not belongs_to_same_turn(replace(forwarded, sent_at=START + timedelta(seconds=10)), forwarded)

"""Tests of collecting messages into one turn."""

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


def make_piece(
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
class ManualTimers:
    """A replacement for call_later whose timers are fired by the test."""

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
    timers: ManualTimers
    number: int

    def cancel(self) -> None:
        self.timers.waiting.pop(self.number, None)


class Turn:
    def __init__(self, collector: PieceCollector, first: ParsedUpdate) -> None:
        self.pieces = [first]
        self.completion_count = 0
        collector.collect_further_pieces(self.pieces, self._completed)

    def _completed(self) -> None:
        self.completion_count += 1


@pytest.fixture
def timers() -> ManualTimers:
    return ManualTimers()


@pytest.fixture
def collector(timers: ManualTimers) -> PieceCollector:
    return PieceCollector(timers)


def test_long_pieces_are_collected_until_pause(collector: PieceCollector, timers: ManualTimers) -> None:
    turn = Turn(collector, make_piece(4096))
    assert collector.try_to_add_piece(make_piece(4096))
    assert turn.completion_count == 0
    timers.fire()
    assert (len(turn.pieces), turn.completion_count) == (2, 1)
    assert not collector.try_to_add_piece(make_piece(10))


def test_paste_is_limited_to_max_pieces(collector: PieceCollector, timers: ManualTimers) -> None:
    turn = Turn(collector, make_piece(4096))
    assert [collector.try_to_add_piece(make_piece(4096)) for _ in range(MAX_PIECES)] == [True] * (MAX_PIECES - 1) + [
        False
    ]
    assert (len(turn.pieces), turn.completion_count) == (MAX_PIECES, 1)
    assert not timers.waiting


def test_short_piece_ends_paste(collector: PieceCollector, timers: ManualTimers) -> None:
    turn = Turn(collector, make_piece(4000))
    assert collector.try_to_add_piece(make_piece(10))
    assert turn.completion_count == 1
    assert not timers.waiting
    assert not collector.try_to_add_piece(make_piece(10))


@pytest.mark.parametrize(
    "other",
    [make_piece(4096, sender="bob"), make_piece(10, sent_at=START + timedelta(seconds=4))],
    ids=["somebody else", "much later"],
)
def test_unrelated_message_is_not_collected(collector: PieceCollector, other: ParsedUpdate) -> None:
    turn = Turn(collector, make_piece(4096))
    assert not collector.try_to_add_piece(other)
    assert turn.pieces == [make_piece(4096)]
    assert turn.completion_count == (other.person.name == "ann")


def test_texts_that_fit_into_one_message_are_not_joined() -> None:
    assert not belongs_to_same_turn(make_piece(1000), make_piece(3000))
    assert belongs_to_same_turn(make_piece(1500), make_piece(3000))
    assert belongs_to_same_turn(make_piece(1), make_piece(4000))
    assert not can_be_continued(make_piece(2047))


def test_close_leaves_open_paste_incomplete(collector: PieceCollector, timers: ManualTimers) -> None:
    turn = Turn(collector, make_piece(4096))
    collector.close()
    assert turn.completion_count == 0
    assert not timers.waiting


@given(st.lists(st.sampled_from(["x" * 700, "word ", "line\n", "😀"]), max_size=60).map("".join))
def test_collects_all_pieces_of_text_split_by_client(text: str) -> None:
    timers = ManualTimers()
    collector = PieceCollector(timers)
    parts = [make_piece(count_utf16_units(part)) for part in split_text(text)]
    if not can_be_continued(parts[0]):
        assert len(parts) == 1
        return
    turn = Turn(collector, parts[0])
    taken = [collector.try_to_add_piece(part) for part in parts[1:]]
    assert all(taken)
    assert turn.pieces == parts


def test_album_or_forwarded_batch_belongs_to_one_turn() -> None:
    album, other = make_piece(0, album="5"), make_piece(0, album="6")
    forwarded = make_piece(20, origin="forwarded")
    assert can_be_continued(album)
    assert belongs_to_same_turn(album, album)
    assert not belongs_to_same_turn(other, album)
    assert not belongs_to_same_turn(make_piece(20), album)
    assert can_be_continued(forwarded)
    assert belongs_to_same_turn(forwarded, forwarded)
    assert not belongs_to_same_turn(make_piece(20), forwarded)
    assert not belongs_to_same_turn(replace(forwarded, sent_at=START + timedelta(seconds=10)), forwarded)

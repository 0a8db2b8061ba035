"""Tests of packing: only complete passages that fit the token budget are packed."""

from datetime import UTC, datetime, timedelta

from records.messages import Message
from records.scopes import Scope
from retrieval.packing import Packer, RankedPassage
from text.passages import split_into_passages

NOW = datetime(2026, 6, 10, tzinfo=UTC)
LONG = "\n".join(f"{number}. Step {number} of the plan takes half a day, and needs two people." for number in range(40))


def make_passage(number: int, text: str, part: int = 0, *, days: int = 1) -> RankedPassage:
    message = Message(
        id=number,
        scope=Scope(owner=1),
        role="user",
        content=text,
        created_at=NOW - timedelta(days=days),
        speaker="Ann",
        turn=number,
    )
    return RankedPassage(message=message, part=part, score={})


def make_packer(room: int) -> Packer:
    return Packer(room=room, now=NOW, count=lambda text: len(text.split()))


def test_skips_passage_that_does_not_fit() -> None:
    packed = make_packer(30)
    packed.add_fitting_passages([make_passage(1, "one two " * 20), make_passage(2, "three four")])
    assert [snippet.text for snippet in packed.snippets] == ["three four"]


def test_counts_day_heading_once() -> None:
    first = make_packer(1000)
    first.add_fitting_passages([make_passage(1, "one"), make_passage(2, "two")])
    other = make_packer(1000)
    other.add_fitting_passages([make_passage(1, "one"), make_passage(2, "two", days=2)])
    assert first.room > other.room


def test_omits_duplicate_passage_text() -> None:
    packed = make_packer(1000)
    packed.add_fitting_passages([make_passage(1, "one"), make_passage(2, "one")])
    assert [snippet.message.id for snippet in packed.snippets] == [1]


def test_joins_passages_of_same_message_in_order() -> None:
    parts = split_into_passages(LONG)
    packed = make_packer(1000)
    packed.add_fitting_passages([make_passage(1, LONG, 2), make_passage(1, LONG, 0), make_passage(1, LONG, 2)])
    [one] = packed.snippets
    assert one.text == f"{parts[0].strip()} … {parts[2].strip()} …"
    assert 1000 - packed.room < len(LONG.split())


def test_reserved_tokens_remain_available() -> None:
    packed = make_packer(100)
    packed.add_fitting_passages(
        [make_passage(number, f"one two three {number}") for number in range(50)], reserved_tokens=50
    )
    assert 50 <= packed.room <= 60
    packed.add_fitting_passages([make_passage(99, "last")])
    assert packed.snippets[-1].message.id == 99

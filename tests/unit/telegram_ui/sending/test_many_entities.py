"""Any markup becomes a few messages or a file, without blocking the event loop."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import MessageEntity

from locales.catalog import tr
from playground.faults import Fault
from telegram_ui.sending.delivery import DeliveryUnknown
from telegram_ui.sending.formatting import (
    MAX_ENTITIES,
    MAX_MESSAGES,
    MAX_UNITS,
    convert_markdown_if_short,
    convert_markdown_to_text_and_entities,
    count_utf16_units,
    split_text,
    truncate_answer,
)
from telegram_ui.sending.markdown import MAX_NESTED
from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import ANN, PRIVATE, Peer
from tests.unit.telegram_ui.sending.test_formatting import MARKS, assert_pieces_are_valid

LETTERS = "abcdefghij" * 60
HOSTILE = {
    "quotes": "> " * 120 + LETTERS,
    "quotes without a space": ">" * 20_000 + LETTERS,
    "lists": "- " * 2_000 + LETTERS,
    "numbered lists": "1. " * 3_000 + LETTERS,
    "quotes and lists": "> - " * 2_000 + LETTERS,
    "emphasis": "*a _b " * 2_000 + LETTERS + "_ *" * 2_000,
    "bold words": "**a** " * 2_000 + LETTERS,
    "links": "[a](http://b.c/) " * 1_200 + LETTERS,
    "dollars": "$" * 20_000 + LETTERS,
    "formulas": "\\[a" * 6_000 + LETTERS,
    "a wide table": "|" + "x" * 10_000 + "|\n|-|\n" + "|1|\n" * 2_400 + "\n" + LETTERS,
    "a table of many columns": "|a" * 700 + "|\n" + "|-" * 700 + "|\n" + "||\n" * 5_000 + "\n" + LETTERS,
    "one reference": "[a]: http://b.c/" + "d" * 3_000 + "\n\n" + "[a] " * 1_000 + LETTERS,
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_hostile_markup_stays_within_message_limit(answer: str) -> None:
    parts = convert_markdown_if_short(answer)
    assert 0 < len(parts) <= MAX_MESSAGES
    assert_pieces_are_valid(parts, MAX_UNITS)
    assert LETTERS in "".join(part.text for part in parts)
    assert sum(len(list(split_text(part.plain))) for part in parts) <= 2 * MAX_MESSAGES, (
        "also where entities are refused"
    )


@given(st.lists(st.tuples(st.sampled_from(MARKS), st.integers(1, 400)), max_size=12))
@settings(max_examples=40, deadline=None)
def test_repeated_marks_neither_split_nor_inflate_answer(marks: list[tuple[str, int]]) -> None:
    answer = "".join(mark * times for mark, times in marks)
    parts = convert_markdown_if_short(answer)
    assert len(parts) <= MAX_MESSAGES
    assert_pieces_are_valid(parts, MAX_UNITS)
    assert sum(len(part.text) for part in parts) <= 4 * len(answer)
    assert_pieces_are_valid(truncate_answer(answer), MAX_UNITS)


def test_many_entities_at_same_position_do_not_split_text() -> None:
    around = [MessageEntity("bold", 0, 600)] * 150
    parts = list(split_text(LETTERS, around))
    assert [part.text for part in parts] == [LETTERS]
    assert len(parts[0].entities) == MAX_NESTED


def test_drops_entities_that_would_exceed_message_limit() -> None:
    answer = "\n".join(f"**{number}**" for number in range(1_000))
    assert len(list(split_text(*convert_markdown_to_text_and_entities(answer)))) > MAX_MESSAGES
    parts = convert_markdown_if_short(answer)
    assert [part.text for part in parts] == [convert_markdown_to_text_and_entities(answer)[0]]
    assert len(parts[0].entities) == MAX_ENTITIES


def test_truncate_answer_limits_number_of_messages() -> None:
    shown = truncate_answer("**word** " * 200_000)
    assert len(shown) == MAX_MESSAGES
    assert shown[0].text.startswith("word word")
    assert shown[-1].text.endswith("…")
    assert_pieces_are_valid(shown, MAX_UNITS)


@given(st.lists(st.tuples(st.sampled_from(MARKS), st.integers(1, 400)), max_size=12), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_truncated_answer_ends_with_given_ending(marks: list[tuple[str, int]], most: int) -> None:
    shown = truncate_answer("".join(mark * times for mark, times in marks), max_messages=most, ending="\n\n(rest)")
    assert len(shown) <= most
    assert shown[-1].text.endswith("\n\n(rest)")
    assert_pieces_are_valid(shown, MAX_UNITS)


@pytest.mark.parametrize("streaming", ["auto", "edit", "off"])
async def test_answer_beyond_message_limit_is_sent_as_file(peer: Peer, streaming: str) -> None:
    answer = "A **long** answer, дом.\n" * 5_000
    stream = AnswerStream(peer.make_delivery("auto" if streaming == "auto" else "edit"), PRIVATE)
    if streaming != "off":
        await peer.show_beginning(stream, answer)
        await peer.wait_for_call("sendMessage")
    ids = await stream.send_final_answer(answer)
    [text] = peer.list_bot_texts(ANN)
    assert text.startswith("A long answer, дом.\nA long answer")
    assert text.endswith(tr("answers-in-file"))
    assert count_utf16_units(text) <= MAX_UNITS
    [file] = [message for message in peer.world.messages[ANN].values() if "document" in message]
    kept = peer.world.files.find_by_id(file["document"]["file_id"])
    assert kept is not None
    assert kept.data == answer.encode()
    assert len(ids) == 2
    assert ids[1] == file["message_id"]


async def test_file_with_unknown_outcome_is_resent_without_repeating_text(peer: Peer) -> None:
    answer = "A long answer.\n" * 5_000
    stream = AnswerStream(peer.make_delivery("off"), PRIVATE)
    peer.faults.add(Fault(kind="drop_after", method="sendDocument"))
    with pytest.raises(DeliveryUnknown):
        await stream.send_final_answer(answer)
    assert len(stream.sent_message_ids) == 1
    await stream.send_final_answer(answer)
    assert len(peer.list_calls("sendMessage")) == 1
    assert len(peer.list_calls("sendDocument")) == 2


async def test_converting_markup_does_not_block_event_loop(peer: Peer) -> None:
    """The event loop keeps running while markup is converted to entities."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await AnswerStream(peer.make_delivery("off"), PRIVATE).send_final_answer(HOSTILE["emphasis"])
    counting.cancel()
    assert turns > 20

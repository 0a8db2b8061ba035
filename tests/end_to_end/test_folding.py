"""Folds: when they happen, what they leave in the files, what happens when they fail, and the pyramid."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import SUMMARIES, SUMMARY, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAILS = Behaviour(status=500)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(house: LocalServers) -> AsyncIterator[Process]:
    async with house.bot() as process:
        yield process


async def folded(bot: Process, person: Member, *words: str) -> None:
    """Say these, one by one, and wait until a fold has ended."""
    since = bot.log.last
    for each in words:
        await person.asks(each, "Noted.")
    await person.folded(bot, since=since)


def check_files(house: LocalServers, owner: int) -> None:
    """A message is active exactly when it has no chunk; each chunk has its summary, each source exists."""
    messages, summaries = house.memory.messages(owner), house.memory.summaries(owner)
    assert all((message["is_active"] == 1) is (message["chunk_id"] is None) for message in messages)
    chunks = {message["chunk_id"] for message in messages} - {None}
    listed = [json.loads(summary["source_chunk_ids"]) for summary in summaries if summary["level"] == 1]
    assert sorted(chunk for sources in listed for chunk in sources) == sorted(chunks)
    assert sum(summary["is_active"] for summary in summaries) <= 10
    active = [
        chunk for summary in summaries if summary["is_active"] for chunk in json.loads(summary["source_chunk_ids"])
    ]
    assert sorted(active) == sorted(chunks), "every chunk is covered by exactly one active summary"


async def test_the_threshold_folds_in_the_background(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 3)
    await ann.asks("The first thing")
    await ann.asks("The second thing")
    assert house.memory.summaries(ann.id) == []
    asked = len(house.summary_requests())
    await folded(bot, ann, "The third thing")
    [request] = house.summary_requests()[asked:]
    assert "The first thing" in json.dumps(request)
    assert request[0]["role"] == "system"
    [summary] = house.memory.summaries(ann.id)
    assert (summary["level"], summary["is_active"], summary["summary_text"]) == (1, 1, SUMMARY)
    messages = house.memory.messages(ann.id)
    assert [message["is_active"] for message in messages] == [0] * 6
    assert {message["chunk_id"] for message in messages} == set(json.loads(summary["source_chunk_ids"]))
    assert [message["content"] for message in messages if message["role"] == "user"] == [
        "The first thing",
        "The second thing",
        "The third thing",
    ]
    await ann.asks("The fourth thing")
    assert SUMMARY in json.dumps(house.chat_requests()[-1])
    status = await ann.asks("/summary_status")
    for line in (
        "Memory: enabled",
        f"Storage: {house.sql}",
        "Threshold: 3",
        "Messages since last summary: 2",
        "Total messages: 8",
        "Archived messages: 6",
        "Active summaries: 1",
        "Highest level: 1",
    ):
        assert line in status
    shown = await ann.asks("/summary_show")
    assert SUMMARY in shown
    assert "6 messages" in shown
    check_files(house, ann.id)


async def test_summary_now_with_nothing_and_with_something(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("JSON", 50)
    assert "othing to summarise" in await ann.asks("/summary_now")
    assert "no summaries" in await ann.asks("/summary_show")
    await ann.asks("Something")
    assert "1 summary made" in await ann.asks("/summary_now")
    assert "2 messages" in await ann.asks("/summary_show")
    assert "othing to summarise" in await ann.asks("/summary_now")


async def test_a_failed_fold_is_told_once_and_tried_again(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 2)
    house.model.default(SUMMARIES, FAILS)
    try:
        await ann.asks("one")
        since = ann.now
        await ann.asks("two")
        await ann.hears("could not summarise", since=since)
        assert [message["is_active"] for message in house.memory.messages(ann.id)] == [1] * 4
        assert house.memory.summaries(ann.id) == []
        assert "Last failure" in await ann.asks("/summary_status")
        log = bot.log.last
        await ann.asks("three", "Noted.")
        await bot.logged("attempt 2", since=log)
        while "being made right now" in (said := await ann.asks("/summary_now")):
            """The second attempt is logged a moment before its lease is given back."""
        assert "Nothing was lost" in said
    finally:
        house.model.default(SUMMARIES, SUMMARY)
    told = [message for message in ann.heard(since=since) if "could not summarise" in message["text"]]
    assert len(told) == 1
    await folded(bot, ann, "four")
    assert [message["is_active"] for message in house.memory.messages(ann.id)] == [0] * 8
    assert "Last failure" not in await ann.asks("/summary_status")
    check_files(house, ann.id)


@pytest.mark.parametrize("bad", ["", "I'm sorry, I can't help with that.", "It all happened in 1871."])
async def test_a_summary_that_must_not_stand_leaves_everything_active(
    house: LocalServers, bot: Process, bad: str
) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 1)
    house.model.default(SUMMARIES, bad)
    try:
        since = ann.now
        await ann.asks("one")
        told = await ann.hears("could not summarise", since=since)
    finally:
        house.model.default(SUMMARIES, SUMMARY)
    assert house.memory.summaries(ann.id) == []
    assert [message["is_active"] for message in house.memory.messages(ann.id)] == [1, 1]
    ann.press(told, "Try again")
    await ann.hears("1 summary made", since=since)
    assert [message["is_active"] for message in house.memory.messages(ann.id)] == [0, 0]


async def test_the_pyramid_grows_and_at_most_ten_summaries_are_active(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 1)
    by_count = {5: {1: 5}, 6: {1: 1, 2: 1}, 30: {1: 5, 2: 5}, 31: {1: 1, 2: 1, 3: 1}}
    newest = [SUMMARY.replace("heard", f"heard {heard}") for heard in ("of late", "for a while", "all along")]
    for number in range(1, 32):
        since = bot.log.last
        if number == 31:
            house.model.script(SUMMARIES, *newest)
        await ann.asks(f"Thing number {number}", "Noted.")
        await ann.folded(bot, since=since)
        if number % 5 == 1 and number > 5:
            await ann.folded(bot, 2, since=since)
        if number == 31:
            await ann.folded(bot, 3, since=since)
        active: dict[int, int] = {}
        for summary in house.memory.summaries(ann.id):
            if summary["is_active"]:
                active[summary["level"]] = active.get(summary["level"], 0) + 1
        assert sum(active.values()) <= 10
        if number in by_count:
            assert active == by_count[number], number
    shown = await ann.asks("/summary_show", "Overview of the oldest talk")
    order = ("Overview of the oldest talk", "Summary of earlier summaries", "\n\nSummary")
    kinds = [shown.index(f"{kind} ·") for kind in order]
    assert kinds == sorted(kinds)
    assert "50 messages" in shown
    check_files(house, ann.id)
    await ann.asks("What now?")
    text = json.dumps(house.chat_requests()[-1])
    positions = [text.index(sentence) for sentence in newest]
    assert positions == sorted(positions, reverse=True)  # the highest level first

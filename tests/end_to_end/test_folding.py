"""Tests of folds: when they happen, what they store, how they fail, and how the pyramid grows."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import SUMMARIES, SUMMARY, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

FAILS = Behaviour(status=500)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(servers: LocalServers) -> AsyncIterator[Process]:
    async with servers.run_bot() as process:
        yield process


async def say_until_folded(bot: Process, person: Member, *words: str) -> None:
    """Send these messages one by one, and wait until a fold has ended."""
    since = bot.log.last
    for each in words:
        await person.ask(each, "Noted.")
    await person.wait_for_summary(bot, since=since)


def check_files(servers: LocalServers, owner: int) -> None:
    """Check the stored messages and summaries of an owner.

    A message has a chunk exactly if it is archived. Each chunk has one L1 summary and is covered by exactly one
    active summary. At most ten summaries are active.
    """
    messages, summaries = servers.memory.list_messages(owner), servers.memory.list_summaries(owner)
    assert all((message["is_active"] == 1) is (message["chunk_id"] is None) for message in messages)
    chunks = {message["chunk_id"] for message in messages} - {None}
    listed = [json.loads(summary["source_chunk_ids"]) for summary in summaries if summary["level"] == 1]
    assert sorted(chunk for sources in listed for chunk in sources) == sorted(chunks)
    assert sum(summary["is_active"] for summary in summaries) <= 10
    active = [
        chunk for summary in summaries if summary["is_active"] for chunk in json.loads(summary["source_chunk_ids"])
    ]
    assert sorted(active) == sorted(chunks), "every chunk is covered by exactly one active summary"


async def test_reaching_threshold_folds_in_background(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 3)
    await ann.ask("The first thing")
    await ann.ask("The second thing")
    assert servers.memory.list_summaries(ann.id) == []
    asked = len(servers.list_summary_requests())
    await say_until_folded(bot, ann, "The third thing")
    [request] = servers.list_summary_requests()[asked:]
    assert "The first thing" in json.dumps(request)
    assert request[0]["role"] == "system"
    [summary] = servers.memory.list_summaries(ann.id)
    assert (summary["level"], summary["is_active"], summary["summary_text"]) == (1, 1, SUMMARY)
    messages = servers.memory.list_messages(ann.id)
    assert [message["is_active"] for message in messages] == [0] * 6
    assert {message["chunk_id"] for message in messages} == set(json.loads(summary["source_chunk_ids"]))
    assert [message["content"] for message in messages if message["role"] == "user"] == [
        "The first thing",
        "The second thing",
        "The third thing",
    ]
    await ann.ask("The fourth thing")
    assert SUMMARY in json.dumps(servers.list_chat_requests()[-1])
    status = await ann.ask("/summary_status")
    for line in (
        "Memory: enabled",
        f"Storage: {servers.sql}",
        "Threshold: 3",
        "Messages since last summary: 2",
        "Total messages: 8",
        "Archived messages: 6",
        "Active summaries: 1",
        "Highest level: 1",
    ):
        assert line in status
    shown = await ann.ask("/summary_show")
    assert SUMMARY in shown
    assert "6 messages" in shown
    check_files(servers, ann.id)


async def test_summary_now_with_and_without_unsummarized_messages(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("JSON", 50)
    assert "othing to summarise" in await ann.ask("/summary_now")
    assert "no summaries" in await ann.ask("/summary_show")
    await ann.ask("Something")
    assert "1 summary made" in await ann.ask("/summary_now")
    assert "2 messages" in await ann.ask("/summary_show")
    assert "othing to summarise" in await ann.ask("/summary_now")


async def test_failed_fold_is_reported_once_and_retried(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 2)
    servers.model.set_default_answer(SUMMARIES, FAILS)
    try:
        await ann.ask("one")
        since = ann.last_event
        await ann.ask("two")
        await ann.wait_for_message("could not summarise", since=since)
        assert [message["is_active"] for message in servers.memory.list_messages(ann.id)] == [1] * 4
        assert servers.memory.list_summaries(ann.id) == []
        assert "Last failure" in await ann.ask("/summary_status")
        log = bot.log.last
        await ann.ask("three", "Noted.")
        await bot.wait_for_log_line("attempt 2", since=log)
        while "being made right now" in (said := await ann.ask("/summary_now")):
            """The second attempt is logged a moment before its lease is given back."""
        assert "Nothing was lost" in said
    finally:
        servers.model.set_default_answer(SUMMARIES, SUMMARY)
    told = [message for message in ann.list_bot_messages(since=since) if "could not summarise" in message["text"]]
    assert len(told) == 1
    await say_until_folded(bot, ann, "four")
    assert [message["is_active"] for message in servers.memory.list_messages(ann.id)] == [0] * 8
    assert "Last failure" not in await ann.ask("/summary_status")
    check_files(servers, ann.id)


@pytest.mark.parametrize("bad", ["", "I'm sorry, I can't help with that.", "It all happened in 1871."])
async def test_rejected_summary_archives_nothing_and_can_be_retried(
    servers: LocalServers, bot: Process, bad: str
) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 1)
    servers.model.set_default_answer(SUMMARIES, bad)
    try:
        since = ann.last_event
        await ann.ask("one")
        told = await ann.wait_for_message("could not summarise", since=since)
    finally:
        servers.model.set_default_answer(SUMMARIES, SUMMARY)
    assert servers.memory.list_summaries(ann.id) == []
    assert [message["is_active"] for message in servers.memory.list_messages(ann.id)] == [1, 1]
    ann.press_button(told, "Try again")
    await ann.wait_for_message("1 summary made", since=since)
    assert [message["is_active"] for message in servers.memory.list_messages(ann.id)] == [0, 0]


async def test_pyramid_grows_with_at_most_ten_active_summaries(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 1)
    by_count = {5: {1: 5}, 6: {1: 1, 2: 1}, 30: {1: 5, 2: 5}, 31: {1: 1, 2: 1, 3: 1}}
    newest = [SUMMARY.replace("heard", f"heard {heard}") for heard in ("of late", "for a while", "all along")]
    for number in range(1, 32):
        since = bot.log.last
        if number == 31:
            servers.model.script(SUMMARIES, *newest)
        await ann.ask(f"Thing number {number}", "Noted.")
        await ann.wait_for_summary(bot, since=since)
        if number % 5 == 1 and number > 5:
            await ann.wait_for_summary(bot, 2, since=since)
        if number == 31:
            await ann.wait_for_summary(bot, 3, since=since)
        active: dict[int, int] = {}
        for summary in servers.memory.list_summaries(ann.id):
            if summary["is_active"]:
                active[summary["level"]] = active.get(summary["level"], 0) + 1
        assert sum(active.values()) <= 10
        if number in by_count:
            assert active == by_count[number], number
    shown = await ann.ask("/summary_show", "Overview of the oldest talk")
    order = ("Overview of the oldest talk", "Summary of earlier summaries", "\n\nSummary")
    kinds = [shown.index(f"{kind} ·") for kind in order]
    assert kinds == sorted(kinds)
    assert "50 messages" in shown
    check_files(servers, ann.id)
    await ann.ask("What now?")
    text = json.dumps(servers.list_chat_requests()[-1])
    positions = [text.index(sentence) for sentence in newest]
    assert positions == sorted(positions, reverse=True)  # the highest level first

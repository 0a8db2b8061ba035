"""Tests of the policies in Telegram: how one is chosen, and what the status, summaries and files show."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import SUMMARIES, SUMMARY, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(servers: LocalServers) -> AsyncIterator[Process]:
    async with servers.run_bot() as process:
        yield process


async def choose_policy_option(person: Member, label: str) -> str:
    """Press a button of /summary_policy, and return the new text of its message."""
    shown = await person.ask_for_message("/summary_policy", "How I summarise")
    since = person.last_event
    person.press_button(shown, label)
    return str((await person.wait_for_message("How I summarise", since=since))["text"])


async def hold_turns(bot: Process, person: Member, count: int, first: int = 1, *, folded: tuple[int, ...] = ()) -> None:
    """Send `count` messages, and wait for a fold after each of those listed in `folded`."""
    for number in range(first, first + count):
        since = bot.log.last
        await person.ask(f"Thing number {number}", "Noted.")
        if number in folded:
            await person.wait_for_summary(bot, since=since)


def active(servers: LocalServers, person: Member) -> list[dict[str, object]]:
    return [summary for summary in servers.memory.list_summaries(person.id) if summary["is_active"]]


async def test_policy_is_chosen_by_button(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 4)
    shown = await ann.ask_for_message("/summary_policy", "How I summarise: Pyramid")
    labels = [button["text"] for row in shown["reply_markup"]["inline_keyboard"] for button in row]
    assert labels == ["✓ Pyramid", "Rolling", "Sliding", "☑ Automatic summaries", "‹ Settings"]
    for word in ("every 4 of your messages", "one short summary", "last 14 messages"):
        assert word in shown["text"]
    assert "How I summarise: Rolling" in await choose_policy_option(ann, "Rolling")
    assert "How I summarise: Rolling" in await ann.ask("/summary_status")
    bob = servers.add_person("Bob")
    query = servers.world.press_button(
        bob.id, bob.id, (await bob.ask_for_message("/summary_policy"))["message_id"], "po:1:rolling:x"
    )
    assert "somebody else" in await bob.wait_for_toast(query)


async def test_rolling_policy_keeps_one_summary_and_recent_messages(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 500)
    await choose_policy_option(ann, "Rolling")
    await hold_turns(bot, ann, 9, folded=(5, 9))
    [first, second] = servers.memory.list_summaries(ann.id)
    assert (first["message_count"], second["message_count"], second["base_id"]) == (2, 10, first["id"])
    [live] = active(servers, ann)
    assert live["id"] == second["id"]
    assert sum(message["is_active"] for message in servers.memory.list_messages(ann.id)) == 8
    status = await ann.ask("/summary_status")
    for line in ("How I summarise: Rolling", "Active summaries: 1", "Archived messages: 10"):
        assert line in status
    assert "10 messages" in await ann.ask("/summary_show")
    await ann.ask("What was said?", "Noted.")
    text = json.dumps(servers.list_chat_requests()[-1])
    assert SUMMARY in text
    assert "Thing number 6" in text


async def test_sliding_policy_summarizes_messages_that_leave_window(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("JSON", 500)
    await choose_policy_option(ann, "Sliding")
    since = bot.log.last
    await hold_turns(bot, ann, 9, folded=tuple(range(3, 10)))
    assert f"messages 3-4 left the sliding window of {ann.id}" in await bot.wait_for_log_line("3-4 left", since=since)
    status = await ann.ask("/summary_status")
    for line in (
        "How I summarise: Sliding",
        "Messages since last summary: 0",
        "Active summaries: 1",
        "Total messages: 18",
    ):
        assert line in status
    assert "14 messages" in await ann.ask("/summary_show")
    servers.model.script("answering-model", "The first thing, surely.")
    await ann.ask("What about thing number 1?", "surely")
    assert "Thing number 1" in json.dumps(servers.list_chat_requests()[-1]), "what left is found by search"


async def test_automatic_summaries_and_policy_can_be_switched(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 2)
    await hold_turns(bot, ann, 2, folded=(2,))
    assert "Automatic summaries are off" in (await choose_policy_option(ann, "☑ Automatic summaries"))
    await hold_turns(bot, ann, 3, 3)
    status = await ann.ask("/summary_status")
    assert "Automatic summaries are off" in status
    assert "Messages since last summary: 6" in status
    assert "1 summary made" in await ann.ask("/summary_now")
    await choose_policy_option(ann, "☐ Automatic summaries")
    await choose_policy_option(ann, "Rolling")
    await hold_turns(bot, ann, 8, 6, folded=(13,))
    [live] = active(servers, ann)
    assert live["message_count"] == sum(not message["is_active"] for message in servers.memory.list_messages(ann.id))
    await choose_policy_option(ann, "Pyramid")
    await hold_turns(bot, ann, 1, 14, folded=(14,))
    assert len(active(servers, ann)) == 2
    messages = servers.memory.list_messages(ann.id)
    assert [message["content"] for message in messages if message["role"] == "user"] == [
        f"Thing number {number}" for number in range(1, 15)
    ]


async def test_summary_instructions_can_be_set_shown_and_reset(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 1)
    assert "To add a wish" in await ann.ask("/summary_prompt")
    assert "follow this" in await ann.ask("/summary_prompt Write in verse.")
    assert "Write in verse." in await ann.ask("/summary_prompt")
    since = bot.log.last
    await ann.ask("Something", "Noted.")
    await ann.wait_for_summary(bot, since=since)
    [hers] = [request for request in servers.list_summary_requests() if "Something" in request[-1]["content"]]
    assert "Write in verse." in hers[0]["content"]
    assert "gone" in await ann.ask("/summary_prompt reset")
    assert "To add a wish" in await ann.ask("/summary_prompt")
    assert "at most 1,000" in await ann.ask("/summary_prompt " + "x" * 1500)


async def test_only_group_admins_configure_summaries(servers: LocalServers, bot: Process) -> None:
    ann, bob = servers.add_person("Ann"), servers.add_person("Bob")
    group = servers.add_group(ann, bob, admins=[ann])
    for command in ("/summary_policy", "/summary_prompt be brief", "/summary_rebuild"):
        assert "Only the admins" in await bob.with_chat(group).ask(command)
    assert "How I summarise" in await ann.with_chat(group).ask("/summary_policy")


async def test_summary_rebuild_resumes_after_kill(own_servers: LocalServers) -> None:
    servers = own_servers
    ann = servers.add_person()
    async with servers.run_bot() as bot:
        await ann.set_up_memory("SQLite", 1)
        await hold_turns(bot, ann, 3, folded=(1, 2, 3))
        assert "/summary_on turns it on" in await servers.add_person().ask("/summary_rebuild", "Memory is off")
        before = servers.memory.list_summaries(ann.id)
        servers.model.set_default_answer(SUMMARIES, Behaviour(hold="start", text="They spoke of things."))
        held = servers.model.hold_count
        assert "0 of 3" in await ann.ask("/summary_rebuild", "Making all summaries again")
        await servers.model.wait_until_held(held + 1)
        assert "Making all summaries again: 0 of 3" in await ann.ask("/summary_status")
        await bot.kill()
        assert servers.memory.list_summaries(ann.id) == before
    servers.model.set_default_answer(SUMMARIES, "They spoke of things.")
    async with servers.run_bot() as again:
        await again.wait_for_log_line(f"rebuilt 3 summaries of messages 1-6 of {ann.id}")
        rebuilt = servers.memory.list_summaries(ann.id)
        assert [summary["summary_text"] for summary in rebuilt] == ["They spoke of things."] * 3
        assert {message["chunk_id"] for message in servers.memory.list_messages(ann.id)} == {
            summary["id"] for summary in rebuilt
        }
        since = ann.last_event
        await ann.ask("/summary_rebuild", "0 of 3")
        await ann.wait_for_message("All summaries are made again (3 summaries)", since=since)

"""Each policy as its owner sees it in Telegram: chosen by button, shown by status, summaries and files."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import SUMMARIES, SUMMARY, LocalServers, Member, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(house: LocalServers) -> AsyncIterator[Process]:
    async with house.bot() as process:
        yield process


async def chooses(person: Member, label: str) -> str:
    """Press a button of /summary_policy; what the message says then."""
    shown = await person.tells("/summary_policy", "How I summarise")
    since = person.now
    person.press(shown, label)
    return str((await person.hears("How I summarise", since=since))["text"])


async def says(bot: Process, person: Member, count: int, first: int = 1, *, folded: tuple[int, ...] = ()) -> None:
    """Hold this many turns; after those that are named, wait for a fold."""
    for number in range(first, first + count):
        since = bot.log.last
        await person.asks(f"Thing number {number}", "Noted.")
        if number in folded:
            await person.folded(bot, since=since)


def active(house: LocalServers, person: Member) -> list[dict[str, object]]:
    return [summary for summary in house.memory.summaries(person.id) if summary["is_active"]]


async def test_the_policy_is_chosen_by_button(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 4)
    shown = await ann.tells("/summary_policy", "How I summarise: Pyramid")
    labels = [button["text"] for row in shown["reply_markup"]["inline_keyboard"] for button in row]
    assert labels == ["✓ Pyramid", "Rolling", "Sliding", "☑ Automatic summaries", "‹ Settings"]
    for word in ("every 4 of your messages", "one short summary", "last 14 messages"):
        assert word in shown["text"]
    assert "How I summarise: Rolling" in await chooses(ann, "Rolling")
    assert "How I summarise: Rolling" in await ann.asks("/summary_status")
    bob = house.person("Bob")
    query = house.world.press_button(
        bob.id, bob.id, (await bob.tells("/summary_policy"))["message_id"], "po:1:rolling:x"
    )
    assert "somebody else" in await bob.toast(query)


async def test_rolling_in_telegram(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 500)
    await chooses(ann, "Rolling")
    await says(bot, ann, 9, folded=(5, 9))
    [first, second] = house.memory.summaries(ann.id)
    assert (first["message_count"], second["message_count"], second["base_id"]) == (2, 10, first["id"])
    [live] = active(house, ann)
    assert live["id"] == second["id"]
    assert sum(message["is_active"] for message in house.memory.messages(ann.id)) == 8
    status = await ann.asks("/summary_status")
    for line in ("How I summarise: Rolling", "Active summaries: 1", "Archived messages: 10"):
        assert line in status
    assert "10 messages" in await ann.asks("/summary_show")
    await ann.asks("What was said?", "Noted.")
    text = json.dumps(house.chat_requests()[-1])
    assert SUMMARY in text
    assert "Thing number 6" in text


async def test_sliding_in_telegram(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("JSON", 500)
    await chooses(ann, "Sliding")
    since = bot.log.last
    await says(bot, ann, 9, folded=tuple(range(3, 10)))
    assert f"messages 3-4 left the sliding window of {ann.id}" in await bot.logged("3-4 left", since=since)
    status = await ann.asks("/summary_status")
    for line in (
        "How I summarise: Sliding",
        "Messages since last summary: 0",
        "Active summaries: 1",
        "Total messages: 18",
    ):
        assert line in status
    assert "14 messages" in await ann.asks("/summary_show")
    house.model.script("answering-model", "The first thing, surely.")
    await ann.asks("What about thing number 1?", "surely")
    assert "Thing number 1" in json.dumps(house.chat_requests()[-1]), "what left is found by search"


async def test_switching_and_automatic_off(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 2)
    await says(bot, ann, 2, folded=(2,))
    assert "Automatic summaries are off" in (await chooses(ann, "☑ Automatic summaries"))
    await says(bot, ann, 3, 3)
    status = await ann.asks("/summary_status")
    assert "Automatic summaries are off" in status
    assert "Messages since last summary: 6" in status
    assert "1 summary made" in await ann.asks("/summary_now")
    await chooses(ann, "☐ Automatic summaries")
    await chooses(ann, "Rolling")
    await says(bot, ann, 8, 6, folded=(13,))
    [live] = active(house, ann)
    assert live["message_count"] == sum(not message["is_active"] for message in house.memory.messages(ann.id))
    await chooses(ann, "Pyramid")
    await says(bot, ann, 1, 14, folded=(14,))
    assert len(active(house, ann)) == 2
    messages = house.memory.messages(ann.id)
    assert [message["content"] for message in messages if message["role"] == "user"] == [
        f"Thing number {number}" for number in range(1, 15)
    ]


async def test_instructions_are_shown_set_and_reset(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 1)
    assert "To add a wish" in await ann.asks("/summary_prompt")
    assert "follow this" in await ann.asks("/summary_prompt Write in verse.")
    assert "Write in verse." in await ann.asks("/summary_prompt")
    since = bot.log.last
    await ann.asks("Something", "Noted.")
    await ann.folded(bot, since=since)
    [hers] = [request for request in house.summary_requests() if "Something" in request[-1]["content"]]
    assert "Write in verse." in hers[0]["content"]
    assert "gone" in await ann.asks("/summary_prompt reset")
    assert "To add a wish" in await ann.asks("/summary_prompt")
    assert "at most 1,000" in await ann.asks("/summary_prompt " + "x" * 1500)


async def test_only_admins_of_a_group_choose(house: LocalServers, bot: Process) -> None:
    ann, bob = house.person("Ann"), house.person("Bob")
    group = house.group(ann, bob, admins=[ann])
    for command in ("/summary_policy", "/summary_prompt be brief", "/summary_rebuild"):
        assert "Only the admins" in await bob.within(group).asks(command)
    assert "How I summarise" in await ann.within(group).asks("/summary_policy")


async def test_a_rebuild_survives_a_kill(own_house: LocalServers) -> None:
    house = own_house
    ann = house.person()
    async with house.bot() as bot:
        await ann.sets_up("SQLite", 1)
        await says(bot, ann, 3, folded=(1, 2, 3))
        assert "/summary_on turns it on" in await house.person().asks("/summary_rebuild", "Memory is off")
        before = house.memory.summaries(ann.id)
        house.model.default(SUMMARIES, Behaviour(hold="start", text="They spoke of things."))
        held = house.model.held
        assert "0 of 3" in await ann.asks("/summary_rebuild", "Making all summaries again")
        await house.model.until_held(held + 1)
        assert "Making all summaries again: 0 of 3" in await ann.asks("/summary_status")
        await bot.kill()
        assert house.memory.summaries(ann.id) == before
    house.model.default(SUMMARIES, "They spoke of things.")
    async with house.bot() as again:
        await again.logged(f"rebuilt 3 summaries of messages 1-6 of {ann.id}")
        rebuilt = house.memory.summaries(ann.id)
        assert [summary["summary_text"] for summary in rebuilt] == ["They spoke of things."] * 3
        assert {message["chunk_id"] for message in house.memory.messages(ann.id)} == {
            summary["id"] for summary in rebuilt
        }
        since = ann.now
        await ann.asks("/summary_rebuild", "0 of 3")
        await ann.hears("All summaries are made again (3 summaries)", since=since)

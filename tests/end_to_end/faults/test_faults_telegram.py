"""A Telegram that fails: answers arrive, none is lost, none is sent more often than it must be."""

import pytest

from playground.faults import Fault
from reliability.invariants import find_violations
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = "\n\n".join(f"Paragraph {number}: {'words ' * 150}" for number in range(10))


def check(house: LocalServers, ann: Member, said: list[str]) -> None:
    files = house.memory.files()
    found = find_violations(files)
    assert not found, found
    assert [row["content"] for row in files.get_owner_rows(ann.owner).messages if row["role"] == "user"] == said
    assert files.inbox == ()


@pytest.mark.parametrize(
    ("kind", "copies"), [("retry_after", 1), ("server_error", 1), ("drop_before", 1), ("drop_after", 2)]
)
async def test_an_answer_arrives_whatever_its_first_sending_met(house: LocalServers, kind: str, copies: int) -> None:
    ann, bob = house.person(), house.person("Bob")
    async with house.bot():
        await ann.sets_up()
        await bob.sets_up()
        house.faults.add(Fault(kind=kind, method="sendMessage", chat_id=ann.chat_id, times=1))
        since = ann.now
        ann.says("Hello")
        assert await bob.asks("Meanwhile") == "Noted.", "nobody else waits"
        await ann.hears("Noted.", since=since)
        house.model.script(ANSWERS, "Again.")
        assert await ann.asks("And again", "Again.")
    assert [message["text"] for message in ann.heard(since=since)].count("Noted.") == copies
    check(house, ann, ["Hello", "And again"])


async def test_the_pieces_that_arrived_are_not_sent_again(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot():
        await ann.sets_up()
        house.model.script(ANSWERS, LONG)
        house.faults.add(Fault(kind="drop_after", method="sendMessage", chat_id=ann.chat_id, after=1, times=1))
        since = ann.now
        ann.says("Tell me everything")
        await ann.hears("Paragraph 9", since=since)
        assert await ann.asks("Thanks", "Noted.")
    texts = [message["text"] for message in ann.heard(since=since)]
    assert sum("Paragraph 0" in text for text in texts) == 1
    check(house, ann, ["Tell me everything", "Thanks"])


async def test_refused_entities_arrive_as_plain_text(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot():
        await ann.sets_up()
        house.model.script(ANSWERS, "This is **bold**.")
        house.faults.add(Fault(kind="refuse_entities", method="sendMessage", times=1))
        assert "bold" in await ann.asks("Hello", "bold")
    check(house, ann, ["Hello"])


async def test_a_chat_that_is_gone_is_let_go_and_its_message_is_kept(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    async with house.bot() as process:
        await ann.sets_up()
        held = house.model.held
        house.model.script(ANSWERS, Behaviour(text="Too late.", hold="start"))
        ann.says("Hello")
        await house.model.until_held(held + 1)
        house.world.block_bot(ann.id)
        logged = process.log.last
        await house.model.release()
        await process.logged("its chat is gone", since=logged)
        assert await bob.asks("Are you there?") == "Noted."
    check(house, ann, ["Hello"])


async def test_a_deleted_topic_is_answered_in_the_group(house: LocalServers) -> None:
    ann = house.person()
    group = house.group(ann, admins=[ann], topics={7: "Plans"})
    async with house.bot():
        held = house.model.held
        house.model.script(ANSWERS, Behaviour(text="In the open.", hold="start"))
        since = ann.now
        ann.within(group, 7).says("@keepsake_bot hello")
        await house.model.until_held(held + 1)
        house.world.delete_topic(group, 7)
        await house.model.release()
        await ann.within(group).hears("In the open.", since=since)


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_group_takes_its_memory_along_when_it_becomes_a_supergroup(
    house: LocalServers, storage: str, is_killed: bool
) -> None:
    ann, bob = house.person(), house.person("Bob")
    old = house.group(ann, bob, admins=[ann])
    before = ann.within(old)
    async with house.bot() as process:
        await before.sets_up(storage, 2)
        await before.asks("@keepsake_bot the picnic is at noon")
        await before.asks("@keepsake_bot bring the kohlrabi", "Noted.")
        await process.logged("summarized messages")
        held = house.model.held
        house.model.script(ANSWERS, Behaviour(text="Late but here.", hold="start"))
        before.says("@keepsake_bot and the blanket")
        await house.model.until_held(held + 1)
        since = ann.now
        new = house.world.upgrade_group(old)
        there, bobs = ann.within(new), bob.within(new)
        if is_killed:
            await process.kill()
        await house.model.release()
        if not is_killed:
            await there.hears("Late but here.", since=since)
    async with house.bot():
        if is_killed:
            await there.hears("Noted.", since=since)
        assert "Threshold: 2 of" in await there.asks("/summary_status")
        assert "dmins of this group" in await bobs.asks("/summary_off")
        house.model.script(ANSWERS, "Known.")
        await bobs.asks("@keepsake_bot what about the kohlrabi?", "Known.")
        assert "bring the kohlrabi" in str(house.chat_requests()[-1])
        assert "the blanket" in str(house.chat_requests()[-1])
    said = ["the picnic is at noon", "bring the kohlrabi", "and the blanket", "what about the kohlrabi?"]
    check(house, there, said)
    assert house.memory.files().get_owner_rows(old).messages == ()


async def test_a_setup_goes_on_in_the_supergroup(house: LocalServers) -> None:
    ann = house.person()
    old = house.group(ann, admins=[ann])
    before = ann.within(old)
    async with house.bot():
        asked = await before.tells("/summary", "1 of 2")
        since = ann.now
        before.press(asked, "JSON")
        await before.hears("2 of 2", since=since)
        since = ann.now
        there = ann.within(house.world.upgrade_group(old))
        await there.asks("@keepsake_bot 7", "External memory configured")
        await there.asks("@keepsake_bot hello", "Noted.")
    check(house, there, ["hello"])


async def test_another_poller_is_named_in_the_log_and_outlasted(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot() as process:
        await ann.sets_up()
        house.faults.add(
            Fault(
                kind="error", method="getUpdates", error_code=409, description="Conflict: terminated by other", times=2
            )
        )
        since = ann.now
        ann.says("Hello")
        await process.logged("Another program fetches the updates")
        await ann.hears("Noted.", since=since)
        assert await ann.asks("And again", "Noted.")
    check(house, ann, ["Hello", "And again"])


@pytest.mark.parametrize("kind", ["server_error", "drop_before", "drop_after", "retry_after"])
async def test_failing_polls_lose_and_double_nothing(house: LocalServers, kind: str) -> None:
    ann = house.person()
    async with house.bot():
        await ann.sets_up()
        house.faults.add(Fault(kind=kind, method="getUpdates", times=2))
        since = ann.now
        ann.says("Hello")
        await ann.hears("Noted.", since=since)
        await ann.asks("And again", "Noted.")
    assert [message["text"] for message in ann.heard(since=since)] == ["Noted."] * 2
    check(house, ann, ["Hello", "And again"])

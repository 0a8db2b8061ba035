"""Tests of Telegram failures: no message is lost, and delivered answers are not sent again."""

import pytest

from playground.faults import Fault
from reliability.invariants import find_violations
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = "\n\n".join(f"Paragraph {number}: {'words ' * 150}" for number in range(10))


def check(servers: LocalServers, ann: Member, said: list[str]) -> None:
    files = servers.memory.read_state()
    found = find_violations(files)
    assert not found, found
    assert [row["content"] for row in files.get_owner_rows(ann.owner).messages if row["role"] == "user"] == said
    assert files.inbox == ()


@pytest.mark.parametrize(
    ("kind", "copies"), [("retry_after", 1), ("server_error", 1), ("drop_before", 1), ("drop_after", 2)]
)
async def test_answer_is_delivered_although_first_send_fails(servers: LocalServers, kind: str, copies: int) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    async with servers.run_bot():
        await ann.set_up_memory()
        await bob.set_up_memory()
        servers.faults.add(Fault(kind=kind, method="sendMessage", chat_id=ann.chat_id, times=1))
        since = ann.last_event
        ann.say("Hello")
        assert await bob.ask("Meanwhile") == "Noted.", "nobody else waits"
        await ann.wait_for_message("Noted.", since=since)
        servers.model.script(ANSWERS, "Again.")
        assert await ann.ask("And again", "Again.")
    assert [message["text"] for message in ann.list_bot_messages(since=since)].count("Noted.") == copies
    check(servers, ann, ["Hello", "And again"])


async def test_delivered_pieces_of_long_answer_are_not_sent_again(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot():
        await ann.set_up_memory()
        servers.model.script(ANSWERS, LONG)
        servers.faults.add(Fault(kind="drop_after", method="sendMessage", chat_id=ann.chat_id, after=1, times=1))
        since = ann.last_event
        ann.say("Tell me everything")
        await ann.wait_for_message("Paragraph 9", since=since)
        assert await ann.ask("Thanks", "Noted.")
    texts = [message["text"] for message in ann.list_bot_messages(since=since)]
    assert sum("Paragraph 0" in text for text in texts) == 1
    check(servers, ann, ["Tell me everything", "Thanks"])


async def test_answer_is_sent_as_plain_text_when_entities_are_refused(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot():
        await ann.set_up_memory()
        servers.model.script(ANSWERS, "This is **bold**.")
        servers.faults.add(Fault(kind="refuse_entities", method="sendMessage", times=1))
        assert "bold" in await ann.ask("Hello", "bold")
    check(servers, ann, ["Hello"])


async def test_answer_to_user_who_blocked_bot_is_dropped_and_message_is_kept(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    async with servers.run_bot() as process:
        await ann.set_up_memory()
        held = servers.model.hold_count
        servers.model.script(ANSWERS, Behaviour(text="Too late.", hold="start"))
        ann.say("Hello")
        await servers.model.wait_until_held(held + 1)
        servers.world.block_bot(ann.id)
        logged = process.log.last
        await servers.model.release()
        await process.wait_for_log_line("its chat is gone", since=logged)
        assert await bob.ask("Are you there?") == "Noted."
    check(servers, ann, ["Hello"])


async def test_answer_to_deleted_topic_is_sent_to_group(servers: LocalServers) -> None:
    ann = servers.add_person()
    group = servers.add_group(ann, admins=[ann], topics={7: "Plans"})
    async with servers.run_bot():
        held = servers.model.hold_count
        servers.model.script(ANSWERS, Behaviour(text="In the open.", hold="start"))
        since = ann.last_event
        ann.with_chat(group, 7).say("@keepsake_bot hello")
        await servers.model.wait_until_held(held + 1)
        servers.world.delete_topic(group, 7)
        await servers.model.release()
        await ann.with_chat(group).wait_for_message("In the open.", since=since)


@pytest.mark.parametrize("storage", ["SQLite", "JSON"])
@pytest.mark.parametrize("is_killed", [False, True])
async def test_group_memory_survives_upgrade_to_supergroup(
    servers: LocalServers, storage: str, is_killed: bool
) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    old = servers.add_group(ann, bob, admins=[ann])
    before = ann.with_chat(old)
    async with servers.run_bot() as process:
        await before.set_up_memory(storage, 2)
        await before.ask("@keepsake_bot the picnic is at noon")
        await before.ask("@keepsake_bot bring the kohlrabi", "Noted.")
        await process.wait_for_log_line("summarized messages")
        held = servers.model.hold_count
        servers.model.script(ANSWERS, Behaviour(text="Late but here.", hold="start"))
        before.say("@keepsake_bot and the blanket")
        await servers.model.wait_until_held(held + 1)
        since = ann.last_event
        new = servers.world.upgrade_group(old)
        there, bobs = ann.with_chat(new), bob.with_chat(new)
        if is_killed:
            await process.kill()
        await servers.model.release()
        if not is_killed:
            await there.wait_for_message("Late but here.", since=since)
    async with servers.run_bot():
        if is_killed:
            await there.wait_for_message("Noted.", since=since)
        assert "Threshold: 2 of" in await there.ask("/summary_status")
        assert "dmins of this group" in await bobs.ask("/summary_off")
        servers.model.script(ANSWERS, "Known.")
        await bobs.ask("@keepsake_bot what about the kohlrabi?", "Known.")
        assert "bring the kohlrabi" in str(servers.list_chat_requests()[-1])
        assert "the blanket" in str(servers.list_chat_requests()[-1])
    said = ["the picnic is at noon", "bring the kohlrabi", "and the blanket", "what about the kohlrabi?"]
    check(servers, there, said)
    assert servers.memory.read_state().get_owner_rows(old).messages == ()


async def test_setup_continues_after_upgrade_to_supergroup(servers: LocalServers) -> None:
    ann = servers.add_person()
    old = servers.add_group(ann, admins=[ann])
    before = ann.with_chat(old)
    async with servers.run_bot():
        asked = await before.ask_for_message("/summary", "1 of 2")
        since = ann.last_event
        before.press_button(asked, "JSON")
        await before.wait_for_message("2 of 2", since=since)
        since = ann.last_event
        there = ann.with_chat(servers.world.upgrade_group(old))
        await there.ask("@keepsake_bot 7", "External memory configured")
        await there.ask("@keepsake_bot hello", "Noted.")
    check(servers, there, ["hello"])


async def test_polling_conflict_is_logged_and_retried(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot() as process:
        await ann.set_up_memory()
        servers.faults.add(
            Fault(
                kind="error", method="getUpdates", error_code=409, description="Conflict: terminated by other", times=2
            )
        )
        since = ann.last_event
        ann.say("Hello")
        await process.wait_for_log_line("Another program fetches the updates")
        await ann.wait_for_message("Noted.", since=since)
        assert await ann.ask("And again", "Noted.")
    check(servers, ann, ["Hello", "And again"])


@pytest.mark.parametrize("kind", ["server_error", "drop_before", "drop_after", "retry_after"])
async def test_failed_polls_lose_or_duplicate_no_messages(servers: LocalServers, kind: str) -> None:
    ann = servers.add_person()
    async with servers.run_bot():
        await ann.set_up_memory()
        servers.faults.add(Fault(kind=kind, method="getUpdates", times=2))
        since = ann.last_event
        ann.say("Hello")
        await ann.wait_for_message("Noted.", since=since)
        await ann.ask("And again", "Noted.")
    assert [message["text"] for message in ann.list_bot_messages(since=since)] == ["Noted."] * 2
    check(servers, ann, ["Hello", "And again"])

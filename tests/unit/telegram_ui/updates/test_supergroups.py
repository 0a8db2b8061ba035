"""Tests of a group that becomes a supergroup while the bot runs, over real HTTP."""

import asyncio
from dataclasses import replace

from playground.faults import Fault
from records.scopes import Scope
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.unit.telegram_ui.conftest import ANN, GROUP, Bots, Peer

MENTION = "@keepsake_bot"


async def shorten_pause(seconds: float) -> None:
    """Skip pauses of up to 30 seconds."""
    await asyncio.sleep(seconds if seconds > 30 else 0)


async def test_turns_in_progress_finish_in_supergroup_before_memory_moves(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("slow")
    async with bots.run_service():
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await bots.conversation.start_events["slow"].wait()
        peer.world.say(ANN, GROUP, f"{MENTION} second")
        new = peer.world.upgrade_group(GROUP)
        peer.world.say(ANN, new, f"{MENTION} third")
        await peer.wait_until_updates_confirmed()
        assert bots.conversation.successors == {}
        gate.set()
        await peer.wait_for_message("echo third", new)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(new) == ["echo slow", "echo second", "echo third"]
    assert [turn.scope for turn in bots.conversation.turns] == [Scope(owner=GROUP)] * 2 + [Scope(owner=new)]
    assert bots.conversation.successors == {GROUP: new}
    [first] = [message for message in peer.world.messages[new].values() if message.get("text") == "echo slow"]
    assert "reply_to_message" not in first, "message ids start again there"


async def test_next_run_answers_pending_update_in_supergroup(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("slow")
    async with bots.run_service():
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await bots.conversation.start_events["slow"].wait()
    new = peer.world.upgrade_group(GROUP)
    bots.conversation.successors[GROUP] = new
    bots.conversation.gates.clear()
    async with bots.run_service():
        await peer.wait_for_message("echo slow", new)
        await wait_for_queued_jobs()
    assert bots.conversation.turns[-1].scope == Scope(owner=new)


async def test_preview_in_old_group_is_followed_by_answer_in_supergroup(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("slow")
    bots.settings = replace(bots.settings, reply_streaming="edit")
    async with bots.run_service():
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await peer.wait_for_message("partly slow", GROUP)
        new = peer.world.upgrade_group(GROUP)
        gate.set()
        await peer.wait_for_message("echo slow", new)
        await wait_for_queued_jobs()
    assert peer.list_bot_texts(new) == ["echo slow"]


async def test_button_of_old_group_does_nothing(bots: Bots, peer: Peer) -> None:
    async with bots.run_service():
        peer.world.say(ANN, GROUP, "/help@keepsake_bot me")
        message = await peer.wait_for_message("did help me", GROUP)
    new = peer.world.upgrade_group(GROUP)
    bots.conversation.successors[GROUP] = new
    shown = peer.world.messages[GROUP][message["answer"]["result"]["message_id"]]
    query = {
        "from": peer.world.people[ANN].to_user_json(),
        "message": shown,
        "chat_instance": "1",
        "data": "x",
        "id": "77",
    }
    async with bots.run_service():
        peer.world.updates.add("callback_query", query)
        answer = await peer.wait_for_call("answerCallbackQuery")
        await wait_for_queued_jobs()
    assert "does nothing any more" in answer["params"]["text"]


async def test_supergroup_message_waits_until_owner_change_is_stored(bots: Bots, peer: Peer) -> None:
    bots.conversation.remaining_rename_failures = 2
    async with bots.run_service(pause=shorten_pause):
        new = peer.world.upgrade_group(GROUP)
        peer.world.say(ANN, new, f"{MENTION} hello")
        await peer.wait_for_message("echo hello", new)
        await wait_for_queued_jobs()
    assert bots.conversation.remaining_rename_failures == 0
    assert bots.conversation.turns[-1].scope == Scope(owner=new)


async def test_upgrade_is_detected_from_send_error(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.add_gate("slow")
    async with bots.run_service():
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await bots.conversation.start_events["slow"].wait()
        await peer.wait_until_updates_confirmed()
        peer.faults.add(Fault(kind="server_error", method="getUpdates", times=None))
        new = peer.world.upgrade_group(GROUP)
        peer.world.updates.drop_all()
        gate.set()
        await peer.wait_for_message("echo slow", new)
        await wait_for_queued_jobs()
        assert bots.conversation.successors == {GROUP: new}

"""A group that becomes a supergroup while the bot works, over real HTTP."""

import asyncio
from dataclasses import replace

from playground.faults import Fault
from records.scopes import Scope
from tests.unit.telegram_ui.conftest import ANN, GROUP, Bots, Peer

MENTION = "@keepsake_bot"


async def hardly(seconds: float) -> None:
    """Short pauses are over at once."""
    await asyncio.sleep(seconds if seconds > 30 else 0)


async def test_what_had_begun_is_finished_in_the_new_chat_and_then_the_memory_follows(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("slow")
    async with bots.running() as service:
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await bots.conversation.begun["slow"].wait()
        peer.world.say(ANN, GROUP, f"{MENTION} second")
        new = peer.world.upgrade_group(GROUP)
        peer.world.say(ANN, new, f"{MENTION} third")
        await peer.confirmed()
        assert bots.conversation.successors == {}
        gate.set()
        await peer.told("echo third", new)
        await service.dispatcher.wait_until_idle()
        assert await bots.pending() == []
    assert peer.texts(new) == ["echo slow", "echo second", "echo third"]
    assert [turn.scope for turn in bots.conversation.turns] == [Scope(owner=GROUP)] * 2 + [Scope(owner=new)]
    assert bots.conversation.successors == {GROUP: new}
    [first] = [message for message in peer.world.messages[new].values() if message.get("text") == "echo slow"]
    assert "reply_to_message" not in first, "message ids start again there"


async def test_what_waits_in_the_inbox_is_answered_in_the_new_chat_by_the_next_run(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("slow")
    async with bots.running():
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await bots.conversation.begun["slow"].wait()
    new = peer.world.upgrade_group(GROUP)
    bots.conversation.successors[GROUP] = new
    bots.conversation.gates.clear()
    async with bots.running() as service:
        await peer.told("echo slow", new)
        await service.dispatcher.wait_until_idle()
    assert bots.conversation.turns[-1].scope == Scope(owner=new)


async def test_a_preview_in_the_old_chat_gives_way_to_the_answer_in_the_new(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("slow")
    bots.settings = replace(bots.settings, reply_streaming="edit")
    async with bots.running() as service:
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await peer.told("partly slow", GROUP)
        new = peer.world.upgrade_group(GROUP)
        gate.set()
        await peer.told("echo slow", new)
        await service.dispatcher.wait_until_idle()
    assert peer.texts(new) == ["echo slow"]


async def test_a_button_of_the_old_chat_changes_nothing(bots: Bots, peer: Peer) -> None:
    async with bots.running():
        peer.world.say(ANN, GROUP, "/help@keepsake_bot me")
        message = await peer.told("did help me", GROUP)
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
    async with bots.running() as service:
        peer.world.updates.add("callback_query", query)
        answer = await peer.called("answerCallbackQuery")
        await service.dispatcher.wait_until_idle()
    assert "does nothing any more" in answer["params"]["text"]


async def test_where_the_disk_does_not_take_it_the_chat_waits_and_others_do_not(bots: Bots, peer: Peer) -> None:
    bots.conversation.rename_fails = 2
    async with bots.running(pause=hardly) as service:
        new = peer.world.upgrade_group(GROUP)
        peer.world.say(ANN, new, f"{MENTION} hello")
        await peer.told("echo hello", new)
        await service.dispatcher.wait_until_idle()
    assert bots.conversation.rename_fails == 0
    assert bots.conversation.turns[-1].scope == Scope(owner=new)


async def test_sending_shows_it_where_telegram_did_not_say_so(bots: Bots, peer: Peer) -> None:
    gate = bots.conversation.gate("slow")
    async with bots.running() as service:
        peer.world.say(ANN, GROUP, f"{MENTION} slow")
        await bots.conversation.begun["slow"].wait()
        await peer.confirmed()
        peer.faults.add(Fault(kind="server_error", method="getUpdates", times=None))
        new = peer.world.upgrade_group(GROUP)
        peer.world.updates.drop_all()
        gate.set()
        await peer.told("echo slow", new)
        await service.dispatcher.wait_until_idle()
        assert bots.conversation.successors == {GROUP: new}

"""Tests of the reminder tool: it is always offered, and the answer offers the proposed reminder to the person."""

from dataclasses import replace
from pathlib import Path

from records.reminders import NewReminder
from tests.peers.openai_server import Behaviour
from tests.support.talk import open_chat_harness

CALL = {"name": "remind", "arguments": {"text": "call mum", "at": "2026-11-22T09:00"}}


async def test_reminder_is_proposed_in_time_zone_of_person(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path / "data") as talk:
        await talk.turn_on_memory()
        await talk.services.memory.change_config(7, lambda known: replace(known, timezone="Europe/Berlin"))
        talk.server.script("chat-model", Behaviour(calls=(CALL,)))
        reply = await talk.say("Remind me tomorrow at 9 to call mum")
        [offered] = reply.proposals
        assert (offered.kind, offered.text, offered.source) == ("remind", "call mum", reply.turn)
        assert offered.reminder is not None
        assert f"{offered.reminder.due_at:%d %H:%M}" == "22 08:00"
        assert (await talk.say("Thank you")).proposals == ()
        first = [request.body["tools"][0]["function"]["name"] for request in talk.server.list_requests("chat-model")]
        assert set(first) == {"remind"}


async def test_reminder_can_be_stored_while_memory_is_off(tmp_path: Path) -> None:
    async with open_chat_harness(tmp_path / "data") as talk:
        talk.server.script("chat-model", Behaviour(calls=(CALL,)))
        [offered] = (await talk.say("Remind me tomorrow at 9 to call mum")).proposals
        assert isinstance(offered.reminder, NewReminder)
        assert offered.source is None
        assert await talk.services.memory.get_config(7) is None, "an offer stores nothing"
        kept = await talk.services.reminders.add(7, offered.reminder, thread=0, person=7, language="en")
        assert kept is not None
        config = await talk.services.memory.get_config(7)
        assert config is not None
        assert not config.enabled
    async with open_chat_harness(tmp_path / "data") as talk:
        assert [reminder.text for reminder in await talk.services.reminders.list_reminders(7)] == ["call mum"]

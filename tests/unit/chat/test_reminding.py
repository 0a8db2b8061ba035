"""A message that asks for a reminder is answered, and the reminder is offered, whatever becomes of the model."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from records.reminders import Wish
from tests.peers.openai_server import Behaviour
from tests.support.talk import talking


async def test_a_reminder_is_offered_with_the_answer(tmp_path: Path) -> None:
    async with talking(tmp_path / "data") as talk:
        await talk.remember()
        await talk.services.memory.choose(7, lambda known: replace(known, timezone="Europe/Berlin"))
        reply = await talk.say("Remind me tomorrow at 9 to call mum")
        [offered] = reply.proposals
        assert (offered.kind, offered.text, offered.source) == ("remind", "call mum", reply.turn)
        assert offered.wish is not None
        assert f"{offered.wish.due_at:%d %H:%M}" == "22 08:00"
        assert "asked by a button whether to be reminded" in talk.prompts()[-1]
        assert (await talk.say("Thank you")).proposals == ()
        assert "asked by a button" not in talk.prompts()[-1].rpartition("It is now")[2]

        talk.server.script("chat-model", Behaviour(status=401))
        reply = await talk.say("Remind me tomorrow at 9 to call dad")
        assert [one.text for one in reply.proposals] == ["call dad"], "it needs no model"

        incoming = talk.incoming("Remind me in 5 minutes to go")
        talk.moment[0] += timedelta(minutes=6)
        assert (await talk.conversation.reply(incoming)).proposals == (), "too late"


async def test_with_memory_off_a_reminder_is_kept_all_the_same(tmp_path: Path) -> None:
    async with talking(tmp_path / "data") as talk:
        [offered] = (await talk.say("Remind me tomorrow at 9 to call mum")).proposals
        assert isinstance(offered.wish, Wish)
        assert offered.source is None
        assert await talk.services.memory.config(7) is None, "an offer stores nothing"
        kept = await talk.services.reminders.add(7, offered.wish, thread=0, person=7, language="en")
        assert kept is not None
        config = await talk.services.memory.config(7)
        assert config is not None
        assert not config.enabled
    async with talking(tmp_path / "data") as talk:
        assert [one.text for one in await talk.services.reminders.all(7)] == ["call mum"]

"""Admins of a group who write anonymously: Telegram sends their words under one common sender, their presses under
their own names.
"""

import pytest

from playground.refusals import Json
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

SENDER: Json = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}


def says_anonymously(house: LocalServers, group: int, text: str, **content: object) -> None:
    """Post as Telegram posts for an anonymous admin."""
    words: Json = {"text": text, "sender_chat": {"id": group, "type": "supergroup", "title": "Picnic"}, **content}
    if text.startswith("/"):
        words["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
    house.world.updates.add("message", house.world.post_message(group, SENDER, words))


@pytest.mark.parametrize("allowed", ["*", str(SENDER["id"])])
async def test_whoever_may_start_the_wizard_anonymously_comes_to_its_end(house: LocalServers, allowed: str) -> None:
    async with house.bot(ALLOWED_USER_IDS=allowed):
        ann, bob = house.person(), house.person("Bob")
        group = house.group(ann, bob, admins=[ann])
        anns: Member = ann.within(group)
        since = anns.now
        says_anonymously(house, group, "/summary@keepsake_bot")
        asked = await anns.hears("1 of 2", since=since)
        assert "somebody else" in await bob.toast(bob.within(group).press(asked, "SQLite"))
        since = anns.now
        anns.press(asked, "SQLite")
        number = await anns.hears("2 of 2", since=since)
        since = anns.now
        says_anonymously(house, group, "7", reply_to_message=house.world.messages[group][number["message_id"]])
        assert "External memory configured" in (await anns.hears("configured", since=since))["text"]


async def test_an_answer_to_an_anonymous_admin_can_be_tried_again_and_stopped(house: LocalServers) -> None:
    async with house.bot(ALLOWED_USER_IDS="*", REPLY_STREAMING="auto"):
        ann, bob = house.person(), house.person("Bob")
        group = house.group(ann, bob, admins=[ann])
        anns: Member = ann.within(group)
        long = Behaviour(text="Once upon a time " * 20, hold="middle")
        house.model.script(ANSWERS, Behaviour(status=401), "Here I am.", long)
        mention: list[Json] = [{"type": "mention", "offset": 0, "length": len("@keepsake_bot")}]
        since = anns.now
        says_anonymously(house, group, "@keepsake_bot are you there?", entities=mention)
        failed = await anns.hears("I could not answer", since=since)
        since = anns.now
        anns.press(failed, "Try again")
        shown = await anns.hears("Here I am.", since=since)
        assert shown["message_id"] == failed["message_id"]
        assert "somebody else" in await bob.toast(bob.within(group).press(shown, "Regenerate"))
        since = anns.now
        anns.press(shown, "Regenerate")
        await anns.hears("Once", since=since)
        # It is said at once, and not behind the running answer.
        assert "somebody else" in await bob.toast(bob.within(group).press(shown, "Regenerate"))
        since = anns.now
        says_anonymously(house, group, "/stop@keepsake_bot")
        await anns.hears("Stopped", since=since)


async def test_a_command_proposed_to_an_anonymous_admin_runs_when_an_admin_presses_its_button(
    house: LocalServers,
) -> None:
    async with house.bot(ALLOWED_USER_IDS="*"):
        ann, bob = house.person(), house.person("Bob")
        group = house.group(ann, bob, admins=[ann])
        anns: Member = ann.within(group)
        await anns.asks("/summary_on@keepsake_bot", "Memory is on")
        offer = {"name": "offer_command", "arguments": {"command": "/persona Answer in rhymes."}}
        house.model.script(ANSWERS, Behaviour(calls=(offer,)), "Shall I?")
        mention: list[Json] = [{"type": "mention", "offset": 0, "length": len("@keepsake_bot")}]
        since = anns.now
        says_anonymously(house, group, "@keepsake_bot answer in rhymes from now on", entities=mention)
        asked = await anns.hears("/persona Answer in rhymes.", since=since)
        assert "somebody else" in await bob.toast(bob.within(group).press(asked, "Do it"))
        since = anns.now
        anns.press(asked, "Do it")
        await anns.hears(lambda message: message["message_id"] != asked["message_id"], since=since)
        assert "Answer in rhymes." in await anns.asks("/persona@keepsake_bot")

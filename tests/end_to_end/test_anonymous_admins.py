"""Tests of anonymous group admins.

Telegram sends their messages under one common sender, but their button presses under their own names.
"""

import pytest

from playground.refusals import Json
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")

SENDER: Json = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}


def says_anonymously(servers: LocalServers, group: int, text: str, **content: object) -> None:
    """Post a message as Telegram does for an anonymous admin."""
    words: Json = {"text": text, "sender_chat": {"id": group, "type": "supergroup", "title": "Picnic"}, **content}
    if text.startswith("/"):
        words["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
    servers.world.updates.add("message", servers.world.post_message(group, SENDER, words))


@pytest.mark.parametrize("allowed", ["*", str(SENDER["id"])])
async def test_anonymous_admin_can_complete_setup_wizard(servers: LocalServers, allowed: str) -> None:
    async with servers.run_bot(ALLOWED_USER_IDS=allowed):
        ann, bob = servers.add_person(), servers.add_person("Bob")
        group = servers.add_group(ann, bob, admins=[ann])
        anns: Member = ann.with_chat(group)
        since = anns.last_event
        says_anonymously(servers, group, "/summary@keepsake_bot")
        asked = await anns.wait_for_message("1 of 2", since=since)
        assert "somebody else" in await bob.wait_for_toast(bob.with_chat(group).press_button(asked, "SQLite"))
        since = anns.last_event
        anns.press_button(asked, "SQLite")
        number = await anns.wait_for_message("2 of 2", since=since)
        since = anns.last_event
        says_anonymously(servers, group, "7", reply_to_message=servers.world.messages[group][number["message_id"]])
        assert "External memory configured" in (await anns.wait_for_message("configured", since=since))["text"]


async def test_answer_to_anonymous_admin_can_be_retried_and_stopped(servers: LocalServers) -> None:
    async with servers.run_bot(ALLOWED_USER_IDS="*", REPLY_STREAMING="auto"):
        ann, bob = servers.add_person(), servers.add_person("Bob")
        group = servers.add_group(ann, bob, admins=[ann])
        anns: Member = ann.with_chat(group)
        long = Behaviour(text="Once upon a time " * 20, hold="middle")
        servers.model.script(ANSWERS, Behaviour(status=401), "Here I am.", long)
        mention: list[Json] = [{"type": "mention", "offset": 0, "length": len("@keepsake_bot")}]
        since = anns.last_event
        says_anonymously(servers, group, "@keepsake_bot are you there?", entities=mention)
        failed = await anns.wait_for_message("I could not answer", since=since)
        since = anns.last_event
        anns.press_button(failed, "Try again")
        shown = await anns.wait_for_message("Here I am.", since=since)
        assert shown["message_id"] == failed["message_id"]
        assert "somebody else" in await bob.wait_for_toast(bob.with_chat(group).press_button(shown, "Regenerate"))
        since = anns.last_event
        anns.press_button(shown, "Regenerate")
        await anns.wait_for_message("Once", since=since)
        # It is said at once, and not behind the running answer.
        assert "somebody else" in await bob.wait_for_toast(bob.with_chat(group).press_button(shown, "Regenerate"))
        since = anns.last_event
        says_anonymously(servers, group, "/stop@keepsake_bot")
        await anns.wait_for_message("Stopped", since=since)


async def test_command_offered_to_anonymous_admin_runs_when_admin_confirms(servers: LocalServers) -> None:
    async with servers.run_bot(ALLOWED_USER_IDS="*"):
        ann, bob = servers.add_person(), servers.add_person("Bob")
        group = servers.add_group(ann, bob, admins=[ann])
        anns: Member = ann.with_chat(group)
        await anns.ask("/summary_on@keepsake_bot", "Memory is on")
        offer = {"name": "offer_command", "arguments": {"command": "/persona Answer in rhymes."}}
        servers.model.script(ANSWERS, Behaviour(calls=(offer,)), "Shall I?")
        mention: list[Json] = [{"type": "mention", "offset": 0, "length": len("@keepsake_bot")}]
        since = anns.last_event
        says_anonymously(servers, group, "@keepsake_bot answer in rhymes from now on", entities=mention)
        asked = await anns.wait_for_message("/persona Answer in rhymes.", since=since)
        assert "somebody else" in await bob.wait_for_toast(bob.with_chat(group).press_button(asked, "Do it"))
        since = anns.last_event
        anns.press_button(asked, "Do it")
        await anns.wait_for_message(lambda message: message["message_id"] != asked["message_id"], since=since)
        assert "Answer in rhymes." in await anns.ask("/persona@keepsake_bot")

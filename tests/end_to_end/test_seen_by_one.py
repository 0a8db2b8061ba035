"""In a group, the replies to /why, /memory and /settings are visible only to the requester."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_why_memory_and_settings_in_group_are_visible_only_to_requester(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    group = ann.with_chat(servers.add_group(ann, bob, admins=[ann]))
    async with servers.run_bot(DATA_DIR="seen-by-one"):
        await servers.world.calls.wait_for_first_match(
            lambda call: "all_chat_administrators" in str(call["params"].get("scope")) and call["answer"].get("ok")
        )
        await group.ask("/summary_on", "Memory is on")
        answer = await group.ask_for_message("@keepsake_bot We meet on Mondays.", "Noted.")
        await group.ask("@keepsake_bot Thank you", "Noted.")  # by then it is stored which message shows the answer
        since = group.last_event
        group.press_button(answer, "Why")
        why = await group.wait_for_message("was made from", since=since)
        typed = await group.ask_for_message("/why", "was made from", reply_to=answer["message_id"])
        memory = await group.ask_for_message("/memory", "What I know")
        settings = await group.ask_for_message("/settings")
        since = group.last_event
        group.press_button(settings, "Incognito")
        changed = await group.wait_for_message(since=since)
        for message in (why, typed, memory, settings, changed):
            assert message["receiver_user"]["id"] == ann.id
        assert changed["ephemeral_message_id"] == settings["ephemeral_message_id"]
        public = [message["text"] for message in group.list_bot_messages() if "receiver_user" not in message]
        assert len(public) == 3

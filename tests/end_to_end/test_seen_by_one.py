"""A group does not have to read what one member looks up: /why, /memory and /settings are for their eyes alone."""

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_why_memory_and_settings_of_a_group_are_seen_by_the_one_who_asks(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    group = ann.within(house.group(ann, bob, admins=[ann]))
    async with house.bot(DATA_DIR="seen-by-one"):
        await house.world.calls.wait_for_first_match(
            lambda call: "all_chat_administrators" in str(call["params"].get("scope")) and call["answer"].get("ok")
        )
        await group.asks("/summary_on", "Memory is on")
        answer = await group.tells("@keepsake_bot We meet on Mondays.", "Noted.")
        await group.asks("@keepsake_bot Thank you", "Noted.")  # by then it is stored which message shows the answer
        since = group.now
        group.press(answer, "Why")
        why = await group.hears("was made from", since=since)
        typed = await group.tells("/why", "was made from", reply_to=answer["message_id"])
        memory = await group.tells("/memory", "What I know")
        settings = await group.tells("/settings")
        since = group.now
        group.press(settings, "Incognito")
        changed = await group.hears(since=since)
        for message in (why, typed, memory, settings, changed):
            assert message["receiver_user"]["id"] == ann.id
        assert changed["ephemeral_message_id"] == settings["ephemeral_message_id"]
        public = [message["text"] for message in group.heard() if "receiver_user" not in message]
        assert len(public) == 3

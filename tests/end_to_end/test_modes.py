"""Messages sent while nothing may be stored are never stored, even if the mode changes before the answer."""

import pytest

from tests.end_to_end.harness import ANSWERS, HANGS, LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = "The heliotrope is in the cellar"
CHOICES = {
    "incognito": ("/incognito on", "is on", "/incognito off", "is off"),
    "off": ("/summary_off", "Memory is off", "/summary_on", "Memory is on"),
}


def in_files(servers: LocalServers, folder: str) -> list[str]:
    return servers.get_memory(folder).find_files_containing("heliotrope")


@pytest.mark.parametrize(("storage", "choice"), [("SQLite", "incognito"), ("JSON", "off")])
async def test_message_queued_while_storing_is_disabled_is_never_stored(
    servers: LocalServers, storage: str, choice: str
) -> None:
    ann, folder = servers.add_person(), f"waited-{storage}-{choice}"
    begin, begun, end, ended = CHOICES[choice]
    held = servers.model.hold_count
    async with servers.run_bot(DATA_DIR=folder, FACTS="off") as process:
        await ann.set_up_memory(storage)
        servers.model.script(ANSWERS, HANGS)
        since = ann.last_event
        ann.say("A long question")
        await servers.model.wait_until_held(held + 1)
        await ann.ask(begin, begun)
        servers.model.script(ANSWERS, "Well hidden.")
        ann.say(SECRET)
        await ann.ask(end, ended)
        await servers.model.release()
        answer = await ann.wait_for_message("Well hidden.", since=since)
        assert answer["text"].startswith("🕶") is (choice == "incognito")
        await ann.ask("And now?", "Noted.")
        assert SECRET not in str(servers.list_chat_requests()[-1])
        assert await process.terminate() == 0
    assert in_files(servers, folder) == []
    assert servers.get_memory(folder).find_files_containing("And now?")


async def test_message_sent_before_memory_is_first_turned_on_is_never_stored(servers: LocalServers) -> None:
    ann = servers.add_person()
    held = servers.model.hold_count
    async with servers.run_bot(DATA_DIR="first", FACTS="off") as process:
        servers.model.script(ANSWERS, HANGS)
        since = ann.last_event
        ann.say("A long question")
        await servers.model.wait_until_held(held + 1)
        servers.model.script(ANSWERS, "Well hidden.")
        ann.say(SECRET)
        await ann.set_up_memory()
        await servers.model.release()
        await ann.wait_for_message("Well hidden.", since=since)
        assert await process.terminate() == 0
    assert in_files(servers, "first") == []


@pytest.mark.parametrize("choice", CHOICES)
async def test_unstored_message_answered_after_kill_is_never_stored(servers: LocalServers, choice: str) -> None:
    ann, folder = servers.add_person(), f"next-{choice}"
    begin, begun, end, ended = CHOICES[choice]
    held = servers.model.hold_count
    async with servers.run_bot(DATA_DIR=folder, FACTS="off") as process:
        await ann.set_up_memory()
        await ann.ask(begin, begun)
        servers.model.script(ANSWERS, HANGS)
        since = ann.last_event
        ann.say(SECRET)
        await servers.model.wait_until_held(held + 1)
        await ann.ask(end, ended)
        await process.kill()
    servers.model.script(ANSWERS, "Well hidden.")
    async with servers.run_bot(DATA_DIR=folder, FACTS="off") as process:
        await ann.wait_for_message("Well hidden.", since=since)
        await ann.ask("And now?", "Noted.")
        assert await process.terminate() == 0
    assert in_files(servers, folder) == []

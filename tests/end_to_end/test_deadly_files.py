"""A file that kills the process is tried twice, then set aside, and its sender is notified."""

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import LocalServers
from tests.end_to_end.test_moves import TELEGRAM, long_chat, send_document

pytestmark = pytest.mark.asyncio(loop_scope="module")

SET_ASIDE = "so I have set it aside"


class Held:
    """Make the next file download hang, so that the process can be killed while it works on the file."""

    def __init__(self, servers: LocalServers) -> None:
        self._calls = servers.world.calls
        self._since = self._calls.last
        servers.faults.add(Fault(kind="hang", method="getFile"))

    async def reached(self) -> None:
        await self._calls.wait_for_first_match(
            lambda call: call["method"] == "getFile" and call["fault"] == "hang", since=self._since, timeout=90
        )


async def test_import_file_that_kills_process_twice_is_set_aside(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    folder = "deadly-file"
    since = ann.last_event
    for run in range(2):
        held = Held(servers)
        async with servers.run_bot(DATA_DIR=folder) as process:
            if run == 0:
                send_document(ann, TELEGRAM, caption="/import")
            await held.reached()
            await bob.ask(f"Hello for the {run + 1}. time", "Noted.")
            await process.kill()
    assert not ann.list_bot_messages(since=since)
    calls = servers.world.calls.last
    async with servers.run_bot(DATA_DIR=folder):
        await ann.wait_for_message(SET_ASIDE, since=since)
        assert not [call for call in servers.world.calls.list_entries_since(calls) if call["method"] == "getFile"]
        await bob.ask("And now?", "Noted.")
        since = ann.last_event
        send_document(ann, TELEGRAM, caption="/import")
        await ann.wait_for_message("would add 4 messages", since=since)
    since = ann.last_event
    async with servers.run_bot(DATA_DIR=folder):
        await ann.ask("Still there?", "Noted.")
        assert len(ann.list_bot_messages(since=since)) == 1


async def test_import_button_press_that_kills_process_twice_is_set_aside(servers: LocalServers) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    folder = "deadly-press"
    async with servers.run_bot(DATA_DIR=folder) as process:
        await ann.set_up_memory()
        since = ann.last_event
        send_document(ann, long_chat(1000, person=ann.id), caption="/import")
        offer = await ann.wait_for_message("would add 1,000 messages", since=since)
        since = ann.last_event
        servers.faults.add(Fault(kind="hang", method="editMessageText", chat_id=ann.id, after=1))
        ann.press_button(offer, "Import")
        await ann.wait_for_message(lambda message: " of 1,000" in message.get("text", ""), since=since)
        await process.kill()
    held = Held(servers)
    async with servers.run_bot(DATA_DIR=folder) as process:
        await held.reached()
        await bob.ask("Hello", "Noted.")
        await process.kill()
    async with servers.run_bot(DATA_DIR=folder):
        told = await ann.wait_for_message(SET_ASIDE, since=since)
        assert told["message_id"] == offer["message_id"]
        await bob.ask("And now?", "Noted.")
        await ann.ask("And I?", "Noted.")


async def test_clean_stops_do_not_count_as_failed_attempts(servers: LocalServers) -> None:
    ann = servers.add_person()
    since = ann.last_event
    for run in range(2):
        held = Held(servers)
        async with servers.run_bot(DATA_DIR="stopped-file") as process:
            if run == 0:
                send_document(ann, TELEGRAM, caption="/import")
            await held.reached()
            assert await process.terminate() == 0
    async with servers.run_bot(DATA_DIR="stopped-file"):
        await ann.wait_for_message("would add 4 messages", since=since)
    assert SET_ASIDE not in str(ann.list_bot_messages(since=since))

"""A file over which the process dies: tried twice, then set aside, and its sender is told."""

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import LocalServers
from tests.end_to_end.test_moves import TELEGRAM, long_chat, sends

pytestmark = pytest.mark.asyncio(loop_scope="module")

SET_ASIDE = "so I have set it aside"


class Held:
    """The next fetching of a file hangs, so that the process can be ended in the middle of its work on it."""

    def __init__(self, house: LocalServers) -> None:
        self._calls = house.world.calls
        self._since = self._calls.last
        house.faults.add(Fault(kind="hang", method="getFile"))

    async def reached(self) -> None:
        await self._calls.wait_for_first_match(
            lambda call: call["method"] == "getFile" and call["fault"] == "hang", since=self._since, timeout=90
        )


async def test_a_file_sent_with_import_over_which_the_process_dies_twice(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    folder = "deadly-file"
    since = ann.now
    for run in range(2):
        held = Held(house)
        async with house.bot(DATA_DIR=folder) as process:
            if run == 0:
                sends(ann, TELEGRAM, caption="/import")
            await held.reached()
            await bob.asks(f"Hello for the {run + 1}. time", "Noted.")
            await process.kill()
    assert not ann.heard(since=since)
    calls = house.world.calls.last
    async with house.bot(DATA_DIR=folder):
        await ann.hears(SET_ASIDE, since=since)
        assert not [call for call in house.world.calls.list_entries_since(calls) if call["method"] == "getFile"]
        await bob.asks("And now?", "Noted.")
        since = ann.now
        sends(ann, TELEGRAM, caption="/import")
        await ann.hears("would add 4 messages", since=since)
    since = ann.now
    async with house.bot(DATA_DIR=folder):
        await ann.asks("Still there?", "Noted.")
        assert len(ann.heard(since=since)) == 1


async def test_the_press_of_import_over_which_the_process_dies_twice(house: LocalServers) -> None:
    ann, bob = house.person(), house.person("Bob")
    folder = "deadly-press"
    async with house.bot(DATA_DIR=folder) as process:
        await ann.sets_up()
        since = ann.now
        sends(ann, long_chat(1000, person=ann.id), caption="/import")
        offer = await ann.hears("would add 1,000 messages", since=since)
        since = ann.now
        house.faults.add(Fault(kind="hang", method="editMessageText", chat_id=ann.id, after=1))
        ann.press(offer, "Import")
        await ann.hears(lambda message: " of 1,000" in message.get("text", ""), since=since)
        await process.kill()
    held = Held(house)
    async with house.bot(DATA_DIR=folder) as process:
        await held.reached()
        await bob.asks("Hello", "Noted.")
        await process.kill()
    async with house.bot(DATA_DIR=folder):
        told = await ann.hears(SET_ASIDE, since=since)
        assert told["message_id"] == offer["message_id"]
        await bob.asks("And now?", "Noted.")
        await ann.asks("And I?", "Noted.")


async def test_stops_in_order_do_not_count(house: LocalServers) -> None:
    ann = house.person()
    since = ann.now
    for run in range(2):
        held = Held(house)
        async with house.bot(DATA_DIR="stopped-file") as process:
            if run == 0:
                sends(ann, TELEGRAM, caption="/import")
            await held.reached()
            assert await process.terminate() == 0
    async with house.bot(DATA_DIR="stopped-file"):
        await ann.hears("would add 4 messages", since=since)
    assert SET_ASIDE not in str(ann.heard(since=since))

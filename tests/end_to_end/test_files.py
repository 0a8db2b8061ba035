"""Files that people send: read, answered, remembered with their place, and forgotten, through the running bot."""

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.support.documents import pdf

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_pdf_is_read_although_the_bot_dies_over_its_fetching_and_is_found_later(house: LocalServers) -> None:
    ann = house.person()
    folder, calls = "read-files", house.world.calls.last
    pages = ["The lease begins in May.", "The deposit of 900 euros goes to Zyprexol. " * 8, "Signed in Riga."]
    async with house.bot(DATA_DIR=folder) as process:
        await ann.sets_up()
        house.faults.add(Fault(kind="hang", method="getFile"))
        house.world.send_file(ann.id, ann.id, kind="document", name="lease.pdf", data=pdf(pages), caption="When?")
        await house.world.calls.wait_for_first_match(lambda call: call["method"] == "getFile", since=calls)
        await process.kill()
    house.model.script(ANSWERS, "It begins in May.")
    since = ann.now
    async with house.bot(DATA_DIR=folder):
        await ann.hears("It begins in May.", since=since)
        asked = house.chat_requests()[-1][-1]["content"]
        assert "[lease.pdf, page 1]" in asked
        assert asked.endswith("When?\n[Sent with the file lease.pdf]")
        assert "[lease.pdf, page 2]" in await ann.asks("/search Zyprexol")

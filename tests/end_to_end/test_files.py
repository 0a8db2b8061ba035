"""A PDF is answered after a kill during its download, and its text is found with the page number."""

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.support.documents import make_pdf

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_pdf_is_answered_after_kill_during_download_and_searchable(servers: LocalServers) -> None:
    ann = servers.add_person()
    folder, calls = "read-files", servers.world.calls.last
    pages = ["The lease begins in May.", "The deposit of 900 euros goes to Zyprexol. " * 8, "Signed in Riga."]
    async with servers.run_bot(DATA_DIR=folder) as process:
        await ann.set_up_memory()
        servers.faults.add(Fault(kind="hang", method="getFile"))
        servers.world.send_file(
            ann.id, ann.id, kind="document", name="lease.pdf", data=make_pdf(pages), caption="When?"
        )
        await servers.world.calls.wait_for_first_match(lambda call: call["method"] == "getFile", since=calls)
        await process.kill()
    servers.model.script(ANSWERS, "It begins in May.")
    since = ann.last_event
    async with servers.run_bot(DATA_DIR=folder):
        await ann.wait_for_message("It begins in May.", since=since)
        asked = servers.list_chat_requests()[-1][-1]["content"]
        assert "[lease.pdf, page 1]" in asked
        assert asked.endswith("When?\n[Sent with the file lease.pdf]")
        assert "[lease.pdf, page 2]" in await ann.ask("/search Zyprexol")

"""A past from elsewhere through Telegram: questions about a file, pasted memories, the export that people read."""

import io
import json
import zipfile
from collections.abc import AsyncIterator
from functools import partial

import pytest
import pytest_asyncio

from playground.faults import Fault
from tests.end_to_end.harness import Json, LocalServers, Member, Process

pytestmark = pytest.mark.asyncio(loop_scope="module")
CHAT = """\
1/2/2024, 10:00 - Anna: The spare key lies under the blue flowerpot
1/2/2024, 10:01 - Tom: Good to know
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(house: LocalServers) -> AsyncIterator[Process]:
    async with house.bot() as process:
        yield process


def sends(person: Member, data: bytes, name: str) -> Json:
    return person.house.world.send_file(
        person.id, person.chat_id, kind="document", name=name, data=data, caption="/import", reply_to=None
    )


async def pressed(person: Member, message: Json, button: str, then: str) -> Json:
    since = person.now
    person.press(message, button)
    return await person.hears(then, since=since)


def has_file(ending: str, message: Json) -> bool:
    return str(message.get("document", {}).get("file_name", "")).endswith(ending)


async def test_a_chat_of_whatsapp_comes_in_once_its_questions_are_answered(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.asks("/summary_on", "Memory is on")
    since = ann.now
    sends(ann, CHAT.encode(), "WhatsApp Chat with Tom.txt")
    asked = await ann.hears("How does this file write dates?", since=since)
    asked = await pressed(ann, asked, "the day comes first", "Which of the speakers are you?")
    offer = await pressed(ann, asked, "Anna (1)", "would add 2 messages")
    done = await pressed(ann, offer, "Import", "Done: 2 messages added")
    since = ann.now
    assert await ann.toast(ann.press(offer, "Import")) == "You have pressed this already."
    edited = [event for event in house.world.feed.list_entries_since(since) if event["kind"] == "edit"]
    assert not [update for update in edited if update["message"]["message_id"] == done["message_id"]], (
        "the receipt stays"
    )
    assert "flowerpot" in await ann.asks("/search flowerpot")
    assert [message["origin"] for message in house.memory.messages(ann.id)] == ["imported", "overheard"]


async def test_whose_another_account_was_may_be_said(house: LocalServers, bot: Process) -> None:
    dora = house.person("Dora")
    await dora.asks("/summary_on", "Memory is on")
    message = {
        "id": 1,
        "type": "message",
        "date": "2024-05-01T10:00:00",
        "from": "Dora",
        "from_id": "user3",
        "text": "Hi",
    }
    chat = {"name": "Tom", "type": "personal_chat", "id": 5, "messages": [message]}
    since = dora.now
    sends(dora, json.dumps(chat).encode(), "result.json")
    offer = await dora.hears("None of its messages is yours", since=since)
    asked = await pressed(dora, offer, "Which of the speakers are you?", "would add 1 message")
    offer = await pressed(dora, asked, "Dora (1)", "would add 1 message")
    await pressed(dora, offer, "Import", "Done: 1 message added")
    assert [message["origin"] for message in house.memory.messages(dora.id)] == ["imported"]


async def test_pasted_memories_are_kept_as_they_were_chosen(house: LocalServers, bot: Process) -> None:
    ben = house.person("Ben")
    await ben.asks("/summary_on", "Memory is on")
    asked = await ben.tells("/import", "send me the file")
    await pressed(ben, asked, "From another assistant", "List everything that you know")
    shown = await ben.tells(
        "[2025-03-02] - Ben grows walnuts.\n[unknown] - Ben lives in Bern.", "1 ✓ Ben grows walnuts."
    )
    shown = await pressed(ben, shown, "✓ 2", "2 – Ben lives in Bern.")
    offer = await pressed(ben, shown, "Continue", "would add 1 fact")
    await pressed(ben, offer, "Import", "Done: 1 fact added")
    listed = await ben.asks("/memory")
    assert "Ben grows walnuts." in listed
    assert "Bern" not in listed


async def test_the_export_for_people(house: LocalServers, bot: Process) -> None:
    cleo = house.person("Cleo")
    await cleo.asks("/summary_on", "Memory is on")
    await cleo.asks("Walnuts <b>keep</b> a year & more", "Noted")
    asked = await cleo.tells("/export", "Who is the export for?")
    since = cleo.now
    cleo.press(asked, "For me")
    files = {}
    for ending in (".zip", ".html"):
        message = await cleo.hears(partial(has_file, ending), since=since)
        file = house.world.files.find_by_id(message["document"]["file_id"])
        assert file is not None
        files[ending] = file.data
    with zipfile.ZipFile(io.BytesIO(files[".zip"])) as archive:
        [talk] = [name for name in archive.namelist() if name.startswith("talk/")]
        text = archive.read(talk).decode()
    assert text.startswith("---\ntype: conversation\n")
    assert "Walnuts <b>keep</b> a year & more" in text
    page = files[".html"].decode()
    assert "Walnuts &lt;b&gt;keep&lt;/b&gt; a year &amp; more" in page
    assert "http" not in page.replace("http-equiv", ""), "nothing is loaded from anywhere"


async def test_an_import_that_could_not_begin_begins_at_the_next_press(house: LocalServers, bot: Process) -> None:
    """The first press failed without a visible change, and from then on the button did nothing."""
    ann = house.person()
    await ann.asks("/summary_on", "Memory is on")
    since = ann.now
    sends(ann, CHAT.encode(), "WhatsApp Chat with Tom.txt")
    asked = await ann.hears("How does this file write dates?", since=since)
    asked = await pressed(ann, asked, "the day comes first", "Which of the speakers are you?")
    offer = await pressed(ann, asked, "Anna (1)", "would add 2 messages")
    house.faults.add(Fault(kind="error", method="editMessageText", chat_id=ann.id, times=None, error_code=500))
    house.faults.add(Fault(kind="error", method="sendMessage", chat_id=ann.id, times=None, error_code=500))
    await ann.toast(ann.press(offer, "Import"))
    house.faults.clear_faults()
    await pressed(ann, offer, "Import", "Done: 2 messages added")

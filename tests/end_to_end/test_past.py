"""Tests of history imports through Telegram: questions about a file, pasted memories, the readable export."""

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
async def bot(servers: LocalServers) -> AsyncIterator[Process]:
    async with servers.run_bot() as process:
        yield process


def send_import(person: Member, data: bytes, name: str) -> Json:
    return person.servers.world.send_file(
        person.id, person.chat_id, kind="document", name=name, data=data, caption="/import", reply_to=None
    )


async def press_and_wait(person: Member, message: Json, button: str, then: str) -> Json:
    since = person.last_event
    person.press_button(message, button)
    return await person.wait_for_message(then, since=since)


def has_file(ending: str, message: Json) -> bool:
    return str(message.get("document", {}).get("file_name", "")).endswith(ending)


async def test_whatsapp_chat_is_imported_after_questions_are_answered(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.ask("/summary_on", "Memory is on")
    since = ann.last_event
    send_import(ann, CHAT.encode(), "WhatsApp Chat with Tom.txt")
    asked = await ann.wait_for_message("How does this file write dates?", since=since)
    asked = await press_and_wait(ann, asked, "the day comes first", "Which of the speakers are you?")
    offer = await press_and_wait(ann, asked, "Anna (1)", "would add 2 messages")
    done = await press_and_wait(ann, offer, "Import", "Done: 2 messages added")
    since = ann.last_event
    assert await ann.wait_for_toast(ann.press_button(offer, "Import")) == "You have pressed this already."
    edited = [event for event in servers.world.feed.list_entries_since(since) if event["kind"] == "edit"]
    assert not [update for update in edited if update["message"]["message_id"] == done["message_id"]], (
        "the receipt stays"
    )
    assert "flowerpot" in await ann.ask("/search flowerpot")
    assert [message["origin"] for message in servers.memory.list_messages(ann.id)] == ["imported", "overheard"]


async def test_buttons_of_import_work_after_its_file_was_deleted_from_chat(servers: LocalServers, bot: Process) -> None:
    ida = servers.add_person("Ida")
    await ida.ask("/summary_on", "Memory is on")
    since = ida.last_event
    sent = send_import(ida, CHAT.replace("Anna", "Ida").encode(), "WhatsApp Chat with Tom.txt")
    asked = await ida.wait_for_message("How does this file write dates?", since=since)
    servers.world.remove_message(ida.chat_id, sent["message_id"])
    asked = await press_and_wait(ida, asked, "the day comes first", "Which of the speakers are you?")
    offer = await press_and_wait(ida, asked, "Ida (1)", "would add 2 messages")
    await press_and_wait(ida, offer, "Import", "Done: 2 messages added")


async def test_speaker_can_be_chosen_when_import_has_no_own_messages(servers: LocalServers, bot: Process) -> None:
    dora = servers.add_person("Dora")
    await dora.ask("/summary_on", "Memory is on")
    message = {
        "id": 1,
        "type": "message",
        "date": "2024-05-01T10:00:00",
        "from": "Dora",
        "from_id": "user3",
        "text": "Hi",
    }
    chat = {"name": "Tom", "type": "personal_chat", "id": 5, "messages": [message]}
    since = dora.last_event
    send_import(dora, json.dumps(chat).encode(), "result.json")
    offer = await dora.wait_for_message("None of its messages is yours", since=since)
    asked = await press_and_wait(dora, offer, "Which of the speakers are you?", "would add 1 message")
    offer = await press_and_wait(dora, asked, "Dora (1)", "would add 1 message")
    await press_and_wait(dora, offer, "Import", "Done: 1 message added")
    assert [message["origin"] for message in servers.memory.list_messages(dora.id)] == ["imported"]


async def test_only_selected_pasted_memories_are_imported(servers: LocalServers, bot: Process) -> None:
    ben = servers.add_person("Ben")
    await ben.ask("/summary_on", "Memory is on")
    asked = await ben.ask_for_message("/import", "send me the file")
    await press_and_wait(ben, asked, "From another assistant", "List everything that you know")
    shown = await ben.ask_for_message(
        "[2025-03-02] - Ben grows walnuts.\n[unknown] - Ben lives in Bern.", "1 ✓ Ben grows walnuts."
    )
    shown = await press_and_wait(ben, shown, "✓ 2", "2 – Ben lives in Bern.")
    offer = await press_and_wait(ben, shown, "Continue", "would add 1 fact")
    await press_and_wait(ben, offer, "Import", "Done: 1 fact added")
    listed = await ben.ask("/memory")
    assert "Ben grows walnuts." in listed
    assert "Bern" not in listed


async def test_export_for_people_contains_markdown_archive_and_html_page(servers: LocalServers, bot: Process) -> None:
    cleo = servers.add_person("Cleo")
    await cleo.ask("/summary_on", "Memory is on")
    await cleo.ask("Walnuts <b>keep</b> a year & more", "Noted")
    asked = await cleo.ask_for_message("/export", "Who is the export for?")
    since = cleo.last_event
    cleo.press_button(asked, "For me")
    files = {}
    for ending in (".zip", ".html"):
        message = await cleo.wait_for_message(partial(has_file, ending), since=since)
        file = servers.world.files.find_by_id(message["document"]["file_id"])
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


async def test_import_that_failed_to_start_can_be_started_again(servers: LocalServers, bot: Process) -> None:
    """After a failed first press, the Import button once did nothing."""
    ann = servers.add_person()
    await ann.ask("/summary_on", "Memory is on")
    since = ann.last_event
    send_import(ann, CHAT.encode(), "WhatsApp Chat with Tom.txt")
    asked = await ann.wait_for_message("How does this file write dates?", since=since)
    asked = await press_and_wait(ann, asked, "the day comes first", "Which of the speakers are you?")
    offer = await press_and_wait(ann, asked, "Anna (1)", "would add 2 messages")
    servers.faults.add(Fault(kind="error", method="editMessageText", chat_id=ann.id, times=None, error_code=500))
    servers.faults.add(Fault(kind="error", method="sendMessage", chat_id=ann.id, times=None, error_code=500))
    await ann.wait_for_toast(ann.press_button(offer, "Import"))
    servers.faults.clear_faults()
    await press_and_wait(ann, offer, "Import", "Done: 2 messages added")


async def test_import_button_under_second_part_of_long_plan_imports(servers: LocalServers, bot: Process) -> None:
    eve = servers.add_person("Eve")
    await eve.ask("/summary_on", "Memory is on")
    moment = "2026-05-01T10:00:00+00:00"
    dates = dict.fromkeys(("created_at", "observed_at", "valid_from"), moment)
    facts = [
        {"id": number, "text": f"Always answer Eve's question {number} in one plain sentence of English.", **dates}
        for number in range(1, 101)
    ]
    export = {"format": "keepsake-export", "version": 1, "owner": 5, "messages": [], "more": False}
    export["facts"] = [{**fact, "kind": "preference"} for fact in facts]
    since = eve.last_event
    send_import(eve, json.dumps(export).encode(), "keepsake.json")
    offer = await eve.wait_for_message(lambda message: "reply_markup" in message, since=since)
    assert "would add" not in offer["text"], "the plan has several parts, of which the last has the buttons"
    await press_and_wait(eve, offer, "Import", "Done: 100 facts added")

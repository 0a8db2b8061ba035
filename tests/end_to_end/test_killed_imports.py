"""An import of any format goes on after kill -9, without lost or duplicate messages."""

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from playground.faults import Fault
from reliability.invariants import find_violations
from tests.end_to_end.harness import Json, LocalServers, Member

pytestmark = pytest.mark.asyncio(loop_scope="module")
COUNT = 600
BEGAN = datetime(2024, 1, 13, 10, 0, tzinfo=UTC)
TEXTS = [f"Parcel {number} went to locker {number * 7}." for number in range(COUNT)]


def said_at(number: int) -> datetime:
    return BEGAN + timedelta(minutes=number)


def make_chatgpt_export() -> bytes:
    nodes: dict[str, Json] = {"n-1": {"id": "n-1", "parent": None, "message": None}}
    for number, text in enumerate(TEXTS):
        message = {
            "id": f"m{number}",
            "author": {"role": ("user", "assistant")[number % 2]},
            "content": {"content_type": "text", "parts": [text]},
            "create_time": said_at(number).timestamp(),
        }
        nodes[f"n{number}"] = {"id": f"n{number}", "parent": f"n{number - 1}", "message": message}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        talk = {"title": "Parcels", "mapping": nodes, "current_node": f"n{COUNT - 1}"}
        archive.writestr("conversations.json", json.dumps([talk]))
    return packed.getvalue()


def make_claude_export() -> bytes:
    messages = [
        {
            "uuid": f"m{number}",
            "sender": ("human", "assistant")[number % 2],
            "content": [{"type": "text", "text": text}],
            "created_at": said_at(number).isoformat(),
        }
        for number, text in enumerate(TEXTS)
    ]
    talk = {"uuid": "c1", "name": "Parcels", "created_at": BEGAN.isoformat(), "chat_messages": messages}
    return json.dumps([talk]).encode()


def make_whatsapp_export() -> bytes:
    lines = (
        f"{said_at(number):%d/%m/%Y, %H:%M} - {('Ann', 'Tom')[number % 2]}: {text}" for number, text in enumerate(TEXTS)
    )
    return "\n".join(lines).encode()


def make_gemini_export() -> bytes:
    records = [
        {
            "header": "Gemini Apps",
            "title": f"Prompted {TEXTS[number]}",
            "time": said_at(number).isoformat(),
            "safeHtmlItem": [{"html": f"<p>{TEXTS[number + 1]}</p>"}],
        }
        for number in range(0, COUNT, 2)
    ]
    return json.dumps(records[::-1]).encode()


def make_discord_export() -> bytes:
    messages = [
        {
            "id": str(2**60 + number),
            "type": "Default",
            "timestamp": said_at(number).isoformat(),
            "content": text,
            "author": {"id": "1", "name": ("Ann", "Tom")[number % 2]},
        }
        for number, text in enumerate(TEXTS)
    ]
    return json.dumps({"guild": {}, "channel": {"id": "2", "name": "parcels"}, "messages": messages}).encode()


def make_telegram_page() -> bytes:
    blocks = (
        f'<div class="message default clearfix" id="message{number}"><div class="body">'
        f'<div class="pull_right date details" title="{said_at(number):%d.%m.%Y %H:%M:%S} UTC+00:00">x</div>'
        f'<div class="from_name">{("Ann", "Tom")[number % 2]}</div><div class="text">{text}</div></div></div>'
        for number, text in enumerate(TEXTS)
    )
    return f'<html><body><div class="page_wrap">{"".join(blocks)}</div></body></html>'.encode()


def make_generic_export() -> bytes:
    messages = [
        {"role": ("user", "assistant")[number % 2], "content": text, "timestamp": said_at(number).timestamp()}
        for number, text in enumerate(TEXTS)
    ]
    return json.dumps({"title": "Parcels", "messages": messages}).encode()


def make_jsonl_export() -> bytes:
    """Return an export with one conversation per line."""
    talks = (
        {"title": f"Parcel {number}", "created_at": said_at(number).timestamp()}
        | {"messages": [{"role": ("user", "assistant")[number % 2], "content": text}]}
        for number, text in enumerate(TEXTS)
    )
    return "\n".join(map(json.dumps, talks)).encode()


def make_markdown_export() -> bytes:
    """Return an export without dates, whose messages get the time of their import."""
    said = (f"**{('You', 'ChatGPT')[number % 2]}:** {text}\n" for number, text in enumerate(TEXTS))
    return "\n".join(["# Parcels\n", *said]).encode()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A file format: the name and the content of its file, and the bot's questions about it with the answers."""

    name: str
    make: Callable[[], bytes]
    asked: tuple[tuple[str, str], ...] = ()


WHO = (("Which of the speakers are you?", f"Ann ({COUNT // 2})"),)
KINDS = {
    "gemini": Kind(name="MyActivity.json", make=make_gemini_export),
    "discord": Kind(name="parcels.json", make=make_discord_export, asked=WHO),
    "telegram-html": Kind(name="messages.html", make=make_telegram_page, asked=WHO),
    "generic": Kind(name="talk.json", make=make_generic_export),
    "lines": Kind(name="talks.jsonl", make=make_jsonl_export),
    "markdown": Kind(name="talk.md", make=make_markdown_export),
    "chatgpt": Kind(name="export.zip", make=make_chatgpt_export),
    "claude": Kind(name="conversations.json", make=make_claude_export),
    "whatsapp": Kind(name="WhatsApp Chat with Tom.txt", make=make_whatsapp_export, asked=WHO),
}


async def offered(ann: Member, kind: Kind, *, asked: bool) -> Json:
    """Send the file with /import, answer the bot's questions if `asked`, and return its offer or refusal."""
    since = ann.last_event
    ann.servers.world.send_file(
        ann.id, ann.chat_id, kind="document", name=kind.name, data=kind.make(), caption="/import"
    )
    return await answered(ann, kind.asked if asked else (), since)


async def answered(ann: Member, questions: Sequence[tuple[str, str]], since: int) -> Json:
    for question, answer in questions:
        asked = await ann.wait_for_message(question, since=since)
        since = ann.last_event
        ann.press_button(asked, answer)
    return await ann.wait_for_message(is_about_the_file, since=since)


def is_about_the_file(message: Json) -> bool:
    """Return True if a message is an offer with an Import button, or says that there is nothing to import.

    The text of an offer alone is not enough, because a question may show it, too.
    """
    text, keyboard = message.get("text", ""), json.dumps(message.get("reply_markup", {}))
    return "nothing to import" in text or ("would add" in text and "Import" in keyboard)


BEGUN, UNDER_WAY = "Importing", f" of {COUNT}"
# Every format, and every pair of moment and store with a file about which something is asked and with one about which
# nothing is: what is written down does not depend on the format.
KILLS = [
    ("gemini", BEGUN, "SQLite"),
    ("generic", BEGUN, "JSON"),
    ("chatgpt", UNDER_WAY, "SQLite"),
    ("claude", UNDER_WAY, "JSON"),
    ("discord", BEGUN, "SQLite"),
    ("whatsapp", BEGUN, "JSON"),
    ("telegram-html", UNDER_WAY, "SQLite"),
    ("discord", UNDER_WAY, "JSON"),
]


@pytest.mark.parametrize(("name", "shown", "storage"), KILLS)
async def test_import_resumes_after_kill_without_loss_or_duplicates(
    own_servers: LocalServers, name: str, shown: str, storage: str
) -> None:
    ann, kind, folder = own_servers.add_person(), KINDS[name], f"killed-{name}-{storage}"
    async with own_servers.run_bot(DATA_DIR=folder) as process:
        await ann.set_up_memory(storage)
        offer = await offered(ann, kind, asked=True)
        assert f"would add {COUNT} messages" in offer["text"]
        since = ann.last_event
        # After "Importing…": the first word of progress holds the import up until the kill.
        own_servers.faults.add(Fault(kind="hang", method="editMessageText", chat_id=ann.id, after=1))
        ann.press_button(offer, "Import")
        await ann.wait_for_message(shown, since=since)
        await process.kill()
    own_servers.faults.clear_faults()  # else it would hold up the next run
    assert not find_violations(own_servers.get_memory(folder).read_state())
    since = ann.last_event
    async with own_servers.run_bot(DATA_DIR=folder):
        if kind.asked:  # answers are not written down: they are asked for again
            offer = await answered(ann, kind.asked, since)
            since = ann.last_event
            ann.press_button(offer, "Import")
        await ann.wait_for_message("Done", since=since)
        assert "nothing to import" in (await offered(ann, kind, asked=False))["text"]
    found = own_servers.get_memory(folder).read_state()
    assert not find_violations(found)
    said = sorted(found.get_owner_rows(ann.id).messages, key=lambda row: (row["created_at"], row["id"]))
    assert [row["content"] for row in said if row["id"] < 0] == TEXTS

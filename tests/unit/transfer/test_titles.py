"""Titles of imported conversations are searchable in every store and are not part of the text."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from tests.support.talk import ANNA, open_chat_harness
from tests.unit.transfer.conftest import ignore_progress
from transfer.formats.detection import parse_file
from transfer.formats.history import ReadContext

HERE = Scope(owner=ANNA.id)
TITLE = "Xylophone lessons"
ASKED, SAID = "Where can I learn it?", "At the music school."


def make_chatgpt_export() -> Any:
    def node(name: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": name, "author": {"role": role}, "content": content, "create_time": 1_700_000_000}
        return {"id": name, "parent": parent, "message": message}

    nodes = {"a": node("a", None, "user", ASKED), "b": node("b", "a", "assistant", SAID)}
    return [{"title": TITLE, "create_time": 1_700_000_000, "mapping": nodes, "current_node": "b"}]


def make_claude_export() -> Any:
    at = "2024-05-10T10:00:00Z"
    said = [("m1", "human", ASKED), ("m2", "assistant", SAID)]
    messages = [
        {"uuid": name, "sender": who, "text": text, "content": [], "created_at": at} for name, who, text in said
    ]
    return [{"uuid": "c", "name": TITLE, "created_at": at, "chat_messages": messages}]


def make_librechat_export() -> Any:
    messages = [{"isCreatedByUser": True, "text": ASKED}, {"isCreatedByUser": False, "text": SAID}]
    return {"conversationId": "c", "title": TITLE, "messages": messages}


def make_workspace_export() -> Any:
    turns = [{"user_turn": {"prompt": ASKED}}, {"system_turn": {"text": [{"data": SAID}]}}]
    return {"title": TITLE, "creation_time": "2024-05-10T10:00:00Z", "conversation_turns": turns}


def make_discord_export() -> Any:
    author = {"id": "1", "name": "ann"}
    at = "2024-05-10T10:00:00+00:00"
    messages = [
        {"id": str(number), "type": "Default", "timestamp": at, "content": text, "author": author}
        for number, text in enumerate((ASKED, SAID))
    ]
    return {"guild": {}, "channel": {"name": TITLE}, "messages": messages}


def make_telegram_export() -> Any:
    messages = [
        {"id": number, "type": "message", "date": "2024-05-10T10:00:00", "from": "A", "from_id": "user7", "text": text}
        for number, text in enumerate((ASKED, SAID))
    ]
    return {"name": TITLE, "type": "private_group", "id": 9, "messages": messages}


@pytest.mark.parametrize(
    "make",
    [
        make_chatgpt_export,
        make_claude_export,
        make_librechat_export,
        make_workspace_export,
        make_discord_export,
        make_telegram_export,
    ],
)
def test_first_message_carries_conversation_title(make: Any) -> None:
    found = parse_file(json.dumps(make()).encode(), ReadContext(person=7)).messages
    assert [(message.title, message.content) for message in found] == [(TITLE, ASKED), ("", SAID)]


@pytest.mark.parametrize("storage", list(StorageType))
async def test_search_finds_imported_conversation_by_title(
    tmp_path: Path, storage: StorageType, urls: list[Secret]
) -> None:
    """The title is also found after an export and an import into another memory."""
    data = json.dumps(make_chatgpt_export()).encode()
    for url, folder in zip(urls, ("old", "new"), strict=True):
        async with open_chat_harness(tmp_path / folder, database_url=url) as talk:
            await talk.turn_on_memory(storage=storage)
            await talk.services.importer.import_file(
                HERE, ANNA.id, data, ReadContext(person=ANNA.id), progress=ignore_progress
            )
            page = await talk.services.search.find_hit_page(HERE, "xylophone")
            assert [(hit.message.content, hit.message.title) for hit in page.found] == [(ASKED, TITLE)]
            async with talk.services.exporter.export_files(ANNA.id) as files:
                data = files[0].file.read()

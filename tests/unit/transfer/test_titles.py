"""The title that a conversation had elsewhere leads to it, whatever store it is in, and is no part of what was said."""

import json
from pathlib import Path
from typing import Any

import pytest

from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from tests.support.talk import ANNA, talking
from tests.unit.transfer.conftest import ignore
from transfer.formats.detection import parse_file
from transfer.formats.history import ReadContext

HERE = Scope(owner=ANNA.id)
TITLE = "Xylophone lessons"
ASKED, SAID = "Where can I learn it?", "At the music school."


def chatgpt() -> Any:
    def node(name: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": name, "author": {"role": role}, "content": content, "create_time": 1_700_000_000}
        return {"id": name, "parent": parent, "message": message}

    nodes = {"a": node("a", None, "user", ASKED), "b": node("b", "a", "assistant", SAID)}
    return [{"title": TITLE, "create_time": 1_700_000_000, "mapping": nodes, "current_node": "b"}]


def claude() -> Any:
    at = "2024-05-10T10:00:00Z"
    said = [("m1", "human", ASKED), ("m2", "assistant", SAID)]
    messages = [
        {"uuid": name, "sender": who, "text": text, "content": [], "created_at": at} for name, who, text in said
    ]
    return [{"uuid": "c", "name": TITLE, "created_at": at, "chat_messages": messages}]


def librechat() -> Any:
    messages = [{"isCreatedByUser": True, "text": ASKED}, {"isCreatedByUser": False, "text": SAID}]
    return {"conversationId": "c", "title": TITLE, "messages": messages}


def workspace() -> Any:
    turns = [{"user_turn": {"prompt": ASKED}}, {"system_turn": {"text": [{"data": SAID}]}}]
    return {"title": TITLE, "creation_time": "2024-05-10T10:00:00Z", "conversation_turns": turns}


def discord() -> Any:
    author = {"id": "1", "name": "ann"}
    at = "2024-05-10T10:00:00+00:00"
    messages = [
        {"id": str(number), "type": "Default", "timestamp": at, "content": text, "author": author}
        for number, text in enumerate((ASKED, SAID))
    ]
    return {"guild": {}, "channel": {"name": TITLE}, "messages": messages}


def telegram() -> Any:
    messages = [
        {"id": number, "type": "message", "date": "2024-05-10T10:00:00", "from": "A", "from_id": "user7", "text": text}
        for number, text in enumerate((ASKED, SAID))
    ]
    return {"name": TITLE, "type": "private_group", "id": 9, "messages": messages}


@pytest.mark.parametrize("make", [chatgpt, claude, librechat, workspace, discord, telegram])
def test_the_first_message_carries_the_title(make: Any) -> None:
    found = parse_file(json.dumps(make()).encode(), ReadContext(person=7)).messages
    assert [(message.title, message.content) for message in found] == [(TITLE, ASKED), ("", SAID)]


@pytest.mark.parametrize("storage", list(StorageType))
async def test_a_conversation_is_found_by_its_title(tmp_path: Path, storage: StorageType, urls: list[Secret]) -> None:
    """Also after an export, and its import elsewhere."""
    data = json.dumps(chatgpt()).encode()
    for url, folder in zip(urls, ("old", "new"), strict=True):
        async with talking(tmp_path / folder, database_url=url) as talk:
            await talk.remember(storage=storage)
            await talk.services.importer.import_file(HERE, ANNA.id, data, ReadContext(person=ANNA.id), progress=ignore)
            page = await talk.services.search.find_hit_page(HERE, "xylophone")
            assert [(hit.message.content, hit.message.title) for hit in page.found] == [(ASKED, TITLE)]
            async with talk.services.exporter.export_files(ANNA.id) as files:
                data = files[0].file.read()

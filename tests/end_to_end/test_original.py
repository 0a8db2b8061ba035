"""Files as the original design wrote them, with its columns alone and dates without a zone, open and live on."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.harness import House, Json

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("files of the original design")]

SCHEMA = """
CREATE TABLE users (user_id INTEGER PRIMARY KEY, storage_type TEXT, summary_every_n INTEGER, memory_enabled INTEGER,
                    created_at TEXT, updated_at TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, role TEXT, content TEXT,
                       created_at TEXT, is_active INTEGER, chunk_id INTEGER);
CREATE TABLE summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER, summary_text TEXT, created_at TEXT,
                        level INTEGER, source_chunk_ids TEXT, is_active INTEGER);
"""
OLD_SUMMARY = "The user told the assistant of a wombat called Bruno."


def old_rows(owner: int, storage: str) -> dict[str, list[Json]]:
    """A user, one folded turn, one open turn."""
    said = [
        ("user", "My wombat is called Bruno", 0, 1),
        ("assistant", "A fine name.", 0, 1),
        ("user", "He likes parsnips", 1, None),
        ("assistant", "Noted, parsnips.", 1, None),
    ]
    return {
        "users": [
            {
                "user_id": owner,
                "storage_type": storage,
                "summary_every_n": 3,
                "memory_enabled": 1,
                "created_at": "2024-03-01T10:00:00",
                "updated_at": "2024-03-01 10:00:00",
            }
        ],
        "messages": [
            {
                "id": number,
                "user_id": owner,
                "role": role,
                "content": content,
                "created_at": f"2024-03-01T10:0{number}:00",
                "is_active": is_active,
                "chunk_id": chunk,
            }
            for number, (role, content, is_active, chunk) in enumerate(said, 1)
        ],
        "summaries": [
            {
                "id": 1,
                "user_id": owner,
                "summary_text": OLD_SUMMARY,
                "created_at": "2024-03-01T10:03:00",
                "level": 1,
                "source_chunk_ids": [1],
                "is_active": 1,
            }
        ],
    }


def write_sqlite(folder: Path, owner: int) -> None:
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        connection.executescript(SCHEMA)
        for table, rows in old_rows(owner, "sqlite").items():
            for row in rows:
                values = [json.dumps(value) if isinstance(value, list) else value for value in row.values()]
                marks = ", ".join("?" * len(values))
                connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", values)  # noqa: S608
        connection.commit()


def write_json(folder: Path, owner: int) -> None:
    rows = old_rows(owner, "json")
    for row in (*rows["users"], *rows["messages"], *rows["summaries"]):
        row.update({name: bool(row[name]) for name in ("is_active", "memory_enabled") if name in row})
    content = {
        "users": {str(owner): rows["users"][0]},
        "messages": {str(owner): rows["messages"]},
        "summaries": {str(owner): rows["summaries"]},
    }
    (folder / "memory.json").write_text(json.dumps(content, indent=2), encoding="utf-8")


@pytest.mark.parametrize("storage", ["sqlite", "json"])
async def test_original_files_open_and_live_on(house: House, storage: str) -> None:
    ann = house.person()
    folder = house.folder / f"old-{storage}"
    folder.mkdir()
    (write_sqlite if storage == "sqlite" else write_json)(folder, ann.id)
    async with house.bot(DATA_DIR=folder.name) as process:
        status = await ann.asks("/summary_status")
        for line in ("Memory: enabled", "Threshold: 3", "Total messages: 4", "Archived messages: 2"):
            assert line in status
        assert OLD_SUMMARY in await ann.asks("/summary_show")
        await ann.asks("What does Bruno like?")
        text = json.dumps(house.chat_requests()[-1])
        assert "He likes parsnips" in text
        assert OLD_SUMMARY in text
        since = process.log.last
        for number in range(5):
            await ann.asks(f"Talk number {number}")
        await process.logged("summarized messages", since=since)
        await ann.asks("What is my wombat called?")
        assert "2024-03-01" in house.chat_requests()[-1][-1]["content"]
    memory = house.memory_in(folder)
    stored = memory.messages(ann.id) if storage == "sqlite" else memory.json()["messages"][str(ann.id)]
    kept = old_rows(ann.id, storage)["messages"]
    assert [(one["id"], one["content"]) for one in stored[:4]] == [(one["id"], one["content"]) for one in kept]
    assert [one["id"] for one in stored] == list(range(1, 19))
    assert [one["chunk_id"] for one in stored[:2]] == [1, 1]
    assert all(bool(one["is_active"]) is (one["chunk_id"] is None) for one in stored)


async def test_a_damaged_memory_json_is_set_aside_and_the_bot_serves(house: House) -> None:
    ann = house.person()
    folder = house.folder / "damaged"
    folder.mkdir()
    (folder / "memory.json").write_text('{"users": {"1": {', encoding="utf-8")
    async with house.bot(DATA_DIR="damaged"):
        await ann.sets_up("JSON")
        await ann.asks("Hello")
    kept = [path for path in folder.iterdir() if path.read_bytes() == b'{"users": {"1": {']
    assert len(kept) == 1
    assert len(house.memory_in(folder).json()["messages"][str(ann.id)]) == 2

"""Tests of files that cannot be read.

Data from before version 1.0 prevents the start. A damaged memory.json is set aside.
"""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("files of a version before 1.0")]


@pytest.mark.parametrize("name", ["memory.db", "memory.json"])
async def test_start_refuses_data_file_from_before_1_0_and_leaves_file_unchanged(
    servers: LocalServers, name: str
) -> None:
    folder = servers.folder / f"old-{name}"
    folder.mkdir()
    if name == "memory.db":
        with closing(sqlite3.connect(folder / name)) as connection:
            connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT)")
            connection.execute("PRAGMA user_version=26")
    else:
        (folder / name).write_text(json.dumps({"users": {}, "messages": {}, "summaries": {}}), encoding="utf-8")
    before = (folder / name).read_bytes()
    run = await servers.run(environ=servers.make_environ(DATA_DIR=folder.name))
    assert run.status == 2
    assert "Traceback" not in run.err
    [line] = [line for line in run.err.splitlines() if "before 1.0" in line]
    assert name in line
    assert "/export json" in line
    assert "/import" in line
    assert (folder / name).read_bytes() == before


async def test_damaged_memory_json_is_set_aside_and_bot_starts(servers: LocalServers) -> None:
    ann = servers.add_person()
    folder = servers.folder / "damaged"
    folder.mkdir()
    (folder / "memory.json").write_text('{"users": {"1": {', encoding="utf-8")
    async with servers.run_bot(DATA_DIR="damaged"):
        await ann.set_up_memory("JSON")
        await ann.ask("Hello")
    kept = [path for path in folder.iterdir() if path.read_bytes() == b'{"users": {"1": {']
    assert len(kept) == 1
    assert len(servers.get_memory(folder).read_memory_json()["messages"][str(ann.id)]) == 2

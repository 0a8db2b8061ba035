"""Files that cannot be read: those of a version before 1.0 end the start, a damaged memory.json is set aside."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.end_to_end.harness import LocalServers

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.files("files of a version before 1.0")]


@pytest.mark.parametrize("name", ["memory.db", "memory.json"])
async def test_a_file_of_an_earlier_version_ends_the_start_and_is_left_alone(house: LocalServers, name: str) -> None:
    folder = house.folder / f"old-{name}"
    folder.mkdir()
    if name == "memory.db":
        with closing(sqlite3.connect(folder / name)) as connection:
            connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT)")
            connection.execute("PRAGMA user_version=26")
    else:
        (folder / name).write_text(json.dumps({"users": {}, "messages": {}, "summaries": {}}), encoding="utf-8")
    before = (folder / name).read_bytes()
    run = await house.run(environ=house.environ(DATA_DIR=folder.name))
    assert run.status == 2
    assert "Traceback" not in run.err
    [line] = [line for line in run.err.splitlines() if "before 1.0" in line]
    assert name in line
    assert "/export json" in line
    assert "/import" in line
    assert (folder / name).read_bytes() == before


async def test_a_damaged_memory_json_is_set_aside_and_the_bot_serves(house: LocalServers) -> None:
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

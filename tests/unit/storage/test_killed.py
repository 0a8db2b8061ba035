"""A kill -9 while a process writes, folds, moves owners or makes snapshots loses and duplicates nothing."""

import contextlib
import random
import sqlite3
from pathlib import Path

from records.owners import StorageType
from records.scopes import Scope
from storage.bot_state.directory import Directory
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.support.killable import Runs, runs_of
from tests.support.writer import OWNERS

KILLS = 4


async def run_and_kill(runs: Runs, folder: Path, seed: int, lines: int, delay: float) -> set[tuple[int, str]]:
    """Kill a writer shortly after it has acknowledged `lines` messages. Return the acknowledged messages."""
    await runs.begin(folder, seed)
    said: list[list[str]] = []
    while len(said) < lines:
        line = await runs.line()
        assert line != "over", "the writer ended by itself"
        said += [line.split()] if line.startswith("said ") else []
    rest, is_over = await runs.kill(delay)
    assert not is_over, "the writer ended by itself"
    said += [line.split() for line in rest if line.startswith("said ")]
    return {(int(owner), source) for _, owner, source in said}


async def test_sigkill_at_random_moments_loses_and_duplicates_no_message(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - not a secret
    acknowledged: set[tuple[int, str]] = set()
    async with runs_of("tests.support.writer") as runs:
        for seed in range(KILLS):
            acknowledged |= await run_and_kill(runs, tmp_path, seed, chance.randint(1, 40), chance.random() / 50)
            if seed % 2:
                await check(tmp_path, acknowledged)
    with contextlib.closing(sqlite3.connect(tmp_path / "memory.db")) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def check(folder: Path, acknowledged: set[tuple[int, str]]) -> None:
    async with Database.open(folder / "memory.db", migrations=MIGRATIONS) as database, JsonStore.open(folder) as json:
        assert json.reports == []
        directory = Directory(database)
        stores = {StorageType.SQLITE: MemoryStore(database, StorageType.SQLITE), StorageType.JSON: json}
        await directory.finish_interrupted_moves(stores)
        for owner in OWNERS:
            scope = Scope(owner=owner)
            place = await directory.find_storage_type(owner)
            assert place is not None
            for kind, store in stores.items():
                if kind is not place:
                    assert (await store.count_messages_and_summaries(scope)).total == 0
            home = stores[place]
            found = await home.timeline.read_page(scope, limit=100_000)
            sources = [message.source for message in found]
            assert len(sources) == len(set(sources)), "doubled"
            lost = {source for who, source in acknowledged if who == owner} - set(sources)
            assert not lost
            summaries = {summary.id: summary for summary in await home.list_summaries(scope, active_only=False)}
            chunks = [message.chunk_id for message in found if message.chunk_id is not None]
            assert set(chunks) <= summaries.keys()
            assert all(chunks.count(number) == summary.message_count for number, summary in summaries.items())
            assert len(await home.search_messages(scope, ["line"], limit=100_000)) == len(found)

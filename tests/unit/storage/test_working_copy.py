"""The working copy of memory.json: it survives a kill, and is made again with all words if it was deleted."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from storage.stores.json import JsonStore
from storage.stores.json_files import SnapshotCancelled
from storage.stores.json_recovery import INDEX_BATCH_SIZE, JsonRecovery
from tests.contract.conftest import ANNA, BORIS, NOW, config, said, talk
from tests.unit.storage.test_json_files import opened

MESSAGES = INDEX_BATCH_SIZE + 5


async def without_index(folder: Path) -> None:
    """The files of a memory with many messages of Anna's and one of Boris's, whose working copy is deleted."""
    async with opened(folder) as store:
        for scope, number in ((ANNA, MESSAGES), (BORIS, 1)):
            await store.upsert_owner(config(store, scope.owner))
            await store.append_messages(scope, [said(f"walrus {place}") for place in range(number)])
    (folder / "index.db").unlink()


async def hits(store: JsonStore, word: str = "walrus") -> int:
    return len(await store.search_messages(ANNA, [word], limit=1_000))


def mark(folder: Path) -> None:
    """Leave a table in a working copy, which another one would not have."""
    with contextlib.closing(sqlite3.connect(folder / "index.db")) as copy:
        copy.execute("CREATE TABLE seen_before (one)")


def replace_with_earlier_copy(folder: Path, *, clean: int) -> int:
    """Make a working copy as version 1.0 left it, without its words. Return the value that `clean` replaced."""
    with contextlib.closing(sqlite3.connect(folder / "index.db")) as copy:
        [(before,)] = copy.execute("SELECT clean FROM journal_state")
        copy.execute("UPDATE journal_state SET clean = ?", (clean,))
        copy.execute("DELETE FROM words")
        copy.commit()
    return int(before)


async def is_marked(store: JsonStore) -> bool:
    async with store.database.open_reader(None) as reader:
        return await reader.fetch_row("SELECT 1 FROM sqlite_master WHERE name = 'seen_before'") is not None


async def test_a_deleted_copy_comes_back_with_all_words(tmp_path: Path) -> None:
    await without_index(tmp_path)
    async with opened(tmp_path) as store:
        assert await hits(store) == MESSAGES
        assert len(await store.search_messages(BORIS, ["walrus"], limit=9)) == 1
        assert store.reports == []


async def test_what_the_journal_holds_is_indexed_too(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with opened(live) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await store.flush_files()
        [first, *_] = await talk(store, ANNA, 3, "later")
        await store.forgetting.replace_message_text_if_changed(
            ANNA, first.id, "a seal", reason="edited", now=first.created_at
        )
        shutil.copytree(live, killed)
    (killed / "index.db").unlink()
    async with opened(killed) as store:
        assert (await hits(store, "later"), await hits(store, "seal")) == (2, 1)


async def test_the_copy_of_a_killed_process_is_used_on(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with opened(live) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await store.flush_files()
        shutil.copytree(live, killed)
        await talk(store, ANNA, 3, "later")
        # The journal has what a power failure took from the copy.
        shutil.copy2(live / "memory.json.journal", killed)
    mark(killed)
    async with opened(killed) as store:
        assert await is_marked(store)
        assert await hits(store, "later") == 3
        assert store.reports == []


async def test_a_copy_that_was_not_synced_is_made_again(tmp_path: Path) -> None:
    """Version 1.0 told by a column if a copy was closed, since a power failure could damage one that was not."""
    async with opened(tmp_path) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await talk(store, ANNA, 3, "later")
    mark(tmp_path)
    assert replace_with_earlier_copy(tmp_path, clean=1), "an earlier version can go on with a copy of this one"
    async with opened(tmp_path) as store:
        assert not await is_marked(store)
        assert await hits(store, "later") == 3


async def test_an_earlier_copy_that_replaces_an_unreadable_file_is_made_again_afterwards(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await talk(store, ANNA, 3, "later")
    mark(tmp_path)
    replace_with_earlier_copy(tmp_path, clean=0)
    (tmp_path / "memory.json").write_text('{"keepsake":')
    async with opened(tmp_path) as store:
        assert await is_marked(store)
        await talk(store, ANNA, 1, "later")
    async with opened(tmp_path) as store:
        assert not await is_marked(store)
        assert await hits(store, "later") == 4


async def test_a_copy_that_was_found_damaged_is_made_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await talk(store, ANNA, 3, "later")
        store.mark_copy_corrupt()
    assert not (tmp_path / "index.db").exists()
    async with opened(tmp_path) as store:
        assert await hits(store, "later") == 3


async def test_a_kill_after_the_damage_was_found_does_not_bring_the_copy_back(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with opened(live) as store:
        await store.upsert_owner(config(store, ANNA.owner))
        await store.flush_files()
        store.mark_copy_corrupt()
        await talk(store, ANNA, 3, "later")
        shutil.copytree(live, killed)
    mark(killed)
    async with opened(killed) as store:
        assert not await is_marked(store)
        assert await hits(store, "later") == 3


async def test_a_rebuild_that_is_abandoned_ends_and_the_next_start_makes_the_copy(tmp_path: Path) -> None:
    await without_index(tmp_path)
    recovery = JsonRecovery(tmp_path, lambda: NOW)
    recovery.stop_recovering()  # as SIGTERM does
    with pytest.raises(SnapshotCancelled):
        recovery.recover_working_copy_from_files()
    assert not (tmp_path / "index.db").exists()
    async with opened(tmp_path) as store:
        assert await hits(store) == MESSAGES

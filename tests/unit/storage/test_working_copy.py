"""The working copy of memory.json survives a kill, and is rebuilt with its word index if deleted or damaged."""

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from storage.stores.json import JsonStore
from storage.stores.json_files import SnapshotCancelled
from storage.stores.json_recovery import INDEX_BATCH_SIZE, JsonRecovery
from tests.contract.conftest import ANNA, BORIS, NOW, append_turns, make_config, make_message
from tests.unit.storage.test_json_files import open_json_store

MESSAGES = INDEX_BATCH_SIZE + 5


async def without_index(folder: Path) -> None:
    """Store many messages of Anna's and one of Boris's, then delete the working copy."""
    async with open_json_store(folder) as store:
        for scope, number in ((ANNA, MESSAGES), (BORIS, 1)):
            await store.upsert_owner(make_config(store, scope.owner))
            await store.append_messages(scope, [make_message(f"walrus {place}") for place in range(number)])
    (folder / "index.db").unlink()


async def count_hits(store: JsonStore, word: str = "walrus") -> int:
    return len(await store.search_messages(ANNA, [word], limit=1_000))


def mark_working_copy(folder: Path) -> None:
    """Add a table to the working copy, which a rebuilt copy would not have."""
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


def read_json_files(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.glob("memory.json*"))


async def has_mark(store: JsonStore) -> bool:
    async with store.database.open_reader(None) as reader:
        return await reader.fetch_row("SELECT 1 FROM sqlite_master WHERE name = 'seen_before'") is not None


async def test_deleted_working_copy_is_rebuilt_with_complete_word_index(tmp_path: Path) -> None:
    await without_index(tmp_path)
    async with open_json_store(tmp_path) as store:
        assert await count_hits(store) == MESSAGES
        assert len(await store.search_messages(BORIS, ["walrus"], limit=9)) == 1
        assert store.reports == []


async def test_rebuilt_index_includes_journal_entries(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.flush_files()
        [first, *_] = await append_turns(store, ANNA, 3, "later")
        await store.forgetting.replace_message_text_if_changed(
            ANNA, first.id, "a seal", reason="edited", now=first.created_at
        )
        shutil.copytree(live, killed)
    (killed / "index.db").unlink()
    async with open_json_store(killed) as store:
        assert (await count_hits(store, "later"), await count_hits(store, "seal")) == (2, 1)


async def test_rebuilt_index_includes_journal_entries_of_restarted_process(tmp_path: Path) -> None:
    """Their numbers continue after those in memory.json, or a replay would take them for older ones."""
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 3, "earlier")
    async with open_json_store(live) as store:
        await append_turns(store, ANNA, 1, "later")
        shutil.copytree(live, killed)
    (killed / "index.db").unlink()
    async with open_json_store(killed) as store:
        assert (await count_hits(store, "earlier"), await count_hits(store, "later")) == (3, 1)


async def test_memory_json_is_not_written_again_after_rebuild_without_changes(tmp_path: Path) -> None:
    await without_index(tmp_path)
    before = (tmp_path / "memory.json").stat()
    async with open_json_store(tmp_path) as store:
        assert await count_hits(store) == MESSAGES
    after = (tmp_path / "memory.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_working_copy_of_killed_process_is_reused(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.flush_files()
        shutil.copytree(live, killed)
        await append_turns(store, ANNA, 3, "later")
        # The journal has what a power failure took from the copy.
        shutil.copy2(live / "memory.json.journal", killed)
    mark_working_copy(killed)
    async with open_json_store(killed) as store:
        assert await has_mark(store)
        assert await count_hits(store, "later") == 3
        assert store.reports == []


async def test_working_copy_of_earlier_version_is_rebuilt(tmp_path: Path) -> None:
    """Version 1.0 did not sync the copy. It only recorded in a column if the copy had been closed."""
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 3, "later")
    mark_working_copy(tmp_path)
    assert replace_with_earlier_copy(tmp_path, clean=1), "an earlier version can go on with a copy of this one"
    async with open_json_store(tmp_path) as store:
        assert not await has_mark(store)
        assert await count_hits(store, "later") == 3


async def test_earlier_working_copy_replaces_unreadable_file_then_is_rebuilt(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 3, "later")
    mark_working_copy(tmp_path)
    replace_with_earlier_copy(tmp_path, clean=0)
    (tmp_path / "memory.json").write_text('{"keepsake":')
    async with open_json_store(tmp_path) as store:
        assert await has_mark(store)
        await append_turns(store, ANNA, 1, "later")
    async with open_json_store(tmp_path) as store:
        assert not await has_mark(store)
        assert await count_hits(store, "later") == 4


async def test_working_copy_marked_corrupt_is_rebuilt(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 3, "later")
        store.mark_copy_corrupt()
    assert not (tmp_path / "index.db").exists()
    async with open_json_store(tmp_path) as store:
        assert await count_hits(store, "later") == 3


async def test_working_copy_marked_corrupt_is_not_reused_after_kill(tmp_path: Path) -> None:
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.flush_files()
        store.mark_copy_corrupt()
        await append_turns(store, ANNA, 3, "later")
        shutil.copytree(live, killed)
    mark_working_copy(killed)
    async with open_json_store(killed) as store:
        assert not await has_mark(store)
        assert await count_hits(store, "later") == 3


async def test_cancelled_rebuild_is_repeated_at_next_start(tmp_path: Path) -> None:
    await without_index(tmp_path)
    recovery = JsonRecovery(tmp_path, lambda: NOW)
    recovery.stop_recovering()  # as SIGTERM does
    with pytest.raises(SnapshotCancelled):
        recovery.recover_working_copy_from_files()
    assert not (tmp_path / "index.db").exists()
    async with open_json_store(tmp_path) as store:
        assert await count_hits(store) == MESSAGES


async def test_start_writes_memory_json_anew_when_it_was_unreadable(tmp_path: Path) -> None:
    """Without memory.json, the start after the kill would put the working copy aside and begin empty."""
    live, killed = tmp_path / "live", tmp_path / "killed"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 3, "later")
    (live / "memory.json").write_text('{"keepsake":')
    async with open_json_store(live):
        shutil.copytree(live, killed)
    async with open_json_store(killed) as store:
        assert (await count_hits(store, "later"), store.reports) == (3, [])


async def test_erased_owner_is_removed_from_memory_json_and_journal_at_once(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        for scope, word in ((ANNA, "walrus"), (BORIS, "seal")):
            await store.upsert_owner(make_config(store, scope.owner))
            await append_turns(store, scope, 1, word)
        await store.flush_files()
        await append_turns(store, ANNA, 1, "walrus")
        await store.erase_owner(ANNA.owner)
        held = read_json_files(tmp_path)
        assert ("walrus" in held, "seal" in held) == (False, True)

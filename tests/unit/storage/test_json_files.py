"""The format of memory.json, its journal and its working copy, and recovery from each kind of damage."""

import contextlib
import json
import os
import shutil
import stat
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from records.errors import StorageError, StorageTooNew, StorageTooOld
from storage.engine.sqlite import Database
from storage.schema.portable_tables import BY_NAME
from storage.search.protocol import MessageVectors
from storage.stores import json_files as snapshots
from storage.stores.json import JsonStore
from storage.stores.json_files import JournalEntry, parse_journal_line
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import (
    ANNA,
    BORIS,
    NOW,
    TOPIC,
    acquire_lease,
    append_turns,
    fold_messages,
    make_config,
    make_message,
)

STAMP = "unreadable-20260301T120000Z"


@contextlib.asynccontextmanager
async def open_json_store(folder: Path) -> AsyncIterator[JsonStore]:
    async with JsonStore.open(folder, clock=lambda: NOW) as store:
        yield store


async def store_messages_and_compute_digest(folder: Path) -> str:
    """Store six messages of Anna's, fold four, close the store, and return its digest."""
    async with open_json_store(folder) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        stored = await append_turns(store, ANNA, 3)
        await fold_messages(store, ANNA, stored[:4])
        await store.record_summary_failure(await acquire_lease(store, ANNA), "no answer", now=NOW)
        return await store.compute_digest(ANNA.owner)


async def copy_files_of_running_store(folder: Path, *, snapshot: bool) -> tuple[Path, str]:
    """Copy the files of an open store, as kill -9 would leave them. Return the copy's folder and the digest."""
    copy = folder / "killed"
    live = folder / "live"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        if store.background:
            await store.background
        await append_turns(store, ANNA, 2)
        if snapshot:
            await store.flush_files()
        await append_turns(store, ANNA, 2, "later")
        shutil.copytree(live, copy)
        return copy, await store.compute_digest(ANNA.owner)


async def indexed(store: JsonStore) -> int:
    """Count the rows in `places`, for all owners."""
    async with store.database.open_reader(None) as reader:
        row = await reader.fetch_row("SELECT COUNT(*) FROM places")
    return int(row[0]) if row else 0


def list_file_names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def read_memory_json(folder: Path) -> Any:
    return json.loads((folder / "memory.json").read_text(encoding="utf-8"))


async def test_memory_json_is_complete_after_clean_stop(tmp_path: Path) -> None:
    await store_messages_and_compute_digest(tmp_path)
    assert list_file_names(tmp_path) == {"memory.json", "index.db"}
    assert stat.S_IMODE((tmp_path / "memory.json").stat().st_mode) == 0o600
    whole = read_memory_json(tmp_path)
    assert list(whole) == ["keepsake", *BY_NAME]
    user, first = whole["users"]["42"], whole["messages"]["42"][0]
    assert (user["storage_type"], user["memory_enabled"], user["summary_every_n"]) == ("json", True, 3)
    assert (first["content"], first["is_active"], first["chunk_id"]) == ("turn 0", False, 1)
    assert whole["summaries"]["42"][0]["source_chunk_ids"] == [1]
    assert [row["is_active"] for row in whole["messages"]["42"]] == [False] * 4 + [True] * 2


async def test_memory_json_is_indented_and_keeps_unicode_unescaped(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.append_messages(ANNA, [make_message("Я живу в Zürich \u2028 日本")])
    text = (tmp_path / "memory.json").read_text(encoding="utf-8")
    assert '\n        "content": "Я живу в Zürich \u2028 日本",\n' in text


async def test_memory_json_is_not_written_without_owners(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        await store.flush_files()
    assert list_file_names(tmp_path) == {"index.db"}


async def test_deleted_working_copy_is_rebuilt(tmp_path: Path) -> None:
    digest = await store_messages_and_compute_digest(tmp_path)
    (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest
        assert len(await store.search_messages(ANNA, ["turn"], limit=9)) == 3
        assert store.reports == []
        failure = await store.find_summary_failure(ANNA)
        assert failure is not None
        assert failure.error == "no answer"


@pytest.mark.parametrize("snapshot", [True, False])
@pytest.mark.parametrize("index", [True, False])
async def test_killed_process_loses_no_messages(tmp_path: Path, snapshot: bool, index: bool) -> None:
    folder, digest = await copy_files_of_running_store(tmp_path, snapshot=snapshot)
    assert "memory.json.journal" in list_file_names(folder)
    if not index:
        for file in folder.glob("index.db*"):
            file.unlink()
    async with open_json_store(folder) as store:
        assert await store.compute_digest(ANNA.owner) == digest
        assert store.reports == []
        [fresh] = await store.append_messages(ANNA, [make_message("next")])
        assert fresh.id == 9
    assert list_file_names(folder) == {"memory.json", "index.db"}


@pytest.mark.parametrize("cut", [1, 20, 200])
@pytest.mark.parametrize("index", [True, False])
async def test_torn_journal_tail_is_dropped(tmp_path: Path, cut: int, index: bool) -> None:
    folder, digest = await copy_files_of_running_store(tmp_path, snapshot=True)
    journal = folder / "memory.json.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    if not index:
        for file in folder.glob("index.db*"):
            file.unlink()
        journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:-cut])
    else:
        # The working copy never lags behind an acknowledged record: what is torn was on its way when it was killed.
        journal.write_bytes(b"".join(lines) + lines[-1].replace(b'"seq":', b'"seq":1')[:-cut])
    async with open_json_store(folder) as store:
        assert store.reports == []
        assert (await store.count_messages_and_summaries(ANNA)).total == (8 if index else 7)
        assert (await store.compute_digest(ANNA.owner) == digest) is index
        await store.append_messages(ANNA, [make_message("next")])
    async with open_json_store(folder) as store:
        assert (await store.count_messages_and_summaries(ANNA)).total == (9 if index else 8)


@pytest.mark.parametrize("index", [True, False])
async def test_garbled_journal_is_set_aside_and_readable_entries_are_used(tmp_path: Path, index: bool) -> None:
    folder, digest = await copy_files_of_running_store(tmp_path, snapshot=True)
    journal = folder / "memory.json.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    garbled = b"".join([lines[0], b"\x00garbage\n", *lines[2:]])
    journal.write_bytes(garbled)
    if not index:
        for file in folder.glob("index.db*"):
            file.unlink()
    async with open_json_store(folder) as store:
        assert len(store.reports) == 1
        assert "memory.json.journal could not be read in full" in store.reports[0]
        assert (await store.count_messages_and_summaries(ANNA)).total == (8 if index else 7)
        assert (await store.compute_digest(ANNA.owner) == digest) is index
    assert (folder / f"memory.json.journal.{STAMP}").read_bytes() == garbled


GARBLED: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda whole: whole[: len(whole) // 2],
    "empty": lambda whole: b"",
    "binary": lambda whole: b"\xff\xfe\x00" * 99,
    "a list": lambda whole: b"[]",
    "another object": lambda whole: b'{"a": 1}',
    "users a list": lambda whole: whole.replace(b'"users": {', b'"users": [], "u": {'),
    "a number for a text": lambda whole: whole.replace(b'"content": "turn 0"', b'"content": {}'),
    "no ids": lambda whole: whole.replace(b'"id"', b'"di"'),
    "twice the same id": lambda whole: whole.replace(b'"role": "user"', b'"role": "king"'),
}


@pytest.mark.parametrize("damage", GARBLED)
@pytest.mark.parametrize("index", [True, False])
async def test_garbled_memory_json_is_set_aside(tmp_path: Path, damage: str, index: bool) -> None:
    """The working copy restores everything. Without it, the damaged file is kept and reported."""
    digest = await store_messages_and_compute_digest(tmp_path)
    target = tmp_path / "memory.json"
    garbled = GARBLED[damage](target.read_bytes())
    target.write_bytes(garbled)
    if not index:
        (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        [report] = store.reports
        assert f"memory.json.{STAMP}" in report
        if index:
            assert await store.compute_digest(ANNA.owner) == digest
            assert "restored" in report
        else:
            assert await store.list_owners() == []
            assert "not remembered" in report
        await store.upsert_owner(make_config(store, BORIS.owner))
    assert (tmp_path / f"memory.json.{STAMP}").read_bytes() == garbled
    async with open_json_store(tmp_path) as store:
        assert store.reports == []
        assert await store.find_owner_config(BORIS.owner) is not None


async def test_journal_entries_survive_garbled_memory_json(tmp_path: Path) -> None:
    """Messages that only the journal contains are kept, and their ids are not reused."""
    folder, _ = await copy_files_of_running_store(tmp_path, snapshot=True)
    (folder / "memory.json").write_bytes(b"{")
    for file in folder.glob("index.db*"):
        file.unlink()
    async with open_json_store(folder) as store:
        assert [message.content for message in await store.timeline.read_page(ANNA)] == [
            "later 0",
            "reply 0",
            "later 1",
            "reply 1",
        ]
        [fresh] = await store.append_messages(ANNA, [make_message("next")])
        assert fresh.id == 9


async def test_missing_memory_json_is_reported_and_working_copy_kept(tmp_path: Path) -> None:
    await store_messages_and_compute_digest(tmp_path)
    (tmp_path / "memory.json").unlink()
    async with open_json_store(tmp_path) as store:
        assert "is gone" in store.reports[0]
        assert await store.list_owners() == []
    assert f"index.db.{STAMP}" in list_file_names(tmp_path)


async def test_hand_edited_memory_json_overrides_working_copy(tmp_path: Path) -> None:
    await store_messages_and_compute_digest(tmp_path)
    whole = read_memory_json(tmp_path)
    whole["messages"]["42"][0]["content"] = "walrus"
    whole["summaries"]["42"] = []
    (tmp_path / "memory.json").write_text(json.dumps(whole))
    async with open_json_store(tmp_path) as store:
        assert store.reports == []
        assert [hit.id for hit in await store.search_messages(ANNA, ["walrus"], limit=5)] == [1]
        assert (await store.count_messages_and_summaries(ANNA)).archived == 0


async def test_newer_memory_json_is_refused_unchanged(tmp_path: Path) -> None:
    await store_messages_and_compute_digest(tmp_path)
    whole = read_memory_json(tmp_path)
    whole["keepsake"]["format"] = snapshots.FORMAT + 1
    text = json.dumps(whole)
    (tmp_path / "memory.json").write_text(text)
    with pytest.raises(StorageTooNew, match="newer version"):
        async with open_json_store(tmp_path):
            pass
    assert (tmp_path / "memory.json").read_text() == text
    assert list_file_names(tmp_path) == {"memory.json", "index.db"}


@pytest.mark.parametrize("header", [None, {"format": 1, "journal_seq": 0}])
async def test_memory_json_from_before_first_version_is_refused_unchanged(
    tmp_path: Path, header: dict[str, int] | None
) -> None:
    await store_messages_and_compute_digest(tmp_path)
    whole = {**read_memory_json(tmp_path), "keepsake": header}
    text = json.dumps(whole)
    (tmp_path / "memory.json").write_text(text)
    with pytest.raises(StorageTooOld, match="send /export json in each chat"):
        async with open_json_store(tmp_path):
            pass
    assert (tmp_path / "memory.json").read_text() == text
    assert list_file_names(tmp_path) == {"memory.json", "index.db"}


@pytest.mark.parametrize("index", [True, False])
async def test_replay_after_kill_keeps_search_index_of_renamed_group(tmp_path: Path, index: bool) -> None:
    live, copy, renamed = tmp_path / "live", tmp_path / "copy", BORIS.owner - 1
    live.mkdir()
    async with open_json_store(live) as store:
        for owner in (ANNA.owner, BORIS.owner):
            await store.upsert_owner(make_config(store, owner))
        for scope in (TOPIC, ANNA, BORIS, TOPIC, BORIS):
            await store.append_messages(scope, [make_message("walrus")])
        await store.rename_owner(BORIS.owner, renamed)
        await store.append_messages(ANNA, [make_message("later")])
        shutil.copytree(live, copy)
        before = [await store.compute_digest(owner) for owner in (ANNA.owner, renamed)]
    if not index:
        (copy / "index.db").unlink()
    async with open_json_store(copy) as store:
        assert [await store.compute_digest(owner) for owner in (ANNA.owner, renamed)] == before
        for scope, count in ((ANNA, 2), (replace(BORIS, owner=renamed), 2), (replace(TOPIC, owner=renamed), 2)):
            assert len(await store.find_candidate_messages(scope, ["walrus"], limit=9)) == count
        assert await indexed(store) == 6


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize("index", [True, False])
async def test_replay_after_kill_applies_edited_message_text(tmp_path: Path, index: bool, embedded: bool) -> None:
    live, copy = tmp_path / "live", tmp_path / "copy"
    live.mkdir()
    async with open_json_store(live) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        [first, other] = await store.append_messages(ANNA, [make_message("walrus"), make_message("otter")])
        if embedded:
            vector = np.ones((1, 64), np.float32)
            waiting = await store.vectors.list_unembedded_messages_with_seqs("m", 9)
            await store.vectors.store_vectors(
                "m", [MessageVectors(seq=seq, message=message, passages=vector) for seq, message in waiting]
            )
        assert await store.forgetting.replace_message_text_if_changed(ANNA, first.id, "tulip", reason="edited", now=NOW)
        shutil.copytree(live, copy)
        before = await store.compute_digest(ANNA.owner)
    if not index:
        (copy / "index.db").unlink()
    async with open_json_store(copy) as store:
        assert await store.compute_digest(ANNA.owner) == before
        assert await store.search_messages(ANNA, ["tulip"], limit=9)
        assert not await store.search_messages(ANNA, ["walrus"], limit=9)
        left = [message.id for _, message in await store.vectors.list_unembedded_messages_with_seqs("m", 9)]
        assert left == ([first.id] if embedded and index else [other.id, first.id])


@pytest.mark.parametrize("index", [True, False])
async def test_replay_after_kill_removes_erased_owner_from_index(tmp_path: Path, index: bool) -> None:
    live, copy = tmp_path / "live", tmp_path / "copy"
    live.mkdir()
    async with open_json_store(live) as store:
        for owner in (ANNA.owner, BORIS.owner):
            await store.upsert_owner(make_config(store, owner))
        await store.append_messages(BORIS, [make_message("tulip")])
        await store.append_messages(ANNA, [make_message("walrus")])
        await store.append_messages(ANNA, [make_message("walrus")])
        # As its base erases: what a kill leaves before the snapshot that follows.
        await MemoryStore.erase_owner(store, ANNA.owner)
        shutil.copytree(live, copy)
    if not index:
        (copy / "index.db").unlink()
    async with open_json_store(copy) as store:
        assert await store.search_messages(BORIS, ["tulip"], limit=9)
        await store.append_messages(BORIS, [make_message("again")])
        await store.append_messages(BORIS, [make_message("and again")])
        assert await indexed(store) == 3
    assert b"walrus" not in (copy / "index.db").read_bytes()


async def test_damaged_working_copy_is_rebuilt(tmp_path: Path) -> None:
    digest = await store_messages_and_compute_digest(tmp_path)
    (tmp_path / "index.db").write_bytes(b"garbage" * 5000)
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest


async def test_leftovers_of_killed_snapshot_are_ignored_and_removed(tmp_path: Path) -> None:
    digest = await store_messages_and_compute_digest(tmp_path)
    for name in ("memory.json.tmp", "memory.json.journal.tmp", "index.db.tmp"):
        (tmp_path / name).write_bytes(b"half")
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest
    assert list_file_names(tmp_path) == {"memory.json", "index.db"}


# faults while running ----------------------------------------------------------------------------------------
class BrokenDisk:
    """A context manager that replaces the closed journal file with a folder, so that every write fails."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "memory.json.journal"

    def __enter__(self) -> None:
        self.path.mkdir()

    def __exit__(self, *_: object) -> None:
        self.path.rmdir()


async def test_append_fails_without_changes_when_journal_is_unwritable(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 1)
        await store.flush_files()
        with BrokenDisk(tmp_path), pytest.raises(StorageError, match=r"memory\.json\.journal cannot be"):
            await store.append_messages(ANNA, [make_message("lost")])
        assert (await store.count_messages_and_summaries(ANNA)).total == 2
        [stored] = await store.append_messages(ANNA, [make_message("kept")])
        assert stored.id == 3
        digest = await store.compute_digest(ANNA.owner)
    (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest


async def test_journal_record_is_removed_when_commit_fails(tmp_path: Path) -> None:
    """Otherwise the journal would contain a record without a transaction."""

    class LateError(Exception):
        pass

    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.flush_files()
        await store.append_messages(ANNA, [make_message("first")])
        journal = tmp_path / "memory.json.journal"
        before = journal.read_bytes()
        commits = cast(Database, store.database).commit_hooks
        assert commits is not None
        witnessed = commits.prepare_commit

        def fails_late(connection: Any) -> None:
            witnessed(connection)
            assert journal.read_bytes() != before
            raise LateError

        commits.prepare_commit = fails_late  # type: ignore[method-assign]
        with pytest.raises(LateError):
            await store.append_messages(ANNA, [make_message("second")])
        commits.prepare_commit = witnessed  # type: ignore[method-assign]
        assert journal.read_bytes() == before
        await store.append_messages(ANNA, [make_message("third")])
        digest = await store.compute_digest(ANNA.owner)
    (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        assert [message.content for message in await store.timeline.read_page(ANNA)] == ["first", "third"]
        assert await store.compute_digest(ANNA.owner) == digest


async def test_failed_snapshot_leaves_complete_journal(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        if store.background:
            await store.background
        await append_turns(store, ANNA, 2)
        (tmp_path / "memory.json.tmp").mkdir()
        with pytest.raises(StorageError, match=r"memory\.json cannot be"):
            await store.flush_files()
        digest = await store.compute_digest(ANNA.owner)
    assert "memory.json could not be brought up to date" in caplog.text
    (tmp_path / "memory.json.tmp").rmdir()
    (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest


# cost --------------------------------------------------------------------------------------------------------
async def test_journal_bytes_per_message_do_not_grow_with_memory(tmp_path: Path) -> None:
    """The test counts bytes written to the journal, which do not depend on the machine."""
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        costs = []
        for size in (10, 3000):
            await store.append_messages(ANNA, [make_message(f"filling {n}") for n in range(size)])
            await store.flush_files()
            await store.append_messages(ANNA, [make_message("one more")])
            costs.append((tmp_path / "memory.json.journal").stat().st_size)
    assert costs[1] - costs[0] <= 20


async def test_large_journal_triggers_snapshot(tmp_path: Path) -> None:
    async with open_json_store(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        if store.background:
            await store.background
        for number in range(12):
            await store.append_messages(ANNA, [make_message(f"{number}" + "x" * 100_000)])
        assert store.background is not None
        await store.background
        assert (tmp_path / "memory.json").stat().st_size > 1_000_000
        assert (tmp_path / "memory.json.journal").stat().st_size < 300_000
        digest = await store.compute_digest(ANNA.owner)
    (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest


async def test_large_transaction_is_replayed_completely_or_not_at_all(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.mkdir()
    target.mkdir()
    async with open_json_store(source) as old, open_json_store(target) as new:
        await old.upsert_owner(make_config(old, ANNA.owner))
        await old.append_messages(ANNA, [make_message(f"{n}") for n in range(1300)])
        await new.upsert_owner(make_config(new, BORIS.owner))
        await new.load_owner(ANNA.owner, old.dump_owner(ANNA.owner))
        shutil.copytree(target, tmp_path / "killed")
        digest = await old.compute_digest(ANNA.owner)
    journal = tmp_path / "killed" / "memory.json.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    for file in (tmp_path / "killed").glob("index.db*"):
        file.unlink()
    shutil.copytree(tmp_path / "killed", tmp_path / "torn")
    async with open_json_store(tmp_path / "killed") as store:
        assert await store.compute_digest(ANNA.owner) == digest
    (tmp_path / "torn" / "memory.json.journal").write_bytes(b"".join(lines)[:-1000])
    async with open_json_store(tmp_path / "torn") as store:
        assert await store.find_owner_config(ANNA.owner) is None
        assert store.reports == []


def test_truncated_or_altered_journal_line_is_not_parsed() -> None:
    line = JournalEntry(seq=3, put={"users": [{"user_id": 1}]}, delete={"messages": [[1, 2]]}).format_line()
    assert parse_journal_line(line) == JournalEntry(
        seq=3, put={"users": [{"user_id": 1}]}, delete={"messages": [[1, 2]]}
    )
    for length in range(len(line)):
        assert parse_journal_line(line[:length]) is None
        assert parse_journal_line(line[:length] + b"#" + line[length + 1 :]) is None


async def test_rebuilt_working_copy_keeps_vectors_of_unchanged_messages(tmp_path: Path) -> None:
    """A message that was edited in the meantime is embedded again."""
    await store_messages_and_compute_digest(tmp_path)
    async with open_json_store(tmp_path) as store:
        vector = np.ones((1, 64), np.float32)
        waiting = await store.vectors.list_unembedded_messages_with_seqs("m", 99)
        vectors = [MessageVectors(seq=seq, message=message, passages=vector) for seq, message in waiting]
        await store.vectors.store_vectors("m", vectors)
    os.utime(tmp_path / "memory.json")
    async with open_json_store(tmp_path) as store:
        assert store.reports == []
        assert await store.vectors.list_unembedded_messages_with_seqs("m", 99) == []
        assert await store.vectors.count_embedded_messages(ANNA.owner, "m") == len(waiting) == 6
    edited = read_memory_json(tmp_path)
    edited["messages"][str(ANNA.owner)][0]["content"] = "edited by hand"
    (tmp_path / "memory.json").write_text(json.dumps(edited))
    async with open_json_store(tmp_path) as store:
        assert [message.content for _, message in await store.vectors.list_unembedded_messages_with_seqs("m", 99)] == [
            "edited by hand"
        ]
        assert await store.vectors.count_embedded_messages(ANNA.owner, "m") == 5
    assert list_file_names(tmp_path) == {"memory.json", "index.db"}


async def test_stop_at_deadline_keeps_journal_and_loses_nothing(tmp_path: Path) -> None:
    await store_messages_and_compute_digest(tmp_path)
    before = (tmp_path / "memory.json").read_bytes()
    async with open_json_store(tmp_path) as store:
        await append_turns(store, ANNA, 2, "later")
        digest = await store.compute_digest(ANNA.owner)
        store.set_shutdown_deadline(time.monotonic())
    assert list_file_names(tmp_path) == {"memory.json", "memory.json.journal", "index.db"}
    assert (tmp_path / "memory.json").read_bytes() == before, "it is whole, as it was"
    async with open_json_store(tmp_path) as store:
        assert (await store.compute_digest(ANNA.owner), store.reports) == (digest, [])
        store.set_shutdown_deadline(time.monotonic() + 60)
    assert list_file_names(tmp_path) == {"memory.json", "index.db"}
    (tmp_path / "index.db").unlink()
    async with open_json_store(tmp_path) as store:
        assert await store.compute_digest(ANNA.owner) == digest

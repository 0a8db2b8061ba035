"""Backups are complete, private and consistent. A restore checks the file first and overwrites nothing."""

import asyncio
import gzip
import hashlib
import json
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from external_memory import ExternalMemory
from records.errors import SettingsError, StorageBusy, StorageCorrupt, StorageError, StorageTooNew
from records.model_calls import Usage
from records.owners import StorageType
from records.scopes import Scope
from storage.backup import DATABASE, RestoreResult, back_up, restore_backup_file
from storage.engine.data_dir import ASIDE, BACKING_UP, LEFTOVERS, LOCK_NAME, lock_data_dir, make_work_folder
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import TABLES
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import NOW, make_message
from tests.support.storages import FILE_STORAGES

KEPT = {LOCK_NAME, DATABASE, "memory.json", "memory.json.journal", "index.db"}
OWNERS = {1: StorageType.SQLITE, 2: StorageType.JSON}


async def open_memory(folder: Path, stack: AsyncExitStack) -> ExternalMemory:
    return await stack.enter_async_context(ExternalMemory.open(folder, clock=lambda: NOW))


async def append_message(memory: ExternalMemory, owner: int, text: str) -> None:
    async with memory.open_store_if_enabled(owner) as store:
        assert store is not None
        await store.append_messages(Scope(owner=owner), [make_message(text, source=text)])


async def back_up_and_count_messages(folder: Path, file: Path) -> int:
    return (await asyncio.to_thread(back_up, folder, file)).messages


async def restore_backup(file: Path, folder: Path) -> RestoreResult:
    return await asyncio.to_thread(restore_backup_file, file, folder)


def list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


async def read_texts_by_owner(folder: Path) -> dict[int, list[str]]:
    async with ExternalMemory.open(folder, clock=lambda: NOW) as memory:
        found = {}
        for owner in OWNERS:
            async with memory.open_store(owner) as store:
                found[owner] = [
                    message.content for message in await store.timeline.read_page(Scope(owner=owner), limit=10_000)
                ]
        return found


@pytest.fixture
async def data_dir(tmp_path: Path) -> Path:
    """Create the data directory of a stopped bot with one owner in each store, and return its path."""
    async with AsyncExitStack() as stack:
        memory = await open_memory(tmp_path / "data", stack)
        for owner, storage in OWNERS.items():
            await memory.configure(owner, storage=storage, every_n=5)
            await append_message(memory, owner, f"first of {owner}")
    return tmp_path / "data"


async def test_backup_of_running_bot_contains_all_acknowledged_messages(data_dir: Path, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        memory = await open_memory(data_dir, stack)
        acknowledged: dict[int, list[str]] = {owner: [f"first of {owner}"] for owner in OWNERS}
        done = asyncio.Event()

        async def load(owner: int) -> None:
            number = 0
            while not done.is_set():
                text = f"{owner} says {number}"
                await append_message(memory, owner, text)
                acknowledged[owner].append(text)
                number += 1

        async def move() -> None:
            storage = StorageType.JSON
            while not done.is_set():
                await memory.configure(1, storage=storage, every_n=5)
                storage = next(kind for kind in FILE_STORAGES if kind is not storage)

        tasks = [asyncio.create_task(load(owner)) for owner in OWNERS]
        for number in range(3):
            mover = asyncio.create_task(move()) if number == 0 else None
            before = {owner: list(texts) for owner, texts in acknowledged.items()}
            file = tmp_path / f"backup-{number}.gz"
            working = asyncio.create_task(back_up_and_count_messages(data_dir, file))
            if mover:
                # Moves go on for a while during the backup, then stop: it needs one quiet moment.
                await asyncio.wait({working}, timeout=1)
                mover.cancel()
                await asyncio.gather(mover, return_exceptions=True)
            messages = await working
            await restore_backup(file, tmp_path / f"there-{number}")
            found = await read_texts_by_owner(tmp_path / f"there-{number}")
            assert sum(map(len, found.values())) == messages
            for owner in OWNERS:
                assert found[owner][: len(before[owner])] == before[owner]
        done.set()
        await asyncio.gather(*tasks)


async def test_backup_of_killed_bot_includes_journal_entries(data_dir: Path, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        memory = await open_memory(data_dir, stack)
        await append_message(memory, 2, "only in the journal")
        copy = tmp_path / "killed"
        copy.mkdir()
        for file in list_files(data_dir):
            (copy / file.name).write_bytes(file.read_bytes())
    (copy / "index.db").unlink()
    before = {file.name: file.read_bytes() for file in copy.glob("memory.json*")}
    await back_up_and_count_messages(copy, tmp_path / "backup.gz")
    assert {file.name: file.read_bytes() for file in copy.glob("memory.json*")} == before
    await restore_backup(tmp_path / "backup.gz", tmp_path / "there")
    assert (await read_texts_by_owner(tmp_path / "there"))[2] == ["first of 2", "only in the journal"]


async def test_backup_after_interrupted_move_contains_owner_once(data_dir: Path, tmp_path: Path) -> None:
    async with (
        Database.open(data_dir / DATABASE, migrations=MIGRATIONS) as database,
        JsonStore.open(data_dir) as target,
    ):
        await target.load_owner(1, MemoryStore(database, StorageType.SQLITE).dump_owner(1))
    with closing(sqlite3.connect(data_dir / DATABASE)) as file, file:
        file.execute("INSERT INTO moves VALUES (1, 'sqlite', 'json', 'copying', ?)", (NOW.isoformat(),))
    messages = await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    await restore_backup(tmp_path / "backup.gz", tmp_path / "there")
    assert await read_texts_by_owner(tmp_path / "there") == {1: ["first of 1"], 2: ["first of 2"]}
    assert messages == len(OWNERS)


async def test_backup_and_restored_files_are_private(data_dir: Path, tmp_path: Path) -> None:
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    await restore_backup(tmp_path / "backup.gz", tmp_path / "there")
    assert (tmp_path / "backup.gz").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o700
    for file in list_files(tmp_path / "there"):
        assert file.stat().st_mode & 0o777 == 0o600, file
    assert list_files(tmp_path) == [tmp_path / "backup.gz"]


async def test_restore_keeps_existing_data_in_aside_folder(data_dir: Path, tmp_path: Path) -> None:
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    async with AsyncExitStack() as stack:
        await append_message(await open_memory(data_dir, stack), 1, "after the backup")
    done = await restore_backup(tmp_path / "backup.gz", data_dir)
    assert done.messages == 2
    assert done.aside is not None
    assert (await read_texts_by_owner(data_dir))[1] == ["first of 1"]
    assert (await read_texts_by_owner(done.aside))[1] == ["first of 1", "after the backup"]
    assert (await restore_backup(tmp_path / "backup.gz", data_dir)).aside != done.aside


async def test_refuses_invalid_backup_and_restore_calls_without_changes(data_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.gz"
    await back_up_and_count_messages(data_dir, file)
    whole = file.read_bytes()
    with pytest.raises(SettingsError, match="exists already"):
        await back_up_and_count_messages(data_dir, file)
    assert file.read_bytes() == whole
    with pytest.raises(SettingsError, match="no memory"):
        await back_up_and_count_messages(tmp_path / "nowhere", tmp_path / "other.gz")
    with pytest.raises(SettingsError, match="no is no folder"):
        await back_up_and_count_messages(data_dir, tmp_path / "no" / "folder.gz")
    with pytest.raises(SettingsError, match="is not a file"):
        await restore_backup(tmp_path / "nothing.gz", data_dir)
    async with AsyncExitStack() as stack:
        await open_memory(data_dir, stack)
        with pytest.raises(StorageBusy, match="in use"):
            await restore_backup(file, data_dir)
    assert (await read_texts_by_owner(data_dir))[1] == ["first of 1"]


Lines = list[dict[str, Any]]


class Killed(BaseException):
    pass


def write_altered_backup(file: Path, target: Path, change: Callable[[Lines], object]) -> Path:
    """Write a copy of a backup with changed rows and a checksum that matches them."""
    lines: Lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    change(lines)
    body = "".join(json.dumps(line) + "\n" for line in lines[:-1]).encode()
    end = {**lines[-1], "end": hashlib.sha256(body).hexdigest(), "lines": len(lines) - 1}
    target.write_bytes(gzip.compress(body + json.dumps(end).encode() + b"\n"))
    return target


def find_row(lines: Lines, table: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("table") == table)


CHANGES: dict[str, Callable[[Lines], object]] = {
    "another table": lambda lines: find_row(lines, "messages").update(table="sqlite_master"),
    "another owner": lambda lines: find_row(lines, "messages").update(user_id=77),
    "a column missing": lambda lines: find_row(lines, "messages").pop("content"),
    "a list as a text": lambda lines: find_row(lines, "messages").update(content=["text"]),
    "a role that is none": lambda lines: find_row(lines, "messages").update(role="spy"),
    "a number out of bounds": lambda lines: find_row(lines, "messages").update(id=10**400),
    "no owner": lambda lines: lines.insert(1, {"table": "messages"}),
    "no object": lambda lines: lines.insert(1, []),  # type: ignore[arg-type]
    "no storage": lambda lines: lines.insert(-1, {"user_id": 9, "storage": "paper"}),
    "an owner twice": lambda lines: lines.extend([*lines[1:-1], lines[-1]]),
    "state of no table": lambda lines: lines.insert(1, {"state": "users", "row": {}}),
    "state of half a row": lambda lines: lines.insert(1, {"state": "usage", "row": {"day": "2026-03-01"}}),
    "state of a list": lambda lines: lines.insert(
        1, {"state": "renamings", "row": {"old_id": [], "new_id": 1, "at": "", "is_done": 1}}
    ),
    "no header": lambda lines: lines.pop(0),
    "no schema": lambda lines: lines[0].pop("schema"),
    "a schema that never was": lambda lines: lines[0].update(schema=0),
    "no format": lambda lines: lines[0].pop("format"),
    "a format that is no number": lambda lines: lines[0].update(format="x"),
}


async def test_restores_usage_from_backup_without_cache_write_counts(data_dir: Path, tmp_path: Path) -> None:
    used = {"day": "2026-03-01", "user_id": 1, "model": "m", "prompt_tokens": 5, "completion_tokens": 6}
    row = {"state": "usage", "row": {**used, "cached_tokens": 0, "answers": 1}}
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    older = write_altered_backup(tmp_path / "backup.gz", tmp_path / "older.gz", lambda lines: lines.insert(1, row))
    await restore_backup(older, data_dir)
    async with AsyncExitStack() as stack:
        memory = await open_memory(data_dir, stack)
        assert await memory.usage.read_usage_of_day_by_spender(date(2026, 3, 1)) == {
            1: Usage(prompt=5, completion=6, answers=1)
        }


@pytest.mark.parametrize("name", CHANGES)
async def test_restore_refuses_altered_backup_without_changes(data_dir: Path, tmp_path: Path, name: str) -> None:
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    before = {path.name: path.read_bytes() for path in list_files(data_dir)}
    with pytest.raises(StorageError):
        await restore_backup(
            write_altered_backup(tmp_path / "backup.gz", tmp_path / "altered.gz", CHANGES[name]), data_dir
        )
    assert {path.name: path.read_bytes() for path in list_files(data_dir)} == before
    assert not [path for path in data_dir.iterdir() if path.is_dir()]  # noqa: ASYNC240


async def test_restore_refuses_damaged_or_newer_backup_without_changes(data_dir: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.gz"
    await back_up_and_count_messages(data_dir, file)
    before = {path.name: path.read_bytes() for path in list_files(data_dir)}
    whole = file.read_bytes()
    lines = gzip.decompress(whole).splitlines(keepends=True)
    bad = [
        *(b"", b"no backup", whole[: len(whole) // 2], whole[:-10], whole[:-100] + bytes(100), whole + whole),
        *(gzip.compress(b"".join(some)) for some in (lines[:-1], lines[:-2] + lines[-1:], lines[1:], [b"["] * 9_000)),
        gzip.compress(b"".join(lines).replace(b"first of 1", b"first of 9")),
    ]
    for content in bad:
        (tmp_path / "bad.gz").write_bytes(content)
        with pytest.raises(StorageCorrupt, match="nothing was changed"):
            await restore_backup(tmp_path / "bad.gz", data_dir)
    newer = write_altered_backup(file, tmp_path / "newer.gz", lambda lines: lines[0].update(format=99))
    with pytest.raises(StorageTooNew, match="newer version"):
        await restore_backup(newer, data_dir)
    newer = write_altered_backup(
        file, tmp_path / "schema.gz", lambda lines: lines[0].update(schema=len(MIGRATIONS) + 1)
    )
    with pytest.raises(StorageTooNew, match="newer version"):
        await restore_backup(newer, data_dir)
    assert {path.name: path.read_bytes() for path in list_files(data_dir)} == before


@pytest.mark.parametrize("steps", range(8))
async def test_killed_restore_is_completed_or_discarded_at_next_start(
    data_dir: Path, tmp_path: Path, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The restore takes effect once all restored files are complete. Until then nothing changes."""
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    async with AsyncExitStack() as stack:
        await append_message(await open_memory(data_dir, stack), 1, "after the backup")
    replace, done = Path.replace, 0

    def cut_off(path: Path, target: Path) -> Path:
        nonlocal done
        if path.parent == data_dir or path.parent.parent == data_dir:
            if done == steps:
                raise Killed
            done += 1
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", cut_off)
        with pytest.raises(Killed):
            await restore_backup(tmp_path / "backup.gz", data_dir)
    back, before = ({1: ["first of 1"], 2: ["first of 2"]}, {1: ["first of 1", "after the backup"], 2: ["first of 2"]})
    found = await read_texts_by_owner(data_dir)
    asides = list(data_dir.glob(f"{ASIDE}*"))  # noqa: ASYNC240
    if asides:
        assert found == back
        assert await read_texts_by_owner(asides[0]) == before
    else:
        assert found == before
    assert not list(data_dir.glob(".restor*"))  # noqa: ASYNC240


async def test_start_after_killed_restore_into_new_folder_is_refused_with_sentence(
    data_dir: Path, tmp_path: Path
) -> None:
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    killed = tmp_path / "there" / ".restoring-k3q8_x7b"  # as SIGKILL leaves it
    (killed / "fresh").mkdir(parents=True)
    (killed / "fresh" / DATABASE).write_bytes(b"half of the memory")
    for _ in range(2):
        with pytest.raises(SettingsError, match=f"interrupted.*, or delete {killed}"), lock_data_dir(killed.parent):
            pass
    await restore_backup(tmp_path / "backup.gz", killed.parent)
    assert await read_texts_by_owner(killed.parent) == {1: ["first of 1"], 2: ["first of 2"]}


async def test_restore_fills_column_missing_from_older_backup_with_default(data_dir: Path, tmp_path: Path) -> None:
    """`title` was added without a new format number, so that restoring an older backup raised KeyError."""
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    fewer = write_altered_backup(
        tmp_path / "backup.gz", tmp_path / "fewer.gz", lambda lines: find_row(lines, "messages").pop("title")
    )
    await restore_backup(fewer, data_dir)
    assert await read_texts_by_owner(data_dir) == {1: ["first of 1"], 2: ["first of 2"]}


def test_columns_added_after_first_version_have_defaults() -> None:
    """Without defaults, no older backup, memory.json or export could be read."""
    with closing(sqlite3.connect(":memory:")) as first:
        MIGRATIONS[0](first)
        for table in TABLES:
            known = {row[1] for row in first.execute(f"PRAGMA table_info({table.name})")}
            if known:  # of a later table there are no rows in older files
                assert {column.name for column in table.columns} - known <= set(table.defaults), table.name


async def test_backup_refuses_damaged_memory_json(data_dir: Path, tmp_path: Path) -> None:
    (data_dir / "memory.json").write_text('{"users":')
    with pytest.raises(StorageCorrupt, match="Start the bot once"):
        await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    assert not (tmp_path / "backup.gz").exists()


async def test_start_and_backup_remove_leftovers_of_killed_processes(data_dir: Path, tmp_path: Path) -> None:
    """A killed restore left a folder with a copy of all messages, and nothing ever removed it."""
    for name in (".restoring-abc", ".keepsake-backup-abc", ".keepsake-a_b4c6d8"):
        (data_dir / name).mkdir()
        (data_dir / name / DATABASE).write_bytes(b"every word")
    for name in ("memory.db.before-format-9.partial", ".probe-77", "memory.json.tmp"):
        (data_dir / name).write_bytes(b"every word")
    (data_dir / "mine.txt").write_text("somebody's own")
    with make_work_folder(data_dir, BACKING_UP) as alive:
        assert await read_texts_by_owner(data_dir) == {1: ["first of 1"], 2: ["first of 2"]}
        assert alive.exists()
    assert [path.name for path in list_files(data_dir) if path.name not in KEPT] == ["mine.txt"]
    assert [path for pattern in LEFTOVERS for path in Path(data_dir).glob(pattern)] == []  # noqa: ASYNC240
    (tmp_path / ".keepsake-backup-abc").mkdir()
    (tmp_path / "download.partial").touch()
    await back_up_and_count_messages(data_dir, tmp_path / "backup.gz")
    assert not (tmp_path / ".keepsake-backup-abc").exists()
    assert (tmp_path / "download.partial").exists()

"""A backup is whole, private and of one piece; a restore checks first, and overwrites nothing."""

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
from storage.engine.data_dir import ASIDE, BACKING_UP, LEFTOVERS, LOCK_NAME, make_work_folder
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import TABLES
from storage.stores.json import JsonStore
from storage.stores.memory_store import SqliteStore
from tests.contract.conftest import NOW, said
from tests.support.storages import IN_FILES

KEPT = {LOCK_NAME, DATABASE, "memory.json", "memory.json.journal", "index.db"}
OWNERS = {1: StorageType.SQLITE, 2: StorageType.JSON}


async def remembering(folder: Path, stack: AsyncExitStack) -> ExternalMemory:
    return await stack.enter_async_context(ExternalMemory.open(folder, clock=lambda: NOW))


async def say(memory: ExternalMemory, owner: int, text: str) -> None:
    async with memory.open_store_if_enabled(owner) as store:
        assert store is not None
        await store.append_messages(Scope(owner=owner), [said(text, source=text)])


async def backed_up(folder: Path, file: Path) -> int:
    return (await asyncio.to_thread(back_up, folder, file)).messages


async def restored(file: Path, folder: Path) -> RestoreResult:
    return await asyncio.to_thread(restore_backup_file, file, folder)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


async def contents(folder: Path) -> dict[int, list[str]]:
    async with ExternalMemory.open(folder, clock=lambda: NOW) as memory:
        found = {}
        for owner in OWNERS:
            async with memory.open_store(owner) as store:
                found[owner] = [
                    message.content for message in await store.timeline.read_page(Scope(owner=owner), limit=10_000)
                ]
        return found


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """A data directory of a stopped bot, with one owner in each store."""
    async with AsyncExitStack() as stack:
        memory = await remembering(tmp_path / "data", stack)
        for owner, storage in OWNERS.items():
            await memory.configure(owner, storage=storage, every_n=5)
            await say(memory, owner, f"first of {owner}")
    return tmp_path / "data"


async def test_a_backup_of_a_running_bot_holds_all_that_was_acknowledged(data: Path, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        memory = await remembering(data, stack)
        acknowledged: dict[int, list[str]] = {owner: [f"first of {owner}"] for owner in OWNERS}
        done = asyncio.Event()

        async def load(owner: int) -> None:
            number = 0
            while not done.is_set():
                text = f"{owner} says {number}"
                await say(memory, owner, text)
                acknowledged[owner].append(text)
                number += 1

        async def move() -> None:
            storage = StorageType.JSON
            while not done.is_set():
                await memory.configure(1, storage=storage, every_n=5)
                storage = next(kind for kind in IN_FILES if kind is not storage)

        tasks = [asyncio.create_task(load(owner)) for owner in OWNERS]
        for number in range(3):
            mover = asyncio.create_task(move()) if number == 0 else None
            before = {owner: list(texts) for owner, texts in acknowledged.items()}
            file = tmp_path / f"backup-{number}.gz"
            working = asyncio.create_task(backed_up(data, file))
            if mover:
                # Moves go on for a while during the backup, then stop: it needs one quiet moment.
                await asyncio.wait({working}, timeout=1)
                mover.cancel()
                await asyncio.gather(mover, return_exceptions=True)
            messages = await working
            await restored(file, tmp_path / f"there-{number}")
            found = await contents(tmp_path / f"there-{number}")
            assert sum(map(len, found.values())) == messages
            for owner in OWNERS:
                assert found[owner][: len(before[owner])] == before[owner]
        done.set()
        await asyncio.gather(*tasks)


async def test_a_backup_of_a_killed_bot_has_what_only_the_journal_holds(data: Path, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        memory = await remembering(data, stack)
        await say(memory, 2, "only in the journal")
        copy = tmp_path / "killed"
        copy.mkdir()
        for file in files(data):
            (copy / file.name).write_bytes(file.read_bytes())
    (copy / "index.db").unlink()
    before = {file.name: file.read_bytes() for file in copy.glob("memory.json*")}
    await backed_up(copy, tmp_path / "backup.gz")
    assert {file.name: file.read_bytes() for file in copy.glob("memory.json*")} == before
    await restored(tmp_path / "backup.gz", tmp_path / "there")
    assert (await contents(tmp_path / "there"))[2] == ["first of 2", "only in the journal"]


async def test_an_owner_whose_move_was_broken_off_is_counted_once(data: Path, tmp_path: Path) -> None:
    async with Database.open(data / DATABASE, migrations=MIGRATIONS) as database, JsonStore.open(data) as target:
        await target.load_owner(1, SqliteStore(database).dump_owner(1))
    with closing(sqlite3.connect(data / DATABASE)) as file, file:
        file.execute("INSERT INTO moves VALUES (1, 'sqlite', 'json', 'copying', ?)", (NOW.isoformat(),))
    messages = await backed_up(data, tmp_path / "backup.gz")
    await restored(tmp_path / "backup.gz", tmp_path / "there")
    assert await contents(tmp_path / "there") == {1: ["first of 1"], 2: ["first of 2"]}
    assert messages == len(OWNERS)


async def test_backup_and_restored_files_are_private(data: Path, tmp_path: Path) -> None:
    await backed_up(data, tmp_path / "backup.gz")
    await restored(tmp_path / "backup.gz", tmp_path / "there")
    assert (tmp_path / "backup.gz").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o700
    for file in files(tmp_path / "there"):
        assert file.stat().st_mode & 0o777 == 0o600, file
    assert files(tmp_path) == [tmp_path / "backup.gz"]


async def test_what_is_there_is_set_aside_whole(data: Path, tmp_path: Path) -> None:
    await backed_up(data, tmp_path / "backup.gz")
    async with AsyncExitStack() as stack:
        await say(await remembering(data, stack), 1, "after the backup")
    done = await restored(tmp_path / "backup.gz", data)
    assert done.messages == 2
    assert done.aside is not None
    assert (await contents(data))[1] == ["first of 1"]
    assert (await contents(done.aside))[1] == ["first of 1", "after the backup"]
    assert (await restored(tmp_path / "backup.gz", data)).aside != done.aside


async def test_wrong_use_is_refused_and_changes_nothing(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.gz"
    await backed_up(data, file)
    whole = file.read_bytes()
    with pytest.raises(SettingsError, match="exists already"):
        await backed_up(data, file)
    assert file.read_bytes() == whole
    with pytest.raises(SettingsError, match="no memory"):
        await backed_up(tmp_path / "nowhere", tmp_path / "other.gz")
    with pytest.raises(SettingsError, match="no is no folder"):
        await backed_up(data, tmp_path / "no" / "folder.gz")
    with pytest.raises(SettingsError, match="does not exist"):
        await restored(tmp_path / "nothing.gz", data)
    async with AsyncExitStack() as stack:
        await remembering(data, stack)
        with pytest.raises(StorageBusy, match="in use"):
            await restored(file, data)
    assert (await contents(data))[1] == ["first of 1"]


Lines = list[dict[str, Any]]


class Killed(BaseException):
    pass


def spoilt(file: Path, target: Path, change: Callable[[Lines], object]) -> Path:
    """A copy of a backup in which rows are changed, its last line fitting again."""
    lines: Lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    change(lines)
    body = "".join(json.dumps(line) + "\n" for line in lines[:-1]).encode()
    end = {**lines[-1], "end": hashlib.sha256(body).hexdigest(), "lines": len(lines) - 1}
    target.write_bytes(gzip.compress(body + json.dumps(end).encode() + b"\n"))
    return target


def row_of(lines: Lines, table: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("table") == table)


CHANGES: dict[str, Callable[[Lines], object]] = {
    "another table": lambda lines: row_of(lines, "messages").update(table="sqlite_master"),
    "another owner": lambda lines: row_of(lines, "messages").update(user_id=77),
    "a column missing": lambda lines: row_of(lines, "messages").pop("content"),
    "a list as a text": lambda lines: row_of(lines, "messages").update(content=["text"]),
    "a role that is none": lambda lines: row_of(lines, "messages").update(role="spy"),
    "a number out of bounds": lambda lines: row_of(lines, "messages").update(id=10**400),
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


async def test_use_from_before_cache_writes_were_counted_is_put_back(data: Path, tmp_path: Path) -> None:
    used = {"day": "2026-03-01", "user_id": 1, "model": "m", "prompt_tokens": 5, "completion_tokens": 6}
    row = {"state": "usage", "row": {**used, "cached_tokens": 0, "answers": 1}}
    await backed_up(data, tmp_path / "backup.gz")
    older = spoilt(tmp_path / "backup.gz", tmp_path / "older.gz", lambda lines: lines.insert(1, row))
    await restored(older, data)
    async with AsyncExitStack() as stack:
        memory = await remembering(data, stack)
        assert await memory.usage.read_usage_of_day_by_spender(date(2026, 3, 1)) == {
            1: Usage(prompt=5, completion=6, answers=1)
        }


@pytest.mark.parametrize("name", CHANGES)
async def test_what_was_altered_is_refused_and_nothing_changes(data: Path, tmp_path: Path, name: str) -> None:
    await backed_up(data, tmp_path / "backup.gz")
    before = {path.name: path.read_bytes() for path in files(data)}
    with pytest.raises(StorageError):
        await restored(spoilt(tmp_path / "backup.gz", tmp_path / "altered.gz", CHANGES[name]), data)
    assert {path.name: path.read_bytes() for path in files(data)} == before
    assert not [path for path in data.iterdir() if path.is_dir()]  # noqa: ASYNC240


async def test_a_damaged_or_newer_backup_touches_nothing(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.gz"
    await backed_up(data, file)
    before = {path.name: path.read_bytes() for path in files(data)}
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
            await restored(tmp_path / "bad.gz", data)
    newer = spoilt(file, tmp_path / "newer.gz", lambda lines: lines[0].update(format=99))
    with pytest.raises(StorageTooNew, match="newer version"):
        await restored(newer, data)
    newer = spoilt(file, tmp_path / "schema.gz", lambda lines: lines[0].update(schema=len(MIGRATIONS) + 1))
    with pytest.raises(StorageTooNew, match="newer version"):
        await restored(newer, data)
    assert {path.name: path.read_bytes() for path in files(data)} == before


@pytest.mark.parametrize("steps", range(8))
async def test_a_restore_that_is_cut_off_is_finished_by_the_next_start(
    data: Path, tmp_path: Path, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the restored files are whole; until then everything is as it was."""
    await backed_up(data, tmp_path / "backup.gz")
    async with AsyncExitStack() as stack:
        await say(await remembering(data, stack), 1, "after the backup")
    replace, done = Path.replace, 0

    def cut_off(path: Path, target: Path) -> Path:
        nonlocal done
        if path.parent == data or path.parent.parent == data:
            if done == steps:
                raise Killed
            done += 1
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", cut_off)
        with pytest.raises(Killed):
            await restored(tmp_path / "backup.gz", data)
    back, before = ({1: ["first of 1"], 2: ["first of 2"]}, {1: ["first of 1", "after the backup"], 2: ["first of 2"]})
    found = await contents(data)
    asides = list(data.glob(f"{ASIDE}*"))  # noqa: ASYNC240
    if asides:
        assert found == back
        assert await contents(asides[0]) == before
    else:
        assert found == before
    assert not list(data.glob(".restor*"))  # noqa: ASYNC240


async def test_a_column_that_an_older_program_did_not_write_has_its_default(data: Path, tmp_path: Path) -> None:
    """`title` came while the format stayed 1: a restore ended in a KeyError."""
    await backed_up(data, tmp_path / "backup.gz")
    fewer = spoilt(tmp_path / "backup.gz", tmp_path / "fewer.gz", lambda lines: row_of(lines, "messages").pop("title"))
    await restored(fewer, data)
    assert await contents(data) == {1: ["first of 1"], 2: ["first of 2"]}


def test_every_column_that_came_after_the_first_version_has_a_default() -> None:
    """Else no older backup, memory.json or export could be read."""
    with closing(sqlite3.connect(":memory:")) as first:
        MIGRATIONS[0](first)
        for table in TABLES:
            known = {row[1] for row in first.execute(f"PRAGMA table_info({table.name})")}
            if known:  # of a later table there are no rows in older files
                assert {column.name for column in table.columns} - known <= set(table.defaults), table.name


async def test_a_damaged_memory_is_not_backed_up_as_if_it_were_whole(data: Path, tmp_path: Path) -> None:
    (data / "memory.json").write_text('{"users":')
    with pytest.raises(StorageCorrupt, match="Start the bot once"):
        await backed_up(data, tmp_path / "backup.gz")
    assert not (tmp_path / "backup.gz").exists()


async def test_what_killed_processes_left_half_made_is_gone_after_the_next_start(data: Path, tmp_path: Path) -> None:
    """A restore that was killed left a folder with every word in it, which nothing ever removed."""
    for name in (".restoring-abc", ".keepsake-backup-abc", ".keepsake-a_b4c6d8"):
        (data / name).mkdir()
        (data / name / DATABASE).write_bytes(b"every word")
    for name in ("memory.db.before-format-9.partial", ".probe-77", "memory.json.tmp"):
        (data / name).write_bytes(b"every word")
    (data / "mine.txt").write_text("somebody's own")
    with make_work_folder(data, BACKING_UP) as alive:
        assert await contents(data) == {1: ["first of 1"], 2: ["first of 2"]}
        assert alive.exists()
    assert [path.name for path in files(data) if path.name not in KEPT] == ["mine.txt"]
    assert [path for pattern in LEFTOVERS for path in Path(data).glob(pattern)] == []  # noqa: ASYNC240
    (tmp_path / ".keepsake-backup-abc").mkdir()
    (tmp_path / "download.partial").touch()
    await backed_up(data, tmp_path / "backup.gz")
    assert not (tmp_path / ".keepsake-backup-abc").exists()
    assert (tmp_path / "download.partial").exists()

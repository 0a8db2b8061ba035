"""A backup is whole, private and of one piece; a restore checks first, and overwrites nothing."""

import asyncio
import hashlib
import json
import shutil
import zipfile
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from external_memory import ExternalMemory
from records.errors import SettingsError, StorageBusy, StorageCorrupt, StorageTooLarge, StorageTooNew
from records.owners import IN_FILES, StorageType
from records.scopes import Scope
from storage.backup import DATABASE, MANIFEST, back_up, restore
from storage.files.data_dir import BACKING_UP, LEFTOVERS, LOCK_NAME, work_folder
from storage.files.database import Database
from storage.files.driver import sqlite3
from storage.json.store import JsonStore
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.store import SqliteStore
from tests.contract.conftest import NOW, said

REPLACED = """
DROP TRIGGER message_gone;
CREATE TRIGGER message_gone AFTER DELETE ON messages BEGIN
  INSERT INTO versions (id, user_id, message_id, role, content, written_at, replaced_at)
  VALUES (old.id, 1, 1, 'user', old.content, '', '');
END;
"""


def _redefined(table: str, before: str, after: str) -> str:
    """What makes a table another one under its old name, as no statement may."""
    new = f"replace(sql, '{before}', '{after}')"
    return f"PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = {new} WHERE name = '{table}'"  # noqa: S608


KEPT = {LOCK_NAME, DATABASE, "memory.json", "memory.json.journal", "index.db"}
OWNERS = {1: StorageType.SQLITE, 2: StorageType.JSON}


async def remembering(folder: Path, stack: AsyncExitStack) -> ExternalMemory:
    return await stack.enter_async_context(ExternalMemory.open(folder, clock=lambda: NOW))


async def say(memory: ExternalMemory, owner: int, text: str) -> None:
    async with memory.opened(owner) as store:
        assert store is not None
        await store.append(Scope(owner=owner), [said(text, source=text)])


async def backed_up(folder: Path, file: Path) -> int:
    return await asyncio.to_thread(back_up, folder, file)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


async def contents(folder: Path) -> dict[int, list[str]]:
    async with ExternalMemory.open(folder, clock=lambda: NOW) as memory:
        found = {}
        for owner in OWNERS:
            async with memory.home(owner) as store:
                found[owner] = [one.content for one in await store.page(Scope(owner=owner), limit=10_000)]
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
            file = tmp_path / f"backup-{number}.zip"
            working = asyncio.create_task(backed_up(data, file))
            if mover:
                # Moves go on for a while during the backup, then stop: it needs one quiet moment.
                await asyncio.wait({working}, timeout=1)
                mover.cancel()
                await asyncio.gather(mover, return_exceptions=True)
            messages = await working
            restore(file, tmp_path / f"there-{number}")
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
    await backed_up(copy, tmp_path / "backup.zip")
    assert {file.name: file.read_bytes() for file in copy.glob("memory.json*")} == before
    restore(tmp_path / "backup.zip", tmp_path / "there")
    assert (await contents(tmp_path / "there"))[2] == ["first of 2", "only in the journal"]


async def test_an_owner_whose_move_was_broken_off_is_counted_once(data: Path, tmp_path: Path) -> None:
    async with Database.open(data / DATABASE, migrations=MIGRATIONS) as database, JsonStore.open(data) as target:
        await target.load(1, SqliteStore(database).dump(1))
    with closing(sqlite3.connect(data / DATABASE)) as file, file:
        file.execute("INSERT INTO moves VALUES (1, 'sqlite', 'json', 'copying', ?)", (NOW.isoformat(),))
    messages = await backed_up(data, tmp_path / "backup.zip")
    restore(tmp_path / "backup.zip", tmp_path / "there")
    assert await contents(tmp_path / "there") == {1: ["first of 1"], 2: ["first of 2"]}
    assert messages == len(OWNERS)


async def test_backup_and_restored_files_are_private(data: Path, tmp_path: Path) -> None:
    await backed_up(data, tmp_path / "backup.zip")
    restore(tmp_path / "backup.zip", tmp_path / "there")
    assert (tmp_path / "backup.zip").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o700
    for file in files(tmp_path / "there"):
        assert file.stat().st_mode & 0o777 == 0o600, file
    assert files(tmp_path) == [tmp_path / "backup.zip"]


async def test_what_is_there_is_set_aside_whole(data: Path, tmp_path: Path) -> None:
    await backed_up(data, tmp_path / "backup.zip")
    async with AsyncExitStack() as stack:
        await say(await remembering(data, stack), 1, "after the backup")
    done = restore(tmp_path / "backup.zip", data)
    assert done.messages == 2
    assert done.aside is not None
    assert (await contents(data))[1] == ["first of 1"]
    assert (await contents(done.aside))[1] == ["first of 1", "after the backup"]
    assert restore(tmp_path / "backup.zip", data).aside != done.aside


async def test_wrong_use_is_refused_and_changes_nothing(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    await backed_up(data, file)
    whole = file.read_bytes()
    with pytest.raises(SettingsError, match="exists already"):
        await backed_up(data, file)
    assert file.read_bytes() == whole
    with pytest.raises(SettingsError, match="no memory"):
        await backed_up(tmp_path / "nowhere", tmp_path / "other.zip")
    with pytest.raises(SettingsError, match="no is no folder"):
        await backed_up(data, tmp_path / "no" / "folder.zip")
    with pytest.raises(SettingsError, match="does not exist"):
        restore(tmp_path / "nothing.zip", data)
    async with AsyncExitStack() as stack:
        await remembering(data, stack)
        with pytest.raises(StorageBusy, match="in use"):
            restore(file, data)
    assert (await contents(data))[1] == ["first of 1"]


def spoilt(file: Path, tmp_path: Path, name: str, content: bytes, **manifest: object) -> Path:
    """The backup with one member exchanged, its manifest fitting again."""
    with zipfile.ZipFile(file) as packed:
        members = {one: packed.read(one) for one in packed.namelist()}
    described = json.loads(members[MANIFEST])
    if name:
        members[name] = content
        described["sha256"][name] = hashlib.sha256(content).hexdigest()
    members[MANIFEST] = json.dumps({**described, **manifest}).encode()
    made = tmp_path / "spoilt.zip"
    with zipfile.ZipFile(made, "w") as packed:
        for one, value in members.items():
            packed.writestr(one, value)
    return made


HUGE = [
    ("memory.json", b'{"keepsake": {"format": 1e400, "journal_seq": 0}}'),
    ("memory.json", b'{"keepsake": {"format": 2, "journal_seq": 1e400}, "users": {}}'),
]
"""Numbers that JSON can write and no number of ours can be."""


async def test_a_damaged_or_newer_backup_touches_nothing(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    await backed_up(data, file)
    before = {path.name: path.read_bytes() for path in files(data)}
    whole = file.read_bytes()
    newer = tmp_path / "newer.db"
    with zipfile.ZipFile(file) as packed:
        newer.write_bytes(packed.read(DATABASE))
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version=999")
    for content in (b"", b"no zip", whole[: len(whole) // 2], whole[:-100] + bytes(100)):
        (tmp_path / "bad.zip").write_bytes(content)
        with pytest.raises(StorageCorrupt, match="nothing was changed"):
            restore(tmp_path / "bad.zip", data)
    for name, content in ((DATABASE, b"x" * 5000), ("memory.json", b"[]"), ("memory.json", b'{"users": 5}'), *HUGE):
        with pytest.raises(StorageCorrupt, match="nothing was changed"):
            restore(spoilt(file, tmp_path, name, content), data)
    with pytest.raises(StorageCorrupt, match="nothing was changed"):
        restore(spoilt(file, tmp_path, "", b"", format=float("inf")), data)
    for content, manifest in ((newer.read_bytes(), {}), (newer.read_bytes(), {"format": 2})):
        with pytest.raises(StorageTooNew, match="newer version"):
            restore(spoilt(file, tmp_path, DATABASE, content, **manifest), data)
    assert {path.name: path.read_bytes() for path in files(data)} == before


async def test_what_is_too_large_is_not_unpacked(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "backup.zip"
    await backed_up(data, file)
    before = {path.name: path.read_bytes() for path in files(data)}
    for name, value, words in (
        ("storage.backup.LARGEST_DATABASE", 4096, "memory.db in the backup has"),
        ("storage.json.snapshot.LARGEST", 100, "memory.json has"),
        ("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0), "the disk has room for 0"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(name, value)
            with pytest.raises(StorageTooLarge, match=words):
                restore(file, data)
        assert {path.name: path.read_bytes() for path in files(data)} == before
    assert restore(file, data).messages == 2


async def test_a_damaged_memory_is_not_backed_up_as_if_it_were_whole(data: Path, tmp_path: Path) -> None:
    (data / "memory.json").write_text('{"users":')
    with pytest.raises(StorageCorrupt, match="Start the bot once"):
        await backed_up(data, tmp_path / "backup.zip")
    assert not (tmp_path / "backup.zip").exists()


async def test_what_killed_processes_left_half_made_is_gone_after_the_next_start(data: Path, tmp_path: Path) -> None:
    """A restore that was killed left a folder with every word in it, which nothing ever removed."""
    for name in (".restoring-abc", ".keepsake-backup-abc", ".keepsake-a_b4c6d8"):
        (data / name).mkdir()
        (data / name / DATABASE).write_bytes(b"every word")
    for name in ("memory.db.before-format-9.partial", ".probe-77", "memory.json.tmp"):
        (data / name).write_bytes(b"every word")
    (data / "mine.txt").write_text("somebody's own")
    with work_folder(data, BACKING_UP) as alive:
        assert await contents(data) == {1: ["first of 1"], 2: ["first of 2"]}
        assert alive.exists()
    assert [path.name for path in files(data) if path.name not in KEPT] == ["mine.txt"]
    assert [path for pattern in LEFTOVERS for path in Path(data).glob(pattern)] == []  # noqa: ASYNC240
    (tmp_path / ".keepsake-backup-abc").mkdir()
    (tmp_path / "download.partial").touch()
    await backed_up(data, tmp_path / "backup.zip")
    assert not (tmp_path / ".keepsake-backup-abc").exists()
    assert (tmp_path / "download.partial").exists()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE TRIGGER spy AFTER INSERT ON messages BEGIN DELETE FROM facts; END", "trigger spy"),
        ("CREATE VIEW all_words AS SELECT content FROM messages", "view all_words"),
        ("CREATE TABLE more (x)", "table more"),
        ("CREATE VIRTUAL TABLE copied USING fts5(x)", "table copied"),
        ("CREATE INDEX spying ON messages (abs(id))", "index spying"),
        (REPLACED, "trigger message_gone"),
        ("ALTER TABLE messages ADD COLUMN more GENERATED ALWAYS AS (zeroblob(9))", "table messages"),
        (_redefined("people", "PRIMARY KEY", "PRIMARY KEY ON CONFLICT REPLACE"), "table people"),
        ("DROP INDEX message_turn; CREATE UNIQUE INDEX message_turn ON messages (user_id)", "index message_turn"),
    ],
)
async def test_a_backup_with_a_foreign_schema_is_refused(
    data: Path, tmp_path: Path, statement: str, named: str
) -> None:
    """A trigger would run with every write of ours."""
    file = tmp_path / "backup.zip"
    await backed_up(data, file)
    changed = tmp_path / "changed.db"
    with zipfile.ZipFile(file) as packed:
        changed.write_bytes(packed.read(DATABASE))
    with closing(sqlite3.connect(changed)) as connection:
        connection.executescript(statement)
    before = {path.name: path.read_bytes() for path in files(data)}
    with pytest.raises(StorageCorrupt, match=named):
        restore(spoilt(file, tmp_path, DATABASE, changed.read_bytes()), data)
    assert {path.name: path.read_bytes() for path in files(data)} == before


async def test_a_backup_of_any_format_is_restored(tmp_path: Path) -> None:
    """What the migrations make is nothing foreign, at any number of them."""
    for version in (1, len(MIGRATIONS) // 2, len(MIGRATIONS)):
        folder = tmp_path / f"format-{version}"
        folder.mkdir()
        async with Database.open(folder / DATABASE, migrations=MIGRATIONS[:version]):
            pass
        await backed_up(folder, tmp_path / f"{version}.zip")
        assert restore(tmp_path / f"{version}.zip", tmp_path / f"there-{version}").messages == 0

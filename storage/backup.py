"""A backup: one private zip file with memory.db, a complete memory.json, and what PostgreSQL holds (server_backup.py),
made while the bot runs or not.

Owns that they are consistent: whatever was acknowledged before the backup began is in it, and no owner is lost between
two stores while moving. index.db is derived and left out. Everything here blocks: call it from a thread.
"""

import asyncio
import contextlib
import hashlib
import itertools
import json
import logging
import os
import shutil
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from records.errors import SettingsError, StorageBusy, StorageCorrupt, StorageTooLarge, StorageTooNew
from records.owners import StorageType
from storage.files.data_dir import ASIDE, BACKING_UP, LOCK_NAME, RESTORING, data_dir, remove_leftovers, work_folder
from storage.files.database import Database, copy_database
from storage.files.driver import create_private, explained, fsync_folder, sqlite3
from storage.files.place import known_place
from storage.json import snapshot
from storage.json.journal import survey
from storage.json.recovery import INDEX_NAME, JOURNAL_NAME, SNAPSHOT_NAME
from storage.json.store import JsonStore
from storage.sqlite.foreign_schema import foreign
from storage.sqlite.migrations import MIGRATIONS

log = logging.getLogger(__name__)

FORMAT = 2
"""1: without anything of PostgreSQL. Still written where there is nothing of it."""
SERVER = "postgres.jsonl"
MANIFEST, DATABASE = "keepsake.json", "memory.db"
MEMBERS = (DATABASE, SNAPSHOT_NAME, SERVER)
PATIENCE = 20.0
"""Seconds to wait for a running bot to finish the move or start that is in the way."""
LARGEST_DATABASE = 64_000_000_000
"""Bytes of memory.db that are unpacked from a backup; of memory.json: snapshot.LARGEST."""
MOST_MANIFEST = 65_536
"""Bytes of the manifest that are read."""

_STAYS = frozenset({LOCK_NAME, "playground"})
"""What a restore does not move: the lock that it holds, and the playground's own memory."""


class _NotYet(Exception):  # noqa: N818 - no error: the bot is in the middle of something
    pass


@dataclass(frozen=True, kw_only=True, slots=True)
class Restored:
    """What a restore did. `aside`: the folder that holds what was in DATA_DIR before; None where there was nothing."""

    messages: int
    made_at: str
    aside: Path | None


# making ------------------------------------------------------------------------------------------------------
def back_up(folder: Path, file: Path, *, database_url: str = "") -> int:
    """Write a backup of the data directory to `file`, whole or not at all; returns the number of messages in it.

    `database_url`: of a PostgreSQL database, all memories of which are in the backup, too. Raises SettingsError when
    `file` exists or cannot be there, or `folder` holds no memory, else a StorageError.
    """
    if file.exists():
        raise SettingsError("--backup", f"{file} exists already; it was not touched. Give another name.")
    if not file.absolute().parent.is_dir():
        raise SettingsError("--backup", f"{file.absolute().parent} is no folder; nothing was backed up.")
    if not database_url and not (folder / DATABASE).exists():
        raise SettingsError("DATA_DIR", f"{folder} holds no memory; there is nothing to back up.")
    # The file may be wanted anywhere, so nothing else is touched there.
    remove_leftovers(file.absolute().parent, [f"{BACKING_UP}*"])
    with explained(file), work_folder(file.absolute().parent, BACKING_UP) as work:
        if database_url:
            _collect_all(folder, work, database_url)
        else:
            _collect(folder, work)
        # A backup that cannot be restored is useless, so it is read through first.
        messages = _check(work)
        packed = work / "packed"
        _pack(work, packed, messages)
        try:
            os.link(packed, file)
        except FileExistsError:
            raise SettingsError("--backup", f"{file} exists already; it was not touched.") from None
        except OSError:  # a file system without links
            packed.replace(file)
        fsync_folder(file.absolute().parent)
    return messages


def kept_elsewhere(folder: Path) -> str:
    """How many memories are kept where no file of the folder holds them, when PostgreSQL is not asked; "" for none."""
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as database:
        found = database.execute("SELECT COUNT(*) FROM users WHERE storage_type = ?", (StorageType.POSTGRES,))
        [count] = found.fetchone()
    return "" if not count else "1 memory" if count == 1 else f"{count} memories"


def _collect_all(folder: Path, work: Path, database_url: str) -> None:
    """The files and what the server holds, so that each memory is in one of them."""
    # Imported here: who has no server needs no driver.
    from storage import server_backup

    deadline = time.monotonic() + PATIENCE
    while True:
        files = partial(_collect if (folder / DATABASE).exists() else _collect_nothing, folder, work)
        try:
            elsewhere = asyncio.run(server_backup.collect(database_url, work / SERVER, known_place(folder), files))
        except server_backup.Moved:
            if time.monotonic() > deadline:
                raise StorageBusy("The bot is moving a memory, and did not finish in time; please try again.") from None
        else:
            break
    if elsewhere:
        counted = "1 memory is" if elsewhere == 1 else f"{elsewhere} memories are"
        log.warning("%s kept in files of other processes: back up each of their DATA_DIRs as well", counted)


def _collect_nothing(_: Path, work: Path) -> None:
    """An empty memory.db: everything is in the server."""

    async def make() -> None:
        async with Database.open(work / DATABASE, migrations=MIGRATIONS):
            pass

    asyncio.run(make())


def _collect(folder: Path, work: Path) -> None:
    """Both stores as of one moment, in `work`."""
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.ExitStack() as stack:
            is_running = False
            try:
                stack.enter_context(data_dir(folder))
            except StorageBusy:
                is_running = True
            try:
                _collect_once(folder, work, is_running=is_running)
            except _NotYet:
                if time.monotonic() > deadline:
                    raise StorageBusy(
                        "The bot is starting, or moving a memory, and did not finish in time; "
                        "nothing was backed up. Please try again."
                    ) from None
            else:
                return
        time.sleep(0.1)


def _collect_once(folder: Path, work: Path, *, is_running: bool) -> None:
    before = _places(folder / DATABASE)
    # What the journal holds by now was acknowledged or is about to be, so it must be in the backup.
    acknowledged = survey(folder / JOURNAL_NAME).last_seq
    if is_running:
        _from_index(folder, work, acknowledged)
    else:
        _from_files(folder, work)
    copy_database(folder / DATABASE, work / DATABASE)
    if _places(work / DATABASE) != before:
        # An owner was added or moved in between, and could be in neither file or in both.
        raise _NotYet


def _places(database: Path) -> list[tuple[object, ...]]:
    """Who lives where, and the moves under way; empty for a file that the original design wrote."""
    with contextlib.closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=rw", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'moves'").fetchone():
            return []
        return [
            *map(tuple, connection.execute("SELECT user_id, storage_type, epoch FROM users ORDER BY user_id")),
            *map(tuple, connection.execute("SELECT user_id, source, target, state FROM moves ORDER BY user_id")),
        ]


def _from_index(folder: Path, work: Path, acknowledged: int) -> None:
    """Write memory.json from the running bot's working copy, which holds snapshot and journal."""
    index = folder / INDEX_NAME
    target = work / SNAPSHOT_NAME
    target.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=rw", uri=True)) as source:
            source.row_factory = sqlite3.Row
            if source.execute("PRAGMA user_version").fetchone()[0] != len(MIGRATIONS):
                raise _NotYet
            state = source.execute("SELECT * FROM journal_state").fetchone()
            is_current = not state["clean"] and state["snapshot"] == snapshot.identity_of(folder / SNAPSHOT_NAME)
            if not is_current or snapshot.write(source, target) < acknowledged:
                raise _NotYet
    except sqlite3.OperationalError:  # not there yet, or just being replaced
        raise _NotYet from None


def _from_files(folder: Path, work: Path) -> None:
    """Write memory.json as the bot's next start would see it, recovered from copies; the originals are untouched."""
    recovery = work / "recovery"
    recovery.mkdir(mode=0o700, exist_ok=True)
    for name in (SNAPSHOT_NAME, JOURNAL_NAME):
        if (folder / name).exists():
            create_private(recovery / name)
            shutil.copyfile(folder / name, recovery / name)

    async def recover() -> list[str]:
        async with JsonStore.open(recovery) as store:
            return list(store.reports)

    if asyncio.run(recover()):
        raise StorageCorrupt(
            f"{SNAPSHOT_NAME} or its journal is damaged; nothing was backed up. Start the bot once: it sets aside what "
            "cannot be read and says so."
        )
    if (recovery / SNAPSHOT_NAME).exists():
        (recovery / SNAPSHOT_NAME).replace(work / SNAPSHOT_NAME)


def _pack(work: Path, target: Path, messages: int) -> None:
    found = [name for name in MEMBERS if (work / name).exists()]
    manifest = {
        "format": FORMAT if SERVER in found else 1,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "messages": messages,
        "sha256": {name: _digest(work / name) for name in found},
    }
    create_private(target)
    with target.open("r+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(MANIFEST, json.dumps(manifest, indent=2))
            for name in found:
                packed.write(work / name, name)
        file.flush()
        os.fsync(file.fileno())


# restoring ---------------------------------------------------------------------------------------------------
def restore(file: Path, folder: Path, *, database_url: str = "") -> Restored:
    """Restore a backup into the data directory. What is there is moved to a folder of its own, never overwritten.

    `database_url`: all memories of the backup, wherever they were, go into that PostgreSQL database instead, which must
    hold none; the data directory begins empty. Without it they all go into the files.
    The backup is checked in full before anything is touched. Raises SettingsError when there is no such file,
    StorageBusy while the bot runs, StorageTooNew, StorageTooLarge, StorageCorrupt, StorageError.
    """
    if not file.is_file():
        raise SettingsError("--restore", f"{file} does not exist.")
    with data_dir(folder) as held, explained(file), work_folder(held, RESTORING) as work:
        made_at = _unpack(file, work)
        messages = _check(work)
        if database_url:
            return Restored(messages=messages, made_at=made_at, aside=_into_server(database_url, held, work))
        if (work / SERVER).exists():
            from storage import server_backup

            asyncio.run(server_backup.into_files(work, work / SERVER))
            _remove_side_files(work)
        aside = _set_aside(held, keep=work)
        # memory.db last: without it an interrupted restore is plainly incomplete.
        for name in (SNAPSHOT_NAME, DATABASE):
            if (work / name).exists():
                (work / name).replace(held / name)
                fsync_folder(held)
    return Restored(messages=messages, made_at=made_at, aside=aside)


def _into_server(database_url: str, folder: Path, work: Path) -> Path | None:
    """The folder into which was moved what DATA_DIR held."""
    from storage import server_backup

    aside: list[Path | None] = []
    set_aside = partial(_set_aside, folder, keep=work)
    asyncio.run(server_backup.into_server(database_url, work, work / SERVER, lambda: aside.append(set_aside())))
    return aside[0]


_DAMAGE = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(KeyError, ValueError, TypeError, AttributeError, OverflowError),
)
"""What reading a file that is no zip file, or a damaged one, raises (zipfile documents only some of these)."""


def _unpack(file: Path, work: Path) -> str:
    """Extract the files of a backup into `work`; returns when it was made."""
    try:
        with zipfile.ZipFile(file) as packed:
            with packed.open(MANIFEST) as source:
                manifest = json.loads(source.read(MOST_MANIFEST))
            is_too_new = int(manifest["format"]) > FORMAT
            digests = {} if is_too_new else dict(manifest["sha256"])
            made_at = str(manifest["made_at"])
            wanted = digests.keys() & set(MEMBERS)
            _demand_sizes({name: packed.getinfo(name).file_size for name in wanted}, work)
            for name in wanted:
                create_private(work / name)
                with packed.open(name) as source, (work / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
                    target.flush()
                    os.fsync(target.fileno())
    except _DAMAGE as error:
        raise StorageCorrupt(f"{file} is no backup of Keepsake, or is damaged; nothing was changed.") from error
    if is_too_new:
        raise StorageTooNew(f"{file} was made by a newer version of Keepsake; please update the program.")
    found = {name: _digest(work / name) for name in MEMBERS if (work / name).exists()}
    if found != digests or DATABASE not in found:
        raise StorageCorrupt(f"{file} is damaged; nothing was changed.")
    return made_at


def _demand_sizes(sizes: Mapping[str, int], work: Path) -> None:
    """Raises StorageTooLarge where more would be unpacked than is read, or than the disk has room for. A member cannot
    give out more than its size says: zipfile stops there.
    """
    snapshot.demand_size(SNAPSHOT_NAME, sizes.get(SNAPSHOT_NAME, 0))
    size, free = max(sizes.get(DATABASE, 0), sizes.get(SERVER, 0)), shutil.disk_usage(work).free
    if size > LARGEST_DATABASE:
        raise StorageTooLarge(
            f"{DATABASE} in the backup has {size / 1e6:,.0f} MB, and at most {LARGEST_DATABASE / 1e6:,.0f} are "
            "restored; nothing was changed."
        )
    if sum(sizes.values()) > free:
        raise StorageTooLarge(
            f"What is in the backup needs {sum(sizes.values()) / 1e6:,.0f} MB, and the disk has room for "
            f"{free / 1e6:,.0f}; nothing was changed."
        )


def _check(work: Path) -> int:
    """Check that this program can open both files; returns the number of messages in them."""
    try:
        with contextlib.closing(sqlite3.connect(work / DATABASE)) as database:
            version = int(database.execute("PRAGMA user_version").fetchone()[0])
            strange = foreign(database, max(0, version))
            # What is strange is not worked on: a column that is made up may take a gigabyte for each row.
            is_sound = bool(strange) or database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
            messages = Counter(dict(database.execute("SELECT user_id, COUNT(*) FROM messages GROUP BY user_id")))
        if (work / SNAPSHOT_NAME).exists():
            # An owner whose move is under way is in both files, complete in one of them, and counted there.
            messages |= snapshot.messages_of(snapshot.read(work / SNAPSHOT_NAME))
        if (work / SERVER).exists():
            from storage import server_backup

            messages |= server_backup.messages_of(work / SERVER)
    except (sqlite3.DatabaseError, snapshot.SnapshotError) as error:
        raise StorageCorrupt("What is in the backup is damaged; nothing was changed.") from error
    _remove_side_files(work)
    if version > len(MIGRATIONS):
        raise StorageTooNew(
            f"{DATABASE} is a newer version's (its format is {version}, this program knows {len(MIGRATIONS)}); "
            "please update the program."
        )
    if version < 0 or not is_sound:
        raise StorageCorrupt("What is in the backup is damaged; nothing was changed.")
    if strange:
        raise StorageCorrupt(
            f"{DATABASE} in the backup holds what Keepsake never wrote ({', '.join(strange)}); nothing was changed."
        )
    return messages.total()


def _remove_side_files(work: Path) -> None:
    for suffix in ("-wal", "-shm"):
        (work / (DATABASE + suffix)).unlink(missing_ok=True)


def _set_aside(folder: Path, *, keep: Path) -> Path | None:
    """Move what is in the data directory into a folder of its own there; None when there is nothing to move."""
    found = [
        path
        for path in sorted(folder.iterdir())
        if path != keep and path.name not in _STAYS and not path.name.startswith((ASIDE, RESTORING))
    ]
    if not found:
        return None
    aside = _free(folder / f"{ASIDE}{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    aside.mkdir(mode=0o700)
    # A write-ahead log is moved before its file: left alone, it would be taken for the new file's log.
    for path in sorted(found, key=lambda path: (not path.name.endswith(("-wal", "-shm")), path.name)):
        path.replace(aside / path.name)
    fsync_folder(aside)
    fsync_folder(folder)
    return aside


def _free(path: Path) -> Path:
    names = itertools.chain([path], (path.with_name(f"{path.name}-{number}") for number in itertools.count(2)))
    return next(name for name in names if not name.exists())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""DATA_DIR: a private folder that one process locks and clears of temporary files left by killed processes."""

import contextlib
import fcntl
import itertools
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from records.errors import SettingsError, StorageHeld
from storage.engine.sqlite_driver import create_private_file, fsync_folder, translate_storage_errors

LOCK_NAME = ".lock"
INSTANCE_NAME = ".instance"
OUR_FILES = (
    *(LOCK_NAME, INSTANCE_NAME),
    *(f"{name}{end}" for name in ("memory.db", "index.db") for end in ("", "-wal", "-shm", "-journal")),
    *("memory.json", "memory.json.journal"),
)
ASIDE = "before-restore-"  # prefix of the folders into which a restore moves the previous files
_SET_ASIDE_PREFIX = ".restore-1-"  # prefix of the folder with the new files while the old ones are moved aside
_MOVE_IN_PREFIX = ".restore-2-"  # prefix of the same folder while its files are moved into place
UNFINISHED = ".restore-unfinished"  # a file that exists while a restore has changed the database but not yet the files
_KEPT_NAMES = frozenset({LOCK_NAME, UNFINISHED, "playground"})  # files that a restore does not replace
RESTORING = ".restoring-"  # prefix of a restore's working folder
BACKING_UP = ".keepsake-backup-"  # prefix of a backup's working folder
PROBE = ".probe-"  # prefix of the files written to check that a folder is writable
LEFTOVERS = (
    *(f"{RESTORING}*", f"{BACKING_UP}*", ".keepsake-????????", f"{PROBE}*"),
    *("memory.db*.partial*", "index.db*.partial*", "memory.json*.tmp"),
)  # Temporary files of a killed process. Nobody reads them again, and they may hold whole memories.


@contextlib.contextmanager
def lock_data_dir(path: Path, *, for_restore: bool = False) -> Iterator[Path]:
    """Create and lock `path`. Raise SettingsError if it is unusable, or StorageHeld if another process uses it."""
    path = path.absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
        require_regular_files(path)
        # The lock file may be writable while the folder is not. SQLite and snapshots need to create files.
        probe = path / f"{PROBE}{os.getpid()}"
        os.close(os.open(probe, os.O_CREAT | os.O_WRONLY, 0o600))
        probe.unlink()
        handle = os.open(path / LOCK_NAME, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "unknown"
        raise SettingsError("DATA_DIR", f"{path} cannot be written ({reason}).") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StorageHeld(f"DATA_DIR: {path} is in use by another process of Keepsake.") from error
        _finish_folder_swap(path)
        traces = [path / UNFINISHED, *(() if (path / "memory.db").exists() else path.glob(f"{RESTORING}*"))]
        if not for_restore and (trace := next(filter(Path.exists, traces), None)):
            how = f"into a new database if DATABASE_URL is set, or delete {trace} to use the folder as it was before."
            raise SettingsError("DATA_DIR", f"a restore of {path} was interrupted. Run it again, {how}")
        remove_temp_files(path)
        yield path
    finally:
        os.close(handle)


def require_regular_files(folder: Path) -> None:
    """Raise SettingsError if a data file is a folder, a dangling link, or a FIFO, which could block a reader."""
    for name in OUR_FILES:
        path = folder / name
        if os.path.lexists(path) and not path.is_file():
            is_link = path.is_symlink() and not path.exists()
            what = "a link to nothing" if is_link else "a folder" if path.is_dir() else "no ordinary file"
            raise SettingsError("DATA_DIR", f"{path} is {what}; move it away, or restore a backup.")


def replace_folder_and_get_old(folder: Path, new_folder: Path) -> Path | None:
    """Replace the contents of `folder` with the files in `new_folder`, which must be on the same disk.

    Return the folder with the previous files, or None if there were none. The next start completes one cut short.
    """
    aside = find_free_path(folder / f"{ASIDE}{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    new_folder.replace(folder / f"{_SET_ASIDE_PREFIX}{aside.name.removeprefix(ASIDE)}")
    fsync_folder(folder)
    _finish_folder_swap(folder)
    return aside if aside.exists() else None


def find_free_path(path: Path) -> Path:
    """Return `path` if it does not exist, otherwise `path` with the first free suffix: -2, -3 and so on."""
    numbered = (path.with_name(f"{path.name}-{number}") for number in itertools.count(2))
    return next(candidate for candidate in itertools.chain([path], numbered) if not candidate.exists())


def _finish_folder_swap(folder: Path) -> None:
    for fresh in folder.glob(f"{_SET_ASIDE_PREFIX}*"):
        name = fresh.name.removeprefix(_SET_ASIDE_PREFIX)
        aside = folder / f"{ASIDE}{name}"
        for path in folder.iterdir():
            if path.name not in _KEPT_NAMES and not path.name.startswith((ASIDE, RESTORING, _SET_ASIDE_PREFIX)):
                aside.mkdir(mode=0o700, exist_ok=True)
                path.replace(aside / path.name)
        fsync_folder(folder)
        fresh.replace(folder / f"{_MOVE_IN_PREFIX}{name}")
    for fresh in folder.glob(f"{_MOVE_IN_PREFIX}*"):
        for path in fresh.iterdir():
            path.replace(folder / path.name)
        fsync_folder(folder)
        fresh.rmdir()
        (folder / UNFINISHED).unlink(missing_ok=True)


def check_disk_writable(folder: Path) -> None:
    """Write a small file to check the disk. Raise StorageError if the disk is full or not writable."""
    probe = folder / f"{PROBE}{os.getpid()}"
    with translate_storage_errors(folder):
        try:
            with probe.open("wb") as file:
                file.write(bytes(16_384))  # a few pages of a database
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)


@contextlib.contextmanager
def make_work_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Create a private folder that `remove_temp_files` skips, and delete it when the block ends."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as created, _lock_folder(Path(created)):
        yield Path(created)


def remove_temp_files(folder: Path, patterns: Sequence[str] = LEFTOVERS) -> None:
    """Remove the temporary files of killed processes from `folder`. Skip those that cannot be removed."""
    for pattern in patterns:
        for path in folder.glob(pattern):
            if not path.is_dir() or path.is_symlink():
                with contextlib.suppress(OSError):
                    path.unlink()
                continue
            # A running backup has locked its folder: it may work here while the bot starts.
            with contextlib.suppress(OSError), _lock_folder(path):
                shutil.rmtree(path)


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def read_instance_id(folder: Path) -> str:
    """Return the id of a folder, or "" if it has none. The folder need not be locked."""
    path = folder / INSTANCE_NAME
    with translate_storage_errors(path):
        return path.read_text(encoding="ascii", errors="replace").partition(" ")[0] if path.exists() else ""


def read_or_create_instance_id(folder: Path) -> str:
    """Return the id of a locked folder. Create a new id if the folder has none or is a copy."""
    path = folder / INSTANCE_NAME
    with translate_storage_errors(path):
        inode = str(folder.stat().st_ino)
        known = path.read_text(encoding="ascii", errors="replace").split() if path.exists() else []
        if len(known) == 2 and known[1] == inode:
            return known[0]
        create_private_file(path)
        name = uuid.uuid4().hex
        path.write_text(f"{name} {inode}\n", encoding="ascii")
        return name

"""DATA_DIR: private, writable, held by one process at a time, and cleaned of what a killed process left half-made."""

import contextlib
import itertools
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from records.errors import SettingsError, StorageHeld
from storage.engine.sqlite_driver import create_private, explained, fsync_folder

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows: nothing guards against a second process there
    fcntl = None  # type: ignore[assignment]

LOCK_NAME = ".lock"
ASIDE = "before-restore-"
"""The beginning of the names of the folders into which a restore moves what was there before."""
_SETTING_ASIDE, _PUTTING_IN = ".restore-1-", ".restore-2-"
"""Names of folders whose files replace what is there, in the two steps of `exchange`."""
_STAYS = frozenset({".lock", "playground"})
"""Files that a restore does not replace: the lock that it holds, and the playground's own memory."""
RESTORING, BACKING_UP, PROBE = ".restoring-", ".keepsake-backup-", ".probe-"
"""The beginnings of the names of what a restore and a backup work on, and of the file that proves `path` writable."""
LEFTOVERS = (
    *(f"{RESTORING}*", f"{BACKING_UP}*", ".keepsake-????????", f"{PROBE}*"),
    *("memory.db*.partial*", "index.db*.partial*", "memory.json*.tmp"),
)
"""Files that only a killed process leaves behind, and nobody reads again; it may hold the text of whole memories."""


@contextlib.contextmanager
def data_dir(path: Path) -> Iterator[Path]:
    """Hold `path` as the data directory of this process; the lock goes with the process, however it ends.

    Raises SettingsError when it cannot be made or written, StorageHeld when another process holds it.
    """
    path = path.absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
        handle = os.open(path / LOCK_NAME, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        # An existing lock file may be writable where nothing new can be made: SQLite and snapshots need new files.
        probe = path / f"{PROBE}{os.getpid()}"
        try:
            os.close(os.open(probe, os.O_CREAT | os.O_WRONLY, 0o600))
            probe.unlink()
        except OSError:
            os.close(handle)
            raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "unknown"
        raise SettingsError("DATA_DIR", f"{path} cannot be written ({reason}).") from error
    try:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise StorageHeld(f"DATA_DIR: {path} is in use by another process of Keepsake.") from error
        _finish_exchange(path)
        remove_leftovers(path)
        yield path
    finally:
        os.close(handle)


def exchange(folder: Path, fresh: Path) -> Path | None:
    """Put the files in `fresh`, a folder on the same disk, in place of all that `folder` holds; the folder that holds
    that now, None where there was nothing. Once `fresh` has its new name the next start finishes what a kill cut off.
    """
    moment = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = itertools.chain([moment], (f"{moment}-{number}" for number in itertools.count(2)))
    name = next(one for one in names if not (folder / f"{ASIDE}{one}").exists())
    fresh.replace(folder / f"{_SETTING_ASIDE}{name}")
    fsync_folder(folder)
    _finish_exchange(folder)
    aside = folder / f"{ASIDE}{name}"
    return aside if aside.exists() else None


def _finish_exchange(folder: Path) -> None:
    for fresh in folder.glob(f"{_SETTING_ASIDE}*"):
        name = fresh.name.removeprefix(_SETTING_ASIDE)
        aside = folder / f"{ASIDE}{name}"
        for path in folder.iterdir():
            if path.name not in _STAYS and not path.name.startswith((ASIDE, RESTORING, _SETTING_ASIDE)):
                aside.mkdir(mode=0o700, exist_ok=True)
                path.replace(aside / path.name)
        fsync_folder(folder)
        fresh.replace(folder / f"{_PUTTING_IN}{name}")
    for fresh in folder.glob(f"{_PUTTING_IN}*"):
        for path in fresh.iterdir():
            path.replace(folder / path.name)
        fsync_folder(folder)
        fresh.rmdir()


def demand_room(folder: Path) -> None:
    """Write something in `folder`, to the disk. Raises OSError where it is full or takes nothing any more."""
    probe = folder / f"{PROBE}{os.getpid()}"
    try:
        with probe.open("wb") as file:
            file.write(bytes(16_384))  # a few pages of a database
            file.flush()
            os.fsync(file.fileno())
    finally:
        probe.unlink(missing_ok=True)


@contextlib.contextmanager
def work_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A private folder in `parent`, gone at the end; while its process lives, nobody takes it for a leftover."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as made, _held(Path(made)):
        yield Path(made)


def remove_leftovers(folder: Path, patterns: Sequence[str] = LEFTOVERS) -> None:
    """Remove what killed processes left half-made in `folder`; what cannot be removed stays for the next time."""
    for pattern in patterns:
        for path in folder.glob(pattern):
            if not path.is_dir() or path.is_symlink():
                with contextlib.suppress(OSError):
                    path.unlink()
                continue
            # A backup may be written into this folder while the bot starts.
            with contextlib.suppress(OSError), _held(path):
                shutil.rmtree(path)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a folder for this process. Raises OSError while another holds it."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


INSTANCE_NAME = ".instance"


def known_instance(folder: Path) -> str:
    """The id of a folder that somebody else may hold; "" for one that has none yet. Raises StorageError."""
    path = folder / INSTANCE_NAME
    with explained(path):
        return path.read_text(encoding="ascii", errors="replace").partition(" ")[0] if path.exists() else ""


def instance_of(folder: Path) -> str:
    """The id of `folder`, which this process holds; made at the first call. Raises StorageError."""
    path = folder / INSTANCE_NAME
    with explained(path):
        inode = str(folder.stat().st_ino)
        known = path.read_text(encoding="ascii", errors="replace").split() if path.exists() else []
        if len(known) == 2 and known[1] == inode:
            return known[0]
        create_private(path)
        name = uuid.uuid4().hex
        path.write_text(f"{name} {inode}\n", encoding="ascii")
        return name

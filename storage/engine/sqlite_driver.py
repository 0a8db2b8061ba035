"""The SQLite driver: select pysqlite3 or sqlite3, open connections with their pragmas, and translate errors."""

import contextlib
import os
import shutil
import sqlite3 as standard
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from records.errors import StorageBusy, StorageCorrupt, StorageError

if TYPE_CHECKING:
    import sqlite3 as sqlite3
else:
    # The module of many Pythons has an old SQLite that cannot load extensions.
    try:
        from pysqlite3 import dbapi2 as sqlite3
    except ImportError:
        import sqlite3

BUSY_TIMEOUT_MS = 5_000
MIN_FREE_BYTES = 32_768  # what SQLite needs for its shared memory file when it opens a database
RESTORE = "stop the bot and bring back the last backup: python bot.py --restore FILE"
_REMEDIES = {"index.db": "the next start rebuilds it from memory.json: stop the bot and start it again."}


def connect(path: Path, *, durable: bool = True) -> sqlite3.Connection:
    """Open a connection in autocommit mode that waits up to BUSY_TIMEOUT_MS for a lock."""
    create_private_file(path)
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        connection.row_factory = sqlite3.Row
        # PostgreSQL's function tells apart the owners of several processes. A file has one process that serves all.
        connection.create_function("served_here", 1, lambda _: 1, deterministic=True)
        for pragma in (
            "journal_mode=WAL",
            f"synchronous={'FULL' if durable else 'NORMAL'}",
            # Erased text must not stay readable in free pages.
            "secure_delete=ON",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def create_private_file(path: Path) -> None:
    """Create `path` if it is missing, and make it private. SQLite gives its side files the same mode.

    An existing file is never opened: closing it would drop this process's POSIX locks, and the log could be deleted.
    """
    path = Path(os.path.realpath(path))  # a symbolic link may point to a file that does not exist yet
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        return
    # A file that we may not write is left alone: it fails with a clear error at the first write.
    if mode & 0o077 and os.access(path, os.W_OK):
        path.chmod(0o600)


def fsync_folder(folder: Path) -> None:
    """Fsync `folder`, so that new and renamed files in it survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def translate_storage_errors(path: Path) -> Iterator[None]:
    """Raise driver and file system errors from the block as StorageError."""
    try:
        yield
    except (sqlite3.Error, standard.Error, OSError) as error:
        raise to_storage_error(error, path) from error


_SENTENCES = {
    7: "There is not enough memory to work on {}.",
    8: "{} is read-only; nothing was changed.",
    10: "The disk failed while {} was read or written; nothing was changed.",
    13: "The disk that holds {} is full; nothing was changed.",
    14: "{} cannot be opened.",
}  # sentences about a file by SQLite's result codes


def make_corruption_error(path: Path) -> StorageCorrupt:
    """Return the error for a damaged file, with the remedy in its message."""
    return StorageCorrupt(f"{path.name} is damaged and was left untouched; {_REMEDIES.get(path.name, RESTORE)}")


def to_storage_error(error: Exception, path: Path) -> StorageError:
    """Return the StorageError for a driver or file error, without the driver's text, which may quote messages."""
    name = path.name
    if isinstance(error, OSError):
        return StorageError(f"{name} cannot be read or written ({os.strerror(error.errno or 5)}).")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (5, 6):
        return StorageBusy(f"{name} is locked by another process; nothing was changed.")
    if code in (11, 26) or any(words in str(error) for words in ("malformed JSON", "Could not decode to UTF-8")):
        return make_corruption_error(path)
    if code == 10 and _is_disk_full(path):  # SQLite reports some writes that found no room as a failure of the disk
        code = 13
    refused = f"{{}} refused what was asked ({type(error).__name__}); nothing was changed."
    return StorageError(_SENTENCES.get(code, refused).format(name))


def _is_disk_full(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(path.parent).free < MIN_FREE_BYTES
    return False

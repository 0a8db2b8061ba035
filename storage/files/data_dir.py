"""DATA_DIR: made private, proved writable, and held by one process at a time.

Does not know what is written there.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from records.errors import SettingsError, StorageBusy

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows: nothing guards against a second process there
    fcntl = None  # type: ignore[assignment]

LOCK_NAME = ".lock"
ASIDE = "before-restore-"
"""How the folders begin into which a restore moves what was there before."""


@contextlib.contextmanager
def data_dir(path: Path) -> Iterator[Path]:
    """Hold `path` as the data directory of this process; the lock goes with the process, however it ends.

    Raises SettingsError when it cannot be made or written, StorageBusy when another process holds it.
    """
    path = path.absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_mode & 0o077:
            path.chmod(0o700)
        handle = os.open(path / LOCK_NAME, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        # An existing lock file may be writable where nothing new can be made: SQLite and snapshots need new files.
        probe = path / f".probe-{os.getpid()}"
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
                raise StorageBusy(f"DATA_DIR: {path} is in use by another process of Keepsake.") from error
        yield path
    finally:
        os.close(handle)

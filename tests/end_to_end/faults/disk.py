"""A test disk that can be filled, freed and made read-only, and a folder that can be made unwritable.

The disk is a small tmpfs if mounting is allowed. Otherwise RLIMIT_FSIZE keeps the process from writing files, which
raises OSError at the same calls. Needs Linux.
"""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path


class Disk:
    """A folder on a disk that can fail while a process writes there."""

    def __init__(self, folder: Path, *, is_mounted: bool) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.is_mounted = is_mounted
        self._filler = folder / "filler"

    def fill(self, pid: int) -> None:
        """Fill the disk, or forbid process `pid` to write files if the disk is not mounted."""
        if not self.is_mounted:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            return
        with self._filler.open("wb", buffering=0) as file:
            for size in (65_536, 1):
                try:
                    while file.write(b"\0" * size):
                        pass
                except OSError:
                    continue

    def free(self, pid: int) -> None:
        """Make writing possible again."""
        if self.is_mounted:
            self._filler.unlink()
        else:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Make the disk read-only while the block runs."""
        if self.is_mounted:
            _mount("-o", "remount,ro", str(self.folder))
        else:
            self.data.chmod(0o500)
        try:
            yield
        finally:
            if self.is_mounted:
                _mount("-o", "remount,rw", str(self.folder))
            else:
                self.data.chmod(0o700)


@contextmanager
def mount_disk(folder: Path, *, megabytes: int = 4) -> Iterator[Disk]:
    """Yield a test disk at `folder`, with a tmpfs of this size mounted there if that is allowed."""
    folder.mkdir(parents=True)
    is_mounted = os.geteuid() == 0 and _mount("-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
    try:
        (folder / "data").mkdir(mode=0o700)
        yield Disk(folder, is_mounted=is_mounted)
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def unwritable(folder: Path, pid: int) -> Iterator[None]:
    """Let nothing in `folder` be created or changed while the block runs, not even through open files.

    Its files are made immutable if the file system supports that; otherwise process `pid` may write no files. Files
    that are mapped into memory (SQLite's "-shm") are left out, because the kernel would kill the writing process with
    SIGBUS.
    """
    if _can_be_immutable(folder):
        files = [folder, *(file for file in folder.iterdir() if not file.name.endswith("-shm"))]
        begin, end = partial(_chattr, "+i", *files), partial(_chattr, "-i", *files)
    else:
        begin = partial(_limit, pid, folder, 0, 0o500)
        end = partial(_limit, pid, folder, resource.RLIM_INFINITY, 0o700)
    begin()
    try:
        yield
    finally:
        end()


def _can_be_immutable(folder: Path) -> bool:
    """Return True if files next to `folder` can be made immutable and writes to an open one then fail."""
    probe = folder.with_name("probe")
    with probe.open("wb", buffering=0) as file:
        _chattr("+i", probe)
        try:
            file.write(b"0")
        except OSError:
            return True
        finally:
            _chattr("-i", probe)
            probe.unlink()
    return False


def _chattr(flag: str, *paths: Path) -> None:
    with suppress(FileNotFoundError):
        subprocess.run(["chattr", flag, *map(str, paths)], check=False, capture_output=True)


def _limit(pid: int, folder: Path, size: int, mode: int) -> None:
    folder.chmod(mode)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0

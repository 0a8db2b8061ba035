"""A test disk that can be filled, freed and made read-only, and a folder that can be made unwritable.

A small tmpfs where mounting is allowed; elsewhere the process is forbidden to write files (RLIMIT_FSIZE), which it
meets as an OSError at the same calls. Needs Linux.
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
        """From now on nothing can be written."""
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
        """There is room again."""
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
    """A disk mounted at `folder` while the block runs."""
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
    """Nothing in `folder` can be made or changed inside the block, not even through what is open already.

    Its files are immutable where the file system can do that; elsewhere process `pid` may write nothing. Not those that
    are mapped into memory (SQLite's "-shm"): the kernel ends a process that writes there with SIGBUS.
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
    """Whether files next to `folder` can be made immutable, and an open one notices."""
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

"""Paths of the project's files that tests use, and the folder for those that they make."""

import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXPORTS = ROOT / "tests" / "support" / "exports"
"""The folder of sample files for /import."""
CHAT = ROOT / "benchmarks" / "data" / "chat-en.json"
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - gone with the run
NEEDED_BYTES = 3 * 1024**3
"""What the files of a run may take at the same time, with room to spare. A container often has 64 MB."""


def choose_temp_root() -> Path:
    """Return a folder in shared memory if it has room, because a disk takes longer to sync than most tests to run.

    The workers of a run share the choice that its first process has made: they share a server in this folder.
    """
    if chosen := os.environ.get("PYTEST_DEBUG_TEMPROOT"):
        return Path(chosen)
    if os.access(SHARED_MEMORY, os.W_OK):
        is_noexec = os.statvfs(SHARED_MEMORY).f_flag & os.ST_NOEXEC  # as in containers; some tests write a program
        if not is_noexec and shutil.disk_usage(SHARED_MEMORY).free >= NEEDED_BYTES:
            return SHARED_MEMORY
    return Path(tempfile.gettempdir())

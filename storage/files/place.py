"""The name of a DATA_DIR among those of several processes, so that it is known where a memory in files is.

A copy of a folder gets a name of its own. Does not know who else has a folder.
"""

import uuid
from pathlib import Path

from storage.files.driver import create_private, explained

PLACE_NAME = ".place"


def known_place(folder: Path) -> str:
    """The name of a folder that somebody else may hold; "" for one that has none yet. Raises StorageError."""
    path = folder / PLACE_NAME
    with explained(path):
        return path.read_text(encoding="ascii", errors="replace").partition(" ")[0] if path.exists() else ""


def place_of(folder: Path) -> str:
    """The name of `folder`, which this process holds; made at the first call. Raises StorageError."""
    path = folder / PLACE_NAME
    with explained(path):
        inode = str(folder.stat().st_ino)
        known = path.read_text(encoding="ascii", errors="replace").split() if path.exists() else []
        if len(known) == 2 and known[1] == inode:
            return known[0]
        create_private(path)
        name = uuid.uuid4().hex
        path.write_text(f"{name} {inode}\n", encoding="ascii")
        return name

"""The files of a memory that has been opened once and holds nothing.

Making their tables takes a processor longer than most tests take. Copies are made in a millisecond.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, cast

from storage.bot_state.people import People
from storage.engine.sqlite import migrate_file
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.json_files import INDEX_NAME

DATABASE = "memory.db"
NOBODY_KNOWN = People(cast("Any", None))  # without a database, so it can only be asked


def add_empty_files(folder: Path, *names: str) -> None:
    """Put these files in a folder if it is empty or missing: the next start there is not the first."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        for name in names:
            file = folder / name
            file.touch(mode=0o600)
            file.write_bytes(_read_empty_files()[name])


@cache
def _read_empty_files() -> Mapping[str, bytes]:
    """Make the files as the program makes them, and return their contents by name."""

    async def open_and_close(folder: Path) -> None:
        async with JsonStore.open(folder):
            pass

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        migrate_file(folder / DATABASE, MIGRATIONS)
        with ThreadPoolExecutor(1) as thread:  # a loop runs in this one
            thread.submit(asyncio.run, open_and_close(folder)).result()
        return {name: (folder / name).read_bytes() for name in (DATABASE, INDEX_NAME)}

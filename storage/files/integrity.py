"""Whether a database file is intact: it is read through once in the background, before a question needs each page.

Changes nothing. Does not know what is stored, nor who is told.
"""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from records.errors import StorageCorrupt, StorageError
from storage.files.driver import explained, sqlite3


@contextlib.asynccontextmanager
async def examined(path: Path, report: Callable[[str], None]) -> AsyncIterator[None]:
    """While the block runs, `path` is read through in a thread; `report` gets a sentence if it is damaged."""
    stopping = threading.Event()
    reading = asyncio.create_task(_examine(path, stopping, report))
    try:
        yield
    finally:
        stopping.set()
        await reading


async def _examine(path: Path, stopping: threading.Event, report: Callable[[str], None]) -> None:
    try:
        await asyncio.to_thread(_read_through, path, stopping)
    except StorageCorrupt as error:
        report(error.sentence)
    except StorageError:
        # It could not be read to its end; whoever needs it gets the error.
        return


def _read_through(path: Path, stopping: threading.Event) -> None:
    """Raises StorageCorrupt where a page is damaged; gives up when `stopping` is set."""
    with (
        explained(path),
        contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        connection.set_progress_handler(stopping.is_set, 10_000)
        verdict = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        if verdict != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")

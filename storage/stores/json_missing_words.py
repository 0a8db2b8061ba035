"""The words of a working copy that was made again: indexed in the background, while everybody is served.

Owns the table `words_missing` in index.db, which names the messages that no search by words finds yet. A kill leaves
the rest in it, and the next start goes on. Does not know why the working copy was made again.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Sequence

from records.errors import KeepsakeError
from storage.engine.protocol import Connection
from storage.engine.sqlite import Database
from storage.search import word_index
from storage.search.terms import Entry

log = logging.getLogger(__name__)

BATCH = 100
"""Messages that are indexed in one transaction: others who write wait for a few hundredths of a second."""
AGAIN_AFTER = 5.0
"""Seconds after which a batch that failed (a full disk) is tried again."""

_TABLE = """
CREATE TABLE IF NOT EXISTS words_missing (
  seq     INTEGER PRIMARY KEY,  -- messages.seq
  user_id INTEGER NOT NULL
)
"""
_BY_OWNER = "CREATE INDEX IF NOT EXISTS words_missing_owner ON words_missing (user_id, seq)"
_OWNERS = "SELECT user_id FROM words_missing GROUP BY user_id ORDER BY COUNT(*)"
_NEXT = "SELECT seq FROM words_missing WHERE user_id = ? ORDER BY seq DESC LIMIT ?"
_ROWS = """
SELECT * FROM messages WHERE user_id = ? AND seq IN (SELECT value FROM json_each(?))
AND NOT EXISTS (SELECT 1 FROM places WHERE places.seq = messages.seq) ORDER BY seq
"""


def make_table(connection: Connection) -> None:
    """Have the table, where it is not there yet."""
    connection.execute(_TABLE)
    connection.execute(_BY_OWNER)


def note_all(connection: Connection) -> None:
    """No message of the file is indexed."""
    connection.execute("INSERT INTO words_missing SELECT seq, user_id FROM messages")


def note(connection: Connection, owner: int, message: int, seq: int) -> None:
    """This message is new, or has other words than those that are indexed."""
    word_index.forget(connection, owner, json.dumps([message]))
    connection.execute("INSERT OR REPLACE INTO words_missing VALUES (?, ?)", (seq, owner))


class MissingWords:
    """Indexes what is missing, the owners who wait for it first, of each the newest messages first."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._missing: dict[int, asyncio.Event] = {}  # by owner, those with few messages first
        self._wanted: dict[int, None] = {}  # those of them who wait, in order
        self._stopping = asyncio.Event()

    @contextlib.asynccontextmanager
    async def indexing(self) -> AsyncIterator[None]:
        """While the block runs, what is missing is indexed."""
        async with self._db.read(None) as reader:
            self._missing = {row[0]: asyncio.Event() for row in await reader.rows(_OWNERS)}
        task = asyncio.create_task(self._run()) if self._missing else None
        try:
            yield
        finally:
            self._stopping.set()
            if task is not None:
                await task

    async def indexed(self, owner: int, *, within: float | None) -> bool:
        """Wait until nothing of an owner is missing; False where that takes longer than `within` seconds."""
        missing = self._missing.get(owner)
        if missing is None:
            return True
        self._wanted[owner] = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await missing.wait()
        return missing.is_set()

    def renamed(self, owner: int, new: int) -> None:
        """What is missing of an owner is that of another id now, in the table too."""
        if (missing := self._missing.pop(owner, None)) is not None:
            self._missing[new] = missing

    async def _run(self) -> None:
        log.info("the words of %d memories in memory.json are indexed again", len(self._missing))
        while self._missing and not self._stopping.is_set():
            owner = next((one for one in self._wanted if one in self._missing), next(iter(self._missing)))
            try:
                is_done = await self._advance(owner)
            except Exception as error:  # error boundary of this task: it tries again
                why = error.sentence if isinstance(error, KeepsakeError) else type(error).__name__
                log.warning("words cannot be indexed right now: %s", why)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(AGAIN_AFTER):
                        await self._stopping.wait()
                continue
            if is_done:
                self._wanted.pop(owner, None)
                if (missing := self._missing.pop(owner, None)) is not None:
                    missing.set()

    async def _advance(self, owner: int) -> bool:
        """Index the newest messages of an owner that are missing; whether there were none."""
        async with self._db.read(owner) as reader:
            seqs = [row[0] for row in await reader.rows(_NEXT, owner, BATCH)]
            rows = await reader.rows(_ROWS, owner, json.dumps(seqs)) if seqs else []
        if not seqs:
            return True
        entries = await word_index.analysed([(row["seq"], row) for row in rows]) if rows else []
        await self._db.transact(lambda connection: _put(connection, owner, seqs, entries), owner)
        return False


def _put(connection: Connection, owner: int, seqs: Sequence[int], entries: Sequence[Entry]) -> None:
    # What was forgotten, corrected or renamed since it was read is not as these entries say.
    given = json.dumps(list(seqs))
    still = {row["seq"] for row in connection.execute(_ROWS, (owner, given))}
    word_index.put(connection, [entry for entry in entries if entry.seq in still])
    connection.execute("DELETE FROM words_missing WHERE seq IN (SELECT value FROM json_each(?))", (given,))

"""Which imported history facts are to be learned from, and how far that has come.

A part of SqliteStore (`store.studies`). Owns the columns past_… of `progress`; fact_table.py moves `past_id` on in the
transaction that stores the facts. Does not know how facts are found.
"""

from records import Message, Scope, StorageType, Study
from storage.database import Database
from storage.rows import mapping, message_of
from storage.transaction import Transaction


class StudyTable:
    """The studies of the owners that live in one store."""

    def __init__(self, database: Database, kind: StorageType) -> None:
        self._db = database
        self._kind = kind

    async def ahead(self, owner: int, first: int, last: int) -> Study:
        async with self._db.read(frozen=True) as reader:
            row = await reader.row(_AHEAD, owner, first, last)
        return Study(messages=int(row["messages"]), characters=int(row["characters"])) if row else Study()

    async def begin(self, owner: int, first: int, last: int) -> bool:
        async with self._db.write() as tx:
            if await tx.row("SELECT 1 FROM progress WHERE user_id = ? AND past_id < past_until", owner):
                return False
            for row in await tx.rows(_THREADS, owner, first, last):
                await tx.rows(_BEGIN, owner, row["thread_id"], row["first"] - 1, row["last"])
            return True

    async def stop(self, owner: int) -> None:
        async with self._db.write() as tx:
            await tx.rows("UPDATE progress SET past_until = past_id WHERE user_id = ? AND past_id < past_until", owner)

    async def waiting(self) -> list[Scope]:
        async with self._db.read() as reader:
            rows = await reader.rows(_WAITING, self._kind)
        return [Scope(owner=row[0], thread=row[1]) for row in rows]

    async def next(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        async with self._db.read(frozen=True) as reader:
            row = await reader.row(_PLACE, scope.owner, scope.thread)
            if row is None or row["past_id"] is None or row["past_id"] >= row["past_until"]:
                return 0, []
            place = int(row["past_id"])
            rows = await reader.rows(_NEXT, scope.owner, scope.thread, place, row["past_until"], limit)
        return place, [message_of(mapping(row)) for row in rows]

    async def progress(self, scope: Scope) -> tuple[int, int] | None:
        async with self._db.read(frozen=True) as reader:
            row = await reader.row(_PLACE, scope.owner, scope.thread)
            if row is None or row["past_id"] is None or row["past_id"] >= row["past_until"]:
                return None
            counts = await reader.row(
                _PROGRESS, row["past_id"], scope.owner, scope.thread, row["past_from"], row["past_until"]
            )
        return (int(counts[0] or 0), int(counts[1])) if counts else None


async def end_without_rest(tx: Transaction, owner: int) -> None:
    """Where nothing is left to be read, a study has ended: what is imported later is no part of it."""
    await tx.rows(_END, owner)


_END = """
UPDATE progress SET past_until = past_id WHERE user_id = ? AND past_id < past_until AND NOT EXISTS (
  SELECT 1 FROM messages AS m WHERE m.user_id = progress.user_id AND m.thread_id = progress.thread_id
  AND m.id > progress.past_id AND m.id <= progress.past_until
  AND m.origin = 'imported' AND m.role IN ('user', 'assistant')
)
"""
_OWN = "origin = 'imported' AND role = 'user'"
_AHEAD = """
SELECT COALESCE(SUM(m.role = 'user'), 0) AS messages,
  COALESCE(SUM(CASE m.role WHEN 'user' THEN LENGTH(m.content) ELSE MIN(LENGTH(m.content), 240) END), 0) AS characters
FROM messages AS m LEFT JOIN progress AS p ON p.user_id = m.user_id AND p.thread_id = m.thread_id
WHERE m.user_id = ? AND m.id BETWEEN ? AND ? AND m.origin = 'imported' AND m.role IN ('user', 'assistant')
AND NOT (p.past_id IS NOT NULL AND m.id > p.past_from AND m.id <= p.past_id)
"""
_THREADS = f"""
SELECT thread_id, MIN(id) AS first, MAX(id) AS last FROM messages
WHERE user_id = ? AND id BETWEEN ? AND ? AND {_OWN} GROUP BY thread_id
"""  # noqa: S608
# Where it had been stopped it goes on; of a scope that was never learned from, live talk is not begun with either.
_BEGIN = """
INSERT INTO progress (user_id, thread_id, learned_id, past_from, past_id, past_until)
SELECT ?1, ?2, COALESCE(
  (SELECT MIN(id) - 1 FROM messages WHERE user_id = ?1 AND thread_id = ?2 AND is_active = 1),
  (SELECT MAX(id) FROM messages WHERE user_id = ?1 AND thread_id = ?2), 0
), ?3, ?3, ?4 WHERE 1
ON CONFLICT DO UPDATE SET
  past_id = CASE WHEN past_from = excluded.past_from THEN past_id ELSE excluded.past_from END,
  past_from = excluded.past_from, past_until = excluded.past_until
"""
_WAITING = """
SELECT p.user_id, p.thread_id FROM progress AS p
JOIN users AS u ON u.user_id = p.user_id AND u.memory_enabled = 1 AND u.incognito = 0 AND u.storage_type = ?
WHERE p.past_id < p.past_until ORDER BY p.user_id, p.thread_id
"""
_PLACE = "SELECT past_from, past_id, past_until FROM progress WHERE user_id = ? AND thread_id = ?"
_NEXT = """
SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND id > ? AND id <= ?
AND origin = 'imported' AND role IN ('user', 'assistant') ORDER BY id LIMIT ?
"""
_PROGRESS = f"""
SELECT SUM(id <= ?), COUNT(*) FROM messages
WHERE user_id = ? AND thread_id = ? AND id > ? AND id <= ? AND {_OWN}
"""  # noqa: S608

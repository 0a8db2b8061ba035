"""Which imported history facts are learned from, and how far that has come.

A part of MemoryStore (`store.history_extraction`). Owns the columns past_from, past_id, past_until and past_learned of
`progress`; facts.py moves `past_id` on in the transaction that stores the facts.
"""

import json
from collections.abc import Iterable, Sequence

from records.facts import HistoryBacklog
from records.messages import Message
from records.scopes import Scope
from storage.engine.protocol import Reader, Row, Transaction
from storage.schema.rows import message_of
from storage.tables.owner_tables import OwnerTables

Stretch = tuple[int, int]  # after which message, and up to which one


class HistoryExtractionTable(OwnerTables):
    """Learning facts from imported history on request, one range of an owner's ids at a time."""

    async def backlog(self, owner: int, first: int, last: int) -> HistoryBacklog:
        """Count the imported messages first..last that are left to learn from."""
        [row] = await self._fetch_rows(owner, _AHEAD, owner, first, last)
        return HistoryBacklog(messages=int(row["messages"]), characters=int(row["characters"]))

    async def begin(self, owner: int, first: int, last: int) -> bool:
        """Begin, or continue a range that was stopped. False while another extraction is under way."""
        async with self.database.write(owner) as tx:
            if await tx.row("SELECT 1 FROM progress WHERE user_id = ? AND past_id < past_until", owner):
                return False
            for row in await tx.rows(_THREADS, owner, first, last):
                learned = await _read_learned(tx, Scope(owner=owner, thread=row["thread_id"]))
                await tx.rows(_BEGIN, owner, row["thread_id"], row["first"] - 1, row["last"], json.dumps(learned))
            return True

    async def stop(self, owner: int) -> None:
        await self._execute_for(
            owner, "UPDATE progress SET past_until = past_id WHERE user_id = ? AND past_id < past_until", owner
        )

    async def waiting(self) -> list[Scope]:
        """Return the scopes with history to learn from, of owners whose memory is on and who are not incognito."""
        return [Scope(owner=row[0], thread=row[1]) for row in await self._fetch_rows(None, _WAITING, self.kind)]

    async def next(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """Return the last message that was learned from, and the next ones, ascending: the owner's own words and the
        answers.

        No messages where no extraction is under way.
        """
        async with self.database.read(scope.owner, frozen=True) as reader:
            row = await reader.row(_STATE, *scope)
            if row is None or row["past_id"] is None or row["past_id"] >= row["past_until"]:
                return 0, []
            rows = await reader.rows(_NEXT, *scope, limit)
        return int(row["past_id"]), [message_of(row) for row in rows]

    async def progress(self, scope: Scope) -> tuple[int, int] | None:
        """Count the owner's messages that were read, and all that are to be; None where no extraction is under way."""
        async with self.database.read(scope.owner, frozen=True) as reader:
            row = await reader.row(_STATE, *scope)
            if row is None or row["past_id"] is None or row["past_id"] >= row["past_until"]:
                return None
            counts = await reader.row(_PROGRESS, *scope)
        return (int(counts[0] or 0), int(counts[1])) if counts else None


async def end_without_rest(tx: Transaction, owner: int) -> None:
    """End extractions that have nothing left to read, so that what is imported later is no part of them."""
    await tx.rows(_END, owner)


async def taken(reader: Reader, owner: int) -> list[Stretch]:
    """Return the ranges that an owner's extractions have read or will read, in all threads, even where messages are
    gone.

    The id of a forgotten message stays marked as learned from, so it must not be given again.
    """
    return [(row[0], row[1]) for row in await reader.rows(_TAKEN, owner)]


async def learn_again(tx: Transaction, scope: Scope, ids: Sequence[int]) -> None:
    """Learn once more from those of these messages that were learned from.

    An extraction under way goes back to the first of them that it has read; what an earlier one had read can be offered
    again. Where none is under way, one begins with them, up to the first message between that was never learned from.
    """
    row = await tx.row(_STATE, *scope)
    if row is None or row["past_from"] is None:
        return
    start, reached, until = row["past_from"], row["past_id"], row["past_until"]
    if reached < until:
        cuts = _split_stretches(ids)
        if inside := [message_id for message_id in ids if start < message_id <= until]:
            reached = min(reached, min(inside) - 1)
            cuts.append((min(inside) - 1, until))
        kept = _subtract_stretches(_parse_stretches(row), cuts)
    else:
        again = [int(row[0]) for row in await tx.rows(_LEARNED_OF, *scope, json.dumps(list(ids)))]
        if not again:
            return
        unasked = await tx.row(_FIRST_UNREAD, *scope, again[0], again[-1])
        start = reached = again[0] - 1
        until = max(
            message_id for message_id in again if unasked is None or unasked[0] is None or message_id < unasked[0]
        )
        kept = _subtract_stretches(await _read_learned(tx, scope), _split_stretches(again))
    await tx.rows(_AGAIN, start, reached, until, json.dumps(kept), *scope)


def join_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return the same messages in as few ranges as possible, ascending."""
    found: list[Stretch] = []
    for behind, until in sorted(stretch for stretch in stretches if stretch[0] < stretch[1]):
        if found and behind <= found[-1][1]:
            behind, until = found[-1][0], max(until, found.pop()[1])
        found.append((behind, until))
    return found


async def _read_learned(tx: Transaction, scope: Scope) -> list[Stretch]:
    """Return all that was learned from so far."""
    row = await tx.row(_STATE, *scope)
    if row is None or row["past_from"] is None:
        return []
    return join_stretches([*_parse_stretches(row), (row["past_from"], row["past_id"])])


def _parse_stretches(row: Row) -> list[Stretch]:
    """Return the stretches that were learned from before the last extraction."""
    return [(stretch[0], stretch[1]) for stretch in json.loads(row["past_learned"])]


def _split_stretches(ids: Iterable[int]) -> list[Stretch]:
    return [(message_id - 1, message_id) for message_id in ids]


def _subtract_stretches(stretches: Iterable[Stretch], cuts: Iterable[Stretch]) -> list[Stretch]:
    kept = join_stretches(stretches)
    for first, last in join_stretches(cuts):
        kept = [part for behind, until in kept for part in ((behind, min(until, first)), (max(behind, last), until))]
    return join_stretches(kept)


# Of a message m and the row p of its scope.
_IN_A_LEARNED_STRETCH = """
EXISTS (
  SELECT 1 FROM json_each(p.past_learned, '$') AS s
  WHERE m.id > CAST(json_extract(s.value, '$[0]') AS BIGINT) AND m.id <= CAST(json_extract(s.value, '$[1]') AS BIGINT)
)
"""
_IS_LEARNED = f"(COALESCE(m.id > p.past_from AND m.id <= p.past_id, FALSE) OR {_IN_A_LEARNED_STRETCH})"
_IS_READ = "m.origin = 'imported' AND m.role IN ('user', 'assistant')"
_IS_OWN = "m.origin = 'imported' AND m.role = 'user'"
_END = f"""
UPDATE progress AS p SET past_until = past_id WHERE user_id = ? AND past_id < past_until AND NOT EXISTS (
  SELECT 1 FROM messages AS m WHERE m.user_id = p.user_id AND m.thread_id = p.thread_id
  AND m.id > p.past_id AND m.id <= p.past_until AND {_IS_READ} AND NOT {_IN_A_LEARNED_STRETCH}
)
"""  # noqa: S608
_AHEAD = f"""
SELECT COUNT(*) FILTER (WHERE m.role = 'user') AS messages,
  COALESCE(SUM(CASE m.role WHEN 'user' THEN LENGTH(m.content) ELSE MIN(LENGTH(m.content), 240) END), 0) AS characters
FROM messages AS m LEFT JOIN progress AS p ON p.user_id = m.user_id AND p.thread_id = m.thread_id
WHERE m.user_id = ? AND m.id BETWEEN ? AND ? AND {_IS_READ} AND NOT {_IS_LEARNED}
"""  # noqa: S608
# Where there is something to learn from; with what comes before it, so that progress is shown for the whole.
_THREADS = f"""
SELECT m.thread_id, MIN(m.id) AS first, MAX(CASE WHEN {_IS_LEARNED} THEN NULL ELSE m.id END) AS last
FROM messages AS m LEFT JOIN progress AS p ON p.user_id = m.user_id AND p.thread_id = m.thread_id
WHERE m.user_id = ? AND m.id BETWEEN ? AND ? AND {_IS_OWN} GROUP BY m.thread_id
HAVING COUNT(*) FILTER (WHERE NOT {_IS_LEARNED}) > 0
"""  # noqa: S608
# A scope that was never learned from does not begin with its live talk either.
_BEGIN = """
INSERT INTO progress (user_id, thread_id, learned_id, past_from, past_id, past_until, past_learned)
SELECT ?1, ?2, COALESCE(
  (SELECT MIN(id) - 1 FROM messages WHERE user_id = ?1 AND thread_id = ?2 AND is_active = 1),
  (SELECT MAX(id) FROM messages WHERE user_id = ?1 AND thread_id = ?2), 0
), ?3, ?3, ?4, ?5 WHERE TRUE
ON CONFLICT (user_id, thread_id) DO UPDATE SET past_from = excluded.past_from, past_id = excluded.past_id,
  past_until = excluded.past_until, past_learned = excluded.past_learned
"""
_AGAIN = """
UPDATE progress SET past_from = ?, past_id = ?, past_until = ?, past_learned = ? WHERE user_id = ? AND thread_id = ?
"""
_LEARNED_OF = f"""
SELECT m.id FROM progress AS p JOIN messages AS m ON m.user_id = p.user_id AND m.thread_id = p.thread_id
WHERE p.user_id = ? AND p.thread_id = ? AND m.id IN (SELECT value FROM json_each(?)) AND {_IS_OWN} AND {_IS_LEARNED}
ORDER BY m.id
"""  # noqa: S608
_FIRST_UNREAD = f"""
SELECT MIN(m.id) FROM progress AS p JOIN messages AS m ON m.user_id = p.user_id AND m.thread_id = p.thread_id
WHERE p.user_id = ? AND p.thread_id = ? AND m.id BETWEEN ? AND ? AND {_IS_OWN} AND NOT {_IS_LEARNED}
"""  # noqa: S608
_TAKEN = """
SELECT past_from, past_until FROM progress WHERE user_id = ?1 AND past_from < past_until
UNION ALL
SELECT CAST(json_extract(s.value, '$[0]') AS BIGINT), CAST(json_extract(s.value, '$[1]') AS BIGINT)
FROM progress, json_each(past_learned, '$') AS s WHERE user_id = ?1
"""
_WAITING = """
SELECT p.user_id, p.thread_id FROM progress AS p
JOIN users AS u ON u.user_id = p.user_id AND u.memory_enabled = 1 AND u.incognito = 0 AND u.storage_type = ?
WHERE p.past_id < p.past_until AND served_here(p.user_id) ORDER BY p.user_id, p.thread_id
"""
_STATE = "SELECT past_from, past_id, past_until, past_learned FROM progress WHERE user_id = ? AND thread_id = ?"
_NEXT = f"""
SELECT m.* FROM progress AS p JOIN messages AS m ON m.user_id = p.user_id AND m.thread_id = p.thread_id
AND m.id > p.past_id AND m.id <= p.past_until
WHERE p.user_id = ? AND p.thread_id = ? AND {_IS_READ} AND NOT {_IN_A_LEARNED_STRETCH} ORDER BY m.id LIMIT ?
"""  # noqa: S608
_PROGRESS = f"""
SELECT COUNT(*) FILTER (WHERE {_IS_LEARNED}), COUNT(*) FROM progress AS p
JOIN messages AS m ON m.user_id = p.user_id AND m.thread_id = p.thread_id
AND m.id > p.past_from AND m.id <= p.past_until WHERE p.user_id = ? AND p.thread_id = ? AND {_IS_OWN}
"""  # noqa: S608

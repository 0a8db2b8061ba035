"""The progress of learning facts from imported history, in the past_... columns of `progress`.

An extraction reads the messages after `past_from` up to `past_until`. `past_id` is the last id that it has read.
facts.py advances it in the transaction that stores the facts. `past_learned` holds the ranges of earlier extractions.
"""

import json
from collections.abc import Iterable, Sequence

from records.facts import HistoryBacklog
from records.messages import Message
from records.scopes import Scope
from storage.engine.protocol import Reader, Row, Transaction
from storage.schema.portable_tables import translate_value_errors
from storage.schema.rows import parse_message
from storage.tables.owner_tables import OwnerTables

IdRange = tuple[int, int]  # a range of message ids that excludes the first number and includes the second


class HistoryExtractionTable(OwnerTables):
    """Fact extractions from imported history, at most one per owner at a time (`store.history_extraction`)."""

    async def measure_backlog(self, owner: int, first_id: int, last_id: int) -> HistoryBacklog:
        """Return how much imported history with ids first_id..last_id remains to be learned from."""
        [row] = await self._fetch_rows(owner, _AHEAD, owner, first_id, last_id)
        return HistoryBacklog(messages=int(row["messages"]), characters=int(row["characters"]))

    async def begin_extraction_unless_running(self, owner: int, first_id: int, last_id: int) -> bool:
        """Begin an extraction from the messages with ids first_id..last_id. Return False if one is already running."""
        async with self.database.open_transaction(owner) as tx:
            if await tx.fetch_row("SELECT 1 FROM progress WHERE user_id = ? AND past_id < past_until", owner):
                return False
            for row in await tx.fetch_rows(_THREADS, owner, first_id, last_id):
                learned = await _read_learned_ranges(tx, Scope(owner=owner, thread=row["thread_id"]))
                await tx.execute(_BEGIN, owner, row["thread_id"], row["first"] - 1, row["last"], json.dumps(learned))
            return True

    async def stop_extraction(self, owner: int) -> None:
        stopping = "UPDATE progress SET past_until = past_id WHERE user_id = ? AND past_id < past_until"
        await self._execute(owner, stopping, owner)

    async def list_extraction_scopes(self) -> list[Scope]:
        """Return the scopes with a running extraction, unless their owner is incognito or has memory turned off."""
        return [Scope(owner=row[0], thread=row[1]) for row in await self._fetch_rows(None, _WAITING, self.kind)]

    async def read_last_id_and_next_messages(self, scope: Scope, limit: int) -> tuple[int, list[Message]]:
        """Return the id of the last message read and the next messages, or (0, []) if no extraction is running."""
        async with self.database.open_reader(scope.owner, in_snapshot=True) as reader:
            if (row := await reader.fetch_row(_RUNNING, *scope)) is None:
                return 0, []
            rows = await reader.fetch_rows(_NEXT, *scope, limit)
        return int(row["past_id"]), [parse_message(row) for row in rows]

    async def count_read_and_all_messages(self, scope: Scope) -> tuple[int, int] | None:
        """Return how many messages have been read and how many there are, or None if no extraction is running."""
        async with self.database.open_reader(scope.owner, in_snapshot=True) as reader:
            if await reader.fetch_row(_RUNNING, *scope) is None:
                return None
            [(read, total)] = await reader.fetch_rows(_PROGRESS, *scope)
        return int(read or 0), int(total)


async def close_finished_extractions(tx: Transaction, owner: int) -> None:
    """End the extractions that have read all of their messages, so that they ignore later imports."""
    await tx.execute(_END, owner)


async def list_reserved_id_ranges(reader: Reader, owner: int) -> list[IdRange]:
    """Return the id ranges of current and past extractions. New messages must not get ids in these ranges."""
    return [(row[0], row[1]) for row in await reader.fetch_rows(_TAKEN, owner)]


async def schedule_reextraction(tx: Transaction, scope: Scope, message_ids: Sequence[int]) -> None:
    """Schedule another extraction from messages that have already been learned from.

    Move a running extraction back to the first of them. Otherwise, begin a new one that ends before unread messages.
    """
    row = await tx.fetch_row(_STATE, *scope)
    if row is None or row["past_from"] is None:
        return
    start, reached, until = row["past_from"], row["past_id"], row["past_until"]
    if reached < until:
        cuts = [(number - 1, number) for number in message_ids]
        if inside := [message_id for message_id in message_ids if start < message_id <= until]:
            reached = min(reached, min(inside) - 1)
            cuts.append((min(inside) - 1, until))
        kept = _subtract_ranges(_parse_learned_ranges(row), cuts)
    else:
        again = [int(row[0]) for row in await tx.fetch_rows(_LEARNED_OF, *scope, json.dumps(list(message_ids)))]
        if not again:
            return
        unasked = await tx.fetch_row(_FIRST_UNREAD, *scope, again[0], again[-1])
        start = reached = again[0] - 1
        until = max(number for number in again if unasked is None or unasked[0] is None or number < unasked[0])
        kept = _subtract_ranges(await _read_learned_ranges(tx, scope), [(number - 1, number) for number in again])
    await tx.execute(_AGAIN, start, reached, until, json.dumps(kept), *scope)


def _merge_ranges(ranges: Iterable[IdRange]) -> list[IdRange]:
    found: list[IdRange] = []
    for behind, until in sorted(range_ for range_ in ranges if range_[0] < range_[1]):
        if found and behind <= found[-1][1]:
            behind, until = found[-1][0], max(until, found.pop()[1])
        found.append((behind, until))
    return found


async def _read_learned_ranges(tx: Transaction, scope: Scope) -> list[IdRange]:
    row = await tx.fetch_row(_STATE, *scope)
    if row is None or row["past_from"] is None:
        return []
    return _merge_ranges([*_parse_learned_ranges(row), (row["past_from"], row["past_id"])])


def _parse_learned_ranges(row: Row) -> list[IdRange]:
    with translate_value_errors("progress"):
        return [(int(first), int(last)) for first, last in json.loads(row["past_learned"])]


def _subtract_ranges(ranges: Iterable[IdRange], cuts: Iterable[IdRange]) -> list[IdRange]:
    kept = _merge_ranges(ranges)
    for first, last in _merge_ranges(cuts):
        kept = [part for behind, until in kept for part in ((behind, min(until, first)), (max(behind, last), until))]
    return _merge_ranges(kept)


# These are conditions on a message m and the row p of its scope.
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
# The threads with unread messages. Each range starts with the first message, so that progress covers all of them.
_THREADS = f"""
SELECT m.thread_id, MIN(m.id) AS first, MAX(CASE WHEN {_IS_LEARNED} THEN NULL ELSE m.id END) AS last
FROM messages AS m LEFT JOIN progress AS p ON p.user_id = m.user_id AND p.thread_id = m.thread_id
WHERE m.user_id = ? AND m.id BETWEEN ? AND ? AND {_IS_OWN} GROUP BY m.thread_id
HAVING COUNT(*) FILTER (WHERE NOT {_IS_LEARNED}) > 0
"""  # noqa: S608
# As for a scope that was never learned from, leave out its archived messages.
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
_RUNNING = f"{_STATE} AND past_id < past_until"
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

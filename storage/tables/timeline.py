"""Read the messages of a scope page by page, by day, by speaker and by kind."""

import json
from collections.abc import Sequence
from datetime import datetime

from records.messages import TIMELINE_FILTERS, Message, TimelineKind
from records.scopes import Scope
from storage.schema.rows import format_moment, parse_message
from storage.tables.owner_tables import OwnerTables


class TimelineTable(OwnerTables):
    """Reads the messages in one store page by page (`store.timeline`)."""

    async def read_page(
        self,
        scope: Scope,
        *,
        before_id: int | None = None,
        after_id: int | None = None,
        since: datetime | None = None,
        speaker: str = "",
        kind: TimelineKind = "",
        limit: int = 100,
    ) -> list[Message]:
        """Return a page of messages in chronological order, by default the latest ones.

        The page ends just before the message `before_id`, or begins just after the message `after_id` or at `since`.
        """
        where, values = "", tuple[int | str, ...]()
        if before_id is not None:
            where, values = f"AND (created_at, id) < {_POSITION}", (scope.owner, before_id)
        elif after_id is not None:
            where, values = f"AND (created_at, id) > {_POSITION}", (scope.owner, after_id)
        elif since is not None:
            where, values = "AND created_at >= ?", (format_moment(since),)
        role, origins = TIMELINE_FILTERS[kind]
        conditions = {"speaker = ?": speaker, "role = ?": role, _ORIGIN: origins and json.dumps(origins)}
        for condition, wanted in conditions.items():
            if wanted:
                where, values = f"{where} AND {condition}", (*values, wanted)
        is_forwards = before_id is None and (after_id is not None or since is not None)
        order = "" if is_forwards else "DESC"
        sql = f"SELECT * FROM messages WHERE user_id = ? AND thread_id = ? {where}"  # noqa: S608
        sql = f"{sql} ORDER BY created_at {order}, id {order} LIMIT ?"
        rows = await self._fetch_rows(scope.owner, sql, *scope, *values, max(0, limit))
        return [parse_message(row) for row in (rows if is_forwards else reversed(rows))]

    async def read_summary_messages(self, scope: Scope, summary_id: int, *, limit: int) -> Sequence[Message]:
        """Return up to `limit` messages covered by the level 1 summary `summary_id`, in chronological order."""
        return [parse_message(row) for row in await self._fetch_rows(scope.owner, _CHUNK, *scope, summary_id, limit)]

    async def count_messages_by_hour(self, scope: Scope) -> Sequence[tuple[datetime, int]]:
        """Return (hour, message count) pairs for the hours in which somebody wrote, in chronological order."""
        rows = await self._fetch_rows(scope.owner, _HOURS, *scope, 100_000)  # hours, over eleven years
        return [(datetime.fromisoformat(f"{row[0]}:00+00:00"), int(row[1])) for row in reversed(rows)]

    async def count_messages_by_speaker(self, scope: Scope) -> Sequence[tuple[str, int]]:
        """Return the names and message counts of the 50 most active speakers, most active first."""
        return [(str(row[0]), int(row[1])) for row in await self._fetch_rows(scope.owner, _SPEAKERS, *scope, 50)]

    async def choose_unique_name(self, owner: int, person_id: int, name: str) -> str:
        """Return a name for a member, such as "Anna" or "Anna2", that no other member's messages have."""
        known = {str(row[0]): int(row[1]) for row in await self._fetch_rows(owner, _MEMBERS, owner, 2_000)}
        names = [name, *(f"{name}{number}" for number in range(2, len(known) + 3))]
        return min(names, key=lambda name: (known.get(name, 0) != person_id, name in known))


_MEMBERS = """
SELECT speaker, person_id FROM (SELECT * FROM messages WHERE user_id = ? ORDER BY id DESC LIMIT ?) AS newest
WHERE person_id <> 0 GROUP BY speaker, person_id ORDER BY MIN(id) DESC
"""
_ORIGIN = "origin IN (SELECT value FROM json_each(?, '$'))"
_POSITION = "(SELECT created_at, id FROM messages WHERE user_id = ? AND id = ?)"
_CHUNK = "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND chunk_id = ? ORDER BY created_at, id LIMIT ?"
_HOURS = """
SELECT substr(created_at, 1, 13), COUNT(*) FROM messages
WHERE user_id = ? AND thread_id = ? AND origin <> 'tool' GROUP BY substr(created_at, 1, 13) ORDER BY 1 DESC LIMIT ?
"""
_SPEAKERS = """
SELECT speaker, COUNT(*) FROM messages WHERE user_id = ? AND thread_id = ? AND role = 'user' AND speaker <> ''
GROUP BY speaker ORDER BY 2 DESC, speaker LIMIT ?
"""

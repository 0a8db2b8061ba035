"""Rebuild all summaries of a scope while holding its summary lease."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from records.errors import StaleSummary
from records.messages import MessageOutline
from records.scopes import Scope
from records.summaries import NewSummary, RebuiltSummary, SummaryLease
from storage.schema.rows import SUMMARY_ROWS, format_moment
from storage.tables.folds import (
    DELETE_SUMMARIES,
    end_summary_job,
    make_summary_fields,
    transact_under_lease,
    upsert_summary,
)
from storage.tables.owner_tables import OwnerTables, reserve_ids_and_get_first

MAX_RESTARTS = 3  # A rebuild that was interrupted this often is not restarted automatically


class RebuildTable(OwnerTables):
    """Rebuilds of a scope's summaries (`store.rebuilds`). Writes raise StaleSummary if the lease is not valid."""

    async def read_outlines(self, scope: Scope) -> list[MessageOutline]:
        """Return the outlines of the archived messages of a scope, in chronological order."""
        rows = await self._fetch_rows(scope.owner, _OUTLINE, *scope)
        return [MessageOutline(id=row["id"], turn=row["turn_id"], is_user=row["role"] == "user") for row in rows]

    async def extend_lease(self, lease: SummaryLease, expires_at: datetime) -> None:
        async with transact_under_lease(self.database, lease) as tx:
            await tx.execute("UPDATE jobs SET expires_at = ? WHERE id = ?", format_moment(expires_at), lease.job_id)

    async def find_finished_summary(self, scope: Scope, input_hash: str) -> NewSummary | None:
        """Return the summary that an interrupted rebuild made of the input with this hash, or None."""
        row = await self._fetch_row(scope.owner, _PART, *scope, input_hash)
        return NewSummary(**json.loads(row["made"])) if row else None

    async def store_finished_summary(self, lease: SummaryLease, input_hash: str, new_summary: NewSummary) -> None:
        """Store a finished summary, so that an interrupted rebuild can reuse it after a restart."""
        async with transact_under_lease(self.database, lease) as tx:
            await tx.execute(
                _KEEP_PART, *lease.scope, input_hash, json.dumps(make_summary_fields(new_summary), ensure_ascii=False)
            )

    async def commit_rebuild(
        self,
        lease: SummaryLease,
        rebuilt_summaries: Sequence[RebuiltSummary],
        archived_messages: Sequence[MessageOutline],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        """Replace all summaries of a scope. Raise StaleSummary if one of `archived_messages` changed after `since`."""
        scope = lease.scope
        async with transact_under_lease(self.database, lease) as tx:
            archived = await tx.fetch_row(_ARCHIVED, format_moment(since), *scope)
            ids = [message.id for message in archived_messages]
            # Ids are never reused, so the same count and sum mean the same messages.
            if archived is None or tuple(archived) != (len(ids), sum(ids), 0):
                raise StaleSummary
            first = await tx.run(
                reserve_ids_and_get_first, self.kind, scope.owner, "next_summary_id", len(rebuilt_summaries)
            )
            old = [row["id"] for row in await tx.fetch_rows(_OLD, *scope)]
            chunks: list[list[int]] = []
            for new in rebuilt_summaries:
                below = [chunk for source in new.summary.source_ids for chunk in chunks[source]]
                own = [first + new.summary.id] if new.message_ids else []
                chunks.append(own if new.summary.policy == "sliding" else list(dict.fromkeys([*below, *own])))
                summary = replace(
                    new.summary,
                    id=first + new.summary.id,
                    created_at=now,
                    source_chunk_ids=tuple(chunks[-1]),
                    source_ids=tuple(first + source for source in new.summary.source_ids),
                    base_id=None if new.summary.base_id is None else first + new.summary.base_id,
                )
                await upsert_summary(tx, summary)
                await tx.execute(_INTO_CHUNK, summary.id, scope.owner, json.dumps(new.message_ids))
            await tx.execute(DELETE_SUMMARIES, scope.owner, json.dumps(old))
            await tx.execute("DELETE FROM rebuild_parts WHERE user_id = ? AND thread_id = ?", *scope)
            await end_summary_job(tx, lease, first + len(rebuilt_summaries) - 1, now)

    async def correct_summary_if_exists(self, lease: SummaryLease, summary_id: int, text: str) -> bool:
        """Replace the text of a summary with a person's correction. Return False if there is no such summary."""
        async with transact_under_lease(self.database, lease) as tx:
            return bool(await tx.fetch_rows(_CORRECT, text, text, *lease.scope, summary_id))

    async def replace_summary_text(self, lease: SummaryLease, summary_id: int, new_summary: NewSummary) -> None:
        """Replace the text, model and costs of a summary with those of a new summary."""
        async with transact_under_lease(self.database, lease) as tx:
            for row in await tx.fetch_rows(_ONE, *lease.scope, summary_id):
                await upsert_summary(tx, replace(SUMMARY_ROWS.parse(row), **make_summary_fields(new_summary)))

    async def list_interrupted_rebuilds(self) -> list[Scope]:
        """Return the scopes whose last job is a rebuild that was interrupted fewer than MAX_RESTARTS times."""
        rows = await self._fetch_rows(None, _INTERRUPTED, self.kind, MAX_RESTARTS)
        return [Scope(owner=row["user_id"], thread=row["thread_id"]) for row in rows]


_OUTLINE = """
SELECT id, turn_id, role FROM messages WHERE user_id = ? AND thread_id = ? AND is_active = 0 ORDER BY created_at, id
"""
_PART = "SELECT made FROM rebuild_parts WHERE user_id = ? AND thread_id = ? AND digest = ?"
_KEEP_PART = """
INSERT INTO rebuild_parts (user_id, thread_id, digest, made) VALUES (?, ?, ?, ?)
ON CONFLICT (user_id, thread_id, digest) DO UPDATE SET made = excluded.made
"""
_ARCHIVED = """
SELECT COUNT(*), COALESCE(SUM(id), 0), COUNT(*) FILTER (WHERE edited_at >= ?) FROM messages
WHERE user_id = ? AND thread_id = ? AND is_active = 0
"""
_OLD = "SELECT id FROM summaries WHERE user_id = ? AND thread_id = ?"
_INTO_CHUNK = """
UPDATE messages SET chunk_id = ? WHERE user_id = ? AND is_active = 0 AND id IN (SELECT value FROM json_each(?))
"""
_CORRECT = """
UPDATE summaries SET summary_text = ?, correction = ?, score = NULL WHERE user_id = ? AND thread_id = ? AND id = ?
RETURNING id
"""
_ONE = "SELECT * FROM summaries WHERE user_id = ? AND thread_id = ? AND id = ?"
_INTERRUPTED = """
SELECT jobs.user_id, jobs.thread_id FROM jobs JOIN users ON users.user_id = jobs.user_id
WHERE served_here(jobs.user_id)
AND jobs.reason = 'rebuild' AND jobs.state = 'expired' AND users.storage_type = ? AND users.memory_enabled = 1
AND jobs.id = (
  SELECT MAX(id) FROM jobs AS last WHERE last.user_id = jobs.user_id AND last.thread_id = jobs.thread_id
)
AND (
  SELECT COUNT(*) FROM jobs AS earlier WHERE earlier.user_id = jobs.user_id AND earlier.thread_id = jobs.thread_id
  AND earlier.id > COALESCE((
    SELECT MAX(id) FROM jobs AS other WHERE other.user_id = jobs.user_id AND other.thread_id = jobs.thread_id
    AND (other.reason <> 'rebuild' OR other.state <> 'expired')
  ), 0)
) < ?
"""

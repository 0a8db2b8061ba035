"""Making all summaries of a scope again: what there is to cover, and the one transaction that replaces them.

A part of MemoryStore (`store.rebuilds`), under the fold lease of folds.py.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from records.errors import StaleFold
from records.messages import MessageOutline
from records.scopes import Scope
from records.summaries import FoldLease, NewSummary, Rebuilt, Summary
from storage.engine.protocol import Transaction
from storage.schema.rows import format_moment
from storage.tables.folds import check_lease, complete_job, make_summary_fields, put_summary
from storage.tables.owner_tables import OwnerTables, take_ids

MAX_RESTARTS = 3  # A rebuild that was interrupted this often is not restarted automatically


class RebuildTable(OwnerTables):
    """Making all summaries of a scope again, under the scope's fold lease."""

    async def outline(self, scope: Scope) -> list[MessageOutline]:
        """Return the archived messages of a scope, ascending."""
        rows = await self._fetch_rows(scope.owner, _OUTLINE, *scope)
        return [MessageOutline(id=row["id"], turn=row["turn_id"], is_user=row["role"] == "user") for row in rows]

    async def renew(self, lease: FoldLease, until: datetime) -> None:
        """Extend the lease. Raise StaleFold where it was lost."""
        async with self.database.write(lease.scope.owner) as tx:
            await check_lease(tx, lease)
            await tx.rows("UPDATE jobs SET expires_at = ? WHERE id = ?", format_moment(until), lease.job_id)

    async def part(self, scope: Scope, digest: str) -> NewSummary | None:
        """Return the part that an unfinished rebuild of this scope had already made from the same input."""
        row = await self._fetch_row(
            scope.owner,
            "SELECT made FROM rebuild_parts WHERE user_id = ? AND thread_id = ? AND digest = ?",
            *scope,
            digest,
        )
        return NewSummary(**json.loads(row["made"])) if row else None

    async def keep_part(self, lease: FoldLease, digest: str, made: NewSummary) -> None:
        """Keep a part until a rebuild is committed or anything is forgotten. Raise StaleFold as above."""
        scope, kept = lease.scope, make_summary_fields(made)
        async with self.database.write(lease.scope.owner) as tx:
            await check_lease(tx, lease)
            await tx.rows(_KEEP_PART, *scope, digest, json.dumps(kept, ensure_ascii=False))

    async def commit(
        self,
        lease: FoldLease,
        rebuilt: Sequence[Rebuilt],
        outline: Sequence[MessageOutline],
        *,
        since: datetime,
        now: datetime,
    ) -> None:
        """In one transaction: replace all summaries of the scope, and give each message its new chunk.

        Raises StaleFold, changing nothing, when the lease was lost, or when one of the outlined messages is gone or was
        edited after `since`.
        """
        scope = lease.scope
        async with self.database.write(lease.scope.owner) as tx:
            await check_lease(tx, lease)
            archived = await tx.row(_ARCHIVED, format_moment(since), *scope)
            ids = [summary.id for summary in outline]
            # Ids are never used again, so the same number with the same sum are the same messages.
            if archived is None or tuple(archived) != (len(ids), sum(ids), 0):
                raise StaleFold
            first = await tx.run(take_ids, self.kind, scope.owner, "next_summary_id", len(rebuilt))
            old = [row["id"] for row in await tx.rows(_OLD, *scope)]
            chunks: list[list[int]] = []
            for index, summary in enumerate(rebuilt):
                below = [chunk for source in summary.sources for chunk in chunks[source]]
                own = [first + index] if summary.message_ids else []
                chunks.append(own if summary.policy == "sliding" else list(dict.fromkeys([*below, *own])))
                await _put(tx, scope, summary, first, index, chunks[index], now)
            await tx.rows(_DROP, scope.owner, json.dumps(old))
            await tx.rows(_DROP_PARTS, *scope)
            await complete_job(tx, lease, first + len(rebuilt) - 1, now)

    async def put_correction(self, lease: FoldLease, number: int, text: str) -> bool:
        """Replace the text of a summary by its person's. Return False if there is no such summary; raise StaleFold."""
        values = (text, text, *lease.scope, number)
        async with self.database.write(lease.scope.owner) as tx:
            await check_lease(tx, lease)
            return bool(await tx.rows(_CORRECT, *values))

    async def put_text(self, lease: FoldLease, number: int, made: NewSummary) -> None:
        """Replace the text of a summary by one that was made again. Raise StaleFold as above."""
        values = make_summary_fields(made)
        async with self.database.write(lease.scope.owner) as tx:
            await check_lease(tx, lease)
            await tx.rows(
                _PUT_TEXT,
                *(values[name] for name in ("text", "model", "prompt_version", "tokens_in", "tokens_out")),
                *(values["milliseconds"], values["score"], json.dumps(dict(made.details)), *lease.scope, number),
            )

    async def interrupted(self) -> list[Scope]:
        """Return the scopes whose last job is a rebuild that was interrupted, unless for the third time in a row."""
        rows = await self._fetch_rows(None, _INTERRUPTED, self.kind, MAX_RESTARTS)
        return [Scope(owner=row["user_id"], thread=row["thread_id"]) for row in rows]


async def _put(
    tx: Transaction, scope: Scope, one: Rebuilt, first: int, index: int, chunks: Sequence[int], now: datetime
) -> None:
    """Insert a summary; `first`: the id of the first of its row, in which it is number `index`."""
    summary = Summary(
        id=first + index,
        scope=scope,
        level=one.level,
        created_at=now,
        source_chunk_ids=tuple(chunks),
        source_ids=tuple(first + source for source in one.sources),
        is_active=one.is_active,
        first_id=one.first[0],
        last_id=one.last[0],
        first_at=one.first[1],
        last_at=one.last[1],
        message_count=one.message_count,
        base_id=None if one.base is None else first + one.base,
        policy=one.policy,
        reason="rebuild",
        correction=one.correction,
        **make_summary_fields(one.made),
    )
    await put_summary(tx, summary)
    await tx.rows(_INTO_CHUNK, summary.id, scope.owner, json.dumps(one.message_ids))


_OUTLINE = """
SELECT id, turn_id, role FROM messages WHERE user_id = ? AND thread_id = ? AND is_active = 0 ORDER BY created_at, id
"""
_KEEP_PART = """
INSERT INTO rebuild_parts (user_id, thread_id, digest, made) VALUES (?, ?, ?, ?)
ON CONFLICT (user_id, thread_id, digest) DO UPDATE SET made = excluded.made
"""
_DROP_PARTS = "DELETE FROM rebuild_parts WHERE user_id = ? AND thread_id = ?"
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
_PUT_TEXT = """
UPDATE summaries SET summary_text = ?, model = ?, prompt_version = ?, tokens_in = ?, tokens_out = ?, milliseconds = ?,
  score = ?, details = ?
WHERE user_id = ? AND thread_id = ? AND id = ?
"""
_DROP = "DELETE FROM summaries WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
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

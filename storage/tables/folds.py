"""The SQL of `summaries`, `jobs` and `failures`: making summaries under a lease, and archiving their messages."""

import json
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from records.errors import StaleSummary
from records.owners import StorageType
from records.scopes import Scope
from records.summaries import NewSummary, Summary, SummaryFailure, SummaryLease, SummaryPlan, SummaryReason
from storage.engine.protocol import Connection, OwnerDatabase, Row, Transaction
from storage.schema.portable_tables import SUMMARIES
from storage.schema.rows import FAILURE_ROWS, SUMMARY_ROWS, format_moment, parse_moment
from storage.tables.owner_tables import OwnerTables, reserve_ids_and_get_first
from text.characters import repair_surrogates

# How long a restore prevents folds. Its messages need no new summaries, but are active until it ends.
RESTORE_WAITS = timedelta(days=1)
_RESTORING = "SELECT 1 FROM restores WHERE user_id = ? AND id = 0 AND begun_at > ?"


class SummaryTable(OwnerTables):
    """The summaries of the owners in one store, and the jobs that create them."""

    async def void_leases(self) -> None:
        """Void all leases. Call this only at startup, when no other process is running."""
        await self._execute(None, "UPDATE jobs SET state = 'expired' WHERE state = 'processing'")

    async def list_summaries(
        self, scope: Scope, *, active_only: bool = True, ids: Sequence[int] | None = None
    ) -> list[Summary]:
        """Return the summaries of a scope, ordered by id. If `ids` is given, return only those summaries."""
        chosen = "" if ids is None else " AND id IN (SELECT value FROM json_each(?))"
        sql = f"{_COUNTED} WHERE user_id = ? AND thread_id = ? AND is_active >= ?{chosen} ORDER BY id"
        values = (*scope, int(active_only), *([] if ids is None else [json.dumps(list(ids))]))
        rows = await self._fetch_rows(scope.owner, sql, *values)
        return [SUMMARY_ROWS.parse(row, visible_count=row["visible_count"]) for row in rows]

    async def list_superseded_summaries(self, scope: Scope, *, limit: int) -> list[Summary]:
        """Return the latest `limit` inactive summaries, ordered by id."""
        rows = await self._fetch_rows(scope.owner, _SUPERSEDED, *scope, limit)
        return [SUMMARY_ROWS.parse(row) for row in reversed(rows)]

    async def list_idle_scopes_with_last_ids(self, idle_since: datetime) -> list[tuple[Scope, int]]:
        """Return (scope, latest message id) for each scope with active messages but none after `idle_since`."""
        rows = await self._fetch_rows(None, _QUIET, self.kind, format_moment(idle_since))
        return [(Scope(owner=row["user_id"], thread=row["thread_id"]), row["newest"]) for row in rows]

    async def acquire_summary_lease(
        self, scope: Scope, reason: SummaryReason, *, now: datetime, duration: timedelta
    ) -> SummaryLease | None:
        """Acquire the lease on a scope. Return None if another job holds it or a restore is in progress."""
        async with self.database.open_transaction(scope.owner) as tx:
            if reason != "import" and await tx.fetch_row(_RESTORING, scope.owner, format_moment(now - RESTORE_WAITS)):
                return None
            if live := await tx.fetch_row(_LIVE, *scope):
                if datetime.fromisoformat(live["expires_at"]) > now:
                    return None
                expiring = "UPDATE jobs SET state = 'expired', ended_at = ? WHERE id = ?"
                await tx.execute(expiring, format_moment(now), live["id"])
            fence = 1 + await tx.run(reserve_ids_and_get_first, self.kind, scope.owner, "last_fence")
            begin_and_end = format_moment(now), format_moment(now + duration)
            [job] = await tx.fetch_rows(_BEGIN, *scope, reason, fence, *begin_and_end)
        return SummaryLease(scope=scope, job_id=job["id"], fence=fence)

    async def commit_summary(
        self, lease: SummaryLease, plan: SummaryPlan, new_summary: NewSummary, *, now: datetime
    ) -> Summary:
        """Add a summary, archive its sources and end the job. Raise StaleSummary if the lease or a source is stale."""
        async with transact_under_lease(self.database, lease) as tx:
            summary = await replace_sources_with_summary(tx, self.kind, lease.scope, plan, new_summary, now=now)
            await end_summary_job(tx, lease, summary.id, now)
            return summary

    async def record_summary_failure(
        self, lease: SummaryLease, error: str, *, now: datetime, is_reported: bool = False
    ) -> SummaryFailure:
        """Record a failed attempt and release the lease. Do nothing if the lease is no longer valid.

        Set `is_reported` if the person sees the error anyway, because they asked for the summary.
        """
        async with self.database.open_transaction(lease.scope.owner) as tx:
            if await is_lease_valid(tx, lease):
                moment, error = format_moment(now), repair_surrogates(error)
                failing = "UPDATE jobs SET state = 'failed', ended_at = ?, error = ? WHERE id = ? RETURNING reason"
                [job] = await tx.fetch_rows(failing, moment, error, lease.job_id)
                await tx.execute(_FAIL, *lease.scope, moment, job["reason"], error, int(is_reported))
            row = await tx.fetch_row(_FAILURE, *lease.scope)
        if row:
            return FAILURE_ROWS.parse(row)
        # The lease was lost and the next attempt succeeded, so there is no failure to tell anyone about.
        return SummaryFailure(at=now, error=error, attempts=1, told=True)

    async def release_summary_lease(self, lease: SummaryLease) -> None:
        """Release a lease without recording a result."""
        async with self.database.open_transaction(lease.scope.owner) as tx:
            if await is_lease_valid(tx, lease):
                await tx.execute("DELETE FROM jobs WHERE id = ?", lease.job_id)

    async def find_summary_failure(self, scope: Scope) -> SummaryFailure | None:
        row = await self._fetch_row(scope.owner, _FAILURE, *scope)
        return FAILURE_ROWS.parse(row) if row else None

    async def mark_summary_failure_reported(self, scope: Scope) -> None:
        await self._execute(scope.owner, "UPDATE failures SET told = 1 WHERE user_id = ? AND thread_id = ?", *scope)


def read_active_summaries(connection: Connection, scope: Scope) -> list[Summary]:
    """Return the active summaries of a scope, ordered by id. Run inside the caller's transaction."""
    return [SUMMARY_ROWS.parse(row) for row in connection.execute(_ACTIVE, tuple(scope))]


async def is_lease_valid(tx: Transaction, lease: SummaryLease) -> bool:
    return bool(await tx.fetch_row(_IS_HELD, lease.job_id, *lease.scope, lease.fence))


@asynccontextmanager
async def transact_under_lease(database: OwnerDatabase, lease: SummaryLease) -> AsyncIterator[Transaction]:
    """Open a transaction protected by a lease. Raise StaleSummary if the lease is no longer valid."""
    async with database.open_transaction(lease.scope.owner) as tx:
        if not await is_lease_valid(tx, lease):
            raise StaleSummary
        yield tx


async def end_summary_job(tx: Transaction, lease: SummaryLease, summary_id: int, now: datetime) -> None:
    """Mark the job of a lease as completed, and clear the recorded failure of its scope."""
    completing = "UPDATE jobs SET state = 'completed', ended_at = ?, summary_id = ? WHERE id = ?"
    await tx.execute(completing, format_moment(now), summary_id, lease.job_id)
    await tx.execute("DELETE FROM failures WHERE user_id = ? AND thread_id = ?", *lease.scope)


async def replace_sources_with_summary(
    tx: Transaction, storage: StorageType, scope: Scope, plan: SummaryPlan, new_summary: NewSummary, *, now: datetime
) -> Summary:
    """Insert a summary and archive its sources. Raise StaleSummary if a source has been deleted or archived."""
    messages = await _read_sources(tx, _ACTIVE_MESSAGES, scope, plan.message_ids)
    below = [SUMMARY_ROWS.parse(row) for row in await _read_sources(tx, _ACTIVE_SUMMARIES, scope, plan.summary_ids)]
    if not messages and not below:
        raise StaleSummary
    number = await tx.run(reserve_ids_and_get_first, storage, scope.owner, "next_summary_id")
    below.sort(key=lambda summary: summary.sort_key)
    await tx.execute(_ARCHIVE, number, scope.owner, json.dumps(plan.message_ids))
    if plan.window_ids:
        told, inherited = await _read_sources(tx, WINDOW, scope, plan.window_ids), []
        chunks = [row["chunk_id"] for row in told]
    else:
        told, inherited = messages, below
        chunks = [chunk for summary in below for chunk in summary.source_chunk_ids] + ([number] if messages else [])
    summary = make_summary(
        scope,
        plan,
        [(row["id"], parse_moment(row["created_at"])) for row in told],
        inherited,
        id=number,
        created_at=now,
        source_chunk_ids=tuple(dict.fromkeys(chunks)),
        source_ids=tuple(source.id for source in below),
        reason=plan.reason,
        **make_summary_fields(new_summary),
    )
    await upsert_summary(tx, summary)
    await tx.execute(_DEACTIVATE, scope.owner, json.dumps(plan.summary_ids))
    return summary


def make_summary(
    scope: Scope, plan: SummaryPlan, messages: Sequence[tuple[int, datetime]], below: Sequence[Summary], **fields: Any
) -> Summary:
    """Return a planned summary of messages, given as ids and times, and of lower summaries, with further `fields`."""
    ids = [message_id for message_id, _ in messages]
    ids += [end for summary in below for end in (summary.first_id, summary.last_id)]
    # Not the dates of the first and last id: imported conversations may overlap.
    dates = [said_at for _, said_at in messages]
    dates += [end for summary in below for end in (summary.first_at, summary.last_at)]
    return Summary(
        scope=scope,
        level=plan.level,
        is_active=True,
        first_id=min(ids),
        last_id=max(ids),
        first_at=min(dates),
        last_at=max(dates),
        message_count=len(messages) + sum(summary.message_count for summary in below),
        base_id=plan.base_id,
        policy=plan.policy,
        **fields,
    )


async def delete_summaries(tx: Transaction, owner: int, ids: Collection[int], reactivated_ids: Collection[int]) -> None:
    """Delete summaries. Reactivate their messages and the summaries in `reactivated_ids`."""
    deleted = json.dumps(sorted(ids))
    await tx.execute(_ACTIVATE_MESSAGES, owner, deleted)
    await tx.execute(DELETE_SUMMARIES, owner, deleted)
    await tx.execute(_ACTIVATE_SUMMARIES, owner, json.dumps(sorted(reactivated_ids)))


def make_summary_fields(new_summary: NewSummary) -> dict[str, Any]:
    """Return the fields to copy from a new summary. Invalid surrogates in its text are replaced."""
    return {**asdict(new_summary), "text": repair_surrogates(new_summary.text)}


async def upsert_summary(tx: Transaction, summary: Summary) -> None:
    await tx.execute(SUMMARIES.upsert_sql, *SUMMARIES.to_params(SUMMARY_ROWS.to_row(summary)))


async def _read_sources(tx: Transaction, sql: str, scope: Scope, ids: Sequence[int]) -> list[Row]:
    """Return the source rows of a summary. Raise StaleSummary if a source has been deleted or archived."""
    if not ids:
        return []
    rows = await tx.fetch_rows(sql, *scope, json.dumps(list(ids)))
    if [row["id"] for row in rows] != sorted(set(ids)):
        raise StaleSummary
    return rows


_ACTIVE = "SELECT * FROM summaries WHERE user_id = ? AND thread_id = ? AND is_active = 1 ORDER BY id"
# Counting the notes takes time for each chunk, so that no prompt waits for it.
_COUNTED = """
SELECT *, message_count - (
  SELECT COUNT(*) FROM messages
  WHERE user_id = summaries.user_id AND thread_id = summaries.thread_id AND origin = 'tool'
  AND id BETWEEN first_id AND last_id AND chunk_id IN (SELECT value FROM json_each(source_chunk_ids))
) AS visible_count FROM summaries
"""
_SUPERSEDED = "SELECT * FROM summaries WHERE user_id = ? AND thread_id = ? AND is_active = 0 ORDER BY id DESC LIMIT ?"
_LIVE = "SELECT id, expires_at FROM jobs WHERE user_id = ? AND thread_id = ? AND state = 'processing'"
_IS_HELD = "SELECT 1 FROM jobs WHERE id = ? AND user_id = ? AND thread_id = ? AND fence = ? AND state = 'processing'"
_BEGIN = """
INSERT INTO jobs (user_id, thread_id, state, reason, fence, started_at, expires_at)
VALUES (?, ?, 'processing', ?, ?, ?, ?) RETURNING id
"""
_FAIL = """
INSERT INTO failures (user_id, thread_id, at, reason, error, attempts, told) VALUES (?, ?, ?, ?, ?, 1, ?)
ON CONFLICT (user_id, thread_id) DO UPDATE SET
  at = excluded.at, reason = excluded.reason, error = excluded.error, attempts = failures.attempts + 1,
  told = CASE WHEN excluded.told = 1 THEN 1 ELSE failures.told END
"""
_ARCHIVE = """
UPDATE messages SET chunk_id = ?, is_active = 0 WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))
"""
_DEACTIVATE = "UPDATE summaries SET is_active = 0 WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
DELETE_SUMMARIES = "DELETE FROM summaries WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_ACTIVATE_MESSAGES = """
UPDATE messages SET chunk_id = NULL, is_active = 1
WHERE user_id = ? AND chunk_id IN (SELECT value FROM json_each(?))
"""
_ACTIVATE_SUMMARIES = "UPDATE summaries SET is_active = 1 WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))"
_ACTIVE_MESSAGES = """
SELECT id, created_at FROM messages
WHERE user_id = ? AND thread_id = ? AND is_active = 1 AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_ACTIVE_SUMMARIES = """
SELECT * FROM summaries
WHERE user_id = ? AND thread_id = ? AND is_active = 1 AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
WINDOW = """
SELECT id, created_at, chunk_id FROM messages
WHERE user_id = ? AND +thread_id = ? AND is_active = 0 AND id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_QUIET = """
SELECT s.user_id, s.thread_id, m.id AS newest FROM scopes AS s
JOIN users AS u ON u.user_id = s.user_id
JOIN messages AS m ON m.user_id = s.user_id AND m.id = (
  SELECT MAX(id) FROM messages WHERE user_id = s.user_id AND thread_id = s.thread_id
)
WHERE u.storage_type = ? AND u.memory_enabled = 1 AND u.auto_fold = 1 AND u.incognito = 0
AND s.total > s.archived AND served_here(s.user_id) AND m.created_at <= ?
"""
_FAILURE = "SELECT * FROM failures WHERE user_id = ? AND thread_id = ?"

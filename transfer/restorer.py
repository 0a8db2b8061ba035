"""Restore one of our own exports, with its ids, summaries, facts, profile, versions and origin.

Rows are ordered so that an interrupted restore leaves no gaps and can be continued with the same file. The files of an
export may arrive in any order. Rows that depend on other files are held back in the store until the last one arrives.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from attrs import define

from external_memory import ExternalMemory
from llm import prompts, quoting
from locales.catalog import join_with_and, tr
from records.owners import MAX_EVERY_N, MAX_INSTRUCTIONS_CHARS, MAX_PERSONA_CHARS, OwnerConfig
from records.scopes import Clock
from records.summaries import SummaryLease
from storage.schema.portable_tables import RESTORES, SUMMARIES, PortableRow
from storage.schema.rows import format_moment, group_rows_by_table, parse_config, parse_message
from storage.stores.memory_store import MemoryStore
from transfer.archiver import MODEL, Archiver
from transfer.formats.history import ImportedHistory

BATCH = 500
Rows = Mapping[str, Sequence[PortableRow]]
Progress = Callable[[int, int], Awaitable[None]]
_LAST = ("conversations", "summaries", "facts", "decisions", "profiles", "versions", "reminders")
_ROWS_OF_ONE_FILE = 10**7
MAX_NAMED = 20  # files that a sentence names


@dataclass(frozen=True, kw_only=True, slots=True)
class RestorePlan:
    """A plan to restore one file of an export. It lists the files restored so far."""

    export: str
    part: int
    parts: frozenset[int]  # the files that were restored before
    last: int | None  # the number of the last file, None if unknown
    is_begun: bool

    @property
    def missing_parts_text(self) -> str:
        """The names of the missing files, or "" if this file completes the restore."""
        held = self.parts | {self.part}
        last = self.last or max(held)
        gone = [tr("import-part", number=str(number)) for number in range(1, last + 1) if number not in held]
        if len(gone) > MAX_NAMED:
            gone[MAX_NAMED:] = [tr("import-part-others", count=len(gone) - MAX_NAMED)]
        if self.last is None:
            gone.append(tr("import-part-following", last=str(last)))
        return join_with_and(gone)


async def plan_restore(store: MemoryStore, owner: int, history: ImportedHistory, rows: Rows) -> RestorePlan | None:
    """Return the plan to restore this file, or None if it can only be imported as history.

    Only the owner's own export can be restored, and only into an empty memory or one that the same export has begun
    to fill. A file of an early version must be a whole export.
    """
    if history.owner != owner or not (history.is_complete or (history.export and rows.get("users"))):
        return None
    export = history.export if history.export is not None else await asyncio.to_thread(_make_export_id, rows)
    under_way = await store.history.find_restore_row(owner)
    is_begun = under_way is not None and under_way["export"] == export
    if not is_begun and not await store.history.is_empty(owner):
        return None
    held: Any = under_way["held"] if under_way and is_begun else {}
    last = history.part if history.is_last else held.get("last")
    parts = frozenset(held.get("parts", ()))
    return RestorePlan(export=export, part=history.part, parts=parts, last=last, is_begun=is_begun)


@define(kw_only=True, eq=False)
class Restorer:
    """Restores exports of this bot into a memory, one file at a time."""

    _memory: ExternalMemory
    _archiver: Archiver
    _clock: Clock

    async def restore_file(self, lease: SummaryLease, plan: RestorePlan, rows: Rows, progress: Progress) -> int:
        """Restore one file, and return the number of restored facts. Raise StorageError on failure."""
        owner, done = lease.scope.owner, 0
        if not plan.is_begun:
            # Every file begins with the counters, so that new messages get free ids, and with the progress of learning.
            first = [{"table": name, **row} for name in ("users", "progress") for row in rows.get(name, ())]
            async with self._memory.open_store(owner) as store:
                await store.history.begin_restore(
                    lease, [self._make_restore_row(owner, plan, 0, {"parts": [], "last": None}), *first]
                )
        chunks = await asyncio.to_thread(_group_messages_by_chunk_id, rows["messages"])
        async with self._memory.open_store(owner) as store:
            held = [cast(PortableRow, row["held"]) for row in await store.history.list_deferred_rows(owner)]
            held_back = {**dict.fromkeys(_LAST, ()), **group_rows_by_table(held, owner)}
            stored = await store.history.read_summary_rows(owner, [number for number in chunks if number is not None])
        summaries = {row["id"]: row for row in (*stored, *held_back["summaries"], *rows["summaries"])}
        for group in _iterate_batches(chunks):
            covering = await self._make_covering_summaries(group, summaries)
            async with self._memory.open_store(owner) as store:
                await store.history.restore_rows_and_recount(
                    lease, [*covering, *({"table": "messages", **row} for row in group)]
                )
            done += len(group)
            await progress(done, len(rows["messages"]))
        if plan.missing_parts_text:
            await self._store_deferred_rows(lease, plan, rows)
            return 0
        await self._restore_deferred_rows_and_config(lease, rows, held_back)
        return len(rows["facts"]) + len(held_back["facts"])

    async def _store_deferred_rows(self, lease: SummaryLease, plan: RestorePlan, rows: Rows) -> None:
        owner, first = lease.scope.owner, plan.part * _ROWS_OF_ONE_FILE
        last = [{"table": name, **row} for name in _LAST for row in rows.get(name, ())]
        kept = [self._make_restore_row(owner, plan, number, row) for number, row in enumerate(last, start=first + 1)]
        parts = sorted(plan.parts | {plan.part})
        kept.append(self._make_restore_row(owner, plan, 0, {"parts": parts, "last": plan.last}))
        async with self._memory.open_store(owner) as store:
            await store.history.restore_rows(lease, kept)

    async def _restore_deferred_rows_and_config(self, lease: SummaryLease, rows: Rows, deferred_rows: Rows) -> None:
        owner = lease.scope.owner
        found = {name: [*deferred_rows.get(name, ()), *rows.get(name, ())] for name in _LAST}
        ids = {int(str(row["id"])) for row in found["summaries"]}
        found["summaries"] = await asyncio.to_thread(_remove_unknown_sources, found["summaries"], ids)
        async with self._memory.open_store(owner) as store:
            await store.history.restore_rows(lease, [{"table": name, **row} for name in _LAST for row in found[name]])
            await store.history.end_restore(lease, ids)
        if rows["users"]:
            await self._memory.change_config(owner, partial(_merge_config, rows["users"][0]))

    async def _make_covering_summaries(
        self, messages: Sequence[PortableRow], known_summaries: Mapping[object, PortableRow]
    ) -> list[PortableRow]:
        """Return one active summary per chunk: the known one, or else a new one extracted from the chunk's messages."""
        covering: list[PortableRow] = []
        for number, said in _group_messages_by_chunk_id(messages).items():
            if number is not None:
                row = known_summaries.get(number) or await self._make_extracted_summary(said)
                alone = {"is_active": True, "source_ids": [], "source_chunk_ids": [number]}
                covering.append({"table": "summaries", **row, **alone})
        return covering

    async def _make_extracted_summary(self, messages: Sequence[PortableRow]) -> PortableRow:
        lines = [prompts.format_message(parse_message(row)) for row in messages]
        owner = int(str(messages[0]["user_id"]))
        made = await self._archiver.extract_summary(owner, quoting.format_block("conversation", lines))
        ids, dates = [int(str(row["id"])) for row in messages], [str(row["created_at"]) for row in messages]
        return {
            **SUMMARIES.defaults,
            "id": messages[0]["chunk_id"],
            "user_id": owner,
            "thread_id": messages[0]["thread_id"],
            "summary_text": made.text,
            "created_at": format_moment(self._clock()),
            "level": 1,
            "first_id": min(ids),
            "last_id": max(ids),
            "first_at": min(dates),
            "last_at": max(dates),
            "message_count": len(messages),
            "model": MODEL,
            "prompt_version": made.prompt_version,
            "reason": "import",
        }

    def _make_restore_row(
        self, owner: int, plan: RestorePlan, row_id: int, content: Mapping[str, object]
    ) -> PortableRow:
        ids = {"user_id": owner, "id": row_id, "export": plan.export}
        return {"table": RESTORES.name, **ids, "begun_at": format_moment(self._clock()), "held": content}


def _make_export_id(rows: Rows) -> str:
    """Return an id for an export that has none, because an early version wrote it."""
    digest = hashlib.sha256()
    for table, several in rows.items():
        for row in several:
            digest.update(f"{table} {row.get('id')} {row.get('created_at')} {row.get('content')}\n".encode())
    return digest.hexdigest()


def _group_messages_by_chunk_id(messages: Sequence[PortableRow]) -> dict[int | None, list[PortableRow]]:
    chunks: dict[int | None, list[PortableRow]] = {}
    for row in messages:
        chunks.setdefault(cast(int | None, row["chunk_id"]), []).append(row)
    return chunks


def _iterate_batches(chunks: dict[int | None, list[PortableRow]]) -> Iterator[list[PortableRow]]:
    batch: list[PortableRow] = []
    loose = chunks.pop(None, [])
    for group in [*chunks.values(), *(loose[first : first + BATCH] for first in range(0, len(loose), BATCH))]:
        batch += group
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _remove_unknown_sources(summaries: Sequence[PortableRow], ids: set[int]) -> list[PortableRow]:
    names = ("source_ids", "source_chunk_ids")
    return [
        {**row, **{name: [number for number in cast(list[int], row[name]) if number in ids] for name in names}}
        for row in summaries
    ]


def list_persona_and_instructions(rows: Rows) -> list[str]:
    """Return the persona and summary instructions that would be restored."""
    chosen = {"persona_text": MAX_PERSONA_CHARS, "fold_instructions": MAX_INSTRUCTIONS_CHARS}
    return [str(row[name])[:most] for row in rows.get("users", ()) for name, most in chosen.items() if row[name]]


def _merge_config(imported_settings: PortableRow, current: OwnerConfig) -> OwnerConfig:
    """Return the settings of the export, but keep the current state and storage of the memory."""
    kept = parse_config({**imported_settings, "storage_type": current.storage})
    return replace(
        kept,
        owner=current.owner,
        enabled=current.enabled,
        incognito=current.incognito,
        created_at=current.created_at,
        updated_at=current.updated_at,
        every_n=min(MAX_EVERY_N, max(1, kept.every_n)),
        fold_instructions=kept.fold_instructions[:MAX_INSTRUCTIONS_CHARS],
        persona_text=kept.persona_text[:MAX_PERSONA_CHARS],
    )

"""Deletion from every file. It is recorded before it begins, so the next start can finish an interrupted one.

The order is: record, inbox, store, files. Every step may be repeated. erasure/deletion_cascade.py decides what is
deleted from the store.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from attrs import define, field

from records.errors import ServedElsewhere, StorageError
from records.forgetting import Forgetting, Forgotten
from records.owners import StorageType
from runtime.tasks import run_uncancelled
from storage.bot_state.inbox import Inbox
from storage.bot_state.leases import OwnerLeases
from storage.bot_state.usage import UsageLedger
from storage.bot_state.wizard_state import WizardStates
from storage.engine.data_dir import ASIDE
from storage.engine.protocol import OwnerDatabase, StatementRunner
from storage.engine.sqlite_driver import explain_errors, sync_folder
from storage.schema.rows import format_moment, parse_moment, parse_optional_moment
from storage.stores.memory_store import MemoryStore

Stores = Mapping[StorageType, MemoryStore]
_RECORD = "INSERT INTO forgettings (user_id, what, begun_at) VALUES (?, ?, ?) RETURNING id"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unfinished:
    """A recorded deletion. If `is_erased`, its rows are deleted and only the files must still be cleaned."""

    id: int
    owner: int
    what: Forgetting
    begun_at: datetime
    is_erased: bool


@define(eq=False)
class OwnerDeletion(StatementRunner):
    """Deletes across the stores of one data directory."""

    database: OwnerDatabase
    _folder: Path
    _stores: Stores
    _inbox: Inbox
    _wizards: WizardStates
    _usage: UsageLedger
    _leases: OwnerLeases
    # Ids of the records whose tables this process has erased.
    _erased: set[int] = field(factory=set[int], init=False)
    # The number of deletions so far, and how many of them the files were rewritten after. Logs may still hold those.
    _count: int = field(default=0, init=False)
    _rewritten: int = field(default=-1, init=False)
    _cleaning: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    async def forget(
        self, owner: int, what: Forgetting, store: MemoryStore, *, now: datetime, cleans_files: bool = True
    ) -> Forgotten:
        """Delete from the owner's store and from every file, and return what was deleted.

        The caller holds the owner's lock exclusively. With `cleans_files=False`, leave the files to a later
        `clean_files`. Raise StorageError with nothing deleted.
        """
        record = json.dumps(asdict(what), default=format_moment)
        [[deletion_id]] = await self._execute(owner, _RECORD, owner, record, format_moment(now))
        try:
            # Not cancelled half-way: the next start would repeat a deletion that is not marked as done.
            forgotten = await run_uncancelled(lambda: self._erase(deletion_id, owner, what, store, now))
        except StorageError:
            with suppress(StorageError, ServedElsewhere):
                await self._delete_record(deletion_id, owner)
            raise
        try:
            is_clean = cleans_files and await self.clean_files()
        except StorageError:
            is_clean = False
        # Damaged or replaced files are kept, as each may be the only copy of a memory.
        aside = [*self._folder.glob("*.unreadable-*"), *self._folder.glob(f"{ASIDE}*")]
        return replace(forgotten, kept_aside=tuple(sorted(path.name for path in aside)), is_clean=is_clean)

    async def resume(
        self, store_of: Callable[[int], Awaitable[MemoryStore]], owners: Collection[int] | None = None
    ) -> list[int]:
        """Finish the deletions that an earlier process began, for these owners or for all. Return their owners."""
        unfinished = [task for task in await self._list_unfinished() if owners is None or task.owner in owners]
        for task in unfinished:
            if not task.is_erased:
                store = await store_of(task.owner)
                await store.wait_until_indexed(task.owner)
                await self._erase(task.id, task.owner, task.what, store, task.begun_at)
        with suppress(StorageError):
            await self.clean_files()
        return [task.owner for task in unfinished]

    async def clean_files(self) -> bool:
        """Remove deleted text from the files. Return True if all are clean. Call it from time to time."""
        async with self._cleaning:
            mine = [task for task in await self._list_unfinished() if self._leases.holds(task.owner)]
            erased = [task for task in mine if task.is_erased or task.id in self._erased]
            for task in erased:
                if not task.is_erased:
                    # Mark it first: a repeated deletion would also delete newer messages.
                    with suppress(ServedElsewhere):
                        await self._mark_tables_erased(task.id, task.owner)
            if erased and not await self._clean_all_files():
                return False
            for task in erased:
                with suppress(ServedElsewhere):
                    await self._delete_record(task.id, task.owner)
            return True

    async def _erase(
        self, deletion_id: int, owner: int, what: Forgetting, store: MemoryStore, begun_at: datetime
    ) -> Forgotten:
        # The inbox first: without the messages, their updates can no longer be found.
        waiting = await self._inbox.list_waiting_positions()
        gone = await store.forgetting.sources(owner, what, list(waiting))
        await self._inbox.erase_payloads([waiting[source] for source in gone])
        if what.what == "everything":
            await self._wizards.forget(owner)
            await self._usage.forget(owner, begun_at.astimezone(UTC).date())
        forgotten = await store.forgetting.forget(owner, what, now=begun_at)
        self._count += 1
        self._erased.add(deletion_id)
        with suppress(StorageError):
            await self._mark_tables_erased(deletion_id, owner)
        return forgotten

    async def _list_unfinished(self) -> list[Unfinished]:
        return [
            Unfinished(
                id=row["id"],
                owner=row["user_id"],
                what=_parse_forgetting(row["what"]),
                begun_at=parse_moment(row["begun_at"]),
                is_erased=bool(row["is_erased"]),
            )
            for row in await self._fetch_rows(None, "SELECT * FROM forgettings ORDER BY id")
        ]

    # Written in the owner's name: only the process that serves the owner may change the record.
    async def _mark_tables_erased(self, deletion_id: int, owner: int) -> None:
        await self._execute(owner, "UPDATE forgettings SET is_erased = 1 WHERE id = ?", deletion_id)

    async def _delete_record(self, deletion_id: int, owner: int) -> None:
        await self._execute(owner, "DELETE FROM forgettings WHERE id = ?", deletion_id)
        self._erased.discard(deletion_id)

    async def _clean_all_files(self) -> bool:
        """Clean the files of every store, since an owner may have been moved. Return True if all are clean."""
        count = self._count
        if self._rewritten < count:
            with explain_errors(self._folder):
                for copy in self._folder.glob("*.before-format-*"):
                    copy.unlink()
                sync_folder(self._folder)
            for store in self._stores.values():
                await store.purge_erased_text()
            self._rewritten = count
        for store in self._stores.values():
            for _ in range(3):  # after that, leave it to the next call
                if await store.truncate_logs():
                    break
            else:
                return False
        return True


def _parse_forgetting(text: str) -> Forgetting:
    fields = json.loads(text)
    moments = {name: parse_optional_moment(fields[name]) for name in ("since", "until")}
    return Forgetting(**{**fields, **moments, "ids": tuple(fields["ids"])})

"""Delete an owner's data from the stores, the inbox and all files. Interrupted deletions resume at startup."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from attrs import define, field

from records.errors import ServedElsewhere, StorageError
from records.forgetting import ForgetRequest, ForgetResult
from records.owners import StorageType
from runtime.tasks import run_to_completion
from storage.bot_state.inbox import Inbox
from storage.bot_state.leases import OwnerLeases
from storage.bot_state.usage import UsageLedger
from storage.bot_state.wizard_state import WizardStates
from storage.engine.data_dir import ASIDE
from storage.engine.protocol import OwnerDatabase, Row, StatementRunner
from storage.engine.sqlite_driver import fsync_folder, translate_storage_errors
from storage.schema.portable_tables import skip_damaged_item, translate_value_errors
from storage.schema.rows import format_moment, parse_moment, parse_optional_moment
from storage.stores.memory_store import MemoryStore

log = logging.getLogger(__name__)


@define(eq=False)
class OwnerDeletion(StatementRunner):
    """Deletes owners' memories from all stores and files of one data directory."""

    database: OwnerDatabase
    _folder: Path
    _stores: Mapping[StorageType, MemoryStore]
    _find_storage: Callable[[int], Awaitable[StorageType | None]]
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
        self, owner: int, request: ForgetRequest, store: MemoryStore, *, now: datetime, purges_files: bool = True
    ) -> ForgetResult:
        """Delete the requested rows and their text from all files, and return what was deleted.

        The caller holds the owner's lock exclusively. With `purges_files=False`, leave the files to a later
        `try_to_overwrite_erased_data`. Raise StorageError if the rows cannot be deleted.
        """
        recording = "INSERT INTO forgettings (user_id, what, begun_at) VALUES (?, ?, ?) RETURNING id"
        record = json.dumps(asdict(request), default=format_moment)
        [[deletion_id]] = await self._execute(owner, recording, owner, record, format_moment(now))
        try:
            # Not cancelled half-way: the next start would repeat a deletion that is not marked as done.
            forgotten = await run_to_completion(lambda: self._execute_deletion(deletion_id, owner, request, store, now))
        except StorageError:
            with suppress(StorageError, ServedElsewhere):
                await self._delete_deletion_record(deletion_id, owner)
            raise
        try:
            is_clean = purges_files and await self.try_to_overwrite_erased_data()
        except StorageError:
            is_clean = False
        # Damaged or replaced files are kept, as each may be the only copy of a memory.
        aside = [*self._folder.glob("*.unreadable-*"), *self._folder.glob(f"{ASIDE}*")]
        return replace(forgotten, kept_aside=tuple(sorted(path.name for path in aside)), is_clean=is_clean)

    async def finish_deletions(self, owners: Collection[int] | None = None) -> None:
        for row in await self._list_deletions():
            owner = row["user_id"]
            if owners is None or owner in owners:
                with skip_damaged_item(owner):
                    if not row["is_erased"]:
                        store = self._stores[await self._find_storage(owner) or StorageType.SQLITE]
                        request, begun_at = _parse_request_and_begin_time(row)
                        await self._execute_deletion(row["id"], owner, request, store, begun_at)
                    log.warning("a forgetting of %d that an earlier process had begun is finished", owner)
        with suppress(StorageError):
            await self.try_to_overwrite_erased_data()

    async def try_to_overwrite_erased_data(self) -> bool:
        """Overwrite deleted text in all files. Return False if a file is in use, so that the caller must try again."""
        async with self._cleaning:
            mine = [row for row in await self._list_deletions() if self._leases.is_serving(row["user_id"])]
            erased = [row for row in mine if row["is_erased"] or row["id"] in self._erased]
            for row in erased:
                if not row["is_erased"]:
                    # Mark it first: a repeated deletion would also delete newer messages.
                    with suppress(ServedElsewhere):
                        await self._mark_tables_erased(row["id"], row["user_id"])
            if erased and not await self._try_to_purge_all_files():
                return False
            for row in erased:
                with suppress(ServedElsewhere):
                    await self._delete_deletion_record(row["id"], row["user_id"])
            return True

    async def _execute_deletion(
        self, deletion_id: int, owner: int, request: ForgetRequest, store: MemoryStore, begun_at: datetime
    ) -> ForgetResult:
        # The inbox first: without the messages, their updates can no longer be found.
        waiting = await self._inbox.find_positions_by_source()
        gone = await store.forgetting.select_sources_to_delete(owner, request, list(waiting))
        await self._inbox.erase_payloads([waiting[source] for source in gone])
        if request.what == "everything":
            await self._wizards.delete_states(owner)
            await self._usage.delete_usage_details(owner, begun_at.astimezone(UTC).date())
        forgotten = await store.forgetting.forget(owner, request, now=begun_at)
        self._count += 1
        self._erased.add(deletion_id)
        with suppress(StorageError):
            await self._mark_tables_erased(deletion_id, owner)
        return forgotten

    async def _list_deletions(self) -> list[Row]:
        return await self._fetch_rows(None, "SELECT * FROM forgettings ORDER BY id")

    # Written in the owner's name: only the process that serves the owner may change the record.
    async def _mark_tables_erased(self, deletion_id: int, owner: int) -> None:
        await self._execute(owner, "UPDATE forgettings SET is_erased = 1 WHERE id = ?", deletion_id)

    async def _delete_deletion_record(self, deletion_id: int, owner: int) -> None:
        await self._execute(owner, "DELETE FROM forgettings WHERE id = ?", deletion_id)
        self._erased.discard(deletion_id)

    async def _try_to_purge_all_files(self) -> bool:
        count = self._count
        if self._rewritten < count:
            with translate_storage_errors(self._folder):
                for copy in self._folder.glob("*.before-format-*"):
                    copy.unlink()
                fsync_folder(self._folder)
            for store in self._stores.values():  # all of them, since an owner may have been moved
                await store.purge_erased_text()
            self._rewritten = count
        for store in self._stores.values():
            for _ in range(3):  # after that, leave it to the next call
                if await store.database.try_to_truncate_write_ahead_log():
                    break
            else:
                return False
        return True


def _parse_request_and_begin_time(row: Row) -> tuple[ForgetRequest, datetime]:
    with translate_value_errors("forgettings"):
        fields = {"ids": (), **json.loads(row["what"])}
        moments = {name: parse_optional_moment(fields.get(name)) for name in ("since", "until")}
        return ForgetRequest(**{**fields, **moments, "ids": tuple(fields["ids"])}), parse_moment(row["begun_at"])

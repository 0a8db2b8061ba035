"""Change the id of a group's memory when the group becomes a supergroup and gets another id from Telegram."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import ClassVar

from attrs import define, field

from records.errors import StorageError
from records.owners import StorageType
from storage.bot_state.wizard_state import WizardStates
from storage.engine.protocol import OwnerDatabase, Row, StatementRunner, Transaction
from storage.schema.portable_tables import translate_value_errors
from storage.schema.rows import format_moment
from storage.stores.memory_store import MemoryStore
from storage.tables.owner_tables import change_owner_id

log = logging.getLogger(__name__)

_RECORD = """
INSERT INTO renamings (old_id, new_id, at, is_done) VALUES (?, ?, ?, ?)
ON CONFLICT (old_id) DO UPDATE SET new_id = excluded.new_id, at = excluded.at, is_done = excluded.is_done
"""


@define(eq=False)
class OwnerRenaming(StatementRunner):
    """Changes the ids of owners. `successors` maps all former ids to the current ones."""

    home: ClassVar[StorageType | None] = StorageType.SQLITE
    """The store in the same database. Its rows get the new id in the transaction that records the renaming."""
    database: OwnerDatabase
    _stores: Mapping[StorageType, MemoryStore]
    _wizards: WizardStates
    successors: dict[int, int] = field(factory=dict, init=False)

    async def finish_renamings(self) -> None:
        """Finish the renamings that an earlier process began. Call this at startup."""
        rows = await self._fetch_rows(None, "SELECT old_id, new_id, at, is_done FROM renamings ORDER BY at")
        await self._finish_rows(rows)

    async def _finish_rows(self, rows: Sequence[Row]) -> None:
        for row in (row for row in rows if not row["is_done"]):
            for kind, store in self._stores.items():
                if kind is not self.home:
                    await store.rename_owner(row["old_id"], row["new_id"])
            await self._finish_renaming(row["old_id"], row["new_id"], row["at"])
            log.warning("%d, a group that became a supergroup, has its new id now", row["old_id"])
        self.successors |= {row["old_id"]: row["new_id"] for row in rows}

    async def change_owner_id_if_possible(self, old_id: int, new_id: int, *, now: datetime) -> bool:
        """Move all rows of `old_id` to `new_id`. Return False if `old_id` has none or `new_id` has messages."""
        async with self.database.open_reader(None) as reader:
            rows = await reader.fetch_rows(
                "SELECT user_id, storage_type FROM users WHERE user_id IN (?, ?)", old_id, new_id
            )
            is_in_setup = await reader.fetch_row("SELECT 1 FROM wizards WHERE user_id = ?", old_id)
        with translate_value_errors("users"):
            homes = {row[0]: StorageType(row[1]) for row in rows}
        if old_id not in homes and not is_in_setup:
            return False
        if new_id in homes:
            if await self._stores[homes[new_id]].list_scopes(new_id):
                return False
            await self._stores[homes[new_id]].erase_owner(new_id)
        if (home := homes.get(old_id)) is not None and home is not self.home:
            await self._rename_in_other_store(self._stores[home], old_id, new_id, now)
        await self._finish_renaming(old_id, new_id, format_moment(now))
        self.successors[old_id] = new_id
        return True

    async def _rename_in_other_store(self, store: MemoryStore, old_id: int, new_id: int, now: datetime) -> None:
        await self._execute(None, _RECORD, old_id, new_id, format_moment(now), 0)
        try:
            await store.rename_owner(old_id, new_id)
        except StorageError:
            with suppress(StorageError):
                await self._execute(None, "DELETE FROM renamings WHERE old_id = ? AND is_done = 0", old_id)
            raise

    async def _change_owner_id_in_rows(self, tx: Transaction, old_id: int, new_id: int) -> None:
        await change_owner_id(tx, old_id, new_id)

    async def _finish_renaming(self, old_id: int, new_id: int, renamed_at: str) -> None:
        try:
            async with self.database.open_transaction(None) as tx:
                await self._change_owner_id_in_rows(tx, old_id, new_id)
                await tx.execute(_RECORD, old_id, new_id, renamed_at, 1)
        finally:
            for owner in (old_id, new_id):
                self._wizards.clear_cache(owner)


class SharedRenaming(OwnerRenaming):
    """Renamings of owners that are recorded in PostgreSQL, where all processes see them."""

    home = None

    async def finish_owner_renamings(self, owners: Sequence[int]) -> None:
        """Finish the interrupted renamings of these owners, and load their former ids."""
        marks = ", ".join("?" * len(owners))
        sql = f"SELECT old_id, new_id, at, is_done FROM renamings WHERE old_id IN ({marks}) OR new_id IN ({marks})"  # noqa: S608
        await self._finish_rows(await self._fetch_rows(None, sql, *owners, *owners))

    async def _change_owner_id_in_rows(self, tx: Transaction, old_id: int, new_id: int) -> None:
        await tx.execute("DELETE FROM wizards WHERE user_id = ?", new_id)
        for table in ("wizards", "forgettings"):
            await tx.execute(f"UPDATE {table} SET user_id = ? WHERE user_id = ?", new_id, old_id)  # noqa: S608
        # Only for an owner in this process's files: the PostgreSQL store has already renamed the others.
        if await tx.fetch_row("SELECT 1 FROM users WHERE user_id = ?", old_id) is not None:
            await tx.execute("DELETE FROM users WHERE user_id = ?", new_id)
            await tx.execute("UPDATE users SET user_id = ? WHERE user_id = ?", new_id, old_id)

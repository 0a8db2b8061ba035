"""The directory and the renamings in PostgreSQL, for several processes that serve one bot."""

from collections.abc import Sequence
from datetime import datetime

from records.owners import OwnerConfig, StorageType
from storage.bot_state.directory import Directory, Location, Stores
from storage.bot_state.renaming import OwnerRenaming
from storage.engine.postgres import PostgresDatabase
from storage.engine.protocol import Transaction
from storage.engine.sqlite import Database

_SET_INSTANCE = "UPDATE users SET instance_id = ? WHERE user_id = ? AND storage_type <> 'postgres'"
# A copied or moved DATA_DIR gets a new instance id. Its owners are then here, unless a live process claims the old id.
_ADOPT_MOVED = """
UPDATE users SET instance_id = ?1 WHERE user_id = ?2 AND storage_type = ?3 AND instance_id <> ?1
AND instance_id NOT IN (SELECT instance_id FROM replicas WHERE expires_at > clock_timestamp()) RETURNING user_id
"""


class SharedDirectory(Directory):
    """Locations in PostgreSQL. Moves are recorded in memory.db, because they only touch this process's files.

    memory.db keeps a row for each owner moved to PostgreSQL. Because of these rows, a start without DATABASE_URL is
    refused, and a backup of the files counts the owners that it lacks.
    """

    def __init__(self, database: PostgresDatabase, files: Database, instance_id: str) -> None:
        super().__init__(database, files)
        self._files = Directory(files)
        self._local = files
        self._instance_id = instance_id

    async def register(self, config: OwnerConfig) -> Location:
        location = await super().register(config)
        if location.storage is StorageType.POSTGRES:
            if config.storage is StorageType.POSTGRES:
                await self._files.register(config)
        else:
            await self._execute(config.owner, _SET_INSTANCE, self._instance_id, config.owner)
        return location

    async def move(self, owner: int, stores: Stores, target: StorageType, *, now: datetime) -> Location:
        await self._forget_copy(owner)
        return await super().move(owner, stores, target, now=now)

    async def remove(self, owner: int) -> None:
        await self._forget_copy(owner)
        await self._execute(owner, "DELETE FROM users WHERE user_id = ?", owner)

    async def adopt_instance(self, stores: Stores) -> list[int]:
        """Record that this process holds the owners in its files if the folder has a new id. Return those owners."""
        found: list[int] = []
        for kind in (StorageType.SQLITE, StorageType.JSON):
            for config in await stores[kind].list_owners():
                rows = await self._execute(None, _ADOPT_MOVED, self._instance_id, config.owner, kind)
                found += [row[0] for row in rows]
        return found

    async def move_records_to_server(self) -> None:
        """Move the renamings and deletions recorded in memory.db to PostgreSQL, shared by all processes."""
        async with self._local.read() as reader:
            renamed = await reader.rows("SELECT old_id, new_id, at, is_done FROM renamings")
            forgotten = await reader.rows("SELECT user_id, what, begun_at, is_erased FROM forgettings")
        async with self.database.write(None) as tx:
            await tx.many("INSERT INTO renamings VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", map(tuple, renamed))
            insert = "INSERT INTO forgettings (user_id, what, begun_at, is_erased) VALUES (?, ?, ?, ?)"
            await tx.many(insert, map(tuple, forgotten))
        async with self._local.write() as tx:
            await tx.rows("DELETE FROM renamings")
            await tx.rows("DELETE FROM forgettings")

    async def _record_new_storage(self, owner: int, target: StorageType, now: datetime) -> None:
        sql = "UPDATE users SET storage_type = ?, epoch = epoch + 1, instance_id = ? WHERE user_id = ?"
        instance_id = "" if target is StorageType.POSTGRES else self._instance_id
        await self._execute(owner, sql, target, instance_id, owner)

    async def _forget_copy(self, owner: int) -> None:
        async with self._local.write() as tx:
            await tx.rows("DELETE FROM users WHERE user_id = ? AND storage_type <> 'sqlite'", owner)


class SharedRenaming(OwnerRenaming):
    """Renamings recorded in PostgreSQL."""

    home = None

    async def resume_for(self, owners: Sequence[int]) -> None:
        """Finish the interrupted renamings of these owners, and load their former ids."""
        marks = ", ".join("?" * len(owners))
        sql = f"SELECT old_id, new_id, at, is_done FROM renamings WHERE old_id IN ({marks}) OR new_id IN ({marks})"  # noqa: S608
        await self._resume_renaming(await self._fetch_rows(None, sql, *owners, *owners))

    async def _rename_rows(self, tx: Transaction, old: int, new: int) -> None:
        await tx.rows("DELETE FROM wizards WHERE user_id = ?", new)
        for table in ("wizards", "forgettings"):
            await tx.rows(f"UPDATE {table} SET user_id = ? WHERE user_id = ?", new, old)  # noqa: S608
        # Only for an owner in this process's files: the PostgreSQL store has already renamed the others.
        if await tx.row("SELECT 1 FROM users WHERE user_id = ?", old) is not None:
            await tx.rows("DELETE FROM users WHERE user_id = ?", new)
            await tx.rows("UPDATE users SET user_id = ? WHERE user_id = ?", new, old)

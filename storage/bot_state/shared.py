"""The facts about owners that memory.db holds, kept in PostgreSQL for several processes that serve one bot.

Owns which DATA_DIR holds a memory that is kept in files, and what is settled when a process begins to serve an owner.
Does not know how owners are divided among processes (postgres_leases.py).
"""

from collections.abc import Sequence
from datetime import datetime

from records.owners import OwnerConfig, StorageType
from storage.bot_state.directory import Directory, Location, Stores
from storage.bot_state.renaming import OwnerRenaming
from storage.engine.postgres import PostgresDatabase
from storage.engine.protocol import Transaction
from storage.engine.sqlite import Database

_HERE = "UPDATE users SET instance_id = ? WHERE user_id = ? AND storage_type <> 'postgres'"
# A folder that was copied or moved has a new name: what its files hold is here, unless a living process has it.
_MOVED_HERE = """
UPDATE users SET instance_id = ?1 WHERE user_id = ?2 AND storage_type = ?3 AND instance_id <> ?1
AND instance_id NOT IN (SELECT instance_id FROM replicas WHERE expires_at > clock_timestamp()) RETURNING user_id
"""


class SharedDirectory(Directory):
    """Locations in PostgreSQL. Moves are recorded in memory.db, for they leave traces in this process's files alone.

    memory.db keeps a row for each owner whom this process moved to PostgreSQL, so that a start without DATABASE_URL is
    refused, and a backup of the files says what is not in it.
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
            async with self.database.write(config.owner) as tx:
                await tx.rows(_HERE, self._instance_id, config.owner)
        return location

    async def move(self, owner: int, stores: Stores, target: StorageType, *, now: datetime) -> Location:
        await self._forget_copy(owner)
        return await super().move(owner, stores, target, now=now)

    async def remove(self, owner: int) -> None:
        await self._forget_copy(owner)
        async with self.database.write(owner) as tx:
            await tx.rows("DELETE FROM users WHERE user_id = ?", owner)

    async def adopt_instance(self, stores: Stores) -> list[int]:
        """Note of owners in this process's files that they are here, where their folder had another name."""
        found: list[int] = []
        for kind in (StorageType.SQLITE, StorageType.JSON):
            for config in await stores[kind].owners():
                async with self.database.write(None) as tx:
                    rows = await tx.rows(_MOVED_HERE, self._instance_id, config.owner, kind)
                found += [row[0] for row in rows]
        return found

    async def take_over_notes(self) -> None:
        """Share with all processes what memory.db noted of owners while its process was alone."""
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

    async def _flip(self, owner: int, target: StorageType, now: datetime) -> None:
        async with self.database.write(owner) as tx:
            await tx.rows(
                "UPDATE users SET storage_type = ?, epoch = epoch + 1, instance_id = ? WHERE user_id = ?",
                target,
                "" if target is StorageType.POSTGRES else self._instance_id,
                owner,
            )

    async def _forget_copy(self, owner: int) -> None:
        async with self._local.write() as tx:
            await tx.rows("DELETE FROM users WHERE user_id = ? AND storage_type <> 'sqlite'", owner)


class SharedRenaming(OwnerRenaming):
    """Renamings recorded in PostgreSQL."""

    home = None

    async def resume_for(self, owners: Sequence[int]) -> None:
        """Finish what was begun for these owners, and learn which ids they had before."""
        marks = ", ".join("?" * len(owners))
        async with self.database.read(None) as reader:
            rows = await reader.rows(
                f"SELECT old_id, new_id, at, is_done FROM renamings WHERE old_id IN ({marks}) OR new_id IN ({marks})",  # noqa: S608
                *owners,
                *owners,
            )
        await self._resume(rows)

    async def _renamed(self, tx: Transaction, old: int, new: int) -> None:
        await tx.rows("DELETE FROM wizards WHERE user_id = ?", new)
        for table in ("wizards", "forgettings"):
            await tx.rows(f"UPDATE {table} SET user_id = ? WHERE user_id = ?", new, old)  # noqa: S608
        # The row of an owner who lives in this process's files; the store of the others has renamed it.
        if await tx.row("SELECT 1 FROM users WHERE user_id = ?", old) is not None:
            await tx.rows("DELETE FROM users WHERE user_id = ?", new)
            await tx.rows("UPDATE users SET user_id = ? WHERE user_id = ?", new, old)

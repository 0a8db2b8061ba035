"""Records of each owner's store and of moves between stores. The next start finishes or undoes interrupted moves."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from records.errors import SettingsError, StorageError
from records.owners import OwnerConfig, StorageType
from storage.bot_state.leases import OwnerLeases
from storage.engine.protocol import OwnerDatabase, StatementRunner, Transaction, Value
from storage.schema.portable_tables import skip_damaged_item, translate_value_errors
from storage.schema.rows import format_moment
from storage.stores.memory_store import MemoryStore

log = logging.getLogger(__name__)

Stores = dict[StorageType, MemoryStore]

SHARED_STATE: Mapping[str, str] = {
    "usage": "day, user_id, model, prompt_tokens, completion_tokens, cached_tokens, answers, written_tokens",
    "people": "person_id, standing, name, language, changed_at, changed_by",
    "export_keys": "id, key",
}  # tables that begin on a new server as copies of those in memory.db, with their columns


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageMove:
    """An unfinished move between stores. While "copying", the source is in use. While "erasing", the target is."""

    owner: int
    source: StorageType
    target: StorageType
    state: Literal["copying", "erasing"]


class Directory(StatementRunner):
    """Records the store of each owner, and unfinished moves. Each change is durable when its method returns."""

    def __init__(self, database: OwnerDatabase, moves_database: OwnerDatabase | None = None) -> None:
        super().__init__(database)
        self._moves = moves_database or database

    async def find_storage_type(self, owner: int) -> StorageType | None:
        """Return the type of the store that holds an owner's memory, or None for an unknown owner."""
        row = await self._fetch_row(owner, "SELECT storage_type FROM users WHERE user_id = ?", owner)
        with translate_value_errors("users"):
            return StorageType(row[0]) if row else None

    async def list_owners(self) -> list[int]:
        return [row[0] for row in await self._fetch_rows(None, "SELECT user_id FROM users ORDER BY user_id")]

    async def require_no_memory_in_postgres(self) -> None:
        """Raise SettingsError if any memory is in PostgreSQL, or is being moved to or from PostgreSQL."""
        [[owners]] = await self._fetch_rows(None, _COUNT_IN_POSTGRES)
        if owners:
            kept = f"{owners} {'memory is' if owners == 1 else 'memories are'} kept in PostgreSQL"
            raise SettingsError("DATABASE_URL", f"is not set, but {kept}. Set it.")

    async def get_storage_or_register_owner(self, config: OwnerConfig) -> StorageType:
        """Register an owner or update the settings, unless another store is in use. Return the store in use."""
        moments = format_moment(config.created_at), format_moment(config.updated_at)
        values = (config.owner, config.storage, config.every_n, int(config.enabled), *moments)
        await self._execute(config.owner, _REGISTER, *values)
        return await self.find_storage_type(config.owner) or config.storage

    async def register_missing_owners(self, stores: Stores, leases: OwnerLeases) -> None:
        """Record the owners that are in a store but not in the directory."""
        known = set(await self.list_owners())
        for store in stores.values():
            for owner in await store.list_owners():
                with skip_damaged_item(owner):
                    if owner not in known and (config := await store.find_owner_config(owner)) is not None:
                        await leases.start_serving(owner)
                        await self.get_storage_or_register_owner(config)
                        log.info("owner %d was found in a store and adopted", owner)

    # moves -------------------------------------------------------------------------------------------------
    async def move_owner(self, owner: int, stores: Stores, target: StorageType, *, now: datetime) -> None:
        """Move an owner to another store. The caller holds the owner's lock exclusively."""
        source = await self.find_storage_type(owner)
        if source is None:
            raise StorageError("There is no memory to move yet.")
        if source is target:
            return
        await self._finish_or_undo_move(owner, stores)
        async with self._moves.open_transaction(owner) as tx:
            recording = "INSERT INTO moves (user_id, source, target, state, started_at) VALUES (?, ?, ?, 'copying', ?)"
            await tx.execute(recording, owner, source, target, format_moment(now))
        try:
            await stores[target].load_owner(owner, stores[source].dump_owner(owner))
            await _verify_copy(owner, stores[source], stores[target])
            await self._record_new_storage(owner, target, now)
        except BaseException:
            # If the row was changed before the cancellation arrived, this completes the move.
            await self._finish_or_undo_move(owner, stores)
            raise
        await self._finish_or_undo_move(owner, stores)

    async def finish_interrupted_moves(self, stores: Stores) -> None:
        """Finish or undo all interrupted moves. Call this at startup."""
        for move in await self.list_moves():
            with skip_damaged_item(move.owner):
                await self._finish_or_undo_move(move.owner, stores)
                route = move.owner, move.source, move.target, move.state
                log.warning("the move of %d from %s to %s, which was %s, is settled", *route)

    async def list_moves(self) -> list[StorageMove]:
        async with self._moves.open_reader(None) as reader:
            rows = await reader.fetch_rows("SELECT user_id, source, target, state FROM moves ORDER BY user_id")
        with translate_value_errors("moves"):
            return [
                StorageMove(owner=owner, source=StorageType(source), target=StorageType(target), state=state)
                for owner, source, target, state in rows
            ]

    async def _record_new_storage(self, owner: int, target: StorageType, now: datetime) -> None:
        async with self.database.open_transaction(owner) as tx:
            if self._moves is self.database:
                await tx.execute("UPDATE moves SET state = 'erasing' WHERE user_id = ?", owner)
            moving = "UPDATE users SET storage_type = ?, epoch = epoch + 1, updated_at = ? WHERE user_id = ?"
            await tx.execute(moving, target, format_moment(now), owner)

    async def _finish_or_undo_move(self, owner: int, stores: Stores) -> None:
        storage = await self.find_storage_type(owner)  # decides between finishing and undoing
        for move in await self.list_moves():
            if move.owner == owner:
                await stores[move.source if storage is move.target else move.target].erase_owner(owner)
                async with self._moves.open_transaction(owner) as tx:
                    await tx.execute("DELETE FROM moves WHERE user_id = ?", owner)


class SharedDirectory(Directory):
    """A directory in PostgreSQL. Moves are recorded in memory.db, because they only touch this process's files."""

    def __init__(self, database: OwnerDatabase, local_db: OwnerDatabase, instance_id: str) -> None:
        super().__init__(database, local_db)
        self._files = Directory(local_db)
        self._instance_id = instance_id

    async def get_storage_or_register_owner(self, config: OwnerConfig) -> StorageType:
        storage = await super().get_storage_or_register_owner(config)
        if storage is StorageType.POSTGRES:
            if config.storage is StorageType.POSTGRES:
                # Because of this row, a start without DATABASE_URL is refused, and a backup counts what it lacks.
                await self._files.get_storage_or_register_owner(config)
        else:
            await self._execute(config.owner, _SET_INSTANCE, self._instance_id, config.owner)
        return storage

    async def move_owner(self, owner: int, stores: Stores, target: StorageType, *, now: datetime) -> None:
        async with self._moves.open_transaction(None) as tx:
            await tx.execute("DELETE FROM users WHERE user_id = ? AND storage_type <> 'sqlite'", owner)
        await super().move_owner(owner, stores, target, now=now)

    async def claim_owners_of_copied_folder(self, stores: Stores) -> None:
        """Reassign the owners of a copied folder to the folder's new id, unless a live process uses the old id."""
        for kind in (StorageType.SQLITE, StorageType.JSON):
            for owner in await stores[kind].list_owners():
                await self._execute(None, _ADOPT_MOVED, self._instance_id, owner, kind)

    async def move_state_to_postgres(self) -> None:
        """Move renamings and deletions from memory.db to PostgreSQL. Copy SHARED_STATE into tables that are empty."""
        for table, names in SHARED_STATE.items():
            async with self._moves.open_reader(None) as reader, self.database.open_transaction(None) as tx:
                if await tx.fetch_row(f"SELECT 1 FROM {table} LIMIT 1") is None:  # noqa: S608
                    await insert_rows(tx, table, names, await reader.fetch_rows(f"SELECT {names} FROM {table}"))  # noqa: S608
        async with self._moves.open_reader(None) as reader:
            renamed = await reader.fetch_rows("SELECT old_id, new_id, at, is_done FROM renamings")
            forgotten = await reader.fetch_rows("SELECT user_id, what, begun_at, is_erased FROM forgettings")
        async with self.database.open_transaction(None) as tx:
            insert = "INSERT INTO renamings VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
            await tx.execute_many(insert, map(tuple, renamed))
            insert = "INSERT INTO forgettings (user_id, what, begun_at, is_erased) VALUES (?, ?, ?, ?)"
            await tx.execute_many(insert, map(tuple, forgotten))
        async with self._moves.open_transaction(None) as tx:
            await tx.execute("DELETE FROM renamings")
            await tx.execute("DELETE FROM forgettings")

    async def _record_new_storage(self, owner: int, target: StorageType, now: datetime) -> None:
        sql = "UPDATE users SET storage_type = ?, epoch = epoch + 1, instance_id = ? WHERE user_id = ?"
        instance_id = "" if target is StorageType.POSTGRES else self._instance_id
        await self._execute(owner, sql, target, instance_id, owner)


async def insert_rows(tx: Transaction, table: str, column_names: str, rows: Iterable[Iterable[Value]]) -> None:
    """Insert rows, with their values in the order of `column_names`. Skip rows that the table already has."""
    marks = ", ".join("?" * len(column_names.split(", ")))
    sql = f"INSERT INTO {table} ({column_names}) VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608
    await tx.execute_many(sql, map(tuple, rows))


_REGISTER = """
INSERT INTO users (user_id, storage_type, summary_every_n, memory_enabled, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id) DO UPDATE SET summary_every_n = excluded.summary_every_n,
  memory_enabled = excluded.memory_enabled, updated_at = excluded.updated_at
WHERE users.storage_type = excluded.storage_type
"""
_COUNT_IN_POSTGRES = """
SELECT COUNT(*) FROM (
  SELECT user_id FROM users WHERE storage_type = 'postgres'
  UNION SELECT user_id FROM moves WHERE 'postgres' IN (source, target)
)
"""
_SET_INSTANCE = "UPDATE users SET instance_id = ? WHERE user_id = ? AND storage_type <> 'postgres'"
# A copied or moved DATA_DIR gets a new instance id. Its owners are then here, unless a live process claims the old id.
_ADOPT_MOVED = """
UPDATE users SET instance_id = ?1 WHERE user_id = ?2 AND storage_type = ?3 AND instance_id <> ?1
AND instance_id NOT IN (SELECT instance_id FROM replicas WHERE expires_at > clock_timestamp())
"""


async def _verify_copy(owner: int, source: MemoryStore, target: MemoryStore) -> None:
    if await target.compute_digest(owner) != await source.compute_digest(owner):
        raise StorageError("The copy is not identical; the memory stays where it was.")

"""The store in a PostgreSQL database."""

from contextlib import AbstractAsyncContextManager

from records.owners import StorageType
from storage.engine.postgres import PostgresDatabase, connect_without_pool
from storage.engine.replica import Replica
from storage.schema.portable_tables import ERASED
from storage.schema.postgres_migrations import MIGRATIONS, migrate_schema, read_schema_version
from storage.search.postgres_full_text import TsVectorIndex
from storage.stores.memory_store import MemoryStore
from storage.tables.owner_tables import change_owner_id


def open_postgres_database(
    url: str, *, replica: Replica | None = None
) -> AbstractAsyncContextManager[PostgresDatabase]:
    """Open a PostgreSQL database with this program's migrations and word index."""
    return PostgresDatabase.open(url, migrate=migrate_schema, text_index=TsVectorIndex(), replica=replica)


def read_server_version_and_newest(url: str) -> tuple[int, int]:
    """Return the schema version of a PostgreSQL database, and the newest one."""
    with connect_without_pool(url) as raw:
        return read_schema_version(raw), len(MIGRATIONS)


class PostgresStore(MemoryStore):
    """A MemoryStore in a PostgreSQL database, which the caller opens and closes."""

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database, StorageType.POSTGRES)
        self._server = database

    def set_shutdown_deadline(self, deadline: float) -> None:
        self._server.set_shutdown_deadline(deadline)

    async def rename_owner(self, owner: int, new_id: int) -> None:
        async with self.database.open_transaction(None) as tx:
            await tx.execute("SELECT set_config('app.renaming', 'on', true)")
            for locked in sorted((owner, new_id)):
                await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", f"keepsake {locked}")
            sql = "SELECT 1 FROM users WHERE user_id = ? AND storage_type = ?"
            if await tx.fetch_row(sql, owner, self.kind) is None:
                return
            await tx.execute("DELETE FROM users WHERE user_id = ?", new_id)
            await change_owner_id(tx, owner, new_id, (*ERASED, "places", "scope_words", "vectors", "unindexed"))
        self.vectors.evict_owner(owner)

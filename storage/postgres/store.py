"""The memories of owners in a PostgreSQL database.

The statements are those of SqlStore, in PostgreSQL's words (dialect.py). Owns what differs in more than words.
Does not know how a connection is made.
"""

from records.owners import StorageType
from storage.files.tables import ERASED, USERS
from storage.postgres.database import PostgresDatabase
from storage.postgres.pgvector import Pgvector
from storage.search import full_text
from storage.sqlite.sql_store import SqlStore

_WITH_OWNER = (*ERASED, "places", "scope_words", "vectors", "unindexed")


class PostgresStore(SqlStore):
    """A MemoryStore over an open PostgresDatabase (the caller opens and closes it)."""

    def __init__(self, database: PostgresDatabase, *, exhaustive: bool = False) -> None:
        super().__init__(database, StorageType.POSTGRES, exhaustive=exhaustive)
        self._server = database
        if isinstance(database.pgvector, Pgvector):
            self.vectors.described = database.pgvector.described
            self.vectors.server = None if exhaustive else database.pgvector
        else:
            self.vectors.described = database.pgvector

    def finish_by(self, moment: float) -> None:
        self._server.finish_by(moment)

    async def rename(self, owner: int, new: int) -> None:
        """Everything of an owner goes on under another id, in one transaction."""
        columns = ", ".join(column.name for column in USERS.columns if column.name != "user_id")
        async with self._db.write(None) as tx:
            await tx.rows("SELECT set_config('app.renaming', 'on', true)")
            for one in sorted((owner, new)):
                await tx.rows("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", f"keepsake {one}")
            if await tx.row("SELECT 1 FROM users WHERE user_id = ? AND storage_type = ?", owner, self.kind) is None:
                return
            await tx.rows("UPDATE jobs SET state = 'expired' WHERE user_id = ? AND state = 'processing'", owner)
            await tx.rows("DELETE FROM users WHERE user_id = ?", new)
            await tx.rows(
                f"INSERT INTO users (user_id, storage_type, {columns}) "  # noqa: S608
                f"SELECT ?, storage_type, {columns} FROM users WHERE user_id = ?",
                new,
                owner,
            )
            # Telegram numbers the new chat's messages from the start: an old number would name another message there.
            await tx.rows("UPDATE accounts SET account = json_remove(account, '$.shown') WHERE user_id = ?", owner)
            await tx.run(lambda connection: full_text.of(connection).rename(connection, owner, new))
            for table in _WITH_OWNER:
                forgotten = ", telegram_id = NULL" if table == "messages" else ""
                await tx.rows(f"UPDATE {table} SET user_id = ?{forgotten} WHERE user_id = ?", new, owner)  # noqa: S608
            await tx.rows("DELETE FROM users WHERE user_id = ?", owner)
        self.drop_copies(owner)

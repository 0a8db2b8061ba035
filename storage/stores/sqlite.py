"""The memories of owners in memory.db. Owns nothing but the kind of this store: its SQL is in sql_store.py."""

from records.owners import StorageType
from storage.engine.sqlite import Database
from storage.stores.sql_store import SqlStore


class SqliteStore(SqlStore):
    """A MemoryStore over an open Database (the caller opens and closes it)."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, StorageType.SQLITE)

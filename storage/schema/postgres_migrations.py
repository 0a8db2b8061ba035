"""The schema of the PostgreSQL storage: postgres.sql and postgres_steps.sql, each step run once by any process."""

from pathlib import Path

import psycopg

from records.errors import StorageError, StorageTooNew, StorageTooOld
from storage.schema.migrations import read_migration_steps

_FIRST_SCHEMA = Path(__file__).with_name("postgres.sql").read_text(encoding="utf-8")
MIGRATIONS = [_FIRST_SCHEMA, *read_migration_steps("postgres_steps.sql").values()]  # as SQL, in order

_TABLES = "SELECT to_regclass('keepsake_schema') IS NOT NULL, to_regclass('keepsake') IS NOT NULL"


def migrate_schema(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Create or migrate the tables. Raise StorageError if they belong to another program or a newer Keepsake."""
    while (version := read_schema_version(connection)) < len(MIGRATIONS):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('keepsake migrations', 0))")
            if read_schema_version(connection) != version:
                continue  # another process has just run this step
            try:
                if version == 0:
                    connection.execute("CREATE TABLE keepsake_schema AS SELECT 0::BIGINT AS version")
                connection.execute(MIGRATIONS[version].encode())
                connection.execute("UPDATE keepsake_schema SET version = %s", (version + 1,))
            except psycopg.errors.DuplicateTable as error:
                raise StorageError(
                    "The database that DATABASE_URL names holds tables of another program; "
                    "give Keepsake one of its own."
                ) from error
    if version > len(MIGRATIONS):
        raise StorageTooNew.for_format("The PostgreSQL database", version, len(MIGRATIONS))


def read_schema_version(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    """Return the number of migrations applied, or 0 for a database without our tables. Raise StorageTooOld."""
    is_ours, is_older = connection.execute(_TABLES).fetchone() or (False, False)
    if is_older:
        raise StorageTooOld.for_file("The PostgreSQL database")
    row = connection.execute("SELECT version FROM keepsake_schema").fetchone() if is_ours else None
    return int(str(row[0])) if row else 0

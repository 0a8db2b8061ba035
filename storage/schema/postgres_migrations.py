"""The schema of the PostgreSQL storage: postgres.sql and its later migrations, each run once by any process."""

from pathlib import Path

import psycopg

from records.errors import StorageError, StorageTooNew, StorageTooOld

USED_LINKS = 'CREATE TABLE used_links (nonce TEXT COLLATE "C" PRIMARY KEY, expires_at TEXT COLLATE "C" NOT NULL)'
TITLES = "ALTER TABLE messages ADD COLUMN title TEXT COLLATE \"C\" NOT NULL DEFAULT ''"
FORMATTING = "ALTER TABLE users ADD COLUMN formatting TEXT COLLATE \"C\" NOT NULL DEFAULT ''"
GROUNDS = """
ALTER TABLE facts ADD COLUMN quote TEXT COLLATE "C" NOT NULL DEFAULT '',
ADD COLUMN is_uncertain BIGINT NOT NULL DEFAULT 0, ADD COLUMN decided_at TEXT COLLATE "C";
UPDATE facts SET decided_at = created_at WHERE is_pinned = 1 OR deleted_at IS NOT NULL OR origin = 'owner'
"""
CORRECTED_SUMMARIES = "ALTER TABLE summaries ADD COLUMN correction TEXT COLLATE \"C\" NOT NULL DEFAULT ''"
DECISIONS = """
CREATE TABLE decisions (
  id         BIGINT NOT NULL,
  user_id    BIGINT NOT NULL,
  key        TEXT COLLATE "C" NOT NULL,
  terms      TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C" NOT NULL DEFAULT '',
  source_ids TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  decided_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, id)
);
ALTER TABLE decisions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_owner ON decisions USING (current_setting('app.owner', true) IN (user_id::TEXT, '*'))
"""
CACHE_WRITES = "ALTER TABLE usage ADD COLUMN written_tokens BIGINT NOT NULL DEFAULT 0"
QUOTED_DECISIONS = "ALTER TABLE decisions ADD COLUMN quote_terms TEXT COLLATE \"C\" NOT NULL DEFAULT '[]'"

MIGRATIONS: list[Path | str] = [
    Path(__file__).with_name("postgres.sql"),
    *(USED_LINKS, TITLES, FORMATTING, GROUNDS, CORRECTED_SUMMARIES, DECISIONS, CACHE_WRITES, QUOTED_DECISIONS),
]  # The migrations in order, as files or SQL. Only append: never change, remove or reorder a released migration.

_TABLES = "SELECT to_regclass('keepsake_schema') IS NOT NULL, to_regclass('keepsake') IS NOT NULL"


def migrate(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Create or migrate the tables. Raise StorageError for an unsupported version or another program's tables."""
    while (version := _read_schema_version(connection)) < len(MIGRATIONS):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('keepsake migrations', 0))")
            if _read_schema_version(connection) != version:
                continue  # another process has just run this step
            try:
                if version == 0:
                    connection.execute("CREATE TABLE keepsake_schema AS SELECT 0::BIGINT AS version")
                step = MIGRATIONS[version]
                connection.execute(step.read_bytes() if isinstance(step, Path) else step.encode())
                connection.execute("UPDATE keepsake_schema SET version = %s", (version + 1,))
            except psycopg.errors.DuplicateTable as error:
                raise StorageError(
                    "The database that DATABASE_URL names holds tables of another program; "
                    "give Keepsake one of its own."
                ) from error
    if version > len(MIGRATIONS):
        raise StorageTooNew.for_format("The PostgreSQL database", version, len(MIGRATIONS))


def _read_schema_version(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    is_ours, is_older = connection.execute(_TABLES).fetchone() or (False, False)
    if is_older:
        raise StorageTooOld.for_file("The PostgreSQL database")
    row = connection.execute("SELECT version FROM keepsake_schema").fetchone() if is_ours else None
    return int(str(row[0])) if row else 0

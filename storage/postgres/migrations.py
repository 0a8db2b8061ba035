"""The schema of the PostgreSQL store, as one ordered, append-only list of migrations.

Each is committed together with its number. However many programs start at once, each step runs once: an advisory lock
is held meanwhile. Does not know queries.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from records.errors import StorageError, StorageTooNew
from storage.postgres.later_tables import (
    BROADCASTS_SCHEMA,
    COUNTED_AT_ONCE,
    PEOPLE_SCHEMA,
    REMINDERS_SCHEMA,
    SHORT_PENDING_LIST,
    SHOWN_SCHEMA,
)
from storage.postgres.schema import (
    CONVERSATIONS_SCHEMA,
    FIRST_FUNCTIONS,
    FIRST_SCHEMA,
    FIRST_TRIGGERS,
    RESTORED_PARTS_SCHEMA,
)
from storage.postgres.shared_schema import SHARED_FUNCTIONS, SHARED_SCHEMA

_OWNED = (
    *(
        "users",
        "progress",
        "messages",
        "summaries",
        "failures",
        "facts",
        "profiles",
        "versions",
        "accounts",
        "restores",
    ),
    *("fact_vectors", "jobs", "scopes", "rebuild_parts"),
    *("words", "word_counts", "places", "scope_words", "vectors", "unindexed"),
)
"""The tables of the first schema."""
# A second wall: who connects as a user that does not own these tables sees the rows of one owner, or of all where the
# work concerns all ('*'). The owner of the tables is not held back, so that its searches may use every index.
_WALL = "\n".join(
    f"""
    ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
    CREATE POLICY of_owner ON {table} USING (current_setting('app.owner', true) IN (user_id::TEXT, '*'));
    """
    for table in _OWNED
)
_LANGUAGE = """ALTER TABLE users ADD COLUMN language TEXT COLLATE "C" NOT NULL DEFAULT '';"""
_PERSONA = """
ALTER TABLE users
  ADD COLUMN model TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN persona TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN persona_text TEXT COLLATE "C" NOT NULL DEFAULT '';
"""
_SPOKEN = """ALTER TABLE users ADD COLUMN spoken_answers TEXT COLLATE "C" NOT NULL DEFAULT '';"""
_USAGE_OF_MODELS = """
ALTER TABLE usage
  ADD COLUMN model TEXT COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN answers BIGINT NOT NULL DEFAULT 0,
  DROP CONSTRAINT usage_pkey,
  ADD PRIMARY KEY (day, user_id, model);
CREATE INDEX usage_user ON usage (user_id, day);
"""

MIGRATIONS: list[str] = [
    FIRST_SCHEMA + FIRST_FUNCTIONS + FIRST_TRIGGERS + _WALL,
    SHARED_SCHEMA + SHARED_FUNCTIONS,
    _LANGUAGE,
    RESTORED_PARTS_SCHEMA,
    CONVERSATIONS_SCHEMA,
    _USAGE_OF_MODELS,
    _PERSONA,
    REMINDERS_SCHEMA,
    PEOPLE_SCHEMA,
    SHOWN_SCHEMA,
    BROADCASTS_SCHEMA,
    COUNTED_AT_ONCE,
    _SPOKEN,
    SHORT_PENDING_LIST,
]
"""In order. Append steps; never change, remove or reorder one that was released."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('keepsake migrations', 0))"


def migrate(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """Bring the tables up to date, making them if need be.

    Raises StorageTooNew, everything left as it is, when they know more steps than we do.
    """
    while (version := _version(connection)) < len(MIGRATIONS):
        with alone(connection):
            if _version(connection) != version:
                continue  # somebody else has just done it
            try:
                if version == 0:
                    connection.execute("CREATE TABLE keepsake (version BIGINT NOT NULL)")
                    connection.execute("INSERT INTO keepsake VALUES (0)")
                connection.execute(MIGRATIONS[version].encode())
                connection.execute("UPDATE keepsake SET version = %s", (version + 1,))
            except psycopg.errors.DuplicateTable as error:
                raise StorageError(
                    "The database that DATABASE_URL names holds tables of another program; "
                    "give Keepsake one of its own."
                ) from error
    if version > len(MIGRATIONS):
        raise StorageTooNew(
            f"The PostgreSQL database was written by a newer version of Keepsake (its format is {version}, "
            f"this program knows {len(MIGRATIONS)}); please update the program."
        )


@contextmanager
def alone(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """A transaction in which no other process changes the schema."""
    with connection.transaction():
        connection.execute(_LOCK)
        yield


def _version(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    found = connection.execute("SELECT to_regclass('keepsake') IS NOT NULL").fetchone()
    if not found or not found[0]:
        return 0
    row = connection.execute("SELECT version FROM keepsake").fetchone()
    return int(str(row[0])) if row else 0

"""The schema of memory.db and index.db: sqlite.sql and its later migrations."""

from functools import partial
from pathlib import Path

from storage.engine.sqlite import Migration
from storage.engine.sqlite_driver import sqlite3


def create_first_schema(connection: sqlite3.Connection) -> None:
    """Create all tables of schema version 1.0."""
    run_sql_script(Path(__file__).with_name("sqlite.sql").read_text(encoding="utf-8"), connection)


def run_sql_script(script: str, connection: sqlite3.Connection) -> None:
    """Run a script's statements in the caller's transaction. Connection.executescript would commit it."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


USED_LINKS = """
-- One-time dashboard links that were used. A row is deleted once its link has expired. Only in memory.db.
CREATE TABLE used_links (
  nonce      TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
);
"""
TITLES = """
-- The title of the imported conversation, kept with its first message and searched with it.
ALTER TABLE messages ADD COLUMN title TEXT NOT NULL DEFAULT '';
"""
FORMATTING = """
-- How answers are formatted: '' (plain messages) or 'rich' (tables and formulas as rich messages).
ALTER TABLE users ADD COLUMN formatting TEXT NOT NULL DEFAULT '';
"""
GROUNDS = """
-- The quote from which a fact was learned, and when its owner last changed it by hand.
ALTER TABLE facts ADD COLUMN quote TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN is_uncertain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN decided_at TEXT;
UPDATE facts SET decided_at = created_at WHERE is_pinned = 1 OR deleted_at IS NOT NULL OR origin = 'owner';
"""
CORRECTED_SUMMARIES = """
-- A person's correction of the summary's text. Later summaries respect it.
ALTER TABLE summaries ADD COLUMN correction TEXT NOT NULL DEFAULT '';
"""
DECISIONS = """
-- An owner's decisions about erased facts: the facts' terms as hashes, and their sources.
CREATE TABLE decisions (
  id         INTEGER NOT NULL,             -- the fact's
  user_id    INTEGER NOT NULL,
  key        TEXT NOT NULL,                -- of the hashes, one for each owner
  terms      TEXT NOT NULL,                -- JSON array of hashes: the terms of its topics
  subject    TEXT NOT NULL DEFAULT '',     -- hash of what it gave the single value of
  source_ids TEXT NOT NULL DEFAULT '[]',
  decided_at TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);
"""
CACHE_WRITES = """
-- Prompt tokens that were written to the provider's cache, which has its own price.
ALTER TABLE usage ADD COLUMN written_tokens INTEGER NOT NULL DEFAULT 0;
"""
QUOTED_DECISIONS = """
-- JSON array of hashes: the terms of the words from which the fact was learned.
ALTER TABLE decisions ADD COLUMN quote_terms TEXT NOT NULL DEFAULT '[]';
"""

_SCRIPTS = (USED_LINKS, TITLES, FORMATTING, GROUNDS, CORRECTED_SUMMARIES, DECISIONS, CACHE_WRITES, QUOTED_DECISIONS)
MIGRATIONS: list[Migration] = [
    create_first_schema,
    *(partial(run_sql_script, script) for script in _SCRIPTS),
]  # The migrations in order. Only append to this list: never change, remove or reorder a released migration.

"""The schema of memory.db (and of index.db): sqlite.sql, and the migrations that come after it."""

from pathlib import Path

from storage.engine.sqlite import Migration
from storage.engine.sqlite_driver import sqlite3

SCHEMA = Path(__file__).with_name("sqlite.sql")


def first_schema(connection: sqlite3.Connection) -> None:
    """All tables of version 1.0."""
    script(SCHEMA.read_text(encoding="utf-8"))(connection)


def script(text: str) -> Migration:
    """A step that runs the statements of a script, each inside our transaction (executescript would commit first)."""

    def run(connection: sqlite3.Connection) -> None:
        pending = ""
        for line in text.splitlines(keepends=True):
            pending += line
            if sqlite3.complete_statement(pending):
                connection.execute(pending)
                pending = ""

    return run


USED_LINKS = """
-- One-time links to the dashboard that were followed, until they are too old anyway. Only in memory.db.
CREATE TABLE used_links (
  nonce      TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
);
"""

TITLES = """
-- Of the conversation elsewhere that an imported message began; searched with its words.
ALTER TABLE messages ADD COLUMN title TEXT NOT NULL DEFAULT '';
"""

FORMATTING = """
-- How answers are formatted: '' (plain messages) or 'rich' (tables and formulas as rich messages).
ALTER TABLE users ADD COLUMN formatting TEXT NOT NULL DEFAULT '';
"""

GROUNDS = """
-- The person's own words that a fact was learned from, and when its owner last decided about it by hand.
ALTER TABLE facts ADD COLUMN quote TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN is_uncertain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN decided_at TEXT;
UPDATE facts SET decided_at = created_at WHERE is_pinned = 1 OR deleted_at IS NOT NULL OR origin = 'owner';
"""

MIGRATIONS: list[Migration] = [first_schema, script(USED_LINKS), script(TITLES), script(FORMATTING), script(GROUNDS)]
"""In order. Append steps; never change, remove or reorder one that was released."""

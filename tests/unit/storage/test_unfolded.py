"""What a prompt carries word for word is looked up among the active messages, however many are archived."""

import contextlib
from pathlib import Path

from records.scopes import Scope
from storage.files.database import migrate
from storage.files.driver import connect, sqlite3
from storage.sqlite.context_sources import context_sources
from storage.sqlite.migrations import MIGRATIONS

SCOPE = Scope(owner=1)
OWNER = """
INSERT INTO users (user_id, storage_type, summary_every_n, memory_enabled, created_at, updated_at)
VALUES (1, 'sqlite', 20, 1, '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00')
"""
FOLD = """
INSERT INTO summaries (id, user_id, thread_id, summary_text, created_at, level, source_chunk_ids, is_active, first_id,
  last_id, first_at, last_at, message_count)
VALUES (1, 1, 0, 's', '2026-01-01', 1, '[1]', 1, 1, 2, '2026-01-01', '2026-01-01', 2)
"""
MESSAGE = """
INSERT INTO messages (id, user_id, thread_id, role, content, created_at, is_active, chunk_id, turn_id)
SELECT value, 1, 0, 'user', 'Hello', '2026-01-01T00:00:00+00:00', ?1, ?2, value FROM json_each(?3)
"""


def steps(connection: sqlite3.Connection) -> int:
    """Instructions of SQLite that it takes to read what a context is made of."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.set_progress_handler(count, 1)
    found = context_sources(connection, SCOPE, turns=8, before=None)
    connection.set_progress_handler(None, 0)
    assert len(found.unfolded) == 10
    return taken


def test_archived_messages_are_not_walked_through(tmp_path: Path) -> None:
    migrate(tmp_path / "memory.db", MIGRATIONS)
    with contextlib.closing(connect(tmp_path / "memory.db", durable=False)) as connection:
        connection.execute(OWNER)
        connection.execute(FOLD)
        connection.execute(MESSAGE, (0, 1, str(list(range(1, 101)))))
        connection.execute(MESSAGE, (1, None, str(list(range(10_001, 10_011)))))
        few = steps(connection)
        connection.execute(MESSAGE, (0, 1, str(list(range(101, 5_001)))))
        assert steps(connection) < 1.5 * few

"""The indexed reads of a turn cost the same number of SQLite steps with 5,000 messages as with 100."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from records.context import MAX_UNSUMMARIZED
from records.scopes import Scope
from storage.engine.sqlite import migrate_file
from storage.engine.sqlite_driver import connect, sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.tables import folds as fold_table
from storage.tables.messages import read_context_sources
from storage.tables.owner_tables import MESSAGES_BY_IDS

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


def unsummarized(connection: sqlite3.Connection) -> int:
    return len(read_context_sources(connection, SCOPE, max_turns=8, before_turn=None).unsummarized)


def make_reader_by_ids(sql: str) -> Callable[[sqlite3.Connection], int]:
    ids = json.dumps(list(range(1, 101, 10)))
    return lambda connection: len(connection.execute(sql, (*SCOPE, ids)).fetchall())


def steps(connection: sqlite3.Connection, read: Callable[[sqlite3.Connection], int]) -> int:
    """Count the SQLite instructions needed to read ten messages."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.set_progress_handler(count, 1)
    found = read(connection)
    connection.set_progress_handler(None, 0)
    assert found == 10
    return taken


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(unsummarized, id="what a context is made of"),
        pytest.param(make_reader_by_ids(MESSAGES_BY_IDS), id="candidates, and what is learned from"),
        pytest.param(make_reader_by_ids(fold_table.WINDOW), id="the window of a sliding summary"),
    ],
)
def test_indexed_reads_do_not_scan_all_messages(tmp_path: Path, read: Callable[[sqlite3.Connection], int]) -> None:
    migrate_file(tmp_path / "memory.db", MIGRATIONS)
    with contextlib.closing(connect(tmp_path / "memory.db", durable=False)) as connection:
        connection.execute(OWNER)
        connection.execute(FOLD)
        connection.execute(MESSAGE, (0, 1, str(list(range(1, 101)))))
        connection.execute(MESSAGE, (1, None, str(list(range(10_001, 10_011)))))
        few = steps(connection, read)
        connection.execute(MESSAGE, (0, 1, str(list(range(101, 5_001)))))
        assert steps(connection, read) < 1.5 * few


def test_prompt_reads_only_newest_unsummarized_messages(tmp_path: Path) -> None:
    migrate_file(tmp_path / "memory.db", MIGRATIONS)
    with contextlib.closing(connect(tmp_path / "memory.db", durable=False)) as connection:
        connection.execute(OWNER)
        connection.execute(MESSAGE, (1, None, str(list(range(1, MAX_UNSUMMARIZED + 6)))))
        ids = [
            message.id
            for message in read_context_sources(connection, SCOPE, max_turns=8, before_turn=None).unsummarized
        ]
    assert ids == list(range(6, MAX_UNSUMMARIZED + 6))

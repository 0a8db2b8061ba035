"""Neighbours of a message are looked up in the index, even if an import gave many messages one timestamp."""

import contextlib
from pathlib import Path

from records.scopes import Scope
from storage.engine.sqlite import migrate_file
from storage.engine.sqlite_driver import connect, sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.search.candidates import MAX_WHOLE_MESSAGES, find_candidate_messages

SCOPE = Scope(owner=1)
MOMENT = 1_700_000_000.0
PLACE = """
INSERT INTO places (seq, user_id, thread_id, message_id, said_at, is_person, is_assistant, speaker, length,
  size, marks)
SELECT value, 1, 0, value, ?1, 1, 0, '', 5, 20, x'' FROM json_each(?2)
"""


def steps(connection: sqlite3.Connection, hit: int) -> int:
    """Count the SQLite instructions needed to find one message and its neighbours."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.set_progress_handler(count, 1)
    found = find_candidate_messages(connection, SCOPE, [], limit=1, nearest_seqs=[hit])
    connection.set_progress_handler(None, 0)
    assert found.ids.tolist() == [hit - 2, hit - 1, hit, hit + 1, hit + 2]
    return taken


def test_neighbour_lookup_does_not_scan_messages_with_same_timestamp(tmp_path: Path) -> None:
    migrate_file(tmp_path / "memory.db", MIGRATIONS)
    with contextlib.closing(connect(tmp_path / "memory.db", durable=False)) as connection:
        connection.execute(PLACE, (MOMENT, str(list(range(1, MAX_WHOLE_MESSAGES + 2)))))
        few = steps(connection, 50)
        connection.execute(PLACE, (MOMENT, str(list(range(MAX_WHOLE_MESSAGES + 2, 20 * MAX_WHOLE_MESSAGES)))))
        assert steps(connection, 2_500) < 1.5 * few

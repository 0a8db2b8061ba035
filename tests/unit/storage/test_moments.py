"""However many messages an import puts at one moment, those around a found one are looked up in the index."""

import contextlib
from pathlib import Path

from records.scopes import Scope
from storage.files.database import migrate
from storage.files.driver import connect, sqlite3
from storage.search import candidates
from storage.search.protocol import Matching
from storage.sqlite.migrations import MIGRATIONS

SCOPE = Scope(owner=1)
MOMENT = 1_700_000_000.0
PLACE = """
INSERT INTO places (seq, user_id, thread_id, place, session, said_at, is_person, length, message_id, is_assistant,
  speaker, size, marks)
SELECT value, 1, 0, 0, 0, ?1, 1, 5, value, 0, '', 20, x'' FROM json_each(?2)
"""


def steps(connection: sqlite3.Connection, hit: int, turns: int) -> int:
    """Instructions of SQLite that it takes to find the neighbours of one message."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    matched = Matching(
        seqs=[hit], turns=turns, mean_length=5, person_mean=5, assistant_mean=5, frequency={}, readings={}
    )
    connection.set_progress_handler(count, 1)
    found = candidates.pool(connection, SCOPE, matched, reach=2)
    connection.set_progress_handler(None, 0)
    assert found.ids.tolist() == [hit - 2, hit - 1, hit, hit + 1, hit + 2]
    return taken


def test_messages_of_one_moment_are_not_walked_through(tmp_path: Path) -> None:
    migrate(tmp_path / "memory.db", MIGRATIONS)
    with contextlib.closing(connect(tmp_path / "memory.db", durable=False)) as connection:
        connection.execute(PLACE, (MOMENT, str(list(range(1, 101)))))
        few = steps(connection, 50, 100)
        connection.execute(PLACE, (MOMENT, str(list(range(101, 5_001)))))
        assert steps(connection, 2_500, 5_000) < 1.5 * few

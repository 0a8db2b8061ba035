"""Many messages put into an empty file at once: without its indexes and triggers, which do their work once at the end.

Owns what the triggers of a new message would have written.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from storage.engine.protocol import Connection

_KEPT_UP = "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = ? AND type IN ('index', 'trigger')"
# What `message_counted`, `message_unindexed` and `place_taken` do, message by message.
_COUNTED = """
INSERT INTO scopes (user_id, thread_id, total, archived, characters)
SELECT user_id, thread_id, COUNT(*), SUM(1 - is_active), SUM(LENGTH(content)) FROM messages GROUP BY user_id, thread_id
"""
_UNINDEXED = "INSERT INTO unindexed SELECT seq, user_id FROM messages"
_SUMMED = """
INSERT INTO scope_words
SELECT user_id, thread_id, COUNT(*), SUM(length), SUM(is_person), SUM(length * is_person)
FROM places GROUP BY user_id, thread_id
"""


@contextmanager
def suspend_indexes(connection: Connection, *, with_words: bool = False) -> Iterator[None]:
    """Load the messages of the block into `messages`, which was empty before it, inside the caller's transaction;
    `with_words`, into the index of words, too.

    Raises the driver's IntegrityError where two messages have one source.
    """
    tables = ("messages", "places") if with_words else ("messages",)
    # Those without a text are SQLite's own and stay: they say which message a row replaces.
    kept_up = [tuple(row) for table in tables for row in connection.execute(_KEPT_UP, (table,))]
    dropped = [(kind, name, sql) for kind, name, sql in kept_up if sql is not None]
    for kind, name, _ in dropped:
        connection.execute(f"DROP {kind} {name}")
    yield
    for _, _, sql in dropped:
        connection.execute(sql)
    for statement in (_COUNTED, _UNINDEXED, *((_SUMMED,) if with_words else ())):
        connection.execute(statement)


def is_whole(connection: Connection) -> bool:
    """Return True if every row that another one names is there, which SQLite does not look at while `foreign_keys` is
    off.
    """
    return connection.execute("PRAGMA foreign_key_check").fetchone() is None

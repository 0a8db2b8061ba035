"""Many messages put into an empty file at once: without its indexes and triggers, which do their work once at the end.

Owns what the triggers of a new message would have written. Does not know where the messages come from.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from storage.files.sql import Connection

_KEPT_UP = "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'messages' AND type IN ('index', 'trigger')"
# What `message_counted` and `message_unindexed` do, message by message.
_COUNTED = """
INSERT INTO scopes (user_id, thread_id, total, archived, characters)
SELECT user_id, thread_id, COUNT(*), SUM(1 - is_active), SUM(LENGTH(content)) FROM messages GROUP BY user_id, thread_id
"""
_UNINDEXED = "INSERT INTO unindexed SELECT seq, user_id FROM messages"


@contextmanager
def many_messages(connection: Connection) -> Iterator[None]:
    """What the block puts into `messages`, which was empty before it, inside the caller's transaction.

    Raises the driver's IntegrityError where two messages have one source.
    """
    # Those without a text are SQLite's own and stay: they say which message a row replaces.
    dropped = [tuple(row) for row in connection.execute(_KEPT_UP) if row[2] is not None]
    for kind, name, _ in dropped:
        connection.execute(f"DROP {kind} {name}")
    yield
    for _, _, sql in dropped:
        connection.execute(sql)
    for statement in (_COUNTED, _UNINDEXED):
        connection.execute(statement)


def is_whole(connection: Connection) -> bool:
    """Whether every row that another one names is there, which SQLite does not look at while `foreign_keys` is off."""
    return connection.execute("PRAGMA foreign_key_check").fetchone() is None

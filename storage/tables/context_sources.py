"""What a context is made of apart from what is searched for, in one hop to the database's thread.

Owns which of a scope's messages a prompt may carry word for word. Does not know what is made of them.
"""

import json

from records.context import MOST_UNFOLDED, ContextSources
from records.scopes import Scope
from storage.engine.protocol import Connection
from storage.schema.rows import message_of
from storage.tables import facts as fact_table
from storage.tables import folds as fold_table
from storage.tables import profile as profile_table

_AFTER_EVERY_TURN = 2**62


def context_sources(connection: Connection, scope: Scope, *, turns: int, before: int | None) -> ContextSources:
    """As `MemoryStore.context_sources`, inside the caller's transaction."""
    first_left_out = _AFTER_EVERY_TURN if before is None else before
    sums = connection.execute(_SUMS, tuple(scope)).fetchone()
    total, archived, characters = sums or (0, 0, 0)
    latest = connection.execute(_UNFOLDED, (*scope, first_left_out, MOST_UNFOLDED)).fetchall()
    unfolded = [message_of(row) for row in reversed(latest)]
    if archived:
        newest = {row[0] for row in connection.execute(_NEWEST_TURNS, (*scope, first_left_out, max(0, turns)))}
    else:  # these are all
        newest = set(sorted({one.turn for one in unfolded if one.turn > 0}, reverse=True)[: max(0, turns)])
    last = [message for message in unfolded if message.turn in newest]
    if archived and newest:
        rows = connection.execute(_ARCHIVED, (*scope, json.dumps(sorted(newest))))
        last = sorted([*last, *(message_of(row) for row in rows)], key=lambda one: one.order)
    return ContextSources(
        last=last,
        unfolded=unfolded,
        summaries=fold_table.summaries(connection, scope),
        profile=profile_table.newest(connection, scope.owner),
        facts=fact_table.valid(connection, scope.owner),
        total=total,
        archived=archived,
        characters=characters,
    )


_SUMS = "SELECT total, archived, characters FROM scopes WHERE user_id = ? AND thread_id = ?"
# Imported history has turns below 1.
_NEWEST_TURNS = """
SELECT DISTINCT turn_id FROM messages WHERE user_id = ? AND thread_id = ? AND turn_id > 0 AND turn_id < ?
ORDER BY turn_id DESC LIMIT ?
"""
# The sign keeps SQLite from looking turns up, which would walk through all messages of the scope: few are active.
_UNFOLDED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND is_active = 1 AND +turn_id < ?
ORDER BY created_at DESC, id DESC LIMIT ?
"""
_ARCHIVED = """
SELECT * FROM messages
WHERE user_id = ? AND thread_id = ? AND turn_id IN (SELECT value FROM json_each(?)) AND is_active = 0
"""

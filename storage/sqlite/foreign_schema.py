"""What a file from elsewhere has in its schema that no version of this program ever put there.

A trigger or a view runs with every statement of ours, and a table's keys and made-up columns decide what is stored, so
a file that brings its own could change or erase what is there. Does not know where the file comes from.
"""

import contextlib
import re

from storage.files.driver import sqlite3
from storage.sqlite.migrations import MIGRATIONS

MOST_NAMED = 5
"""So many strange things are named."""
_OF_SQLITE = "made by SQLite"
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRIES = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name"


def foreign(connection: sqlite3.Connection, version: int) -> list[str]:
    """Tables, indexes, views and triggers that a file of this format does not have, by kind and name, a few at most."""
    known = _expected(version)
    found = []
    for kind, name, sql in connection.execute(_ENTRIES):
        # Also of tables and indexes: a key that replaces what is there, or a column that is made up, changes what is
        # stored as a trigger does. What SQLite makes for its own use differs between its versions.
        is_ours = (kind, name) in known and known[kind, name] in (_plain(sql), _OF_SQLITE)
        # Format 0 is the original design's: of its tables three are read, and all others left alone.
        is_inert = version == 0 and (kind == "index" or _plain(sql).upper().startswith("CREATE TABLE"))
        if not is_ours and not is_inert:
            found.append(f"{kind} {str(name)[:40]}")
    more = [f"{len(found) - MOST_NAMED:,} more"] if len(found) > MOST_NAMED else []
    return [*found[:MOST_NAMED], *more]


def _expected(version: int) -> dict[tuple[str, str], str]:
    """The schema of this format, as the migrations make it."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        fresh.row_factory = sqlite3.Row
        for step in MIGRATIONS[:version]:
            step(fresh)
        shadows = {row[0] for row in fresh.execute("SELECT name FROM pragma_table_list WHERE type = 'shadow'")}
        found = [tuple(row) for row in fresh.execute(_ENTRIES)]
        return {(kind, name): _OF_SQLITE if name in shadows else _plain(sql) for kind, name, sql in found}


def _plain(sql: str | None) -> str:
    """A statement without comments and layout, which later versions of the program may have reworded."""
    return " ".join(_COMMENT.sub(" ", sql or "").split())

"""The stored memory of a bot, read with plain sqlite3, json and psycopg. It does not use the program's code."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from reliability.invariants import MemoryState, read_memory_state, read_postgres
from tests.support.postgres_server import make_schema_address, read_rows

Json = dict[str, Any]


@dataclass(frozen=True)
class Memory:
    """The memory of a DATA_DIR. With `server`, its tables are in the PostgreSQL schema of that folder."""

    folder: Path
    server: str = ""

    def fetch_rows(self, sql: str, *values: object) -> list[Json]:
        """Return rows of memory.db, or of the PostgreSQL schema. The bot may be running."""
        if self.server:
            with psycopg.connect(make_schema_address(self.server, self.folder), row_factory=dict_row) as server:
                return server.execute(_numbered(sql), values).fetchall()
        with closing(sqlite3.connect(f"file:{self.folder / 'memory.db'}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]

    def write(self, sql: str, *values: object) -> None:
        """Execute a statement that changes memory.db, or the PostgreSQL schema, while no bot runs."""
        if self.server:
            with psycopg.connect(make_schema_address(self.server, self.folder)) as server:
                server.execute(_numbered(sql), values)
            return
        with closing(sqlite3.connect(self.folder / "memory.db")) as connection:
            connection.execute(sql, values)
            connection.commit()

    def list_messages(self, owner: int) -> list[Json]:
        return self.fetch_rows("SELECT * FROM messages WHERE user_id = ? ORDER BY id", owner)

    def list_summaries(self, owner: int) -> list[Json]:
        return self.fetch_rows("SELECT * FROM summaries WHERE user_id = ? ORDER BY id", owner)

    def read_memory_json(self) -> Json:
        value: Json = json.loads((self.folder / "memory.json").read_text(encoding="utf-8"))
        return value

    def read_state(self) -> MemoryState:
        """Return the whole stored state, for the invariant checks."""
        return (
            read_postgres(make_schema_address(self.server, self.folder), self.folder)
            if self.server
            else read_memory_state(self.folder)
        )

    def find_files_containing(self, text: str) -> list[str]:
        """Return the names of the files whose bytes contain this text. The tables of a server count as memory.db."""
        needle = text.encode()
        # Logs first: what one held when it was emptied stands in the other file by then.
        files = sorted(self.folder.rglob("*"), key=lambda path: (not path.name.endswith(("-wal", "journal")), path))
        found = [path.name for path in files if needle in _content(path)]
        if self.server and any(needle in table for table in read_rows(self.server, self.folder)):
            found.append("memory.db")
        return found


def _numbered(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _content(path: Path) -> bytes:
    """Return the content of a file, or nothing if the bot has just removed or renamed it."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:
        return b""

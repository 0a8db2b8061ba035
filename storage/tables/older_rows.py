"""Migrate the rows of a backup made by an older version, using the migrations of SQLite files."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from records.owners import StorageType
from storage.engine.sqlite_driver import explain_errors, sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.schema.portable_tables import BY_NAME, TABLES, USERS
from storage.tables.dump import read_order

Row = dict[str, Any]


def find_version(rows: Iterable[Row]) -> int:
    """Return the first schema version that has all columns of these rows, or the newest if none has."""
    written = {(row["table"], name) for row in rows if "table" in row for name in row if name != "table"}
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for version, migrate in enumerate(MIGRATIONS, 1):
            migrate(connection)
            if all(name in _column_names(connection, table) for table, name in written):
                return version
    return len(MIGRATIONS)


def migrate_rows(lines: Iterator[Row], path: Path, version: int) -> Iterator[Row]:
    """Yield a backup's lines after its header, with rows of today's schema. Create a temporary database at `path`."""
    homes = []
    with explain_errors(path), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous=OFF")  # the file is temporary
        connection.execute("BEGIN")
        for migrate in MIGRATIONS[:version]:
            migrate(connection)
        columns = {name: _column_names(connection, name) for name in BY_NAME}
        for row in lines:
            if "state" in row:
                yield row
            elif "storage" in row:
                homes.append(row)
            else:
                table = BY_NAME[row["table"]].select_columns(columns[row["table"]])
                further = {"storage_type": StorageType.SQLITE} if table.name == USERS.name else {}
                connection.execute(table.insert_with(*further), (*table.to_values(row), *further.values()))
        for migrate in MIGRATIONS[version:]:
            migrate(connection)
        for home in homes:
            yield home
            for table in TABLES:
                order = ", ".join(read_order(table) or table.key)
                sql = f"SELECT * FROM {table.name} WHERE user_id = ? ORDER BY {order}"  # noqa: S608
                for found in connection.execute(sql, (home["user_id"],)):
                    yield {"table": table.name, **table.to_portable(found)}


def _column_names(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}

"""The schema of memory.db and index.db: sqlite.sql, and the later migrations in sqlite_steps.sql."""

from functools import partial
from pathlib import Path

from storage.engine.sqlite import Migration
from storage.engine.sqlite_driver import sqlite3


def run_sql_script(script: str, connection: sqlite3.Connection) -> None:
    """Run a script's statements in the caller's transaction. Connection.executescript would commit it first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def read_migration_steps(file_name: str) -> dict[int, str]:
    """Return the migration steps in a file as SQL scripts by their numbers, in order."""
    script = Path(__file__).with_name(file_name).read_text(encoding="utf-8")
    return {int(step.partition(":")[0]): f"-- Step {step}" for step in script.split("-- Step ")[1:]}


_FIRST_SCHEMA = Path(__file__).with_name("sqlite.sql").read_text(encoding="utf-8")
MIGRATIONS: list[Migration] = [
    partial(run_sql_script, script) for script in (_FIRST_SCHEMA, *read_migration_steps("sqlite_steps.sql").values())
]  # in order

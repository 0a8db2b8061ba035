"""Memories of many owners on a PostgreSQL server: one owner's, copied by the server itself.

Row for row what storing it for each of them gives, in minutes instead of hours. Does not know what is in it.
"""

from contextlib import closing
from typing import Any

import psycopg
from psycopg import sql

from records.scopes import Scope
from storage.search.terms import prefix_of

Tables = list[tuple[Any, ...]]
"""Names of tables with those of their columns."""
AT_ONCE = 1_000
"""Owners in one statement. Their rows lie next to each other in order of time, as those of people who talk on the same
days do: each owner's are on as many pages."""
_TABLES = """
SELECT table_name, array_agg(column_name::TEXT ORDER BY ordinal_position) FROM information_schema.columns
JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
GROUP BY table_name HAVING bool_or(column_name = 'user_id')
ORDER BY table_name = 'users' DESC, table_name = 'summaries' DESC, table_name
"""
# Those that no constraint needs.
_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname NOT IN (
  SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace)
"""
_NUMBER = "seq + {span} * (copy - {owner})"
_AS_COPIED = {
    ("words", "terms"): """
      array_to_tsvector(ARRAY(SELECT {after} || substr(one, {length}) FROM unnest(tsvector_to_array(terms)) AS one))
    """,
    ("word_counts", "term"): "{after} || substr(term, {length})",
    ("places", "place"): _NUMBER,
}


def copied(url: str, owner: int, others: range) -> None:
    """Give these owners, all above `owner` and without memories, all that is stored of `owner` at this address, where
    nobody else has anything.
    """
    if not others:
        return
    before = prefix_of(Scope(owner=owner))
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'")
        tables: Tables = connection.execute(_TABLES).fetchall()
        span = _number(connection, "SELECT COALESCE(MAX(seq), 0) FROM messages")
        indexes = connection.execute(_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(str(name))))
        given = {
            "owner": sql.Literal(owner),
            "span": sql.Literal(span),
            "length": sql.Literal(len(before) + 1),
            "after": sql.SQL("'u' || copy || {}").format(sql.Literal(before.removeprefix(f"u{owner}"))),
        }
        _triggers(connection, tables, "DISABLE")  # the counts are copied, too
        for first in range(others.start, others.stop, AT_ONCE):
            last = min(first + AT_ONCE, others.stop) - 1
            with connection.transaction():
                for table, columns in tables:
                    _copy(connection, table, columns, given, first, last)
        _triggers(connection, tables, "ENABLE")
        connection.execute("SELECT setval('message_seq', %s)", (_number(connection, "SELECT MAX(seq) FROM messages"),))
        for _, definition in indexes:
            connection.execute(str(definition).encode())


def _copy(
    connection: psycopg.Connection[tuple[object, ...]],
    table: str,
    columns: list[str],
    given: dict[str, sql.Composable],
    first: int,
    last: int,
) -> None:
    name = sql.Identifier(table)
    everywhere = {"user_id": "copy", "seq": _NUMBER}
    changed = {column: _AS_COPIED.get((table, column)) or everywhere.get(column) for column in columns}
    values = [sql.SQL(other).format(**given) if other else sql.Identifier(column) for column, other in changed.items()]
    connection.execute(
        sql.SQL(
            "INSERT INTO {table} ({columns}) SELECT {values} FROM {table} "
            "CROSS JOIN generate_series({first}::BIGINT, {last}) AS copies (copy) WHERE user_id = {owner} "
            "ORDER BY {order}, copy"
        ).format(
            table=name,
            columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
            values=sql.SQL(", ").join(values),
            order=sql.Identifier(next((key for key in ("seq", "id", "term") if key in columns), "user_id")),
            first=sql.Literal(first),
            last=sql.Literal(last),
            owner=given["owner"],
        )
    )


def _triggers(connection: psycopg.Connection[tuple[object, ...]], tables: Tables, what: str) -> None:
    for table, _ in tables:
        connection.execute(sql.SQL("ALTER TABLE {} " + what + " TRIGGER USER").format(sql.Identifier(table)))


def _number(connection: psycopg.Connection[tuple[object, ...]], query: str) -> int:
    row = connection.execute(query.encode()).fetchone()
    return int(str(row[0])) if row else 0

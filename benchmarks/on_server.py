"""Create a schema for each case on the PostgreSQL server of DATABASE_URL, and measure the server's CPU time."""

from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import sql

_PIDS = "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
_COUNTS = """
SELECT
  (SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()),
  xact_commit, tup_inserted + tup_updated + tup_deleted
FROM pg_stat_database WHERE datname = current_database()
"""
_BYTES = """
SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
"""
_NANOSECONDS = 1e9


def make_schema_url(url: str, name: str) -> str:
    """Return the URL of the schema `name`, which need not exist yet."""
    parts = urlsplit(url)
    query = {**dict(parse_qsl(parts.query)), "options": f"-csearch_path={name}", "application_name": name}
    return urlunsplit(parts._replace(query=urlencode(query, quote_via=quote)))


def create_empty_schema(url: str, name: str) -> str:
    """Create an empty schema, dropping an older one with the same name, and return its URL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    return make_schema_url(url, name)


def analyze_tables(url: str) -> None:
    """Update the query planner's statistics, as the server itself does a few minutes after many inserts."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def measure_stored_bytes(url: str) -> int:
    """Return the total size in bytes of all tables and indexes in the schema of `url`."""
    with psycopg.connect(url) as connection:
        row = connection.execute(_BYTES).fetchone()
    return int(row[0]) if row else 0


class PostgresServer:
    """Measures a PostgreSQL server. CPU times are available only if it runs on this machine."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    def close(self) -> None:
        self._connection.close()

    def read_activity_counts(self) -> dict[str, int]:
        """Return the number of client connections, and of commits and rows written so far. They may be a second old."""
        row = self._connection.execute(_COUNTS).fetchone()
        return dict(zip(("connections", "commits", "rows"), row or (), strict=False))

    def read_cpu_seconds(self) -> dict[int, float]:
        """Return the CPU seconds used so far by each server process, by pid, except the one that runs this query."""
        seconds = {}
        for (pid,) in self._connection.execute(_PIDS).fetchall():
            account = Path(f"/proc/{pid}/schedstat")
            if account.exists():
                seconds[pid] = int(account.read_text().split()[0]) / _NANOSECONDS
        return seconds

    def measure_cpu_seconds_since(self, before: dict[int, float]) -> float:
        """Return the CPU seconds used since the reading `before`, not counting processes that have ended."""
        return sum(after - before.get(pid, 0.0) for pid, after in self.read_cpu_seconds().items())

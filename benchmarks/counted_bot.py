"""Run a bot that reports its costs: `python -m benchmarks.counted_bot bot|MODULE [ARGUMENT …]`

At each SIGUSR1, it prints one JSON line with the CPU milliseconds of each thread so far, the number of calls handed to
a database thread (hops), and the number of durable commits. For other bots, the last two are 0.
"""

import importlib
import json
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from storage.engine.sqlite import Database


def read_cpu_ms_by_thread() -> dict[str, float]:
    """Return the CPU milliseconds used so far, by thread name. Threads that differ only in their number count as one.

    "loop" is the event loop's thread, and "other" is CPU time outside Python threads.
    """
    spent: defaultdict[str, float] = defaultdict(float)
    for thread in threading.enumerate():
        if thread.ident is not None:
            name = "loop" if thread is threading.main_thread() else thread.name.rstrip("-_0123456789")
            spent[name] += time.clock_gettime(time.pthread_getcpuclockid(thread.ident)) * 1000
    spent["other"] = max(0.0, time.process_time() * 1000 - sum(spent.values()))
    return {name: round(ms, 1) for name, ms in spent.items()}


def record_opened_databases(databases: list[Database]) -> None:
    """Patch Database.open so that it adds each database to `databases`."""
    open_database: Callable[..., Any] = Database.open

    @asynccontextmanager
    async def open_counted_database(*arguments: Any, **options: Any) -> AsyncIterator[Database]:
        async with open_database(*arguments, **options) as database:
            databases.append(database)
            yield database

    Database.open = open_counted_database  # type: ignore[method-assign]


def print_costs(databases: list[Database], *_: object) -> None:
    """Print the costs so far as one JSON line. Used as a signal handler."""
    figures = {
        "processor_ms": read_cpu_ms_by_thread(),
        "hops": sum(connection.call_count for database in databases for connection in database.connections),
        "commits": sum(database.writer.commits for database in databases),
    }
    print(json.dumps(figures), flush=True)


def main() -> None:
    name, *arguments = sys.argv[1:]
    databases: list[Database] = []
    record_opened_databases(databases)
    signal.signal(signal.SIGUSR1, partial(print_costs, databases))
    sys.exit(importlib.import_module(name).main(arguments))


if __name__ == "__main__":
    main()

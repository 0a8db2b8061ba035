"""A bot that tells what it costs: `python -m benchmarks.counted_bot bot|MODULE [ARGUMENT …]`

At each SIGUSR1 it prints one JSON line: processor milliseconds so far by thread, and, of our bot, how often work was
handed to a database's thread (hops) and how many durable commits were made. Does not know what is measured.
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

POOL = "ThreadPoolExecutor"


def processor_ms() -> dict[str, float]:
    """By the thread's name, numbers left out; "loop" is the event loop's, "other" what no Python thread used."""
    spent: defaultdict[str, float] = defaultdict(float)
    for thread in threading.enumerate():
        if thread.ident is not None:
            name = "loop" if thread is threading.main_thread() else thread.name.rstrip("-_0123456789")
            spent[name] += time.clock_gettime(time.pthread_getcpuclockid(thread.ident)) * 1000
    spent["other"] = max(0.0, time.process_time() * 1000 - sum(spent.values()))
    return {name: round(ms, 1) for name, ms in spent.items()}


def counted(databases: list[Database]) -> None:
    """From now on every database that is opened is put into the list."""
    opened: Callable[..., Any] = Database.open

    @asynccontextmanager
    async def open_counted(*arguments: Any, **options: Any) -> AsyncIterator[Database]:
        async with opened(*arguments, **options) as database:
            databases.append(database)
            yield database

    Database.open = open_counted  # type: ignore[method-assign]


def tell(databases: list[Database], *_: object) -> None:
    """The line of figures."""
    figures = {
        "processor_ms": processor_ms(),
        "hops": sum(database.hops for database in databases),
        "commits": sum(database.writer.commits for database in databases),
    }
    print(json.dumps(figures), flush=True)


def main() -> None:
    name, *arguments = sys.argv[1:]
    databases: list[Database] = []
    counted(databases)
    signal.signal(signal.SIGUSR1, partial(tell, databases))
    sys.exit(importlib.import_module(name).main(arguments))


if __name__ == "__main__":
    main()

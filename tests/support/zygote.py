"""Run bot.py many times without repeating its imports: import it once, and fork for each run.

`python -m tests.support.zygote FD` serves connections to the listening socket FD. Each message is the order for one
run. Three open files come with it: the run's stdout, its stderr, and one for its pid and later its exit status.
A run is a process of its own that opens its files itself. Only the seconds of the imports are saved. The zygote does
not know what the bot does.
"""

import asyncio
import atexit
import gc
import json
import os
import select
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import bot
from llm.openai_client import OpenAIClient
from locales.catalog import LANGUAGES, list_text_file_names, translate
from runtime.http_client import open_http_session
from settings import Settings
from storage.engine.sqlite import migrate_file
from storage.schema.migrations import MIGRATIONS
from storage.stores import json_files as store
from text.tokenizer import Tokenizer

LARGEST_ORDER = 1_000_000


def serve(listener: socket.socket) -> None:
    """Fork a run for each order, until the last connection is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    asking = [listener.accept()[0]]
    while asking:
        for ready in select.select([listener, *asking], [], [])[0]:
            if ready is listener:
                asking.append(listener.accept()[0])
            elif not _forked(ready, (listener, *asking)):
                asking.remove(ready)
                ready.close()


def _forked(asking: socket.socket, connections: Sequence[socket.socket]) -> bool:
    """Read an order and fork its run. Return False if the other end has closed the connection."""
    order, files, _, _ = socket.recv_fds(asking, LARGEST_ORDER, 3)
    if not order:
        return False
    if not os.fork():
        for connection in connections:
            connection.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _watch(order, files)
    for file in files:
        os.close(file)
    return True


def _watch(order: bytes, files: Sequence[int]) -> None:
    """Fork the run, and write its pid and its exit status.

    The run is killed once nobody can read its status: it would fetch updates forever, from whichever test next serves
    on its port.
    """
    out, err, told = files
    pid = os.fork()
    if not pid:
        os.close(told)
        _run(order, out, err)
    os.close(out)
    os.close(err)
    os.write(told, f"{pid}\n".encode())
    end, events = os.pidfd_open(pid), select.poll()
    events.register(told, 0)  # an error, once nobody reads it
    events.register(end, select.POLLIN)
    is_over = end in dict(events.poll())
    if not is_over:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if is_over:
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _run(order: bytes, out: int, err: int) -> None:
    given = json.loads(order)
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
        os.dup2(file, number)
        os.close(file)
    os.chdir(given["folder"])
    os.environ.clear()
    os.environ.update(given["environ"])
    store.MIN_JOURNAL_BYTES = given["snapshot_after"] or store.MIN_JOURNAL_BYTES
    sys.argv = [str(Path(bot.__file__)), *given["arguments"]]
    _end(bot.main(given["arguments"]))


def _end(status: int) -> None:
    """End as an interpreter does: wait for threads, and warn of what was left open.

    What was imported before the fork is not torn down. That would copy much of its memory first, a fifth of the cost
    of a run.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


async def _clients() -> None:
    """Open and close the HTTP clients for Telegram and for the model once.

    Otherwise the model's SDK takes a third of a second in each run.
    """
    await open_http_session(max_connections=1, headers={}).close()
    await OpenAIClient(api_key="", base_url="http://127.0.0.1").aclose()


def _read_once() -> None:
    """Load once what every run would read or compile for itself: half the cost of a run with a few messages."""
    Tokenizer.for_encoding("o200k_base").count("loaded once")
    for language in LANGUAGES:
        for family in list_text_file_names(language):
            with suppress(LookupError):
                translate(language, f"{family}-")
    bot.make_parser()
    Settings.from_env({"TELEGRAM_API_URL": "http://127.0.0.1"})
    asyncio.run(_clients())
    with tempfile.TemporaryDirectory() as folder:
        migrate_file(Path(folder) / "memory.db", MIGRATIONS)


if __name__ == "__main__":
    _read_once()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        serve(listener)

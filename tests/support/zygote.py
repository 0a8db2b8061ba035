"""Starts bot.py again and again without its imports: a process that imports it once and forks for each run.

`python -m tests.support.zygote FD`: each message on a connection to the listening socket FD is the order for a
run, with the files that are its stdout, its stderr, and where its pid and then its exit status are written. What runs
is a process of its own that opens its files itself; only the seconds that imports take are saved. Does not know what
the bot does.
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
    """Until the last connection is closed."""
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
    """Whether there was an order; False where the other end is closed."""
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
    """Fork the run, and tell its pid and how it ended. A run of which nobody wants to know any more is killed: it would
    fetch updates for ever, of whichever test is the next to serve on its port.
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
    """End as an interpreter does: threads are waited for, and what is left open is told of. But what was imported
    before the fork is not taken apart, which would copy much of its memory first: a fifth of what a run costs.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


async def _clients() -> None:
    """Telegram's, and the model's, whose SDK takes a third of a second in each run otherwise."""
    await open_http_session(max_connections=1, headers={}).close()
    await OpenAIClient(api_key="", base_url="http://127.0.0.1").aclose()


def _read_once() -> None:
    """What every run would read or compile for itself: half of what a run of a few messages costs."""
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

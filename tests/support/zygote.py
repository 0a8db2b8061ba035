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
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

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


class Run(NamedTuple):
    """A forked run, a pidfd of it, and the file for its pid and exit status."""

    pid: int
    pidfd: int
    told: int


def serve(listener: socket.socket) -> None:
    """Fork a run for each order, until the last connection is closed.

    A run is killed once nobody can read its status: it would fetch updates forever, from whichever test next serves
    on its port.
    """
    asking, runs = [listener.accept()[0]], list[Run]()
    try:
        while asking:
            ready = _wait_for_events(listener, asking, runs)
            for run in [*runs]:
                if run.pidfd in ready:
                    runs.remove(run)
                    _report_end(run)
                elif run.told in ready:
                    os.kill(run.pid, signal.SIGKILL)
            for connection in [*asking]:
                if connection.fileno() not in ready:
                    continue
                order, files, _, _ = socket.recv_fds(connection, LARGEST_ORDER, 3)
                if order:
                    runs.append(_fork(order, files, (listener, *asking), runs))
                else:
                    asking.remove(connection)
                    connection.close()
            if listener.fileno() in ready:
                asking.append(listener.accept()[0])
    finally:
        for run in runs:
            os.kill(run.pid, signal.SIGKILL)
            os.waitpid(run.pid, 0)


def _wait_for_events(listener: socket.socket, asking: Sequence[socket.socket], runs: Sequence[Run]) -> set[int]:
    """Return the files of which there is an order, a connection, or the end of a run or of its reader."""
    events = select.poll()
    for connection in (listener, *asking):
        events.register(connection, select.POLLIN)
    for run in runs:
        events.register(run.pidfd, select.POLLIN)
        events.register(run.told, 0)  # an error, once nobody reads it
    return {file for file, _ in events.poll()}


def _report_end(run: Run) -> None:
    """Write the exit status of a run that has ended, and close its files."""
    _, status = os.waitpid(run.pid, 0)
    with suppress(BrokenPipeError):
        os.write(run.told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os.close(run.told)
    os.close(run.pidfd)


def _fork(order: bytes, files: Sequence[int], connections: Sequence[socket.socket], others: Sequence[Run]) -> Run:
    """Fork the run of an order, and write its pid. It keeps no file of the zygote and of other runs open."""
    out, err, told = files
    pid = os.fork()
    if not pid:
        try:
            for connection in connections:
                connection.close()
            for file in (told, *(file for run in others for file in (run.pidfd, run.told))):
                os.close(file)
            _run(order, out, err)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)  # serve() is the zygote's alone
    os.close(out)
    os.close(err)
    with suppress(BrokenPipeError):
        os.write(told, f"{pid}\n".encode())
    return Run(pid, os.pidfd_open(pid), told)


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
    try:
        status = bot.main(given["arguments"])
    except SystemExit as ended:  # by --help, --version or an unknown argument
        status = int(ended.code or 0)
    _end(status)


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
    gc.set_threshold(10_000, 10, 10)  # as in bot.py, which sets it once it has started
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        serve(listener)

"""Starts bot.py again and again without its imports: a process that imports it once and forks for each run.

`python -m reliability.zygote`: a line of JSON on stdin is the environment of the next run, its pid comes on stdout
when it has begun and a line with its status when it has ended; the bot's own log goes to stderr. What is killed is a
real process that opens its files itself; only the second that imports take is saved. Does not know what the bot does.
"""

import json
import os
import sys
from collections.abc import Mapping

import bot
from storage.json import store
from text.tokenizer import Tokenizer


def serve() -> None:
    """Until stdin ends."""
    Tokenizer.for_encoding("o200k_base").count("loaded once")
    # Snapshots after a few messages instead of after a megabyte, so that kills hit them.
    store.LEAST_JOURNAL = int(sys.argv[1]) if len(sys.argv) > 1 else store.LEAST_JOURNAL
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if not pid:
            _run(order)
        _tell(f"began {pid}")
        _, status = os.waitpid(pid, 0)
        _tell(f"ended {os.waitstatus_to_exitcode(status)}")


def _run(environ: Mapping[str, str]) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    status = 70
    try:
        status = bot.main([], environ)
    finally:
        sys.stderr.flush()
        os._exit(status)


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve()

"""Set resource limits and write output in a child process started by subprocess_worker.py.

Import as little as possible here: asyncio alone would double the start time.
"""

import json
import os
import struct
import sys
from contextlib import suppress
from typing import IO

if sys.platform != "win32":  # Windows has no such limits
    import resource

LENGTH = struct.Struct(">Q")  # precedes each value


def limit_process(*, memory: int, seconds: int | None = None) -> None:
    """Limit this process's address space in bytes and CPU time in seconds, and forbid it to write files.

    If `seconds` is given, also give it a lower priority than the bot.
    """
    if sys.platform == "win32":
        return
    limits = [(resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)]
    if seconds is not None:
        os.nice(10)
        limits.append((resource.RLIMIT_CPU, seconds))
    for what, most in limits:
        with suppress(ValueError, OSError):  # the machine's own limit may be lower
            resource.setrlimit(what, (most, most))


def write(out: IO[bytes], kind: str, value: object) -> None:
    """Send a value and its kind to the parent process, as JSON after its length."""
    content = json.dumps([kind, value]).encode()
    out.write(LENGTH.pack(len(content)) + content)
    out.flush()

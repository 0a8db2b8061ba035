"""The child's side of subprocess_worker.py: it limits its own resources, and gives pieces back.

Imports next to nothing, as whatever runs in a child should: asyncio alone would be more than half of its start.
"""

import json
import os
import struct
import sys
from contextlib import suppress
from typing import IO

if sys.platform != "win32":  # which has none: there the bounds of those who read alone hold
    import resource

LENGTH = struct.Struct(">Q")  # before each piece


def limit_process(*, memory: int, seconds: int | None = None) -> None:
    """Limit this process for good: bytes of address space, seconds of a processor; it writes no file.

    With `seconds` the bot goes first; without, answers wait for this process.
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
    """Give one piece back to the parent."""
    content = json.dumps([kind, value]).encode()
    out.write(LENGTH.pack(len(content)) + content)
    out.flush()

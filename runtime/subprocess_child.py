"""Resource limits and output of a child process. This module imports little, so that children start fast."""

import json
import os
import resource
import struct
from contextlib import suppress
from typing import IO

LENGTH = struct.Struct(">Q")  # precedes each value


def limit_resources(*, memory_bytes: int, cpu_seconds: int | None = None) -> None:
    """Limit this process to `memory_bytes` and `cpu_seconds`, and prevent it from writing files."""
    limits = [(resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)]
    if cpu_seconds is not None:
        os.nice(10)  # long work should not slow the bot down
        limits.append((resource.RLIMIT_CPU, cpu_seconds))
    for what, most in limits:
        with suppress(ValueError, OSError):  # the machine's own limit may be lower
            resource.setrlimit(what, (most, most))


def write_child_answer(out: IO[bytes], kind: str, value: object) -> None:
    """Write an answer for the parent process as JSON, preceded by its length."""
    content = json.dumps([kind, value]).encode()
    out.write(LENGTH.pack(len(content)) + content)
    out.flush()

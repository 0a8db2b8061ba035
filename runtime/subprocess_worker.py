"""Process untrusted input in a child process, so that nothing in it can crash the bot."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from runtime.subprocess_child import LENGTH

_ROOT = str(Path(__file__).resolve().parents[1])


class ChildDied(Exception):  # noqa: N818 - reads as the state it is
    """Raised if the child process exits early or takes too long."""


def make_child_script(module: str) -> str:
    """Return Python code that imports `module` and calls its function `answer_requests_from_parent_process`."""
    function = "answer_requests_from_parent_process"
    return f"import sys; sys.path.insert(0, sys.argv[1]); from {module} import {function}; {function}()"


async def start_child(
    script: str, *arguments: str, inherits_environment: bool = False
) -> tuple[Process, asyncio.StreamWriter, asyncio.StreamReader]:
    """Start a child process, and return it with its standard input and output.

    Arguments must be trusted. If `inherits_environment`, the child must not read untrusted input.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "utf8", "-c", script, _ROOT, *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        # A child that reads untrusted input gets no secrets. numpy's threads, one for each processor, would reserve
        # more memory than a child has.
        env=None if inherits_environment else {"OPENBLAS_NUM_THREADS": "1"},
    )
    if process.stdin is None or process.stdout is None:  # for the type checker
        raise RuntimeError("The child has no pipes.")
    return process, process.stdin, process.stdout


async def end_process(process: Process) -> None:
    """Kill a child process, unless it has exited already, and wait until it has ended."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def iterate_child_answers(
    script: str, arguments: Sequence[str], data: bytes, *, timeout: float, inherits_environment: bool = False
) -> AsyncGenerator[tuple[str, Any], None]:
    """Start a child process, send it `data`, and yield the kind and value of each answer. Kill the child at the end.

    Use it with `aclosing`. Raise ChildDied if the child exits early or takes more than `timeout` seconds.
    """
    process, stdin, stdout = await start_child(script, *arguments, inherits_environment=inherits_environment)
    sending = asyncio.create_task(_send_input(stdin, data))
    until = asyncio.get_running_loop().time() + timeout
    try:
        while True:
            async with asyncio.timeout_at(until):
                [length] = LENGTH.unpack(await stdout.readexactly(LENGTH.size))
                content = await stdout.readexactly(length)
            kind, value = await asyncio.to_thread(json.loads, content)
            yield kind, value
    except (asyncio.IncompleteReadError, TimeoutError):
        raise ChildDied from None
    finally:
        sending.cancel()
        await end_process(process)


async def _send_input(stdin: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(data)
        await stdin.drain()
        stdin.close()

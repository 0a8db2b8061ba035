"""Work that a stranger's file decides is done in a process of its own, which has limits: the bot lives on.

The child gets bytes on its standard input and gives pieces of JSON back, each under a name
(apart_child.py). Does not know what is read.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from runtime.apart_child import LENGTH

_ROOT = str(Path(__file__).resolve().parents[1])


class ChildDied(Exception):  # noqa: N818 - reads as the state it is
    """The child ended before its work did, or took too long."""


def code_of(module: str) -> str:
    """What a child runs: the function `child` of a module of this program."""
    return f"import sys; sys.path.insert(0, sys.argv[1]); from {module} import child; child()"


async def pieces(
    code: str, arguments: Sequence[str], data: bytes, *, longest_wait: float
) -> AsyncGenerator[tuple[str, Any], None]:
    """What a child gives back, until it is closed: use as `async with aclosing(pieces(…))`. Ends with the child.

    `code`: as `code_of` gives it. `arguments`: of ours, no stranger's. `longest_wait`: seconds after which the child is
    ended, however little it computed. Raises ChildDied.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "utf8", "-c", code, _ROOT, *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        # No secret of the settings is in a process that reads what strangers wrote.
        env={} if os.name == "posix" else None,
    )
    if process.stdin is None or process.stdout is None:  # both were asked for; this is for the type checker
        raise RuntimeError("The child has no pipes.")
    sending = asyncio.create_task(_sent(process.stdin, data))
    until = asyncio.get_running_loop().time() + longest_wait
    try:
        while True:
            async with asyncio.timeout_at(until):
                [length] = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
                piece = await process.stdout.readexactly(length)
            kind, value = await asyncio.to_thread(json.loads, piece)
            yield kind, value
    except (asyncio.IncompleteReadError, TimeoutError):
        raise ChildDied from None
    finally:
        sending.cancel()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _sent(stdin: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(data)
        await stdin.drain()
        stdin.close()

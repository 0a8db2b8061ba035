"""A process that is killed while it forgets everything of an owner. Run by test_forgetting_killed.py.

A run gets the words FOLDER OWNER (see tests/support/killable.py). It prints "begins" just before it forgets, and
"done" afterwards.
"""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from external_memory import ExternalMemory
from records.forgetting import ForgetRequest
from tests.support.killable import print_line, serve


async def forget(folder: Path, owner: int) -> None:
    async with ExternalMemory.open(folder, clock=lambda: datetime.now(UTC)) as memory:
        print_line("begins")
        await memory.forget(owner, ForgetRequest(what="everything"))
        print_line("done")


if __name__ == "__main__":
    serve(lambda folder, owner: asyncio.run(forget(Path(folder), int(owner))))

"""A process that forgets everything about an owner, and is killed while it does. Run by test_forgetting_killed.py.

Its order (tests/support/killable.py) is FOLDER OWNER; it prints "begins" just before it does, "done" after.
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

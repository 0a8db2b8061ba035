"""A process that forgets everything about an owner, and is killed while it does. Run by test_forgetting_killed.py.

`python -m tests.support.forgetter FOLDER OWNER`: prints "begins" just before it does, "done" after.
"""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from external_memory import ExternalMemory
from records.forgetting import Forgetting


async def forget(folder: Path, owner: int) -> None:
    async with ExternalMemory.open(folder, clock=lambda: datetime.now(UTC)) as memory:
        tell("begins")
        await memory.forget(owner, Forgetting(what="everything"))
        tell("done")


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(forget(Path(sys.argv[1]), int(sys.argv[2])))

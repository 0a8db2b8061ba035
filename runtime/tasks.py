"""Tasks that have an end. Knows nothing else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


async def ended(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks and wait until they are over; what they raised is of no interest any more."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def side_by_side(*tasks: asyncio.Task[object]) -> AsyncIterator[None]:
    """Where waiting for them fails, or is cancelled, none of these tasks goes on alone."""
    try:
        yield
    except BaseException:
        await ended(*tasks)
        raise

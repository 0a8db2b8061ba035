"""Tasks that have an end. Knows nothing else."""

import asyncio


async def ended(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks and wait until they are over; what they raised is of no interest any more."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

"""Fetching updates in turns: of several processes one polls Telegram, and another when that one stops or dies.

Does not know how it is decided whose turn it is, nor how updates are fetched.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from runtime.tasks import ended
from storage.files.inbox_protocol import Duty

logger = logging.getLogger(__name__)


@asynccontextmanager
async def in_turns(
    duty: Duty, fetching: Callable[[], AbstractAsyncContextManager[None]], refused: asyncio.Event
) -> AsyncIterator[None]:
    """While the block runs, fetch whenever it is this process's duty. The block begins once it is known whose it is.

    `refused`: set where fetching cannot be begun, for Telegram refuses the token.
    """
    await duty.take()
    begun = asyncio.Event()

    async def take_turns() -> None:
        while True:
            if duty.is_mine():
                async with fetching():
                    begun.set()
                    logger.info("This process fetches the updates of all.")
                    while duty.is_mine():
                        await duty.changed()
                logger.info("Another process fetches the updates now.")
            begun.set()
            await duty.changed()
            await duty.take()

    task = asyncio.create_task(take_turns())
    task.add_done_callback(lambda _: begun.set())
    try:
        await begun.wait()
        if task.done():
            await task
        task.add_done_callback(lambda done: refused.set() if not done.cancelled() else None)
        yield
    finally:
        await ended(task)

"""One leader among several processes polls Telegram, and another one when it stops or dies."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from runtime.tasks import ended
from storage.bot_state.inbox_protocol import Leader

logger = logging.getLogger(__name__)


@asynccontextmanager
async def while_leader(
    leader: Leader, fetching: Callable[[], AbstractAsyncContextManager[None]], refused: asyncio.Event
) -> AsyncIterator[None]:
    """While the block runs, fetch whenever it is this process's leader. The block begins once it is known whose it is.

    `refused`: set where fetching cannot be begun, for Telegram refuses the token.
    """
    await leader.take()
    begun = asyncio.Event()

    async def lead() -> None:
        while True:
            if leader.is_leader():
                async with fetching():
                    begun.set()
                    logger.info("This process fetches the updates of all.")
                    while leader.is_leader():
                        await leader.changed()
                logger.info("Another process fetches the updates now.")
            begun.set()
            await leader.changed()
            await leader.take()

    task = asyncio.create_task(lead())
    task.add_done_callback(lambda _: begun.set())
    try:
        await begun.wait()
        if task.done():
            await task
        task.add_done_callback(lambda done: refused.set() if not done.cancelled() else None)
        yield
    finally:
        await ended(task)

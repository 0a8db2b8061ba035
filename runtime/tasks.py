"""Tasks that have an end. Knows nothing else."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

Result = TypeVar("Result")
AGAIN_SECONDS = 5.0
"""So long a task that was cancelled is waited for, before it is cancelled again."""


async def ended(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks and wait until they are over; what they raised is of no interest any more.

    asyncio.wait_for (before Python 3.12), and drivers that use it, pass over a cancellation that comes at the moment in
    which what they wait for is there: the task goes on, and a stop would wait for it for ever.
    """
    left: set[asyncio.Task[Any]] = {task for task in tasks if not task.done()}
    while left:  # ends: nothing passes a cancellation over each time
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)


async def uncancelled(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Finish `work` even when the task is cancelled meanwhile; then pass the cancellation on."""
    task = asyncio.ensure_future(work())
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if task.cancelled():
                raise
            cancelled = error
        except Exception:  # noqa: BLE001, S110, RUF100 - read from the task below
            pass
    if cancelled is not None:
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()


async def taken(
    take: Callable[[], Coroutine[Any, Any, Result]], give_back: Callable[[Result], Coroutine[Any, Any, object]]
) -> Result:
    """Return what `take` returns. Where the task is cancelled meanwhile, it is finished all the same and given back: a
    commit that had begun would otherwise leave a lease that nobody holds.
    """
    task = asyncio.ensure_future(take())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:

        async def undo() -> None:
            with suppress(Exception):  # what could not be taken need not be given back
                await give_back(await task)

        await uncancelled(undo)
        raise


@asynccontextmanager
async def repeated(work: Callable[[], Awaitable[None]], *, every: float, grace: float) -> AsyncIterator[None]:
    """Do some work while the block is open: at once, and `every` so many seconds. What goes on at its end is given
    `grace` seconds.
    """
    closing = asyncio.Event()

    async def go_on() -> None:
        while not closing.is_set():
            await work()
            with suppress(TimeoutError):
                async with asyncio.timeout(every):
                    await closing.wait()

    going = asyncio.create_task(go_on())
    try:
        yield
    finally:
        closing.set()
        await asyncio.wait([going], timeout=grace)
        await ended(going)


async def done(work: Callable[[], Result], *, in_thread: bool) -> Result:
    """Return the result of `work`, run in a thread where it takes long, so that the event loop goes on."""
    return await asyncio.to_thread(work) if in_thread else work()

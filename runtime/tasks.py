"""Finish, undo, repeat and cancel asyncio tasks reliably, and run long work in threads."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

log = logging.getLogger(__name__)

Result = TypeVar("Result")
SHORT_TEXT = 8_000  # characters that are counted or rendered on the event loop; longer texts go to a thread
AGAIN_SECONDS = 5.0  # how long to wait for a cancelled task before cancelling it again


async def cancel_and_wait(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks and wait until they end. Ignore their errors."""
    # Before Python 3.12, asyncio.wait_for loses a cancellation that arrives together with the awaited result.
    left: set[asyncio.Task[Any]] = {task for task in tasks if not task.done()}
    while left:  # ends: no task loses every cancellation
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)


async def run_to_completion(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Return the result of `work`. If the caller is cancelled, let `work` finish, then raise CancelledError."""
    task = asyncio.ensure_future(work())
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # otherwise asyncio would log it
        raise cancelled
    return task.result()


async def finish_if_cancelled(work: Coroutine[Any, Any, None]) -> None:
    """Await `work`. Delay the first cancellation until `work` is finished. A second one takes effect at once."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


async def acquire_or_undo(
    acquire: Callable[[], Coroutine[Any, Any, Result]], undo: Callable[[Result], Coroutine[Any, Any, object]]
) -> Result:
    """Return the result of `acquire`. If the caller is cancelled meanwhile, let it finish, then `undo` the result."""
    task = asyncio.ensure_future(acquire())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:

        async def undo_when_acquired() -> None:
            with suppress(Exception):  # if `acquire` failed, there is nothing to undo
                await undo(await task)

        await run_to_completion(undo_when_acquired)
        raise


async def run_in_thread_if_long(work: Callable[[], Result], char_count: int, max_chars: int = SHORT_TEXT) -> Result:
    """Run `work`, which processes a text of `char_count` characters. Use a thread if these are over `max_chars`."""
    return await asyncio.to_thread(work) if char_count > max_chars else work()


@asynccontextmanager
async def run_in_background(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run `work` until the block ends. If it fails, log the error at once and do not run it again."""
    task = asyncio.create_task(work)
    task.add_done_callback(_log_task_failure)
    try:
        yield
    finally:
        await cancel_and_wait(task)


def _log_task_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        # Without the error's text, which may quote what people said.
        log.error("%s ended with %s", getattr(task.get_coro(), "__qualname__", "a task"), type(error).__name__)


@asynccontextmanager
async def repeat_in_background(
    name: str, work: Callable[[], Awaitable[object]], *, interval: float, at_start: bool = False, grace: float = 0.0
) -> AsyncIterator[None]:
    """Run `work` every `interval` seconds (and at once if `at_start`) until the block ends. Log failures under `name`.

    When the block ends, a running call has `grace` seconds to finish.
    """
    closing = asyncio.Event()

    async def run_work_repeatedly() -> None:
        is_due = at_start
        while not closing.is_set():
            if is_due:
                try:
                    await work()
                except Exception as error:  # broad: the next run may succeed
                    # Without the error's text, which may quote what people said.
                    log.warning("%s failed: %s", name, type(error).__name__)
            is_due = True
            with suppress(TimeoutError):
                async with asyncio.timeout(interval):
                    await closing.wait()

    task = asyncio.create_task(run_work_repeatedly())
    try:
        yield
    finally:
        closing.set()
        await asyncio.wait([task], timeout=grace)
        await cancel_and_wait(task)

"""Run a coroutine step by step: cancel it, or run other code, at its nth suspension."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any


class _Stepped:
    """An awaitable that runs `work`, and awaits `between` once at the nth suspension of `work`."""

    def __init__(self, work: Coroutine[Any, Any, Any], number: int, between: Callable[[], Awaitable[Any]]) -> None:
        self._work = work
        self._number = number
        self._between = between
        self.was_reached = False

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        step, error = 0, None
        while True:
            try:
                waited_for = next(inner) if error is None else inner.throw(error)
            except StopIteration as end:
                return end.value
            error, step = None, step + 1
            try:
                if step == self._number:
                    self.was_reached = True
                    yield from self._between().__await__()
                yield waited_for
            except BaseException as raised:  # a cancellation is the work's to handle
                error = raised


async def run_with_interruption(
    work: Callable[[], Coroutine[Any, Any, Any]], number: int, between: Callable[[], Awaitable[Any]]
) -> bool:
    """Run `work` with `between` at its nth suspension. Return False if it has fewer suspensions."""
    stepped = _Stepped(work(), number, between)
    await stepped
    return stepped.was_reached


async def run_and_cancel(work: Callable[[], Coroutine[Any, Any, Any]], number: int) -> bool:
    """Run `work` as a task, and cancel it at its nth suspension. Return False if it has fewer suspensions."""

    async def cancel() -> None:
        asyncio.get_running_loop().call_soon(task.cancel)

    stepped = _Stepped(work(), number, cancel)

    async def run() -> None:
        await stepped

    task = asyncio.create_task(run())
    await asyncio.wait({task})
    if not task.cancelled() and task.exception() is not None:
        await task
    return stepped.was_reached


async def wait_for_background_tasks(of_class: type) -> None:
    """Wait until all running tasks whose coroutine is a method of this class have ended."""
    names = ((task, getattr(task.get_coro(), "__qualname__", "")) for task in asyncio.all_tasks())
    await asyncio.gather(*(task for task, name in names if name.startswith(f"{of_class.__name__}.")))

"""Tasks end when they are told to, whatever they are waiting for at that moment."""

import asyncio
from contextlib import suppress

import pytest

from runtime import tasks
from storage.bot_state.replica import Replica


async def test_what_passes_a_cancellation_over_is_cancelled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "AGAIN_SECONDS", 0.001)
    begun = asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        for _ in range(2):
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(stubborn())
    await begun.wait()
    await tasks.cancel_and_wait(task)
    assert task.cancelled()


async def test_a_process_that_is_called_at_the_moment_of_its_stop_stops() -> None:
    """With asyncio.wait_for of Python 3.11 it went on, and the stop waited for it."""
    replica = Replica("here")
    waiting = asyncio.create_task(replica.wait_for_work())
    await asyncio.sleep(0)
    replica.called.set()
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()

"""Tasks end when they are told to, whatever they are waiting for at that moment."""

import asyncio
from contextlib import suppress

import pytest

from runtime import tasks
from storage.engine.replica import Replica


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


async def test_a_first_cancellation_waits_for_the_work_and_a_second_one_ends_it() -> None:
    for cancellations in (1, 2):
        begun, going_on, ended = asyncio.Event(), asyncio.Event(), list[str]()

        async def deliver(begun: asyncio.Event, going_on: asyncio.Event, ended: list[str]) -> None:
            begun.set()
            await going_on.wait()
            ended.append("delivered")

        task = asyncio.create_task(tasks.finish_if_cancelled(deliver(begun, going_on, ended)))
        await begun.wait()
        for _ in range(cancellations):
            task.cancel()
            await asyncio.sleep(0)
        going_on.set()
        await asyncio.wait([task])
        assert (task.cancelled(), ended) == (True, ["delivered"] if cancellations == 1 else [])


async def test_a_step_that_fails_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    broken = 0
    done = asyncio.Event()

    async def breaks() -> None:
        nonlocal broken
        broken += 1
        raise ValueError("what somebody said")

    async def works() -> None:
        if broken > 1:
            done.set()

    breaking = tasks.repeat_in_background("breaking", breaks, interval=0.001)
    working = tasks.repeat_in_background("working", works, interval=0.001)
    async with breaking, working:
        await asyncio.wait_for(done.wait(), 10)
    assert "breaking failed: ValueError" in caplog.text
    assert "somebody" not in caplog.text


async def test_a_step_may_run_at_the_start_already() -> None:
    begun = asyncio.Event()

    async def works() -> None:
        begun.set()

    async with tasks.repeat_in_background("working", works, interval=3600, at_start=True):
        await asyncio.wait_for(begun.wait(), 10)


async def test_steps_repeat_until_the_block_ends() -> None:
    enough = asyncio.Event()
    times = 0

    async def works() -> None:
        nonlocal times
        times += 1
        if times == 3:
            enough.set()

    async with tasks.repeat_in_background("working", works, interval=0.001):
        await asyncio.wait_for(enough.wait(), 10)
    ended = times
    await asyncio.sleep(0)
    assert times == ended


async def test_work_that_ended_early_is_named_in_the_log_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks() -> None:
        raise ValueError("what somebody said")

    async with tasks.run_in_background(breaks()):
        for _ in range(3):
            await asyncio.sleep(0)
        assert "breaks ended with ValueError" in caplog.text
    assert "somebody" not in caplog.text

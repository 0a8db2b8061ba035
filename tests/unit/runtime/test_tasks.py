"""Tasks end when cancelled, whatever they are waiting for."""

import asyncio
from contextlib import suppress

import pytest

from runtime import tasks
from storage.engine.replica import Replica


async def test_cancels_task_again_if_cancellation_is_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_replica_wait_is_cancelled_even_if_work_arrives_simultaneously() -> None:
    """With asyncio.wait_for of Python 3.11 the task ignored its cancellation and blocked the shutdown."""
    replica = Replica("here")
    waiting = asyncio.create_task(replica.wait_for_work())
    await asyncio.sleep(0)
    replica.called.set()
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()


async def test_first_cancellation_waits_for_work_and_second_aborts() -> None:
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


async def test_failing_periodic_task_does_not_stop_others(caplog: pytest.LogCaptureFixture) -> None:
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


async def test_periodic_task_can_run_at_start() -> None:
    begun = asyncio.Event()

    async def works() -> None:
        begun.set()

    async with tasks.repeat_in_background("working", works, interval=3600, at_start=True):
        await asyncio.wait_for(begun.wait(), 10)


async def test_periodic_task_repeats_until_block_exits() -> None:
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
    await asyncio.sleep(0.05)  # fifty intervals
    assert times == ended


async def test_logs_background_work_that_fails_early(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks() -> None:
        raise ValueError("what somebody said")

    async with tasks.run_in_background(breaks()):
        for _ in range(3):
            await asyncio.sleep(0)
        assert "breaks ended with ValueError" in caplog.text
    assert "somebody" not in caplog.text

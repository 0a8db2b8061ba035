"""Steps beside the talk: each in its time, each failing by itself."""

import asyncio

import pytest

from background.scheduler import ScheduledTask, run_scheduled_tasks


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

    breaking = ScheduledTask(name="breaking", work=breaks, every=0.001)
    working = ScheduledTask(name="working", work=works, every=0.001)
    async with run_scheduled_tasks([breaking, working]):
        await asyncio.wait_for(done.wait(), 10)
    assert "breaking failed: ValueError" in caplog.text
    assert "somebody" not in caplog.text


async def test_a_step_may_run_at_the_start_already() -> None:
    begun = asyncio.Event()

    async def works() -> None:
        begun.set()

    async with run_scheduled_tasks([ScheduledTask(name="working", work=works, every=3600, at_start=True)]):
        await asyncio.wait_for(begun.wait(), 10)


async def test_steps_repeat_until_the_block_ends() -> None:
    enough = asyncio.Event()
    times = 0

    async def works() -> None:
        nonlocal times
        times += 1
        if times == 3:
            enough.set()

    async with run_scheduled_tasks([ScheduledTask(name="working", work=works, every=0.001)]):
        await asyncio.wait_for(enough.wait(), 10)
    ended = times
    await asyncio.sleep(0)
    assert times == ended

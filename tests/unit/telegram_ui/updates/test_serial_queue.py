"""Tests of the queues that run the jobs of each lane in order."""

import asyncio
from functools import partial

import pytest

from records.errors import ServedElsewhere
from telegram_ui.updates.serial_queue import SerialQueues, Work
from tests.support.queued_jobs import wait_for_queued_jobs


class JobLog:
    """A factory of jobs that record their start and wait for their gate if they have one."""

    def __init__(self) -> None:
        self.started_names: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.first = asyncio.Event()

    async def run_job(self, name: str) -> None:
        self.started_names.append(name)
        self.first.set()
        if name in self.gates:
            await self.gates[name].wait()

    def __call__(self, name: str, *, is_gated: bool = False) -> Work:
        if is_gated:
            self.gates[name] = asyncio.Event()
        return partial(self.run_job, name)


async def test_lane_keeps_order_and_lanes_run_in_parallel() -> None:
    queues, log = SerialQueues("test", max_running=9), JobLog()
    queues.submit("a", log("a1", is_gated=True))
    queues.submit("a", log("a2"))
    queues.submit("b", log("b1"))
    await asyncio.sleep(0)
    assert log.started_names == ["a1", "b1"]
    log.gates["a1"].set()
    await wait_for_queued_jobs()
    assert log.started_names == ["a1", "b1", "a2"]
    assert len(queues) == 0


async def test_follow_up_job_runs_before_jobs_already_queued() -> None:
    """Example: after a restart, an anonymous admin's button press must precede the number sent after it."""
    queues, log = SerialQueues("test", max_running=9), JobLog()

    async def check_press() -> None:
        queues.submit("a", log("press"), is_next=True)

    queues.submit("a", check_press)
    queues.submit("a", log("number"))
    await wait_for_queued_jobs()
    assert log.started_names == ["press", "number"]


async def test_lane_with_backlog_takes_turns_with_other_lanes() -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()
    for name in ("a1", "a2", "a3"):
        queues.submit("a", log(name))
    queues.submit("b", log("b1"))
    queues.submit("c", log("c1"))
    await wait_for_queued_jobs()
    assert log.started_names == ["a1", "b1", "c1", "a2", "a3"]


async def test_number_of_running_jobs_is_limited() -> None:
    queues, log = SerialQueues("test", max_running=2), JobLog()
    for name in "abc":
        queues.submit(name, log(name, is_gated=True))
    await asyncio.sleep(0)
    assert log.started_names == ["a", "b"]
    for gate in log.gates.values():
        gate.set()
    await wait_for_queued_jobs()
    assert log.started_names == ["a", "b", "c"]


async def test_owner_limit_leaves_slots_for_others() -> None:
    queues, log = SerialQueues("test", max_running=4, max_per_owner=2, get_owner=lambda key: key[0]), JobLog()
    for name in ("a1", "a2", "a3", "a4", "b1"):
        queues.submit(name, log(name, is_gated=name != "b1"))
    await asyncio.sleep(0)
    assert log.started_names == ["a1", "a2", "b1"]
    for gate in log.gates.values():
        gate.set()
    await wait_for_queued_jobs()
    assert log.started_names == ["a1", "a2", "b1", "a3", "a4"]


async def test_held_job_keeps_position_without_using_slot() -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()
    ticket = queues.submit("a", log("a1"), waits_for_release=True)
    queues.submit("a", log("a2"))
    queues.submit("b", log("b1"))
    await asyncio.sleep(0)
    assert log.started_names == ["b1"]
    queues.release_held_job(ticket)
    queues.release_held_job(ticket)
    await wait_for_queued_jobs()
    assert log.started_names == ["b1", "a1", "a2"]


async def test_failing_job_does_not_stop_lane() -> None:
    async def fail() -> None:
        raise RuntimeError

    queues, log = SerialQueues("test", max_running=1), JobLog()
    queues.submit("a", fail)
    queues.submit("a", log("a2"))
    await wait_for_queued_jobs()
    assert log.started_names == ["a2"]


async def test_cancelled_job_is_followed_by_next_job() -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()
    work, finishing = log("a1", is_gated=True), asyncio.Event()

    async def stoppable() -> None:
        try:
            with queues.allow_cancelling_job("a"):
                await work()
        finally:
            await finishing.wait()

    queues.submit("a", stoppable)
    queues.submit("a", log("a2"))
    assert not queues.try_to_cancel_running_job("a")  # nothing has begun yet
    await asyncio.sleep(0)
    assert queues.try_to_cancel_running_job("a")
    assert not queues.try_to_cancel_running_job("a"), "it ends already"
    assert queues.pop_first_work_of_type("a", object) is None
    finishing.set()
    await wait_for_queued_jobs()
    assert log.started_names == ["a1", "a2"]
    assert not queues.try_to_cancel_running_job("a")


async def test_job_past_cancellable_section_is_not_cancelled() -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()

    async def finished() -> None:
        with queues.allow_cancelling_job("a"):
            pass
        await log("a1", is_gated=True)()

    queues.submit("a", finished)
    queues.submit("a", log("a2"))
    await log.first.wait()
    assert queues.has_running_job("a")
    assert not queues.try_to_cancel_running_job("a")
    assert queues.pop_first_work_of_type("a", object) is not None
    log.gates["a1"].set()
    await wait_for_queued_jobs()
    assert log.started_names == ["a1"]


async def test_only_waiting_jobs_can_be_dropped() -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()
    work = log("a1")
    queues.submit("a", work)
    assert queues.pop_first_work_of_type("a", object) is work

    async def begun() -> None:
        with queues.allow_cancelling_job("b"):
            await log("b1", is_gated=True)()

    queues.submit("b", begun)
    queues.submit("c", log("c1"))
    await log.first.wait()
    assert queues.pop_first_work_of_type("b", object) is None
    assert queues.pop_first_work_of_type("c", object) is not None
    assert queues.pop_first_work_of_type("c", object) is None
    log.gates["b1"].set()
    await wait_for_queued_jobs()
    assert log.started_names == ["b1"]


async def test_close_cancels_running_job_and_starts_no_further_jobs() -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()
    queues.submit("a", log("a1", is_gated=True))
    queues.submit("a", log("a2"))
    await asyncio.sleep(0)
    await queues.close(grace=1)
    queues.submit("b", log("b1"))
    await asyncio.sleep(0)
    assert log.started_names == ["a1"]


async def test_close_lets_short_job_finish_and_cancels_slow_job() -> None:
    ended = []

    async def finish_quickly() -> None:
        await asyncio.sleep(0)
        ended.append("quick")

    async def wait_until_cancelled() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")

    queues = SerialQueues("test", max_running=2)
    queues.submit("a", finish_quickly)
    queues.submit("b", wait_until_cancelled)
    await queues.close(grace=1, timeout=0.05)
    assert ended == ["quick", "slow"]


async def test_close_cancels_stubborn_job_again() -> None:
    ended = asyncio.Event()

    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    queues = SerialQueues("test", max_running=1)
    queues.submit("a", stubborn)
    await asyncio.sleep(0)
    await queues.close(grace=0.01)
    assert ended.is_set()


async def test_served_elsewhere_is_not_logged_as_error(caplog: pytest.LogCaptureFixture) -> None:
    queues, log = SerialQueues("test", max_running=1), JobLog()

    async def moved() -> None:
        raise ServedElsewhere

    queues.submit("a", moved)
    queues.submit("a", log("next"))
    await wait_for_queued_jobs()
    assert log.started_names == ["next"]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []

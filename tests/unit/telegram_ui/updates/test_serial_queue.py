"""Ordered work, lane by lane."""

import asyncio
from functools import partial

import pytest

from records.errors import ServedElsewhere
from telegram_ui.updates.serial_queue import SerialQueues, Work


class Log:
    """Work that notes when it begins, and waits for its gate if it has one."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.first = asyncio.Event()

    async def work(self, name: str) -> None:
        self.begun.append(name)
        self.first.set()
        if name in self.gates:
            await self.gates[name].wait()

    def __call__(self, name: str, *, gated: bool = False) -> Work:
        if gated:
            self.gates[name] = asyncio.Event()
        return partial(self.work, name)


async def test_a_lane_keeps_its_order_and_others_do_not_wait() -> None:
    queues, log = SerialQueues("test", max_running=9), Log()
    queues.submit("a", log("a1", gated=True))
    queues.submit("a", log("a2"))
    queues.submit("b", log("b1"))
    await asyncio.sleep(0)
    assert log.begun == ["a1", "b1"]
    log.gates["a1"].set()
    await queues.wait_until_idle()
    assert log.begun == ["a1", "b1", "a2"]
    assert len(queues) == 0


async def test_what_a_job_hands_on_comes_before_what_was_sent_after_it() -> None:
    """An anonymous admin's press on a storage, and the number that answers the next question, wait after a restart."""
    queues, log = SerialQueues("test", max_running=9), Log()

    async def check_press() -> None:
        queues.submit("a", log("press"), is_next=True)

    queues.submit("a", check_press)
    queues.submit("a", log("number"))
    await queues.wait_until_idle()
    assert log.begun == ["press", "number"]


async def test_a_backlog_takes_turns_with_the_other_lanes() -> None:
    queues, log = SerialQueues("test", max_running=1), Log()
    for name in ("a1", "a2", "a3"):
        queues.submit("a", log(name))
    queues.submit("b", log("b1"))
    queues.submit("c", log("c1"))
    await queues.wait_until_idle()
    assert log.begun == ["a1", "b1", "c1", "a2", "a3"]


async def test_no_more_than_so_many_run_at_once() -> None:
    queues, log = SerialQueues("test", max_running=2), Log()
    for name in "abc":
        queues.submit(name, log(name, gated=True))
    await asyncio.sleep(0)
    assert log.begun == ["a", "b"]
    for gate in log.gates.values():
        gate.set()
    await queues.wait_until_idle()
    assert log.begun == ["a", "b", "c"]


async def test_the_queues_of_one_owner_leave_places_to_others() -> None:
    queues, log = SerialQueues("test", max_running=4, max_per_owner=2, get_owner=lambda key: key[0]), Log()
    for name in ("a1", "a2", "a3", "a4", "b1"):
        queues.submit(name, log(name, gated=name != "b1"))
    await asyncio.sleep(0)
    assert log.begun == ["a1", "a2", "b1"]
    for gate in log.gates.values():
        gate.set()
    await queues.wait_until_idle()
    assert log.begun == ["a1", "a2", "b1", "a3", "a4"]


async def test_a_held_ticket_keeps_its_place_and_takes_no_slot() -> None:
    queues, log = SerialQueues("test", max_running=1), Log()
    ticket = queues.submit("a", log("a1"), waits_for_release=True)
    queues.submit("a", log("a2"))
    queues.submit("b", log("b1"))
    await asyncio.sleep(0)
    assert log.begun == ["b1"]
    queues.release_held_job(ticket)
    queues.release_held_job(ticket)
    await queues.wait_until_idle()
    assert log.begun == ["b1", "a1", "a2"]


async def test_work_that_fails_does_not_stop_its_lane() -> None:
    async def fail() -> None:
        raise RuntimeError

    queues, log = SerialQueues("test", max_running=1), Log()
    queues.submit("a", fail)
    queues.submit("a", log("a2"))
    await queues.wait_until_idle()
    assert log.begun == ["a2"]


async def test_cancelling_ends_what_runs_and_the_next_begins() -> None:
    queues, log = SerialQueues("test", max_running=1), Log()
    work, finishing = log("a1", gated=True), asyncio.Event()

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
    await queues.wait_until_idle()
    assert log.begun == ["a1", "a2"]
    assert not queues.try_to_cancel_running_job("a")


async def test_what_is_finished_is_not_cancelled_and_what_waits_behind_it_may_be_dropped() -> None:
    queues, log = SerialQueues("test", max_running=1), Log()

    async def finished() -> None:
        with queues.allow_cancelling_job("a"):
            pass
        await log("a1", gated=True)()

    queues.submit("a", finished)
    queues.submit("a", log("a2"))
    await log.first.wait()
    assert queues.has_running_job("a")
    assert not queues.try_to_cancel_running_job("a")
    assert queues.pop_first_work_of_type("a", object) is not None
    log.gates["a1"].set()
    await queues.wait_until_idle()
    assert log.begun == ["a1"]


async def test_what_has_not_begun_can_be_dropped() -> None:
    queues, log = SerialQueues("test", max_running=1), Log()
    work = log("a1")
    queues.submit("a", work)
    assert queues.pop_first_work_of_type("a", object) is work

    async def begun() -> None:
        with queues.allow_cancelling_job("b"):
            await log("b1", gated=True)()

    queues.submit("b", begun)
    queues.submit("c", log("c1"))
    await log.first.wait()
    assert queues.pop_first_work_of_type("b", object) is None
    assert queues.pop_first_work_of_type("c", object) is not None
    assert queues.pop_first_work_of_type("c", object) is None
    log.gates["b1"].set()
    await queues.wait_until_idle()
    assert log.begun == ["b1"]


async def test_closing_cancels_what_runs_and_begins_nothing_more() -> None:
    queues, log = SerialQueues("test", max_running=1), Log()
    queues.submit("a", log("a1", gated=True))
    queues.submit("a", log("a2"))
    await asyncio.sleep(0)
    await queues.close(grace=1)
    queues.submit("b", log("b1"))
    await asyncio.sleep(0)
    assert log.begun == ["a1"]


async def test_closing_lets_end_what_ends_in_time() -> None:
    ended = []

    async def quick() -> None:
        await asyncio.sleep(0)
        ended.append("quick")

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("slow")

    queues = SerialQueues("test", max_running=2)
    queues.submit("a", quick)
    queues.submit("b", slow)
    await queues.close(grace=1, timeout=0.05)
    assert ended == ["quick", "slow"]


async def test_closing_cancels_again_what_does_not_end_in_time() -> None:
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


async def test_what_another_process_serves_by_now_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    queues, log = SerialQueues("test", max_running=1), Log()

    async def moved() -> None:
        raise ServedElsewhere

    queues.submit("a", moved)
    queues.submit("a", log("next"))
    await queues.wait_until_idle()
    assert log.begun == ["next"]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []

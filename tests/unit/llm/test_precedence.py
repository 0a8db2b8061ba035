"""Answers have priority over background requests, which are interrupted and retried within limits."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

import pytest

from llm.precedence import MAX_INTERRUPTIONS, Precedence
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness


class BackgroundWork:
    """A background request that ends when `may_end` is set. It counts how often it was started."""

    def __init__(self) -> None:
        self.start_count = 0
        self.started = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.start_count += 1
        self.started.set()
        await self.may_end.wait()
        return "done"


class RunningAnswer:
    """An answer that holds back background requests until `end()`."""

    def __init__(self, order: Precedence) -> None:
        self.started, self._may_end = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._answer(order))

    @classmethod
    async def start(cls, order: Precedence) -> Self:
        one = cls(order)
        await one.started.wait()
        return one

    async def end(self) -> None:
        self._may_end.set()
        await self._task

    async def _answer(self, order: Precedence) -> None:
        async with order.hold_background_requests():
            self.started.set()
            await self._may_end.wait()


async def run_event_loop_steps() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_background_work_waits_for_all_answers() -> None:
    order, work = Precedence(), BackgroundWork()
    work.may_end.set()
    one, other = await RunningAnswer.start(order), await RunningAnswer.start(order)
    waiting = asyncio.create_task(order.run_when_idle(work))
    await one.end()
    await run_event_loop_steps()
    assert work.start_count == 0
    await other.end()
    assert await waiting == "done"


async def test_answer_interrupts_background_work_which_restarts_afterwards() -> None:
    order, work = Precedence(), BackgroundWork()
    running = asyncio.create_task(order.run_when_idle(work))
    await work.started.wait()
    async with order.hold_background_requests():
        await run_event_loop_steps()
        assert not running.done()
        assert work.start_count == 1
        work.may_end.set()
    assert await running == "done"
    assert work.start_count == 2


async def test_background_work_is_not_interrupted_beyond_max_interruptions() -> None:
    order, work = Precedence(), BackgroundWork()
    running = asyncio.create_task(order.run_when_idle(work))
    for number in range(MAX_INTERRUPTIONS + 3):
        await run_event_loop_steps()
        async with order.hold_background_requests():
            await run_event_loop_steps()
        assert work.start_count <= min(number + 2, MAX_INTERRUPTIONS + 1)
    work.may_end.set()
    assert await running == "done"
    assert work.start_count == MAX_INTERRUPTIONS + 1


async def test_background_work_starts_after_max_wait_despite_answer() -> None:
    order, work = Precedence(max_wait_seconds=0.01), BackgroundWork()
    work.may_end.set()
    answer = await RunningAnswer.start(order)
    assert await order.run_when_idle(work) == "done"
    await answer.end()


async def test_background_work_needed_by_answer_does_not_wait() -> None:
    order, work = Precedence(), BackgroundWork()
    work.may_end.set()
    async with order.hold_background_requests():
        assert await order.run_when_idle(work) == "done"


async def test_cancelled_background_work_is_not_restarted() -> None:
    order, work = Precedence(), BackgroundWork()
    running = asyncio.create_task(order.run_when_idle(work))
    await work.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert work.start_count == 1


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(tmp_path, facts="off") as talk:
        for person in (ANNA, BORIS):
            await talk.turn_on_memory(owner=person.id, every_n=1)
        yield talk


async def test_fold_waits_for_running_answer(talk: ChatHarness) -> None:
    await talk.say("The heron stands in the pond.")
    talk.server.script("chat-model", Behaviour(text="Yes.", hold="start"))
    answering = asyncio.create_task(talk.say("Is it so?", person=BORIS))
    await talk.server.wait_until_held()
    folding = asyncio.create_task(talk.conversation.run_post_turn_tasks(Scope(owner=ANNA.id)))
    # Whatever the fold reads from the store is read by then: this goes through the same store.
    await talk.services.summaries.read_status(Scope(owner=ANNA.id))
    assert talk.server.list_requests("summary-model") == []
    await talk.server.release()
    await answering
    assert await folding == ()
    assert len(talk.server.list_requests("summary-model")) == 1


async def test_message_interrupts_fold_which_is_retried_after_answer(talk: ChatHarness) -> None:
    await talk.say("The heron stands in the pond.")
    talk.server.script("summary-model", Behaviour(text="Too late.", hold="start"))
    folding = asyncio.create_task(talk.conversation.run_post_turn_tasks(Scope(owner=ANNA.id)))
    await talk.server.wait_until_held()
    assert (await talk.say("Is it so?", person=BORIS)).text == "Understood."
    await talk.server.until_hung_up()
    assert await folding == ()
    assert [request.model for request in talk.server.requests[1:]] == ["summary-model", "chat-model", "summary-model"]
    (made,) = await talk.services.summaries.list_active_summaries(Scope(owner=ANNA.id))
    assert made.text == "The user talked about several things."

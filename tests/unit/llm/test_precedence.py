"""Answers go first at an endpoint: background requests wait, give way, and are taken up again, but not for ever."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Self

import pytest

from llm.precedence import MAX_INTERRUPTIONS, Precedence
from records.scopes import Scope
from tests.peers.openai_server import Behaviour
from tests.support.talk import ANNA, BORIS, Talk, talking


class Work:
    """A background request that ends when it is told to. `begun`: how often it was begun."""

    def __init__(self) -> None:
        self.begun = 0
        self.started = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        self.started.set()
        await self.may_end.wait()
        return "done"


class Answer:
    """Somebody is answered until `end`."""

    def __init__(self, order: Precedence) -> None:
        self.is_begun, self._may_end = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._answer(order))

    @classmethod
    async def begun(cls, order: Precedence) -> Self:
        one = cls(order)
        await one.is_begun.wait()
        return one

    async def end(self) -> None:
        self._may_end.set()
        await self._task

    async def _answer(self, order: Precedence) -> None:
        async with order.hold_background_requests():
            self.is_begun.set()
            await self._may_end.wait()


async def turns_of_the_loop() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_background_work_waits_for_the_answers_and_is_then_done() -> None:
    order, work = Precedence(), Work()
    work.may_end.set()
    one, other = await Answer.begun(order), await Answer.begun(order)
    waiting = asyncio.create_task(order.run_when_idle(work))
    await one.end()
    await turns_of_the_loop()
    assert work.begun == 0
    await other.end()
    assert await waiting == "done"


async def test_an_answer_interrupts_what_runs_and_itis_begun_again_after_it() -> None:
    order, work = Precedence(), Work()
    running = asyncio.create_task(order.run_when_idle(work))
    await work.started.wait()
    async with order.hold_background_requests():
        await turns_of_the_loop()
        assert not running.done()
        assert work.begun == 1
        work.may_end.set()
    assert await running == "done"
    assert work.begun == 2


async def test_what_gave_way_often_enough_is_finished() -> None:
    order, work = Precedence(), Work()
    running = asyncio.create_task(order.run_when_idle(work))
    for number in range(MAX_INTERRUPTIONS + 3):
        await turns_of_the_loop()
        async with order.hold_background_requests():
            await turns_of_the_loop()
        assert work.begun <= min(number + 2, MAX_INTERRUPTIONS + 1)
    work.may_end.set()
    assert await running == "done"
    assert work.begun == MAX_INTERRUPTIONS + 1


async def test_after_a_long_wait_itis_begun_in_any_case() -> None:
    order, work = Precedence(max_wait_seconds=0.01), Work()
    work.may_end.set()
    answer = await Answer.begun(order)
    assert await order.run_when_idle(work) == "done"
    await answer.end()


async def test_what_an_answer_itself_needs_does_not_wait_for_it() -> None:
    order, work = Precedence(), Work()
    work.may_end.set()
    async with order.hold_background_requests():
        assert await order.run_when_idle(work) == "done"


async def test_who_cancels_background_work_is_obeyed() -> None:
    order, work = Precedence(), Work()
    running = asyncio.create_task(order.run_when_idle(work))
    await work.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert work.begun == 1


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path, facts="off") as talk:
        for person in (ANNA, BORIS):
            await talk.remember(owner=person.id, every_n=1)
        yield talk


async def test_a_fold_waits_while_somebody_is_answered(talk: Talk) -> None:
    await talk.say("The heron stands in the pond.")
    talk.server.script("chat-model", Behaviour(text="Yes.", hold="start"))
    answering = asyncio.create_task(talk.say("Is it so?", person=BORIS))
    await talk.server.until_held()
    folding = asyncio.create_task(talk.conversation.run_post_turn_tasks(Scope(owner=ANNA.id)))
    # Whatever the fold reads from the store is read by then: this goes through the same store.
    await talk.services.summaries.read_status(Scope(owner=ANNA.id))
    assert talk.server.of("summary-model") == []
    await talk.server.release()
    await answering
    assert await folding == ()
    assert len(talk.server.of("summary-model")) == 1


async def test_a_message_interrupts_a_fold_which_is_taken_up_after_the_answer(talk: Talk) -> None:
    await talk.say("The heron stands in the pond.")
    talk.server.script("summary-model", Behaviour(text="Too late.", hold="start"))
    folding = asyncio.create_task(talk.conversation.run_post_turn_tasks(Scope(owner=ANNA.id)))
    await talk.server.until_held()
    assert (await talk.say("Is it so?", person=BORIS)).text == "Understood."
    await talk.server.until_hung_up()
    assert await folding == ()
    assert [request.model for request in talk.server.requests[1:]] == ["summary-model", "chat-model", "summary-model"]
    (made,) = await talk.services.summaries.list_active_summaries(Scope(owner=ANNA.id))
    assert made.text == "The user talked about several things."

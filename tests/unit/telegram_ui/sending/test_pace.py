"""Tests of the global sending rate, and of the priority of final messages over previews."""

import asyncio
import time

import pytest
from telegram.ext import ExtBot

from playground.bot_api import make_bot_api
from playground.limits import BURST_SECONDS, MAX_PER_MINUTE_IN_GROUP, MAX_PER_SECOND, SendingLimits, is_rate_limited
from playground.server import serve
from playground.world import World
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.sending.pace import LIMIT_SECONDS, MAX_MESSAGES_A_SECOND, MAX_PREVIEWS_A_SECOND, SendingPace
from telegram_ui.sending.streaming import AnswerStream
from tests.unit.telegram_ui.commands.conftest import TOKEN, ManualClock

MANY = 45
"""Number of chats, which exceeds the messages that Telegram accepts per second."""


async def measure_send_times(pace: SendingPace, clock: ManualClock, kind: str, number: int) -> list[float]:
    """Send `number` messages of a kind, and return the seconds after which each was allowed."""
    start, moments = clock.time(), list[float]()

    async def one() -> None:
        await (pace.wait_before_final_message() if kind == "final" else pace.wait_before_preview())
        moments.append(clock.time() - start)

    waiting = [asyncio.create_task(one()) for _ in range(number)]
    while len(moments) < number:
        for _ in range(3 * number):  # each that waits for its turn needs a few rounds of the loop
            await asyncio.sleep(0)
        if len(moments) < number:
            clock.advance(await clock.wait_for_sleeper())
    await asyncio.gather(*waiting)
    return moments


async def test_final_messages_do_not_wait_before_any_refusal() -> None:
    clock = ManualClock()
    pace = SendingPace(clock)
    assert await measure_send_times(pace, clock, "final", 100) == [0.0] * 100


async def test_previews_are_limited_before_any_refusal() -> None:
    clock = ManualClock()
    pace = SendingPace(clock)
    few = MAX_PREVIEWS_A_SECOND // 2
    assert await measure_send_times(pace, clock, "final", few) == [0.0] * few
    assert await measure_send_times(pace, clock, "preview", few + 1) == [0.0] * few + [1.0]
    assert await measure_send_times(pace, clock, "final", 100) == [0.0] * 100


async def test_final_messages_are_limited_after_refusal_and_precede_previews() -> None:
    clock = ManualClock()
    pace = SendingPace(clock)
    pace.limit_final_message_rate()
    assert await measure_send_times(pace, clock, "final", 2 * MAX_MESSAGES_A_SECOND + 1) == [
        0.0
    ] * MAX_MESSAGES_A_SECOND + [1.0] * MAX_MESSAGES_A_SECOND + [2.0]
    clock.advance(1.0)
    assert (
        await measure_send_times(pace, clock, "preview", 2 * MAX_PREVIEWS_A_SECOND)
        == [0.0] * MAX_PREVIEWS_A_SECOND + [1.0] * MAX_PREVIEWS_A_SECOND
    )
    # Twenty previews have just gone: eight texts find room at once, and no preview is before the next.
    assert (await measure_send_times(pace, clock, "final", 9))[7:] == [0.0, 1.0]
    clock.advance(LIMIT_SECONDS)
    assert await measure_send_times(pace, clock, "final", 100) == [0.0] * 100


def test_local_server_enforces_telegram_sending_limits() -> None:
    now = [100.0]
    limits = SendingLimits(lambda: now[0])
    assert [limits.reserve_or_get_wait_seconds(chat) for chat in range(1, MAX_PER_SECOND + 2)] == [
        0
    ] * MAX_PER_SECOND + [1]
    now[0] += 1
    assert [limits.reserve_or_get_wait_seconds(1) for _ in range(BURST_SECONDS)] == [0] * (BURST_SECONDS - 1) + [2]
    now[0] += 60
    took = []
    for _ in range(MAX_PER_MINUTE_IN_GROUP + 1):
        took.append(limits.reserve_or_get_wait_seconds(-5))
        now[0] += 1
    assert took == [0] * MAX_PER_MINUTE_IN_GROUP + [40]
    assert is_rate_limited("sendMessageDraft")
    assert is_rate_limited("editMessageText")
    assert not is_rate_limited("sendChatAction")
    assert not is_rate_limited("getUpdates")


async def test_concurrent_answers_all_arrive_within_telegram_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runs over HTTP and in real time."""
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
    world = World(token=TOKEN)
    for person in range(1, MANY + 1):
        world.add_person(person, f"Person {person}")
        world.say(person, person, "hello")
    async with serve(make_bot_api(world, limits=SendingLimits(time.monotonic))) as url:
        request = AiohttpRequest(read_timeout=20.0, trust_env=False, connection_pool_size=MANY)
        updates = AiohttpRequest(trust_env=False)
        async with ExtBot[None](TOKEN, base_url=f"{url}/bot", request=request, get_updates_request=updates) as bot:
            delivery = Delivery(bot)
            streams = [AnswerStream(delivery, Chat(id=person)) for person in range(1, MANY + 1)]
            for stream in streams:
                await stream.schedule_preview("It is as")
            # The first previews are out. The others leave room for texts.
            while len([call for call in world.calls if call["method"] == "sendMessageDraft"]) < MAX_PREVIEWS_A_SECOND:
                await world.calls.wait_for_entries(world.calls.last)
            await asyncio.gather(*(stream.send_final_answer("It is as I said.") for stream in streams))
    texts = [
        message["text"] for chat in world.messages.values() for message in chat.values() if message["from"]["is_bot"]
    ]
    assert texts == ["It is as I said."] * MANY
    refused = [call["method"] for call in world.calls if call["answer"].get("error_code") == 429]
    assert refused.count("sendMessage") < MANY, (
        "texts keep the limit, as far as a busy machine lets them arrive in time"
    )

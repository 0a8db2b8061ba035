"""Faults are real: what is dropped is dropped on the wire, what took effect took effect. And the journal."""

import asyncio

import httpx
import pytest
from telegram import MessageEntity
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter
from telegram.ext import ExtBot

from playground.faults import Fault, Faults, parse_fault
from playground.parameters import Parameters

from .conftest import ANN, BOB, TOKEN, Telegram

Bot = ExtBot[None]


def shown(telegram: Telegram) -> list[str]:
    """The bot's messages to Ann."""
    messages = telegram.world.make_snapshot()["messages"][str(ANN)]
    return [message["text"] for message in messages if message["from"]["is_bot"]]


@pytest.fixture(autouse=True)
def _started(telegram: Telegram) -> None:
    telegram.world.say(ANN, ANN, "hi")
    telegram.world.say(BOB, BOB, "hi")


async def test_retry_after_hits_the_chat_it_names(
    telegram: Telegram, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # without it PTB warns whenever it is told to wait
    telegram.faults.add(Fault(kind="retry_after", method="sendMessage", chat_id=ANN, retry_after=7))
    await bot.send_message(BOB, "passes")
    with pytest.raises(RetryAfter):
        await bot.send_message(ANN, "one")
    [call] = [call for call in telegram.world.calls if call["fault"]]
    assert call["answer"]["description"] == "Too Many Requests: retry after 7"
    assert call["answer"]["parameters"] == {"retry_after": 7}
    await bot.send_message(ANN, "two")
    assert shown(telegram) == ["two"]


async def test_a_drop_before_has_no_effect(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="drop_before", method="sendMessage"))
    with pytest.raises(NetworkError):
        await bot.send_message(ANN, "lost")
    assert shown(telegram) == []


async def test_a_drop_after_has_its_effect(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="drop_after", method="sendMessage"))
    with pytest.raises(NetworkError):
        await bot.send_message(ANN, "shown")
    assert shown(telegram) == ["shown"]


async def test_a_drop_is_a_cut_connection_on_the_wire(telegram: Telegram) -> None:
    telegram.faults.add(Fault(kind="drop_before", method="getMe"))
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await telegram.http.get(f"{telegram.url}/bot{TOKEN}/getMe")
    assert (await telegram.call("getMe"))["ok"]


async def test_server_errors_and_errors_of_choice(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="server_error", times=2))
    telegram.faults.add(Fault(kind="error", error_code=403, description="Forbidden: user is deactivated"))
    for _ in range(2):
        with pytest.raises(NetworkError, match="Bad Gateway"):
            await bot.send_message(ANN, "x")
    with pytest.raises(Forbidden, match="user is deactivated"):
        await bot.send_message(ANN, "x")
    assert telegram.faults.list_faults() == []


async def test_refused_entities_leave_plain_text_alone(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="refuse_entities", times=None))
    with pytest.raises(BadRequest, match="Can't parse entities"):
        await bot.send_message(ANN, "bold", entities=[MessageEntity(MessageEntity.BOLD, 0, 4)])
    await bot.send_message(ANN, "bold")
    assert shown(telegram) == ["bold"]


async def test_a_hanging_answer_is_held_until_released(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="hang", method="sendMessage"))
    sending = asyncio.create_task(bot.send_message(ANN, "slow"))
    await telegram.world.calls.wait_for_first_match(lambda call: call["fault"] == "hang")
    assert shown(telegram) == ["slow"]
    assert not sending.done()
    telegram.faults.release_hanging_calls()
    assert (await sending).text == "slow"


def test_rules_count_calls() -> None:
    faults = Faults()
    faults.add(Fault(kind="server_error", method="sendMessage", after=1, times=2))
    hits = [faults.take_matching_fault("sendMessage", Parameters({"chat_id": ANN})) is not None for _ in range(5)]
    assert hits == [False, True, True, False, False]
    assert faults.take_matching_fault("getMe", Parameters({})) is None


@pytest.mark.parametrize("rule", [{}, {"kind": "flood"}, {"kind": "hang", "colour": 1}, {"kind": "hang", "times": "x"}])
def test_what_is_no_fault_is_refused_with_a_sentence(rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_fault(rule)


async def test_every_call_is_in_the_journal(telegram: Telegram, bot: Bot) -> None:
    since = telegram.world.calls.last
    await bot.send_message(ANN, "one")
    with pytest.raises(BadRequest):
        await bot.send_message(99, "two")
    first, second = telegram.world.calls.list_entries_since(since)
    assert (first["method"], first["params"]["chat_id"], first["params"]["text"]) == ("sendMessage", "11", "one")
    assert first["answer"]["result"]["text"] == "one"
    assert second["answer"]["description"] == "Bad Request: chat not found"

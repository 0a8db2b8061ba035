"""Injected faults take effect on the wire, and every call is in the journal."""

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


def list_bot_texts(telegram: Telegram) -> list[str]:
    """Return the texts of the bot's messages to Ann."""
    messages = telegram.world.make_snapshot()["messages"][str(ANN)]
    return [message["text"] for message in messages if message["from"]["is_bot"]]


@pytest.fixture(autouse=True)
def _started(telegram: Telegram) -> None:
    telegram.world.say(ANN, ANN, "hi")
    telegram.world.say(BOB, BOB, "hi")


async def test_retry_after_fault_affects_only_named_chat(
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
    assert list_bot_texts(telegram) == ["two"]


async def test_drop_before_fault_discards_message(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="drop_before", method="sendMessage"))
    with pytest.raises(NetworkError):
        await bot.send_message(ANN, "lost")
    assert list_bot_texts(telegram) == []


async def test_drop_after_fault_delivers_message(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="drop_after", method="sendMessage"))
    with pytest.raises(NetworkError):
        await bot.send_message(ANN, "shown")
    assert list_bot_texts(telegram) == ["shown"]


async def test_drop_fault_cuts_http_connection(telegram: Telegram) -> None:
    telegram.faults.add(Fault(kind="drop_before", method="getMe"))
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await telegram.http.get(f"{telegram.url}/bot{TOKEN}/getMe")
    assert (await telegram.call("getMe"))["ok"]


async def test_server_error_and_custom_error_faults_reach_client(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="server_error", times=2))
    telegram.faults.add(Fault(kind="error", error_code=403, description="Forbidden: user is deactivated"))
    for _ in range(2):
        with pytest.raises(NetworkError, match="Bad Gateway"):
            await bot.send_message(ANN, "x")
    with pytest.raises(Forbidden, match="user is deactivated"):
        await bot.send_message(ANN, "x")
    assert telegram.faults.list_faults() == []


async def test_refuse_entities_fault_accepts_plain_text(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="refuse_entities", times=None))
    with pytest.raises(BadRequest, match="Can't parse entities"):
        await bot.send_message(ANN, "bold", entities=[MessageEntity(MessageEntity.BOLD, 0, 4)])
    await bot.send_message(ANN, "bold")
    assert list_bot_texts(telegram) == ["bold"]


async def test_hang_fault_holds_response_until_released(telegram: Telegram, bot: Bot) -> None:
    telegram.faults.add(Fault(kind="hang", method="sendMessage"))
    sending = asyncio.create_task(bot.send_message(ANN, "slow"))
    await telegram.world.calls.wait_for_first_match(lambda call: call["fault"] == "hang")
    assert list_bot_texts(telegram) == ["slow"]
    assert not sending.done()
    telegram.faults.release_hanging_calls()
    assert (await sending).text == "slow"


def test_fault_applies_to_given_number_of_calls_after_skipped_calls() -> None:
    faults = Faults()
    faults.add(Fault(kind="server_error", method="sendMessage", after=1, times=2))
    hits = [faults.take_matching_fault("sendMessage", Parameters({"chat_id": ANN})) is not None for _ in range(5)]
    assert hits == [False, True, True, False, False]
    assert faults.take_matching_fault("getMe", Parameters({})) is None


@pytest.mark.parametrize("rule", [{}, {"kind": "flood"}, {"kind": "hang", "colour": 1}, {"kind": "hang", "times": "x"}])
def test_parse_fault_rejects_invalid_rules(rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_fault(rule)


async def test_call_journal_records_parameters_and_answers(telegram: Telegram, bot: Bot) -> None:
    since = telegram.world.calls.last
    await bot.send_message(ANN, "one")
    with pytest.raises(BadRequest):
        await bot.send_message(99, "two")
    first, second = telegram.world.calls.list_entries_since(since)
    assert (first["method"], first["params"]["chat_id"], first["params"]["text"]) == ("sendMessage", "11", "one")
    assert first["answer"]["result"]["text"] == "one"
    assert second["answer"]["description"] == "Bad Request: chat not found"

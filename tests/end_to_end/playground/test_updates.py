"""Tests of how updates reach the bot: held polls, confirmation, redelivery, a second poller, webhooks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import Update
from telegram.error import BadRequest, Conflict
from telegram.ext import Application, ExtBot, MessageHandler, filters

from playground.server import serve

from .conftest import ANN, GROUP, Telegram, make_client

Bot = ExtBot[None]


def list_texts(updates: tuple[Update, ...]) -> list[str | None]:
    return [update.message.text for update in updates if update.message]


async def test_poll_is_held_until_message_arrives(telegram: Telegram, bot: Bot) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await held_poll(telegram)
    telegram.world.say(ANN, ANN, "hi")
    assert list_texts(await poll) == ["hi"]


async def held_poll(telegram: Telegram) -> None:
    """Wait until the server holds a poll and has counted its poller."""
    await telegram.world.updates.wait_until_polled()


async def test_unconfirmed_updates_are_delivered_again(telegram: Telegram, bot: Bot) -> None:
    for text in ("one", "two", "three"):
        telegram.world.say(ANN, ANN, text)
    first = await bot.get_updates(timeout=5)
    assert list_texts(first) == ["one", "two", "three"]
    assert await bot.get_updates(timeout=5) == first
    assert list_texts(await bot.get_updates(offset=first[1].update_id, limit=1)) == ["two"]
    assert list_texts(await bot.get_updates(offset=first[2].update_id)) == ["three"]
    assert await bot.get_updates(offset=first[2].update_id + 1) == ()
    assert await bot.get_updates() == ()


async def test_negative_offset_keeps_only_last_updates(telegram: Telegram, bot: Bot) -> None:
    for text in ("one", "two", "three"):
        telegram.world.say(ANN, ANN, text)
    assert list_texts(await bot.get_updates(offset=-1)) == ["three"]
    assert list_texts(await bot.get_updates()) == ["three"]


async def test_updates_expire_after_one_day(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "old")
    telegram.clock.now += 24 * 60 * 60 + 1
    telegram.world.say(ANN, ANN, "new")
    assert list_texts(await bot.get_updates()) == ["new"]


async def test_allowed_updates_are_remembered_between_polls(telegram: Telegram, bot: Bot) -> None:
    await bot.get_updates(allowed_updates=["message"])
    said = telegram.world.say(ANN, ANN, "one")
    telegram.world.edit_message(ANN, ANN, said["message_id"], "two")
    [update] = await bot.get_updates()
    assert update.message is not None
    await bot.get_updates(offset=update.update_id + 1, allowed_updates=[])
    telegram.world.edit_message(ANN, ANN, said["message_id"], "three")
    [update] = await bot.get_updates()
    assert update.edited_message is not None


async def test_newer_poll_terminates_older_poll(telegram: Telegram, bot: Bot) -> None:
    async with make_client(telegram.url) as other:
        older = asyncio.create_task(bot.get_updates(timeout=30))
        await held_poll(telegram)
        newer = asyncio.create_task(other.get_updates(timeout=30))
        with pytest.raises(Conflict, match="terminated by other getUpdates request; make sure that only one bot"):
            await older
        telegram.world.say(ANN, ANN, "hi")
        assert list_texts(await newer) == ["hi"]


async def test_cancelled_poll_loses_no_updates(telegram: Telegram, bot: Bot) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await held_poll(telegram)
    poll.cancel()
    await asyncio.gather(poll, return_exceptions=True)
    telegram.world.say(ANN, ANN, "hi")
    assert list_texts(await bot.get_updates(timeout=5)) == ["hi"]


async def test_ptb_application_polls_and_replies(telegram: Telegram) -> None:
    async def echo(update: Update, context: Any) -> None:
        assert update.message is not None
        await update.message.reply_text(f"You said: {update.message.text}")

    application = Application.builder().bot(make_client(telegram.url)).build()
    application.add_handler(MessageHandler(filters.TEXT, echo))
    async with application:
        assert application.updater is not None
        await application.start()
        await application.updater.start_polling(timeout=30)
        telegram.world.say(ANN, GROUP, "hello")
        answer = await telegram.world.feed.wait_for_first_match(
            lambda event: event["kind"] == "message" and event["message"]["from"]["is_bot"]
        )
        assert (answer["chat_id"], answer["message"]["text"]) == (GROUP, "You said: hello")
        await application.updater.stop()
        await application.stop()


class Listener:
    """A bot's webhook that records the updates it receives.

    It refuses the first `refusals` deliveries, and holds those of chat `slow`.
    """

    def __init__(self, refusals: int = 0) -> None:
        self.refusals = refusals
        self.slow = 0
        self.released = asyncio.Event()
        self.deliveries: list[str] = []
        self.secrets: set[str | None] = set()
        self.accepted: asyncio.Queue[str] = asyncio.Queue()

    async def receive(self, request: Request) -> Response:
        update = await request.json()
        text = update["message"]["text"]
        self.deliveries.append(text)
        self.secrets.add(request.headers.get("x-telegram-bot-api-secret-token"))
        if update["message"]["chat"]["id"] == self.slow:
            await self.released.wait()
        if self.refusals:
            self.refusals -= 1
            return Response(status_code=500)
        self.accepted.put_nowait(text)
        return Response()


@asynccontextmanager
async def listening(listener: Listener) -> AsyncIterator[str]:
    async with serve(Starlette(routes=[Route("/hook", listener.receive, methods=["POST"])])) as url:
        yield f"{url}/hook"


async def test_webhook_update_is_repeated_in_order_until_accepted(telegram: Telegram, bot: Bot) -> None:
    listener = Listener(refusals=2)
    telegram.world.say(ANN, ANN, "one")
    telegram.world.say(ANN, ANN, "two")
    async with listening(listener) as url, asyncio.timeout(60):
        assert await bot.set_webhook(url, secret_token="s3cret")
        assert [await listener.accepted.get(), await listener.accepted.get()] == ["one", "two"]
        telegram.world.say(ANN, ANN, "three")
        assert await listener.accepted.get() == "three"
        info = await bot.get_webhook_info()
        assert info.url == url
        assert info.last_error_message == "Wrong response from the webhook: 500 Internal Server Error"
        with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
            await bot.get_updates()
        assert await bot.delete_webhook()
    assert listener.deliveries == ["one", "one", "one", "two", "three"]
    assert listener.secrets == {"s3cret"}
    telegram.world.say(ANN, ANN, "four")
    assert "four" in list_texts(await bot.get_updates(timeout=5))


async def test_slow_webhook_delivery_does_not_delay_other_chats(telegram: Telegram, bot: Bot) -> None:
    listener = Listener()
    listener.slow = ANN
    for person, text in ((ANN, "one"), (ANN, "two"), (GROUP, "three")):
        telegram.world.say(ANN, person, text)
    async with listening(listener) as url:
        assert await bot.set_webhook(url)
        assert await listener.accepted.get() == "three"
        assert "two" not in listener.deliveries
        listener.released.set()
        assert [await listener.accepted.get(), await listener.accepted.get()] == ["one", "two"]
        assert await bot.delete_webhook()


async def test_setting_webhook_ends_held_poll(telegram: Telegram, bot: Bot) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await held_poll(telegram)
    await bot.set_webhook("https://example.invalid/hook")
    with pytest.raises(Conflict, match="terminated by setWebhook request"):
        await poll


async def test_pending_updates_are_dropped_only_on_request(telegram: Telegram, bot: Bot) -> None:
    telegram.world.say(ANN, ANN, "one")
    await bot.delete_webhook()
    assert len(await bot.get_updates()) == 1
    await bot.delete_webhook(drop_pending_updates=True)
    assert await bot.get_updates() == ()


async def test_set_webhook_refuses_remote_http_url_and_invalid_secret(bot: Bot) -> None:
    with pytest.raises(BadRequest, match="An HTTPS URL must be provided for webhook".lower()):
        await bot.set_webhook("http://example.com/hook")
    with pytest.raises(BadRequest, match="unallowed characters"):
        await bot.set_webhook("https://example.com/hook", secret_token="no spaces")

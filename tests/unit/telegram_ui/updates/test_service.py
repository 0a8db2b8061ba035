"""Connecting, fetching, being pushed to, and leaving."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from telegram.error import TelegramError, TimedOut
from telegram.ext import ExtBot

from playground.faults import Fault
from playground.server import serve
from records.errors import SettingsError, StorageError
from runtime.http_server import REQUEST_WITHIN
from settings import Secret
from storage.bot_state.inbox import Inbox
from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import MAX_RICH_PARTS
from telegram_ui.updates.polling import MAX_POLL_SECONDS, PollRequest, keep_fetching_updates
from telegram_ui.updates.service import TelegramUnreachable
from telegram_ui.updates.webhook import MAX_UPDATE_BYTES, SECRET_HEADER
from tests.support.http import NO_CERTIFICATES
from tests.unit.telegram_ui.conftest import ANN, BOB, NOW, TOKEN, Bots, Peer


def pausing(bots: Bots) -> Callable[[float], Awaitable[None]]:
    """A pause that passes at once, except the long ones of housekeeping and watch."""

    async def pause(seconds: float) -> None:
        if seconds > 60:
            await asyncio.Event().wait()
        await asyncio.sleep(0)

    return pause


async def test_it_says_that_it_is_ready_and_sets_the_menu(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with bots.running():
        assert "ready" in caplog.text
        await peer.called("setMyCommands")
        await peer.polled()


async def test_a_menu_that_cannot_be_set_is_no_matter(bots: Bots, peer: Peer) -> None:
    peer.fault("error", "setMyCommands")
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")


@pytest.mark.parametrize("token", ["4242:wrong", "no token/at all"])
async def test_a_refused_token_names_its_variable_and_nothing_else(bots: Bots, token: str) -> None:
    bots.settings = replace(bots.settings, telegram_bot_token=Secret(token))
    with pytest.raises(SettingsError, match="TELEGRAM_BOT_TOKEN") as raised:
        async with bots.running():
            pass
    assert token not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_a_token_that_is_revoked_while_running_ends_it(bots: Bots, peer: Peer) -> None:
    async with bots.running() as service:
        peer.fault("error", "getUpdates", error_code=401, description="Unauthorized")
        peer.world.say(ANN, ANN, "hello")
        with pytest.raises(SettingsError, match="TELEGRAM_BOT_TOKEN"):
            await asyncio.wait_for(service.wait_until_token_is_refused(), 10)


async def test_it_waits_for_a_telegram_that_is_away(bots: Bots, peer: Peer) -> None:
    peer.fault("drop_before", "getMe", times=2)
    peer.fault("server_error", "deleteWebhook", times=2)
    peer.fault("retry_after", "deleteWebhook")
    async with bots.running(pause=pausing(bots)):
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")


@pytest.mark.parametrize("method", ["getUpdates", "deleteWebhook"])
async def test_telegram_is_not_asked_again_before_the_time_that_it_names(bots: Bots, peer: Peer, method: str) -> None:
    peer.fault("retry_after", method, retry_after=35)
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)
        await pausing(bots)(seconds)

    async with bots.running(pause=pause):
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
    assert 35.0 in waits


async def test_a_second_poller_is_one_clear_line_and_it_goes_on(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    async with bots.running():
        await peer.polled()
        peer.world.updates.interrupt_poll("terminated by other getUpdates request")
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
    lines = [record.getMessage() for record in caplog.records if "409" in record.getMessage()]
    assert len(lines) == 1
    assert TOKEN not in caplog.text


async def test_what_was_committed_but_not_done_is_answered_by_the_next_run(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("hello")
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await bots.conversation.begun["hello"].wait()
        peer.world.say(ANN, ANN, "second")
        await peer.confirmed()
    assert peer.world.updates.list_pending() == []
    assert len(await bots.pending()) == 2
    bots.conversation.gates.clear()
    async with bots.running():
        await peer.told("echo second")
    assert peer.texts(ANN)[-2:] == ["echo hello", "echo second"]


async def test_an_update_that_comes_twice_is_answered_once(bots: Bots, peer: Peer) -> None:
    # The answer to a poll is lost: the same updates are fetched again.
    peer.fault("drop_after", "getUpdates", after=1)
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "one")
        peer.world.say(ANN, ANN, "two")
        await peer.told("echo two")
        await peer.confirmed()
        await service.dispatcher.wait_until_idle()
    assert peer.texts(ANN) == ["echo one", "echo two"]


class Failing(Inbox):
    """An inbox on a disk that is full for a while."""

    failures = 0

    async def store_and_get_new_ids(self, *args: Any) -> set[int]:
        if self.failures:
            self.failures -= 1
            raise StorageError
        return await super().store_and_get_new_ids(*args)


async def test_while_the_inbox_cannot_write_updates_stay_with_telegram(bots: Bots, peer: Peer) -> None:
    bots.inbox = failing = Failing(bots.inbox.database)
    failing.failures = 2  # what a poll brought all at once, then the update by itself
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
    assert peer.texts(ANN) == ["echo hello"]


@pytest.mark.parametrize("failures", [1, 15])
async def test_a_webhook_that_another_program_sets_meanwhile_is_removed_again(
    bots: Bots, peer: Peer, failures: int
) -> None:
    """Telegram says "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook"."""
    waits: list[float] = []
    begun = asyncio.Event()

    async def pause(seconds: float) -> None:
        if seconds > 60:  # housekeeping
            await asyncio.Event().wait()
        waits.append(seconds)
        if len(waits) == failures and not begun.is_set():
            waits.clear()
            begun.set()
            await bot.set_webhook("https://127.0.0.1:9/")
            peer.world.say(ANN, ANN, "hello")
        await asyncio.sleep(0)

    async with bots.running(pause=pause) as service:
        bot = service.bot
        await peer.polled()
        peer.faults.add(Fault(kind="server_error", method="getUpdates", times=failures))
        peer.world.say(BOB, BOB, "ends the poll")
        await peer.told("echo hello")
    assert sum(waits) > 60, "a process that this webhook's process replaces has ended by then"


async def test_polling_outlives_a_gateway_that_answers_with_a_json_page_of_its_own(bots: Bots) -> None:
    deletions = 0

    async def answer(asked: Request) -> JSONResponse:
        nonlocal deletions
        if asked.path_params["method"] == "deleteWebhook":
            deletions += 1
            return JSONResponse({"status": "ok"})
        if deletions < 2:
            return JSONResponse({"ok": False, "error_code": 409, "description": "Conflict: terminated"}, 409)
        return JSONResponse({"ok": False, "error_code": 401, "description": "Unauthorized"}, 401)

    async def pause(_: float) -> None:
        await asyncio.sleep(0)

    app = Starlette(routes=[Route("/bot{token}/{method}", answer, methods=["POST"])])
    request, polls = AiohttpRequest(trust_env=False), PollRequest(now=lambda: 0.0, trust_env=False)
    async with serve(app) as url, request, polls:
        bot: ExtBot[None] = ExtBot(TOKEN, base_url=f"{url}/bot", request=request)
        queue = DurableQueue(bots.inbox, is_relevant=lambda _: True, now=lambda: NOW)
        await keep_fetching_updates(bot, polls, queue, pause)
    assert polls.refused.is_set(), "its loop went on until the token was refused"


async def test_updates_come_in_while_polls_end_well_and_are_not_overdue(bots: Bots, peer: Peer) -> None:
    time = 0.0

    async def pause(_: float) -> None:
        await asyncio.Event().wait()

    async with bots.running(monotonic=lambda: time, pause=pause) as service:
        await peer.polled()
        time += MAX_POLL_SECONDS - 1
        await service.raise_if_polls_fail()
        time += 1
        with pytest.raises(TelegramUnreachable):
            await service.raise_if_polls_fail()
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
        await service.raise_if_polls_fail()


async def test_a_poll_that_failed_is_not_well_until_one_succeeds(peer: Peer) -> None:
    polls = PollRequest(now=lambda: 0.0)
    await polls.initialize()
    try:
        for fault in ("server_error", "drop_before"):
            peer.fault(fault, "getMe")
            with suppress(TelegramError):
                await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST")
            assert not polls.is_healthy()
            await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST")
            assert polls.is_healthy()
    finally:
        await polls.shutdown()


async def test_polls_that_time_out_are_logged_once_in_a_row(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    polls = PollRequest(now=lambda: 0.0)
    await polls.initialize()
    try:
        for _ in range(2):
            for _ in range(2):
                peer.fault("hang", "getMe")
                with pytest.raises(TimedOut):
                    await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST", read_timeout=0.05)
            await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST")
        peer.faults.clear_faults()
    finally:
        await polls.shutdown()
    assert caplog.text.count("does not answer in time") == 2
    assert TOKEN not in caplog.text


async def test_an_update_that_cannot_be_read_holds_up_nothing_and_is_not_logged(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    peer.world.updates.add("message", {"text": "secret words", "chat": 5})
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
    assert "is unreadable" in caplog.text
    ours = [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO]
    assert "secret words" not in "".join(ours)


async def test_stopping_takes_little_time_though_telegram_hangs(bots: Bots, peer: Peer) -> None:
    bots.conversation.gate("hello")
    async with asyncio.timeout(9):
        async with bots.running():
            peer.world.say(ANN, ANN, "hello")
            await bots.conversation.begun["hello"].wait()
            await peer.confirmed()
            peer.fault("hang", "*", times=None)
    assert len(await bots.pending()) == 1


async def test_a_webhook_delivers_and_asks_for_the_secret(bots: Bots, peer: Peer, webhook: str) -> None:
    bots.settings = replace(bots.settings, webhook_secret=Secret("s3cret"))
    update = {"update_id": 1}
    async with bots.running(), httpx.AsyncClient(trust_env=False, verify=NO_CERTIFICATES, timeout=60) as http:
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
        for headers in ({}, {SECRET_HEADER: "wrong"}, {SECRET_HEADER: "s3cret "[:-2]}):
            assert (await http.post(webhook, json=update, headers=headers)).status_code == 403
        right = {SECRET_HEADER: "s3cret"}
        assert (await http.post(f"{webhook}/any/path", json=update, headers=right)).status_code == 200
        assert (await http.post(webhook, content=b"{", headers=right)).status_code == 400
        assert (await http.post(webhook, json=[], headers=right)).status_code == 400
        parts = b'{"update_id": 3, "message": [' + b"[]," * MAX_RICH_PARTS + b"[]]}"
        assert (await http.post(webhook, content=parts, headers=right)).status_code == 400
        assert (await http.post(webhook, content=b" " * (MAX_UPDATE_BYTES + 1), headers=right)).status_code == 413
        assert (await http.post(webhook, json={"update_id": 2, "message": 5}, headers=right)).status_code == 200


@pytest.mark.parametrize("body", [b"content-length: 1000000000\r\n\r\n", b"transfer-encoding: chunked\r\n\r\n"])
async def test_whoever_is_refused_by_a_webhook_is_heard_no_longer(bots: Bots, webhook: str, body: bytes) -> None:
    """However much a stranger says is to come."""
    address = urlsplit(webhook)
    async with bots.running():
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(b"POST / HTTP/1.1\r\nhost: a\r\n" + body)
        async with asyncio.timeout(REQUEST_WITHIN):
            assert (await reader.read()).startswith(b"HTTP/1.1 403")
        writer.close()


@pytest.mark.usefixtures("webhook")
async def test_a_webhooks_update_that_cannot_be_kept_is_offered_again(bots: Bots, peer: Peer) -> None:
    bots.inbox = failing = Failing(bots.inbox.database)
    failing.failures = 1
    async with bots.running():
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
    assert peer.texts(ANN) == ["echo hello"]


@pytest.mark.usefixtures("webhook")
async def test_what_neither_the_inbox_nor_the_store_took_is_done_once_the_store_has_it(bots: Bots, peer: Peer) -> None:
    """A kill between lost it: answered, accepted and marked as done when Telegram offered it again, stored nowhere."""
    bots.inbox = failing = Failing(bots.inbox.database)
    failing.failures, bots.conversation.unwritten = 1, []
    async with bots.running() as service:
        peer.world.say(ANN, ANN, "hello")
        await peer.told("echo hello")
        await service.dispatcher.wait_until_idle()
        await peer.world.updates.wait_until_empty()
        assert len(await bots.pending()) == 1
        [written] = bots.conversation.unwritten
        await written()
        assert await bots.pending() == []
    assert peer.texts(ANN) == ["echo hello"]


@pytest.mark.usefixtures("webhook")
async def test_an_address_in_use_names_its_variable(bots: Bots, peer: Peer) -> None:
    port = int(peer.url.rpartition(":")[2])
    bots.settings = replace(bots.settings, webhook_listen=("127.0.0.1", port))
    with pytest.raises(SettingsError, match="WEBHOOK_LISTEN"):
        async with bots.running():
            pass


@pytest.mark.usefixtures("webhook")
async def test_a_webhook_that_telegram_does_not_take_names_its_variable(bots: Bots, peer: Peer) -> None:
    peer.fault("error", "setWebhook", description="Bad Request: bad webhook: HTTPS url must be provided")
    with pytest.raises(SettingsError, match="WEBHOOK_URL"):
        async with bots.running():
            pass

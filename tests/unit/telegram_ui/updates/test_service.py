"""Tests of the service: startup, polling, webhooks and shutdown."""

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
from runtime.http_server import REQUEST_CHECK_SECONDS
from settings import Secret
from storage.bot_state.inbox import Inbox
from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import MAX_RICH_PARTS
from telegram_ui.updates.polling import MAX_POLL_SECONDS, PollRequest, keep_fetching_updates
from telegram_ui.updates.service import TelegramUnreachable
from telegram_ui.updates.webhook import MAX_UPDATE_BYTES, SECRET_HEADER
from tests.support.http import NO_CERTIFICATES
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.unit.telegram_ui.conftest import ANN, BOB, NOW, TOKEN, Bots, Peer


def make_pause(bots: Bots) -> Callable[[float], Awaitable[None]]:
    """Make a pause that returns at once, except for housekeeping pauses of over 60 seconds, which never return."""

    async def pause(seconds: float) -> None:
        if seconds > 60:
            await asyncio.Event().wait()
        await asyncio.sleep(0)

    return pause


async def test_start_logs_ready_and_sets_command_menu(bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with bots.run_service():
        assert "ready" in caplog.text
        await peer.wait_for_call("setMyCommands")
        await peer.wait_until_polling()


async def test_failure_to_set_command_menu_is_ignored(bots: Bots, peer: Peer) -> None:
    peer.add_fault("error", "setMyCommands")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")


@pytest.mark.parametrize("token", ["4242:wrong", "no token/at all"])
async def test_refused_token_error_names_variable_but_not_token(bots: Bots, token: str) -> None:
    bots.settings = replace(bots.settings, telegram_bot_token=Secret(token))
    with pytest.raises(SettingsError, match="TELEGRAM_BOT_TOKEN") as raised:
        async with bots.run_service():
            pass
    assert token not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_token_revoked_while_running_raises_settings_error(bots: Bots, peer: Peer) -> None:
    async with bots.run_service() as service:
        peer.add_fault("error", "getUpdates", error_code=401, description="Unauthorized")
        peer.world.say(ANN, ANN, "hello")
        with pytest.raises(SettingsError, match="TELEGRAM_BOT_TOKEN"):
            await asyncio.wait_for(service.wait_until_token_is_refused(), 10)


async def test_startup_retries_until_telegram_is_reachable(bots: Bots, peer: Peer) -> None:
    peer.add_fault("drop_before", "getMe", times=2)
    peer.add_fault("server_error", "deleteWebhook", times=2)
    peer.add_fault("retry_after", "deleteWebhook")
    async with bots.run_service(pause=make_pause(bots)):
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")


@pytest.mark.parametrize("method", ["getUpdates", "deleteWebhook"])
async def test_retry_after_from_telegram_is_respected(bots: Bots, peer: Peer, method: str) -> None:
    peer.add_fault("retry_after", method, retry_after=35)
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)
        await make_pause(bots)(seconds)

    async with bots.run_service(pause=pause):
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
    assert 35.0 in waits


async def test_competing_poller_is_logged_once_and_polling_continues(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    async with bots.run_service():
        await peer.wait_until_polling()
        peer.world.updates.interrupt_poll("terminated by other getUpdates request")
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
    lines = [record.getMessage() for record in caplog.records if "409" in record.getMessage()]
    assert len(lines) == 1
    assert TOKEN not in caplog.text


async def test_next_run_answers_committed_unfinished_updates(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("hello")
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await bots.conversation.start_events["hello"].wait()
        peer.world.say(ANN, ANN, "second")
        await peer.wait_until_updates_confirmed()
    assert peer.world.updates.list_pending() == []
    assert len(await bots.list_pending_update_ids()) == 2
    bots.conversation.gates.clear()
    async with bots.run_service():
        await peer.wait_for_message("echo second")
    assert peer.list_bot_texts(ANN)[-2:] == ["echo hello", "echo second"]


async def test_redelivered_update_is_answered_once(bots: Bots, peer: Peer) -> None:
    # The answer to a poll is lost: the same updates are fetched again.
    peer.add_fault("drop_after", "getUpdates", after=1)
    async with bots.run_service():
        peer.world.say(ANN, ANN, "one")
        peer.world.say(ANN, ANN, "two")
        await peer.wait_for_message("echo two")
        await peer.wait_until_updates_confirmed()
        await wait_for_queued_jobs()
    assert peer.list_bot_texts(ANN) == ["echo one", "echo two"]


class FailingInbox(Inbox):
    """An inbox whose next `remaining_failures` writes fail, as on a full disk."""

    remaining_failures = 0

    async def store_and_get_new_ids(self, *args: Any) -> set[int]:
        if self.remaining_failures:
            self.remaining_failures -= 1
            raise StorageError
        return await super().store_and_get_new_ids(*args)


async def test_updates_stay_with_telegram_while_inbox_cannot_write(bots: Bots, peer: Peer) -> None:
    bots.inbox = failing = FailingInbox(bots.inbox.database)
    failing.remaining_failures = 2  # what a poll brought all at once, then the update by itself
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
    assert peer.list_bot_texts(ANN) == ["echo hello"]


@pytest.mark.parametrize("failures", [1, 15])
async def test_polling_removes_webhook_set_by_another_program(bots: Bots, peer: Peer, failures: int) -> None:
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

    async with bots.run_service(pause=pause) as service:
        bot = service.bot
        await peer.wait_until_polling()
        peer.faults.add(Fault(kind="server_error", method="getUpdates", times=failures))
        peer.world.say(BOB, BOB, "ends the poll")
        await peer.wait_for_message("echo hello")
    assert sum(waits) > 60, "a process that this webhook's process replaces has ended by then"


async def test_polling_survives_gateway_with_unexpected_json(bots: Bots) -> None:
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


async def test_overdue_poll_raises_telegram_unreachable_until_poll_succeeds(bots: Bots, peer: Peer) -> None:
    time = 0.0

    async def pause(_: float) -> None:
        await asyncio.Event().wait()

    async with bots.run_service(monotonic=lambda: time, pause=pause) as service:
        await peer.wait_until_polling()
        time += MAX_POLL_SECONDS - 1
        await service.raise_if_polls_fail()
        time += 1
        with pytest.raises(TelegramUnreachable):
            await service.raise_if_polls_fail()
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
        await service.raise_if_polls_fail()


async def test_failed_poll_is_unhealthy_until_poll_succeeds(peer: Peer) -> None:
    polls = PollRequest(now=lambda: 0.0)
    await polls.initialize()
    try:
        for fault in ("server_error", "drop_before"):
            peer.add_fault(fault, "getMe")
            with suppress(TelegramError):
                await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST")
            assert not polls.is_healthy()
            await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST")
            assert polls.is_healthy()
    finally:
        await polls.shutdown()


async def test_consecutive_poll_timeouts_are_logged_once(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    polls = PollRequest(now=lambda: 0.0)
    await polls.initialize()
    try:
        for _ in range(2):
            for _ in range(2):
                peer.add_fault("hang", "getMe")
                with pytest.raises(TimedOut):
                    await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST", read_timeout=0.05)
            await polls.do_request(f"{peer.url}/bot{TOKEN}/getMe", "POST")
        peer.faults.clear_faults()
    finally:
        await polls.shutdown()
    assert caplog.text.count("does not answer in time") == 2
    assert TOKEN not in caplog.text


async def test_unreadable_update_is_skipped_without_logging_content(
    bots: Bots, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    peer.world.updates.add("message", {"text": "secret words", "chat": 5})
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
    assert "is unreadable" in caplog.text
    ours = [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO]
    assert "secret words" not in "".join(ours)


async def test_stops_promptly_while_telegram_hangs(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("hello")
    async with asyncio.timeout(9):
        async with bots.run_service():
            peer.world.say(ANN, ANN, "hello")
            await bots.conversation.start_events["hello"].wait()
            await peer.wait_until_updates_confirmed()
            peer.add_fault("hang", "*", times=None)
    assert len(await bots.list_pending_update_ids()) == 1


async def test_webhook_delivers_updates_and_validates_requests(bots: Bots, peer: Peer, webhook: str) -> None:
    bots.settings = replace(bots.settings, webhook_secret=Secret("s3cret"))
    update = {"update_id": 1}
    async with bots.run_service(), httpx.AsyncClient(trust_env=False, verify=NO_CERTIFICATES, timeout=60) as http:
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
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
async def test_webhook_closes_connection_of_refused_request(bots: Bots, webhook: str, body: bytes) -> None:
    """The connection is closed whatever body length the client announces."""
    address = urlsplit(webhook)
    async with bots.run_service():
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(b"POST / HTTP/1.1\r\nhost: a\r\n" + body)
        async with asyncio.timeout(REQUEST_CHECK_SECONDS):
            assert (await reader.read()).startswith(b"HTTP/1.1 403")
        writer.close()


@pytest.mark.usefixtures("webhook")
async def test_webhook_update_is_redelivered_when_inbox_fails(bots: Bots, peer: Peer) -> None:
    bots.inbox = failing = FailingInbox(bots.inbox.database)
    failing.remaining_failures = 1
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
    assert peer.list_bot_texts(ANN) == ["echo hello"]


@pytest.mark.usefixtures("webhook")
async def test_update_after_inbox_failure_is_pending_until_message_is_stored(bots: Bots, peer: Peer) -> None:
    """A kill in between once lost the message: it was answered and marked as done, but not stored."""
    bots.inbox = failing = FailingInbox(bots.inbox.database)
    failing.remaining_failures, bots.conversation.deferred_actions = 1, []
    async with bots.run_service():
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello")
        await wait_for_queued_jobs()
        await peer.world.updates.wait_until_empty()
        assert len(await bots.list_pending_update_ids()) == 1
        [written] = bots.conversation.deferred_actions
        await written()
        assert await bots.list_pending_update_ids() == []
    assert peer.list_bot_texts(ANN) == ["echo hello"]


@pytest.mark.usefixtures("webhook")
async def test_occupied_webhook_address_error_names_variable(bots: Bots, peer: Peer) -> None:
    port = int(peer.url.rpartition(":")[2])
    bots.settings = replace(bots.settings, webhook_listen=("127.0.0.1", port))
    with pytest.raises(SettingsError, match="WEBHOOK_LISTEN"):
        async with bots.run_service():
            pass


@pytest.mark.usefixtures("webhook")
async def test_refused_webhook_url_error_names_variable(bots: Bots, peer: Peer) -> None:
    peer.add_fault("error", "setWebhook", description="Bad Request: bad webhook: HTTPS url must be provided")
    with pytest.raises(SettingsError, match="WEBHOOK_URL"):
        async with bots.run_service():
            pass

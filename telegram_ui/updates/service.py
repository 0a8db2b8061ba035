"""Run the Telegram side: connect, replay unfinished updates, fetch new ones, and shut down cleanly."""

import asyncio
import hmac
import ipaddress
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from typing import Any, NoReturn
from urllib.parse import urlsplit

from attrs import define
from telegram.error import BadRequest, InvalidToken, TelegramError
from telegram.ext import ExtBot

from chat.services import Services
from records.errors import KeepsakeError, SettingsError
from runtime.tasks import repeat_in_background, run_in_background
from settings import Settings
from storage.bot_state.leases import POLLING
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.command_group import CommandGroup, Dependencies
from telegram_ui.commands.registry import COMMAND_GROUPS, Commands, list_commands
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.http import AiohttpRequest, choose_retry_delay_seconds
from telegram_ui.updates.access import AccessPolicy, AdminClaim
from telegram_ui.updates.answering import AnswerDelivery
from telegram_ui.updates.dispatch import Dispatcher
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import ALLOWED_UPDATES
from telegram_ui.updates.polling import LeaseGuard, PollRequest, fetch_updates_while_leader, keep_fetching_updates
from telegram_ui.updates.relevance import RelevanceFilter
from telegram_ui.updates.serial_queue import Queues
from telegram_ui.updates.shared_queue import SharedQueue
from telegram_ui.updates.supergroups import SupergroupUpgrades

logger = logging.getLogger(__name__)

REFUSED = "Telegram refuses this token. Copy it again from BotFather."
INVITATION = "Nobody may use this bot yet. The first who opens this link in Telegram becomes its admin: %s"

Pause = Callable[[float], Awaitable[None]]


class TelegramUnreachable(KeepsakeError):  # noqa: N818 - reads as the state it is
    """Raised if Telegram cannot be reached."""


@define(eq=False)
class TelegramService:
    """A running Telegram bot, with health checks."""

    bot: ExtBot[None]
    dispatcher: Dispatcher
    polls: PollRequest
    is_polling: Callable[[], bool]
    invitation: str = ""  # a sentence with the link that makes the first admin, or ""

    async def raise_if_polls_fail(self) -> None:
        """Raise TelegramUnreachable if this process fetches updates and its polls fail or are overdue."""
        if self.is_polling() and not self.polls.is_healthy():
            raise TelegramUnreachable("Updates cannot be fetched.")

    async def wait_until_token_is_refused(self) -> NoReturn:
        """Wait until the token is revoked, and raise SettingsError."""
        await self.polls.refused.wait()
        raise SettingsError("TELEGRAM_BOT_TOKEN", REFUSED)


async def describe_bot(settings: Settings) -> str:
    """Return a one-line description of the bot for --check. Raise SettingsError if the token is wrong."""
    _raise_if_token_malformed(settings)
    bot = _make_bot(settings, AiohttpRequest(trust_env=_can_use_proxy(settings)))
    try:
        await bot.initialize()  # asks getMe
    except InvalidToken:
        raise SettingsError("TELEGRAM_BOT_TOKEN", REFUSED) from None
    except TelegramError as error:
        raise TelegramUnreachable(
            f"Telegram cannot be reached at {settings.telegram_api_url} ({type(error).__name__}); "
            "check TELEGRAM_API_URL and the network."
        ) from None
    else:
        return f"{bot.first_name} (@{bot.username}) answers at {settings.telegram_api_url}"
    finally:
        await bot.shutdown()


@asynccontextmanager
async def open_telegram_service(
    settings: Settings,
    services: Services,
    *,
    command_groups: Sequence[type[CommandGroup]] = COMMAND_GROUPS,
    run_alongside: Callable[[Dependencies], AbstractAsyncContextManager[None]] = lambda dependencies: nullcontext(),
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    monotonic: Callable[[], float] = time.monotonic,
    pause: Pause = asyncio.sleep,
) -> AsyncIterator[TelegramService]:
    """Run the bot while the block runs. Stopping takes at most about 8 seconds.

    The bot's other services, which `run_alongside` opens, run for the same time. If Telegram is unreachable, retry.

    Raise SettingsError if Telegram refuses the token or the webhook, or if the address is in use.
    """
    _raise_if_token_malformed(settings)
    polls = PollRequest(now=monotonic, trust_env=_can_use_proxy(settings))
    bot = _make_bot(settings, polls)
    memory = services.memory
    access = AccessPolicy(settings, bot, memory.people, now=now)
    is_relevant = RelevanceFilter(access, frozenset(row.name for row in list_commands(command_groups)))
    shared = memory.shared_inbox
    queue = DurableQueue(memory.inbox, is_relevant=is_relevant, now=now)
    if shared is not None:
        queue = SharedQueue(
            shared, is_relevant=is_relevant, now=now, monotonic=monotonic, learn_people=access.reload_access_decisions
        )
    queues = Queues()
    upgrades = SupergroupUpgrades(services.corrections, memory, queues, pause=pause)
    delivery = Delivery(bot, streaming=settings.reply_streaming, on_upgrade=upgrades.submit_memory_move)
    buttons = Buttons(settings.telegram_bot_token.value.encode())
    dependencies = Dependencies(
        services=services,
        settings=settings,
        delivery=delivery,
        buttons=buttons,
        may_configure=access.may_configure,
        answers=AnswerDelivery(queue, pause, memory, services.conversation, queues.chats, delivery, buttons),
    )
    commands = Commands(dependencies, command_groups)
    claim = AdminClaim(settings, memory.people, now=now)
    dispatcher = Dispatcher(queue, access, commands, queues, upgrades, claim)

    def is_polling() -> bool:
        return not settings.webhook_url and (shared is None or shared.leases.is_serving(POLLING - bot.id))

    async with AsyncExitStack() as stack:
        stack.push_async_callback(bot.shutdown)
        await _retry_until_telegram_answers(bot.initialize, "Telegram cannot be reached", pause)
        link = await claim.make_claim_link_text(bot.username)
        service = TelegramService(bot, dispatcher, polls, is_polling, invitation=INVITATION % link if link else "")
        waiting = await queue.restore_pending_updates_and_count(bot)
        if waiting:
            logger.info("%s updates of the last run are taken up again.", waiting)
        await stack.enter_async_context(run_in_background(dispatcher.keep_dispatching_updates()))
        stack.push_async_callback(queue.try_to_truncate_database_log)
        stack.push_async_callback(dispatcher.close, grace=4.0)
        await stack.enter_async_context(run_in_background(queue.keep_truncating_database_log(pause)))
        await stack.enter_async_context(
            repeat_in_background("forgetting old update ids", queue.delete_old_update_ids, interval=3600, at_start=True)
        )
        await stack.enter_async_context(run_in_background(_set_command_menu(commands, bot)))
        await stack.enter_async_context(run_alongside(commands.dependencies))
        if isinstance(queue, SharedQueue):
            await stack.enter_async_context(run_in_background(queue.keep_claiming_updates(bot, pause)))
        if settings.webhook_url:
            # The same in all processes of a bot.
            derived = hmac.digest(settings.telegram_bot_token.value.encode(), b"webhook", "sha256").hex()
            secret = settings.webhook_secret.value or (secrets.token_urlsafe(32) if shared is None else derived)
            await stack.enter_async_context(_run_webhook(settings, secret, bot, queue, pause))
        else:
            fetch = partial(_run_polling, bot, queue, polls, pause)
            if shared is not None:
                fetch = partial(fetch_updates_while_leader, shared.leases, POLLING - bot.id, fetch, polls.refused)
            await stack.enter_async_context(fetch())
        source = "webhook" if settings.webhook_url else "long polling"
        logger.info("Fetching updates of @%s by %s: ready.", bot.username, source)
        if service.invitation:
            logger.warning("%s", service.invitation)
        yield service
        logger.info("Stopping.")


def _raise_if_token_malformed(settings: Settings) -> None:
    # A token that breaks the URL would otherwise look like a network error.
    if not re.fullmatch(r"[A-Za-z0-9_:-]+", settings.telegram_bot_token.value):
        raise SettingsError("TELEGRAM_BOT_TOKEN", "does not look like a token from BotFather (123456:ABC…).")


def _make_bot(settings: Settings, polling_request: AiohttpRequest) -> ExtBot[None]:
    return ExtBot[None](
        settings.telegram_bot_token.value,
        rate_limiter=LeaseGuard(),
        base_url=f"{settings.telegram_api_url}/bot",
        base_file_url=f"{settings.telegram_api_url}/file/bot",
        request=AiohttpRequest(connection_pool_size=256, trust_env=_can_use_proxy(settings)),
        get_updates_request=polling_request,
    )


def _can_use_proxy(settings: Settings) -> bool:
    host = urlsplit(settings.telegram_api_url).hostname or ""
    try:
        # A proxy cannot reach this machine's loopback address.
        return host != "localhost" and not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


async def _retry_until_telegram_answers(attempt: Callable[[], Awaitable[Any]], failure_text: str, pause: Pause) -> None:
    wait = 1.0
    while True:
        try:
            await attempt()
        except InvalidToken:
            # Without its cause, because python-telegram-bot's message holds the token.
            raise SettingsError("TELEGRAM_BOT_TOKEN", REFUSED) from None
        except BadRequest:
            raise
        except TelegramError as error:
            delay = choose_retry_delay_seconds(error, wait)
            logger.warning("%s (%s); trying again in %.0f s.", failure_text, type(error).__name__, delay)
            await pause(delay)
            wait = min(30.0, wait * 2)
        else:
            return


@asynccontextmanager
async def _run_polling(bot: ExtBot[None], queue: DurableQueue, polls: PollRequest, pause: Pause) -> AsyncIterator[None]:
    await _retry_until_telegram_answers(bot.delete_webhook, "Polling cannot be started", pause)
    async with run_in_background(keep_fetching_updates(bot, polls, queue, pause)):
        await polls.begun.wait()
        yield


@asynccontextmanager
async def _run_webhook(
    settings: Settings, secret: str, bot: ExtBot[Any], queue: DurableQueue, pause: Pause
) -> AsyncIterator[None]:
    # Imported here, because long polling needs no web server.
    from runtime.http_server import serve
    from telegram_ui.updates.webhook import make_webhook_app

    app = make_webhook_app(bot, queue, secret)
    url = settings.webhook_url
    async with serve(app, settings.webhook_listen, listen_setting="WEBHOOK_LISTEN"):
        register = partial(bot.set_webhook, url, allowed_updates=ALLOWED_UPDATES, secret_token=secret)
        try:
            await _retry_until_telegram_answers(register, "The webhook cannot be set", pause)
        except BadRequest as error:
            raise SettingsError("WEBHOOK_URL", f"Telegram does not take it ({error.message}).") from error
        # The webhook stays set when the bot stops, so that Telegram keeps new updates.
        yield


async def _set_command_menu(commands: Commands, bot: ExtBot[Any]) -> None:
    try:
        await commands.set_dashboard_menu_button(bot)
        await commands.set_command_menus(bot)
    except TelegramError as error:
        logger.warning("The command menu could not be set (%s); commands work all the same.", type(error).__name__)

"""Fetch updates by long polling. Confirm only updates that are on disk."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import telegram
from telegram.error import Conflict, TelegramError, TimedOut
from telegram.ext import BaseRateLimiter

from records.errors import ServedElsewhere, StorageError
from runtime.tasks import cancel_and_wait
from telegram_ui.sending.chat import require_chat_lease
from telegram_ui.sending.http import AiohttpRequest, choose_retry_delay_seconds
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import ALLOWED_UPDATES, parse_raw_update

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_leases import PostgresLeases

logger = logging.getLogger(__name__)

POLL_SECONDS = 25  # how long Telegram may hold a poll
MAX_POLL_SECONDS = 60.0  # seconds after which a poll is overdue
MAX_SILENT_SECONDS = 20.0  # how long a poll may wait for a byte beyond POLL_SECONDS
MIN_WAIT_SECONDS = 1.0  # seconds before the next poll after the first failure
MAX_WAIT_SECONDS = 30.0  # the same after many failures


class LeaseGuard(BaseRateLimiter[None]):
    """A rate limiter that lets a request through only while this process still holds the lease on the chat."""

    async def initialize(self) -> None: ...

    async def shutdown(self) -> None: ...

    async def process_request(self, callback: Callable[..., Awaitable[Any]], args: Any, kwargs: Any, **_: Any) -> Any:  # type: ignore[override]
        """Send a request. Raise ServedElsewhere if another process holds the chat's lease."""
        await require_chat_lease()
        return await callback(*args, **kwargs)


class PollRequest(AiohttpRequest):
    """An HTTP client for getUpdates that records whether polls succeed or fail."""

    def __init__(self, *, now: Callable[[], float], **options: Any) -> None:
        super().__init__(**options)
        self._now = now
        self.last_success = now()
        self._last_begun = now()
        self._is_failing = False
        self.begun = asyncio.Event()
        self.refused = asyncio.Event()

    def is_healthy(self) -> bool:
        """Return True if the last poll succeeded and the current poll is not overdue."""
        return not self._is_failing and self._now() - max(self._last_begun, self.last_success) < MAX_POLL_SECONDS

    async def do_request(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """Send a request, record its outcome, and return the status code and the body."""
        self.begun.set()
        self._last_begun = self._now()
        try:
            code, payload = await super().do_request(*arguments, **options)
        except TelegramError as error:
            if isinstance(error, TimedOut) and not self._is_failing:
                logger.warning("Telegram does not answer in time when asked for updates; still trying.")
            self._is_failing = True
            raise
        self._is_failing = code != 200
        if code == 200:
            self.last_success = self._now()
        elif code in (401, 404):
            self.refused.set()
        return code, payload

    async def fetch_raw_updates(
        self, bot: telegram.Bot, offset: int | None, *, timeout: int = POLL_SECONDS
    ) -> list[dict[str, Any]]:
        """Fetch the raw updates from `offset` on, and confirm all earlier ones. Raise TelegramError on failure."""
        options: dict[str, int | str] = {"timeout": timeout, "allowed_updates": json.dumps(ALLOWED_UPDATES)}
        if offset is not None:
            options["offset"] = offset
        result: object = await self.post(
            f"{bot.base_url}/getUpdates?{urlencode(options)}", read_timeout=timeout + MAX_SILENT_SECONDS
        )
        return [raw for raw in result if isinstance(raw, dict)] if isinstance(result, list) else []


async def keep_fetching_updates(
    bot: telegram.Bot, polls: PollRequest, queue: DurableQueue, pause: Callable[[float], Awaitable[None]]
) -> None:
    """Fetch and commit updates until Telegram refuses the token. Confirm only updates that are on disk."""
    offset: int | None = None
    wait = MIN_WAIT_SECONDS
    trouble: type[Exception] | None = None
    try:
        while not polls.refused.is_set():
            try:
                if (unwritten := await queue.retry_writes_and_get_first_failed_id()) is not None:
                    await pause(1.0)
                    offset = unwritten
                updates = [(parse_raw_update(raw, bot), raw) for raw in await polls.fetch_raw_updates(bot, offset)]
                await queue.enqueue_updates(updates)
            except TimedOut:
                await asyncio.sleep(0)  # PollRequest has logged it
            except Exception as error:  # broad: nothing may end polling silently
                if type(error) is not trouble:  # the same failure is logged once
                    trouble = type(error)
                    if trouble is Conflict:
                        wait = MIN_WAIT_SECONDS
                        logger.error(  # noqa: TRY400
                            "Another program fetches the updates of this bot (409 Conflict). Stop it, or "
                            "use a new token."
                        )
                    else:
                        logger.warning("Fetching updates failed (%s); still trying.", trouble.__name__)
                # Perhaps with a webhook that was set meanwhile. Not at once, because its process may replace this one.
                if isinstance(error, Conflict) and wait == MAX_WAIT_SECONDS:
                    with suppress(Exception):
                        await bot.delete_webhook()
                await pause(choose_retry_delay_seconds(error, wait))
                wait = min(MAX_WAIT_SECONDS, wait * 1.5)
            else:
                wait, trouble = MIN_WAIT_SECONDS, None
                offset = max((update.update_id for update, _ in updates), default=(offset or 1) - 1) + 1
    except asyncio.CancelledError:
        if offset and await queue.retry_writes_and_get_first_failed_id() is None:
            # It may hang. Unconfirmed updates come again, and their ids are known.
            with suppress(TimeoutError, TelegramError):
                await asyncio.wait_for(polls.fetch_raw_updates(bot, offset, timeout=0), 2)
        raise


@asynccontextmanager
async def fetch_updates_while_leader(
    leases: "PostgresLeases",
    lock: int,
    start_fetching: Callable[[], AbstractAsyncContextManager[None]],
    poll_refused: asyncio.Event,
) -> AsyncIterator[None]:
    """Fetch updates while the block runs and this process holds the lease `lock`. Before that, try to take it."""
    begun = asyncio.Event()

    async def fetch_whenever_leader() -> None:
        while True:
            with suppress(ServedElsewhere, StorageError):
                await leases.start_serving(lock)
            if leases.is_serving(lock):
                async with start_fetching():
                    begun.set()
                    logger.info("This process fetches the updates of all.")
                    while leases.is_serving(lock):
                        await leases.wait_for_lease_change()
                logger.info("Another process fetches the updates now.")
            begun.set()
            await leases.wait_for_lease_change()

    task = asyncio.create_task(fetch_whenever_leader())
    task.add_done_callback(lambda _: begun.set())
    try:
        await begun.wait()
        if task.done():
            await task
        task.add_done_callback(lambda done: poll_refused.set() if not done.cancelled() else None)
        yield
    finally:
        await cancel_and_wait(task)

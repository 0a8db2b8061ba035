"""Fetches updates: what is not on disk is not confirmed, and an update that nobody can read holds up none.

Also the watch over polling, and which of several processes polls.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import telegram
from telegram.error import Conflict, TelegramError, TimedOut
from telegram.ext import BaseRateLimiter

from runtime.tasks import cancel_and_wait
from telegram_ui.sending.chat import demand_lease
from telegram_ui.sending.http import AiohttpRequest, wait_after
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import ALLOWED_UPDATES
from text.characters import replace_surrogates_in

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_leases import PollingLeader

logger = logging.getLogger(__name__)

MAX_PARTS = 5_000
"""Objects and lists of one update that is parsed: a message has at most 100 entities, and so has the one that it
replies to (Bot API, MessageEntity); python-telegram-bot takes 100 ms for some 10,000.
"""
MAX_DEPTH = 50
"""Of them within each other; a reply holds no further reply (Bot API, Message). 300 take a tenth of a second."""
MAX_RICH_PARTS = 400_000
"""Objects and lists of formatted messages, which python-telegram-bot leaves as they are: 32,768 characters, each styled
by itself several times, and as many in the message that is replied to.
"""
MAX_RICH_DEPTH = 400
"""Of them within each other: 16 levels of blocks, of which each takes four, and of styles, of which each takes two."""


def read_or_emptied(raw: dict[str, Any], bot: telegram.Bot) -> telegram.Update:
    """Return an update of getUpdates; one that python-telegram-bot cannot read is emptied to its id.

    It would otherwise be fetched for ever, hold up all later ones, and be logged with its text each time.
    """
    why = "too many parts"
    if _is_bounded(raw):
        try:
            return telegram.Update.de_json(raw, bot)
        except Exception as error:  # broad: the library raises whatever it stumbles over
            why = type(error).__name__
    number = raw.get("update_id")
    logger.error("Update %s is unreadable (%s); ignored.", number, why)
    if not isinstance(number, int):
        raise TelegramError("Invalid server response")
    return telegram.Update.de_json({"update_id": number}, bot)


def _is_bounded(raw: Mapping[str, Any]) -> bool:
    """Return True for an update within MOST_PARTS and MOST_DEPTH, its formatted messages within limits of their own."""
    rich = list[Any]()
    return _is_within(raw, MAX_PARTS, MAX_DEPTH, rich) and _is_within(rich, MAX_RICH_PARTS, MAX_RICH_DEPTH)


def _is_within(whole: object, most_parts: int, most_depth: int, rich: list[Any] | None = None) -> bool:
    """Return True for at most so many objects and lists, within each other. Formatted messages are moved to `rich`."""
    parts, level = 0, list[Any]([whole])
    for _ in range(most_depth):
        parts += len(level)
        if not level or parts > most_parts:
            break
        if rich is not None:
            rich += [part["rich_message"] for part in level if isinstance(part, dict) and "rich_message" in part]
        inner = (
            value
            for part in level
            for name, value in (part.items() if isinstance(part, dict) else enumerate(part))
            if rich is None or name != "rich_message"
        )
        level = [value for value in inner if isinstance(value, dict | list)]
    return not level and parts <= most_parts


OVERDUE = 60.0  # seconds; Telegram holds a poll for 25 at most
POLL_SECONDS = 25  # for which Telegram may hold a poll
READ_SECONDS = 20.0  # longer than that without a byte of an answer, and a poll has failed
FIRST_WAIT = 1.0  # seconds after a poll that failed
LAST_WAIT = 30.0  # seconds after many that failed


class LeaseGuard(BaseRateLimiter[None]):
    """Lets a request of the bot go out only while this process still serves the chat that it is for."""

    async def initialize(self) -> None:
        """Hold nothing."""

    async def shutdown(self) -> None:
        """Hold nothing."""

    async def process_request(self, callback: Callable[..., Awaitable[Any]], args: Any, kwargs: Any, **_: Any) -> Any:  # type: ignore[override]
        """Make a request. Raise ServedElsewhere where the lease of the work that makes it was lost."""
        await demand_lease()
        return await callback(*args, **kwargs)


class QuietRequest(AiohttpRequest):
    """A connection of which an unreadable answer is not logged, for it may hold text."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Return a Bot API answer. PTB's own version logs what it cannot parse, text and all."""
        try:
            answer = json.loads(payload.decode("utf-8", "replace"))
            answer = replace_surrogates_in(answer) if b"\\ud" in payload.lower() else answer
        except (ValueError, RecursionError):
            raise TelegramError("Invalid server response") from None
        if not isinstance(answer, dict):
            raise TelegramError("Invalid server response")
        return answer


class PollRequest(QuietRequest):
    """The connection that getUpdates uses: it sees each poll, and whether it succeeded."""

    def __init__(self, *, now: Callable[[], float], **options: Any) -> None:
        super().__init__(**options)
        self._now = now
        self.last_success = now()
        self._last_begun = now()
        self._is_failing = False
        self.begun = asyncio.Event()
        self.refused = asyncio.Event()

    def go_well(self) -> bool:
        """Return True if the last poll that ended brought an answer, and the next one is not overdue."""
        return not self._is_failing and self._now() - max(self._last_begun, self.last_success) < OVERDUE

    async def do_request(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """As its parent; notes begin, success and the token's refusal."""
        self.begun.set()
        self._last_begun = self._now()
        try:
            code, payload = await super().do_request(*arguments, **options)
        except TelegramError as error:
            # PTB tells those who log failing polls of all others (network_retry_loop).
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

    async def fetch(
        self, bot: telegram.Bot, offset: int | None, *, timeout: int = POLL_SECONDS
    ) -> list[dict[str, Any]]:
        """Return the raw updates from `offset` on; those before it are confirmed. Raise TelegramError."""
        options: dict[str, int | str] = {"timeout": timeout, "allowed_updates": json.dumps(ALLOWED_UPDATES)}
        if offset is not None:
            options["offset"] = offset
        result: object = await self.post(
            f"{bot.base_url}/getUpdates?{urlencode(options)}", read_timeout=timeout + READ_SECONDS
        )
        return [raw for raw in result if isinstance(raw, dict)] if isinstance(result, list) else []


async def fetch_updates(
    bot: telegram.Bot, polls: PollRequest, queue: DurableQueue, pause: Callable[[float], Awaitable[None]]
) -> None:
    """Fetch, commit, hand over, and only then move the offset. Ends when Telegram refuses the token.

    What is not on disk holds the offset back; such polls are slow, for Telegram offers the same again at once.
    Cancelled, it confirms what is on disk.
    """
    offset: int | None = None
    wait = FIRST_WAIT
    trouble: type[Exception] | None = None
    try:
        while not polls.refused.is_set():
            if (unwritten := await queue.first_unwritten()) is not None:
                await pause(1.0)
                offset = unwritten
            try:
                updates = [(read_or_emptied(raw, bot), raw) for raw in await polls.fetch(bot, offset)]
                await queue.receive(updates)
            except TimedOut:
                await asyncio.sleep(0)  # PollRequest has logged it; it took long enough
            except Exception as error:  # broad: nothing may end polling without a word
                log_failure(error, trouble)
                trouble = type(error)
                await pause(wait_after(error, wait))
                wait = min(LAST_WAIT, wait * 1.5)
            else:
                wait, trouble = FIRST_WAIT, None
                offset = max((update.update_id for update, _ in updates), default=(offset or 1) - 1) + 1
    except asyncio.CancelledError:
        if offset and await queue.first_unwritten() is None:
            # It may hang; what is not confirmed comes again and is known.
            with suppress(TimeoutError, TelegramError):
                await asyncio.wait_for(polls.fetch(bot, offset, timeout=0), 2)
        raise


def log_failure(error: Exception, last: type[Exception] | None) -> None:
    """Log one line for a row of equal failures."""
    if type(error) is last:
        return
    if isinstance(error, Conflict):
        logger.error("Another program fetches the updates of this bot (409 Conflict). Stop it, or use a new token.")
    else:
        logger.warning("Fetching updates failed (%s); still trying.", type(error).__name__)


@asynccontextmanager
async def fetch_while_leader(
    leader: "PollingLeader", fetching: Callable[[], AbstractAsyncContextManager[None]], refused: asyncio.Event
) -> AsyncIterator[None]:
    """While the block runs, fetch whenever it is this process's leader. The block begins once it is known whose it is.

    `refused`: set where fetching cannot be begun, for Telegram refuses the token.
    """
    await leader.take()
    begun = asyncio.Event()

    async def lead() -> None:
        while True:
            if leader.is_leader():
                async with fetching():
                    begun.set()
                    logger.info("This process fetches the updates of all.")
                    while leader.is_leader():
                        await leader.changed()
                logger.info("Another process fetches the updates now.")
            begun.set()
            await leader.changed()
            await leader.take()

    task = asyncio.create_task(lead())
    task.add_done_callback(lambda _: begun.set())
    try:
        await begun.wait()
        if task.done():
            await task
        task.add_done_callback(lambda done: refused.set() if not done.cancelled() else None)
        yield
    finally:
        await cancel_and_wait(task)

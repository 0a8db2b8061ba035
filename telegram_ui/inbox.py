"""The queue between Telegram and the bot: an update is on disk before Telegram is told that we have it.

python-telegram-bot awaits put() before it confirms an update, polling and webhook alike; so put() commits.
Also the watch over polling: when the last poll succeeded. Does not know what an update says.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import telegram
from telegram.error import TelegramError
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from errors import StorageError
from storage.inbox import UpdateInbox

logger = logging.getLogger(__name__)

BEGINNINGS = 20  # runs that may die over an update before it is given up
KEPT_FOR = timedelta(hours=48)  # twice as long as Telegram offers an update again


class NotKeptError(TelegramError):
    """The inbox could not write. A TelegramError, because PTB refetches the same offset after one, with
    back-off; after any other exception it would confirm nothing more and stop polling without a word.
    """


@dataclass(frozen=True, slots=True)
class Received:
    """An update as the application gets it. Shows no text: PTB logs what passes through its queue."""

    update: telegram.Update
    is_kept: bool

    def __repr__(self) -> str:
        return f"Received({self.update.update_id})"


class DurableQueue(asyncio.Queue[object]):
    """An update queue whose put() returns when the update is committed; each update comes out of it once.

    `keep` says whether an update concerns the bot: what does not is passed on and never written.
    `limit`: how many kept updates may be unfinished before put(), and so polling, waits.
    """

    def __init__(
        self,
        inbox: UpdateInbox,
        *,
        keep: Callable[[telegram.Update], bool],
        now: Callable[[], datetime],
        limit: int = 1000,
    ) -> None:
        super().__init__()
        self._inbox = inbox
        self._keep = keep
        self._now = now
        self._limit = limit
        self._bot_id = 0
        self._unfinished: set[int] = set()
        self._unmarked: set[int] = set()  # finished, but the disk did not take it yet
        self._room = asyncio.Event()
        self._lock = asyncio.Lock()
        self._has_text = False  # texts that belong in no file may still be in the file's log
        self._forgetting = asyncio.Lock()

    @property
    def is_full(self) -> bool:
        return len(self._unfinished) >= self._limit

    async def replay(self, bot: telegram.Bot) -> int:
        """Queue what an earlier run left unfinished, in order; how many there were. Once,
        before updates are fetched.
        """
        self._bot_id = bot.id
        rows = await self._inbox.pending(bot.id)
        for row in rows:
            if await self._inbox.begin(bot.id, row.update_id) > BEGINNINGS:
                logger.error("Update %s was never finished in %s runs; given up.", row.update_id, BEGINNINGS)
                await self.done([row.update_id])
            else:
                await self._queue_again(row.update_id, row.payload, bot)
        return len(rows)

    async def put(self, item: object) -> None:
        """Commit an update (and wait for room first);
        anything else is PTB's own signal and passes through.
        """
        if not isinstance(item, telegram.Update):
            await super().put(item)
        elif not self._keep(item):
            await super().put(Received(item, is_kept=False))
        else:
            while self.is_full:
                self._room.clear()
                await self._room.wait()
            await self._put_kept(item)

    async def done(self, update_ids: Iterable[int], *, is_remembered: bool = False) -> None:
        """The updates' effects are done: their payloads may go.
        A failing disk is retried with the next call.

        `is_remembered`: memory holds their text, so it does no harm where the file's log keeps it for a while.
        """
        finished = set(update_ids)
        self._unfinished -= finished
        self._unmarked |= finished
        self._room.set()
        try:
            for update_id in sorted(self._unmarked):
                await self._inbox.done(self._bot_id, update_id, self._now())
                self._unmarked.discard(update_id)
            if not is_remembered:
                await self._forget_text()
        except StorageError as error:
            logger.warning("The inbox cannot mark updates as done (%s); retrying later.", type(error).__name__)

    async def _forget_text(self) -> None:
        """One cut of the log serves all who wait for one."""
        self._has_text = True
        async with self._forgetting:
            if self._has_text:
                self._has_text = False
                self._has_text = not await self._inbox.forget_text()

    async def begin_send(self, update_id: int) -> int:
        """Count, durably, an attempt to send an update's answer; which attempt it is, over all runs."""
        try:
            return await self._inbox.begin_send(self._bot_id, update_id)
        except StorageError as error:
            # An answer in hand is worth more than the count of its attempts.
            logger.warning("The inbox cannot count a sending (%s).", type(error).__name__)
            return 1

    async def take_back_send(self, update_id: int) -> None:
        """The attempt that was counted had surely no effect: it does not count."""
        try:
            await self._inbox.take_back_send(self._bot_id, update_id)
        except StorageError as error:
            logger.warning("The inbox cannot count a sending (%s).", type(error).__name__)

    def postpone(self, update_ids: Iterable[int]) -> None:
        """Leave updates to the next run."""
        self._unfinished -= set(update_ids)
        self._room.set()

    async def purge(self) -> None:
        """Forget ids that Telegram will not offer again."""
        await self._inbox.purge(self._now() - KEPT_FOR)

    async def _put_kept(self, update: telegram.Update) -> None:
        number = update.update_id
        # One at a time, in order: a webhook's requests arrive side by side.
        async with self._lock:
            try:
                is_new = await self._inbox.receive(self._bot_id, number, update.to_json(), self._now())
                if is_new:
                    await self._enqueue(update)
                elif number not in self._unfinished | self._unmarked:
                    await self._recover(number, update.get_bot())
            except Exception as error:
                # Broad, because whatever is not a TelegramError ends polling for good (see NotKeptError).
                logger.error(  # noqa: TRY400
                    "Update %s could not be kept (%s); it stays with Telegram.", number, type(error).__name__
                )
                raise NotKeptError("The update could not be kept.") from error

    async def _recover(self, number: int, bot: telegram.Bot) -> None:
        """An earlier put() was cancelled, or failed, after its commit: on disk, and yet never queued."""
        for row in await self._inbox.pending(self._bot_id):
            if row.update_id == number:
                await self._queue_again(row.update_id, row.payload, bot)

    async def _queue_again(self, update_id: int, payload: str, bot: telegram.Bot) -> None:
        try:
            update = telegram.Update.de_json(json.loads(payload), bot)
        except Exception as error:  # broad: one unreadable row must not keep the others from being answered
            logger.error(  # noqa: TRY400
                "Update %s in the inbox is unreadable (%s); dropped.", update_id, type(error).__name__
            )
            await self.done([update_id])
        else:
            await self._enqueue(update)

    async def _enqueue(self, update: telegram.Update) -> None:
        self._unfinished.add(update.update_id)
        await super().put(Received(update, is_kept=True))


class PollRequest(HTTPXRequest):
    """The connection that getUpdates uses: it sees each poll, and whether it succeeded."""

    def __init__(self, *, now: Callable[[], float], **options: Any) -> None:
        super().__init__(**options)
        self._now = now
        self.last_success = now()
        self.begun = asyncio.Event()
        self.refused = asyncio.Event()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """As its parent; notes begin, success and the token's refusal,
        and passes on only updates that PTB can read.
        """
        self.begun.set()
        code, payload = await super().do_request(
            url, method, request_data, read_timeout, write_timeout, connect_timeout, pool_timeout
        )
        if code == 200:
            self.last_success = self._now()
            return code, readable(payload)
        if code in (401, 404):
            self.refused.set()
        return code, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """A Bot API answer, read by parsed()."""
        return parsed(payload)


class QuietRequest(HTTPXRequest):
    """The connection for everything else; an unreadable answer is not logged, for it may hold text."""

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """A Bot API answer, read by parsed()."""
        return parsed(payload)


def parsed(payload: bytes) -> dict[str, Any]:
    """A Bot API answer. PTB's own version logs what it cannot parse, text and all."""
    try:
        answer = json.loads(payload.decode("utf-8", "replace"))
    except ValueError:
        raise TelegramError("Invalid server response") from None
    if not isinstance(answer, dict):
        raise TelegramError("Invalid server response")
    return answer


def readable(payload: bytes) -> bytes:
    """The answer to getUpdates, with each update that PTB cannot read emptied to its id.

    One such update would otherwise be fetched for ever, hold up all later ones, and be logged with its text
    each time.
    """
    try:
        answer = parsed(payload)
        updates = answer["result"]
        telegram.Update.de_list(updates, None)
    except TelegramError:
        return payload
    except Exception:  # broad: PTB raises whatever it stumbles over
        updates = [_read_or_emptied(update) for update in answer.get("result") or []]
        return json.dumps({**answer, "result": updates}).encode()
    return payload


def _read_or_emptied(data: dict[str, Any]) -> dict[str, Any]:
    try:
        telegram.Update.de_json(data, None)
    except Exception as error:  # broad: as above
        logger.error("Update %s is unreadable (%s); ignored.", data.get("update_id"), type(error).__name__)  # noqa: TRY400
        return {"update_id": data["update_id"]}
    return data

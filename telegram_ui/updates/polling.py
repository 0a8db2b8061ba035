"""How updates are fetched: what is not on disk is not confirmed, and an update that nobody can read holds up none.

Also the watch over polling: when the last poll succeeded. Does not know what is done with an update.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import telegram
from telegram.error import TelegramError
from telegram.ext import ExtBot
from telegram.request import BaseRequest, RequestData

from telegram_ui.sending.http import AiohttpRequest
from telegram_ui.updates.durable_queue import DurableQueue

logger = logging.getLogger(__name__)

HELD_PAUSE = 1.0  # seconds between polls while the disk takes nothing


class HoldingBot(ExtBot[None]):
    """A bot whose polls confirm nothing that is not on disk yet."""

    def __init__(self, token: str, *, pause: Callable[[float], Awaitable[None]], **options: Any) -> None:
        super().__init__(token, **options)
        self._queue: DurableQueue | None = None
        self._pause = pause

    def hold_back_for(self, queue: DurableQueue) -> None:
        """From now on every poll asks this queue first."""
        self._queue = queue
        queue.is_offset_held = True

    async def get_updates(self, offset: int | None = None, **options: Any) -> tuple[telegram.Update, ...]:  # type: ignore[override]
        """As its parent, with the offset held back; slowly then, for Telegram offers the same again at once."""
        unwritten = await self._queue.first_unwritten() if self._queue else None
        if unwritten is not None:
            await self._pause(HELD_PAUSE)
            offset = min(offset, unwritten) if offset else unwritten
        updates = await super().get_updates(offset, **options)
        if self._queue:
            await self._queue.write_ahead(updates)
        return updates


class PollRequest(AiohttpRequest):
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


class QuietRequest(AiohttpRequest):
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

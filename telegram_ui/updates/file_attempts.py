"""How often the work that an untrusted file decides is begun, over all runs, before the file is set aside.

A file that kills the process would kill every next run as well, because its update is replayed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from telegram import Update
from telegram.error import TelegramError

from locales.catalog import tr
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import Delivery
from telegram_ui.sending.documents import document_in
from telegram_ui.updates.durable_queue import DurableQueue

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 2  # runs that may die over one update's file


class FileAttempts:
    """One for the whole bot."""

    def __init__(self, queue: DurableQueue, delivery: Delivery) -> None:
        self._queue = queue
        self._delivery = delivery

    async def run(self, update: Update, chat: Chat, work: Callable[[], Awaitable[object]]) -> None:
        """Do what a file decides, unless the process has died over it too often: then its sender is told."""
        attempt = await self._queue.begin(update.update_id, "readings")
        if attempt > MOST_ATTEMPTS:
            logger.error(
                "The process died %s times over the file of update %s; set aside.", attempt - 1, update.update_id
            )
            await self._set_aside(update, chat)
            return
        try:
            await work()
        except asyncio.CancelledError:  # a stop in order, after which the next run tries it again
            await self._queue.take_back(update.update_id, "readings")
            raise

    async def _set_aside(self, update: Update, chat: Chat) -> None:
        message = update.effective_message
        if (query := update.callback_query) is None:
            document = document_in(message)
            await self._delivery.say(
                replace(chat, reply_to=document.message_id if document else None), tr("notices-set-aside")
            )
            return
        await self._delivery.replace(chat, message.message_id if message else None, tr("notices-set-aside"))
        with suppress(TelegramError):  # it may be too old by now: the person sees the message anyway
            await query.answer()

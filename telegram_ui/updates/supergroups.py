"""When a group becomes a supergroup, move its memory to the new id once the work under the old id is finished."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

import telegram
from attrs import define, field
from cachetools import LRUCache

from chat.corrections import Corrections
from external_memory import ExternalMemory
from records.errors import StorageError
from records.scopes import Scope
from telegram_ui.updates.serial_queue import Queues, SerialQueues, Work

logger = logging.getLogger(__name__)


@define(eq=False)
class SupergroupUpgrades:
    """Tracks groups that become supergroups, and moves their memories to the new ids."""

    _corrections: Corrections
    _memory: ExternalMemory
    _queues: Queues
    _pause: Callable[[float], Awaitable[None]] = field(kw_only=True)
    _under_way: LRUCache[int, int] = field(factory=partial(LRUCache, 1_000), init=False)

    def find_current_owner_id(self, chat_id: int) -> int:
        """Return the current id of a chat. A group's id changes when it becomes a supergroup."""
        return self._under_way.get(chat_id) or self._memory.find_current_owner_id(chat_id)

    def is_press_in_old_chat(self, query: telegram.CallbackQuery) -> bool:
        """Return True if a button was pressed in a group's old chat, whose messages can no longer be changed."""
        message = query.message
        return message is not None and self.find_current_owner_id(message.chat.id) != message.chat.id

    def submit_memory_move(self, old_id: int, new_id: int, on_moved: Work | None = None) -> None:
        """Queue a job that moves a memory to `new_id` and then calls `on_moved`. Repeated calls are harmless."""
        self._under_way[old_id] = new_id
        self._queues.commands.submit(Scope(owner=new_id), partial(self._move_memory, old_id, new_id, on_moved))

    async def _move_memory(self, old_id: int, new_id: int, on_moved: Work | None) -> None:
        before = Scope(owner=old_id)
        self._queues.follow_ups.try_to_cancel_running_job(before)
        for queues in (self._queues.commands, self._queues.slow, self._queues.chats):
            await _wait_for_submitted_jobs(queues, before)
        wait = 1.0
        while True:
            try:
                await self._corrections.change_owner_id(old_id, new_id)
            except StorageError as error:
                logger.warning("The memory of %s cannot follow to %s yet (%s).", old_id, new_id, type(error).__name__)
                await self._pause(wait)
                wait = min(30.0, wait * 2)
            else:
                break
        if on_moved is not None:
            await on_moved()


async def _wait_for_submitted_jobs(queues: SerialQueues, key: Scope) -> None:
    reached = asyncio.Event()

    async def signal_jobs_done() -> None:
        reached.set()

    queues.submit(key, signal_jobs_done)
    await reached.wait()

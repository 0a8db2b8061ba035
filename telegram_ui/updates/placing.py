"""Where and how something was said: in which conversation of its place, and how memory stood then.

Asked while commands wait, so that a message belongs to what was open and chosen when it came, whatever waits before
it.
"""

import logging
from dataclasses import replace

from attrs import define

from chat.conversation import Conversation
from external_memory import ExternalMemory
from records.errors import KeepsakeError, StorageError
from telegram_ui.updates.durable_queue import DurableQueue, Received
from telegram_ui.updates.parsing import ParsedUpdate

logger = logging.getLogger(__name__)


@define(kw_only=True, eq=False)
class Placing:
    """One for the whole bot."""

    _queue: DurableQueue
    _conversation: Conversation
    _memory: ExternalMemory

    async def of_message(self, received: Received, parsed: ParsedUpdate) -> ParsedUpdate:
        """A message with its conversation, and with how memory stands now: what waits behind other turns is not to be
        stored for what is chosen after it.
        """
        parsed = await self.now(parsed, source=parsed.source if received.is_replayed else "")
        mode = received.mode
        if mode is None:
            try:
                mode = await self._conversation.mode(parsed.place.owner)
            except StorageError as error:
                logger.warning("How memory stands in %s is not known: %s", parsed.scope, type(error).__name__)
                return parsed
            if mode != "on":
                await self._queue.note_mode(parsed.update_id, mode)
        return replace(parsed, mode=mode)

    async def now(self, parsed: ParsedUpdate, *, source: str = "", telegram_id: int | None = None) -> ParsedUpdate:
        """An update in the conversation that is open, or in the one that holds a message of this source or Telegram id.

        In the first one, where the store cannot say.
        """
        try:
            if source or telegram_id is not None:
                scope = await self._memory.conversation_with(parsed.place, source=source, telegram_id=telegram_id)
            else:
                scope = await self._memory.conversation(parsed.place)
        except StorageError as error:
            logger.warning("Which conversation is open in %s is not known: %s", parsed.place, type(error).__name__)
            return parsed
        return parsed.within(scope)

    async def again(self, parsed: ParsedUpdate) -> ParsedUpdate:
        """A message whose turn begins. Its conversation may have been forgotten while it waited: then it belongs to the
        one that is open now.
        """
        if not parsed.chat.conversation:
            return parsed
        try:
            is_there = await self._memory.has_conversation(parsed.place, parsed.scope)
        except KeepsakeError:  # the turn itself meets it again, and says so
            return parsed
        return parsed if is_there else await self.now(parsed)

"""Generates titles of conversations in the background."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Self

from attrs import define, field

from external_memory import ExternalMemory
from llm import prompts
from llm.chat_model import ChatModel
from llm.quota import Quota
from records.errors import KeepsakeError
from records.messages import Message
from records.model_calls import PromptMessage
from records.owners import get_memory_mode
from records.scopes import MAX_TITLE_CHARS, Clock, Scope
from runtime.tasks import cancel_and_wait
from summaries.quality_gate import find_text_faults
from text.characters import remove_invisible_characters

log = logging.getLogger(__name__)

MARKS = " \t\n\"'“”„«»*_#.。"  # that models put around a title


@define(kw_only=True, eq=False)
class TitleGenerator:
    """Generates titles of conversations in the background, and charges the tokens to the owner."""

    _memory: ExternalMemory
    _model: ChatModel
    _quota: Quota
    _clock: Clock
    _tasks: dict[Scope, asyncio.Task[None]] = field(factory=dict, init=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await cancel_and_wait(*self._tasks.values())

    def start_generating_titles(self, chat: Scope, conversations: Sequence[Scope]) -> None:
        """Start generating missing titles of conversations, unless this is already running for the chat."""
        if conversations and chat not in self._tasks:
            self._tasks[chat] = asyncio.create_task(self._generate_titles(chat, conversations))

    async def _generate_titles(self, chat: Scope, conversations: Sequence[Scope]) -> None:
        try:
            if get_memory_mode(await self._memory.get_config(chat.owner)) != "on":
                return
            async with self._memory.open_store(chat.owner) as store:
                untitled = await store.conversations.read_first_messages_of_untitled(chat, conversations)
            for conversation, messages in untitled.items():
                await self._make_and_store_title(chat, conversation, messages)
        except Exception as error:  # error boundary of this task: nobody waits for it
            log_failure = log.info if isinstance(error, KeepsakeError) else log.warning
            log_failure("a conversation of %s has no title yet: %s", chat, type(error).__name__)
        finally:
            self._tasks.pop(chat, None)

    async def _make_and_store_title(self, chat: Scope, conversation: Scope, messages: Sequence[Message]) -> None:
        # A title needs no more of a message than its subject.
        asked = PromptMessage(role="user", content=prompts.make_title_request(messages, max_chars=400))
        made = await self._quota.complete(chat.owner, self._model, [asked])
        line = next((line for line in made.text.splitlines() if line.strip()), "")
        title = " ".join(remove_invisible_characters(line).strip(MARKS).split())
        if not 0 < len(title) <= MAX_TITLE_CHARS or find_text_faults(
            title, asked.content, text_tokens=0, source_tokens=0
        ):
            return
        async with self._memory.open_store_if_enabled(chat.owner) as store:
            if store is not None:
                now = self._clock()
                await store.conversations.set_title_if_untitled(chat, conversation, title, made_from=messages, now=now)

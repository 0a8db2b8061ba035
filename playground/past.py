"""Restore stored messages to the chats after a restart, and erase an owner's memory."""

import json
from collections.abc import Callable, Sequence

from chat.services import Services
from playground.people import Chat
from playground.refusals import Json
from playground.text import split_text
from playground.world import World
from records.forgetting import ForgetRequest
from records.messages import SENT_ALONG, Message
from records.scopes import Scope

MAX_RESTORED_MESSAGES = 60
"""The most messages that are restored for each chat. The newest ones are chosen."""

FormatAnswer = Callable[[str], Sequence[Json]]
"""format_answer(text): return the messages into which the bot splits an answer, each as the Bot API's fields."""


async def restore_messages(world: World, services: Services, format_answer: FormatAnswer) -> None:
    """Add each chat's newest stored messages, and messages that are still waiting for an answer, to the world.

    Messages in forum topics are skipped.
    """
    known: set[str | None] = set()
    for chat in list(world.chats.values()):
        if not await services.memory.is_memory_on(chat.id):
            continue
        scope = await services.memory.find_open_conversation_or_chat_scope(Scope(owner=chat.id))
        async with services.memory.open_store(chat.id) as store:
            messages = await store.timeline.read_page(scope, limit=MAX_RESTORED_MESSAGES)
        known.update(message.source for message in messages)
        for message in messages:
            if message.origin in SENT_ALONG or message.role == "system":
                continue
            is_answer = message.role == "assistant"
            author = _make_author(world, chat, message)
            contents = (
                format_answer(message.content)
                if is_answer
                else [{"text": piece} for piece in split_text(message.content)]
            )
            for content in contents:
                world.restore_message(chat.id, author, content, unix_time=int(message.created_at.timestamp()))
    bot = int(world.bot["id"])
    for update in await services.memory.inbox.list_pending_updates(bot):
        message = json.loads(update.payload or "{}").get("message", {})
        is_here = message.get("chat", {}).get("id") in world.chats and "message_thread_id" not in message
        if is_here and "text" in message and f"{bot}:{update.update_id}" not in known:
            world.restore_message(
                message["chat"]["id"], message["from"], {"text": message["text"]}, unix_time=message["date"]
            )


async def erase_memory(services: Services, owner: int) -> None:
    """Forget everything about an owner, and turn their memory off. Raise StorageError if the store fails."""
    config = await services.memory.get_config(owner)
    await services.corrections.forget(owner, ForgetRequest(what="everything"))
    if config is not None and config.enabled:
        await services.memory.set_enabled(owner, enabled=False)


def _make_author(world: World, chat: Chat, message: Message) -> Json:
    """Return the author of a message as a User object. Imported answers show their assistant's name."""
    if message.role == "assistant":
        return {**world.bot, "id": 0, "first_name": message.speaker} if message.speaker else world.bot
    members = [world.people[member] for member in chat.members]
    return next((member for member in members if member.first_name == message.speaker), members[0]).to_user_json()

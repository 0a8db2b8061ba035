"""Show the stored messages on the page after a restart, and erase everything of a chat."""

import json
from collections.abc import Callable, Sequence

from chat.services import Services
from playground.people import Chat
from playground.refusals import Json
from playground.text import split_text
from playground.world import World
from records.forgetting import Forgetting
from records.messages import SENT_ALONG, Message
from records.scopes import Scope

SHOWN = 60
"""Newest messages of a chat that are put back."""

Formatted = Callable[[str], Sequence[Json]]
"""formatted(answer): the messages that carry an answer, each a text with its entities, as the Bot API has them."""


async def bring_back(world: World, services: Services, formatted: Formatted) -> None:
    """Show the newest stored messages of each chat, and the messages that wait for an answer. Skip topics."""
    known: set[str | None] = set()
    for chat in list(world.chats.values()):
        if not await services.memory.is_on(chat.id):
            continue
        scope = await services.memory.find_open_conversation(Scope(owner=chat.id))
        async with services.memory.open_store(chat.id) as store:
            held = await store.timeline.read_page(scope, limit=SHOWN)
        known.update(message.source for message in held)
        for message in held:
            if message.origin in SENT_ALONG or message.role == "system":
                continue
            is_answer = message.role == "assistant"
            author = _author(world, chat, message)
            contents = (
                formatted(message.content) if is_answer else [{"text": piece} for piece in split_text(message.content)]
            )
            for content in contents:
                world.recall(chat.id, author, content, at=int(message.created_at.timestamp()))
    bot = int(world.bot["id"])
    for waiting in await services.memory.inbox.list_pending_updates(bot):
        message = json.loads(waiting.payload or "{}").get("message", {})
        is_here = message.get("chat", {}).get("id") in world.chats and "message_thread_id" not in message
        if is_here and "text" in message and f"{bot}:{waiting.update_id}" not in known:
            world.recall(message["chat"]["id"], message["from"], {"text": message["text"]}, at=message["date"])


async def erase(services: Services, owner: int) -> None:
    """Forget everything of an owner and turn memory off. Raise StorageError if the store fails."""
    config = await services.memory.get_config(owner)
    await services.corrections.forget(owner, Forgetting(what="everything"))
    if config is not None and config.enabled:
        await services.memory.set_enabled(owner, enabled=False)


def _author(world: World, chat: Chat, message: Message) -> Json:
    """Return a message's author as a User object. Another assistant of an import has its own name."""
    if message.role == "assistant":
        return {**world.bot, "id": 0, "first_name": message.speaker} if message.speaker else world.bot
    members = [world.people[member] for member in chat.members]
    return next((member for member in members if member.first_name == message.speaker), members[0]).user()

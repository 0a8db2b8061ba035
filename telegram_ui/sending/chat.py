"""The chat that an answer is sent to, and the check that this process may still send messages there.

The bot calls `require_chat_lease` before each visible request. A replaced process therefore sends nothing.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from records.errors import ServedElsewhere
from records.scopes import Scope

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_inbox import PostgresInbox

MessageId = int  # Telegram's id of a message, unique within its chat
ANONYMOUS_ADMIN = 1087968824  # @GroupAnonymousBot, under which a group's anonymous admins write


@dataclass(frozen=True, kw_only=True, slots=True)
class SoleViewer:
    """The one member of a group who can see a message (Bot API 10.2).

    Without `query` and `message_id`, Telegram accepts the message only if the bot is an administrator.
    """

    receiver: int
    query: str = ""  # the id of the press that the message answers
    message_id: int = 0  # of the ephemeral message that the person sent, or whose button they pressed


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """A destination for messages: a private chat, a group, a topic, or a person's direct messages with a channel."""

    id: int
    thread: int = 0  # the topic's id; the negative one of a topic of direct messages
    is_private: bool = True
    reply_to: int | None = None  # the message that an answer replies to, in groups only
    conversation: int = 0  # the thread of the open conversation, 0 for the first or an unknown one
    only_for: SoleViewer | None = None  # the only person who sees the messages, if the server supports that

    @property
    def topic_id(self) -> int | None:
        """The topic's id, sent to the Bot API as `message_thread_id`, or None if there is no such topic."""
        return self.thread if self.thread > 0 else None

    @property
    def direct_messages_topic_id(self) -> int | None:
        """The topic id of a person's direct messages with a channel, or None in any other chat."""
        return -self.thread if self.thread < 0 else None

    @property
    def chat_scope(self) -> Scope:
        """The scope of the topic, which is also the scope of its first conversation."""
        return Scope(owner=self.id, thread=self.thread)

    @property
    def scope(self) -> Scope:
        """The scope of the conversation that is open in this topic."""
        return Scope(owner=self.id, thread=self.conversation or self.thread)

    def with_conversation(self, conversation_scope: Scope) -> "Chat":
        conversation = 0 if conversation_scope == self.chat_scope else conversation_scope.thread
        return self if conversation == self.conversation else replace(self, conversation=conversation)


CheckLease = Callable[[], Awaitable[None]]  # raises ServedElsewhere if another process serves the chat now

_lease_check: ContextVar[CheckLease | None] = ContextVar("lease", default=None)


def set_lease_check(check: CheckLease | None) -> None:
    """Set the check that runs before each request in this context, or remove it if `check` is None."""
    _lease_check.set(check)


def require_lease_for_sending(shared_inbox: "PostgresInbox | None", owner: int) -> None:
    """Let this context send only while this process serves the owner. Raise ServedElsewhere if it does not."""
    if shared_inbox is None:
        set_lease_check(None)
    elif (lease := shared_inbox.find_lease(owner)) is not None:
        set_lease_check(partial(shared_inbox.leases.require_lease, *lease))
    else:
        raise ServedElsewhere


async def require_chat_lease() -> None:
    """Raise ServedElsewhere if another process now serves the chat of this context."""
    if (check := _lease_check.get()) is not None:
        await check()

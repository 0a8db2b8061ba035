"""The address of an answer, and the check that this process may still write there.

The work of one update runs in one context. Before each visible request, the bot calls `demand_lease`, so that a process
that was paused and replaced stays silent when it wakes.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from records.errors import ServedElsewhere
from records.scopes import Scope

if TYPE_CHECKING:  # a process that is alone needs no driver of PostgreSQL
    from storage.bot_state.postgres_inbox import SharedWork

ANONYMOUS_ADMIN = 1087968824  # @GroupAnonymousBot, under which a group's anonymous admins write


@dataclass(frozen=True, kw_only=True, slots=True)
class Ephemeral:
    """The one person of a group who sees a message (Bot API 10.2).

    `query`: the id of the press that the message answers. `message_id`: the ephemeral message that the person sent, or
    whose button they pressed. Without either, only an administrator may send.
    """

    receiver: int
    query: str = ""
    message_id: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """A place to write: a private chat, a group, a group's topic, or a person's direct messages with a channel.

    `thread`: the topic, or for direct messages their topic's negative id. `conversation`: the thread of the open
    conversation, 0 for the first or an unknown one. `reply_to`: the message that an answer replies to, in groups only.
    `only_for`: the only person who sees the messages, if the server supports that.
    """

    id: int
    thread: int = 0
    is_private: bool = True
    reply_to: int | None = None
    conversation: int = 0
    only_for: Ephemeral | None = None

    @property
    def topic(self) -> int | None:
        """Return Telegram's `message_thread_id`."""
        return self.thread if self.thread > 0 else None

    @property
    def direct_messages_topic(self) -> int | None:
        """Return Telegram's `direct_messages_topic_id`."""
        return -self.thread if self.thread < 0 else None

    @property
    def location(self) -> Scope:
        """The scope of the topic itself, which is also that of its first conversation."""
        return Scope(owner=self.id, thread=self.thread)

    @property
    def scope(self) -> Scope:
        """Return the scope of the conversation that is open in this topic."""
        return Scope(owner=self.id, thread=self.conversation or self.thread)

    def with_conversation(self, scope: Scope) -> "Chat":
        """Return the chat with this conversation open."""
        conversation = 0 if scope == self.location else scope.thread
        return self if conversation == self.conversation else replace(self, conversation=conversation)


Confirm = Callable[[], Awaitable[None]]  # raise ServedElsewhere if another process serves the chat by now

_confirm: ContextVar[Confirm | None] = ContextVar("lease", default=None)


def put_work_under(confirm: Confirm | None) -> None:
    """Set the check that this context's work runs before it sends, or None for a single process."""
    _confirm.set(confirm)


def put_work_under_lease(shared: "SharedWork | None", owner: int) -> None:
    """Put this context's work under this process's current lease of an owner. Raise ServedElsewhere if it has none."""
    if shared is None:
        put_work_under(None)
    elif (lease := shared.lease(owner)) is not None:
        put_work_under(partial(shared.confirm, lease))
    else:
        raise ServedElsewhere


async def demand_lease() -> None:
    """Raise ServedElsewhere if the lease of this context's work is lost."""
    if (confirm := _confirm.get()) is not None:
        await confirm()

"""The address of an answer, and whether the running work may still speak there.

Work that one update begins runs in one context, with all its tasks. Before each request that people could see, the bot
asks `demand_lease`: a process that was paused and replaced is silent when it wakes.
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

    `query`: the id of the press that the message answers. `message_id`: the ephemeral message that they sent, or whose
    button they pressed. With either of them any bot may send; without them only an administrator.
    """

    receiver: int
    query: str = ""
    message_id: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """A place to write: a private chat, a group, a group's topic, or a person's direct messages with a channel.

    `thread`: the topic; for direct messages the negative of theirs, since the two kinds have numbers of their own.
    `conversation`: the thread of the conversation that goes on there; 0: the first one, or not looked up yet.
    `reply_to`: the message that an answer refers to (groups only: in private the order says it).
    `only_for`: the person who alone sees what is written, where the server can do that.
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
        """Return Telegram's `direct_messages_topic_id`, without which nothing reaches the person."""
        return -self.thread if self.thread < 0 else None

    @property
    def location(self) -> Scope:
        """The scope of the topic itself, in which its first conversation stands: the person's in private, else the
        group's.
        """
        return Scope(owner=self.id, thread=self.thread)

    @property
    def scope(self) -> Scope:
        """Return the scope of the conversation that is open in this topic."""
        return Scope(owner=self.id, thread=self.conversation or self.thread)

    def within(self, scope: Scope) -> "Chat":
        """Return the chat with this conversation open."""
        conversation = 0 if scope == self.location else scope.thread
        return self if conversation == self.conversation else replace(self, conversation=conversation)


Confirm = Callable[[], Awaitable[None]]  # raise ServedElsewhere if another process serves the chat by now

_confirm: ContextVar[Confirm | None] = ContextVar("lease", default=None)


def submit_work_under(confirm: Confirm | None) -> None:
    """Set the check that this context's work runs before it sends. None means that nobody else could serve it."""
    _confirm.set(confirm)


def submit_work_for(shared: "SharedWork | None", owner: int) -> None:
    """As `submit_work_under`, for work that no update began: under this process's lease of an owner, as it is now.
    Raises ServedElsewhere where it has none.
    """
    if shared is None:
        submit_work_under(None)
    elif (lease := shared.lease(owner)) is not None:
        submit_work_under(partial(shared.confirm, lease))
    else:
        raise ServedElsewhere


async def demand_lease() -> None:
    """Raise ServedElsewhere if the lease of this context's work is lost."""
    if (confirm := _confirm.get()) is not None:
        await confirm()

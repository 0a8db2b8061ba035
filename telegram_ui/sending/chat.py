"""Where an answer goes. Does not know how it is sent."""

from dataclasses import dataclass

from records.scopes import Scope

ANONYMOUS_ADMIN = 1087968824
"""@GroupAnonymousBot, under which a group's anonymous admins write."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """Where people write: a private chat, a group, or one of a group's topics.

    `reply_to`: the message that an answer refers to (groups only: in private the order says it).
    """

    id: int
    thread: int = 0
    is_private: bool = True
    reply_to: int | None = None

    @property
    def scope(self) -> Scope:
        """Whose memory belongs to this chat: the person's in private, elsewhere the group's, topic by topic."""
        return Scope(owner=self.id, thread=self.thread)

"""Where an answer goes. Does not know how it is sent."""

from dataclasses import dataclass

from records.scopes import Scope

ANONYMOUS_ADMIN = 1087968824
"""@GroupAnonymousBot, under which a group's anonymous admins write."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """Where people write: a private chat, a group, a group's topic, or a person's direct messages with a channel.

    `thread`: the topic; for direct messages the negative of theirs, since the two kinds have numbers of their own.
    `reply_to`: the message that an answer refers to (groups only: in private the order says it).
    """

    id: int
    thread: int = 0
    is_private: bool = True
    reply_to: int | None = None

    @property
    def topic(self) -> int | None:
        """What Telegram calls `message_thread_id`."""
        return self.thread if self.thread > 0 else None

    @property
    def direct_messages_topic(self) -> int | None:
        """What Telegram calls `direct_messages_topic_id`: what is sent without it reaches no person."""
        return -self.thread if self.thread < 0 else None

    @property
    def scope(self) -> Scope:
        """Whose memory belongs to this chat: the person's in private, elsewhere the group's, topic by topic."""
        return Scope(owner=self.id, thread=self.thread)

"""Immutable values for people and chats, and the Bot API's JSON objects for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from playground.refusals import Json


class Impossible(ValueError):  # noqa: N818 (a person's act, not a failure of the program)
    """Raised for an action that Telegram's clients do not allow. The message says why in one sentence."""


@dataclass(frozen=True, kw_only=True)
class Person:
    id: int
    first_name: str
    username: str | None = None
    language_code: str = "en"

    def to_user_json(self) -> Json:
        """Return the person as a User object of the Bot API."""
        user: Json = {"id": self.id, "is_bot": False, "first_name": self.first_name}
        if self.username:
            user["username"] = self.username
        return {**user, "language_code": self.language_code}


@dataclass(frozen=True, kw_only=True)
class Chat:
    id: int
    type: str  # private, group or supergroup
    title: str
    username: str | None = None
    members: tuple[int, ...]  # people; the bot is kept apart
    admins: tuple[int, ...] = ()  # the first is the creator
    is_forum: bool = False
    topics: Mapping[int, str] = field(default_factory=dict)
    has_bot: bool = True
    upgraded_to: int | None = None  # the supergroup that this group has become

    @property
    def is_private(self) -> bool:
        return self.type == "private"

    def to_chat_json(self) -> Json:
        """Return the chat as the Chat object that the Bot API puts into messages."""
        chat: Json = {"id": self.id, "type": self.type}
        chat["first_name" if self.is_private else "title"] = self.title
        if self.username:
            chat["username"] = self.username
        if self.is_forum:
            chat["is_forum"] = True
        return chat

    def to_page_json(self) -> Json:
        """Return the chat as the page needs it, with its members and topics."""
        return {
            **self.to_chat_json(),
            "title": self.title,
            "members": list(self.members),
            "admins": list(self.admins),
            "topics": {str(number): name for number, name in self.topics.items()},
            "has_bot": self.has_bot,
        }


def make_topic_message(chat: Chat, author: Json, thread_id: int, name: str, unix_time: int) -> Json:
    """Build the service message that opens a forum topic."""
    return {
        "message_id": thread_id,
        "from": author,
        "chat": chat.to_chat_json(),
        "date": unix_time,
        "message_thread_id": thread_id,
        "is_topic_message": True,
        "forum_topic_created": {"name": name, "icon_color": 7322096},
    }


def make_membership_update(chat: Chat, bot: Json, user: Json, old_status: str, new_status: str, unix_time: int) -> Json:
    """Build the ChatMemberUpdated object for a change in the bot's own status in a chat."""
    states = {
        status: {"user": bot, "status": status, **({"until_date": 0} if status == "kicked" else {})}
        for status in (old_status, new_status)
    }
    members = {"old_chat_member": states[old_status], "new_chat_member": states[new_status]}
    return {"chat": chat.to_chat_json(), "from": user, "date": unix_time, **members}

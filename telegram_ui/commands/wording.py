"""Words that several families share: counts, dates, quotations. Pure; does not know any command."""

from datetime import UTC, datetime, tzinfo

from chat.notices import counted
from records.messages import Message
from records.owners import StorageType

STORAGE_NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON"}
ADMINS_ONLY = "Only the admins of this group can change its memory settings."
DEAD_BUTTON = "This button does nothing any more."
QUOTED = 200
"""Characters of a text that are quoted."""


def messages(number: int) -> str:
    return counted(number, "message", "messages")


def turns(number: int) -> str:
    return counted(number, "turn", "turns")


def facts(number: int) -> str:
    return counted(number, "fact", "facts")


def minute(at: datetime) -> str:
    """A moment to the minute, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def day(at: datetime, zone: tzinfo = UTC) -> str:
    """The date of a moment in a time zone."""
    return at.astimezone(zone).strftime("%Y-%m-%d")


def speaker(message: Message) -> str:
    if message.origin == "tool":
        return "a tool"
    return "me" if message.role == "assistant" else message.speaker or "you"


def quoted(text: str, most: int = QUOTED) -> str:
    """The beginning of a text on one line, cut between words."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return line[:most].rsplit(" ", 1)[0].rstrip() + " …"

"""Words that several families share: counts, dates, quotations, labels. Pure; does not know any command."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo

from telegram import InlineKeyboardButton

from records.messages import Message
from records.owners import StorageType
from text.plurals import counted

STORAGE_NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON", StorageType.POSTGRES: "PostgreSQL"}
ADMINS_ONLY = "Only the admins of this group can change its memory settings."
DEAD_BUTTON = "This button does nothing any more."
QUOTED = 200
"""Characters of a text that are quoted."""
OFFERED = (5, 10, 20, 50)
"""Turns after which a summary can be chosen by a button."""


def messages(number: int) -> str:
    return counted(number, "message", "messages")


def turns(number: int) -> str:
    return counted(number, "turn", "turns")


def facts(number: int) -> str:
    return counted(number, "fact", "facts")


def minute(at: datetime, zone: tzinfo = UTC) -> str:
    """A moment to the minute in a time zone."""
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def moment(at: datetime, zone: tzinfo) -> str:
    """The same, saying so where it is not the reader's own time."""
    return f"{minute(at, zone)} UTC" if zone is UTC else minute(at, zone)


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


def counted_list(parts: Sequence[str]) -> str:
    """Several things in one phrase: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def ticked(label: str, *, is_chosen: bool) -> str:
    """A button's label, marked if it is the current choice."""
    return f"✓ {label}" if is_chosen else label


def thresholds(chosen: int | None, button: Callable[[str, int], InlineKeyboardButton]) -> list[InlineKeyboardButton]:
    """A row of numbers of turns with the current one among them, marked. `button` makes one of label and number."""
    numbers = sorted({*OFFERED, *([chosen] if chosen is not None else [])})
    return [button(ticked(str(number), is_chosen=number == chosen), number) for number in numbers]

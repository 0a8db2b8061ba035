"""What a file from elsewhere says was said: the values that every format is read into.

Does not know files, stores, or what is known already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from records.messages import Role
from runtime.cooperative import yielding_gil

Format = Literal["keepsake", "telegram", "chatgpt"]
Origin = Literal["imported", "forwarded"]
NAMES: Mapping[Format, str] = {
    "keepsake": "an export of mine",
    "telegram": "an export of Telegram Desktop",
    "chatgpt": "an export of ChatGPT",
}


class WrongElement(Exception):  # noqa: N818 - reads as the state it is
    """What is wrong with one element of a file; its reader adds where that stands."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedMessage:
    """One message. `source` ("import:…") names it for ever; `also` is the name that it may be known by instead.

    `is_own`: False for what somebody else said than the person whose history it is and their bot.
    `answers`: it belongs to the turn of the message before it. `number`: its id in the file, where that has ids that
    other rows of the file name.
    """

    source: str
    role: Role
    content: str
    created_at: datetime
    speaker: str = ""
    origin: Origin = "imported"
    is_own: bool = True
    answers: bool = False
    thread: int = 0
    also: str | None = None
    number: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedHistory:
    """What a file holds, oldest first within each conversation. `notes`: what else the person should know of it.

    Of an export of ours: `rows`, everything in it, table by table; `owner`, whose it is; `is_whole`, whether this one
    file is all of it.
    """

    format: Format
    messages: Sequence[ImportedMessage]
    notes: tuple[str, ...] = ()
    rows: Mapping[str, Sequence[Mapping[str, object]]] | None = None
    owner: int | None = None
    is_whole: bool = True


def names(past: ImportedHistory) -> list[tuple[Role, str]]:
    """Every name that a message of the file may be known by."""
    found: list[tuple[Role, str]] = []
    for one in yielding_gil(past.messages):
        found.append((one.role, one.source))
        if one.also:
            found.append((one.role, one.also))
    return found


def nameless(past: ImportedHistory) -> tuple[dict[int, ImportedMessage], set[int]]:
    """Those of an export that have a number but no name, by number, and the threads that they stand in."""
    found: dict[int, ImportedMessage] = {}
    for one in yielding_gil(past.messages):
        if one.number is not None and one.also is None:
            found[one.number] = one
    return found, {one.thread for one in found.values()}

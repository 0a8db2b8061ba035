"""WhatsApp's chat as text, of Android and iOS → messages.

The order of day and month is found in the file itself, and asked for where it stays open; so is who of the speakers the
person is. Lines of the system and media without words are left out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from locales.catalog import tr
from runtime.cooperative import yielding_gil
from transfer.formats.conversations import Conversations, fingerprint, numbered
from transfer.formats.history import (
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    Question,
    Reading,
    Sample,
    SourceFile,
)
from transfer.formats.values import WrongElement
from transfer.formats.written_dates import HALF, hour_of, moment_at

_MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_SLASH = rf"[{_MARKS}]{{0,2}}[./-][ {_MARKS}]{{0,2}}"
_HEAD = re.compile(
    rf"[{_MARKS}]{{0,4}}(?P<open>\[?)(\d{{1,4}}){_SLASH}(\d{{1,2}}){_SLASH}(\d{{1,4}})\.?[,،]?[ \u00a0\u202f]{{1,2}}"
    rf"(?:({HALF})[ \u00a0\u202f]?)?(\d{{1,2}})[:.](\d\d)(?:[:.](\d\d))?(?:[ \u00a0\u202f]?({HALF}))?"
    r"(?:\] ?| - )(?P<rest>.*)",
    re.IGNORECASE,
)
LONGEST_SPEAKER = 100
"""Characters: a longer beginning of a line is a sentence of the system."""
_OPEN_QUOTE = re.compile(r'^[^"]*"[^"]*$|[“„«][^”“»]*$')
"""Of a line of the system that names a group or a subject with a colon."""
_MEDIA = re.compile(r"<[^<>\n]{3,60}>")
_ATTACHED = re.compile(
    r"[^\n<>:\"/\\|?*]{1,200}\.\w{2,5} \([^()\n]{3,40}\)(?:\n|$)|<[^<>\n:]{3,30}: [^<>\n]{1,200}>(?:\n|$)"
)
_EDITED = re.compile(
    rf" ?[{_MARKS}]{{0,2}}<(?:This message was edited|Diese Nachricht wurde bearbeitet\.?|Se editó este mensaje\.?|"
    r"Mensagem editada|Ce message a été modifié|Данное сообщение изменено|此消息已编辑)>$"
)
_DELETED = re.compile(
    "This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht|"
    "Se eliminó este mensaje|Eliminaste este mensaje|Mensagem apagada|Данное сообщение удалено|null"
)
_ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}
"""Where year, month and day stand in a date."""
ORDERS = ("dmy", "mdy")
"""Those that may look alike."""


class _Line(NamedTuple):
    """The beginning of a message: what its date is made of, and what follows."""

    date: tuple[int, int, int]
    clock: tuple[int, int, int]
    stamp: str
    is_ios: bool
    rest: str


class _Said(NamedTuple):
    line: _Line
    speaker: str
    words: str


def read(files: Sequence[SourceFile], reading: Reading) -> ImportedHistory:
    talks = Conversations("whatsapp", reading)
    chats = [_messages(file.text, talks.skipped) for file in files]
    lines = [one.line for chat in chats for one in chat]
    order = _order(lines)
    if order is None:
        example = lines[0].date
        labels = tuple(tr(f"import-order-{name}", example=f"{example[0]}/{example[1]}") for name in ORDERS)
        question = Question(name="order", options=labels)
        talks.questions.append(question)
        order = ORDERS[(reading.chosen(question) or (0,))[0]]
    for chat in chats:
        seen: Counter[str] = Counter()
        said = ((one.line.stamp, -1, one) for one in chat)
        talks.add(talks.messages(said, partial(_message, order, reading.zone, seen)))
    talks.ask_own()
    return talks.history()


def _message(order: str, zone: tzinfo, seen: Counter[str], one: _Said) -> ImportedMessage:
    year, month, day = (one.line.date[place] for place in _ORDERS[order])
    said_at = moment_at((year, month, day), one.line.clock, zone)
    if said_at is None:
        raise WrongElement
    name = numbered(fingerprint(one.line.stamp, one.speaker, one.words), seen)
    return ImportedMessage(
        source=f"import:whatsapp:{name}",
        role="user",
        content=one.words,
        created_at=said_at,
        speaker=one.speaker,
    )


def _messages(text: str, skipped: Counter[str]) -> list[_Said]:
    """What people said; lines of the system are no messages."""
    found: list[tuple[_Line, list[str]]] = []
    for line in yielding_gil(text.split("\n")):
        head = _line(line.rstrip("\r"))
        if head:
            found.append((head, [head.rest]))
        elif found:
            found[-1][1].append(line.rstrip("\r"))
    said: list[_Said] = []
    for head, lines in yielding_gil(found):
        speaker, colon, words = "\n".join(lines).partition(": ")
        if not colon:
            speaker, colon, words = "\n".join(lines).partition(":\n")
        if not colon or "\n" in speaker or len(speaker) > LONGEST_SPEAKER or _OPEN_QUOTE.search(speaker):
            continue
        # iOS marks what the app says itself, and files.
        is_marked = words.startswith("\u200e")
        words = _EDITED.sub("", words.strip(" \u200e\u200f\n"))
        attached = _ATTACHED.match(words)
        rest = words[attached.end() :].strip() if attached else words
        if (
            not rest
            or _MEDIA.fullmatch(rest)
            or _DELETED.fullmatch(rest.rstrip("."))
            or (is_marked and not attached and head.is_ios)
        ):
            skipped["wordless"] += 1
            continue
        said.append(_Said(head, speaker.strip("~ \u200e\u200f\u202a\u202c\u202f\u00a0"), rest))
    return said


def _line(text: str) -> _Line | None:
    found = _HEAD.match(text)
    if found is None or bool(found["open"]) != (
        text[found.start("rest") - 1] != "-" and "]" in text[: found.start("rest")]
    ):
        return None
    _, first, second, third, before, hour, minute, seconds, after, rest = found.groups()
    number = hour_of(int(hour), before or after or "")
    stamp = text[: found.start("rest")].strip(" -[]\u200e\u200f\ufeff")
    date = one, two, three = (int(first), int(second), int(third))
    is_date = any(0 < month <= 12 and 0 < day <= 31 for month, day in ((one, two), (two, one), (two, three)))
    if not is_date or number > 23 or int(minute) > 59:  # a line of a message that looks like a beginning
        return None
    return _Line(date, (number, int(minute), int(seconds or 0)), stamp, bool(found["open"]), rest)


def _order(lines: Sequence[_Line]) -> str | None:
    """By a number above 12; else by the order in which the days of one of the readings never go back."""
    if 2 * sum(line.date[0] > 31 for line in lines) >= len(lines):
        return "ymd"
    if any(line.date[0] > 12 for line in lines):
        return "dmy"
    if any(line.date[1] > 12 for line in lines):
        return "mdy"
    possible = [
        order for order in ORDERS
        if all(a <= b for a, b in pairwise([line.date[place] for place in _ORDERS[order]] for line in lines))
    ]  # fmt: skip
    return possible[0] if len(possible) == 1 else None


def _fits(sample: Sample) -> bool:
    return not sample.opening and sum(_line(line) is not None for line in sample.text.splitlines()[:50]) >= 1


FORMAT = ImportFormat(
    name="whatsapp",
    product="WhatsApp",
    fits=_fits,
    read=read,
    members=lambda _, name: name == "_chat.txt" or ("whatsapp" in name and name.endswith(".txt")),
)

"""Read WhatsApp's chats as text, of Android and iOS.

The order of day and month is found in the file, or else asked for, as is which speaker the person is. System lines and
media without words are skipped.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import MAXYEAR, UTC, date, datetime, time, tzinfo
from functools import partial
from typing import NamedTuple

from locales.catalog import tr
from records.errors import ImportRefused
from runtime.cooperative import yielding_gil
from transfer.formats.chat_heads import (
    AMBIGUOUS_ORDERS,
    FIRST_YEAR,
    Head,
    arrange,
    find_calendar,
    find_order,
    parse_head,
    parse_lines,
)
from transfer.formats.conversations import Conversations, hash_parts, number_name, order_by_file
from transfer.formats.history import (
    NO_DATE,
    FileReading,
    ImportedHistory,
    ImportedMessage,
    ImportFormat,
    ImportQuestion,
    Sample,
    SourceFile,
)
from transfer.formats.values import WrongElement

MAX_SPEAKER_CHARS = 100  # characters: a longer beginning of a line is a sentence of the system
_OPEN_QUOTE = re.compile(r'^[^"]*"[^"]*$|[“„«][^”“»]*$')
"""Of a line of the system that names a group or a subject with a colon."""
_MEDIA = re.compile(r"<[^<>\n]{3,60}>")
_ATTACHED = re.compile(
    r"[^\n<>:\"/\\|?*]{1,200}\.\w{2,5} \([^()\n]{3,40}\)(?:\n|$)|<[^<>\n:]{3,30}: [^<>\n]{1,200}>(?:\n|$)"
)
_EDITED = re.compile(
    r" ?[\u200e\u200f]{0,2}<(?:This message was edited|Diese Nachricht wurde bearbeitet\.?|Se editó este mensaje\.?|"
    r"Mensagem editada|Ce message a été modifié|Данное сообщение изменено|此消息已编辑)>$"
)
_DELETED = re.compile(
    "This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht|"
    "Se eliminó este mensaje|Eliminaste este mensaje|Mensagem apagada|Данное сообщение удалено|null"
)
_TAIL = re.compile(r" ?[\u200e\u200f] ?<[^<>\n]{3,230}>$")  # what iOS adds to a message: that it was edited, or a file
_DOCUMENT = re.compile(r"[^\n]{1,200}\.\w{2,5} • [\u200e\u200f][^\n]{1,80}$")
"""A file that was left out of the export: its name, its pages, and the app's own words."""
_MARK = re.compile("[\u200e\u200f]")
_ISOLATE = re.compile("[\u2068\u2069]")  # around the name of a person who is mentioned
_WORDY = re.compile(r"https?://|\n.*\S")  # in what the app says itself: a place has a link, a poll several lines


_Day = tuple[int, int, int]


class _WhatsAppLine(NamedTuple):
    head: Head
    speaker: str
    words: str


def read(files: Sequence[SourceFile], reading: FileReading) -> ImportedHistory:
    talks = Conversations("whatsapp", reading)
    chats = [_read_lines(file.text, talks.skipped) for file in files]
    heads = [said.head for chat in chats for said in chat]
    order = find_order(heads)
    if order is None:
        example = heads[0].date
        labels = tuple(tr(f"import-order-{name}", example=f"{example[0]}/{example[1]}") for name in AMBIGUOUS_ORDERS)
        question = ImportQuestion(name="order", options=labels)
        talks.questions.append(question)
        order = AMBIGUOUS_ORDERS[(reading.chosen(question) or (0,))[0]]
    last_year = reading.now.year if reading.now != NO_DATE else MAXYEAR
    for chat in chats:
        dates = _add_years([arrange(said.head.date, said.head.order or order) for said in chat], talks, last_year)
        convert = find_calendar(dates, last_year + 1)
        if convert is None:
            raise ImportRefused(tr("import-impossible-year", year=str(max(year for year, _, _ in dates))))
        seen: Counter[str] = Counter()
        each = ((said.head.stamp, -1, (said, day)) for said, day in zip(chat, dates, strict=True))
        talks.add(order_by_file(talks.messages(each, partial(_read_message, convert, reading.zone, seen))))
    talks.ask_own()
    return talks.history()


def _add_years(dates: list[_Day], talks: Conversations, last_year: int) -> list[_Day]:
    """Return the dates with years. Phones of 2014 wrote none, so we ask for the year of the last message."""
    if not dates or any(year for year, _, _ in dates):
        return dates
    years = range(last_year, FIRST_YEAR - 1, -1)
    question = ImportQuestion(name="year", options=tuple(map(str, years)), chosen=(0,))
    talks.questions.append(question)
    year = years[(talks.reading.chosen(question) or (0,))[0]]
    found: list[_Day] = []
    for month, day in ((month, day) for _, month, day in reversed(dates)):
        year -= bool(found) and (month, day) > found[-1][1:]
        found.append((year, month, day))
    return found[::-1]


def _read_message(
    convert: Callable[[int, int, int], date], zone: tzinfo, seen: Counter[str], given: tuple[_WhatsAppLine, _Day]
) -> ImportedMessage:
    said, day = given
    try:
        said_at = datetime.combine(convert(*day), time(*said.head.clock), zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise WrongElement from None
    name = number_name(hash_parts(said.head.stamp, said.speaker, said.words), seen)
    return ImportedMessage(
        source=f"import:whatsapp:{name}", role="user", content=said.words, created_at=said_at, speaker=said.speaker
    )


def _read_lines(text: str, skipped: Counter[str]) -> list[_WhatsAppLine]:
    """Return what people said, including polls and places, without the app's own lines."""
    said: list[_WhatsAppLine] = []
    for head, line in yielding_gil(parse_lines(text)):
        speaker, colon, words = line.partition(": ")
        if not colon or "\n" in speaker:
            speaker, colon, words = line.partition(":\n")
        if not colon or "\n" in speaker or len(speaker) > MAX_SPEAKER_CHARS or _OPEN_QUOTE.search(speaker):
            continue
        # iOS marks what the app says itself, and files, by the direction of its language.
        is_marked = head.is_ios and words.startswith(("\u200e", "\u200f"))
        words = _EDITED.sub("", _ISOLATE.sub("", words).strip(" \u200e\u200f\n"))
        attached = _ATTACHED.match(words)
        rest = words[attached.end() :].strip() if attached else _TAIL.sub("", words).strip()
        is_silent = _MEDIA.fullmatch(rest) or _DELETED.fullmatch(rest.rstrip(".")) or _DOCUMENT.fullmatch(rest)
        if not rest or is_silent or (is_marked and not attached and not _WORDY.search(rest)):
            skipped["wordless"] += 1
            continue
        rest = _MARK.sub("", rest) if is_marked else rest
        said.append(_WhatsAppLine(head, speaker.strip("~ \u200e\u200f\u202a\u202c\u202f\u00a0"), rest))
    return said


def _fits(sample: Sample) -> bool:
    return any(map(parse_head, sample.text.splitlines()[:50]))


FORMAT = ImportFormat(
    name="whatsapp",
    product="WhatsApp",
    fits=_fits,
    read=read,
    members=lambda _, name: name == "_chat.txt" or ("whatsapp" in name and name.endswith(".txt")),
)

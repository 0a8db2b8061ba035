"""Turn plain-text chats into messages, using the date order and calendar detected for the whole file."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import MAXYEAR, UTC, date, datetime, time
from functools import partial
from typing import NamedTuple

from locales.catalog import tr
from records.errors import ImportRefused
from transfer.formats.chat_heads import FIRST_YEAR, WrittenDate, arrange_date, find_calendar
from transfer.formats.conversations import Conversations, LeftOut, hash_parts, make_times_monotonic, number_duplicate
from transfer.formats.history import NO_DATE, ImportedHistory, ImportedMessage, ImportQuestion
from transfer.formats.values import WrongElement

_Numbers = tuple[int, int, int]


class ChatLine(NamedTuple):
    """A message in a chat that was exported as plain text."""

    day: WrittenDate | None
    clock: time
    speaker: str | None  # None if unknown, "" for a line of the app
    words: str
    stamp: str = ""  # the date as written, if it distinguishes messages


def read_chats(chats: Sequence[Sequence[ChatLine]], talks: Conversations) -> ImportedHistory:
    """Return the messages of text chats. Add questions to `talks` about the person and about ambiguous dates."""
    days = read_days([[line.day for line in chat if line.day] for chat in chats], talks)
    for chat, chat_days in zip(chats, days, strict=True):
        left = iter(chat_days)
        dated = ((line, line.day and next(left)) for line in chat)
        elements = ((pair[0].stamp or f"[{number}]", -1, pair) for number, pair in enumerate(dated))
        talks.add(make_times_monotonic(talks.read_messages(elements, partial(_read_line, talks, Counter[str]()))))
    talks.ask_who_imports()
    return talks.make_history()


def _read_line(talks: Conversations, seen: Counter[str], dated_line: tuple[ChatLine, date | None]) -> ImportedMessage:
    line, day = dated_line
    if line.speaker == "":
        raise LeftOut("service")
    if not line.words:
        raise LeftOut("wordless")
    if day is None:
        raise WrongElement
    said_at = datetime.combine(day, line.clock, talks.reading.zone).astimezone(UTC)
    name = number_duplicate(hash_parts(line.stamp or said_at.isoformat(), line.speaker, line.words), seen)
    return talks.make_message(name, "user", line.words, said_at, speaker=line.speaker or "?")


def read_days(chats: Sequence[Sequence[WrittenDate]], talks: Conversations) -> list[list[date | None]]:
    """Return the day of each message, or None if the day does not exist.

    Add questions to `talks` if the order of day and month, or the year, is ambiguous. Raise ImportRefused if no
    calendar matches the years of a chat.
    """
    order = talks.choose_date_order([date for chat in chats for date in chat])
    last_year = talks.reading.now.year if talks.reading.now != NO_DATE else MAXYEAR
    days: list[list[date | None]] = []
    for chat in chats:
        dates = _add_years([arrange_date(numbers, known or order) for numbers, known in chat], talks, last_year)
        convert = find_calendar(dates, last_year + 1)
        if convert is None:
            raise ImportRefused(tr("import-impossible-year", year=str(max(year for year, _, _ in dates))))
        days.append([_convert_or_none(convert, numbers) for numbers in dates])
    return days


def _convert_or_none(convert: Callable[[int, int, int], date], numbers: _Numbers) -> date | None:
    try:
        return convert(*numbers)
    except (ValueError, OverflowError):
        return None


def _add_years(dates: list[_Numbers], talks: Conversations, last_year: int) -> list[_Numbers]:
    """Add years to dates that were written without a year, after asking for the year of the last date."""
    if not dates or any(year for year, _, _ in dates):
        return dates
    years = range(last_year, FIRST_YEAR - 1, -1)
    question = ImportQuestion(name="year", options=tuple(map(str, years)), chosen=(0,))
    talks.questions.append(question)
    year = years[(talks.reading.find_chosen_options(question) or (0,))[0]]
    found: list[_Numbers] = []
    for month, day in ((month, day) for _, month, day in reversed(dates)):
        year -= bool(found) and (month, day) > found[-1][1:]
        found.append((year, month, day))
    return found[::-1]

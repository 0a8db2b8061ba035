"""Dates as a program writes them for people: in any order, with the month's name in any language of CLDR (Babel)."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple

HALF = r"[ap][. \u00a0\u202f]{0,3}m\.?|上午|下午|오전|오후|午前|午後|[صم]"
_HALF_DAY = re.compile(r"[ap]|上午|下午|오전|오후|午前|午後|[صم]", re.IGNORECASE)
_LATE = re.compile(r"p|下午|오후|午後|م", re.IGNORECASE)
_LINE = re.compile(
    rf"(?P<day>[^:]{{6,50}}?)(?:(?P<before>{HALF})\s?)?(?<!\d)(\d{{1,2}}):(\d\d):(\d\d)(?:\s?(?P<after>{HALF}))?"
    r"(?:\s(?P<zone>[^:]{1,12}(?::\d\d)?))?",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"(?:GMT|UTC)(?:([+-]\d{1,2})(?::?(\d\d))?)?")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
MIN_MONTH_LETTERS = 3  # the fewest letters that abbreviate a month's name
MAX_WORDS = 5  # A line with more words than this is a sentence, not a date


def parse_hour(number: int, half: str) -> int:
    """Return the hour of the day, given the word for a.m. or p.m. if there is one."""
    if half and _HALF_DAY.match(half):
        return number % 12 + (12 if _LATE.match(half) else 0)
    return number


class WrittenDate(NamedTuple):
    """A line that is a date with seconds. `words`: one of them may be a month. `offset`: of its zone, where it is
    told in numbers: an abbreviation means different zones.
    """

    numbers: tuple[int, ...]
    words: tuple[str, ...]
    clock: tuple[int, int, int]
    offset: timedelta | None


def written(line: str) -> WrittenDate | None:
    """Parse a line that may be a date."""
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return None
    numbers = tuple(map(int, _NUMBER.findall(found["day"])))
    words = tuple(map(str.casefold, _WORD.findall(found["day"])))
    if len(words) > MAX_WORDS or not 2 <= len(numbers) <= 3 or sum(number > 999 for number in numbers) != 1:
        return None
    clock = (parse_hour(int(found[3]), found["before"] or found["after"] or ""), int(found[4]), int(found[5]))
    shift = _OFFSET.fullmatch(found["zone"] or "")
    hours = int(shift[1] or 0) if shift else 0
    minutes = int(shift[2] or 0) * (-1 if hours < 0 else 1) if shift else 0
    return WrittenDate(numbers, words, clock, timedelta(hours=hours, minutes=minutes) if shift else None)


def parse_moment(date: WrittenDate, months: Mapping[str, int], zone: tzinfo) -> datetime | None:
    """Return the moment of a date, or None. `months` maps month names to numbers."""
    year = next(number for number in date.numbers if number > 999)
    rest = [number for number in date.numbers if number <= 999]
    named = next((months[word] for word in date.words if word in months), None)
    if len(rest) == 1 and named is None:
        return None
    if len(rest) == 1:
        month, day = named or 0, rest[0]
    elif date.numbers[0] == year:
        month, day = rest
    else:
        day, month = rest
    return find_moment((year, month, day), date.clock, zone if date.offset is None else timezone(date.offset))


def find_moment(date: tuple[int, int, int], clock: tuple[int, int, int], zone: tzinfo) -> datetime | None:
    """When it was, if there is such a day. `date`: year, month and day, or month and day the other way round where only
    that can be; a year of two digits is of this century.
    """
    year, month, day = date
    month, day = (day, month) if month > 12 >= day else (month, day)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, *clock, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def choose_month_names(dates: Collection[WrittenDate], preferred: Iterable[str]) -> Mapping[str, int]:
    """Return the names of months in the language that can read most of these dates; of equals, the first. Languages
    share names: "lip" is July in Polish and June in Croatian, so that all dates of a file are looked at together.
    """
    spoken = [set(date.words) for date in dates if len(date.numbers) == 2]
    best: Mapping[str, int] = {}
    known = 0
    for language in dict.fromkeys([*preferred, *list_language_codes()] if spoken else ()):
        names = list_month_names(language)
        count = sum(not words.isdisjoint(names) for words in spoken)
        if count > known:
            best, known = names, count
        if known == len(spoken):
            break
    return best


@cache
def list_language_codes() -> tuple[str, ...]:
    """Return the languages of CLDR."""
    # A child that reads other formats does without.
    from babel.localedata import locale_identifiers

    return tuple(sorted(name for name in locale_identifiers() if "_" not in name))


@cache
def list_month_names(language: str) -> Mapping[str, int]:
    """Return the months by their names, long and short, with and without the day, and by what begins one name alone:
    "sept" is written in some countries, "sep" in others.
    """
    from babel import Locale

    named: dict[str, int] = {}
    begun: dict[str, set[int]] = {}
    for widths in Locale.parse(language).months.values():
        for names in (names for width, names in widths.items() if width != "narrow"):
            for number, name in names.items():
                for word in _WORD.findall(name.casefold()):
                    named.setdefault(word, number)
                    for end in range(MIN_MONTH_LETTERS, len(word)):
                        begun.setdefault(word[:end], set()).add(number)
    return {start: min(months) for start, months in begun.items() if len(months) == 1} | named

"""Parse dates and times as people and programs write them, in any language and in three calendars."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone
from functools import cache
from itertools import product
from operator import itemgetter
from typing import NamedTuple

ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_NUMERIC = re.compile(
    r"(?<!\d)(?P<era>[A-Z]?|令和|平成|民國)(\d{1,4})[ ]?[./-][ ]{0,2}(\d{1,2})[ ]?[./-][ ]{0,2}"
    r"(?P<late_era>[A-Z]?)(\d{1,4})(?!\d)"
)
_COUNTED = re.compile(r"(?:(令和|平成|民國)(\d{1,3})|(\d{4}))\s?[년年]\s?(\d{1,2})\s?[월月]\s?(\d{1,2})\s?[일日]")
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})(?:[:.]| ?h ?)(\d\d)(?:(?:[:.]| ?m(?:in)? ?)(\d\d)(?: s\b)?)?(?![\d:])")
_NUMBERED_MONTH = re.compile(r"(?<!\d)(\d{1,2}) [^\W\d]+\.? (\d{1,2}),?(?: [^\W\d]+)? (\d{4})(?!\d)")  # of Vietnamese
_YEAR = re.compile(r"(?<![+\d-])\d{4}(?!\d)")
_INNER_DOT = re.compile(r"\.(?<=[^\W\d_]\.)(?=[^\W\d_])")  # of an abbreviation such as "a.m."
_WORD = re.compile(r"[^\W\d_][^\s\d_!-/:-@\[-`{-~،]*")  # with the vowel signs of Indian scripts, which are no letters
_NUMBER = re.compile(r"\d+")
_ERAS = {"R": 2018, "令和": 2018, "H": 1988, "平成": 1988, "民國": 1911}  # the year before the first year of each era
_OFFSET = re.compile(
    r"(?:\b(?:GMT|UTC)|(?<=[\dMm]) (?=[+-]\d\d:?\d\d$))(?: ?(?P<hours>[+-]\d{1,2})(?::?(?P<minutes>\d\d))?)?"
)
_LIKELY_LANGUAGES = ("en", "ru", "es", "de", "zh", "pt", "ar", "th")  # of the bot, and of LINE, which writes weekdays
"""Their words count before those of others. A word that they know needs no other language, which takes a second."""
MAX_DATE_CHARS = 80  # characters of a line that contains only a date
MIN_MONTH_BYTES = 3  # bytes of an abbreviated month. In Latin script, two letters are not enough.
NEAR_MONTH = 20  # characters that may stand between the name of a month and its day or year
MAX_WORDS = 4  # words of a head besides the date and time. A line with more is a sentence.
TO_YEAR_MONTH_DAY = {order: itemgetter(*map(order.index, "ymd")) for order in ("dmy", "mdy", "ymd")}
AMBIGUOUS_ORDERS = ("dmy", "mdy")
LAST_YEAR = 2200  # a later year belongs to another calendar
FIRST_YEAR = 2009  # the year WhatsApp began. An earlier or future year belongs to another calendar, or is a mistake.
POSSIBLE_YEARS = range(FIRST_YEAR, LAST_YEAR)

WrittenDate = tuple[tuple[int, int, int], str]
"""The numbers of a date as written, with year 0 if there is none, and their order: "dmy", "mdy", "ymd", or "" if the
whole file has to decide. The weekday may decide an order that begins with the day or the month."""
_FoundDate = tuple[tuple[int, int, int], str, int, int]  # its numbers, their order, its start and its end


class Timestamp(NamedTuple):
    """A time of day with an optional date, as programs print it next to a message."""

    day: WrittenDate | None
    clock: time
    is_clock_first: bool


def find_iso_dates(text: str) -> Iterator[date]:
    """Yield the dates in a text that are written like 2026-05-03."""
    for written in ISO_DATE.findall(text):
        with suppress(ValueError):
            yield date.fromisoformat(written)


def find_date_order_unless_ambiguous(written_dates: Sequence[WrittenDate], year_range: range) -> str | None:
    """Return the order of year, month and day in these dates of `year_range`, or None if it is ambiguous."""
    dates = [numbers for numbers, order in written_dates if not order]
    orders = {order: list(map(rearrange, dates)) for order, rearrange in TO_YEAR_MONTH_DAY.items()}
    possible = [order for order, found in orders.items() if found in (sorted(found), sorted(found, reverse=True))]
    if 2 * sum(first > 31 for first, _, _ in dates) >= len(dates):
        return "ymd"
    if any(first > 12 for first, _, _ in dates):
        firsts, lasts = ({numbers[place] for numbers in dates} for place in (0, 2))
        is_past = all(2000 + last in year_range for last in lasts)
        by_year = len(firsts) < len(lasts) and "ymd" in possible and not ("dmy" in possible and is_past)
        by_year |= len(firsts) == 1 and not is_past
        return "ymd" if by_year and max(lasts) <= 31 else "dmy"
    if any(second > 12 for _, second, _ in dates):
        return "mdy"
    by_weekday = {order for _, order in written_dates if order in AMBIGUOUS_ORDERS}
    if len(by_weekday) == 1:
        return by_weekday.pop()
    if orders["dmy"] == orders["mdy"]:  # such as 5/5/2025 alone
        return AMBIGUOUS_ORDERS[0]
    possible = [order for order in AMBIGUOUS_ORDERS if order in possible]
    return possible[0] if len(possible) == 1 else None


def find_date_conversion(
    dates: Sequence[tuple[int, int, int]], last_year: int, first_year: int = FIRST_YEAR
) -> Callable[[int, int, int], date] | None:
    """Find the calendar that fits all dates, and return its conversion to `date`. Return None if no calendar fits."""
    for convert in (_convert_gregorian_date, _convert_buddhist_date, _convert_persian_date):
        for numbers in dates:
            try:
                if not first_year <= convert(*numbers).year <= last_year:
                    break
            except (ValueError, OverflowError):  # no such day: it is found damaged later
                continue
        else:
            return convert
    return None


def parse_written_date_and_time(text: str, language: str = "", date_order: str = "") -> datetime:
    """Return the date and time in a text, with a time zone only if the text gives an offset.

    Month names are looked up in `language` first. `date_order` is the order of the parts of a numeric date. By
    default, the day comes first, and the time is midnight. Raise ValueError if the date is incomplete.
    """
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    offset = _OFFSET.search(text)
    written = _OFFSET.sub("", text) if len(text) <= MAX_DATE_CHARS else ""
    stamp = parse_timestamp(written, language)
    if (stamp is None or stamp.day is None) and find_date(written, language):  # "15.10.24" looks like a clock, too
        stamp = parse_timestamp(f"{written} 0:00", language)
    if stamp is None or stamp.day is None or not stamp.day[0][0]:
        raise ValueError(text)
    numbers, order = stamp.day
    numbers = TO_YEAR_MONTH_DAY[order or ("ymd" if numbers[0] > 31 else date_order or "dmy")](numbers)
    day = (find_date_conversion([numbers], LAST_YEAR) or _convert_gregorian_date)(*numbers)
    hours, minutes = (int(offset["hours"] or 0), int(offset["minutes"] or 0)) if offset else (0, 0)
    shift = timedelta(hours=hours, minutes=minutes if hours >= 0 else -minutes)
    return datetime.combine(day, stamp.clock, timezone(shift) if offset else None)


def _convert_gregorian_date(year: int, month: int, day: int) -> date:
    month, day = (day, month) if month > 12 >= day else (month, day)
    return date(year + 2000 if year < 100 else year, month, day)


def _convert_buddhist_date(year: int, month: int, day: int) -> date:
    return _convert_gregorian_date((year + 2500 if year < 100 else year) - 543, month, day)


def _convert_persian_date(year: int, month: int, day: int) -> date:
    """Convert a date of the Solar Hijri calendar by its 33-year cycle (exact for 1178 to 1633)."""
    if not (0 < month <= 12 and 0 < day <= 31):
        raise ValueError
    years = (year + 1400 if year < 100 else year) + 1595
    days = 365 * years + years // 33 * 8 + (years % 33 + 3) // 4 + day
    days += (month - 1) * 31 if month < 7 else (month - 7) * 30 + 186
    return date.fromordinal(days - 355_668 - 365)


def parse_timestamp(text: str, language: str = "") -> Timestamp | None:
    """Parse a timestamp with or without a date. Return None if there is no time or the text is a sentence."""
    text = _INNER_DOT.sub("", _MARKS.sub("", text).replace("\u00a0", " ").replace("\u202f", " "))
    has_date = _NUMBER.search(_CLOCK.sub("", text, count=1))
    found = find_date(text, language) if has_date and _CLOCK.search(text) else None
    before, after = (text[: found[2]], text[found[3] :]) if found else ("", text)
    if (clock := _CLOCK.search(after) or _CLOCK.search(before)) is None:
        return None
    words = _WORD.findall(f"{before} {after}".replace(clock[0], " ", 1))
    half = parse_pm_marker(tuple(words), int(clock[1]))
    hour = int(clock[1]) % 12 + (12 if half else 0) if half is not None and int(clock[1]) <= 12 else int(clock[1])
    if len(words) > MAX_WORDS or hour > 24 or int(clock[2]) > 59 or int(clock[3] or 0) > 59:
        return None
    return Timestamp(found and found[:2], time(hour % 24, int(clock[2]), int(clock[3] or 0)), clock.string is before)


def find_date(text: str, language: str = "") -> _FoundDate | None:
    """Return the numbers, order, start and end of the first date in a text, or None if there is none."""
    text = _INNER_DOT.sub("", _MARKS.sub("", text))
    # A clock may have dots, too, as in Danish. Next to a year of four digits, it is no date.
    numeric = (match for match in _NUMERIC.finditer(text) if not _YEAR.search(text) or _YEAR.search(match[0]))
    if found := next(numeric, None):
        first, second, third = int(found[2]), int(found[3]), int(found[5])
        first += _ERAS.get(found["era"], 0)
        third += _ERAS.get(found["late_era"], 0)
        pairs = ((first, second), (second, first), (second, third))
        is_date = any(0 < month <= 12 and 0 < day <= 31 for month, day in pairs)
        order = _find_order_by_weekday((first, second, third), text) if 0 < first <= 12 and 0 < second <= 12 else ""
        return ((first, second, third), order, *found.span()) if is_date else None
    if found := _COUNTED.search(text):
        return (int(found[3] or found[2]) + _ERAS.get(found[1], 0), int(found[4]), int(found[5])), "ymd", *found.span()
    words = sorted(_WORD.finditer(text), key=lambda word: len(word[0].encode()) < MIN_MONTH_BYTES)
    named = [(month, word) for word in words if (month := find_date_word(word[0].casefold(), language)) is not None]
    if not named:
        found = _NUMBERED_MONTH.search(text)
        return ((int(found[3]), int(found[2]), int(found[1])), "ymd", *found.span()) if found else None
    # "Fri" and "Sat" begin the names of months too, but in languages that come later than that of "Jan".
    (_, number), word = min(named, key=lambda found: found[0][0])
    return _find_date_with_month_name(text, number, word)


def _find_order_by_weekday(numbers: tuple[int, int, int], text: str) -> str:
    """Return the order in which a date falls on the weekday that the text names, or "" if not exactly one does."""
    words = [word for word in map(str.casefold, _WORD.findall(text)) if word not in _COMMON_HALVES]
    named = next((found[1] for word in words if (found := find_date_word(word, kind="days"))), None)
    orders = []
    for order, rearrange in TO_YEAR_MONTH_DAY.items() if named is not None else ():
        year, month, day = rearrange(numbers)
        with suppress(ValueError):
            convert = find_date_conversion([(year, month, day)], LAST_YEAR)
            orders += [order] if convert and month <= 12 and convert(year, month, day).weekday() == named else []
    return orders[0] if len(orders) == 1 else ""


def _find_date_with_month_name(text: str, month: int, word: re.Match[str]) -> _FoundDate | None:
    clock = _CLOCK.search(text)
    apart = [n for n in _NUMBER.finditer(text) if not clock or not clock.start() <= n.start() < clock.end()]
    numbers = [n for n in apart if abs(n.start() - word.start()) < NEAR_MONTH]
    day = next((n for n in numbers if 0 < int(n[0]) <= 31 and len(n[0]) <= 2), None)
    if day is None:
        return None
    year = next((int(n[0]) for n in numbers if n is not day and len(n[0]) in (2, 4)), 0)
    spans = [word.span(), *(n.span() for n in numbers)]
    return (year, month, int(day[0])), "ymd", min(a for a, _ in spans), max(b for _, b in spans)


def detect_language(dates: Sequence[str]) -> str:
    """Return the language in which most of these dates name their months, or "" if none does."""
    named = [_WORD.findall(_INNER_DOT.sub("", date.casefold())) for date in dates]
    spoken = Counter(frozenset(word for word in words if len(word.encode()) >= MIN_MONTH_BYTES) for words in named)
    del spoken[frozenset()]  # such as 2024年1月5日
    best, most = "", 0
    for language in list_language_codes() if spoken else ():
        known = sum(count for words, count in spoken.items() if not words.isdisjoint(map_date_words(language)))
        best, most = (language, known) if known > most else (best, most)
        if most == spoken.total():
            break
    return best


@cache
def find_date_word(word: str, language: str = "", kind: str = "months") -> tuple[int, int] | None:
    """Find the month (from 1) or the day of the week (from Monday as 0) that a word names, by its `kind`.

    Return the rank of the word's language (0 for `language`) and the number, or None.
    """
    if language and (number := map_date_words(language, kind).get(word)) is not None:
        return 0, number
    if len(word.encode()) < MIN_MONTH_BYTES:  # "de" and "la" begin the names of months in some language
        return None
    known = ((rank, map_date_words(code, kind).get(word)) for rank, code in enumerate(list_language_codes(), start=1))
    return next(((rank, number) for rank, number in known if number is not None), None)


@cache
def parse_pm_marker(words: tuple[str, ...], hour: int) -> bool | None:
    """Return True if the words say that this hour is p.m., False for a.m., and None if they say neither."""
    runs = ("".join(words[start:end]) for start in range(len(words)) for end in range(len(words), start, -1))
    spoken = [word.casefold() for word in runs if word]
    common = next((_COMMON_HALVES[word] for word in spoken if word in _COMMON_HALVES), None)
    if common is not None or not spoken:
        return common
    hours = next((held for word in spoken if (held := _map_period_words_to_pm_hours().get(word)) is not None), None)
    return None if hours is None else hour in hours


# The words of most files, so that only others need CLDR.
_COMMON_HALVES: Mapping[str, bool] = {
    **dict.fromkeys(("am", "a", "قبلدوپہر", "上午", "오전", "午前", "ص"), False),
    **dict.fromkeys(("pm", "p", "بعددوپہر", "下午", "오후", "午後", "م"), True),
}
_PM_HOURS = dict.fromkeys(("pm", "afternoon", "evening"), range(13)) | {"night": range(6, 12), "am": (), "morning": ()}


@cache
def _map_period_words_to_pm_hours() -> Mapping[str, Sequence[int]]:
    from babel import Locale

    found: dict[str, Sequence[int]] = {}
    for is_night, language in product((False, True), list_language_codes()):  # "öö" is night, but a.m. in Turkish
        for widths in Locale.parse(language).day_periods.values():
            for names in widths.values():
                for period, name in names.items():
                    hours = next((held for start, held in _PM_HOURS.items() if period.startswith(start)), None)
                    key = "".join(_WORD.findall(name.casefold()))
                    if key and hours is not None and period.startswith("night") == is_night:
                        found.setdefault(key, hours)
    return found


@cache
def list_language_codes() -> tuple[str, ...]:
    """Return the codes of all languages that Babel knows, beginning with those of the bot."""
    # A process that reads no dates in words does without Babel.
    from babel.localedata import locale_identifiers

    return (*_LIKELY_LANGUAGES, *sorted(name for name in locale_identifiers() if "_" not in name))


@cache
def map_date_words(language: str, kind: str = "months") -> Mapping[str, int]:
    """Map the names of months or days in a language, and any unambiguous abbreviations of months, to numbers."""
    from babel import Locale

    named: dict[str, set[int]] = {}
    begun: dict[str, set[int]] = {}
    for widths in getattr(Locale.parse(language), kind).values():
        for names in (names for width, names in widths.items() if width != "narrow"):
            for number, name in names.items():
                for word in _WORD.findall(_INNER_DOT.sub("", name.casefold())):
                    # In Hebrew, the preposition is part of the word.
                    for spelled in (word, f"ב{word}") if language == "he" else (word,):
                        named.setdefault(spelled, set()).add(number)
                        for end in range(MIN_MONTH_BYTES, len(spelled) if kind == "months" else 0):
                            begun.setdefault(spelled[:end], set()).add(number)
    # A word for "month" or "day" is part of the names of all.
    return {word: min(numbers) for held in (begun, named) for word, numbers in held.items() if len(numbers) == 1}

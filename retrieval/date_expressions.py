"""Pure functions that resolve expressions such as "last March" to time ranges. They ignore unknown expressions."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple

from text.analyzer import fold_accents, normalize_text
from text.word_lists import AMBIGUOUS_MONTHS, DATE_WORDS, NUMBERS


class TimeRange(NamedTuple):
    """A half-open range of time [start, end)."""

    start: datetime
    end: datetime


_DIGITS = "〇一二三四五六七八九"
_NUMBER = rf"\d{{1,3}}|{'|'.join(word for word in NUMBERS if word[0] < chr(0x2E80))}"
_DUALS = DATE_WORDS["duals"]
_UNIT = rf"(?:{'|'.join(DATE_WORDS['units'].values())})(?!\w)"
_AGO = re.compile(
    rf"(?<!\w)(?:(?P<n1>{_NUMBER})\s+(?P<u1>{_UNIT})\s+(?:{DATE_WORDS['ago_after']})(?!\w)"
    rf"|(?P<u2>{_UNIT})\s+(?:{DATE_WORDS['alone_after']})(?!\w)"
    rf"|(?:{DATE_WORDS['ago_before']})\s+(?:(?P<u3>{'|'.join(_DUALS)})|(?:(?P<n4>{_NUMBER})\s+)(?P<u4>{_UNIT})))"
    rf"|(?<!\w)(?:قبل|منذ)\s+(?P<u5>{_UNIT})"
    rf"|(?P<n6>\d{{1,3}}|[一二两兩三四五六七八九十]{{1,3}})\s*(?P<u6>{'|'.join(DATE_WORDS['eastern_units'].values())})(?:之|以)?前"
)


def _compile_word_pattern(spaced_pattern: str, cjk_pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{spaced_pattern})(?!\w)|(?:{cjk_pattern})")


_RELATIVE = tuple((unit, back, _compile_word_pattern(*forms)) for unit, back, *forms in DATE_WORDS["relative"])
_WEEKDAYS = tuple(map(_compile_word_pattern, DATE_WORDS["weekdays"], DATE_WORDS["eastern_weekdays"]))
_UNITS = tuple(
    (unit, re.compile(form)) for kind in ("units", "eastern_units") for unit, form in DATE_WORDS[kind].items()
)


def _compile_before_and_after_patterns(before: str, after: str, cjk: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(rf"(?:(?<!\w)(?:{before})\s+|(?:{cjk}))$"), re.compile(rf"^\s+(?:{after})(?!\w)")


_NEXT = _compile_before_and_after_patterns(*DATE_WORDS["next"])
_LAST = _compile_before_and_after_patterns(*DATE_WORDS["last"])
_MONTHS = {
    form: number
    for names in DATE_WORDS["months"]
    for number, name in enumerate(names.split(), 1)
    for form in name.split("|")
}
# Words before a month that is also another word.
_BEFORE_MONTHS = frozenset({"in", "last", "this", "next", "of", "since", "en", "im", "в", "em", "de"})


def _parse_month_and_check_if_ambiguous(word: str) -> tuple[int, bool]:
    """Return the number of the month that a normalised word names, or 0, and True if the word is ambiguous."""
    if word in DATE_WORDS["russian_may"].split():
        return 5, word == "мае"
    forms = [word, *(word[:-ending] for ending in range(1, 5) if len(word) - ending > 3)]
    found = next((form for form in forms if form in _MONTHS), "")
    return _MONTHS.get(found, 0), found in AMBIGUOUS_MONTHS


def _make_calendar_range(year: int, month: int = 0, day: int = 0, *, now: datetime) -> TimeRange | None:
    """Return a year, month or day as a range in the time zone of `now`, or None if it does not exist."""
    try:
        start = now.replace(year=year, month=month or 1, day=day or 1, hour=0, minute=0, second=0, microsecond=0)
        if day:
            return TimeRange(start, start + timedelta(days=1))
        return TimeRange(start, start.replace(year=year + (month in (0, 12)), month=month % 12 + 1 if month else 1))
    except ValueError:
        return None


def _make_past_range(now: datetime, unit: str, units_ago: int) -> TimeRange | None:
    """Return the day, week, month or year that lies `units_ago` units in the past."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return TimeRange(day - timedelta(days=units_ago), day - timedelta(days=units_ago - 1))
    if unit == "week":
        start = day - timedelta(days=day.weekday() + 7 * units_ago)
        return TimeRange(start, start + timedelta(days=7))
    if unit == "month":
        months = day.year * 12 + day.month - 1 - units_ago
        return _make_calendar_range(months // 12, months % 12 + 1, now=day)
    return _make_calendar_range(day.year - units_ago, now=day)


def _find_absolute_ranges_with_texts(text: str, now: datetime) -> Iterator[tuple[TimeRange | None, str]]:
    """Yield the range and text of each date, month or year. A month without a year means the most recent such month."""
    for match in re.finditer(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b", text):
        yield _make_calendar_range(int(match[1]), int(match[2]), int(match[3]), now=now), match[0]
    for match in re.finditer(r"\b(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)\b", text):
        yield _make_calendar_range(int(match[3]), int(match[2]), int(match[1]), now=now), match[0]
    for match in re.finditer(r"(?:((?:19|20)\d\d)\s*年\s*)?(1[0-2]|[1-9])\s*月(?:\s*(\d\d?)\s*[日号號])?", text):
        year, month = int(match[1] or now.year - (int(match[2]) > now.month)), int(match[2])
        yield _make_calendar_range(year, month, int(match[3] or 0), now=now), match[0]
    words = re.findall(r"\w+", text)
    has_year = False
    for index, word in enumerate(words):
        month, is_ambiguous = _parse_month_and_check_if_ambiguous(word)
        if not month:
            continue
        before = ["", "", *words[max(0, index - 2) : index]][-2:]
        after = [*words[index + 1 : index + 4], "", "", ""][:3]
        days = [number for number in (*before, after[0]) if re.fullmatch(r"\d\d?(?:st|nd|rd|th)?", number)]
        day = int(days[0].rstrip("stndrh")) if days else 0
        year = next((int(number) for number in (*after, *before) if re.fullmatch(r"(?:19|20)\d\d", number)), 0)
        if is_ambiguous and not (day or year or before[1] in _BEFORE_MONTHS):
            continue
        has_year = has_year or bool(year)
        day = day if day < 32 else 0
        yield _make_calendar_range(year or now.year - (month > now.month), month, day, now=now), word
    if not has_year:
        for match in re.finditer(r"(?<![\d.-])((?:19|20)\d\d)(?![\d.-]|\s*月)\s*年?(?!\s*\d+\s*月)", text):
            yield _make_calendar_range(int(match[1]), now=now), match[0]


def _has_pattern_around(text: str, match: re.Match[str], patterns: tuple[re.Pattern[str], re.Pattern[str]]) -> bool:
    """Return True if the first pattern occurs shortly before a match, or the second pattern shortly after it."""
    before, after = text[max(0, match.start() - 16) : match.start()], text[match.end() : match.end() + 16]
    return bool(patterns[0].search(before) or patterns[1].search(after))


def _find_weekday_ranges_with_texts(text: str, now: datetime) -> Iterator[tuple[TimeRange | None, str]]:
    """Yield the latest past day for each weekday named in a text. For "last Friday", add the Friday of last week."""
    for day, pattern in enumerate(_WEEKDAYS):
        for match in pattern.finditer(text):
            back = (now.weekday() - day - 1) % 7 + 1
            if not _has_pattern_around(text, match, _NEXT):
                yield _make_past_range(now, "day", back), match[0]
                of_last_week = now.weekday() - day + 7
                if of_last_week != back and _has_pattern_around(text, match, _LAST):
                    yield _make_past_range(now, "day", of_last_week), match[0]


def _parse_number(word: str) -> int:
    if word.isdigit():
        return int(word)
    if word in NUMBERS:
        return NUMBERS[word]
    tens, ten, ones = word.partition("十")
    if ten:
        return 10 * (_DIGITS.find(tens) if tens else 1) + (max(0, _DIGITS.find(ones)) if ones else 0)
    return 0


def _find_relative_ranges_with_texts(text: str, now: datetime) -> Iterator[tuple[TimeRange | None, str]]:
    for unit, back, pattern in _RELATIVE:
        if match := pattern.search(text):
            yield _make_past_range(now, unit, back), match[0]
    for match in _AGO.finditer(text):
        groups = {name[0]: value for name, value in match.groupdict().items() if value}
        word, number = groups["u"], groups.get("n")
        unit = next((unit for unit, form in _UNITS if form.fullmatch(word)), _DUALS.get(word, "day"))
        count = _parse_number(number) if number else 2 if word in _DUALS else 1
        if 0 < count < 1000:
            yield _make_past_range(now, unit, count), match[0]


# What may surround the name of a month in a date: a day and a year, but not "1-5".
_NO_FIGURES = r"(?:[\W_]|(?:st|nd|rd|th|of|de|del)\b)*"
_FIGURES = re.compile(rf"{_NO_FIGURES}(?:\d{{4}}{_NO_FIGURES})?(?:\d\d?{_NO_FIGURES})?(?:\d{{4}}{_NO_FIGURES})?")


def parse_text_as_period(text: str, now: datetime) -> tuple[date, date] | None:
    """Return the first and last day of the period that a text names, or None if it contains anything else.

    The last day is never after today. A month or year alone does not count. Raise ValueError if a day does not exist.
    """
    words = " ".join(fold_accents(normalize_text(text)).split())
    # A month or a year alone may be meant as a word to search for.
    one_day = timedelta(days=1)
    days = [
        (span, found)
        for span, found in _find_absolute_ranges_with_texts(words, now)
        if span is None or span.end - span.start == one_day
    ]
    for span, found in (*_find_relative_ranges_with_texts(words, now), *days):
        is_all = _FIGURES.fullmatch(words.replace(found, "", 1)) if (span, found) in days else found == words
        if is_all and span is None:
            raise ValueError(text)
        if is_all and span and span.start <= now:
            return span.start.date(), min(span.end - one_day, now).date()
    return None


def find_time_ranges(question: str, now: datetime) -> tuple[TimeRange, ...]:
    """Return the ranges of time that a normalised question names, relative to `now`."""
    dates = list(_find_absolute_ranges_with_texts(question, now))
    found = [*dates, *_find_relative_ranges_with_texts(question, now)]
    if not dates:
        found += _find_weekday_ranges_with_texts(question, now)
    return tuple(span for span, _ in found if span and span.start <= now)

"""Time expressions of a question, resolved by rules into ranges of time relative to a clock. Pure.

Expressions that it does not know are ignored, since a range only boosts and never filters. Does not know how languages
name times (text/date_words.py), what is ranked, or when the event was that a time is relative to.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from text.analyzer import folded, normal
from text.date_words import (
    AFTER,
    AGO_AFTER,
    AGO_BEFORE,
    ALONE_AFTER,
    AMBIGUOUS_MONTHS,
    BEFORE,
    DUALS,
    EASTERN_LAST,
    EASTERN_NEXT,
    EASTERN_SEASONS,
    EASTERN_UNITS,
    EASTERN_WEEKDAYS,
    LAST_AFTER,
    LAST_BEFORE,
    MONTHS,
    NEXT_AFTER,
    NEXT_BEFORE,
    NO_EVENT,
    NUMBERS,
    OPEN_AFTER,
    OPEN_BEFORE,
    RELATIVE,
    RUSSIAN_MAY,
    SEASONS,
    THE,
    UNITS,
    WEEKDAYS,
)
from text.patterns import Pattern
from text.time_zones import is_southern

Span = tuple[datetime, datetime]

_LEN = {"day": 1, "week": 7, "month": 30, "year": 365}
_ROOM = {"day": 1, "week": 4, "month": 12, "year": 60}
"""Days on both sides of a time that is relative to an event."""
_AMBIGUOUS = frozenset(AMBIGUOUS_MONTHS.split())
_DIGITS = "〇一二三四五六七八九"


def _alternatives(patterns: dict[str, str]) -> str:
    return "|".join(patterns.values())


_NUMBER = rf"\d{{1,3}}|{'|'.join(word for word in NUMBERS if word.isascii() or word[0] < chr(0x2E80))}"
_UNIT = rf"(?:{_alternatives(UNITS)})(?!\w)"
_DUAL = "|".join(DUALS)
_HAN_NUMBER = r"\d{1,3}|[一二两兩三四五六七八九十]{1,3}"
_HANGUL_NUMBER = r"\d{1,3}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|일|이|삼|사|오|육|칠|팔|구|십"
_EASTERN_UNIT = _alternatives(EASTERN_UNITS)

_AGO = Pattern(
    rf"(?<!\w)(?:(?P<n1>{_NUMBER})\s+(?P<u1>{_UNIT})\s+(?:{AGO_AFTER})(?!\w)"
    rf"|(?P<u2>{_UNIT})\s+(?:{ALONE_AFTER})(?!\w)"
    rf"|(?:{AGO_BEFORE})\s+(?:(?P<u3>{_DUAL})|(?:(?P<n4>{_NUMBER})\s+)(?P<u4>{_UNIT})))"
    rf"|(?<!\w)(?:قبل|منذ)\s+(?P<u5>{_UNIT})"
    rf"|(?P<n6>{_HAN_NUMBER})\s*(?P<u6>{_EASTERN_UNIT})(?:之|以)?前"
    rf"|(?P<n7>{_HANGUL_NUMBER})\s*(?P<u7>{_EASTERN_UNIT})\s*전"
)


def _either(western: str, eastern: str) -> Pattern:
    """Words that stand alone, or those of scripts without spaces."""
    return Pattern(rf"(?<!\w)(?:{western})(?!\w)|(?:{eastern})")


_RELATIVE = tuple((unit, back, _either(western, eastern)) for unit, back, western, eastern in RELATIVE)
_WEEKDAYS = tuple(map(_either, WEEKDAYS, EASTERN_WEEKDAYS))
_SEASONS = tuple(map(_either, SEASONS, EASTERN_SEASONS))
_OPEN = Pattern(
    rf"(?<!\w)(?:(?P<before>{OPEN_BEFORE})|(?P<after>{OPEN_AFTER}))\s+(?!(?:{NO_EVENT})(?!\w)|\d)(?P<event>[^,.;:!?¿¡،؟\n]{{3,80}})"
    r"|(?P<event_tr>(?:\w{1,30}\s){0,2}\w{1,30}?)(?:d[ae]n|t[ae]n)\s+(?:(?P<before_tr>once)|(?P<after_tr>sonra|beri))(?!\w)"
    r"|(?P<event_zh>[\u3400-\u9fff]{2,12}?)(?:(?P<before_zh>之前|以前|の前|前に)|(?P<after_zh>之后|之後|以后|以後|以来|以來|の後|後に))"
    r"|(?P<event_ko>[가-힣]{1,12}(?:\s[가-힣]{1,12})?)\s+(?:(?P<before_ko>전에)|(?P<after_ko>후에|이후|이래))"
)
FAR = timedelta(days=3700)
"""How far a time before or since an event reaches, where no distance is said."""
_REST = r"(?P<event>[^,.;:!?¿¡،؟。、，；！？\n]{2,80}(?:, (?:19|20)\d\d)?)"
# Each finds an event, a direction, and a distance (a unit alone means one of it); tried only where a hint is found.
_FROM_EVENT = tuple(
    (hints, Pattern(pattern))
    for hints, pattern in (
        (
            ("",),
            rf"(?<!\w)(?:(?P<n>{_NUMBER})|{THE})\s+(?P<u>{_UNIT}|night|evening|morning)\s+(?:(?P<before>{BEFORE})|(?P<after>{AFTER}))\s+(?!that\b|this\b|last\b|yesterday\b){_REST}",
        ),
        (
            ("قبل", "بعد"),
            rf"(?<!\w)(?:(?P<before>قبل)|(?P<after>بعد))\s+(?:(?:(?P<n>{_NUMBER})\s+)?(?P<u>{_UNIT})|(?P<dual>{_DUAL}))\s+من\s+{_REST}",
        ),
        (
            ("once", "sonra"),
            rf"(?P<event>(?:\w+\s+){{0,2}}\w+?)(?:d[ae]n|t[ae]n)\s+(?P<n>{_NUMBER})\s+(?P<u>{_UNIT})\s+(?:(?P<before>once)|(?P<after>sonra))(?!\w)",
        ),
        (
            ("前", "后", "後"),
            rf"(?P<event>[\u3400-\u9fff\w]{{2,20}}?)的?(?:(?P<before>前)|(?P<after>[后後]))(?P<n>{_HAN_NUMBER})(?P<u>{_EASTERN_UNIT})",
        ),
        (
            ("前", "后", "後"),
            rf"(?P<event>[^\s,.?!。、，？！]{{2,20}}?)[的の](?P<n>{_HAN_NUMBER})\s*(?P<u>{_EASTERN_UNIT})(?:(?P<before>前)|(?P<after>[后後]))",
        ),
        (
            ("전", "후", "뒤"),
            rf"(?P<event>[가-힣]+(?<![이가은는을를에]))\s+(?P<n>{_HANGUL_NUMBER})\s*(?P<u>{_EASTERN_UNIT})\s*(?:(?P<before>전)|(?P<after>후|뒤))",
        ),
    )
)


@dataclass(frozen=True, kw_only=True)
class Range:
    """A range of time that a question names: [start, end), and the words that name it. `is_open`: an event is its end,
    and not what people go on talking about.
    """

    start: datetime
    end: datetime
    words: str
    is_open: bool = False


@dataclass(frozen=True, kw_only=True)
class FromEvent:
    """A time relative to an event ("two weeks before the wedding"): the event's words, and how many days from it.
    `is_open`: all that was before it (`days` below 0) or since.
    """

    event: str
    days: int
    room: int = 0
    is_open: bool = False

    def range(self, event_at: datetime) -> Range:
        """The range of time, once it is known when the event was."""
        day = event_at.replace(hour=0, minute=0, second=0, microsecond=0)
        if self.is_open:
            start, end = (day - FAR, day) if self.days < 0 else (day, day + FAR)
            return Range(
                start=start, end=end, words=f"{'before' if self.days < 0 else 'since'}: {self.event}", is_open=True
            )
        middle = day + timedelta(days=self.days)
        room = timedelta(days=self.room)
        return Range(start=middle - room, end=middle + room + timedelta(days=1), words=f"{self.days:+} d: {self.event}")


_FORMS: dict[str, tuple[int, int]] = {}
"""Names of months: the order in which each is tried, and the month's number."""
for _names in MONTHS:
    for _number_of, _name in enumerate(_names.split(), 1):
        for _form in _name.split("|"):
            _FORMS.setdefault(_form, (len(_FORMS), _number_of))


def _month(word: str) -> tuple[int, bool]:
    """The number of the month that a folded word names (0 = none), and whether it may be another word."""
    if word in RUSSIAN_MAY:
        return 5, word == "мае"
    forms = [word, *(word[:-ending] for ending in range(1, 5) if len(word) - ending > 3)]
    found = min((form for form in forms if form in _FORMS), key=lambda form: _FORMS[form], default="")
    return (_FORMS[found][1], found in _AMBIGUOUS) if found else (0, False)


def _span(year: int, month: int = 0, day: int = 0, *, like: datetime) -> Span | None:
    try:
        start = like.replace(year=year, month=month or 1, day=day or 1, hour=0, minute=0, second=0, microsecond=0)
        if day:
            return start, start + timedelta(days=1)
        return start, start.replace(year=year + (month in (0, 12)), month=month % 12 + 1 if month else 1)
    except ValueError:
        return None


def _back(clock: datetime, unit: str, back: int) -> Span | None:
    day = clock.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return day - timedelta(days=back), day - timedelta(days=back - 1)
    if unit == "week":
        start = day - timedelta(days=day.weekday() + 7 * back)
        return start, start + timedelta(days=7)
    if unit == "month":
        months = day.year * 12 + day.month - 1 - back
        return _span(months // 12, months % 12 + 1, like=day)
    return _span(day.year - back, like=day)


def _named(text: str, clock: datetime, *, ahead: bool) -> Iterator[tuple[Span | None, str]]:
    """Dates, months and years that are named. Without a year they are the latest or, with `ahead`, the nearest."""

    def year_of(month: int) -> int:
        if ahead:
            return clock.year + (month < clock.month - 6) - (month > clock.month + 6)
        return clock.year - (month > clock.month)

    for m in re.finditer(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b", text):
        yield _span(int(m[1]), int(m[2]), int(m[3]), like=clock), m[0]
    for m in re.finditer(r"\b(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)\b", text):
        yield _span(int(m[3]), int(m[2]), int(m[1]), like=clock), m[0]
    for m in re.finditer(r"(?:((?:19|20)\d\d)\s*[年년]\s*)?(1[0-2]|[1-9])\s*[月월](?:\s*(\d\d?)\s*[日号號일])?", text):
        month = int(m[2])
        yield _span(int(m[1]) if m[1] else year_of(month), month, int(m[3] or 0), like=clock), m[0]
    words = list(re.finditer(r"\w+", text))
    dated = False
    for k, w in enumerate(words):
        month, unsure = _month(w[0])
        if not month:
            continue
        near = [words[j][0] if 0 <= j < len(words) else "" for j in (k - 2, k - 1, k + 1, k + 2, k + 3)]
        days = [int(n.rstrip("stndrh")) for n in near[:3] if re.fullmatch(r"\d\d?(?:st|nd|rd|th)?", n)]
        day = days[0] if days else 0
        year = next((int(n) for n in near[2:] + near[:2] if re.fullmatch(r"(?:19|20)\d\d", n)), 0)
        if unsure and not (
            day or year or near[1] in ("in", "last", "this", "next", "of", "since", "en", "im", "в", "w", "em", "de")
        ):
            continue
        dated = dated or bool(year)
        yield _span(year or year_of(month), month, day if 0 < day < 32 else 0, like=clock), w[0]
    if not dated:
        for m in re.finditer(r"(?<![\d.-])((?:19|20)\d\d)(?![\d.-]|\s*[月월])\s*[年년]?(?!\s*\d+\s*[月월])", text):
            yield _span(int(m[1]), like=clock), m[0]


def _has_next_to_it(text: str, m: re.Match[str], before: str, after: str, eastern: str) -> bool:
    head, tail = text[max(0, m.start() - 16) : m.start()], text[m.end() : m.end() + 16]
    return bool(
        re.search(rf"(?:(?<!\w)(?:{before})\s+|(?:{eastern}))$", head) or re.match(rf"\s+(?:{after})(?!\w)", tail)
    )


def _weekdays(text: str, clock: datetime, *, ahead: bool) -> Iterator[tuple[Span | None, str]]:
    """Weekdays: "on Tuesday" is the latest before today or, with `ahead`, the next one; "last Tuesday" may also be that
    of last week.
    """
    for day, pattern in enumerate(_WEEKDAYS):
        for m in pattern.finditer(text):
            back = (clock.weekday() - day - 1) % 7 + 1
            if ahead:
                yield _back(clock, "day", back - 7 if back < 7 else 0), m[0]
            elif not _has_next_to_it(text, m, NEXT_BEFORE, NEXT_AFTER, EASTERN_NEXT):
                yield _back(clock, "day", back), m[0]
                of_last_week = clock.weekday() - day + 7
                if of_last_week != back and _has_next_to_it(text, m, LAST_BEFORE, LAST_AFTER, EASTERN_LAST):
                    yield _back(clock, "day", of_last_week), m[0]


def _seasons(text: str, clock: datetime) -> Iterator[tuple[Span | None, str]]:
    """Seasons of the half of the earth where the clock's zone lies: "in summer" is the latest that has begun, "last
    summer" the latest that is over.
    """
    for number, pattern in enumerate(_SEASONS):
        for m in pattern.finditer(text):
            year = re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)
            month = (3 + 3 * number + 6 * is_southern(clock.tzinfo) - 1) % 12 + 1
            begun = clock.year - (month > clock.month)
            if year:
                begun = int(year[0])
            elif any(unit == "year" and back == 1 and pattern.search(text) for unit, back, pattern in _RELATIVE):
                begun = clock.year - 1
            elif _three_months(begun, month, clock)[1] > clock and (
                m[0].startswith("last ") or _has_next_to_it(text, m, LAST_BEFORE, LAST_AFTER, EASTERN_LAST)
            ):
                begun -= 1
            yield _three_months(begun, month, clock), m[0]


def _three_months(year: int, month: int, like: datetime) -> Span:
    start = like.replace(year=year, month=month, day=1, hour=0, minute=0, second=0, microsecond=0)
    return start, start.replace(year=year + (month == 12), month=(month + 2) % 12 + 1)


def number(word: str) -> int:
    """The number that a folded word or figures name; 0 for none."""
    if word.isdigit():
        return int(word)
    if word in NUMBERS:
        return NUMBERS[word]
    tens, ten, ones = word.partition("十")
    if ten:
        return 10 * (_DIGITS.find(tens) if tens else 1) + (max(0, _DIGITS.find(ones)) if ones else 0)
    return 0


def _unit(word: str) -> str:
    for table in (UNITS, EASTERN_UNITS):
        for unit, pattern in table.items():
            if re.fullmatch(pattern, word):
                return unit
    return DUALS.get(word, "day")


def _ago(text: str, clock: datetime) -> Iterator[tuple[Span | None, str]]:
    for m in _AGO.finditer(text):
        groups = {name: value for name, value in m.groupdict().items() if value}
        unit = next(value for name, value in groups.items() if name[0] == "u")
        count = next((number(value) for name, value in groups.items() if name[0] == "n"), 2 if unit in DUALS else 1)
        if 0 < count < 1000:
            yield _back(clock, _unit(unit), count), m[0]


def _relative(text: str, clock: datetime) -> Iterator[tuple[Span | None, str]]:
    for unit, back, pattern in _RELATIVE:
        if m := pattern.search(text):
            yield _back(clock, unit, back), m[0]


def period_named(text: str, clock: datetime) -> tuple[date, date] | None:
    """The first and the last day, at most today, where a whole text is a time: by its distance from the clock
    ("yesterday", "last week", "3 days ago") or a date in figures ("31.1.2026"); None otherwise.
    """
    words = " ".join(folded(normal(text)).split())
    # A month or a year alone may be meant as a word to search for.
    dates = ((span, found) for span, found in _named(words, clock, ahead=False) if span and _is_day(span))
    for span, found in (*_relative(words, clock), *_ago(words, clock), *dates):
        if span and found == words and span[0] <= clock:
            return span[0].date(), min(span[1] - timedelta(days=1), clock).date()
    return None


def _is_day(span: Span) -> bool:
    return span[0].date() == (span[1] - timedelta(days=1)).date()


def ranges(question: str, clock: datetime) -> tuple[Range, ...]:
    """The ranges of time that a question (folded, lower case) names, relative to `clock`."""
    # "two weeks before the wedding" is not two weeks ago (Turkish, Arabic and Korean say both alike).
    plain = question
    for m in _matches_from_event(question):
        plain = plain[: m.start()] + " " * (m.end() - m.start()) + plain[m.end() :]
    dates = list(_named(question, clock, ahead=False))
    found = [*dates, *_relative(plain, clock), *_ago(plain, clock), *_seasons(plain, clock)]
    if not dates:
        found += _weekdays(plain, clock, ahead=False)
    return tuple(Range(start=span[0], end=span[1], words=words) for span, words in found if span and span[0] <= clock)


def days_named(text: str, said_at: datetime) -> tuple[Range, ...]:
    """The days that a message (folded) names, seen from when it was written: "on 14 June", "on Saturday"."""
    return _days([*_named(text, said_at, ahead=True), *_weekdays(text, said_at, ahead=True)])


def days_dated(text: str, said_at: datetime) -> tuple[Range, ...]:
    """Those of them that are named by a date: "on 14 June"."""
    return _days(_named(text, said_at, ahead=True))


def _days(found: Iterable[tuple[Span | None, str]]) -> tuple[Range, ...]:
    return tuple(
        Range(start=span[0], end=span[1], words=words)
        for span, words in found
        if span and span[1] - span[0] <= timedelta(days=1)
    )


def from_events(question: str) -> tuple[FromEvent, ...]:
    """The times in a question that are relative to an event. The question is normalised but not folded, since the event
    is looked for by its words.
    """
    plain = folded(question)
    found = []
    for m in _matches_from_event(plain):
        groups = m.groupdict()
        unit = "day" if groups["u"] in ("night", "evening", "morning") else _unit(groups["u"] or groups["dual"])
        count = number(groups["n"]) if groups["n"] else 2 if groups.get("dual") else 1
        days = count * _LEN[unit] * (-1 if groups["before"] else 1)
        if 0 < abs(days) < 3700:
            event = question[slice(*m.span("event"))] if len(plain) == len(question) else groups["event"]
            found.append(FromEvent(event=event.strip(), days=days, room=_ROOM[unit]))
    return tuple(found)


def open_from_events(question: str) -> tuple[FromEvent, ...]:
    """The time before or since an event that a question names without a distance ("since I moved"), if it is the only
    one; normalised but not folded, as in `from_events`.
    """
    plain = folded(question)
    m = _OPEN.search(plain)
    if m is None or from_events(question):
        return ()
    groups = {name.partition("_")[0]: name for name, value in m.groupdict().items() if value}
    event = question[slice(*m.span(groups["event"]))] if len(plain) == len(question) else m[groups["event"]]
    if _OPEN.search(m[groups["event"]]):  # an event that is itself told from another is not looked for
        return ()
    return (FromEvent(event=event.strip(), days=-1 if "before" in groups else 1, is_open=True),)


def _matches_from_event(text: str) -> Iterator[re.Match[str]]:
    for hints, pattern in _FROM_EVENT:
        if any(hint in text for hint in hints) and (m := pattern.search(text)):
            yield m
            return

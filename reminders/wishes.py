"""What of a text asks for a reminder: when, how often, and of what; by rules, in many languages.

Pure. Does not know models or stores. Whoever asked confirms what was understood, so a rare reading may be wrong.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

from records.reminders import FARTHEST_DAYS, LONGEST_REMINDER, Repeat, Wish
from retrieval.date_expressions import days_dated, number
from text import date_words, reminder_words
from text.analyzer import folded, normal
from text.patterns import Pattern
from text.reminder_words import SPACED, Words
from text.wall_clock import moment_of, monthly, moved

LONGEST = 1_000
"""Characters of a text that may ask for a reminder."""
MORNING = 9
"""The hour where none is said."""
HOURS = (MORNING, 12, 15, 19, 21)
"""Of the parts of a day."""
AFTERNOON = 2
"""From this part on, "at 8" means 20:00."""
_MINUTES, _HOURS, _DAYS, _WEEKS = range(4)
_CYCLES: Sequence[Repeat] = ("daily", "weekly", "monthly")
_ENDS = " \t\n,.;:：!?¿¡،؟。、，；！？-–—\"'“”„«»"
_NUMBERS = sorted(date_words.NUMBERS, key=len, reverse=True)
_N = rf"(?P<n>\d{{1,3}}|{'|'.join(word for word in _NUMBERS if word[0] < chr(0x2E80))})"
_HINT = Pattern(reminder_words.HINT)
_NEXT = Pattern(reminder_words.NEXT)
_HAN = r"\d{1,2}|[一二两兩三四五六七八九十]{1,3}"
_FAR_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class _Reading:
    """A text of which what was understood is struck out, and what is left is what to remind of."""

    def __init__(self, text: str) -> None:
        text = unicodedata.normalize("NFC", text)
        pairs = [(char, folded(normal(char))) for char in text]
        # What is folded away (vowel points) is dropped, and what would become longer stays: both keep one length.
        self.shown = [char for char, plain in pairs if plain]
        self.plain = "".join(plain if len(plain) == 1 else char for char, plain in pairs if plain)

    def take(self, pattern: Pattern) -> re.Match[str] | None:
        """The first match, struck out."""
        found = pattern.search(self.plain)
        if found is not None:
            self.strike(found.start(), found.end())
        return found

    def strike(self, start: int, end: int) -> None:
        self.plain = self.plain[:start] + "\n" * (end - start) + self.plain[end:]

    @property
    def left(self) -> str:
        """What was not struck out, on one line."""
        kept = "".join(char if plain != "\n" else " " for char, plain in zip(self.shown, self.plain, strict=True))
        return " ".join(kept.split())


@dataclass(frozen=True, kw_only=True)
class _Patterns:
    """The patterns of one language."""

    cue: Pattern
    recall: Pattern
    within: Pattern
    units: tuple[Pattern, ...]
    cycles: tuple[Pattern, ...]
    days: tuple[Pattern, ...]
    weekdays: tuple[Pattern, ...]
    every: Pattern
    nth: Pattern
    hour: Pattern
    parts: tuple[Pattern, ...]
    on: str
    to: Pattern = field(default_factory=lambda: Pattern(r"\A(?!)"))


def _alone(pattern: str) -> Pattern:
    return Pattern(rf"(?<!\w)(?:{pattern})(?!\w)")


@cache
def _spaced(language: str) -> _Patterns:
    words = SPACED[language]
    unit = "|".join(words.units)
    within = "|".join(
        one.replace("{n}", _numbered(number)).replace("{u}", f"(?P<u{number}>{unit})")
        for number, one in enumerate(words.within)
    )
    weekdays = [
        rf"(?:{more}|{name})s?" for name, more in zip(date_words.WEEKDAYS, reminder_words.MORE_WEEKDAYS, strict=True)
    ]
    return _Patterns(
        cue=_alone(words.cue),
        recall=Pattern(rf"[\s,:]*(?:{words.recall})(?!\w)|[\s,:]*(?:{words.recall})(?<=\W)"),
        within=_alone(f"{words.half}|{within}"),
        units=tuple(Pattern(rf"(?:{one})\Z") for one in words.units),
        cycles=tuple(_alone(one) for one in words.cycles),
        days=tuple(_alone(one) for one in words.days),
        weekdays=tuple(_alone(rf"(?:(?P<every>{words.every})\s+)?(?:(?:{words.on})\s+)*(?:{one})") for one in weekdays),
        every=_alone(words.every),
        nth=_alone(words.nth),
        hour=_alone(_clock(words)),
        parts=tuple(_alone(one) for one in words.parts),
        on=words.on,
        to=Pattern(rf"\A(?:(?:{words.to})(?!\w)[\s,]*)+|\A(?:{words.to})(?<=')"),
    )


def _numbered(number: int) -> str:
    return _N.replace("<n>", f"<n{number}>")


def _clock(words: Words) -> str:
    half = rf"(?:(?P<am>{words.am})|(?P<pm>{words.pm}))"
    return (
        rf"(?:(?P<at>{words.at})\s*)?(?P<h>[01]?\d|2[0-4])(?:\s?[:.h]\s?(?P<m>[0-5]\d)(?!\d))?"
        rf"(?:\s*(?P<oc>{words.hour})(?!\w))?(?:\s*{half})?"
    )


@cache
def _eastern() -> _Patterns:
    words = reminder_words
    unit = "|".join(words.EASTERN_UNITS)
    number_ = rf"(?P<n0>{_HAN}|\d{{3}}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)"
    hours = rf"(?:{_HAN}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열한|열두|열)"
    half = f"(?:(?P<am>{words.EASTERN_AM})|(?P<pm>{words.EASTERN_PM})|(?P<noon>{words.EASTERN_NOON}))"
    return _Patterns(
        cue=Pattern(words.EASTERN_CUE),
        recall=Pattern(rf"\s*(?:{words.EASTERN_RECALL})"),
        within=Pattern(rf"{words.EASTERN_HALF}|{number_}\s*(?P<u0>{unit})(?:{words.EASTERN_AFTER})"),
        units=tuple(Pattern(rf"(?:{one})\Z") for one in words.EASTERN_UNITS),
        cycles=tuple(map(Pattern, words.EASTERN_CYCLES)),
        days=tuple(map(Pattern, words.EASTERN_DAYS)),
        weekdays=tuple(
            Pattern(rf"(?:(?P<every>{words.EASTERN_EVERY})|{words.EASTERN_ON})(?:(?:{one})(?:日の?)?)에?に?")
            for one in date_words.EASTERN_WEEKDAYS
        ),
        every=Pattern(words.EASTERN_EVERY),
        nth=Pattern(words.EASTERN_NTH),
        hour=Pattern(
            rf"{half}?\s*(?:(?P<h>{hours})\s*(?:点鐘?|點鐘?|時|时|시)(?:钟)?(?:\s*(?P<m>\d{{1,2}})\s*[分분]?|(?P<half>\s*[半반]))?"
            r"(?:に|에)?|(?P<h2>[01]?\d|2[0-4])[:：](?P<m2>[0-5]\d)(?:に|에)?)"
        ),
        parts=tuple(map(Pattern, words.EASTERN_PARTS)),
        on="",
        to=Pattern(r"\A(?:请|請|麻烦|在|到|に|の|[:：,，\s])+"),
    )


def wish(text: str, said_at: datetime, *, asked: bool = False) -> Wish | None:
    """The reminder that a text asks for; None where it asks for none, or at no time to come.

    `said_at`: aware, in the person's zone. `asked`: it is known to ask for one, as after a command.
    """
    if not 0 < len(text) <= LONGEST or not (asked or _HINT.search(folded(normal(text)))):
        return None
    whole, found = _Reading(text), list[Wish]()
    for patterns in _languages(text):
        reading = copy(whole)
        cue = reading.take(patterns.cue)
        while cue is not None and reading.take(patterns.cue):  # "bana … hatırlat"
            pass
        if (cue is None and not asked) or (cue is not None and patterns.recall.match(reading.plain[cue.end() :])):
            continue
        if (when := _when(reading, patterns, said_at)) is None:
            continue
        what = _what(reading, patterns) or ("" if asked else text.strip())
        due_at, local, repeat, month_day = when
        if said_at < due_at <= said_at + timedelta(days=FARTHEST_DAYS):
            what = what[:LONGEST_REMINDER]
            found.append(Wish(text=what, due_at=due_at, local=local, repeat=repeat, month_day=month_day))
            if cue is not None:
                break
    # The language that understood the most of it left the least.
    best = min(found, key=lambda one: len(one.text), default=None)
    return best if best is not None and best.text else None


def _languages(text: str) -> Iterator[_Patterns]:
    if _FAR_EAST.search(text):
        yield _eastern()
    else:
        yield from map(_spaced, SPACED)


def _what(reading: _Reading, patterns: _Patterns) -> str:
    """What is left, without the words that joined it to the request."""
    rest = reading.left.strip(_ENDS)
    plain = _Reading(rest).plain
    joined = patterns.to.match(plain)
    return rest[joined.end() :].strip(_ENDS) if joined and len(plain) == len(rest) else rest


When = tuple[datetime, datetime | None, Repeat, int]


def _when(reading: _Reading, patterns: _Patterns, now: datetime) -> When | None:
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    zone = now.tzinfo
    if within := reading.take(patterns.within):
        return _from_now(reading, patterns, within, now)
    repeat: Repeat = ""
    for cycle, pattern in zip(_CYCLES, patterns.cycles, strict=True):
        if not repeat and reading.take(pattern):
            repeat = cycle
    day, repeats, is_weekday = _day(reading, patterns, now)
    if repeats and not repeat:
        repeat = "weekly"
    nth = 0
    if day is None and repeat in ("", "monthly") and (found := reading.take(patterns.nth)):
        nth = number(found[1])
    time = _time(reading, patterns, wall, is_today=not repeat and (day is None or day.date() == wall.date()))
    if day is None and not repeat and time is None and not nth:
        return None
    hour, minute = time or (MORNING, 0)
    local = (day or wall).replace(hour=hour, minute=minute)
    if nth or repeat == "monthly":
        nth = nth or local.day
        if not 1 <= nth <= 31:
            return None
        local = monthly(local.replace(day=1), nth, after=wall)
    elif local <= wall:
        step = 7 if is_weekday or repeat == "weekly" else 1
        local = local + timedelta(days=step) if day is None or is_weekday or repeat else local
    return moment_of(local, zone), local, repeat, nth if repeat == "monthly" else 0


def _from_now(reading: _Reading, patterns: _Patterns, within: re.Match[str], now: datetime) -> When | None:
    """A time so far from now: minutes and hours by the clock, days and more by the calendar."""
    groups = {name[0]: value for name, value in within.groupdict().items() if value}
    if "u" not in groups:
        return now.replace(microsecond=0) + timedelta(minutes=30), None, "", 0
    unit = next((one for one, pattern in enumerate(patterns.units) if pattern.match(groups["u"])), _DAYS)
    # Arabic says two of something in one word.
    count = number(groups["n"]) if "n" in groups else 2 if groups["u"].endswith("ين") else 1
    if unit in (_MINUTES, _HOURS):
        minutes = count * (60 if unit == _HOURS else 1)
        return now.replace(microsecond=0) + timedelta(minutes=minutes), None, "", 0
    local = now.replace(tzinfo=None, second=0, microsecond=0)
    if not 0 < count < FARTHEST_DAYS:
        return None
    if unit in (_DAYS, _WEEKS):
        local += timedelta(days=count * (7 if unit == _WEEKS else 1))
    else:
        local = moved(local, months=count)
    hour, minute = _time(reading, patterns, local, is_today=False) or (local.hour, local.minute)
    local = local.replace(hour=hour, minute=minute)
    return moment_of(local, now.tzinfo), local, "", 0


def _day(reading: _Reading, patterns: _Patterns, now: datetime) -> tuple[datetime | None, bool, bool]:
    """The day that is named first, by the wall clock; whether it is said to repeat, and whether it is a weekday."""
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    found: list[tuple[int, int, datetime, bool, bool]] = []
    for ahead, pattern in enumerate(patterns.days):
        if m := pattern.search(reading.plain):
            found.append((m.start(), -m.end(), wall + timedelta(days=ahead), False, False))
    for weekday, pattern in enumerate(patterns.weekdays):
        if m := pattern.search(reading.plain):
            day = wall + timedelta(days=(weekday - wall.weekday()) % 7)
            if day == wall and not m["every"] and _is_next(reading.plain, m):
                day += timedelta(days=7)
            found.append((m.start(), -m.end(), day, bool(m["every"]), True))
    for dated in days_dated(reading.plain, now):
        for m in re.finditer(_around(dated.words, patterns.on), reading.plain):
            day = dated.start.replace(tzinfo=None)
            if day.date() < wall.date() and not re.search(r"(?:19|20)\d\d", m[0]):
                day = moved(day, months=12)
            found.append((m.start(), -m.end(), day, False, False))
            break
    if not found:
        return None, False, False
    start, end, day, repeats, is_weekday = min(found, key=lambda one: one[:2])
    reading.strike(start, -end)
    return day, repeats, is_weekday


def _is_next(text: str, weekday: re.Match[str]) -> bool:
    """Whether a weekday is said to be the next one, which is not today."""
    near = text[max(0, weekday.start() - 16) : weekday.end() + 16]
    return _NEXT.search(near) is not None


def _around(words: str, on: str) -> str:
    """A named month with the day and year next to it, or a date in figures."""
    before = rf"(?:(?<!\w)(?:{on})\s+)?" if on else ""
    name = re.escape(words)
    if any(char.isdigit() for char in words):
        return before + name
    ordinal = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
    year = r"(?:,?\s+(?:de\s+|of\s+)?(?:19|20)\d\d)?"
    day_first = rf"(?:the\s+)?{ordinal}\s*(?:of\s+|d[eo]\s+)?{name}"
    return rf"{before}(?:{day_first}|{name}\s+(?:the\s+)?{ordinal}(?![\d:])){year}"


def _time(reading: _Reading, patterns: _Patterns, wall: datetime, *, is_today: bool) -> tuple[int, int] | None:
    """The hour and minute that are said, struck out."""
    part = next((one for one, pattern in enumerate(patterns.parts) if pattern.search(reading.plain)), None)
    near = part if patterns.on else None  # elsewhere the part of the day belongs to the hour
    for m in patterns.hour.finditer(reading.plain):
        groups = m.groupdict()
        said = [groups.get(name) for name in ("at", "m", "oc", "am", "pm", "half", "h2", "noon")]
        if patterns.on and not any(said):
            continue
        hour = number(groups["h"] or groups.get("h2") or "") % 24
        minute = 30 if groups.get("half") else int(groups.get("m") or groups.get("m2") or 0)
        if minute > 59:
            continue
        reading.strike(m.start(), m.end())
        is_late = near is not None and near >= AFTERNOON and not groups["am"]
        if near is not None:
            reading.take(patterns.parts[near])
        if (groups["pm"] or is_late or (groups.get("noon") and hour < 11)) and hour < 12:
            hour += 12
        elif groups["am"] and hour == 12:
            hour = 0
        elif near is None and not groups["am"] and is_today and 0 < hour < 12:
            # "At five", said at two in the afternoon, is five in the afternoon.
            passed, later = wall.replace(hour=hour, minute=minute), wall.replace(hour=hour + 12, minute=minute)
            hour += 12 if passed <= wall < later else 0
        return hour, minute
    if part is not None:
        reading.take(patterns.parts[part])
        return HOURS[part], 0
    return None

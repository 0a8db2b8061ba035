"""A reminder out of what a model gives as an object, or of the plain forms of /reminders add. Pure.

Whoever asked sees when they will be reminded before or as it is set, so a wrong reading is seen and cancelled.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Literal

from locales.catalog import ENGLISH, current, weekdays, words
from records.reminders import FARTHEST_DAYS, LONGEST_REMINDER, REPEATS, Repeat, Wish
from text.analyzer import folded, normal
from text.characters import well_formed
from text.time_zones import moment_of, monthly, next_time

LONGEST = 1_000
"""Characters of a text that is read."""
MORNING = 9
"""The hour where none is said."""
CYCLES: Mapping[str, Repeat] = {"": "", "none": "", **{one: one for one in REPEATS}}
_ENDS = " ,.;:!?\"'“”„«»-–—"
_CLOCK = re.compile(r"(\d{1,2})[:.h](\d\d)(am|pm)?|(\d{1,2})(am|pm)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
Impossible = Literal["none", "far", "passed"]
"""Why a time that was read is none to be reminded at: no clock or calendar shows it, it is too far ahead, or over."""


def wish_of(given: Mapping[str, object], now: datetime) -> Wish | None:
    """The reminder of an object with `text`, `at` (the wall clock's time, ISO) or `in_minutes`, and `repeat`; None
    where these give none to come. `now`: aware, in the person's zone.
    """
    text, at, minutes, repeat = (given.get(name) for name in ("text", "at", "in_minutes", "repeat"))
    if not isinstance(text, str) or (cycle := CYCLES.get(str(repeat or ""))) is None:
        return None
    if isinstance(minutes, int) and not isinstance(minutes, bool) and 0 < minutes <= FARTHEST_DAYS * 24 * 60:
        return _made(text, now + timedelta(minutes=minutes), None, cycle, now)
    try:
        local = datetime.fromisoformat(str(at)[:16])
    except ValueError:
        return None
    if local.tzinfo is not None:
        return None
    return _at(text, local.replace(hour=MORNING) if len(str(at)) <= len("2026-01-01") else local, cycle, now)


def plain(said: str, now: datetime) -> Wish | Impossible | None:
    """The reminder of "in 20 minutes stretch", "tomorrow 9:00 call mum", "every Monday at 10 …", "2026-12-01 8:15 …",
    in the words of the current language or in English, or why there can be none; None for anything else.
    """
    said = said[:LONGEST]
    tokens = said.split()
    plain_tokens = [token.casefold().strip(",.;") for token in tokens]
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    if len(tokens) > 3 and plain_tokens[0] in words("reminders-in-words"):
        unit = _unit(plain_tokens[2])
        if unit and plain_tokens[1].isdecimal() and len(plain_tokens[1]) <= len("99999"):
            due_at = now + timedelta(minutes=int(plain_tokens[1]) * unit)
            return _impossible(due_at, now) or _made(_what(tokens[3:]), due_at, None, "", now)
    day: date | None = None
    clock: tuple[int, int] | None = None
    weekday: int | None = None
    repeat: Repeat = ""
    end = 0  # after the last word that was understood
    for index, token in enumerate(plain_tokens):
        is_dated = day is not None or weekday is not None
        led = index > 0 and plain_tokens[index - 1] in words("reminders-at-words")
        after = plain_tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in words("reminders-at-words"):
            continue
        if token in words("reminders-every-words") and not repeat:
            repeat = "weekly"
        elif repeat and not is_dated and token in words("reminders-day-words"):
            repeat = "daily"
        elif clock is None and (found := _clock(token, after, is_led=led)) is not None:
            clock = found
        elif index and clock is not None and end == index and token in words("reminders-half-words"):
            pass
        elif not is_dated and (named := _day(token, wall)) is not None:
            day = named
        elif (
            not is_dated
            and (led or repeat or _clock(after, "", is_led=False) or after in words("reminders-at-words"))
            and (number := _weekday(token)) is not None
        ):
            weekday = number
        elif (clock is None and _CLOCK.fullmatch(token) and (":" in token or is_dated)) or (
            not is_dated and _DATE.fullmatch(token)
        ):
            return "none"  # "31.12" is left to a model: it is a date
        else:
            break
        end = index + 1
    is_timed = day is not None or weekday is not None or clock is not None or repeat == "daily"
    if not is_timed or (repeat == "weekly" and weekday is None):
        return None
    hour, minute = clock or (MORNING, 0)
    local = datetime.combine(day or wall.date(), wall.time()).replace(hour=hour, minute=minute)
    if weekday is not None:
        local += timedelta(days=(weekday - local.weekday()) % 7)
    if local <= wall and day is None:
        local += timedelta(days=7 if weekday is not None else 1)
    when = None if repeat else _impossible(local, now.replace(tzinfo=None))
    return when or _at(_what(tokens[end:]), local, repeat, now)


def _at(text: str, local: datetime, repeat: Repeat, now: datetime) -> Wish | None:
    """At a wall clock's time, or at the first one to come of what repeats."""
    wall, month_day = now.replace(tzinfo=None), local.day if repeat == "monthly" else 0
    if repeat and local <= wall:
        again = monthly(local, month_day, after=wall) if month_day else next_time(local, repeat, 0, after=wall)
        local = again or local
    try:
        return _made(text, moment_of(local, now.tzinfo), local, repeat, now, month_day)
    except OverflowError:
        return None


def _made(
    text: str, due_at: datetime, local: datetime | None, repeat: Repeat, now: datetime, month_day: int = 0
) -> Wish | None:
    text = " ".join(well_formed(text).split()).strip(_ENDS)[:LONGEST_REMINDER]
    if not text or not now < due_at <= now + timedelta(days=FARTHEST_DAYS):
        return None
    if repeat and local is None:
        local = due_at.astimezone(now.tzinfo).replace(tzinfo=None)
        month_day = local.day if repeat == "monthly" else 0
    return Wish(text=text, due_at=due_at, local=local, repeat=repeat, month_day=month_day)


def _impossible(due_at: datetime, now: datetime) -> Impossible | None:
    if due_at <= now:
        return "passed"
    return "far" if due_at - now > timedelta(days=FARTHEST_DAYS) else None


def _what(tokens: list[str]) -> str:
    """The rest, without the word that joined it to the time."""
    joins = words("reminders-joining-words")
    return " ".join(tokens[1:] if tokens and tokens[0].casefold().strip(_ENDS) in joins else tokens)


def _unit(token: str) -> int:
    """Minutes of a unit; 0 for none."""
    units = (("reminders-minute-words", 1), ("reminders-hour-words", 60), ("reminders-day-words", 24 * 60))
    return next((minutes for key, minutes in units if token in words(key)), 0)


def _day(token: str, wall: datetime) -> date | None:
    if token in words("reminders-today-words"):
        return wall.date()
    if token in words("reminders-tomorrow-words"):
        return wall.date() + timedelta(days=1)
    try:
        return date.fromisoformat(token) if len(token) == len("2026-01-01") else None
    except ValueError:
        return None


def _weekday(token: str) -> int | None:
    """The number of the day (Monday is 0) with whose name a word begins, in the current language or in English."""
    word = folded(normal(token))
    for language in (current(), ENGLISH):
        for number, beginnings in enumerate(_beginnings(language)):
            if word.startswith(beginnings):
                return number
    return None


@cache
def _beginnings(language: str) -> Sequence[tuple[str, ...]]:
    """Beginnings of each day's words: its short name, and as much of the long one as no other day has; of Arabic also
    without the article.
    """
    short = [folded(normal(one)).strip(".") for one in weekdays(language)]
    long = [folded(normal(one)) for one in weekdays(language, "wide")]
    found = []
    for name, day in zip(short, long, strict=True):
        own = next(size for size in range(3, 20) if sum(one.startswith(day[:size]) for one in long) == 1)
        found.append((name, day[:own], *([day[2:]] if day.startswith("ال") else [])))
    return found


def _clock(token: str, after: str, *, is_led: bool) -> tuple[int, int] | None:
    """The time of a token: "9:00", "9.30", "18h30", "7pm", or after "at" the hour alone, with what stands behind it."""
    if match := _CLOCK.fullmatch(token):
        hour, minute = int(match[1] or match[4]), int(match[2] or 0)
        half = match[3] or match[5] or after
    elif is_led and token.isdecimal() and len(token) <= len("24"):
        hour, minute, half = int(token), 0, after
    else:
        return None
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return (hour % 24, minute) if hour <= 24 and minute < 60 else None

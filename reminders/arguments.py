"""Build reminders from the arguments of a model's tool call, and enforce the limits on reminders."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from records.reminders import MAX_DAYS_AHEAD, MAX_REMINDER_CHARS, REPEATS, NewReminder, Repeat
from text.characters import collapse_to_single_line
from text.time_zones import find_next_repetition, to_utc

MAX_TEXT_CHARS = 1_000  # characters of a text that is read
MORNING = 9  # the hour where none is said
WEEKDAYS = ("mo", "tu", "we", "th", "fr", "sa", "su")  # how their English names begin
CYCLES: Mapping[str, Repeat] = {"": "", "none": "", **{repeat: repeat for repeat in REPEATS}}
_ENDS = " ,.;:!?\"'“”„«»-–—"
Impossible = Literal["none", "far", "passed"]  # no clock or calendar shows the time, it is too far ahead, or over


def parse_reminder(arguments: Mapping[str, object], now: datetime) -> NewReminder | None:
    """Parse a reminder from `text`, `at` (ISO, wall clock) or `in_minutes`, `repeat` and `weekdays`.

    Return None if the time is not in the future. `now` is aware and in the person's zone.
    """
    text, at, minutes, repeat = (arguments.get(name) for name in ("text", "at", "in_minutes", "repeat"))
    days = _parse_weekdays(arguments.get("weekdays"))
    if not isinstance(text, str) or (cycle := CYCLES.get(str(repeat or ""))) is None or days is None:
        return None
    cycle = "weekly" if cycle == "daily" and days else cycle  # models call "every weekday" so
    if isinstance(minutes, str) and minutes.isdecimal() and len(minutes) < 9:  # many models quote numbers
        minutes = int(minutes)
    if isinstance(minutes, int) and not isinstance(minutes, bool) and 0 < minutes <= MAX_DAYS_AHEAD * 24 * 60:
        return make_reminder(text, now + timedelta(minutes=minutes), None, cycle, now)
    try:
        local = datetime.fromisoformat(str(at))
        # Models end local times with "Z" by habit. Any other offset is meant.
        local = local.astimezone(now.tzinfo) if local.utcoffset() else local
        local = local.replace(tzinfo=None, second=0, microsecond=0)
    except (ValueError, OverflowError):
        return None
    local = local.replace(hour=MORNING) if len(str(at)) <= len("2026-01-01") else local
    return make_local_reminder(text, local, cycle, now, weekdays=days)


def _parse_weekdays(names: object) -> list[int] | None:
    """Parse English weekday names, in a list or in one string. Return None if one of them is not a weekday."""
    listed = names if isinstance(names, list) else str(names or "").replace(",", " ").split()
    words = [word for name in listed if (word := str(name).casefold()) not in ("none", "and")]
    days = ["" if word.startswith("week") else word[:2] for word in words]  # "weekdays" is no Wednesday
    return [WEEKDAYS.index(day) for day in days] if {*days} <= {*WEEKDAYS} else None


def make_local_reminder(
    text: str, local_time: datetime, repeat: Repeat, now: datetime, month_day: int = 0, weekdays: Collection[int] = ()
) -> NewReminder | None:
    """Return a reminder at a wall-clock time. A repeating reminder starts at its next occurrence."""
    wall, month_day = now.replace(tzinfo=None), (month_day or local_time.day) if repeat == "monthly" else 0
    days = tuple(sorted({*weekdays})) if repeat == "weekly" else ()
    try:
        if repeat and (local_time <= wall or (days and local_time.weekday() not in days)):
            local_time = find_next_repetition(local_time, repeat, month_day, days, after=wall) or local_time
        reminder = make_reminder(text, to_utc(local_time, now.tzinfo), local_time, repeat, now, month_day)
    except OverflowError:
        return None
    return reminder and replace(reminder, weekdays=days if len(days) > 1 else ())


def make_reminder(
    text: str, due_at: datetime, local_due_at: datetime | None, repeat: Repeat, now: datetime, month_day: int = 0
) -> NewReminder | None:
    text = collapse_to_single_line(text).strip(_ENDS)[:MAX_REMINDER_CHARS]
    if not text or not now < due_at <= now + timedelta(days=MAX_DAYS_AHEAD):
        return None
    if repeat and local_due_at is None:
        local_due_at = due_at.astimezone(now.tzinfo).replace(tzinfo=None)
        month_day = local_due_at.day if repeat == "monthly" else 0
    return NewReminder(text=text, due_at=due_at, local=local_due_at, repeat=repeat, month_day=month_day)


def check_due_time(due_at: datetime, now: datetime) -> Impossible | None:
    if due_at <= now:
        return "passed"
    return "far" if due_at - now > timedelta(days=MAX_DAYS_AHEAD) else None

"""Build reminders from the arguments of a model's tool call, and enforce the limits on reminders."""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from records.reminders import MAX_DAYS_AHEAD, MAX_REMINDER_CHARS, REPEATS, NewReminder, Repeat
from text.characters import collapse_to_single_line
from text.time_zones import find_next_repetition, to_utc

MAX_TEXT_CHARS = 1_000  # characters of a request that are read
MORNING = 9  # the hour of a reminder without a time of day
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAYS = tuple(name[:2] for name in _NAMES)
_DAYS = {name[:end]: day for day, name in enumerate(_NAMES) for end in range(2, len(name) + 1)}
_CYCLES: Mapping[str, Repeat] = {
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    **{name: name for name in REPEATS},
}
_NO_CYCLES = {"none", "null", "no", "never", "once"}
_FILLERS = _NO_CYCLES | {"and", "on", "every", "each", "rrule", "freq", "byday", "interval", "1"}
_ENDS = " ,.;:!?\"'“”„«»-–—"
Impossible = Literal["none", "far", "passed"]  # no clock or calendar shows the time, it is too far ahead, or over


def parse_reminder(arguments: Mapping[str, object], now: datetime) -> NewReminder | None:
    """Parse the arguments `text`, `at` (ISO, wall clock) or `in_minutes`, `repeat` and `weekdays` of a tool call.

    Return None if one is invalid, or the time is past or too far ahead. `now` must be in the person's zone.
    """
    text, minutes = arguments.get("text"), str(arguments.get("in_minutes")).removesuffix(".0")
    at = re.sub(r"(?<=[T ])(?=\d:)", "0", str(arguments.get("at")))  # "2026-12-03T9:00"
    rule = _parse_repeat_and_weekdays(str(arguments.get("repeat") or ""), str(arguments.get("weekdays") or ""))
    if not isinstance(text, str) or rule is None:
        return None
    if minutes.isdecimal() and len(minutes) < 9 and 0 < int(minutes) <= MAX_DAYS_AHEAD * 24 * 60:
        when = now.astimezone(UTC) + timedelta(minutes=int(minutes))
    else:
        try:
            when = datetime.fromisoformat(at)
            # Models end local times with "Z" by habit. Any other offset is meant.
            when = when.astimezone(now.tzinfo) if when.utcoffset() else when
        except (ValueError, OverflowError):
            return None
        when = when.replace(tzinfo=None, second=0, microsecond=0)
        when = when.replace(hour=MORNING) if len(at) <= len("2026-01-01") else when
    made = make_reminder_if_possible(text, when, now, rule[0], weekdays=rule[1])
    return made if isinstance(made, NewReminder) else None


def _parse_repeat_and_weekdays(repeat: str, weekdays: str) -> tuple[Repeat, Collection[int]] | None:
    """Parse a repetition such as "weekly Mon, Thu" or "FREQ=WEEKLY;BYDAY=MO,TH". Return None if it is ambiguous."""
    rule_text = [re.findall(r"[\w–-]+", text.casefold()) for text in (repeat, weekdays)]
    words, more = ({word.removesuffix("s") for word in listed} for listed in rule_text)  # "mondays", "tues"
    cycles, own = {_CYCLES[word] for word in words & _CYCLES.keys()}, words & _DAYS.keys()
    is_read = words <= _FILLERS | _CYCLES.keys() | _DAYS.keys() and more <= _FILLERS | _DAYS.keys()
    cycle: Repeat = next(iter(cycles), "weekly" if own else "")
    days = {_DAYS[word] for word in own | (more & _DAYS.keys())}  # with "monthly", the first Monday or the like
    if not is_read or len(cycles) > 1 or (days and cycle == "monthly") or not (cycles or own or words <= _NO_CYCLES):
        return None
    return "weekly" if cycle == "daily" and days else cycle, days  # models call "every weekday" daily


def make_reminder_if_possible(
    text: str, when: datetime, now: datetime, repeat: Repeat = "", month_day: int = 0, weekdays: Collection[int] = ()
) -> NewReminder | Impossible | None:
    """Return a reminder for `when`. A time without a zone is the person's wall-clock time.

    A repeating reminder starts at its next occurrence. Return a reason if the time is impossible, or None without text.
    """
    is_instant = when.tzinfo is not None and not repeat
    wall, days = now.replace(tzinfo=None), tuple(sorted({*weekdays})) if repeat == "weekly" else ()
    try:
        local = when.astimezone(now.tzinfo).replace(tzinfo=None) if when.tzinfo else when
        month_day = (month_day or local.day) if repeat == "monthly" else 0
        if repeat and (local <= wall or (days and local.weekday() not in days)):
            local = find_next_repetition(local, repeat, month_day, days, after=wall) or local
        due_at = when if is_instant else to_utc(local, now.tzinfo)
        if not (is_instant or repeat) and due_at.astimezone(now.tzinfo).replace(tzinfo=None) != local:
            return "none"  # the clock skips it when daylight saving begins
    except OverflowError:
        return "far"
    text = collapse_to_single_line(text).strip(_ENDS)[:MAX_REMINDER_CHARS]
    if due_at <= now:
        return "passed"
    if due_at - now > timedelta(days=MAX_DAYS_AHEAD):
        return "far"
    if not text:
        return None
    days, stored = days if len(days) > 1 else (), None if is_instant else local
    return NewReminder(text=text, due_at=due_at, local=stored, repeat=repeat, month_day=month_day, weekdays=days)

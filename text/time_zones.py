"""Pure functions that look up time zones by everyday names ("Tokyo", "UTC+3") and compute with wall-clock times."""

import calendar
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from records.reminders import NewReminder, Repeat
from text.analyzer import fold_accents, normalize_text

MAX_NAME_CHARS = 60  # no place has a longer name
UTC_NAMES = frozenset({"utc", "gmt", "z", "zulu", "ut", "uct", "universal", "greenwich"})

_OFFSET = re.compile(r"(?:utc|gmt|z)?([+-])(\d{1,2})(?::?([0-5]\d))?")
# Zones without daylight saving time whose offset is no whole number of hours: minutes east of Greenwich.
PARTS_OF_HOURS: Mapping[int, str] = {
    -570: "Pacific/Marquesas", 210: "Asia/Tehran", 270: "Asia/Kabul", 330: "Asia/Kolkata", 345: "Asia/Kathmandu",
    390: "Asia/Yangon", 525: "Australia/Eucla", 570: "Australia/Darwin",
}  # fmt: skip


def find_zone_name(text: str) -> str | None:
    """Return the tz database name of the zone that a text names ("" for UTC), or None if none or several match."""
    if len(text) > MAX_NAME_CHARS:
        return None
    name = _normalize_zone_name(text)
    if name.removeprefix("etc/") in UTC_NAMES:
        return ""
    offset = _OFFSET.fullmatch(name.replace(" ", "").replace("−", "-"))
    if offset:  # "GMT-5" is five hours behind Greenwich, as in everyday use, although "Etc/GMT-5" is ahead
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return find_zone_of_offset(minutes if offset[1] == "+" else -minutes)
    # "Lisbon, Portugal" means the city alone.
    return _map_simplified_names_to_zones().get(name) or _map_simplified_names_to_zones().get(
        _normalize_zone_name(text.partition(",")[0])
    )


def find_zone_of_offset(offset_minutes: int) -> str | None:
    """Return a zone that is always `offset_minutes` ahead of UTC, "" for UTC itself, or None if there is none."""
    if offset_minutes % 60:
        return PARTS_OF_HOURS.get(offset_minutes)
    # In the names of the database the sign is that of POSIX: Etc/GMT+5 is five hours behind Greenwich.
    return (
        (f"Etc/GMT{-offset_minutes // 60:+d}" if offset_minutes else "") if -12 <= offset_minutes // 60 <= 14 else None
    )


def list_utc_offsets() -> Sequence[int]:
    """Return the UTC offsets in minutes, from west to east. If two offsets are 24 hours apart, include only one."""
    # Two zones that are 24 hours apart show the same time.
    return sorted([*(60 * hours for hours in range(-10, 14)), *PARTS_OF_HOURS])


def format_time_at_offset(now: datetime, offset_minutes: int) -> str:
    """Return the time of day at a UTC offset of `offset_minutes`, like "14:05"."""
    return f"{now.astimezone(ZoneInfo(find_zone_of_offset(offset_minutes) or 'UTC')):%H:%M}"


def find_similar_zone_names(text: str, limit: int = 5) -> Sequence[str]:
    """Return up to `limit` zones whose names contain `text` or resemble it."""
    part = _normalize_zone_name(text)
    if not 2 < len(part) <= MAX_NAME_CHARS:
        return []
    zones = sorted(zone for zone in available_timezones() if part in _normalize_zone_name(zone))
    near = get_close_matches(part, _map_simplified_names_to_zones(), n=limit, cutoff=0.8)
    return list(dict.fromkeys([*zones, *(_map_simplified_names_to_zones()[city] for city in near)]))[:limit]


def format_zone_name(name: str) -> str:
    """Return a zone's name for display: "UTC+3" instead of "Etc/GMT-3", and "UTC" instead of ""."""
    hours = name.removeprefix("Etc/GMT")
    if hours == name or not hours[1:].isdecimal():
        return name or "UTC"
    return f"UTC{-int(hours):+d}" if int(hours) else "UTC"


@cache
def _map_simplified_names_to_zones() -> Mapping[str, str]:
    """Map simplified zone names, and simplified city names that occur in only one zone, to zone names."""
    ends: dict[str, set[str]] = {}
    for zone in available_timezones():
        area, _, city = zone.rpartition("/")
        if area and area != "Etc":
            ends.setdefault(_normalize_zone_name(city), set()).add(zone)
    cities = {city: zones.pop() for city, zones in ends.items() if len(zones) == 1}
    return cities | {_normalize_zone_name(zone): zone for zone in available_timezones()}


def _normalize_zone_name(text: str) -> str:
    return " ".join(fold_accents(normalize_text(text)).replace("_", " ").replace(".", " ").split())


def to_utc(local_time: datetime, zone: tzinfo | None) -> datetime:
    """Convert a local time in `zone` (None: UTC) to UTC. If it is ambiguous, choose the earlier time."""
    # A time that daylight saving skips counts as if the clock had not changed.
    return local_time.replace(tzinfo=zone or UTC).astimezone(UTC)


def add_months(start: datetime, *, months: int, day: int = 0) -> datetime:
    """Return the time `months` later, on `day` (0: the same day) or on the month's last day if that is earlier."""
    number = start.year * 12 + start.month - 1 + months
    year, month = number // 12, number % 12 + 1
    return start.replace(year=year, month=month, day=min(day or start.day, calendar.monthrange(year, month)[1]))


def find_next_repetition(
    local_time: datetime, repeat: Repeat, month_day: int, weekdays: Collection[int] = (), *, after: datetime
) -> datetime | None:
    """Return the first repetition later than both `local_time` and `after`, or None if `repeat` is empty."""
    if not repeat:
        return None
    after = max(after, local_time)
    if repeat == "monthly":
        months, day = (after.year - local_time.year) * 12 + after.month - local_time.month, month_day or local_time.day
        return next(at for more in (0, 1) if (at := add_months(local_time, months=months + more, day=day)) > after)
    step = timedelta(days=1 if repeat == "daily" or weekdays else 7)
    first = local_time + step * ((after - local_time) // step + 1)
    return next((at for more in range(7) if (at := first + step * more).weekday() in weekdays), first)


def find_next_due_time(reminder: NewReminder, zone: tzinfo, *, after: datetime) -> tuple[datetime, datetime] | None:
    """Return a reminder's next due time, in UTC and in local time, or None if it does not repeat."""
    first = reminder.local or reminder.due_at.astimezone(zone).replace(tzinfo=None)
    wall, rule = after.astimezone(zone).replace(tzinfo=None), (reminder.repeat, reminder.month_day, reminder.weekdays)
    local = find_next_repetition(first, *rule, after=wall)
    return (to_utc(local, zone), local) if local else None

"""Time zones as people write them: "Europe/Berlin", "Tokyo", "UTC+3", "GMT-5:30" → the tz database's name.

Owns no names: those are the database's own, some four hundred cities. Also the times of a wall clock: the moments that
they are, and the next time of what repeats. Pure.
"""

import calendar
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from records.reminders import Repeat
from text.characters import normalise_unicode

MAX_NAME_CHARS = 60  # characters; nothing longer is the name of a place
UTC_NAMES = frozenset({"utc", "gmt", "z", "zulu", "ut", "uct", "universal", "greenwich"})

_OFFSET = re.compile(r"(?:utc|gmt|z)?([+-])(\d{1,2})(?::?([0-5]\d))?")
# Zones without daylight saving time whose offset is no whole number of hours: minutes east of Greenwich.
PARTS_OF_HOURS: Mapping[int, str] = {
    -570: "Pacific/Marquesas",
    210: "Asia/Tehran",
    270: "Asia/Kabul",
    330: "Asia/Kolkata",
    345: "Asia/Kathmandu",
    390: "Asia/Yangon",
    525: "Australia/Eucla",
    570: "Australia/Darwin",
}


def find_zone(words: str) -> str | None:
    """Return the tz database's name of what somebody writes, "" for UTC; None for none, or for several.

    "GMT-5" and "UTC-5" both mean five hours behind Greenwich, as in everyday use. The database's own "Etc/GMT-5", whose
    sign is the other way round, means that only where it is written out in full.
    """
    if len(words) > MAX_NAME_CHARS:
        return None
    name = _plain(words)
    if name.removeprefix("etc/") in UTC_NAMES:
        return ""
    offset = _OFFSET.fullmatch(name.replace(" ", "").replace("−", "-"))
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return find_zone_of_offset(minutes if offset[1] == "+" else -minutes)
    # "Lisbon, Portugal" means the city alone.
    return _read_zones().get(name) or _read_zones().get(_plain(words.partition(",")[0]))


def find_zone_of_offset(minutes: int) -> str | None:
    """Return the zone that is so many minutes east of Greenwich all year round, "" for UTC; None where
    there is none.
    """
    if minutes % 60:
        return PARTS_OF_HOURS.get(minutes)
    # In the names of the database the sign is that of POSIX: Etc/GMT+5 is five hours behind Greenwich.
    return (f"Etc/GMT{-minutes // 60:+d}" if minutes else "") if -12 <= minutes // 60 <= 14 else None


def list_offsets() -> Sequence[int]:
    """Return those of which each shows another time of day, from west to east: two zones a day apart cannot be told by
    it.
    """
    return sorted([*(60 * hours for hours in range(-10, 14)), *PARTS_OF_HOURS])


def find_minutes_ahead(now: datetime, minutes: int) -> str:
    """Return the wall clock so many minutes east of Greenwich: "14:05"."""
    zone = find_zone_of_offset(minutes)
    return f"{now.astimezone(ZoneInfo(zone or 'UTC')):%H:%M}"


def find_similar_names(words: str, most: int = 5) -> Sequence[str]:
    """Return zone names that contain the words, or nearly so."""
    part = _plain(words)
    if not 2 < len(part) <= MAX_NAME_CHARS:
        return []
    zones = sorted(zone for zone in available_timezones() if part in _plain(zone))
    near = get_close_matches(part, _read_zones(), n=most, cutoff=0.8)
    return list(dict.fromkeys([*zones, *(_read_zones()[city] for city in near)]))[:most]


def format_zone(name: str) -> str:
    """Return a zone as it is shown: the offset where its name has the sign the other way round, "UTC" for none."""
    hours = name.removeprefix("Etc/GMT")
    if hours == name or not hours[1:].isdecimal():
        return name or "UTC"
    return f"UTC{-int(hours):+d}" if int(hours) else "UTC"


@cache
def _read_zones() -> Mapping[str, str]:
    """Return the zone names and the cities that end only one of them."""
    ends: dict[str, set[str]] = {}
    for zone in available_timezones():
        area, _, city = zone.rpartition("/")
        if area and area != "Etc":
            ends.setdefault(_plain(city), set()).add(zone)
    cities = {city: zones.pop() for city, zones in ends.items() if len(zones) == 1}
    return cities | {_plain(zone): zone for zone in available_timezones()}


def _plain(text: str) -> str:
    """Lower case, without accents; spaces, underscores and full stops are one and the same."""
    folded = normalise_unicode("NFKD", text.casefold())
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter)).replace("ł", "l").replace("ø", "o")
    return " ".join(bare.replace("_", " ").replace(".", " ").split())


def to_utc(local: datetime, zone: tzinfo | None) -> datetime:
    """Return the moment at which a wall clock shows this; None: UTC. Where it never does, the clocks being put forward,
    the one that it would be without that; where it does so twice, the first.
    """
    return local.replace(tzinfo=zone or UTC).astimezone(UTC)


def move_months(local: datetime, *, months: int, day: int = 0) -> datetime:
    """Return the same time so many months later, on its own day of the month or on `day`; the last day of a shorter
    month.
    """
    number = local.year * 12 + local.month - 1 + months
    year, month = number // 12, number % 12 + 1
    return local.replace(year=year, month=month, day=min(day or local.day, calendar.monthrange(year, month)[1]))


def next_month_day(local: datetime, day: int, *, after: datetime) -> datetime:
    """Return the first time after `after` that is on this day of a month, from the month of `local` on."""
    at = move_months(local, months=0, day=day)
    if at <= after:
        at = move_months(local, months=max(0, (after.year - local.year) * 12 + after.month - local.month), day=day)
    return at if at > after else move_months(at, months=1, day=day)


def next_time(local: datetime, repeat: Repeat, month_day: int, *, after: datetime) -> datetime | None:
    """Return the next time of what repeats, later than `local` and than `after`; None for what comes once."""
    if not repeat:
        return None
    if repeat == "monthly":
        return next_month_day(local, month_day or local.day, after=max(after, local))
    step = timedelta(days={"daily": 1, "weekly": 7}[repeat])
    return local + step * max(1, (after - local) // step + 1)

"""Read values from untrusted files with type checks, and parse the dates that programs write."""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Any

from locales.catalog import tr
from records.errors import ImportRefused
from text.characters import repair_surrogates_in_json
from text.written_dates import parse_written_date_and_time

_APPLE_EPOCH = 978_307_200  # seconds from 1970 to 2001, the epoch of Apple's programs
_MIN_APPLE_SECONDS = 252_460_800  # seconds from 2001 to 2009. Earlier, no such program had chats.
_MILLISECONDS = 10**11  # larger numbers are milli-, micro- or nanoseconds. In seconds, this is the year 5138.


class InvalidElement(Exception):  # noqa: N818 - reads as the state it is
    """Raised if a value is missing or has the wrong type. `location` is its path within the element."""

    def __init__(self, location: str = "") -> None:
        super().__init__(location)
        self.location = location

    def describe_place(self, element: str, line: int) -> str:
        """Return a readable description of where the value is. Line numbers start at 1."""
        return tr("import-line", where=f"{element}{self.location}", line=str(line))


def make_element_error(place: str) -> ImportRefused:
    return ImportRefused(tr("import-wrong", where=place))


def parse_moment(value: object, json_path: str, zone: tzinfo = UTC, date_order: str = "") -> datetime | None:
    """Parse an ISO 8601 date, a written date, or seconds or milliseconds since 1970. Return None if the value is empty.

    `date_order` is the order of day and month in "03/04/2025". By default, the month comes first.
    """
    while isinstance(value, dict):  # MongoDB: {"$date": {"$numberLong": "1750534101194"}}, and Firestore
        value = next((value[name] for name in ("$date", "$numberLong", "_seconds", "seconds") if name in value), True)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            made = parse_written_date_and_time(value, date_order=date_order or ("mdy" if "/" in value else ""))
            return (made.replace(tzinfo=zone) if made.tzinfo is None else made).astimezone(UTC)
        if isinstance(value, list) and len(value) > 2 and all(type(part) is int for part in value):
            return datetime(*value[:6]).replace(tzinfo=zone).astimezone(UTC)  # as in Java: [2024, 5, 1, 10, 0]
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InvalidElement(json_path)
        seconds = float(value)
        while abs(seconds) >= _MILLISECONDS and math.isfinite(seconds):
            seconds /= 1000
        if _MIN_APPLE_SECONDS < seconds < _APPLE_EPOCH:
            seconds += _APPLE_EPOCH
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidElement(json_path) from None


def require_moment(value: object, json_path: str, zone: tzinfo = UTC) -> datetime:
    if (made := parse_moment(value, json_path, zone)) is None:
        raise InvalidElement(json_path)
    return made


def require_object(value: object, json_path: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidElement(json_path)
    return value


def read_list(value: Mapping[str, Any], key: str, json_path: str = "") -> list[Any]:
    """Return the list in the member `key`, or [] if it is missing. Raise InvalidElement if it is not a list."""
    made = value.get(key)
    if made is not None and not isinstance(made, list):
        raise InvalidElement(f"{json_path}.{key}")
    return made or []


def select_objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_object(value: object) -> dict[str, Any]:
    """Return `value` if it is a JSON object, or else an empty one."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_reactions(value: object) -> str:
    """Return the emoji of a message's reactions, or "" if there are none."""
    emoji = (reaction.get("reaction") or reaction.get("emoji") for reaction in select_objects(value))
    names = (as_text(as_object(shown).get("name", shown)) for shown in emoji)
    return " ".join(filter(None, map(repair_mojibake, names)))


def repair_mojibake(text: str) -> str:
    """Repair UTF-8 text that was decoded as Latin-1, as in Meta's exports."""
    with suppress(UnicodeError):
        return text.encode("latin-1").decode()
    return text


def parse_json(text: str) -> Any:
    try:
        return repair_surrogates_in_json(json.loads(text))
    except (ValueError, RecursionError):
        return None

"""Recognises time zones next to a time: "9:00 New York time", "a las 9 hora de Madrid", "9am pst", "9Z"."""

import re
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES
from reminders.lexicon import HAN, SPOKEN, TOKEN, Lexicon, fold_letters
from text.word_lists import EVERY_FUNCTION_WORD

MAX_CITY_WORDS = 3  # "Rio de Janeiro"
STEM_CHARS = 4  # of a place's name, whose end may be inflected: "по Москве"
_OFFSET = re.compile(
    r"(?:(?:UTC|GMT|(?-i:Z))(?:[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d)(?![\w-])|(?:A[a-z]{3,9}|Europe|Pacific|US)/\w[\w/]+",
    re.IGNORECASE | re.ASCII,
)
_SMALL_ABBREVIATION = re.compile(r"[^aeiouA-Z]{3,}|a[cekw][ds]t|[ei][ds]t|[ce]es?t")  # "eat", "met" and "hat" are words
# "hora de Madrid", "北京时间", "New York time", as a pattern of Lexicon.match().
_NAMED_ZONE = (
    rf"{{zone}}\s(?:{{of}} )*(?P<place>{TOKEN.pattern})(?:\s{{zone}})?|(?P<han>{HAN.pattern}+?){{zone}}"
    rf"|(?P<names>(?:{TOKEN.pattern}[\s,;]+){{1,3}}?){{zone}}"
)


def find_end_of_time_zone(text: str, start: int, lexicon: Lexicon) -> int:
    """Return where the name of a time zone that begins at `start` ends, or 0 if there is no such name."""
    offset, token = _OFFSET.match(text, start), TOKEN.match(text, start)
    if offset or token is None:
        return offset.end() if offset else 0
    abbreviations, _, stems = _load_names()
    may_be_small = lexicon.language == ENGLISH or token[0] not in EVERY_FUNCTION_WORD  # "ist" is German for "is"
    is_small = may_be_small and _SMALL_ABBREVIATION.fullmatch(token[0])
    if (token[0].isupper() or is_small) and token[0].upper() in abbreviations:
        return token.end()
    if (found := lexicon.match(_NAMED_ZONE, text, start)) is None:
        return 0
    words = (found["place"] or found["han"] or found["names"]).split()
    is_place = all(not word.islower() or fold_letters(word)[:STEM_CHARS] in stems for word in words)
    return found.end() if is_place else 0


def find_end_of_city(text: str, start: int) -> int:
    """Return where the name of a city that begins at `start` ends, or 0 if there is no such name."""
    tokens = [*TOKEN.finditer(text, start)][:MAX_CITY_WORDS]
    names = {fold_letters(text[start : token.end()].replace(":", "")): token.end() for token in tokens}
    return max((end for name, end in names.items() if name in _load_names()[1]), default=0)


@cache
def _load_names() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the abbreviations of time zones in capitals, the names of cities, and how those of places begin."""
    known, cities, places = available_timezones(), [*SPOKEN["cities"]], list[str]()
    short = [f"{datetime(2026, month, 1, tzinfo=ZoneInfo(zone)):%Z}" for zone in known for month in (1, 7)]
    # The locale data leave out the cities that are named as in the tz database.
    cities += [str(zone).rpartition("/")[2].replace("_", " ") for zone in Locale("ru").time_zones if zone in known]
    for locale in map(Locale, LANGUAGES):
        cities += [data["city"] for zone, data in locale.time_zones.items() if zone in known and "city" in data]
        places += locale.territories.values()
        short += [name for zone in locale.meta_zones.values() for name in zone.get("short", {}).values()]
    other = {"reunion", "reuniao", "wake", "christmas"}  # islands, but also meetings, to wake, and a holiday
    names, stems = frozenset(map(fold_letters, cities)) - other, [*map(fold_letters, [*cities, *places])]
    return frozenset(filter(str.isupper, short)), names, frozenset(name[:STEM_CHARS] for name in stems)

"""Recognises time zones next to a time: "9:00 New York time", "a las 9 hora de Madrid", "9am pst", "9Z"."""

import re
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES
from reminders.lexicon import HAN, SPOKEN, TOKEN, Lexicon, fold_letters
from text.word_lists import EVERY_FUNCTION_WORD

MIN_STEM_CHARS = 4
MAX_STEM_CHARS = 6  # characters of a stem, which matches inflected names of places: "по Москве", "deutscher Zeit"
MAX_ENDING_CHARS = 2
_OFFSET = re.compile(
    r"(?:(?:UTC|GMT|(?-i:Z))(?:[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d)(?![\w-])|(?:A[a-z]{3,9}|Europe|Pacific|US)/\w[\w/]+",
    re.IGNORECASE | re.ASCII,
)
_SMALL_ABBREVIATION = re.compile(r"[^aeiouA-Z]{3,}|a[cekw][ds]t|[ei][ds]t|[ce]es?t")  # "eat", "met" and "hat" are words
# "по Москве", "北京时间", "New York time", as patterns of Lexicon.match().
_NAMED_ZONE = (
    rf"{{zone}}\s(?:{{of}} )*(?P<place>{TOKEN.pattern})(?:\s{{zone}}(?!\w))?|(?P<han>{HAN.pattern}+?){{zone}}"
    rf"|(?P<names>(?:{TOKEN.pattern}[\s,;]+){{1,3}}?){{zone}}(?!\w)"
)


def find_end_of_time_zone(text: str, start: int, lexicon: Lexicon) -> int:
    """Return where the name of a time zone that begins at `start` ends, or 0 if there is no such name."""
    offset, first = _OFFSET.match(text, start), TOKEN.match(text, start)
    if offset or first is None:
        return offset.end() if offset else 0
    name, is_english = first[0], lexicon.language == ENGLISH
    is_small = _SMALL_ABBREVIATION.fullmatch(name) and (is_english or name not in EVERY_FUNCTION_WORD)
    if (name.isupper() or is_small) and name.upper() in _load_stems_abbreviations_and_cities()[1]:
        return first.end()
    if (found := lexicon.match(_NAMED_ZONE, text, start)) is None:
        return 0
    words = (found["place"] or found["han"] or found["names"]).split()
    may_be_place = (is_place_word(word) or not (word.islower() or HAN.match(word)) for word in words)
    return found.end() if all(may_be_place) else 0


def find_end_of_city(text: str, start: int) -> int:
    """Return where the name of a city that begins at `start` ends, or 0 if there is no such name."""
    tokens = [*TOKEN.finditer(text, start)][:3]  # "New York", "Cape Town"
    names = {fold_letters(text[start : token.end()].replace(":", "")): token.end() for token in tokens}
    return max((end for name, end in names.items() if name in _load_stems_abbreviations_and_cities()[2]), default=0)


def is_place_word(token: str) -> bool:
    """Return True if a word may be part of the name of a city, country or time zone."""
    word = fold_letters(token)
    return any(word[:length] in _load_stems_abbreviations_and_cities()[0] for length in range(1, MAX_STEM_CHARS + 1))


@cache
def _load_stems_abbreviations_and_cities() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the stems of words in place and zone names, the zone abbreviations, and the cities."""
    known, cities, names = available_timezones(), [*SPOKEN["cities"]], list[str]()
    short = [name.upper() for name in SPOKEN["zone-names"]]
    short += [f"{datetime(2026, month, 1, tzinfo=ZoneInfo(zone)):%Z}" for zone in known for month in (1, 7)]
    # The locale data leave out the cities that are named as in the tz database.
    cities += [str(zone).rpartition("/")[2].replace("_", " ") for zone in Locale("ru").time_zones if zone in known]
    for locale in map(Locale.parse, (*LANGUAGES, *SPOKEN["zone-locales"])):
        names += locale.territories.values()
        cities += [data["city"] for zone, data in locale.time_zones.items() if zone in known and "city" in data]
        for zone in (*locale.meta_zones.values(), *locale.time_zones.values()):
            names += zone.get("long", {}).values()
            short += zone.get("short", {}).values()
    names += cities
    words = {word for name in names for word in fold_letters(name).split() if len(word) >= MIN_STEM_CHARS}
    stems = {word[: max(MIN_STEM_CHARS, min(len(word) - MAX_ENDING_CHARS, MAX_STEM_CHARS))] for word in words}
    stems |= {"北京", *(name.removesuffix("时间") for name in names if HAN.search(name))}  # written without spaces
    other = {"reunion", "reuniao", "wake", "christmas"}  # islands, but also meetings, to wake, and a holiday
    return frozenset(stems), frozenset(filter(str.isupper, short)), frozenset(map(fold_letters, cities)) - other

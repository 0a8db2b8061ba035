"""Recognises time zones next to a time: "9:00 New York time", "a las 9 hora de Madrid", "9am pst", "9Z"."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES
from reminders.lexicon import HAN, PLAIN, SPOKEN, Lexicon, compile_holidays, normalise_word
from text.stopwords import EVERY_FUNCTION_WORD
from text.time_zones import find_zone

MAX_PHRASE_TOKENS = 4  # "Central European Summer time"
MIN_STEM_CHARS = 4
MAX_STEM_CHARS = 6  # of a word in the name of a place, as inflected: "по Москве", "deutscher Zeit"
MAX_ENDING_CHARS = 2
TOKEN = re.compile(r"[^\s,;!?\"“”„«»()（）]+")
_OFFSET = re.compile(
    r"(?:(?:UTC|GMT|Z)(?:[+-]\d{1,2}(?::?\d\d)?)?|[+-]\d\d:?\d\d)(?![\w-])|(?:A[a-z]{3,9}|Europe|Pacific|US)/\w[\w/]+",
    re.IGNORECASE | re.ASCII,
)
_APART = re.compile(r"[(（]([^()（）]{1,40})[)）]")
_SMALL_ABBREVIATION = re.compile(r"[^aeiou]{3,}|a[cekw][ds]t|[ei][ds]t|[ce]es?t")  # "eat", "met" and "hat" are words
_LOCALES = (*LANGUAGES, "en_GB", "en_IN", "en_ZA", "en_SG", "en_AU", "en_NZ")  # each knows the zones near it


def find_time_zone_end(text: str, start: int, lexicon: Lexicon) -> int | None:
    """Return the end of the words at `start` that name a time zone, or None."""
    tokens = [*islice(TOKEN.finditer(text, start), MAX_PHRASE_TOKENS)]
    for index, token in enumerate(tokens):
        if not index and (offset := _OFFSET.match(text, token.start())):
            return offset.end()
        if not index and _is_abbreviation(token[0], lexicon.language):
            return token.end()
        if not index and HAN.search(token[0]) and (found := lexicon.word["zone"].search(token[0], 1)):
            return token.start() + found.end() if is_place_word(token[0][: found.start()]) else None
        if lexicon.word["zone"].fullmatch(token[0]):
            if index:  # "New York time"
                names = [name[0] for name in tokens[:index]]
                is_named = all(not name.islower() or is_place_word(name) for name in names)
                # German nouns are capitalised too: "Oma Zeit schenken".
                is_named &= lexicon.language != "de" or names[-1].endswith("er") or is_place_word(names[-1])
                return token.end() if is_named else None
            place = next((name for name in tokens[1:] if not lexicon.word["of"].fullmatch(name[0])), None)
            if place is None or lexicon.language == ENGLISH:
                return None
            is_cased = place[0].lower() != place[0].upper()
            return None if is_cased and not is_place_word(place[0]) else place.end()
    return None


def parse_zone(phrase: str, lexicon: Lexicon) -> ZoneInfo | None:
    """Return the zone named by a phrase from find_time_zone_end(): UTC, an offset or a city's zone. Else return None.

    Abbreviations are not parsed. Some have several meanings, and people write "EST" even in summer.
    """
    if _OFFSET.fullmatch(phrase):
        zone = find_zone(phrase)
    else:
        name = [
            token for token in lexicon.word["zone"].sub(" ", phrase).split() if not lexicon.word["of"].fullmatch(token)
        ]
        zone = _load_time_zone_names()[2].get(normalise_word(" ".join(name)))
    return None if zone is None else ZoneInfo(zone or "UTC")


def find_possible_zone_or_day(text: str, lexicon: Lexicon, local: datetime, *, is_exact: bool, is_dated: bool) -> str:
    """Return the part of a reminder's text that may name a different zone or day for its time `local`, or "".

    After an exact time, any place counts, as in "9am London call Ann", unless the local time there is the same. If the
    reminder has no date, holidays count too, as does any name after a preposition, as in "at 9 on Purim".
    """
    tokens = [*TOKEN.finditer(text)]
    for token in reversed(tokens):
        is_led = lexicon.word["zone"].fullmatch(token[0])  # "прогулка по Москве"
        if not is_led and (end := find_time_zone_end(text, token.start(), lexicon)):  # "call Ann PST"
            return text[token.start() : end]
    for apart in _APART.finditer(text):
        if is_place_word(apart[1]):
            return apart[1]
    if not is_dated and (day := _find_holiday(text, lexicon)):
        return day
    lead = lexicon.word["before-day"].match(text)
    near = [token[0].strip(":") for token in tokens if lead is None or token.end() > lead.end()]
    if not near or normalise_word(near[0]) in EVERY_FUNCTION_WORD:
        return ""
    for name in (" ".join(near[:count]) for count in (3, 2, 1)):
        zone = _load_time_zone_names()[2].get(normalise_word(name))
        if zone and (lead or is_exact) and local.astimezone(ZoneInfo(zone)).utcoffset() != local.utcoffset():
            return name
    # In German every noun is capitalised. Only in English do few other texts begin with a preposition and a small
    # letter: "на работу", "no médico".
    is_common = lexicon.language == "de" or (lexicon.language != ENGLISH and not near[0][0].isupper())
    return "" if lead is None or is_dated or is_common else text[: text.index(near[0]) + len(near[0])]


def _find_holiday(text: str, lexicon: Lexicon) -> str:
    """Return a holiday that may be the day of the reminder, with words before it such as "on", or "" if none."""
    for found in compile_holidays().finditer(plain := text.translate(PLAIN)):
        before = plain[: found.start()].split()
        leading = list[str]()
        while before and (
            before[-1].casefold() in EVERY_FUNCTION_WORD or lexicon.word["before-day"].fullmatch(before[-1])
        ):
            leading.insert(0, before.pop())
        is_led = any(lexicon.word["on-day" if before else "before-day"].fullmatch(word) for word in leading)
        is_last = lexicon.language == ENGLISH and not leading and not plain[found.end() :].strip(" .!")
        is_named = not found["own"]  # "a cake for my birthday" and "a birthday cake" are ordinary texts
        if (is_led and (is_named or not before)) or (is_named and (is_last or not before)):
            return text[plain.rindex(leading[0], 0, found.start()) if leading else found.start() : found.end()]
    return ""


def is_place_word(token: str) -> bool:
    """Return True if a word may be part of the name of a city, country or time zone."""
    word = normalise_word(token)
    return any(word[:length] in _load_time_zone_names()[0] for length in range(1, MAX_STEM_CHARS + 1))


def _is_abbreviation(token: str, language: str) -> bool:
    is_small = _SMALL_ABBREVIATION.fullmatch(token) and (language == ENGLISH or token not in EVERY_FUNCTION_WORD)
    return (token.isupper() or bool(is_small)) and token.upper() in _load_time_zone_names()[1]


@cache
def _load_time_zone_names() -> tuple[frozenset[str], frozenset[str], Mapping[str, str]]:
    """Return the stems of words in place and zone names, the zone abbreviations, and the zone of each city."""
    # The English data leave out the cities that are named as in the tz database.
    known, named = available_timezones(), Locale(ENGLISH).time_zones
    listed = [str(zone) for zone in Locale("ru").time_zones if zone in known and "city" not in named.get(zone, {})]
    cities = {normalise_word(zone.rpartition("/")[2].replace("_", " ")): zone for zone in listed}
    short = [
        f"{datetime(2026, month, 1, tzinfo=ZoneInfo(zone)):%Z}" for zone in available_timezones() for month in (1, 7)
    ]
    names = list[str]()
    for locale in map(Locale.parse, _LOCALES):
        names += locale.territories.values()
        told = {zone: data["city"] for zone, data in locale.time_zones.items() if zone in known and "city" in data}
        cities |= {normalise_word(city): zone for zone, city in told.items()}
        for zone in (*locale.meta_zones.values(), *locale.time_zones.values()):
            names += zone.get("long", {}).values()
            short += zone.get("short", {}).values()
    cities |= {normalise_word(city): zone for city, zone in SPOKEN["cities"].items()}
    names += cities
    words = {word for name in names for word in normalise_word(name).split() if len(word) >= MIN_STEM_CHARS}
    stems = {word[: max(MIN_STEM_CHARS, min(len(word) - MAX_ENDING_CHARS, MAX_STEM_CHARS))] for word in words}
    stems |= {"北京", *(name.removesuffix("时间") for name in names if HAN.search(name))}  # written without spaces
    for meeting in ("reunion", "reuniao"):  # the island has the same name
        cities.pop(meeting, None)
    return frozenset(stems), frozenset(filter(str.isupper, short)), cities

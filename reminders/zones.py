"""Recognises time zones that follow a clock time: "9:00 New York time", "a las 9 hora de Madrid", "9am pst"."""

import re
from datetime import datetime
from functools import cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES
from reminders.lexicon import HAN, Lexicon, normalise_word
from text.stopwords import EVERY_FUNCTION_WORD

MAX_PHRASE_TOKENS = 4  # "Central European Summer time"
STEM_CHARS = range(4, 7)  # of a word in the name of a place, as inflected: "по Москве", "deutscher Zeit"
MAX_ENDING_CHARS = 2
TOKEN = re.compile(r"[^\s,;!?\"“”„«»()]+")
_OFFSET = re.compile(r"(?:UTC|GMT)(?!\w)|[A-Z]\w{1,30}/[A-Z]\w+", re.IGNORECASE)
_SMALL_ABBREVIATION = re.compile(r"[^aeiou]{3,}|a[cekw][ds]t|[ei][ds]t|[ce]es?t")  # "eat", "met" and "hat" are words
_LOCALES = (*LANGUAGES, "en_GB", "en_IN", "en_ZA", "en_SG", "en_AU", "en_NZ")  # each knows the zones near it


def find_zone_end(text: str, start: int, words: Lexicon) -> int | None:
    """Return the end of the words at `start` that name a time zone, or None."""
    tokens = [*islice(TOKEN.finditer(text, start), MAX_PHRASE_TOKENS)]
    for index, token in enumerate(tokens):
        if not index and (_OFFSET.match(token[0]) or _is_abbreviation(token[0], words.language)):
            return token.end()
        if not index and HAN.search(token[0]) and (found := words.word["zone"].search(token[0], 1)):
            return token.start() + found.end()
        if words.word["zone"].fullmatch(token[0]):
            if index:  # "New York time"
                names = (name[0] for name in tokens[:index])
                return token.end() if all(not name.islower() or is_place_word(name) for name in names) else None
            place = next((name for name in tokens[1:] if not words.word["of"].fullmatch(name[0])), None)
            if place is None or words.language == ENGLISH:
                return None
            is_cased = place[0].lower() != place[0].upper()
            return None if is_cased and not is_place_word(place[0]) else place.end()
    return None


def is_place_word(token: str) -> bool:
    """Return True for a word in the name of a city, country or time zone."""
    word = normalise_word(token)
    return any(word[:length] in _read_zone_names()[0] for length in STEM_CHARS)


def _is_abbreviation(token: str, language: str) -> bool:
    is_small = _SMALL_ABBREVIATION.fullmatch(token) and (language == ENGLISH or token not in EVERY_FUNCTION_WORD)
    return (token.isupper() or bool(is_small)) and token.upper() in _read_zone_names()[1]


@cache
def _read_zone_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of words in the names of places and zones, and the abbreviations of zones."""
    names = [name.rpartition("/")[2].replace("_", " ") for name in available_timezones()]
    short = [
        str(datetime(2026, month, 1, tzinfo=ZoneInfo(name)).tzname())
        for name in available_timezones()
        for month in (1, 7)
    ]
    for locale in map(Locale.parse, _LOCALES):
        names += locale.territories.values()
        for zone in (*locale.meta_zones.values(), *locale.time_zones.values()):
            names += [zone.get("city", ""), *zone.get("long", {}).values()]
            short += zone.get("short", {}).values()
    words = {word for name in names for word in normalise_word(name).split() if len(word) >= STEM_CHARS[0]}
    stems = {word[: max(STEM_CHARS[0], min(len(word) - MAX_ENDING_CHARS, STEM_CHARS[-1]))] for word in words}
    return frozenset(stems), frozenset(name for name in short if name.isupper())

"""Recognises time zones next to a time: "9:00 New York time", "a las 9 hora de Madrid", "9am pst", "9Z"."""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES
from reminders.lexicon import HAN, PLAIN, READ_LANGUAGES, SPOKEN, TOKEN, Lexicon, fold_letters, load_lexicon
from text.stopwords import EVERY_FUNCTION_WORD

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
    rf"{{zone}}\s(?:{{of}} )*(?P<place>{TOKEN.pattern})|(?P<han>{HAN.pattern}+?){{zone}}"
    rf"|(?P<names>(?:{TOKEN.pattern}[\s,;]+){{1,3}}?){{zone}}(?!\w)"
)
_HOLIDAY = rf"(?:(?<!\w)|(?<={HAN.pattern}))(?:{{holiday}}|(?P<own>{{own-day}}))"
_FIRST_NAMES = rf"(?P<lead>{{before-day}} )?(?P<names>{TOKEN.pattern}(?:[\s,;]+{TOKEN.pattern}){{,2}})"


def find_span_of_time_zone(text: str, start: int, lexicon: Lexicon) -> tuple[int, int] | None:
    """Return the span of the name of a time zone at `start`, or None if there is no such name."""
    if (first := TOKEN.search(text, start)) is None:
        return None
    if offset := _OFFSET.match(text, first.start()):
        return offset.span()
    name, is_english = first[0], lexicon.language == ENGLISH
    is_small = _SMALL_ABBREVIATION.fullmatch(name) and (is_english or name not in EVERY_FUNCTION_WORD)
    if (name.isupper() or is_small) and name.upper() in _load_stems_abbreviations_and_cities()[1]:
        return first.span()
    if (found := lexicon.match(_NAMED_ZONE, text, first.start())) is None:
        return None
    words = (found["place"] or found["han"] or found["names"]).split()
    is_place = is_place_word(words[-1])
    if found["names"]:
        is_place |= lexicon.language != "de" or words[-1].endswith("er")  # Nouns are capitalised: "Oma Zeit schenken"
        is_place &= all(not word.islower() or is_place_word(word) for word in words)
        is_place &= not lexicon.get_meaning("at", text[found.end("names") : found.end()])  # "Ане по пн"
    elif found["place"]:
        is_place = lexicon.language != ENGLISH and (is_place or words[0].lower() == words[0].upper())
    return found.span() if is_place else None


def find_possible_zone_or_day(text: str, lexicon: Lexicon, *, has_exact_time: bool, has_date: bool) -> str:
    """Return the words of a reminder's text that may name its time zone or day, or "" if there are none.

    A place after an exact time counts, as in "9am London call Ann". If the reminder has no date, holidays count too,
    and so does any name after a preposition, as in "at 9 on Purim".
    """
    if not has_date and (day := _find_holiday(text)):
        return day
    found = lexicon.match(_FIRST_NAMES, text.lstrip("(（"))
    words = found["names"].replace(":", "").split() if found else []
    if not found or fold_letters(words[0]) in EVERY_FUNCTION_WORD:
        return ""
    for name in (" ".join(words[:count]) for count in (3, 2, 1)):
        if fold_letters(name) in _load_stems_abbreviations_and_cities()[2] and (found["lead"] or has_exact_time):
            return name
    # In German every noun is capitalised. Only in English do few other texts begin with a preposition and a small
    # letter: "на работу", "no médico".
    is_common = lexicon.language == "de" or (lexicon.language != ENGLISH and not words[0][0].isupper())
    return "" if has_date or is_common or not found["lead"] else text[: found.start("names") + len(words[0])]


def find_holidays(text: str) -> Iterator[tuple[Lexicon, re.Match[str]]]:
    """Yield the holidays that a text names in any language. The group `own` matches personal days such as birthdays."""
    for lexicon in map(load_lexicon, READ_LANGUAGES):
        for found in lexicon.compile(_HOLIDAY).finditer(text):
            yield lexicon, found


def _find_holiday(text: str) -> str:
    """Return a holiday that may be the reminder's day, with any preposition before it. Return "" if there is none."""
    for lexicon, found in find_holidays(plain := text.translate(PLAIN)):
        before = TOKEN.findall(plain[: found.start()])
        small = [word.casefold() in EVERY_FUNCTION_WORD or lexicon.get_meaning("before-day", word) for word in before]
        leading = before[max((at for at, is_small in enumerate(small, 1) if not is_small), default=0) :]  # "during the"
        named = len(leading) < len(before)
        is_led = any(lexicon.get_meaning("on-day" if named else "before-day", word) for word in leading)
        behind = plain[found.end() :].strip(" .!").partition(" ")[0]  # "call Mum Christmas about the cake"
        is_last = lexicon.language in (ENGLISH, "zh") and not leading and (not behind or behind in EVERY_FUNCTION_WORD)
        is_own = found["own"] is not None  # "a cake for my birthday" and "a birthday cake" are ordinary texts
        if (not named and (is_led or not is_own)) or (not is_own and (is_led or is_last)):
            return text[plain.rindex(leading[0], 0, found.start()) if leading else found.start() : found.end()]
    return ""


def is_place_word(token: str) -> bool:
    """Return True if a word may be part of the name of a city, country or time zone."""
    word = fold_letters(token)
    return any(word[:length] in _load_stems_abbreviations_and_cities()[0] for length in range(1, MAX_STEM_CHARS + 1))


@cache
def _load_stems_abbreviations_and_cities() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the stems of words in place and zone names, the zone abbreviations, and the cities."""
    known, cities, names = available_timezones(), [*SPOKEN["cities"]], list[str]()
    short = [f"{datetime(2026, month, 1, tzinfo=ZoneInfo(zone)):%Z}" for zone in known for month in (1, 7)]
    # The locale data leave out the cities that are named as in the tz database.
    english = Locale(ENGLISH).time_zones
    listed = [str(zone) for zone in Locale("ru").time_zones if zone in known and "city" not in english.get(zone, {})]
    cities += [zone.rpartition("/")[2].replace("_", " ") for zone in listed]
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
    meetings = {"reunion", "reuniao"}  # the island has the same name
    return frozenset(stems), frozenset(filter(str.isupper, short)), frozenset(map(fold_letters, cities)) - meetings

"""Words for dates and times in the bot's seven languages, for folded text: lower case, without diacritics."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date

from text.stopwords import WORD_LISTS

_LISTS = WORD_LISTS["dates"]
# Month names as prefixes of folded words, January first, by language; a case ending of up to four letters may follow.
MONTHS = tuple(_LISTS["months"])
ENGLISH_MONTHS = tuple(MONTHS[0].split())  # strftime's names would follow the machine's locale
# "May", "march" and the like are also other words: they count only next to a number or "last", "this", "next".
AMBIGUOUS_MONTHS = "may march marco ma mai mart"
RUSSIAN_MAY = frozenset({"маи", "мая", "мае", "маю", "маем"})  # й without its sign is и

# Weekdays, Monday first. Plurals ("on Mondays") are habits and name no day.
WEEKDAYS = tuple(_LISTS["weekdays"])
EASTERN_WEEKDAYS = tuple(rf"(?:周|週|星期|[礼禮]拜){day}" for day in ("一", "二", "三", "四", "五", "六", "[日天]"))

# Words that may mean the one before the latest ("last Tuesday"), and words for one to come or for many.
LAST_BEFORE = r"last|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?|прошл\w+"
EASTERN_LAST = r"上[个個]?"
LAST_AFTER = r"pasad[oa]|passad[oa]|الماضي\w*"
NEXT_BEFORE = r"next|every|nachste[nrms]?|kommende[nrms]?|jede[nrms]?|proxim[oa]|cada|следующ\w+|кажд\w+"
EASTERN_NEXT = r"下[个個]?|每[个個]?"
NEXT_AFTER = r"que viene|proxim[oa]|القادم\w*"

# Relative expressions: unit, how many units back the range starts, words, and words of scripts without spaces.
RELATIVE: list[tuple[str, int, str, str]] = [tuple(row) for row in _LISTS["relative"]]
NUMBERS = {word: number for number, words in enumerate(_LISTS["numbers"], 1) for word in words.split()}
DUALS = {"يومين": "day", "اسبوعين": "week", "شهرين": "month", "سنتين": "year", "عامين": "year"}
UNITS: dict[str, str] = _LISTS["units"]
EASTERN_UNITS = {"day": r"天|日", "week": r"周|週|[个個]?(?:星期|[礼禮]拜)", "month": r"[个個]月", "year": r"年"}
AGO_AFTER = r"ago|назад|atras|before now"
AGO_BEFORE = r"vor|hace|ha|قبل|منذ"
ALONE_AFTER = r"назад"  # before this, and after the Arabic words of AGO_BEFORE, a unit alone means one of it

ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def find_iso_dates(text: str) -> Iterator[date]:
    """Yield the dates in a text that are written like 2026-05-03."""
    for written in ISO_DATE.findall(text):
        with suppress(ValueError):
            yield date.fromisoformat(written)

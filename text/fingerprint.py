"""Pure functions for the numbers, dates, names, negations and hedges that distinguish two sentences."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from text.analyzer import fold_accents, list_search_terms, normalize_text, remove_optional_diacritics, stem_word
from text.word_lists import WORD_LISTS

# A missed difference merges two facts wrongly. Therefore a doubtful case counts as a difference.
_LISTS = WORD_LISTS["fingerprints"]
CACHED = 2_000  # texts whose fingerprints are cached; some are whole messages, so the cache is small

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
NUMBER_WORDS: dict[str, int] = {
    word: value for words in _LISTS["numbers"] for value, word in enumerate(words.split()) if word != "-"
}
_LOCALES = ("en", "de", "es", "pt", "ru", "ar")  # in Chinese, months and days are numbers


@cache
def _map_calendar_names_to_keys() -> Mapping[str, str]:
    """Map the names of months and weekdays to keys such as "month5" (May) and "day1" (Monday)."""
    from babel.dates import get_day_names, get_month_names  # imported late: starting the bot needs no calendar

    found = dict[str, str]()
    for locale in _LOCALES:
        for context in ("format", "stand-alone"):
            months, days = get_month_names("wide", context, locale), get_day_names("wide", context, locale)
            found |= {
                _strip_plural_or_case_ending(normalize_text(name)): f"month{number}" for number, name in months.items()
            }
            found |= {
                _strip_plural_or_case_ending(normalize_text(name)): f"day{number + 1}" for number, name in days.items()
            }
    return found


def _strip_plural_or_case_ending(word: str) -> str:
    """Remove a plural or case ending, as in "Mondays", "montags" or "среду"."""
    return stem_word(word, "russian") if "а" <= word[:1] <= "ё" else word.removesuffix("s")


_ALSO_OTHER_WORDS = frozenset({"may", "march", "mai", "мая", "марта"})  # "may move" is doubt, and no month
_NEGATION = frozenset(_LISTS["negation"].split())
_NEGATED_AUXILIARY = ("n't", "n’t")
_HAN_NEGATION = ("不", "没", "沒", "无", "無", "未", "别", "ない", "ません", "않", "없", "안 ")
# "I moved to Porto" shares no word with "lives in Lisbon". With all facts shown instead, dialogues got wrong merges.
_NOT_AS_IT_WAS = re.compile("|".join(_LISTS["changes"]))
_UNMARKED_QUESTION = re.compile(_LISTS["questions"])
_HEDGING_PHRASES = re.compile("|".join(_LISTS["hedging_phrases"]))
_HEDGES = frozenset(_LISTS["hedges"].split())
_NO_NAMES = frozenset(_LISTS["no_names"].split())
_DROPPED = frozenset(_LISTS["dropped"].split())
_IGNORED = _NEGATION | _DROPPED | frozenset(_LISTS["fillers"].split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Fingerprint:
    """The parts of a sentence that distinguish it from similar ones: numbers, dates, names, doubt and negation."""

    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    names: tuple[str, ...]
    hedges: frozenset[str]  # words of doubt, like "maybe"
    polarity: bool  # True if the sentence is negated


@lru_cache(maxsize=CACHED)
def make_fingerprint(text: str) -> Fingerprint:
    numbers: list[str] = []
    dates: list[str] = []
    names: list[str] = []
    plain_text = remove_optional_diacritics(text)
    hedges = set(_HEDGING_PHRASES.findall(plain_text.casefold()))
    negated = any(mark in text for mark in _HAN_NEGATION)
    for match in _WORD.finditer(plain_text):
        word = match.group()
        plain = normalize_text(word)
        bare = plain.split("'")[0] if len(plain.split("'")[0]) > 1 else plain
        if word[0].isdigit():
            continue
        if plain in _NEGATION or bare in _NEGATION or plain.endswith(_NEGATED_AUXILIARY):
            negated = True
        elif bare in NUMBER_WORDS and not word[0].isupper():
            numbers.append(str(NUMBER_WORDS[bare]))
        elif (named := _map_calendar_names_to_keys().get(_strip_plural_or_case_ending(bare))) and (
            word[0].isupper() or bare not in _ALSO_OTHER_WORDS
        ):
            dates.append(named)
        elif bare in _HEDGES:
            hedges.add(bare)
        elif word[0].isupper() and bare.split("'")[0] not in _NO_NAMES:
            # Without the case ending.
            names.append(
                stem_word(bare, "russian") if "а" <= bare[:1] <= "ё" else fold_accents(bare.removesuffix("'s"))
            )
    for match in NUMBER.finditer(normalize_text(text)):
        number = remove_thousands_separators(match.group())
        numbers.append(number.lstrip("0") or "0" if number.isdigit() else number.replace(",", "."))
    return Fingerprint(
        numbers=tuple(numbers), dates=tuple(dates), names=tuple(names), hedges=frozenset(hedges), polarity=negated
    )


def is_negated(text: str) -> bool:
    return make_fingerprint(re.sub(r"\bno (?=[A-Z])", "", text)).polarity  # "Moro no Porto"


@lru_cache(maxsize=CACHED)
def list_essential_words(text: str) -> tuple[str, ...]:
    """Return a sentence's words without articles, copulas and fillers, in order to compare statements."""
    found = []
    for word in _WORD.findall(normalize_text(text)):
        bare = word.removesuffix("'s") if len(word) > 3 else word
        if bare not in _DROPPED:
            found.append(fold_accents(str(NUMBER_WORDS.get(bare, bare))))
    return tuple(found)


@lru_cache(maxsize=CACHED)
def find_topics(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, without negations and fillers."""
    words = [
        str(NUMBER_WORDS.get(word, word))
        for word in _WORD.findall(normalize_text(text))
        if word not in _IGNORED and not word.endswith(_NEGATED_AUXILIARY)
    ]
    return frozenset(term[:7] for term in list_search_terms(" ".join(words)))


def parse_number_word_or_month(word: str) -> int | None:
    plain = normalize_text(word)
    if plain in NUMBER_WORDS:
        return NUMBER_WORDS[plain]
    named = _map_calendar_names_to_keys().get(_strip_plural_or_case_ending(plain), "")
    return int(named.removeprefix("month")) if named.startswith("month") else _map_short_month_names().get(plain)


@cache
def _map_short_month_names() -> Mapping[str, int]:
    from babel.dates import get_month_names

    names = get_month_names("abbreviated", locale="en")
    return {name.casefold(): number for number, name in names.items()} | {"sept": 9}


def describes_change(message: str) -> bool:
    return _NOT_AS_IT_WAS.search(normalize_text(message)) is not None


def is_unmarked_question(clause: str) -> bool:
    """Return True if a particle makes a clause a question, even without a question mark."""
    return _UNMARKED_QUESTION.search(normalize_text(clause)) is not None


def remove_thousands_separators(number: str) -> str:
    """Remove thousands separators: "1,500" and "1.500" become "1500"."""
    return number.replace(",", "").replace(".", "") if _GROUPED.fullmatch(number) else number

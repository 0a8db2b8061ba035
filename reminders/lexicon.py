"""Patterns for the time words of each language, from babel's locale data and reminders.ftl."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES, list_words
from records.reminders import Repeat
from text.analyzer import fold_term, normalise_text
from text.date_words import AMBIGUOUS_MONTHS, NUMBERS, WEEKDAYS

SPOKEN: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("spoken_times.toml").read_text(encoding="utf-8"))
# What "every" with each of the units of "in N units" means.
UNITS: dict[str, Repeat] = {"minute": "", "hour": "", "day": "daily", "week": "weekly", "month": "monthly", "year": ""}
MIN_PART_CHARS = 3  # A part of the day in fewer letters, as "веч", may be another word
HAN = re.compile("[\u2e80-\u9fff]")  # characters of a script without spaces
_TIME_SHAPES = re.compile(r"\d{1,2}:\d\d|\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4}|\.)|\d{1,2}(?:am|pm|h)\b", re.IGNORECASE)
_HAN_CLOCK = re.compile(r"\d[点點]")
_NAME_WITH_DIGIT = re.compile(r"\d[A-Z]{1,2}")  # "3D", "4K", "2FA"
PLAIN = {
    **str.maketrans("áéíóúãçàâêôёÁÉÍÓÚÃÇÀÂÊÔЁ’", "aeiouacaaeoеAEIOUACAAEOЕ'"),
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
}  # letters without accents, and Latin letters, digits and signs of the usual width
_BEFORE_HAN_NUMBER: str = SPOKEN["zh"]["before_number"]
_HAN_TIME = re.compile(SPOKEN["zh"]["left_over"])
_NUMBER_MARK = re.compile(r"#|[+-]\d+")
_FORMS = ("format", "stand-alone")
_WIDTHS = ("wide", "abbreviated")


def normalise_word(word: str) -> str:
    """Return a word in lower case, without the dots, Latin accents and dieresis of ё that people often omit."""
    return word.casefold().replace("\u00a0", " ").strip(" .").translate(PLAIN)


def _list_strings(data: Any) -> list[str]:
    return [text for part in data.values() for text in _list_strings(part)] if hasattr(data, "values") else [str(data)]


def _join_alternatives(words: Iterable[str], *, ending: str = "") -> str:
    found = sorted({normalise_word(word) for word in words} - {""}, key=lambda word: (-len(word), word))
    written = "|".join(re.escape(word).replace(r"\ ", r"\s+").replace("\u064b", "\u064b?") for word in found)
    # Compiling so wide a range without regard to case takes ten milliseconds, and there are hundreds of patterns.
    return rf"(?:{written or '(?!)'}){ending}\u064b?\.?(?:(?<=(?-i:{HAN.pattern}))|(?!\w))"


def _list_day_forms(name: str) -> list[str]:
    word = normalise_word(name)
    accusative = [f"{word[:-1]}у"] if word.endswith("а") else []
    return [word, word.removeprefix("ال"), word.replace("日", "天"), *accusative]


def _list_unit_words(locale: Locale, unit: str, width: Literal["long", "short"]) -> set[str]:
    of_unit, field = locale._data["unit_patterns"][f"duration-{unit}"], locale._data["date_fields"].get(unit, {})
    forms = [text for name, text in of_unit.get(width, {}).items() if name != "per"]
    behind = [text.partition("{0}")[2].split() for text in (*forms, *_list_strings(field))]
    return {words[0] for words in behind if words and len(words[0]) > 1}


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Patterns for the time words of one language."""

    language: str
    word: Mapping[str, re.Pattern[str]]
    months: Sequence[tuple[int, re.Pattern[str]]]
    weekdays: Sequence[tuple[int, re.Pattern[str]]]
    short_weekdays: Sequence[tuple[int, re.Pattern[str]]]
    units: Mapping[str, re.Pattern[str]]
    marks: re.Pattern[str]
    periods: Sequence[tuple[str, re.Pattern[str]]]
    ranges: Mapping[str, tuple[int, int]]
    day_first: bool

    def match_name(self, names: Sequence[tuple[int, re.Pattern[str]]], text: str, start: int) -> tuple[int, int] | None:
        """Return the number of the month or weekday named at `start` and the position after it, or None."""
        found = [(match.end(), number) for number, name in names if (match := name.match(text, start))]
        return (max(found)[1], max(found)[0]) if found else None


@cache
def load_lexicon(language: str) -> Lexicon:
    """Compile the lexicon of a language from locale data and reminders.ftl."""

    def compile_pattern(words: Iterable[str], ending: str = "") -> re.Pattern[str]:
        return re.compile(_join_alternatives(words, ending=ending), re.IGNORECASE)

    locale = Locale(language)
    units = {}
    for unit in UNITS:
        listed = list_words(f"reminders-{unit}-words", [language]) if unit in ("minute", "hour", "day") else frozenset()
        known = _list_unit_words(locale, unit, "long") | _list_unit_words(locale, unit, "short")
        written = _join_alternatives(known | listed).replace(r"(?!\w)", r"(?![^\W\d])")  # "1h30m"
        units[unit] = re.compile(written, re.IGNORECASE)
    names = (
        *("in", "today", "tomorrow", "after-tomorrow", "every", "at", "on", "half"),
        *("joining", "next", "number", "unread", "until", "zone", "tonight", "before-day"),
    )
    word = {name: compile_pattern(list_words(f"reminders-{name}-words", [language])) for name in names}
    for name in ("at", "on"):
        word[name] = re.compile(rf"{word[name].pattern}(?=\s)", re.IGNORECASE)
    word["on-day"] = compile_pattern(SPOKEN[language]["on"])
    joined = [locale.list_patterns[kind]["2"] for kind in ("standard", "or")]
    word["and"] = compile_pattern([form.replace("{0}", "").replace("{1}", "") for form in joined])
    word["of"] = compile_pattern(["de", "del", "of", "the", "г", "года", "год"])
    periods = [locale.day_periods[form].get(width, {}) for form in _FORMS for width in _WIDTHS]
    told = [(name, text) for form in periods for name, text in form.items()]
    told += [("am", "a.m"), ("pm", "p.m"), ("pm", "pm"), ("am", "am"), ("morning1", "früh"), ("afternoon1", "днем")]
    told = [(name, text) for name, text in told if text != "день" and not word["on"].match(f"{text} ")]  # "am Freitag"
    parts = [
        text for name, text in told if name not in ("am", "pm") and (len(text) > MIN_PART_CHARS or HAN.search(text))
    ]
    rules = {name: spans[0] for name, spans in locale.day_period_rules.get(None, {}).items() if "from" in spans[0]}
    months = {
        number: [locale.months[form][width][number] for form in _FORMS for width in _WIDTHS] for number in range(1, 13)
    }
    days = locale.days["format"]
    wide = {number: _list_day_forms(name) for number, name in days["wide"].items()}
    cut = {number: name.partition("-")[0] for number, name in days["wide"].items()}  # "segunda" is also "second"
    short = {number: [days["abbreviated"][number], days["short"][number], cut[number]] for number in range(7)}
    named = [name for form in _FORMS for name in _list_strings(locale.months[form]["wide"])]
    named += [word for unit in UNITS for word in _list_unit_words(locale, unit, "long")]
    forms = [form for number in range(7) for form in (*wide[number], cut[number])]
    marks = (
        _join_alternatives(named),
        _join_alternatives(parts, ending=r"\w{0,2}"),  # "вечером"
        _join_alternatives(forms, ending=r"\w{0,6}"),  # "Freitagabend"
    )
    return Lexicon(
        language=language,
        word=word,
        months=[(number, compile_pattern(forms)) for number, forms in months.items()],
        weekdays=[(number, compile_pattern(forms)) for number, forms in wide.items()],
        short_weekdays=[(number, compile_pattern(forms)) for number, forms in short.items()],
        units=units,
        marks=re.compile("|".join(marks), re.IGNORECASE),
        periods=[(name, compile_pattern([text], ending="(?:ом|м|ю)?")) for name, text in told if len(text) > 1],
        ranges={"am": (0, 720), "midnight": (0, 720), "tonight": (1080, 360)}
        | {name: (span["from"] // 60, span["before"] // 60) for name, span in rules.items()},
        day_first=language == ENGLISH or locale.date_formats["short"].pattern.startswith("d"),
    )


def write_in_digits(text: str, language: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Write spoken times in digits, as in "at 8:30" for "at half past eight", using spoken_times.toml.

    Return the new text and, for each of its characters, the start and end of the original words in `text`.
    """
    pattern, numbers, written = _compile_spoken(language)
    parts, places, done = list[str](), list[tuple[int, int]](), 0
    for match in pattern.finditer(text):
        word = normalise_word(next(filter(None, match.groups()[(match.lastindex or 0) :]), ""))
        number = int(word) if word.isdigit() else numbers.get(word, 0)

        def write_number(sign: re.Match[str], number: int = number) -> str:
            offset = int(sign[0].replace("#", "0"))
            minutes = (24 if number == 0 > offset else number) * 60 + offset  # 0:30 of "halb eins" is 12:30
            return str(number) if sign[0] == "#" else f"{minutes // 60 or 12 * number}:{minutes % 60:02d}"

        new = _NUMBER_MARK.sub(write_number, written[match.lastgroup or ""]).translate(PLAIN)
        parts += text[done : match.start()], new
        places += [(at, at + 1) for at in range(done, match.start())] + [match.span()] * len(new)
        done = match.end()
    return "".join([*parts, text[done:]]), [*places, *((at, at + 1) for at in range(done, len(text)))]


@cache
def _compile_spoken(language: str) -> tuple[re.Pattern[str], Mapping[str, int], Mapping[str, str]]:
    """Return a pattern for all spoken times, the numbers by name, and the written form for each pattern group."""
    told = SPOKEN[language]
    numbers = {normalise_word(name): at for at, names in enumerate(told["hours"], 1) for name in names.split("/")}
    before = _BEFORE_HAN_NUMBER if language == "zh" else r"(?<!\w)"
    named = f"{before}(?:{'|'.join(sorted(map(re.escape, numbers), key=len, reverse=True))})"
    patterns, written = list[str](), dict[str, str]()
    for form in sorted(told["spoken"], key=len, reverse=True):
        pattern = re.escape(normalise_word(form)).replace(r"\ ", r"\s+").replace(r"\^", "^").replace("ss", "(?:ss|ß)")
        pattern = pattern.replace(r"\#", rf"((?<!\d)\d{{1,3}}|{named})").replace("@", f"({named})")
        pattern = pattern if HAN.search(form) else rf"(?<!\w){pattern}(?!\w)"
        patterns.append(f"(?P<form{len(patterns)}>{pattern})")
        written[f"form{len(written)}"] = told["spoken"][form]
    return re.compile("|".join(patterns), re.IGNORECASE), numbers, written


@cache
def compile_holidays() -> re.Pattern[str]:
    """Return a pattern for holidays in all languages. Its group `own` matches personal days such as birthdays."""
    listed = ([day for language in LANGUAGES for day in SPOKEN[language][kind]] for kind in ("holidays", "own_days"))
    named, own = (_join_alternatives(days).replace(r"\*", r"\w*") for days in listed)
    return re.compile(rf"(?:(?<!\w)|(?<={HAN.pattern}))(?:{named}|(?P<own>{own}))", re.IGNORECASE)


@cache
def list_time_word_patterns() -> Sequence[re.Pattern[str]]:
    """Return patterns for months, weekdays, units and parts of the day in all languages."""
    lexicons = [load_lexicon(language) for language in LANGUAGES]
    near = [lexicon.word[name] for lexicon in lexicons for name in ("today", "tomorrow", "tonight", "unread")]
    # "до пятницы"
    return [re.compile("|".join(WEEKDAYS), re.IGNORECASE), *(lexicon.marks for lexicon in lexicons), *near]


def parse_number(token: str) -> int | None:
    return NUMBERS.get(fold_term(normalise_text(token)).strip("."))


def is_time_word(tokens: Sequence[re.Match[str]], index: int, *, is_timed: bool) -> bool:
    """Return True if a token expresses a time. With `is_timed`, a plain number does not count."""
    token = tokens[index][0].translate(PLAIN).strip(".:'@~+-–—")
    word = normalise_word(token)
    is_han = HAN.search(word) is not None  # written without spaces
    names = list_time_word_patterns()
    is_shaped = _TIME_SHAPES.match(token) or _HAN_CLOCK.search(token)
    if is_shaped or any(name.search(word) if is_han else name.fullmatch(word) for name in names):
        neighbours = [*tokens[max(0, index - 1) : index], *tokens[index + 1 : index + 2]]
        return word not in AMBIGUOUS_MONTHS.split() or any(near[0][:1].isdigit() for near in neighbours)
    is_number = token[:1].isdigit() and not _NAME_WITH_DIGIT.fullmatch(token)
    is_number |= (parse_number(word) or 0) > 1
    is_number |= is_han and _HAN_TIME.search(word) is not None
    numbers = (load_lexicon(language).word["number"] for language in LANGUAGES)
    is_number |= any(name.fullmatch(word) is not None for name in numbers)
    return is_number and not is_timed

"""Time words by language, from babel's locale data, reminders.ftl and spoken_times.toml."""

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale

from locales.catalog import ENGLISH, LANGUAGES, list_words
from records.reminders import Repeat
from text.analyzer import fold_accents, normalize_text
from text.word_lists import AMBIGUOUS_MONTHS, NUMBERS

SPOKEN: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("spoken_times.toml").read_text(encoding="utf-8"))
READ_LANGUAGES = [language for language in SPOKEN if isinstance(SPOKEN[language], dict)]
# What "every" with each of the units of "in N units" means.
UNITS: dict[str, Repeat] = {"minute": "", "hour": "", "day": "daily", "week": "weekly", "month": "monthly", "year": ""}
MIN_PART_CHARS = 3  # a part of the day with fewer letters, such as "веч", may be another word
TOKEN = re.compile(r"[^\s,;!?\"“”„«»()（）]+")
HAN = re.compile("[\u2e80-\u9fff]")  # characters of a script without spaces
PLAIN = {
    **{code: ord(unicodedata.normalize("NFD", chr(code))[0]) for code in range(0xC0, 0x180)},
    **str.maketrans("ёЁأإآ’ʼ", "еЕااا''"),
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
}  # letters without accents, and Latin letters, digits and signs of the usual width
_TANWEEN = "\u064b"  # an Arabic vowel sign of adverbs, often left out
_MINUTES_MARK = re.compile(r"[+-]\d+")
_KIND = re.compile(r"\{([a-z-]+)\}")  # a placeholder for words in a pattern
# What may follow the words of some kinds: "1h30m", "вечером", "Freitagabend".
_WORD_END = r"(?!\w)"
_ENDS = {"unit": r"(?![^\W\d])", "plus": "(?:)", "on": r"(?=\s)", "at": r"(?=\s)"}
_ENDS |= {"part-root": r"\w{0,2}", "weekday-root": r"\w{0,6}"}
_FORMS = ("format", "stand-alone")


def fold_letters(word: str) -> str:
    """Return a word in lower case, without the dots, vowel signs and accents that people often omit."""
    return " ".join(word.casefold().split()).strip(" .").translate(PLAIN).replace(_TANWEEN, "")


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexicon:
    """The words for dates, times and repetitions in one language."""

    language: str
    words: Mapping[str, Mapping[str, str]]  # by kind, such as "month": each word with its meaning, such as "12"
    ranges: Mapping[str, tuple[int, int]]  # the minutes of the day between which a part of the day lies
    day_first: bool

    @cache  # noqa: B019 - there is one lexicon of each language
    def compile(self, pattern: str) -> re.Pattern[str]:
        """Compile a pattern. A placeholder such as {month} matches words of that kind, and a space matches any gap."""
        written = _KIND.sub(
            lambda kind: _make_word_pattern(self.words[kind[1]], _ENDS.get(kind[1], _WORD_END)), pattern
        )
        return re.compile(written.replace(" ", r"[\s,;]*"), re.IGNORECASE)

    def match(self, pattern: str, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compile(pattern).match(text, start)

    def get_meaning(self, kind: str, word: str | None) -> str:
        return self.words[kind].get(fold_letters(word or ""), "")


def _make_word_pattern(words: Iterable[str], boundary: str = _WORD_END) -> str:
    found = sorted({fold_letters(word) for word in words} - {""}, key=lambda word: (-len(word), word))
    written = "|".join(map(re.escape, found)).replace(r"\ ", r"\s+").replace(r"\*", r"\w*")
    written = written.replace("ا", f"{_TANWEEN}?ا")
    # Compiling so wide a range without regard to case takes ten milliseconds.
    return rf"(?:{written or '(?!)'}){_TANWEEN}?\.?(?:(?<=(?-i:{HAN.pattern}))|{boundary})"


@cache
def load_lexicon(language: str) -> Lexicon:
    """Collect the time words of a language from locale data, reminders.ftl and spoken_times.toml."""
    locale, words = Locale(language), defaultdict[str, dict[str, str]](dict)

    def add_words(kind: str, meaning: str, spellings: Iterable[str]) -> None:
        words[kind] = dict.fromkeys(map(fold_letters, spellings), meaning) | words[kind]

    def load_words(name: str) -> Iterable[str]:
        told: Mapping[str, Sequence[str]] = SPOKEN | SPOKEN[language] | SPOKEN[language].get("words", {})
        return told[name] if name in told else list_words(f"reminders-{name}-words", [language])

    for kind in SPOKEN["kinds"]:
        add_words(kind, kind, load_words(kind))
    for after, name in enumerate(("today", "tomorrow", "after-tomorrow", "in-three-days")):
        add_words("days", str(after), load_words(name))
    add_words("and", "and", [locale.list_patterns[kind]["2"].format("", "") for kind in ("standard", "or")])
    add_words("other", "day", SPOKEN["other-days"])
    for other in map(Locale, (*SPOKEN["other-languages"], *LANGUAGES)):
        for form in _FORMS:
            add_words("other", "day", [*other.months[form]["wide"].values(), *other.days[form]["wide"].values()])
    add_words("no-day", "word", [*AMBIGUOUS_MONTHS, *SPOKEN["no-days"]])
    add_words("plus", "plus", [locale.list_patterns["standard"]["2"].format("", "")])
    for kind in ("each", "weekday"):
        for days, names in zip((*"0123456", "01234", "56"), SPOKEN[language].get(kind, ()), strict=False):
            add_words(kind, days, names.split("/"))
    add_words("telling", "time", [*words["unread"], *words["tonight"], *words["days"]])
    for unit in UNITS:
        add_words("telling", "time", _list_unit_words(locale, unit, "long"))
        add_words("unit", unit, [*_list_unit_words(locale, unit, "long"), *_list_unit_words(locale, unit, "short")])
    add_words("part", "this-night", words["this-night"])
    add_words("part", "tonight", words["tonight"])
    for unit in ("minute", "hour", "day"):
        add_words("unit", unit, load_words(unit))
    for form in _FORMS:
        add_words("telling", "time", locale.months[form]["wide"].values())
        for number, name in (*locale.months[form]["wide"].items(), *locale.months[form]["abbreviated"].items()):
            add_words("month", str(number), [name])
    for number, name in locale.days["format"]["wide"].items():
        short = [locale.days["format"][width][number] for width in ("abbreviated", "short")]
        add_words("weekday", str(number), [name])
        add_words("short", str(number), [*short, name.partition("-")[0]])  # "segunda" is also "second"
        add_words("weekday-root", "time", [name.partition("-")[0]])
    add_words("weekday-root", "time", words["weekday"])
    periods = [locale.day_periods[form].get(width, {}) for form in _FORMS for width in ("wide", "abbreviated")]
    for name, text in [part for period in periods for part in period.items()] + SPOKEN["parts"]:
        is_root = name not in ("am", "pm") and (len(text) > MIN_PART_CHARS or HAN.search(text) is not None)
        if text != "день" and fold_letters(text) not in words["on"]:  # "am Freitag"
            add_words("part", name, [text])
            add_words("part-root", "time", [text] if is_root else [])
    spans = {name: spans[0] for name, spans in locale.day_period_rules.get(None, {}).items() if "from" in spans[0]}
    ranges = {name: (span["from"] // 60, span["before"] // 60) for name, span in spans.items()}
    return Lexicon(
        language=language,
        words=words,
        ranges={name: (start, end) for name, start, end in SPOKEN["ranges"]} | ranges,
        day_first=language == ENGLISH or locale.date_formats["short"].pattern.startswith("d"),
    )


def _list_unit_words(locale: Locale, unit: str, width: str) -> set[str]:
    of_unit, field = locale._data["unit_patterns"][f"duration-{unit}"], locale._data["date_fields"].get(unit, {})
    forms = [text for name, text in of_unit.get(width, {}).items() if name != "per"]
    forms += [text for tense in field.values() for text in tense.values()]
    behind = [form.partition("{0}")[2].split() for form in forms]
    return {words[0] for words in behind if words and len(words[0]) > 1}


def write_times_in_digits_with_spans(text: str, language: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Write spoken times in digits, as in "at 8:30" for "at half past eight", using spoken_times.toml.

    Return the new text, and for each of its characters the span in `text` that it stands for.
    """
    pattern, numbers, written = _compile_spoken_times(language)
    spans = [(at, at + 1) for at in range(len(text))]
    for match in reversed([*pattern.finditer(text)]):
        word = fold_letters(next(filter(None, match.groups()[(match.lastindex or 0) :]), ""))
        number = int(word) if word.isdigit() else numbers.get(word, 0)
        form = written[match.lastgroup or ""].replace("#", str(number))
        offset = int((_MINUTES_MARK.search(form) or ["0"])[0])
        minutes = (24 if number == 0 > offset else number) * 60 + offset  # 0:30 of "halb eins" is 12:30
        new = _MINUTES_MARK.sub(f"{minutes // 60 or 12 * number}:{minutes % 60:02d}", form).translate(PLAIN)
        text = text[: match.start()] + new + text[match.end() :]
        spans[match.start() : match.end()] = [match.span()] * len(new)
    return text, spans


@cache
def _compile_spoken_times(language: str) -> tuple[re.Pattern[str], Mapping[str, int], Mapping[str, str]]:
    """Return a pattern for all spoken times, the value of each number word, and a digit form for each named group."""
    told = SPOKEN[language]
    numbers = {fold_letters(name): at for at, names in enumerate(told["numbers"], 1) for name in names.split("/")}
    before = told.get("before_number", r"(?<!\w)")
    named = f"{before}(?:{'|'.join(sorted(map(re.escape, numbers), key=len, reverse=True))})"
    patterns, written = list[str](), dict[str, str]()
    for form in sorted(told["spoken"], key=len, reverse=True):
        pattern = re.escape(fold_letters(form)).replace(r"\ ", r"\s+").replace(r"\^", "^").replace("ss", "(?:ss|ß)")
        pattern = pattern.replace(r"\#", rf"((?<!\d)\d{{1,3}}|{named})").replace("@", f"({named})")
        pattern = pattern if HAN.search(form) else rf"(?<!\w){pattern}(?!\w)"
        patterns.append(f"(?P<form{len(patterns)}>{pattern})")
        written[f"form{len(written)}"] = told["spoken"][form]
    return re.compile("|".join(patterns), re.IGNORECASE), numbers, written


def parse_number(token: str) -> float | None:
    """Parse a number in words or digits, such as "two" or "1,5". Return None if it is not a number."""
    if token.replace(",", ".").replace(".", "", 1).isdecimal():
        return float(token.replace(",", "."))
    return NUMBERS.get(fold_accents(normalize_text(token)).strip("."))

"""Pure functions that use cheap, language-independent checks to decide whether a summary may be stored."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise, permutations
from math import log

from llm.prompts import split_into_heading_and_text
from text.analyzer import detect_language_of_latin_words, fold_accents, split_words
from text.characters import split_sentences
from text.fingerprint import NUMBER, parse_number_word_or_month, remove_thousands_separators
from text.word_lists import FUNCTION_WORDS, WORD_LISTS
from text.written_dates import ISO_DATE, find_iso_dates

LONG_SOURCE_TOKENS = 200  # a summary of a longer source must be shorter than the source
NEAR_DAYS = 14  # before or after a message that its words may refer to: "yesterday", "next Friday", "in two weeks"
MIN_LANGUAGE_LETTERS = 30  # texts with fewer letters may hold names alone
MAX_LANGUAGE_CHARS = 4_000  # that are looked at to recognise a language
MIN_LANGUAGE_SHARE = 0.8  # of letters in one script, which makes it the script of a text
MIN_FUNCTION_WORDS = 0.1  # share of the words of a text that shows its language
MIN_LETTER_EVIDENCE = 6.0  # that a letter is not missing by chance, which happens with a probability of e**-6

_REFUSALS = re.compile(rf"^\W*({'|'.join(WORD_LISTS['refusals']['beginnings'])})", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_LIST_MARK = re.compile(r"(?m)^[ \t]*\d{1,2}[.)]\s")
_LABEL = re.compile(r"(?m)^[^\w\n]*[^\W\d]+[ #]{0,2}\d{1,3}\b(?=[^.\n]{0,20}:)")  # "Summary 7: "
_NAME = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]+[-_]?\d{1,3}(?!\d)")  # A380 or COVID-19 is not a number
_WORD = re.compile(r"[^\W_]+")
_FUNCTION_WORDS = {name: set(map(fold_accents, words)) for name, words in FUNCTION_WORDS.items()}
_CLAUSE_END = re.compile(r"[^\w\s]+|\n")
_LATIN_LETTERS = re.compile(r"[\0-\u02af]")
_CHARACTERS = re.compile(r"[\u1100-\u303f\u3100-\u31ef\u3400-\uff65\uffa0-\U0003ffff]")  # of syllables or words
_KANA = re.compile(r"[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]")


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceLine:
    """A source line of a summary: the dates in its heading, and its words."""

    days: tuple[date, ...]
    words: str


def parse_source_line(text: str) -> SourceLine:
    """Parse a source line of a summary into its days and its text, without the time and the speaker's name."""
    heading, words = split_into_heading_and_text(text)
    name, colon, said = words.partition(": ")
    if heading[-3:-2] == ":" and colon and "\n" not in name:
        words = said
    return SourceLine(days=tuple(find_iso_dates(heading)), words=words)


def remove_copied_headings(text: str, source_lines: Sequence[str]) -> str:
    """Remove bracketed headings such as "[2026-05-03 14:02]" that were copied from `source_lines` into a text."""
    for heading in dict.fromkeys(split_into_heading_and_text(line)[0] for line in source_lines):
        if heading:
            text = text.replace(f"[{heading}] ", "").replace(f"[{heading}]", "")
    return text


def find_text_faults(
    text: str, source: str, *, text_tokens: int, source_tokens: int, source_dates: Sequence[date] = ()
) -> list[str]:
    """Return the reasons for rejecting a summary of `source`, as short phrases.

    `source_dates` are the days on which the source was written. Dates close to them do not count as invented.
    """
    if not text.strip():
        return ["it is empty"]
    faults = []
    if _REFUSALS.match(text):
        faults.append("it is a refusal")
    if _repeats_more_than_source(text, source):
        faults.append("it repeats itself")
    if source_tokens > LONG_SOURCE_TOKENS and text_tokens >= source_tokens:
        faults.append("it is not shorter than what it summarises")
    own = _NAME.sub(" ", _LABEL.sub("", _remove_inferable_dates(text, source_dates)))
    years = sorted({str(day.year + step) for day in source_dates for step in (-1, 0, 1)})
    if invented := find_invented_numbers(own, " ".join([source, *years])):
        faults.append(f"it has {len(invented)} number{'s' * (len(invented) > 1)} or dates that its source lacks")
    return faults


def is_in_another_language(text: str, source: str) -> bool:
    """Return True if a text, or most of it, is clearly in another language or script than its source.

    If the script is the same, compare function words or, failing that, letters. Return False if in doubt.
    """
    written = _count_letters_by_script(source)
    script, count = written.most_common(1)[0]
    words, known = set(_WORD.findall(text.casefold())), set(_WORD.findall(source.casefold()))
    new = _count_letters_by_script(" ".join(words - known))
    foreign = new.total() - new[script]
    if count < max(MIN_LANGUAGE_LETTERS, MIN_LANGUAGE_SHARE * written.total()):
        return False
    if foreign >= MIN_LANGUAGE_LETTERS and 2 * foreign > _count_letters_by_script(" ".join(words)).total():
        return script != "LATIN" or bool(_detect_language(source))  # romanised Russian may be summarised in Cyrillic
    if new.total() < MIN_LANGUAGE_LETTERS or 2 * len(words & known) >= len(words):
        return False
    if script != "LATIN":  # quoted names and sentences do not show the language of a text in another script
        text, source = (_LATIN_LETTERS.sub(" ", each) for each in (text, source))
    if language := _detect_language(source):
        return _detect_language(text) not in ("", language)
    return script != "LATIN" and _differ_in_letters(text, source)


def _extract_letters(text: str) -> str:
    return "".join(filter(str.isalpha, fold_accents(text[:MAX_LANGUAGE_CHARS].casefold())))


def _count_letters_by_script(text: str) -> Counter[str]:
    letters = _CHARACTERS.sub(r"\g<0>\g<0>", _extract_letters(text))  # these count double
    scripts = Counter(unicodedata.name(letter, "?").split(" ", 1)[0].split("-")[0] for letter in letters)
    scripts["CJK"] += scripts.pop("HIRAGANA", 0) + scripts.pop("KATAKANA", 0)
    return scripts


def _detect_language(text: str) -> str:
    """Return the language of a text in Latin or Arabic script, or "" if it has few function words of one language."""
    words = [word for word in _WORD.findall(text[:MAX_LANGUAGE_CHARS].casefold()) if len(word) > 1]
    latin = detect_language_of_latin_words(words, default="")
    names = (latin,) if latin else ("arabic", "persian")
    counts = {name: sum(fold_accents(word) in _FUNCTION_WORDS[name] for word in words) for name in names}
    language = max(counts, key=counts.__getitem__)
    return language if counts[language] > MIN_FUNCTION_WORDS * len(words) else ""


def _differ_in_letters(text: str, source: str) -> bool:
    """Return True if either of two texts in the same script often uses a letter that the other never uses.

    For example, Ukrainian has letters that Russian lacks. All Chinese and Korean characters count as one letter, and so
    do all kana. Ignore Latin letters, which may be in names, and letters in few clauses, which may be quotes.
    """
    clauses = [list(filter(None, map(_extract_normalized_letters, _CLAUSE_END.split(each)))) for each in (text, source)]
    counts = [Counter("".join(parts)) for parts in clauses]
    total = sum(own.total() for own in counts)
    return any(
        own[letter] * log(total / own.total()) > MIN_LETTER_EVIDENCE
        and 2 * sum(letter in part for part in parts) >= len(parts)
        for (own, parts), (other, _) in permutations(zip(counts, clauses, strict=True))
        for letter in own.keys() - other.keys()
    )


def _extract_normalized_letters(text: str) -> str:
    return _CHARACTERS.sub("字", _KANA.sub("ア", _LATIN_LETTERS.sub("", _extract_letters(text))))


def find_invented_numbers(text: str, source: str) -> set[str]:
    """Return the numbers in a text that its source contains neither as digits nor as words."""
    known = find_numbers(source)
    known.update(
        str(spelled) for word in _WORD.findall(source) if (spelled := parse_number_word_or_month(word)) is not None
    )
    return {number for number in find_numbers(_LIST_MARK.sub("", text)) if number not in known}


def find_numbers(text: str) -> set[str]:
    """Return the numbers in a text, without leading zeros. For example, 2026-05-03 contains 2026, 5 and 3."""
    found = (_DIGITS.findall(remove_thousands_separators(match.group())) for match in NUMBER.finditer(text))
    return {str(int(part)) if len(part) < 40 else part for parts in found for part in parts}


def _remove_inferable_dates(text: str, source_dates: Sequence[date]) -> str:
    # Such as "on 2 May" for "yesterday" on the 3rd.
    steps = [timedelta(days=step) for step in range(-NEAR_DAYS, NEAR_DAYS + 1)]
    near = {day + step for day in source_dates for step in steps}
    if not near:
        return text
    text = ISO_DATE.sub(lambda written: " " if near.intersection(find_iso_dates(written[0])) else written[0], text)
    days = {(day.month, day.day) for day in near}
    text = re.sub(
        r"(\d{1,2})([月월]\s?)(\d{1,2})",
        lambda match: match[2] if (int(match[1]), int(match[3])) in days else match[0],
        text,
    )
    words = list(_WORD.finditer(text))
    gone = []
    for place, word in enumerate(words):
        if (digits := re.match(r"\d{1,2}(?!\d)", word[0])) is None:
            continue
        # "22 November", "November 22nd", "22 de noviembre"
        near_words = [near_word[0] for near_word in words[max(0, place - 2) : place + 3]]
        months = {parse_number_word_or_month(near_word) for near_word in near_words if not near_word[0].isdigit()}
        if any((month, int(digits[0])) in days for month in months):
            gone.append((word.start(), word.end()))
    pieces = [text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *gone, (len(text), 0)])]
    return " ".join(pieces)


def _repeats_more_than_source(text: str, source: str) -> bool:
    """Return True if a text repeats a sentence, or most of its words in phrases, more often than its source does."""
    said, said_before = (Counter(map(str.casefold, split_sentences(each))) for each in (text, source))
    if any(count >= 3 and len(sentence) > 12 and count > said_before[sentence] for sentence, count in said.items()):
        return True
    words = split_words(text)
    runs, runs_before = _count_each_trigram(words), _count_each_trigram(split_words(source))
    looping = sum(count for run, count in runs.items() if count > 2 and count > runs_before[run])
    return looping > len(words) // 2


def _count_each_trigram(words: Sequence[str]) -> Counter[tuple[str, str, str]]:
    return Counter(zip(words, words[1:], words[2:], strict=False))

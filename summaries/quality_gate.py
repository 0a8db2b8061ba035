"""Whether a summary may be stored: cheap checks, without a judge, for what summaries get wrong.

Pure. Each check answers a failure seen in practice: an empty summary that erased a history, refusals stored as memory,
loops that grew, invented dates. Does not know who wrote the text.
"""

import re
from collections import Counter

LONG_SOURCE = 200
"""From this many source tokens on, a summary must be shorter than its source."""

_REFUSALS = re.compile(
    r"^\W*(i['’]?m sorry|i am sorry|sorry,|i can(?:no|['’])?t |i cannot|i['’]?m unable|i am unable|as an ai\b|"
    r"i won['’]?t be able|lo siento|no puedo|извините|простите|к сожалению, я|я не могу|es tut mir leid|ich kann nicht|"
    r"je suis désolé|je ne peux pas|抱歉|对不起|很抱歉|申し訳|üzgünüm|عذرا|آسف)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_LIST_MARK = re.compile(r"(?m)^\s*\d{1,2}[.)]\s")
_LABEL = re.compile(r"^\W*(?:level|summary|part|section)[ #]?\d{1,3}\b", re.IGNORECASE | re.MULTILINE)
"""A label with a number before a line."""
_RUN = re.compile(r"[A-Za-z0-9_-]+")
_LED = re.compile(r"(?<![A-Za-z])([A-Za-z]+)[-_]?(\d+)")
"""Letters, then digits: in a name (A380, COVID-19, 7f3a9c), or in a date or an amount written together."""
_UNITS = frozenset({"usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "rub", "try", "brl", "fy"})
_YEARS = range(1900, 2100)
_WORDS = re.compile(r"\w+")
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_MONTHS = (
    ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
    ("july", "jul"), ("august", "aug"), ("september", "sept", "sep"), ("october", "oct"), ("november", "nov"),
    ("december", "dec"),
)  # fmt: skip


def objections(text: str, source: str, *, tokens: int, source_tokens: int) -> list[str]:
    """Why this summary of `source` must not be stored; empty when it may. Each reason is a short phrase."""
    if not text.strip():
        return ["it is empty"]
    found = []
    if _REFUSALS.match(text):
        found.append("it is a refusal")
    if _repeats(text):
        found.append("it repeats itself")
    if source_tokens > LONG_SOURCE and tokens >= source_tokens:
        found.append("it is not shorter than what it summarises")
    if invented := invented_numbers(_RUN.sub(_unless_name, _LABEL.sub("", text)), source):
        found.append(f"it has {len(invented)} number{'s' * (len(invented) > 1)} or dates that its source lacks")
    return found


def invented_numbers(text: str, source: str) -> set[str]:
    """Numbers of `text` that `source` lacks, written in any usual way ("3", "03", "three", "March" for a 03)."""
    known = numbers(source)
    folded = source.casefold()
    known.update(str(value) for value, word in enumerate(_NUMBER_WORDS) if re.search(rf"\b{word}\b", folded))
    for month, names in enumerate(_MONTHS, start=1):
        if any(re.search(rf"\b{name}\b", folded) for name in names):
            known.add(str(month))
    return {number for number in numbers(_LIST_MARK.sub("", text)) if number not in known}


def numbers(text: str) -> set[str]:
    """Whole numbers and their parts, leading zeros and separators dropped: "2026-05-03" gives 2026, 5, 3, 20260503."""
    found = set[str]()
    for match in _NUMBER.finditer(text):
        digits = [_plain(part) for part in _DIGITS.findall(match.group())]
        found.update(digits)
        if len(digits) > 1 and re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", match.group()):
            found.difference_update(digits)
            found.add(_plain(re.sub(r"\D", "", match.group())))
    return found


def _unless_name(run: re.Match[str]) -> str:
    """A space for a name with digits in it; a date or an amount stays ("May-2024", "EUR500")."""
    led = _LED.search(run.group())
    if led is None:
        return run.group()
    letters, digits = led.group(1).casefold(), led.group(2)
    is_month = any(letters in names for names in _MONTHS)
    is_told = is_month or letters in _UNITS or (len(digits) == 4 and int(digits) in _YEARS)
    return run.group() if is_told else " "


def _plain(digits: str) -> str:
    return str(int(digits)) if len(digits) < 40 else digits


def _repeats(text: str) -> bool:
    """Whether a sentence occurs three times, or repeated runs of words make up most of a longer text."""
    sentences = Counter(part.strip().casefold() for part in re.split(r"[.!?。！？\n]+", text) if len(part.strip()) > 12)
    if any(count >= 3 for count in sentences.values()):
        return True
    words = [word.casefold() for word in _WORDS.findall(text)]
    if len(words) < 24:
        return False
    runs = Counter(zip(words, words[1:], words[2:], strict=False))
    return sum(count for count in runs.values() if count > 2) > len(words) // 2

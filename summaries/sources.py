"""What the lines of a source say, apart from the headings that the program writes before them. Pure.

A heading has a clock time, a date, a name: no model may take its numbers for something that was said. Owns which dates
follow from what was said, and what a summary says of the wrong person. Does not know models.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

from summaries.quality_score import Source, details
from text import date_words
from text.analyzer import analyse, folded, normal
from text.characters import ends_with_abbreviation, sentence_ends
from text.patterns import Pattern
from text.stopwords import FUNCTION_WORDS

CLOSE, NEAR = 2, 14
"""How many days words reach: "yesterday", "tomorrow"; "next Friday", "two weeks ago"."""
OPENING = 4
"""Words at the beginning of a sentence in which it may say when it was said: "On 3 May 2026"."""
MOST = 60_000
"""Characters of a source that are compared person by person."""

_HEADING = re.compile(r"\[(?P<stamp>[^\]\n]{4,80})\] (?:(?<=\d:\d\d\] )(?P<name>[^:\n]{1,80}): )?")
_STAMP = re.compile(r"\[([^\]\n]{4,80})\]")
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_TOMORROW = "tomorrow|tonight|morgen|ubermorgen|demain|manana|amanha|domani|yarin|jutro|завтра|послезавтра"
_WORDS_OF_DAYS = [(words, eastern) for unit, _, words, eastern in date_words.RELATIVE if unit == "day"]
_CLOSE = Pattern(
    rf"\b(?:{'|'.join(words for words, _ in _WORDS_OF_DAYS)}|{_TOMORROW})\b"
    rf"|{'|'.join(eastern for _, eastern in _WORDS_OF_DAYS)}|明天|后天|明日|내일|غدا"
)
_WEEKDAYS = "|".join(date_words.WEEKDAYS)
_DAYS = Pattern(
    rf"\b(?:{_WEEKDAYS}|{date_words.AGO_AFTER}|(?:last|this|next) (?:week|weekend)"
    r"|in (?:a|one|two|three|\d+) (?:days?|weeks?))\b"
    rf"|{'|'.join(date_words.EASTERN_WEEKDAYS)}|[上下]周|来週|先週"
)
_FIRST_PERSON = re.compile(
    r"(?i:i|i'm|i've|i'll|i'd|we|we're|ich|wir|yo|nosotros|я|мы|eu|nós|je|nous|io|noi|ik|wij)$|我"
)
WORD = re.compile(r"[^\W_][\w’'-]*")
BETWEEN = re.compile(
    r"[,;:–—]\s|\s(?:and|but|while|whereas|und|aber|während|y|e|pero|mas|и|а|но|et|mais|ma|maar)\s|[，；、]"
)
_ADDRESSED = frozenset({"user", "assistant"})


def spoken(sources: Sequence[Source]) -> str:
    """The sources without their headings; with the years, and the days that their words for days may mean."""
    return "\n".join("\n".join((line_of(one.text).words, *meant(line_of(one.text)))) for one in sources)


def without_opening_dates(text: str, sources: Sequence[Source]) -> str:
    """A summary without the dates with which its sentences begin ("On 3 May, …"), where something was said then, and
    without headings that it copies.
    """
    known = stamps(sources)
    text = _STAMP.sub(lambda copied: " " if copied[1] in known else copied[0], text)
    days = {day for one in sources for day in line_of(one.text).days}
    return "".join(_without_day(sentence, days) for sentence in sentences_of(text))


def stamps(sources: Sequence[Source]) -> frozenset[str]:
    """What stands in the brackets of the headings."""
    return frozenset(heading["stamp"] for one in sources if (heading := _HEADING.match(one.text)))


def is_misattributed(text: str, sources: Sequence[Source]) -> bool:
    """Whether a sentence gives a person what the sources only say of others, whom they name in the same clause.

    Looked at are names and numbers of two digits on. Whatever may be right passes: where the person is named in another
    sentence of that message, or speaks of themselves in it, or that sentence was about something else.
    """
    known = [clause for one in within(sources) for clause in _clauses_of(one)]
    persons = _persons(known)
    claims = [clause for sentence in sentences_of(text) for clause in _clauses(sentence)]
    return any(_is_swapped(claim, known, persons) for claim in claims)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One source: who said it (""; not known), on which days, and the words."""

    name: str
    days: tuple[date, ...]
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Clause:
    """A part of a sentence that says one thing. `names`: all words in it with a capital; `values`: its names inside the
    sentence and its longer numbers; `terms`: of the whole sentence; `elsewhere`: the names in other sentences of the
    message, and its speaker, where they speak of themselves.
    """

    names: tuple[str, ...]
    values: frozenset[str]
    terms: frozenset[str]
    elsewhere: frozenset[str] = frozenset()
    speaker: str = ""


def line_of(text: str) -> Line:
    heading = _HEADING.match(text)
    if heading is None:
        return Line(name="", days=(), words=text)
    days = []
    for match in _DATE.finditer(heading["stamp"]):
        try:
            days.append(date(*map(int, match.groups())))
        except ValueError:
            continue
    return Line(name=heading["name"] or "", days=tuple(days), words=text[heading.end() :])


def meant(line: Line) -> Iterator[str]:
    for day in line.days:
        yield f"{day.year - 1} {day.year} {day.year + 1}"
        plain = folded(normal(line.words))
        reach = NEAR if _DAYS.search(plain) else CLOSE if _CLOSE.search(plain) else -1
        yield " ".join(str(day + timedelta(days=step)) for step in range(-reach, reach + 1))


def _without_day(sentence: str, days: Set[date]) -> str:
    end = next((word.end() for place, word in enumerate(WORD.finditer(sentence), start=1) if place == OPENING), None)
    opening, rest = sentence[:end], sentence[end:] if end is not None else ""
    plain = folded(normal(opening))
    for day in days:
        month = _months()[day.month - 1]
        if str(day) in opening or month.search(plain) or f"{day.month}月" in plain:
            opening = re.sub(rf"\b0?{day.day}(?=\D|$)", " ", opening.replace(str(day), " "))
    return opening + rest


@lru_cache(maxsize=1)
def _months() -> tuple[re.Pattern[str], ...]:
    """For each month, its names in all languages."""
    names = [[word for words in date_words.MONTHS for word in words.split()[number].split("|")] for number in range(12)]
    return tuple(re.compile(rf"\b(?:{'|'.join(re.escape(name.rstrip('~')) for name in of)})") for of in names)


def sentences_of(text: str) -> Iterator[str]:
    start = 0
    for end in [*sentence_ends(text), len(text)]:
        if ends_with_abbreviation(text[start:end]) and end < len(text):
            continue
        if text[start:end].strip():
            yield text[start:end]
        start = end


def _clauses_of(source: Source) -> Iterator[_Clause]:
    line = line_of(source.text)
    speaker = "" if line.name.casefold() in _ADDRESSED else name_of(line.name.split(" ")[0])
    sentences = [list(_clauses(one)) for one in sentences_of(line.words)]
    is_of_self = any(_FIRST_PERSON.match(word) for word in WORD.findall(line.words))
    of_self = {speaker} if is_of_self and speaker else set[str]()
    names = [{name for clause in sentence for name in clause.names} for sentence in sentences]
    for number, sentence in enumerate(sentences):
        elsewhere = of_self.union(*(one for place, one in enumerate(names) if place != number))
        for clause in sentence:
            yield replace(clause, elsewhere=frozenset(elsewhere), speaker=speaker)


def _clauses(sentence: str) -> Iterator[_Clause]:
    """The clauses of a sentence; a part with nothing but a name belongs to the next ("Anna and Boris visited Oslo")."""
    terms = frozenset(analyse(sentence))
    values = {one for one in details(f"- {sentence}") if not one.isdigit() or len(one) > 1}
    waiting = ""
    parts = BETWEEN.split(sentence)
    for place, part in enumerate(parts):
        waiting += f" {part}"
        if place < len(parts) - 1 and len(WORD.findall(waiting)) < 3:
            continue
        words = {name_of(word) for word in WORD.findall(waiting)}
        capital = (name_of(word) for word in WORD.findall(waiting) if word[0].isupper())
        names = tuple(name for name in capital if name not in function_words())
        yield _Clause(names=names, values=frozenset(values & words), terms=terms)
        waiting = ""


def name_of(word: str) -> str:
    return folded(word.casefold().removesuffix("'s").removesuffix("’s"))


def _persons(known: Sequence[_Clause]) -> frozenset[str]:
    """The speakers, and what stands first with a capital and is no word that any sentence may begin with."""
    first = Counter(clause.names[0] for clause in known if clause.names)
    inside = frozenset[str]().union(*(clause.values for clause in known))
    found = {name for name, times in first.items() if name in inside or times > 1}
    plain = {name for name in found if _DAYS.search(name) or _CLOSE.search(name)}
    return frozenset(found - plain | {clause.speaker for clause in known if clause.speaker})


def _is_swapped(claim: _Clause, known: Sequence[_Clause], persons: frozenset[str]) -> bool:
    """Whether a clause about exactly one person has a value that the sources only give to others."""
    about = persons.intersection(claim.names)
    if len(about) != 1:
        return False
    for value in claim.values - persons:
        places = [one for one in known if value in one.values]
        of_others = [
            one
            for one in places
            if persons.intersection(one.names)
            and not about & ({*one.names} | one.elsewhere)
            and len(claim.terms & one.terms) > 1
        ]
        if places and len(of_others) == len(places):
            return True
    return False


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    return frozenset(folded(word) for words in FUNCTION_WORDS.values() for word in words)


def within(sources: Sequence[Source]) -> Iterator[Source]:
    room = MOST
    for one in sources:
        room -= len(one.text)
        if room < 0:
            return
        yield one

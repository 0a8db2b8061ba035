"""Whether what a summary tells was told: each clause is held against the statements of its source. Pure.

Small models join right words of different statements into wrong sentences. Owns what may stand together, and the
person's own words that take a wrong sentence's place. Does not know models, nor what else a summary is refused for.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise

from summaries.quality_gate import numbers
from summaries.quality_score import MONTH_NAMES, Source, details
from summaries.sources import BETWEEN, WORD, Line, function_words, line_of, meant, name_of, sentences_of, within
from text import told_words
from text.analyzer import analyse, latin_language
from text.characters import QUESTION_MARKS
from text.fingerprint import NUMBER_WORDS
from text.patterns import Pattern

LONGEST_QUOTE = 240
"""Characters of one sentence of the person's that stands for a wrong one."""
MOST_QUOTED = 4
"""Sentences of the person's that stand for one wrong one."""
MOST_COMPARED = 50
"""Sentences of the person's that are looked at for one wrong one."""
MOST_SENTENCES = 3_000
"""Sentences of a source that are looked at: 60,000 characters may be 20,000."""
SHARE = 0.55
"""Of a clause's terms that the source has, this share stands where its names and numbers do (docs/decisions)."""
COMMON = 3
"""A term of more than a third of all messages, and of so many at least, joins nothing."""
NEAR = 3
"""Words between a relation and the name that it belongs to."""

_MONTHS = "|".join(MONTH_NAMES)
_DAY_OF_MONTH = Pattern(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)? (?:de |of )?(?:{_MONTHS})|\b(?:{_MONTHS})\w* (\d{{1,2}})(?:st|nd|rd|th)?\b"
)


@dataclass(frozen=True, eq=False)
class _Clause:
    """A clause of a summary. `of_user`: it begins with the person, or with "she"; `is_named`: with their name."""

    text: str
    of_user: bool = False
    is_named: bool = False

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(analyse(self.text))


@dataclass(frozen=True, eq=False)
class _Said:
    """A sentence that somebody said, or one of a summary. `speaker`: a person's name, "" where it is not a person's."""

    text: str
    speaker: str
    is_quotable: bool

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(analyse(self.text))

    @cached_property
    def values(self) -> frozenset[str]:
        return _values(self.text)

    @cached_property
    def denied(self) -> frozenset[str]:
        """What it says not to be, where it says that plainly."""
        return frozenset[str]() if told_words.denies_mildly(self.text) else _denied(self.text)

    @cached_property
    def denies(self) -> bool:
        return told_words.denies(self.text)

    @cached_property
    def asks(self) -> bool:
        """Whether it asks or wishes, and says nothing of the person."""
        is_asked = self.text.rstrip("\"'”’») ").endswith(QUESTION_MARKS) or told_words.is_request(self.text)
        return is_asked and not told_words.is_of_self(self.text)


class Told:
    """What a source says: its sentences; and its places, each with the values and terms that stand there together."""

    def __init__(self, sources: Sequence[Source]) -> None:
        lines = list(_lines(sources))
        self.users = {name_of(line.name.split()[0]) for line, is_user in lines if is_user and line.name.split()}
        self.users.discard("user")
        said = (
            _Said(text=text.strip(), speaker=line.name if is_user else "", is_quotable=is_user or not line.name)
            for line, is_user in lines
            for text in sentences_of(line.words)
        )
        self.sentences = list(islice(said, MOST_SENTENCES))
        self.of_users = [one for one in self.sentences if one.speaker]
        together = list(_together(lines))
        self._terms = [frozenset(analyse(" ".join(lines[place][0].words for place in one))) for one in together]
        self._values = [_values_of(lines[place][0] for place in one) for one in together]
        self.values = frozenset[str]().union(*self._values)
        self.names = {one for line, _ in lines for one in _values(line.words) if not one.isdigit()}
        times = Counter(term for terms in self._terms for term in terms)
        often = {term for term, count in times.items() if count >= COMMON and 3 * count > len(together)}
        self.common = often | self.users

    def stand_together(self, values: Set[str], terms: Set[str]) -> bool:
        """Whether all these values and most of the terms are told in one place, or in places that all have one of the
        terms.
        """
        known = {term for term in terms - self.common if any(term in here for here in self._terms)}
        places = list(zip(self._values, self._terms, strict=True))
        if any(values <= here and _is_most(known & told, known) for here, told in places):
            return True
        for term in known:
            joined = [one for one in places if term in one[1]]
            values_there = frozenset[str]().union(*(here for here, _ in joined))
            terms_there = frozenset[str]().union(*(told for _, told in joined))
            if values <= values_there and _is_most(known & terms_there, known):
                return True
        return False

    def is_only_denied(self, term: str) -> bool:
        """Whether a term stands in nothing but that it is not so."""
        return term in self._only_denied

    @cached_property
    def _only_denied(self) -> frozenset[str]:
        quotable = [one for one in self.sentences if one.is_quotable]
        said = Counter(term for one in quotable for term in one.terms)
        denied = Counter(term for one in quotable for term in one.denied & one.terms)
        return frozenset(term for term, times in denied.items() if times == said[term])


def _is_most(part: Set[str], whole: Set[str]) -> bool:
    return len(part) >= SHARE * len(whole)


def is_ungrounded(sentence: str, told: Told) -> bool:
    """Whether a sentence of a summary says what nobody said: of two statements one, of a question a deed, of "not" its
    opposite, of a neighbour a friend. In doubt it says no.
    """
    if sentence.rstrip().endswith(QUESTION_MARKS):
        return True
    is_asked, is_soft = told_words.says_asked(sentence), told_words.denies_mildly(sentence)
    return _has_wrong_relation(sentence, told) or any(
        _is_mixed(clause, told)
        or (not is_soft and _is_denied(clause, told))
        or _is_of_another(clause, told)
        or (not is_asked and _was_asked(clause, told))
        for clause in _clauses(sentence, told)
    )


def mended(text: str, sources: Sequence[Source]) -> tuple[str, int]:
    """A summary with the person's own words in the place of each sentence that is not grounded; and how many were."""
    told = Told(sources)
    parts = [(part, is_ungrounded(part, told)) for part in sentences_of(text)]
    if not any(is_wrong for _, is_wrong in parts):
        return text, 0
    right = [frozenset(analyse(part)) for part, is_wrong in parts if not is_wrong]
    quoted, made = set[int](), list[str]()
    for part, is_wrong in parts:
        made += _quotes(part, told, right, quoted) if is_wrong else [part.strip()]
    return " ".join(made), sum(is_wrong for _, is_wrong in parts)


def _quotes(wrong: str, told: Told, right: Sequence[Set[str]], quoted: set[int]) -> Iterator[str]:
    """The sentences of the person that a wrong one was made of, in their order, as quotations; none twice, and none
    that a right sentence tells as well.
    """
    terms, values = frozenset(analyse(wrong)) - told.common, _values(wrong)
    found = []
    for number, one in enumerate(told.sentences):
        if one.is_quotable and number not in quoted:
            share = len(terms & one.terms) + 2 * len(values & one.values)
            found += [(-share, number)] if share else []
    best = list[tuple[int, int]]()
    for share, number in sorted(found)[:MOST_COMPARED]:
        one = told.sentences[number]
        if len(best) < MOST_QUOTED and not any(2 * len(one.terms & has) >= len(one.terms) > 0 for has in right):
            best.append((share, number))
    speaker = ""
    for number in sorted(number for share, number in best if 2 * share <= best[0][0]):
        quoted.add(number)
        one = told.sentences[number]
        text = one.text if len(one.text) <= LONGEST_QUOTE else f"{one.text[: LONGEST_QUOTE - 1].rstrip()}…"
        if one.speaker and one.speaker != speaker:
            yield f"{one.speaker}:"
        speaker = one.speaker
        yield f"“{text}”" if speaker else text


def _clauses(sentence: str, told: Told) -> Iterator[_Clause]:
    """The clauses of a sentence; one without a subject has that of the clause before."""
    waiting, of_user, is_named = "", False, False
    parts = list(_parts(sentence))
    for place, part in enumerate(parts):
        waiting += f" {part}"
        if place < len(parts) - 1 and len(WORD.findall(waiting)) < 3 and waiting.isascii():
            continue
        first = next(iter(WORD.findall(waiting)), "")
        if told_words.begins_with_user(waiting) or name_of(first) in told.users:
            of_user, is_named = True, not first.casefold().endswith(("'s", "’s"))
        elif told_words.begins_with_pronoun(waiting):
            of_user, is_named = True, False
        elif first[:1].isupper() and place == 0:
            of_user = is_named = False
        yield _Clause(text=waiting, of_user=of_user, is_named=is_named)
        waiting = ""


def _parts(sentence: str) -> Iterator[str]:
    """A sentence cut at its commas and conjunctions, but not where a preposition goes on ("to Porto, on 3 April")."""
    waiting = ""
    for part in BETWEEN.split(sentence):
        if waiting and not told_words.begins_with_preposition(part):
            yield waiting
            waiting = ""
        waiting += f" {part}"
    yield waiting


def _is_mixed(clause: _Clause, told: Told) -> bool:
    """Whether names and numbers of a clause stand in another statement than the rest of it, and nothing joins them."""
    days = {str(int(day)) for pair in _DAY_OF_MONTH.finditer(clause.text) for day in pair.groups() if day}
    opening = {name_of(word) for word in WORD.findall(clause.text)[:1] if word[0].isupper()}
    values = _values(clause.text) & told.values | opening & told.names
    values -= told.users
    return bool(days - told.values) or (bool(values) and not told.stand_together(values, clause.terms))


def _was_asked(clause: _Clause, told: Told) -> bool:
    """Whether a clause tells as the person's deed what they only asked."""
    if not clause.of_user:
        return False
    best = max((len(clause.terms & one.terms) for one in told.of_users), default=0)
    nearest = [one for one in told.of_users if len(clause.terms & one.terms) == best]
    return best > 1 and all(one.asks and 2 * best >= len(one.terms) for one in nearest)


def _is_of_another(clause: _Clause, told: Told) -> bool:
    """Whether a clause that begins with the person's name says what they said of "him" or "her"."""
    own = clause.terms - told.users
    if not clause.is_named or len(own) < 2:
        return False
    nearest = [one for one in told.sentences if 3 * len(own & one.terms) >= 2 * len(own)]
    return bool(nearest) and all(
        one.speaker and told_words.begins_with_pronoun(one.text) and not told_words.is_of_self(one.text)
        for one in nearest
    )


def _is_denied(clause: _Clause, told: Told) -> bool:
    """Whether a clause denies what was said, or says what was denied."""
    own = clause.terms - told.common
    near = [one for one in told.sentences if 2 * len(own & one.terms) >= max(3, len(own))]
    if denied := _denied(clause.text):
        return any(denied & one.terms for one in near) and not any(one.denies for one in near)
    return any(map(told.is_only_denied, own)) or (bool(near) and all(one.denied & own for one in near))


def _denied(text: str) -> frozenset[str]:
    """The first term behind each word that denies, and what is said not to be."""
    return frozenset(terms[0] for behind in told_words.denied(text) if (terms := analyse(behind)))


def _has_wrong_relation(sentence: str, told: Told) -> bool:
    """Whether a name stands next to "friend" that the sources only name next to "neighbour"."""
    for name, relations in _related(sentence).items():
        said = [found for one in told.sentences if (found := _related(one.text).get(name))]
        if said and not relations & set[int]().union(*said):
            return True
    return False


def _related(text: str) -> dict[str, set[int]]:
    """For each name in a text, the relations before it, within a few words ("my neighbour Carmen")."""
    words = WORD.findall(text)
    found: dict[str, set[int]] = {}
    for place, word in enumerate(words):
        if not word[0].isupper() or name_of(word) in function_words():
            continue
        for before in words[max(0, place - NEAR) : place]:
            if (number := told_words.relation(before)) is not None:
                found.setdefault(name_of(word), set()).add(number)
    return found


def _values(text: str) -> frozenset[str]:
    """The names inside a text, and its numbers; in German, which writes every noun with a capital, numbers only."""
    if latin_language(WORD.findall(text.lower())) == "german":
        return frozenset(numbers(text))
    return frozenset(details(f"- {text}"))


def _values_of(lines: Iterable[Line]) -> frozenset[str]:
    """What may be a value of a clause about these lines: their words, numbers, and the days that they may mean."""
    found = set[str]()
    for line in lines:
        words = {name_of(word) for word in WORD.findall(line.words)}
        counted = {str(NUMBER_WORDS[word]) for word in words & NUMBER_WORDS.keys()}
        found |= details(f"- {line.words}") | words | counted | numbers("\n".join(meant(line)))
    return frozenset(found)


def _lines(sources: Sequence[Source]) -> Iterator[tuple[Line, bool]]:
    """The messages, and the sentences of summaries, each with whether a person said it."""
    for one in within(sources):
        line = line_of(one.text)
        if line.name:
            yield line, one.is_user
        else:
            yield from ((replace(line, words=text), False) for text in sentences_of(line.words))


def _together(lines: Sequence[tuple[Line, bool]]) -> Iterator[tuple[int, ...]]:
    """What is read as one: a message of a person with its answer, a sentence of a summary; and each with what leans on
    it.
    """
    turns: list[list[int]] = []
    for place, (line, is_user) in enumerate(lines):
        if is_user or not turns or not line.name:
            turns.append([place])
        else:
            turns[-1].append(place)
    yield from map(tuple, turns)
    for before, after in pairwise(turns):
        answer, is_user = lines[before[-1]]
        is_answered = not is_user and answer.words.rstrip().endswith(QUESTION_MARKS)
        if is_answered or told_words.leans_on_before(lines[after[0]][0].words):
            yield (*before, *after)

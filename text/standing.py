"""What a person tells a bot to keep to: found in what they say, and whether it applies to a question. Pure.

Rules over the patterns of standing_words.py. In doubt it finds nothing: the model that learns facts reads the same
words later. Does not know facts, stores or models.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from text import standing_words as words
from text.analyzer import analyse, folded, normal
from text.characters import sentence_ends
from text.patterns import Family, Pattern
from text.subjects import subjects

LONGEST_MESSAGE = 1_000
"""Characters of a message that is searched: a longer one is a text that was pasted, and tells somebody else."""
LONGEST_SENTENCE = 300
MOST = 5
"""The most that is found in one message."""
CACHED = 2_000
SAME_TOPICS, SAME_PREFERENCE = 0.5, 0.75
"""The share of all their words that two instructions about one thing have in common; of preferences, who often have
several about nearly the same, more.
"""

Kind = Literal["instruction", "preference", "end"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """One sentence, as it was said. "end": it ends what was asked for before; `is_last` then: the last of it, whatever
    it was, otherwise what has the same words.
    """

    text: str
    kind: Kind
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class _Patterns:
    order: Pattern
    marker: Pattern
    begins: Pattern
    lasting: tuple[Pattern, ...]
    condition: Pattern | None
    prefer: Pattern
    end_that: Pattern | None
    end: Pattern | None

    @property
    def telling(self) -> tuple[Pattern, ...]:
        """Without one of which a sentence says nothing that holds."""
        some = (self.marker, self.begins, *self.lasting, self.condition, self.prefer, self.end_that, self.end)
        return tuple(one for one in some if one is not None)


def _compiled(pattern: str) -> Pattern:
    return Pattern(folded(pattern))


def _patterns(ways: words.Ways) -> _Patterns:
    no = f"|{ways.negation}" if ways.negation else ""
    lead = rf"(?:(?:{ways.filler}{no})[,\s]+)*"
    lasting = [rf"{words.OPENING}{lead}{ways.stop}"] if ways.stop else []
    lasting += [ways.style] if ways.style else []
    if ways.forbidden:
        denied = rf"(?:{ways.negation})\s+" if ways.negation else ""
        lasting.append(rf"{words.OPENING}{lead}{denied}(?:{ways.forbidden})\b")
    return _Patterns(
        order=_compiled(rf"{words.OPENING}{lead}(?:{ways.verbs})\b"),
        marker=_compiled(rf"\b(?:{ways.marker})\b"),
        begins=_compiled(rf"(?:(?:{ways.filler})[,\s]+)*(?:{ways.marker})\b"),
        lasting=tuple(map(_compiled, lasting)),
        condition=_compiled(rf"\b(?:{ways.when})\b[^,;]{{0,60}}?(?:{ways.asks})") if ways.when else None,
        prefer=_compiled(ways.prefer),
        end_that=_compiled(ways.end_that) if ways.end_that else None,
        end=_compiled(ways.end) if ways.end else None,
    )


_SPACED = tuple(map(_patterns, words.WAYS.values()))
_CALLING = _compiled("|".join(ways.called for ways in words.WAYS.values()))
_CALLED = Pattern(
    "|".join(
        rf"(?i:\b(?:{folded(ways.called)})),?\s+(?:[a-zа-я ]{{0,14}}\s)?[\"“«]?[A-ZА-Я]\w*"
        for ways in words.WAYS.values()
    )
)
"""A name follows, which is known by its capital."""
_EASTERN = _compiled(words.EASTERN_INSTRUCTION)
_EASTERN_CONDITION = _compiled(words.EASTERN_CONDITION)
_EASTERN_PREFERENCE = _compiled(words.EASTERN_PREFERENCE)
_EASTERN_CALLED = _compiled(words.EASTERN_CALLED)
_EASTERN_END_THAT = _compiled(words.EASTERN_END_THAT)
_EASTERN_END = _compiled(words.EASTERN_END)
_EASTERN_WAYS = (_EASTERN, _EASTERN_CONDITION, _EASTERN_PREFERENCE, _EASTERN_CALLED, _EASTERN_END_THAT, _EASTERN_END)
_TELLING_OF = tuple((one, frozenset(one.telling)) for one in _SPACED)
_TELLING = Family([_CALLING, *_EASTERN_WAYS, *(pattern for _, telling in _TELLING_OF for pattern in telling)])

_REQUEST, _CHOICE = _compiled(words.REQUEST), _compiled(words.CHOICE)
_CONDITIONS = tuple(map(_compiled, words.CONDITIONS))
_ASPECTS = {name: _compiled(pattern) for name, pattern in words.ASPECTS.items()}
_SUBORDINATE, _SELF = _compiled(words.SUBORDINATE), _compiled(words.SELF)
_KNOWN_LETTER = Pattern(r"[a-zа-яёіїє\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_QUOTED = Pattern(r"[\"“”„«»「」]|```|^\s*>")


def find(message: str) -> list[Standing]:
    """What a message says that holds from now on, sentence by sentence, in order; at most `MOST`."""
    if len(message) > LONGEST_MESSAGE or "```" in message:
        return []
    found = (one for sentence in _sentences(message) if (one := _read(sentence)) is not None)
    return [one for one, _ in zip(found, range(MOST), strict=False)]


def may_ask(message: str) -> bool:
    """Whether a message could say what holds from now on, read loosely: it has a word for it, or only letters of
    scripts that no pattern here knows.
    """
    plain = folded(normal(message[:LONGEST_MESSAGE]))
    return _KNOWN_LETTER.search(plain) is None or any(pattern.search(plain) for pattern in _loose())


def condition(text: str) -> str:
    """What a sentence makes the instruction depend on ("when I ask for code": "I ask for code"); "" = nothing."""
    return _condition(folded(normal(text)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question by what it touches: its subjects, its words, and whether something is to be chosen or made."""

    subjects: frozenset[str]
    terms: frozenset[str]
    is_choice: bool

    @classmethod
    def of(cls, question: str, terms: Collection[str]) -> "Asked":
        """`terms`: the question's, as `analyse` gives them."""
        is_choice = _CHOICE.search(folded(normal(question[:LONGEST_MESSAGE]))) is not None
        return cls(subjects=subjects(question), terms=frozenset(terms), is_choice=is_choice)


def applies(text: str, asked: Asked, *, is_preference: bool) -> bool:
    """Whether what was said to hold could matter to a question.

    An instruction without a condition always does, and so does a preference about the answers themselves. With a
    condition, its subject or one of its words must be touched; of a preference, its own. A preference about nothing
    that is known here matters where something is to be chosen or made.
    """
    about = condition(text)
    if is_preference and not about and not aspect(text):
        mine = subjects(text)
        return bool(mine & asked.subjects or _own_terms(text) & asked.terms) or (asked.is_choice and not mine)
    if not about:
        return True
    if not subjects(about) and not _own_terms(about):
        return True  # "whenever you answer"
    return bool(subjects(about) & asked.subjects or _own_terms(about) & asked.terms)


def aspect(text: str) -> str:
    """Which side of the answers themselves a sentence is about, by name: of each, only the last wish holds; "" = none
    that is known here.
    """
    plain = folded(normal(text))
    return next((name for name, pattern in _ASPECTS.items() if pattern.search(plain)), "")


def replaces(new: str, old: str, *, are_preferences: bool = False) -> bool:
    """Whether a later wish takes the place of an earlier one: under the same condition both are about the same."""
    mine, theirs = condition(new), condition(old)
    if bool(mine) != bool(theirs):
        return False
    if mine and not (subjects(mine) & subjects(theirs) or _own_terms(mine) & _own_terms(theirs)):
        return False
    if aspect(new) or aspect(old):
        return aspect(new) == aspect(old)
    return _likeness(new, old) >= (SAME_PREFERENCE if are_preferences else SAME_TOPICS)


def is_like(one: str, other: str) -> bool:
    """Whether two sentences may tell of the same wish: the same side of the answers, or a word in common."""
    return bool(_own_terms(one) & _own_terms(other)) or (bool(aspect(one)) and aspect(one) == aspect(other))


def ends(end: Standing, old: str) -> bool:
    """Whether an "end" that names what it ends means this one."""
    named = aspect(end.text)
    return (bool(named) and named == aspect(old)) or bool(_own_terms(end.text) & _own_terms(old))


@lru_cache(maxsize=1)
def _loose() -> tuple[Pattern, ...]:
    """All that tells of a wish, whatever stands around it."""
    spaced = [
        pattern
        for one in _SPACED
        for pattern in (one.order, one.marker, *one.lasting, one.prefer, one.condition, one.end_that, one.end)
        if pattern is not None
    ]
    return (*spaced, *_EASTERN_WAYS, *_ASPECTS.values())


def _sentences(message: str) -> Iterator[str]:
    start = 0
    for end in [*sentence_ends(message), len(message)]:
        sentence = message[start:end].strip()
        start = end
        if 3 <= len(sentence) <= LONGEST_SENTENCE:
            yield sentence


def _read(sentence: str) -> Standing | None:
    plain = folded(normal(sentence)).rstrip()
    is_question = plain.endswith(("?", "؟"))
    if is_question and not _REQUEST.search(plain):
        return None
    kind, is_last = _kind(sentence, plain, is_request=is_question)
    return Standing(text=" ".join(sentence.split()), kind=kind, is_last=is_last) if kind else None


def _kind(sentence: str, plain: str, *, is_request: bool) -> tuple[Kind | None, bool]:
    possible = _TELLING.possible(plain)
    if not possible:
        return None, False
    spaced = [one for one, telling in _TELLING_OF if not telling.isdisjoint(possible)]
    if _EASTERN_END_THAT.search(plain):
        return "end", True
    if _EASTERN_END.search(plain):
        return "end", False
    for one in spaced:
        if one.end_that and one.end_that.search(plain):
            return "end", True
        if one.end and one.end.search(plain) and not is_request:
            return "end", False
    if _is_called(sentence, plain) or _EASTERN.search(plain) or _EASTERN_CONDITION.search(plain):
        return "instruction", False
    for one in spaced:
        if one.prefer.search(plain) and not _QUOTED.search(sentence):
            return "preference", False
        if not is_request and any(pattern.search(plain) for pattern in one.lasting):
            return "instruction", False
        if _is_lasting_order(one, plain):
            return "instruction", False
    return ("preference", False) if _EASTERN_PREFERENCE.search(plain) else (None, False)


def _is_lasting_order(one: _Patterns, plain: str) -> bool:
    """Whether something is ordered that holds from now on, or whenever a condition is met."""
    # Orders last: their verbs are many and common, and by themselves they tell of nothing that lasts.
    marked = one.marker.search(plain)
    is_conditional = one.condition is not None and one.condition.search(plain) is not None
    ordered = one.order.search(plain) if marked or is_conditional else None
    if ordered and marked and not _SUBORDINATE.search(plain[ordered.end() : marked.start()]):
        return True
    if ordered and is_conditional:
        return True
    # "From now on only short answers, please."
    return bool(one.begins.match(plain) and _without_name(plain) and not _SELF.search(plain))


def _without_name(plain: str) -> str:
    return next((name for name, pattern in _ASPECTS.items() if name != "name" and pattern.search(plain)), "")


def _is_called(sentence: str, plain: str) -> bool:
    is_named = _CALLING.search(plain) is not None and _CALLED.search(folded(sentence)) is not None
    return is_named or _EASTERN_CALLED.search(plain) is not None


@lru_cache(maxsize=CACHED)
def _condition(plain: str) -> str:
    for pattern in _CONDITIONS:
        if match := pattern.search(plain):
            return next(found for found in match.groups() if found).strip()
    return ""


@lru_cache(maxsize=CACHED)
def _own_terms(text: str) -> frozenset[str]:
    """The words of a wish that say what it is about."""
    return frozenset(term for term in analyse(text) if term not in _generic())


def _likeness(one: str, other: str) -> float:
    mine, theirs = _own_terms(one), _own_terms(other)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    """The words that any wish may have, as `analyse` gives them."""
    return frozenset(term for line in words.GENERIC for word in line.split() for term in (*analyse(word), word))

"""A question, analysed once: its words, its meaning, the times that it names; what is typed after /search. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from llm.quoting import MAX_NAME_CHARS
from retrieval.date_expressions import Range, find_ranges
from storage.search.protocol import Floats
from text.analyzer import analyse_text, fold_term, list_content_terms, normalise
from text.characters import keep_both_ends

MAX_QUESTION_CHARS = 16_000
"""Characters of a question by which is searched, of a longer one its beginning and its end: finding the words of a
megabyte takes seconds.
"""
TIMES_IN = 2_000  # characters that are searched for times
FOLLOW_UP_TERMS = 1
"""A question of at most this many words is searched together with what was said before ("and her birthday?")."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """`text`: with what was said before it, where it is short; `meant`: of that what is embedded; `terms`: the words of
    `text`, `own`: of the question itself. `vector`: [d], None where words alone are searched. `now`: when it is asked,
    in the owner's zone.
    """

    text: str
    meant: str
    now: datetime
    terms: tuple[str, ...]
    own: tuple[str, ...]
    times: tuple[Range, ...] = ()
    vector: Floats | None = None

    @classmethod
    def of(cls, text: str, *, previous: str, now: datetime, speakers: Sequence[str] = ()) -> "Question":
        """`previous`: what was said before; `now`: in the owner's zone; `speakers`: who takes part in the talk."""
        text = keep_both_ends(text, MAX_QUESTION_CHARS)
        own = terms = tuple(list_content_terms(text))
        times = find_ranges(fold_term(normalise(keep_both_ends(text, TIMES_IN))), now)
        if previous and len(own) <= FOLLOW_UP_TERMS:
            text = f"{keep_both_ends(previous, MAX_QUESTION_CHARS)}\n{text}"
            terms = tuple(dict.fromkeys([*own, *list_content_terms(text)]))
        meant = remove_names(text, speakers) if len(speakers) > 1 else text
        return cls(text=text, meant=meant, now=now, terms=terms, own=own, times=tuple(times))

    def completed(self, longer: Mapping[str, Sequence[str]]) -> "Question":
        """Return the question with longer terms in place of those that begin them and that nothing holds."""
        own, terms = (
            tuple(dict.fromkeys(one for term in given for one in longer.get(term, (term,))))
            for given in (self.own, self.terms)
        )
        return replace(self, own=own, terms=terms) if longer else self


def is_naming(text: str, name: str) -> bool:
    """Return True if a text names somebody."""
    return next(_find_positions(text, name), None) is not None


def remove_names(text: str, speakers: Iterable[str]) -> str:
    """Return a question without the names of the speakers: in what they say themselves their names are not, but in what
    others say to them.
    """
    left = text
    for name in sorted(speakers, key=len, reverse=True):
        for position in reversed(list(_find_positions(left, name))):
            left = left[:position] + left[position + len(name) :]
    return text if left == text else " ".join(left.split()) or text


def _find_positions(text: str, name: str) -> Iterator[int]:
    """Yield the positions of a name in a text that is no part of a longer word ("Max" in "maximum"), but may touch Han
    and Kana.

    Names longer than any of Telegram's are not looked for.
    """
    text, name = _lower_first(text), _lower_first(name)
    position = text.find(name) if 0 < len(name) <= 2 * MAX_NAME_CHARS + 1 else -1
    while position >= 0:
        end = position + len(name)
        is_part = _is_letter(text[position - 1 : position]) or _is_letter(text[end : end + 1])
        if not is_part:
            yield position
        position = text.find(name, position + 1 if is_part else end)


def _lower_first(text: str) -> str:
    """Return a text in small letters, each in its place: one letter of Turkish would become two."""
    low = text.lower()
    return low if len(low) == len(text) else text


def _is_letter(one: str) -> bool:
    return (one.isalnum() or one == "_") and not "\u2e80" <= one <= "\uffff"


_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」")
_EMOJI_FORM = "\ufe0f"  # variation selector 16: some keyboards add it to an emoji, others do not


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """`text`: as typed, without the quotes; `phrases`: what was in quotes, normalised, or all of it where it holds no
    word; `terms`: of all the words.
    """

    text: str
    phrases: tuple[str, ...]
    terms: tuple[str, ...]

    @classmethod
    def of(cls, typed: str) -> "SearchQuery":
        phrases = [
            normalise_question(next(group for group in match.groups() if group)) for match in _QUOTED.finditer(typed)
        ]
        text = _QUOTED.sub(lambda match: next(group for group in match.groups() if group), typed)
        terms = tuple(list_content_terms(text))
        # Emoji are no words of the index: without a word, what was typed is a phrase.
        phrases = phrases if phrases or terms else [normalise_question(text)]
        return cls(
            text=" ".join(text.split()),
            phrases=tuple(dict.fromkeys(phrase for phrase in phrases if phrase)),
            terms=terms,
        )

    def matches(self, text: str) -> bool:
        """Return True if a text holds every phrase, whatever its case and spacing."""
        whole = normalise_question(text)
        return all(phrase in whole for phrase in self.phrases)

    def holds_words(self, text: str) -> int:
        """Count the query's terms that a text holds."""
        return len(set(self.terms) & set(analyse_text(text)))

    def weight(self, piece: str) -> float:
        """Score how relevant a sentence is to the query: a whole phrase counts more than its words."""
        whole = normalise_question(piece)
        return self.holds_words(piece) + 10.0 * sum(phrase in whole for phrase in self.phrases)


def normalise_question(text: str) -> str:
    """Return a text as phrases are compared: one case, one form of each letter and emoji, single spaces."""
    return " ".join(normalise(text).replace(_EMOJI_FORM, "").split())

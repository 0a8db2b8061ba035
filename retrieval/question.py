"""Pure functions that extract a question's terms and the times it names, and parse input typed after /search."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from llm.quoting import MAX_NAME_CHARS
from retrieval.date_expressions import TimeRange, find_time_ranges
from storage.search.protocol import Floats
from text.analyzer import fold_accents, list_distinct_search_terms, list_query_terms, list_search_terms, normalize_text
from text.characters import cut_out_middle
from text.word_lists import WORD_LISTS

MAX_QUESTION_CHARS = 16_000  # a longer question is searched by its beginning and end
MAX_CHARS_FOR_TIMES = 2_000  # characters that are searched for times
FOLLOW_UP_TERMS = 1  # a question with no more terms than this is searched with the message before ("and her birthday?")
WIDE, NARROW = (tuple(WORD_LISTS["questions"][kind]) for kind in ("wide", "narrow"))  # examples of both
MIN_LEAD = 0.4  # how much closer the closest wide example must be, in standard deviations of the examples' cosines


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question with its search terms, the times that it names, and its embedding."""

    text: str  # the question, with the preceding message if the question is short
    meant: str  # the part of `text` that is embedded
    now: datetime  # the time of asking, in the owner's time zone
    terms: tuple[str, ...]  # of `text`
    own: tuple[str, ...]  # the terms of the question alone
    times: tuple[TimeRange, ...] = ()
    vector: Floats | None = None  # the embedding of `meant` [d], or None to search words only

    @classmethod
    def analyze(cls, text: str, *, previous_text: str, now: datetime, speakers: Sequence[str] = ()) -> "Question":
        """Analyse a question. `previous_text` is the same person's preceding message."""
        text = cut_out_middle(text, MAX_QUESTION_CHARS)
        own = terms = tuple(list_distinct_search_terms(text))
        times = find_time_ranges(fold_accents(normalize_text(cut_out_middle(text, MAX_CHARS_FOR_TIMES))), now)
        if previous_text and len(own) <= FOLLOW_UP_TERMS:
            text = f"{cut_out_middle(previous_text, MAX_QUESTION_CHARS)}\n{text}"
            terms = tuple(dict.fromkeys([*own, *list_distinct_search_terms(text)]))
        meant = remove_names(text, speakers) if len(speakers) > 1 else text
        return cls(text=text, meant=meant, now=now, terms=terms, own=own, times=tuple(times))

    def replace_unknown_terms(self, completions: Mapping[str, Sequence[str]]) -> "Question":
        own, terms = (
            tuple(dict.fromkeys(known for term in given for known in completions.get(term, (term,))))
            for given in (self.own, self.terms)
        )
        return replace(self, own=own, terms=terms)


def needs_several_searches(question_vector: Floats, example_vectors: Floats) -> bool:
    """Return True if a question is about an order, a count or a whole story, and therefore needs several searches.

    Judge by meaning: `example_vectors` are the embeddings of WIDE and NARROW.
    """
    cosines = example_vectors @ example_vectors.T
    spread = float(cosines[np.triu_indices(len(example_vectors), 1)].std())
    closeness = example_vectors @ question_vector
    return float(closeness[: len(WIDE)].max() - closeness[len(WIDE) :].max()) > MIN_LEAD * spread


def contains_name(text: str, name: str) -> bool:
    return next(_find_name_positions(text, name), None) is not None


def remove_names(text: str, names: Iterable[str]) -> str:
    """Remove the names of speakers from a question, because people rarely say their own names."""
    left = text
    for name in sorted(names, key=len, reverse=True):
        for position in reversed(list(_find_name_positions(left, name))):
            left = left[:position] + left[position + len(name) :]
    return text if left == text else " ".join(left.split()) or text


def _find_name_positions(text: str, name: str) -> Iterator[int]:
    """Yield the index of each occurrence of a name, except inside a longer word ("Max" in "maximum")."""
    # "İ".lower() would be two characters and move the positions.
    text, name = text.replace("İ", "i").lower(), name.replace("İ", "i").lower()
    position = text.find(name) if 0 < len(name) <= 2 * MAX_NAME_CHARS + 1 else -1
    while position >= 0:
        end = position + len(name)
        is_part = _is_letter(text[position - 1 : position]) or _is_letter(text[end : end + 1])
        if not is_part:
            yield position
        position = text.find(name, position + 1 if is_part else end)


def _is_letter(character: str) -> bool:
    return (character.isalnum() or character == "_") and not "\u2e80" <= character <= "\uffff"


_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」")
_NUMBER_GAP = re.compile(r"(?<=\d)[ .,'/()-]{1,2}(?=\d)")
_EMOJI_FORM = "\ufe0f"  # variation selector 16: some keyboards add it to an emoji, others do not


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """A parsed /search query: its text, quoted phrases and search terms."""

    text: str  # without quotation marks
    phrases: tuple[str, ...]  # quoted parts, normalised, or the whole of a query without words
    terms: tuple[str, ...]  # of all words, in several languages
    word: str = ""  # folded, if the query is one word or number without quotation marks

    @classmethod
    def parse(cls, query: str) -> "SearchQuery":
        phrases = [_normalize_phrase("".join(groups)) for groups in _QUOTED.findall(query)]
        text = _QUOTED.sub(r"\1\2\3\4\5", query)
        terms = tuple(list_query_terms(text))
        # The index has no emoji, so a query without a word counts as a phrase.
        phrases = phrases if phrases or terms else [_normalize_phrase(text)]
        return cls(
            text=" ".join(text.split()),
            phrases=tuple(dict.fromkeys(phrase for phrase in phrases if phrase)),
            terms=terms,
            word="" if phrases or " " in (word := _normalize_word(text)) else word,
        )

    def matches(self, text: str) -> bool:
        """Return True if a text contains the query's quoted phrases or single word, or if the query has neither."""
        return self._count_matches(text) == (len(self.phrases) or bool(self.word))

    def score_sentence(self, sentence: str) -> float:
        """Return a relevance score for a sentence. A quoted phrase counts as much as ten words."""
        return len(set(self.terms) & set(list_search_terms(sentence))) + 10.0 * self._count_matches(sentence)

    def _count_matches(self, text: str) -> int:
        whole = _normalize_phrase(text)
        return sum(phrase in whole for phrase in self.phrases) or contains_name(_normalize_word(whole), self.word)


def _normalize_word(text: str) -> str:
    return fold_accents(_NUMBER_GAP.sub("", _normalize_phrase(text)).casefold())


def _normalize_phrase(text: str) -> str:
    return " ".join(normalize_text(text).replace(_EMOJI_FORM, "").split())

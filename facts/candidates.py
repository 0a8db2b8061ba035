"""Which known facts a text may be about: an index of their words, rare ones first. Pure; made for one batch.

What it gives is bounded, however much is known; whether a fact really is meant is decided elsewhere.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from records.facts import Fact, NewFact
from retrieval.fact_ranking import fact_terms

MOST = 40
"""Facts that one text may be about."""
MOST_KEYS = 64
"""Words of a text that are looked up: a pasted page has thousands."""
BEGINNING = 3
"""Letters of a term by which it is found as well."""
OFTEN = 500
"""Of a word that more facts have, only the newest so many are looked at."""


class Candidates:
    """Facts by a number of the caller's, found by their words."""

    def __init__(self, facts: Mapping[int, Fact | NewFact]) -> None:
        self._having: dict[str, list[int]] = {}
        self._total = 0
        for number, fact in facts.items():
            self.add(number, fact)

    def add(self, number: int, fact: Fact | NewFact) -> None:
        """One more; what is added later counts as newer."""
        self._total += 1
        for key in _with_beginnings(_keys(fact)):
            self._having.setdefault(key, []).append(number)

    def of(self, fact: Fact | NewFact) -> list[int]:
        """The facts that this one may repeat, change or end, those that share most first."""
        return self.with_any(_keys(fact))

    def with_any(self, keys: Iterable[str], most: int = MOST) -> list[int]:
        """The `most` facts that share most with these terms, rare ones counting more."""
        having = [found for key in _with_beginnings(keys) if (found := self._having.get(key))]
        weights = defaultdict[int, float](float)
        for found in heapq.nsmallest(MOST_KEYS, having, key=len):
            rarity = math.log(1 + self._total / len(found))
            for number in found[-OFTEN:]:
                weights[number] += rarity
        return heapq.nlargest(most, weights, key=lambda number: (weights[number], abs(number)))


def _with_beginnings(keys: Iterable[str]) -> set[str]:
    """Terms and their first letters: of two short sentences one may be stemmed as another language ("fuma", "fum")."""
    return {part for key in keys for part in (key, key if key.startswith(" ") else key[:BEGINNING])}


def _keys(fact: Fact | NewFact) -> Iterator[str]:
    yield from fact_terms(fact)
    yield f" {' '.join(fact.text.casefold().split())}"  # so that a repetition is found, however common its words
    if fact.subject:
        yield f" {fact.subject.strip().casefold()}:"

"""One search of a memory: what is looked for, and what was found. Pure.

Does not know how candidates come out of a database, or what a prompt carries of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from records.context import RecalledFact, Snippet
from records.facts import Fact
from records.messages import Message
from retrieval import background
from retrieval.date_expressions import Range
from retrieval.fact_ranking import FoundFacts, learned_from
from retrieval.question import Question
from retrieval.ranking import Meaning, Ranked, idf, rank
from storage.search.protocol import Pool

READ_AT_ONCE = 64
"""Candidates whose text is read at once: a budget of 1,500 tokens is full after about sixty."""
SURELY = 3
"""At most so many messages with the question's rarest words are required: one that does not fit is cut, not skipped."""
Rarest = tuple[NDArray[np.intp], float]
"""Rows of the pool, best first, and the share of the weight of the question's words that the first of them holds."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """The candidates of one question, and what is known that matters to it. `further`: facts in addition, where many
    messages are asked for. `read`: the best candidates' messages, by id, where they were read along with all this.
    """

    asked: Question
    pool: Pool
    meaning: Meaning | None
    ranked: Ranked
    facts: FoundFacts = field(default_factory=FoundFacts)
    further: Sequence[RecalledFact] = ()
    read: dict[int, Message] = field(default_factory=dict)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """What each of the question's terms weighs, by how few messages hold it."""
        matched = self.pool.matched
        return {term: idf(matched.turns, matched.frequency.get(term, 0)) for term in self.asked.terms}

    @cached_property
    def own(self) -> Mapping[str, float]:
        """The same of the question's own terms."""
        return {term: weight for term, weight in self.weights.items() if term not in self.asked.before}

    @cached_property
    def rarest(self) -> Rarest:
        """The candidates that hold the rarest of the question's own words."""
        return self.rarest_among(np.ones(len(self.pool), np.bool_))

    def rarest_among(self, candidates: NDArray[np.bool_]) -> Rarest:
        """Of these candidates."""
        return self.ranked.rarest(self.own, among=candidates, most=SURELY)


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """What a question alone brings back: `ranked`, all candidates, best first; `snippets`, those that fit the budget,
    in order of time.
    """

    ranked: Ranked
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """A question with all that is known of it before its candidates are. `question`: with what was said before it,
    where it is short; `itself`: without that, as far as cues are looked for; `terms`, `own`: the terms of both.
    `known`: the facts that a prompt may carry, `facts`: those that matter. `before`: the turn that is being answered,
    which is no candidate.
    """

    question: str
    itself: str
    terms: Sequence[str]
    own: Sequence[str]
    times: tuple[Range, ...]
    known: Sequence[Fact]
    facts: FoundFacts
    before: int | None

    @property
    def sources(self) -> Mapping[int, float]:
        """The messages from which the relevant facts were learned, by id, with the score."""
        return learned_from(self.facts.relevant)

    def earlier(self, pool: Pool) -> Pool:
        """The candidates among what the database found."""
        return pool if self.before is None else pool.before(self.before)

    def found(self, pool: Pool, meaning: Meaning | None = None) -> Found:
        """The candidates, best first."""
        asked = Question.of(
            self.question,
            itself=self.itself,
            terms=pool.matched.held(self.terms),
            own=pool.matched.held(self.own),
            ranges=self.times,
            fact_sources=self.sources,
        )
        further = background.further_facts(self.facts, self.known, self.times) if asked.of_many else ()
        ranked = rank(pool, asked, meaning)
        return Found(asked=asked, pool=pool, meaning=meaning, ranked=ranked, facts=self.facts, further=further)

    def judged(self, pool: Pool) -> tuple[Found, list[int]]:
        """The same by words alone, and the ids of those that are read at once."""
        found = self.found(self.earlier(pool))
        rows = np.append(found.ranked.rows[:READ_AT_ONCE], found.rarest[0])
        return found, found.pool.ids[rows].tolist()

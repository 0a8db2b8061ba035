"""What a question found, which of it must be included, and what the prompt carries of each message. Pure.

Does not know how candidates were found or ranked, or how many fit.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from records.context import RecalledFact, Snippet
from records.messages import Message
from retrieval.changes import denies, ended
from retrieval.excerpts import by_words, clipped, holding, sentences
from retrieval.fact_ranking import FoundFacts
from retrieval.ranking import WEIGHTS, Meaning, Question, Ranked, Scored, centred, idf, verbosity
from storage.search.protocol import Floats, Pool
from text.tokenizer import Tokenizer

SNIPPET_TOKENS = 300
"""Of a remembered message that is longer, only the sentences with the question's words are shown."""
BEST, BEST_TOKENS, REST_TOKENS = 10, 60, 25
"""Next to a long-winded assistant people write at length too. Where many messages compete there, the first BEST are
cut to BEST_TOKENS and the others to REST_TOKENS, so that some 45 fit the budget and not 11.
"""
ROOM_OF_BEST, LARGEST = 150, 12
"""In less room there is one of the BEST for so many tokens, and no excerpt there takes more than a twelfth of it."""
OVERVIEW_TOKENS = 20
"""Where many messages are asked for, each is cut to so many: what the person wanted and what became of it."""
WHOLE_TOKENS = 40
"""What is no longer is not cut there: it would save little."""
ASSISTANT_TOKENS = 60
"""Of a long-winded assistant's message, only the sentences closest to the question are shown, within so many tokens."""
LONG_WINDED = 0.5
"""A message of more than this verbosity (retrieval/ranking.py) is a long-winded assistant's."""
ABOVE_ALL = 2.0
"""Added to the closeness (a cosine) of a sentence that takes precedence over all others."""
SURELY = 3
"""At most so many messages with the question's rarest words are required: one that does not fit is cut, not skipped."""
MUCH = 0.25
"""Where the best of them holds this share of the question's words, by idf, they get room before all others. Otherwise
they do not: the rarest word of a longer question often says little.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """The candidates of one question, and what is known that matters to it. `further`: facts in addition, where many
    messages are asked for.
    """

    asked: Question
    pool: Pool
    meaning: Meaning | None
    ranked: Ranked
    facts: FoundFacts = field(default_factory=FoundFacts)
    further: Sequence[RecalledFact] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Recall:
    """What a question alone brings back: `ranked`, all candidates, best first; `snippets`, those that fit the budget,
    in order of time.
    """

    ranked: Ranked
    snippets: tuple[Snippet, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MustInclude:
    """The messages that hold the rarest of a question's own words, among those that may be shown.

    `ids`: their ids; `first`: those that get room before all others; `weights`: of the words by which long messages are
    cut; `own`: the question's own words among these. `shown`: ids that are whole in the prompt already; `before`: the
    turn that is being answered. `is_long_winded`: the assistant is. `ended`: messages that are out of date in part, by
    id, with since when.
    """

    found: Found
    tokens: Tokenizer
    shown: Set[int]
    before: int | None
    ids: Set[int]
    first: Sequence[Scored]
    weights: Mapping[str, float]
    own: Mapping[str, float]
    is_long_winded: bool
    ended: Mapping[int, datetime]

    @classmethod
    def of(
        cls, found: Found, tokens: Tokenizer, *, shown: Set[int] = frozenset(), before: int | None = None
    ) -> "MustInclude":
        asked, matched, candidates = found.asked, found.pool.matched, found.pool.ids
        weights = {term: idf(matched.turns, matched.frequency.get(term, 0)) for term in asked.terms}
        own = {term: weight for term, weight in weights.items() if term not in asked.before}
        among = np.isin(candidates, list(shown), invert=True) if shown else np.ones(len(candidates), np.bool_)
        rows, share = found.ranked.rarest(own, among=among, most=SURELY)
        return cls(
            found=found,
            tokens=tokens,
            shown=shown,
            before=before,
            ids=frozenset(candidates[rows].tolist()),
            first=found.ranked.scored(rows) if share >= MUCH else (),
            weights=weights,
            own=own,
            is_long_winded=verbosity(found.pool) > LONG_WINDED,
            ended=ended(found.facts.relevant),
        )

    def in_order(self, start: int, size: int) -> list[Scored]:
        """`size` candidates from `start` on, in the order in which they get room."""
        early = {one.id for one in self.first}
        others = [one for one in self.found.ranked[start : start + size] if one.id not in early]
        return others if start else [*self.first, *others]

    def allows(self, message: Message) -> bool:
        """Whether it may be shown as a snippet."""
        is_earlier = self.before is None or message.turn < self.before
        return is_earlier and message.id not in self.shown and message.origin != "tool"

    def snippet(
        self, one: Scored, message: Message, sentence_vectors: Floats | None, *, index: int, room: int
    ) -> Snippet:
        """The candidate at this index as the prompt carries it. Made only for those that may fit, since counting tokens
        is expensive.
        """
        answer = max(REST_TOKENS, min(ASSISTANT_TOKENS, room // LARGEST))
        place, content, tokens = self._placed(message, self.length(index, room))
        text = place + self._shown(one, content, sentence_vectors, tokens, answer)
        return Snippet(
            message=message,
            text=text,
            score=one.parts,
            ended_at=self.ended.get(message.id),
            is_denial=message.is_user and not place and denies(text, self.own),
        )

    def length(self, index: int, room: int) -> int:
        """How many tokens of the candidate at this index are shown: fewer where many compete for the room."""
        if not self.is_long_winded:
            return SNIPPET_TOKENS
        share = room // max(1, len(self.found.ranked))
        if self.found.asked.of_many:
            least = OVERVIEW_TOKENS
        else:
            is_best = index < min(BEST, room // ROOM_OF_BEST)
            least = max(REST_TOKENS, min(BEST_TOKENS, room // LARGEST)) if is_best else REST_TOKENS
        return min(SNIPPET_TOKENS, max(least, share))

    def cut(self, snippet: Snippet, tokens: int) -> str:
        """At most `tokens` of a required message."""
        place, content, tokens = self._placed(snippet.message, tokens)
        return place + by_words(content, self.own, tokens=tokens, tokenizer=self.tokens)

    def _placed(self, message: Message, tokens: int) -> tuple[str, str, int]:
        """The line that says where a passage of a document stands, which is never cut off; the rest of it, and the
        tokens that are left for that. "" for what has no such line, or no room for it.
        """
        if not message.place:
            return "", message.content, tokens
        place = f"{message.place}\n"
        left = tokens - self.tokens.count(place)
        return ("", message.content, tokens) if left < tokens // 2 else (place, message.content[len(place) :], left)

    def _shown(self, one: Scored, text: str, vectors: Floats | None, tokens: int, answer: int) -> str:
        """A whole message, or the relevant sentences of a long one. `answer`: the most of a long-winded assistant's."""
        meaning, is_overview = self.found.meaning, self.found.asked.of_overview
        most = tokens if is_overview else answer
        if meaning is not None and vectors is not None and one.verbose > LONG_WINDED:
            pieces = sentences(text)
            if len(pieces) == len(vectors) and self.tokens.count(text) > most:
                query = centred(meaning.query, meaning.mean, WEIGHTS.centring)
                closeness = centred(vectors, meaning.mean, WEIGHTS.centring) @ query
                if one.id in self.ids:
                    closeness = closeness + ABOVE_ALL * np.array(holding(pieces, self.own), np.float32)
                return clipped(pieces, closeness.tolist(), tokens=most, count=self.tokens.count)
        if one.verbose > LONG_WINDED:
            tokens = min(tokens, most)
        whole = tokens if is_overview else WHOLE_TOKENS
        if len(text) <= tokens or (tokens < WHOLE_TOKENS and not self.tokens.exceeds(text, whole)):
            return text
        if not one.has_words:
            return self.tokens.cut_middle(text, tokens)  # as by_words would, without looking for them
        weights = self.own if one.id in self.ids else self.weights
        return by_words(text, weights, tokens=tokens, tokenizer=self.tokens)

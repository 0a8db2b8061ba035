"""Which of what was found must be included, and what the prompt carries of each message. Pure.

Does not know how candidates were found or ranked, or how many fit.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from llm import prompts
from records.context import Snippet
from records.messages import Message
from retrieval.changes import ASKED_ABOUT, denies, ended
from retrieval.excerpts import by_words, clipped, head_and_tail, holding, sentences
from retrieval.question import Question
from retrieval.ranking import WEIGHTS, Scored, centred, verbosity
from retrieval.search import SURELY, Found
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
NAME_TOKENS = 4
"""Before a message stands who said it, and behind it ends its line: about so many tokens."""
ASSISTANT_TOKENS = 60
"""Of a long-winded assistant's message, only the sentences closest to the question are shown, within so many tokens."""
LONG_WINDED = 0.5
"""A message of more than this verbosity (retrieval/ranking.py) is a long-winded assistant's."""
ABOVE_ALL = 2.0
"""Added to the closeness (a cosine) of a sentence that takes precedence over all others."""
STANDS_OUT = 1.5
"""The score from which a message is shown where nothing is asked about the past. In chats of a hundred messages the
best for a question that has nothing to do with them scores 0.8 to 1.5 by meaning, and 1 or less by words.
"""
MUCH = 0.25
"""Where the best of them holds this share of the question's words, by idf, they get room before all others. Otherwise
they do not: the rarest word of a longer question often says little.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class MustInclude:
    """The messages that hold the rarest of a question's own words, among those that may be shown.

    `ids`: their ids; `first`: those that get room before all others; `weights`: of the words by which long messages are
    cut; `own`: the question's own words among these; `about`: ids of the messages that hold so many of these that they
    may deny what is asked about. `shown`: ids that are whole in the prompt already; `before`: the
    turn that is being answered. `is_long_winded`: the assistant is. `ended`: messages that are out of date in part, by
    id, with since when. `least`: the score below which a message is shown only if it is among the `rare`, which hold a
    word of the question that hardly any other message holds.
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
    least: float
    rare: Set[int]
    about: Set[int]

    @classmethod
    def of(
        cls, found: Found, tokens: Tokenizer, *, shown: Set[int] = frozenset(), before: int | None = None
    ) -> "MustInclude":
        asked, matched, candidates, own = found.asked, found.pool.matched, found.pool.ids, found.own
        rows, share = found.rarest
        ids = frozenset(candidates[rows].tolist())
        if not ids.isdisjoint(shown):
            rows, share = found.rarest_among(np.isin(candidates, list(shown), invert=True))
            ids = frozenset(candidates[rows].tolist())
        rarest = min((count for term in own if (count := matched.frequency.get(term, 0))), default=0)
        return cls(
            found=found,
            tokens=tokens,
            shown=shown,
            before=before,
            ids=ids,
            first=found.ranked.scored(rows) if share >= MUCH else (),
            weights=found.weights,
            own=own,
            is_long_winded=verbosity(found.pool) > LONG_WINDED,
            ended=ended(found.facts.relevant),
            least=least_for(asked),
            rare=ids if rarest <= SURELY and not asked.is_small_talk else frozenset(),
            # By half as much: a sentence by itself may be taken for another language than its message was.
            about=frozenset(candidates[_hold(found.pool, own, ASKED_ABOUT / 2)].tolist()),
        )

    def in_order(self, start: int, size: int) -> list[Scored]:
        """`size` candidates from `start` on, in the order in which they get room."""
        early = {one.id for one in self.first}
        others = [one for one in self.found.ranked[start : start + size] if one.id not in early]
        some = others if start else [*self.first, *others]
        return [one for one in some if one.score >= self.least or one.id in self.rare]

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
        tokens = self.length(index, room)
        if one.verbose <= LONG_WINDED and self._is_short(message, tokens):
            place, text = "", message.content
        else:
            answer = max(REST_TOKENS, min(ASSISTANT_TOKENS, room // LARGEST))
            place, content, tokens = self._placed(message, tokens)
            text = place + self._shown(one, content, sentence_vectors, tokens, answer)
        return Snippet(
            message=message,
            text=text,
            score=one.parts,
            ended_at=self.ended.get(message.id),
            is_denial=message.id in self.about and message.is_user and not place and denies(text, self.own),
        )

    def length(self, index: int, room: int) -> int:
        """How many tokens of the candidate at this index are shown: fewer where many compete for the room."""
        if not self.is_long_winded:
            return SNIPPET_TOKENS
        least = OVERVIEW_TOKENS if self.found.asked.of_many else REST_TOKENS
        if index < BEST and index < room // ROOM_OF_BEST and not self.found.asked.of_many:
            least = max(REST_TOKENS, min(BEST_TOKENS, room // LARGEST))
        return min(SNIPPET_TOKENS, max(least, room // max(1, len(self.found.ranked))))

    def cut(self, snippet: Snippet, tokens: int) -> str:
        """At most `tokens` of a required message."""
        place, content, tokens = self._placed(snippet.message, tokens)
        return place + by_words(content, self.own, tokens=tokens, tokenizer=self.tokens)

    def _is_short(self, message: Message, tokens: int) -> bool:
        """Whether a person's message is shown whole where it would be cut to so many tokens. It is counted as the
        prompt carries it, which is counted in any case.
        """
        limit = tokens if self.found.asked.of_overview else max(tokens, WHOLE_TOKENS)
        line = prompts.named_line(message, message.content)
        return message.origin != "document" and not self.tokens.exceeds(f"{line}\n", limit + NAME_TOKENS)

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
            return head_and_tail(text, tokens=tokens, tokenizer=self.tokens)  # as by_words, without looking for them
        weights = self.own if one.id in self.ids else self.weights
        return by_words(text, weights, tokens=tokens, tokenizer=self.tokens)


def least_for(asked: Question) -> float:
    """The score below which a message is not shown for such a question: everything may be, where the past is asked for;
    nothing is, where nobody asks or tells anything.
    """
    if asked.is_small_talk:
        return math.inf
    return -math.inf if asked.of_past else STANDS_OUT


def _hold(pool: Pool, weights: Mapping[str, float], share: float) -> NDArray[np.bool_]:
    """[candidates]: whether date, speaker and text together hold words of at least this share of the weight."""
    line = np.array([weights.get(term, 0.0) for term in pool.matched.frequency])
    return np.asarray(line @ (pool.counts > 0) >= share * sum(weights.values()))

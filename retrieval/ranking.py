"""Which earlier passages matter to a question: one score, made of parts that can be shown (docs/recall.md).

Pure functions of the candidates. The weights were chosen by `python -m benchmarks.recall`, which measures a change of
them. Does not know stores, models or tokens: words arrive analysed, times resolved, vectors compared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrieval.question import Question, is_naming
from storage.search.protocol import Candidates, Closeness

SPREAD = 0.12  # the centred cosine that counts as one unit of meaning
WORDS = 3.0  # the weight of a message that holds all that is asked for
BORROWED = 0.7  # A word of a neighbour counts so much as a word of one's own
NEARBY = 0.45  # the share of its neighbours' scores that a message gets
NAMED = 2.0  # the question names exactly this speaker
TIMELY = 1.0  # said at a time that the question names
OPENING = 0.5
"""The share that the first message of a day takes of what the day's best scores above it: it says what the talk is
about.
"""
RECENT, WEEK = 0.5, 7.0  # A message of just now counts half more, and this fades within as many days
ANSWERED, ANSWERING = 0.5, 2
"""The share of the best message's score that goes to its long answer, to so many of its passages."""
PENALTY, PENALTY_OF_LONG = 1.0, 2.0  # taken off a long-winded assistant's message, and off a passage of a long one
DAY = 24 * 3600.0
K1, B = 1.2, 0.75  # BM25's usual constants
Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Ranked:
    """The candidates with what speaks for each passage. `order`: rows of passages, best first; `by_meaning`: those of
    what people said themselves, the closest in meaning first. `parts`: by name, what adds up to `scores`.
    `measure_verbosity`: how long-winded the assistant is (0 to 1).
    """

    found: Candidates
    order: NDArray[np.intp]
    by_meaning: NDArray[np.intp]
    scores: Values
    parts: Mapping[str, Values]
    verbosity: float

    @property
    def ids(self) -> list[int]:
        """The messages, best first."""
        return list(dict.fromkeys(self.found.ids[self.found.messages[self.order]].tolist()))

    def parts_of(self, row: int) -> dict[str, float]:
        """Return the parts of a passage's score."""
        return {name: round(float(values[row]), 3) for name, values in self.parts.items() if values[row]}


def rank(found: Candidates, question: Question, closeness: Closeness | None = None) -> Ranked:
    """Return all passages, best first; of equals the newer."""
    neighbours = _find_neighbours(found)
    by_assistant = found.by_assistant[found.messages]
    verbose = measure_verbosity(found)
    words, lent = (WORDS * values for values in _score_words(found, neighbours))
    meaning = np.zeros(len(found)) if closeness is None else (closeness.of(found) - closeness.mean) / SPREAD
    is_itself = neighbours == np.arange(len(found))
    alone = 1 + NEARBY * is_itself.sum(axis=0)  # what has no neighbour is raised by itself
    penalty = np.where(_is_whole(found), PENALTY, PENALTY_OF_LONG)
    parts = {
        "words": words * alone,
        "meaning": meaning * alone,
        "nearby": lent * alone + NEARBY * np.where(is_itself, 0.0, (words + lent + meaning)[neighbours]).sum(axis=0),
        "speaker": NAMED * _score_named(found, question.text)[found.messages],
        "time": TIMELY * _score_timely(found, question)[found.messages],
        "assistant": -verbose * penalty * by_assistant,
    }
    scores: Values = np.sum(list(parts.values()), axis=0)
    parts["opening"] = OPENING * _score_day_openers(found, scores, of_all=verbose == 0)
    scores += parts["opening"]
    age = np.maximum(0.0, question.now.timestamp() - found.said_at)[found.messages] / DAY
    parts["recent"] = RECENT * np.exp(-age / WEEK) * np.maximum(0.0, scores)
    scores += parts["recent"]
    lent = _score_answers(found, scores, words)
    parts["nearby"] += lent
    scores += lent
    own = np.flatnonzero(~by_assistant)
    return Ranked(
        found=found,
        order=_sort_best_first(scores),
        by_meaning=own[_sort_best_first(meaning[own])],
        scores=scores,
        parts=parts,
        verbosity=verbose,
    )


def find_rarest(found: Candidates, question: Question, order: Sequence[int], *, most: int) -> list[int]:
    """Return the passages among `order` that hold the rarest of the question's own words; none if more than `most`
    messages hold it.
    """
    counts = {term: found.frequency[term] for term in question.own if found.frequency.get(term)}
    least = min(counts.values(), default=most + 1)
    lines = [line for line, term in enumerate(found.frequency) if counts.get(term) == least]
    return [row for row in order if found.counts[lines, row].any()] if least <= most else []


def measure_verbosity(found: Candidates) -> float:
    """Measure how long-winded the assistant is: 0 up to 1.4 times the mean length of a person's messages, 1 from 2.8
    times on.

    In chats of two people, where one has the role of the assistant, it is 0.
    """
    if found.assistant_mean <= 0 or found.person_mean <= 0:
        return 1.0
    return min(1.0, max(0.0, math.log2(found.assistant_mean / found.person_mean) - 0.5))


def compute_idf(turns: int, frequency: int) -> float:
    """BM25's inverse document frequency with 1 added inside (as Lucene does): never negative, unseen words highest."""
    return math.log(1 + (turns - frequency + 0.5) / (frequency + 0.5))


def _sort_best_first(values: Values) -> NDArray[np.intp]:
    return np.lexsort((-np.arange(len(values)), -np.round(values, 6)))


def _is_whole(found: Candidates) -> NDArray[np.bool_]:
    """[passages]: whether it is all of its message."""
    counts = np.bincount(found.messages, minlength=len(found.seqs))
    return np.asarray(counts[found.messages] == 1)


def _find_neighbours(found: Candidates) -> NDArray[np.intp]:
    """[2, passages]: the passages before and after each, where both are all of their messages and of one day; else the
    passage itself, which stands in for what is missing.
    """
    days = found.said_at // DAY
    whole, count = _is_whole(found), len(found)
    rows = np.arange(count)
    made = np.tile(rows, (2, 1))
    for line, step in enumerate((-1, 1)):
        other = np.clip(rows + step, 0, max(0, count - 1))
        apart = found.positions[found.messages[other]] - found.positions[found.messages]
        of_one_day = days[found.messages[other]] == days[found.messages]
        made[line] = np.where(whole & whole[other] & (apart == step) & of_one_day, other, rows)
    return made


def _score_words(found: Candidates, neighbours: NDArray[np.intp]) -> tuple[Values, Values]:
    """Return the share of the ideal BM25 score that each passage reaches by its own words, and what its neighbours'
    words add: each word counts at least BORROWED of what it counts for a neighbour.

    The ideal is the idf of all words of the question, unseen ones included, so that a paraphrase stays small.
    """
    if not len(found) or not found.frequency:
        return np.zeros(len(found)), np.zeros(len(found))
    rarity = np.array([compute_idf(found.turns, count) for count in found.frequency.values()])[:, None]
    length = K1 * (1 - B + B * found.lengths / found.lengths.mean())
    weights = rarity * found.counts * (K1 + 1) / (found.counts + length)
    best = np.maximum(weights, BORROWED * np.maximum(weights[:, neighbours[0]], weights[:, neighbours[1]]))
    return weights.sum(axis=0) / rarity.sum(), (best - weights).sum(axis=0) / rarity.sum()


def _score_day_openers(found: Candidates, scores: Values, *, of_all: bool) -> Values:
    """[passages]: for the first message of each day, how much the best of that day scores above it, of what people said
    themselves or `of_all`.
    """
    made = np.zeros(len(found))
    _, days = np.unique(found.said_at // DAY, return_inverse=True)
    _, firsts = np.unique(days, return_index=True)
    best = np.full(len(firsts), -np.inf)
    own = np.flatnonzero(~found.by_assistant[found.messages] | of_all)
    np.maximum.at(best, days[found.messages[own]], scores[own])
    opens = np.flatnonzero(np.isin(found.messages, firsts))
    made[opens] = np.maximum(0.0, best[days[found.messages[opens]]] - scores[opens])
    return made


def _score_answers(found: Candidates, scores: Values, words: Values) -> Values:
    """[passages]: what raises those of the long answer to the best message that hold most of the question's words."""
    made = np.zeros(len(found))
    best = int(found.messages[scores.argmax()]) if len(found) else 0
    both = slice(best, best + 2)
    is_answered = found.by_assistant[both].tolist() == [False, True] and np.ptp(found.positions[both]) == 1
    answer = np.flatnonzero(found.messages == best + 1)
    if is_answered and len(answer) > 1:
        answer = answer[np.argsort(-words[answer], kind="stable")[:ANSWERING]]
        made[answer] = np.maximum(0.0, ANSWERED * scores.max() + words[answer] - scores[answer])
    return made


def _score_named(found: Candidates, text: str) -> Values:
    """[messages]: 1 for those of the one speaker whom a question names."""
    named = {speaker for speaker in set(found.speakers) if speaker and is_naming(text, speaker)}
    return np.array([len(named) == 1 and speaker in named for speaker in found.speakers], np.float64)


def _score_timely(found: Candidates, question: Question) -> Values:
    """[messages]: 1 for those of a time that the question names."""
    values = np.zeros(len(found.seqs))
    for time in question.times:
        values[(time.start.timestamp() <= found.said_at) & (found.said_at < time.end.timestamp())] = 1.0
    return values

"""Which earlier messages matter to a question: formula F2 (docs/recall.md), one score made of parts that can be shown.

Pure functions of the candidates. Does not know stores, models or tokens: words arrive analysed, time expressions
resolved, vectors computed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from retrieval.date_expressions import Range
from retrieval.question import Question
from storage.search.protocol import Compared, Floats, Ints, Pool, VectorSearch
from storage.search.vector_search import CENTRING, best_passages

AFTERWARDS = timedelta(days=10)
"""People talk about an event for some days after it: what they say then counts in part."""
DAY = 24 * 3600


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """The constants of F2, fitted by benchmarks/fit.py. Each lies on a plateau, so these are round numbers, not
    optima.
    """

    centring: float = CENTRING  # share of the mean vector taken off before the cosine: e5's are squeezed into .7 to .9
    spread: float = 0.12  # cosine that counts as one unit of meaning
    meaning_near: float = 0.3  # meaning of the neighbours
    words: float = 8.0  # weight of (share of the ideal word score) squared
    words_near: float = 0.7  # the same of the neighbours
    borrow: tuple[float, float] = (0.7, 0.5)  # what a neighbour's word counts, one and two messages away
    near: tuple[float, float] = (0.4, 0.25)  # smoothing, one and two messages away
    assistant: float = 0.5  # taken off a long-winded assistant's message that can be cut to what matters
    assistant_whole: float = 5.0  # by words alone, which thirty paragraphs of advice hold, or where many are asked for
    named: float = 1.0  # the question names exactly this speaker
    learned: float = 1.0  # a relevant fact was learned from it
    standing: float = 1.0  # a person says what always holds or what they prefer; only next to a long-winded assistant
    many: float = 0.7  # taken off meaning, where many messages are asked for: the vector says more of how that is asked
    in_range: float = 0.5  # said within a time that the question names; .6 of it in the days after
    alike: float = 0.45  # centred cosine from which two messages begin to say the same; surely so .1 above
    alike_words: float = 0.85  # the same of the question's words that they hold, where there are no vectors
    k1: float = 1.2  # BM25's usual constants
    b: float = 0.75


WEIGHTS = Weights()
SURELY, JUST_BEFORE = 0.1, 0.01
OLDER, NEWER = 3, 12
"""One of the OLDER best messages gives way to a newer one, among the NEWER best, that says the same."""
STEPS = np.array([-2, -1, 1, 2])[:, None]
"""How far away the neighbours are that a score takes in."""
REACH = 3
"""Messages around each candidate that are read: a score takes in two neighbours, and these their own neighbours."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Meaning:
    """What the vectors say. `query`: [d]; `mean`: [d], of all vectors of the scope; `vectors`: [n, d], those that were
    compared; all as the model gave them. `rows`: [candidates], the row in `vectors` of each candidate's nearest
    passage, or -1; `cosines`: [candidates], centred, of these passages. `mean_cosine`: of an average message of the
    scope.
    """

    query: Floats
    mean: Floats
    vectors: Floats
    rows: NDArray[np.intp]
    cosines: Floats
    mean_cosine: float

    @classmethod
    def of(cls, nearest: VectorSearch, compared: Compared, seqs: Ints) -> "Meaning":
        """`seqs`: of the candidates."""
        rows = best_passages(compared, seqs)
        cosines = np.append(compared.cosines, np.float32(0))[rows]
        return cls(
            query=nearest.query,
            mean=nearest.mean,
            vectors=compared.vectors,
            rows=rows,
            cosines=cosines,
            mean_cosine=nearest.mean_cosine,
        )


class Scored(NamedTuple):
    """A candidate, by its id and the store's own number for it, with its score and the parts that add up to it.

    `verbose`: 0 for a person's message, up to 1 for a long-winded assistant's. `has_words`: whether the message, with
    its date and speaker, holds one of the question's words.
    """

    id: int
    seq: int
    score: float
    parts: Mapping[str, float]
    verbose: float
    has_words: bool


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Signals:
    """What speaks for each candidate, by part: [candidates] each, not yet weighted. `verbose`: as in Scored.
    `of_many`: as in Question.
    """

    pool: Pool
    meaning: Meaning | None
    of_many: bool
    values: Mapping[str, NDArray[np.float64]]
    verbose: NDArray[np.float64]


class Ranked(Sequence[Scored]):
    """Candidates, best first. Each is made when it is asked for: of 900 only a few dozen are.

    `rows`: the rows of the pool, in that order.
    """

    def __init__(self, found: Signals, names: Sequence[str], parts: NDArray[np.float64]) -> None:
        """`parts`: [names, candidates], weighted."""
        self._found = found
        self._names = names
        self._parts = parts
        self._total = parts.sum(axis=0)
        self.rows = _best_first(found.pool, self._total)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, rank: int) -> Scored: ...
    @overload
    def __getitem__(self, rank: slice) -> list[Scored]: ...
    def __getitem__(self, rank: int | slice) -> Scored | list[Scored]:
        if isinstance(rank, slice):
            return self.scored(self.rows[rank])
        return self.scored(self.rows[[rank]])[0]

    def long_winded(self, first: int, verbose: float) -> list[int]:
        """The seqs of those among the `first` best candidates that are more verbose than this."""
        rows = self.rows[:first]
        return [int(seq) for seq in self._found.pool.seqs[rows[self._found.verbose[rows] > verbose]]]

    def rarest(
        self, weights: Mapping[str, float], *, among: NDArray[np.bool_], most: int
    ) -> tuple[NDArray[np.intp], float]:
        """The rows of at most `most` candidates, `among` all, that hold the rarest of these terms, best first; and the
        share of the weight of all terms that the first of them holds.
        """
        pool = self._found.pool
        order = self.rows[among[self.rows]]
        lines = {term: (count, line) for line, (term, count) in enumerate(pool.matched.frequency.items()) if count}
        own = sorted(lines.keys() & weights.keys(), key=lambda term: lines[term])
        rarest, rows = 0, dict[int, None]()
        for term in own:
            if rows and lines[term][0] > rarest:
                break
            rarest = lines[term][0]
            rows |= dict.fromkeys(order[pool.counts[lines[term][1], order] > 0][:most].tolist())
        best = np.array(list(rows)[:most], np.intp)
        held = sum(weights[term] for term in own if rows and pool.counts[lines[term][1], best[0]])
        return best, held / max(1e-9, sum(weights.values()))

    def scored(self, rows: NDArray[np.intp]) -> list[Scored]:
        """The candidates in these rows of the pool."""
        pool, names = self._found.pool, self._names
        values = self._parts[:, rows].T
        has_words = pool.counts[:, rows].any(axis=0)
        columns = (pool.ids[rows], pool.seqs[rows], self._total[rows], self._found.verbose[rows], has_words, values)
        return [
            Scored(
                id=number,
                seq=seq,
                score=score,
                parts={name: value for name, value in zip(names, of_row, strict=True) if value},
                verbose=verbose,
                has_words=holds,
            )
            for number, seq, score, verbose, holds, of_row in zip(*(column.tolist() for column in columns), strict=True)
        ]


def rank(pool: Pool, question: Question, meaning: Meaning | None = None, w: Weights = WEIGHTS) -> Ranked:
    """All candidates, best first; of equals the shorter first, which leaves room for more, then the newer."""
    return weighed(signals(pool, question, meaning, w), w)


def signals(pool: Pool, question: Question, meaning: Meaning | None, w: Weights = WEIGHTS) -> Signals:
    """What speaks for each candidate, before it is weighted. Of the constants, only those of BM25, `borrow`, `near`,
    `many` and `centring` are used here.
    """
    neighbours = _neighbours(pool)
    verbose = verbosity(pool) * pool.by_assistant.astype(np.float64)
    held = [term for term, count in pool.matched.frequency.items() if count]
    by_term = _word_shares(pool, held, question.terms, w, neighbours)
    share = by_term.sum(axis=0) ** 2
    before = share * _part_of(by_term, [term in question.before for term in held])
    values = {
        "words": share - before,
        "words nearby": _smoothed(share - before, neighbours, w.near),
        "speaker": _named(pool, question.text),
        "fact": _learned(pool, question.fact_sources),
        "time": _timely(pool, question.ranges),
        "assistant": verbose * (not (question.of_assistant or question.of_overview)),
        "standing": verbosity(pool) * pool.standing.astype(np.float64),
    }
    if question.before:
        values |= {"words before": before, "words before nearby": _smoothed(before, neighbours, w.near)}
    if meaning is not None:
        closeness = _closeness(meaning, w)
        if question.of_many:
            closeness = closeness * (1 - w.many * verbosity(pool))
        values["meaning"] = closeness
        values["meaning nearby"] = _smoothed(closeness, neighbours, w.near) * (1 - verbose)
    return Signals(pool=pool, meaning=meaning, of_many=question.of_many, values=values, verbose=verbose)


def weighed(found: Signals, w: Weights = WEIGHTS) -> Ranked:
    """The candidates by the weighted sum of their signals, best first."""
    weight = {
        "words": w.words,
        "words nearby": w.words * w.words_near,
        "words before": w.words,
        "words before nearby": w.words * w.words_near,
        "speaker": w.named,
        "fact": w.learned,
        "time": w.in_range,
        "standing": w.standing,
        "assistant": -(w.assistant if found.meaning and not found.of_many else w.assistant_whole),
        "meaning": 1 / w.spread,
        "meaning nearby": w.meaning_near / w.spread,
    }
    names = list(found.values)
    parts = np.array([weight[name] for name in names])[:, None] * np.stack(list(found.values.values()))
    if len(found.pool):
        parts = np.vstack([parts, _newer(found, parts.sum(axis=0), w)])
        names.append("newer")
    return Ranked(found, names, parts)


def _newer(found: Signals, total: NDArray[np.float64], w: Weights) -> NDArray[np.float64]:
    """The score that a message lacks to rank above an older one in which the same speaker says the same. Where both are
    among the best, the newer is shown first; but not above one from the very time that the question asks about.
    """
    pool = found.pool
    best = _best_first(pool, total)[:NEWER]
    days = pool.said_at[best] // DAY
    timely, scores = found.values["time"][best], total[best]
    alike = w.alike if found.meaning else w.alike_words
    directions = _directions(found.meaning, best, w) if found.meaning else _word_directions(pool, best)
    lacking = np.zeros(len(pool))
    for older in range(min(OLDER, len(best))):
        likeness = (np.vecdot(directions, directions[older]) - alike) / SURELY
        may = (days > days[older]) & (scores < scores[older]) & (timely >= timely[older]) & (likeness > 0)
        for newer in np.flatnonzero(may):
            row = best[newer]
            if pool.speakers[row] == pool.speakers[best[older]]:
                sure = min(1.0, float(likeness[newer]))
                lacking[row] = max(lacking[row], sure * (scores[older] - scores[newer] + JUST_BEFORE))
    return lacking


def _best_first(pool: Pool, total: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.lexsort((-pool.ids, pool.sizes, -np.round(total, 6)))


def idf(turns: int, frequency: int) -> float:
    """BM25's inverse document frequency with 1 added inside (as Lucene does): never negative, unseen words highest."""
    return math.log(1 + (turns - frequency + 0.5) / (frequency + 0.5))


def centred(vectors: Floats, mean: Floats, share: float) -> Floats:
    """Vectors [… , d] without `share` of the mean, of unit length again."""
    moved = vectors - np.float32(share) * mean
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=-1, keepdims=True), 1e-9), dtype=np.float32)


def verbosity(pool: Pool) -> float:
    """How long-winded the assistant is: 0 up to 1.4 times the mean length of a person's messages, 1 from 2.8 times on.

    In imported chats of two people, where one has the role of the assistant, it is 0.
    """
    if pool.matched.assistant_mean <= 0 or pool.matched.person_mean <= 0:
        return 1.0
    return min(1.0, max(0.0, math.log2(pool.matched.assistant_mean / pool.matched.person_mean) - 0.5))


def _neighbours(pool: Pool) -> NDArray[np.intp]:
    """[STEPS, rows]: for each distance, the row that is so far away in the same session, or the number of rows where
    there is none.
    """
    positions, sessions, wanted = pool.positions, pool.sessions, pool.positions + STEPS
    index = np.minimum(np.searchsorted(positions, wanted), len(positions) - 1)
    is_there = (positions[index] == wanted) & (sessions[index] == sessions)
    return np.where(is_there, index, len(positions))


def _by_step(near: tuple[float, float]) -> NDArray[np.float64]:
    """[STEPS, 1]: what counts one and two messages away, in both directions."""
    return np.array([near[1], near[0], near[0], near[1]])[:, None]


def _smoothed(
    values: NDArray[np.float64], neighbours: NDArray[np.intp], near: tuple[float, float]
) -> NDArray[np.float64]:
    return np.asarray((_by_step(near) * np.append(values, 0.0)[neighbours]).sum(axis=0))


def _word_shares(
    pool: Pool, held: Sequence[str], terms: Sequence[str], w: Weights, neighbours: NDArray[np.intp]
) -> NDArray[np.float64]:
    """[held, rows]: the share of the ideal BM25 score that each message reaches by each word, in part by its
    neighbours.

    For each word it is the best of the message's own weight, .7 of its neighbours', and .5 of those two away, divided
    by the idf of all words of the question, unseen ones included, so that a paraphrase full of unseen words stays
    small.
    """
    weight = sum(idf(pool.matched.turns, pool.matched.frequency.get(term, 0)) for term in terms)
    if not held or not len(pool):
        return np.zeros((len(held), len(pool)))
    rarity = np.array([idf(pool.matched.turns, pool.matched.frequency[term]) for term in held])
    counts = pool.counts[[line for line, count in enumerate(pool.matched.frequency.values()) if count]]
    length = pool.lengths / max(pool.matched.mean_length, 1e-9)
    own = rarity[:, None] * counts * (w.k1 + 1) / (counts + w.k1 * (1 - w.b + w.b * length))
    padded = np.concatenate([own, np.zeros((len(held), 1))], axis=1)
    borrowed = (_by_step(w.borrow) * padded[:, neighbours]).max(axis=1)
    return np.asarray(np.maximum(own, borrowed) / max(weight, 1e-9))


def _part_of(shares: NDArray[np.float64], chosen: Sequence[bool]) -> NDArray[np.float64]:
    """How much of each row's share comes from the chosen words, 0 to 1."""
    if not any(chosen):
        return np.zeros(shares.shape[1])
    whole = shares.sum(axis=0)
    return np.asarray(shares[np.array(chosen)].sum(axis=0) / np.where(whole > 0, whole, 1.0))


def _directions(meaning: Meaning, rows: NDArray[np.intp], w: Weights) -> Floats:
    """The centred vectors of some rows, of unit length; zeros where a row has none."""
    chosen = meaning.rows[rows]
    made = np.zeros((len(rows), len(meaning.query)), np.float32)
    made[chosen >= 0] = centred(meaning.vectors[chosen[chosen >= 0]], meaning.mean, w.centring)
    return made


def _closeness(meaning: Meaning, w: Weights) -> NDArray[np.float64]:
    """Centred cosines above the average; a message without a vector is as close as the average."""
    cosines = meaning.cosines
    if w.centring != CENTRING:  # only while constants are being fitted
        vectors = centred(meaning.vectors[meaning.rows], meaning.mean, w.centring)
        cosines = np.vecdot(vectors, centred(meaning.query, meaning.mean, w.centring))
    return np.where(meaning.rows >= 0, cosines.astype(np.float64) - meaning.mean_cosine, 0.0)


def _word_directions(pool: Pool, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Which of the question's words some rows hold, weighted by rarity, of unit length."""
    rarity = np.array([idf(pool.matched.turns, count) for count in pool.matched.frequency.values()])
    held = (pool.counts[:, rows] > 0).T * rarity
    length = np.linalg.norm(held, axis=1, keepdims=True)
    return np.asarray(held / np.where(length > 0, length, 1.0))


def _named(pool: Pool, question: str) -> NDArray[np.float64]:
    """1 for the messages of the speaker whom the question names, if it names exactly one; else 0."""
    asked = question.casefold()
    named = [speaker for speaker in set(pool.speakers) if speaker and speaker.casefold() in asked]
    if len(named) != 1:
        return np.zeros(len(pool))
    return np.array([speaker == named[0] for speaker in pool.speakers], np.float64)


def _learned(pool: Pool, sources: Mapping[int, float]) -> NDArray[np.float64]:
    """How relevant the facts are that were learned from each candidate."""
    values = np.zeros(len(pool))
    for message, score in sources.items():
        values[pool.ids == message] = min(1.0, score)
    return values


def _timely(pool: Pool, ranges: Sequence[Range]) -> NDArray[np.float64]:
    """1 within a range, .6 in the days after it, else 0."""
    values = np.zeros(len(pool))
    for one in ranges:
        start, end, afterwards = (at.timestamp() for at in (one.start, one.end, one.end + AFTERWARDS))
        if not one.is_open:
            values[(end <= pool.said_at) & (pool.said_at < afterwards) & (values < 0.6)] = 0.6
        values[(start <= pool.said_at) & (pool.said_at < end)] = 1.0
    return values

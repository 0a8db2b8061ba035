"""Which earlier messages matter to a question: formula F2 (docs/recall.md), one score out of explainable parts.

Pure functions of the candidates they are handed. Does not know stores, models or tokens; words come analysed, time
expressions resolved, vectors computed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from records import Message
from retrieval.when import Range
from storage.nearest import CENTRING
from storage.store import Floats, Pool, PoolRow

AFTERWARDS = timedelta(days=10)
"""People tell of a thing for some days after it: what is said then counts in part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """The constants of F2, fitted by benchmarks/fit.py. Each lies on a plateau: round numbers, not optima."""

    centring: float = CENTRING  # share of the mean vector taken off before the cosine: e5's are squeezed into .7 to .9
    spread: float = 0.12  # cosine that counts as one unit of meaning
    meaning_near: float = 0.3  # meaning of the neighbours
    words: float = 8.0  # weight of (share of the ideal word score) squared
    words_near: float = 0.7  # the same of the neighbours
    borrow: tuple[float, float] = (0.7, 0.5)  # what a neighbour's word counts, one and two places away
    near: tuple[float, float] = (0.4, 0.25)  # smoothing, one and two places away
    assistant: float = 0.5  # taken off a long-winded assistant's message that can be cut to what matters
    assistant_whole: float = 1.0  # the same where it has to be shown whole (no vectors): it costs twice the tokens
    named: float = 1.0  # the question names exactly this speaker
    told: float = 1.0  # a fact that answers the question was learned from it
    in_range: float = 0.5  # said within a time that the question names; .6 of it in the days after
    alike: float = 0.45  # centred cosine from which two messages begin to say the same; surely so .1 above
    alike_words: float = 0.85  # the same of the question's words that they hold, where there are no vectors
    k1: float = 1.2  # BM25's usual constants
    b: float = 0.75


WEIGHTS = Weights()
SURELY, JUST_BEFORE = 0.1, 0.01
OLDER, NEWER = 3, 12
"""A message among so many best gives its place to a newer one, among so many best, that says the same."""
REACH = 4
"""A score looks two places around, and at the neighbours' own neighbours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, analysed. `told`: messages that a fact which matters was learned from, by id, with its score.

    `before`: those of its terms that are not its own, but of the turns that a short question leans on.
    """

    text: str
    terms: tuple[str, ...]
    before: frozenset[str] = frozenset()
    ranges: tuple[Range, ...] = ()
    told: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """What the vectors say. `query`: [d]; `mean`: [d], of all the scope's vectors; `vectors`: [d] each, by seq; all as
    the model gave them. `mean_cosine`: centred cosine of the question with an average message of the scope.
    """

    query: Floats
    mean: Floats
    vectors: Mapping[int, Floats]
    mean_cosine: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """A message with its score and the parts that add up to it.

    `verbose`: 0 for a person's message, up to 1 for a long-winded assistant's.
    """

    row: PoolRow
    score: float
    parts: Mapping[str, float]
    verbose: float

    @property
    def message(self) -> Message:
        return self.row.message


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """What speaks for each of the rows, by part: [rows] each, unweighed; `verbose` as in Scored.

    `directions`: [rows, …] of unit length, whose products say how alike two messages are: their meaning, or without
    vectors the words of the question that they hold.
    """

    rows: Sequence[PoolRow]
    values: Mapping[str, NDArray[np.float64]]
    verbose: NDArray[np.float64]
    directions: NDArray[np.floating]


def rank(pool: Pool, question: Question, meaning: Meaning | None = None, w: Weights = WEIGHTS) -> list[Scored]:
    """All candidates, best first; of equals the shorter, which leaves room for more, then the newer."""
    return weighed(signals(pool, question, meaning, w), w)


def signals(pool: Pool, question: Question, meaning: Meaning | None, w: Weights = WEIGHTS) -> Signals:
    """What speaks for each candidate, before it is weighed. Of the constants only those of BM25, `borrow`, `near` and
    `centring` have a part in it.
    """
    rows = pool.rows
    offsets = _offsets(rows)
    verbose = _verbosity(pool) * np.array([row.message.role == "assistant" for row in rows], dtype=float)
    by_term = _word_shares(pool, question.terms, w, offsets)
    share = by_term.sum(axis=0) ** 2
    is_before = np.array([term in question.before for term in question.terms], dtype=bool)
    before = share * _part_of(by_term, is_before)
    values = {
        "words": share - before,
        "words nearby": _smoothed(share - before, offsets, w.near),
        "speaker": _named(rows, question.text),
        "fact": np.array([min(1.0, question.told.get(row.message.id, 0.0)) for row in rows], dtype=float),
        "time": np.array([_timely(row.message.created_at, question.ranges) for row in rows], dtype=float),
        "assistant": verbose,
    }
    if question.before:
        values |= {"words before": before, "words before nearby": _smoothed(before, offsets, w.near)}
    if meaning is None:
        return Signals(rows=rows, values=values, verbose=verbose, directions=_word_directions(pool, question.terms))
    directions = _directions(rows, meaning, w)
    closeness = _closeness(directions, meaning, w)
    values["meaning"] = closeness
    values["meaning nearby"] = _smoothed(closeness, offsets, w.near) * (1 - verbose)
    return Signals(rows=rows, values=values, verbose=verbose, directions=directions)


def weighed(found: Signals, w: Weights = WEIGHTS) -> list[Scored]:
    """The candidates by the weighted sum of their signals, best first."""
    parts = _parts(found, w)
    total = np.sum(list(parts.values()), axis=0)
    names = list(parts)
    of_rows = np.stack(list(parts.values()), axis=1).tolist()
    scores, verbose = total.tolist(), found.verbose.tolist()
    return [
        Scored(
            row=found.rows[i],
            score=scores[i],
            parts={name: value for name, value in zip(names, of_rows[i], strict=True) if value},
            verbose=verbose[i],
        )
        for i in _best_first(found, total)
    ]


def order(found: Signals, w: Weights = WEIGHTS) -> list[int]:
    """The rows as `weighed` would order them."""
    return _best_first(found, np.sum(list(_parts(found, w).values()), axis=0))


def _parts(found: Signals, w: Weights) -> dict[str, NDArray[np.float64]]:
    weight = {
        "words": w.words,
        "words nearby": w.words * w.words_near,
        "words before": w.words,
        "words before nearby": w.words * w.words_near,
        "speaker": w.named,
        "fact": w.told,
        "time": w.in_range,
        "assistant": -(w.assistant if "meaning" in found.values else w.assistant_whole),
        "meaning": 1 / w.spread,
        "meaning nearby": w.meaning_near / w.spread,
    }
    parts = {name: weight[name] * values for name, values in found.values.items()}
    if found.rows:
        parts["newer"] = _newer(found, np.sum(list(parts.values()), axis=0), w)
    return parts


def _newer(found: Signals, total: NDArray[np.float64], w: Weights) -> NDArray[np.float64]:
    """What a message lacks to stand before an older one of the same speaker that says the same: where both are among
    the best, the newer is shown first, whatever fits. Not before one that was said when the question asks about.
    """
    best = _best_first(found, total)[:NEWER]
    timely = found.values["time"]
    alike = w.alike if "meaning" in found.values else w.alike_words
    lacking = np.zeros(len(found.rows))
    for older in best[:OLDER]:
        before = found.rows[older].message
        for newer in best:
            message = found.rows[newer].message
            is_newer = message.created_at.date() > before.created_at.date() and message.speaker == before.speaker
            if not is_newer or total[newer] >= total[older] or timely[newer] < timely[older]:
                continue
            likeness = (float(found.directions[older] @ found.directions[newer]) - alike) / SURELY
            sure = min(1.0, likeness)
            if sure > 0:
                lacking[newer] = max(lacking[newer], sure * (total[older] - total[newer] + JUST_BEFORE))
    return lacking


def _best_first(found: Signals, total: NDArray[np.float64]) -> list[int]:
    lengths = [len(row.message.content) for row in found.rows]
    ids = [row.message.id for row in found.rows]
    return [int(row) for row in np.lexsort((-np.array(ids), np.array(lengths), -np.round(total, 6)))]


def idf(turns: int, frequency: int) -> float:
    """BM25's inverse document frequency with 1 added inside (as Lucene does): never negative, unseen words highest."""
    return math.log(1 + (turns - frequency + 0.5) / (frequency + 0.5))


def centred(vectors: Floats, mean: Floats, share: float) -> Floats:
    """Vectors [… , d] without `share` of the mean, of unit length again."""
    moved = vectors - np.float32(share) * mean
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=-1, keepdims=True), 1e-9), dtype=np.float32)


def _verbosity(pool: Pool) -> float:
    """0 up to 1.4 times the length of a person's messages, 1 from 2.8 times on.

    Two people chatting, where one fills the assistant's place (imported chats), give 0.
    """
    if pool.assistant_mean <= 0 or pool.person_mean <= 0:
        return 1.0
    return min(1.0, max(0.0, math.log2(pool.assistant_mean / pool.person_mean) - 0.5))


def _offsets(rows: Sequence[PoolRow]) -> dict[int, NDArray[np.intp]]:
    """For each distance the index of the row so many places off in its session; len(rows) where there is none."""
    places = np.array([row.place for row in rows])
    sessions = np.array([row.session for row in rows])
    found = {}
    for step in (-2, -1, 1, 2):
        index = np.minimum(np.searchsorted(places, places + step), len(rows) - 1)
        is_there = (places[index] == places + step) & (sessions[index] == sessions)
        found[step] = np.where(is_there, index, len(rows))
    return found


def _smoothed(
    values: NDArray[np.float64], offsets: Mapping[int, NDArray[np.intp]], near: tuple[float, float]
) -> NDArray[np.float64]:
    padded = np.append(values, 0.0)
    return np.asarray(np.sum([near[abs(step) - 1] * padded[index] for step, index in offsets.items()], axis=0))


def _word_shares(
    pool: Pool, terms: Sequence[str], w: Weights, offsets: Mapping[int, NDArray[np.intp]]
) -> NDArray[np.float64]:
    """[terms, rows]: the share of the ideal BM25 score that each message reaches by each word, neighbours' in part.

    For each word the best of the message's own weight, .7 of that beside it, .5 of that two away; divided by the idf of
    all of the question's words, those never seen included, so that a paraphrase full of unseen words stays small.
    """
    if not terms:
        return np.zeros((0, len(pool.rows)))
    weight = np.array([idf(pool.turns, pool.frequency.get(term, 0)) for term in terms])
    counts = np.zeros((len(terms), len(pool.rows)))
    line = {term: number for number, term in enumerate(terms)}
    for column, row in enumerate(pool.rows):
        for term, count in row.counts.items():
            counts[line[term], column] = count
    length = np.array([row.length for row in pool.rows], dtype=float) / max(pool.mean_length, 1e-9)
    own = weight[:, None] * counts * (w.k1 + 1) / (counts + w.k1 * (1 - w.b + w.b * length))
    padded = np.concatenate([own, np.zeros((len(terms), 1))], axis=1)
    best = own
    for step, index in offsets.items():
        best = np.maximum(best, w.borrow[abs(step) - 1] * padded[:, index])
    return np.asarray(best / max(weight.sum(), 1e-9))


def _part_of(shares: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How much of each row's share is the chosen words', 0 to 1."""
    whole = shares.sum(axis=0)
    return np.asarray(shares[chosen].sum(axis=0) / np.where(whole > 0, whole, 1.0))


def _directions(rows: Sequence[PoolRow], meaning: Meaning, w: Weights) -> Floats:
    """The centred vector of each row, of unit length; zero where it has none."""
    directions = np.zeros((len(rows), len(meaning.query)), np.float32)
    have = [index for index, row in enumerate(rows) if row.seq in meaning.vectors]
    if have:
        vectors = np.stack([meaning.vectors[rows[index].seq] for index in have])
        directions[have] = centred(vectors, meaning.mean, w.centring)
    return directions


def _closeness(directions: Floats, meaning: Meaning, w: Weights) -> NDArray[np.float64]:
    """Centred cosines above the average; a message without a vector is as close as the average."""
    cosines = np.vecdot(directions, centred(meaning.query, meaning.mean, w.centring)).astype(np.float64)
    return np.where(directions.any(axis=1), cosines - meaning.mean_cosine, 0.0)


def _word_directions(pool: Pool, terms: Sequence[str]) -> NDArray[np.floating]:
    """Which of the question's words each row holds, by how rare they are, of unit length."""
    weight = np.array([idf(pool.turns, pool.frequency.get(term, 0)) for term in terms])
    held = np.array([[row.counts.get(term, 0) > 0 for term in terms] for row in pool.rows], dtype=float)
    held = held.reshape(len(pool.rows), len(terms)) * weight
    length = np.linalg.norm(held, axis=1, keepdims=True)
    return np.asarray(held / np.where(length > 0, length, 1.0))


def _named(rows: Sequence[PoolRow], question: str) -> NDArray[np.float64]:
    """1 for the messages of the one speaker whom the question names, if it names exactly one."""
    asked = question.casefold()
    speakers = {row.message.speaker for row in rows if row.message.speaker}
    named = [speaker for speaker in speakers if speaker.casefold() in asked]
    return np.array([float(named == [row.message.speaker]) for row in rows])


def _timely(said_at: datetime, ranges: Sequence[Range]) -> float:
    """1 within a range, .6 in the days after it, else 0."""
    best = 0.0
    for one in ranges:
        if one.start <= said_at < one.end:
            return 1.0
        if one.end <= said_at < one.end + AFTERWARDS:
            best = 0.6
    return best

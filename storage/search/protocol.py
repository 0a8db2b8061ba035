"""What a search reads of a memory, and the protocol of the vector index: columns and vectors, never texts.

Every backend keeps it, and the contract suite tests it. Does not know how words or vectors are indexed, or how results
are ranked.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from records.messages import Message

Result = TypeVar("Result")
Floats = npt.NDArray[np.float32]
"""Vectors, normalised: a dot product is a cosine."""
Ints = npt.NDArray[np.int64]
Readings = Callable[[Collection[str]], Mapping[str, Sequence[str]]]
"""For terms that few messages hold: what else their words may be in the index (analyzer.other_readings)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WordHit:
    """A message that holds words of a question; `score` is BM25, larger is better."""

    message: Message
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching:
    """The messages of a scope that match a question's terms best, and the scope's figures that BM25 needs.

    `turns`: how many messages it has; the means are of their lengths in terms; `frequency`: how many messages hold each
    term of the question. `readings`: other terms that messages hold for rare words of the question.
    """

    seqs: Sequence[int]
    turns: int
    mean_length: float
    person_mean: float
    assistant_mean: float
    frequency: Mapping[str, int]
    readings: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def held(self, terms: Iterable[str]) -> list[str]:
        """These terms with their readings; without terms that no message holds but as a reading."""
        found: list[str] = []
        for term in terms:
            readings = self.readings.get(term, ())
            if not readings or self.frequency.get(term, 0):
                found.append(term)
            found += readings
        return list(dict.fromkeys(found))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Pool:
    """Candidates for a question, in order, column by column.

    A column has one entry for each candidate: `seqs`, the store's own numbers; `ids`; `positions` among the messages of
    the scope; `sessions`, which end with a long silence; `lengths` in terms; `sizes` in bytes; `said_at`, seconds since
    1970. `standing`: whether a person says what always holds, or what they prefer (text/cues.py). `counts`: [terms of
    `matched.frequency`, candidates], how often each is in date, speaker and text. Texts are read only of those that may
    be shown (`MemoryStore.messages`).
    """

    seqs: Ints
    ids: Ints
    positions: Ints
    sessions: Ints
    lengths: Ints
    sizes: Ints
    said_at: npt.NDArray[np.float64]
    by_assistant: npt.NDArray[np.bool_]
    standing: npt.NDArray[np.bool_]
    speakers: tuple[str, ...]
    counts: npt.NDArray[np.float64]
    matched: Matching

    def __len__(self) -> int:
        return len(self.seqs)

    def before(self, first_id: int) -> "Pool":
        """Without the candidates from this id on, which are not counted in the frequencies either."""
        earlier = self.ids < first_id
        kept = int(earlier.sum())
        if kept == len(self):
            return self
        later = (self.counts[:, ~earlier] > 0).sum(axis=1).tolist()
        # Usually only the last ones go: then the columns need not be copied.
        rows = slice(kept) if earlier[:kept].all() else earlier
        counted = self.matched.frequency.items()
        frequency = {term: count - less for (term, count), less in zip(counted, later, strict=True)}
        return Pool(
            seqs=self.seqs[rows],
            ids=self.ids[rows],
            positions=self.positions[rows],
            sessions=self.sessions[rows],
            lengths=self.lengths[rows],
            sizes=self.sizes[rows],
            said_at=self.said_at[rows],
            by_assistant=self.by_assistant[rows],
            standing=self.standing[rows],
            speakers=self.speakers[rows] if isinstance(rows, slice) else tuple(compress(self.speakers, rows)),
            counts=self.counts[:, rows],
            matched=replace(self.matched, frequency=frequency),
        )


Judged = Callable[[Pool], tuple[Result, Sequence[int]]]
"""What is made of candidates, and the ids of those whose messages are wanted. Called in the database's thread, perhaps
more than once.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageVectors:
    """The vectors of a message, as `Vectors.put` takes them: of its passages [n, d], and of its sentences [m, d] if
    any.

    Without a passage it counts as indexed and is found by words alone. `message`: as it was embedded.
    """

    seq: int
    message: Message
    passages: Floats
    sentences: Floats | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Passages that were compared with a question: `seqs` [n], the messages that they are from (one may have several);
    `vectors` [n, d]; `cosines` [n], taken after a share of the scope's mean was subtracted.
    """

    seqs: Ints
    vectors: Floats
    cosines: Floats


@dataclass(frozen=True, kw_only=True, slots=True)
class VectorSearch:
    """The messages nearest to a question in meaning, best first.

    `query`: [d], the question. `mean`: [d], of all passages of the scope; a share of it is subtracted before cosines
    are taken, since the vectors of one model crowd together. `mean_cosine`: of all passages, estimated where there are
    many. `compared`: all passages of the scope where `is_whole`, else those that may be nearest.
    """

    query: Floats
    seqs: tuple[int, ...]
    mean: Floats
    mean_cosine: float
    compared: Compared
    is_whole: bool

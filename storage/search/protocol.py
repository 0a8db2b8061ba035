"""The interface of a search: it reads columns and vectors, never texts. Every backend keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from records.messages import Message

Floats = npt.NDArray[np.float32]  # vectors, normalised: a dot product is a cosine
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True)
class WordHit:
    """A message that holds words of a question; `score` is BM25, larger is better."""

    message: Message
    score: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Candidates:
    """The messages that may answer a question, in order of time, and their passages (text/passages.py).

    By message: `seqs`, the store's own numbers; `ids`; `positions`, which differ by one for two neighbours; `said_at`,
    seconds since 1970; `by_assistant`; `speakers`. By passage: `messages`, the row of its message; `parts`, its place
    there; `lengths` in terms; `counts`, [terms of `frequency`, passages], how often each is in date, speaker and text.
    `frequency`: how many of the scope's `turns` messages hold each term. The means are of messages' lengths in terms.
    """

    seqs: Ints
    ids: Ints
    positions: Ints
    said_at: npt.NDArray[np.float64]
    by_assistant: npt.NDArray[np.bool_]
    speakers: tuple[str, ...]
    messages: npt.NDArray[np.intp]
    parts: Ints
    lengths: Ints
    counts: npt.NDArray[np.float64]
    frequency: Mapping[str, int]
    turns: int
    person_mean: float
    assistant_mean: float

    def __len__(self) -> int:
        return len(self.messages)


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageVectors:
    """The vectors of a message's passages [n, d], as `VectorIndex.put` takes them.

    Without a passage it counts as indexed and is found by words alone. `message`: as it was embedded.
    """

    seq: int
    message: Message
    passages: Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Closeness:
    """The closeness in meaning of all passages of a scope to a question: [n] each, `seqs` of their messages, `parts`
    there, centred `cosines`. `nearest`: seqs of the closest messages, best first; `mean`: of the cosines.
    """

    seqs: Ints
    parts: Ints
    cosines: Floats
    nearest: tuple[int, ...]
    mean: float

    def of(self, found: Candidates) -> npt.NDArray[np.float64]:
        """[passages of the candidates]: their cosines; the mean where one has no vector."""
        rows = np.flatnonzero(np.isin(self.seqs, found.seqs))
        known = {
            (seq, part): cosine
            for seq, part, cosine in zip(
                self.seqs[rows].tolist(), self.parts[rows].tolist(), self.cosines[rows].tolist(), strict=True
            )
        }
        wanted = zip(found.seqs[found.messages].tolist(), found.parts.tolist(), strict=True)
        return np.array([known.get(one, self.mean) for one in wanted], np.float64)

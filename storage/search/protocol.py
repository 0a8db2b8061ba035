"""What a search reads: columns and vectors, never texts. The same for every backend."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from records.messages import Message

Floats = npt.NDArray[np.float32]  # vectors, normalised: a dot product is a cosine
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True)
class WordHit:
    """A message that holds words of a query, and its BM25 score (larger is better)."""

    message: Message
    score: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Candidates:
    """The messages that may answer a question, in order of time, and their passages (text/passages.py).

    By message: `seqs`, the store's row numbers; `ids`; `positions`, which differ by one for neighbours; `said_at`, in
    seconds since 1970; `by_assistant`; `speakers`.

    By passage: `messages`, the index of its message; `parts`, its place in the message; `lengths`, in terms; `counts`,
    [terms of `frequency`, passages], the occurrences of each term in date, speaker and text.

    `frequency` maps each term to the number of messages that hold it, out of the scope's `turns`. The means are lengths
    of messages, in terms.
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
    """The vectors of a message's passages [n, d], and the message as it was embedded.

    A message without passages counts as indexed and is found by its words alone.
    """

    seq: int
    message: Message
    passages: Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Closeness:
    """The similarity of all passages of a scope to a query.

    Arrays by passage: `seqs` of their messages, `parts` there, and centred `cosines`. `nearest` are the seqs of the
    closest messages, best first. `mean` is that of the cosines.
    """

    seqs: Ints
    parts: Ints
    cosines: Floats
    nearest: tuple[int, ...]
    mean: float

    def get_cosines(self, found: Candidates) -> npt.NDArray[np.float64]:
        """Return the cosine of each candidate passage, or the mean for one without a vector."""
        rows = np.flatnonzero(np.isin(self.seqs, found.seqs))
        keys = zip(self.seqs[rows].tolist(), self.parts[rows].tolist(), strict=True)
        cosines = dict(zip(keys, self.cosines[rows].tolist(), strict=True))
        wanted = zip(found.seqs[found.messages].tolist(), found.parts.tolist(), strict=True)
        return np.array([cosines.get(key, self.mean) for key in wanted], np.float64)

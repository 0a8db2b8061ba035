"""The values that all search backends exchange: candidate messages, passage vectors and similarities."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from records.messages import Message

Floats = npt.NDArray[np.float32]  # vectors, normalised: a dot product is a cosine
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Candidates:
    """The messages that may answer a question, in chronological order, and their passages.

    The first six fields have one item per message, and the next four have one item per passage.
    """

    seqs: Ints  # row numbers in the store
    ids: Ints
    positions: Ints  # neighbouring messages differ by one
    said_at: npt.NDArray[np.float64]  # seconds since 1970
    by_assistant: npt.NDArray[np.bool_]
    speakers: tuple[str, ...]
    messages: npt.NDArray[np.intp]  # index of the passage's message in the fields above
    parts: Ints  # place of the passage in its message
    lengths: Ints  # in terms
    counts: npt.NDArray[np.float64]  # [terms of `frequency`, passages], occurrences in date, speaker and text
    frequency: Mapping[str, int]  # number of messages that contain each term
    turns: int  # number of messages in the scope
    person_mean: float  # mean length of people's messages, in terms
    assistant_mean: float  # mean length of the assistant's messages, in terms

    def __len__(self) -> int:
        return len(self.messages)


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageVectors:
    """The vectors of a message's passages, with shape [n, d]. n is 0 if the embedder rejected the message."""

    seq: int
    message: Message
    passages: Floats


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Similarities:
    """The cosine similarity of each passage in a scope to a query."""

    seqs: Ints  # by passage
    parts: Ints  # by passage
    cosines: Floats  # by passage, centred
    nearest: tuple[int, ...]  # the seqs of the closest messages, best first
    mean: float  # of the cosines

    def get_cosines(self, candidates: Candidates) -> npt.NDArray[np.float64]:
        """Return each candidate passage's cosine or, if it has no vector, the mean cosine of all passages."""
        rows = np.flatnonzero(np.isin(self.seqs, candidates.seqs))
        keys = zip(self.seqs[rows].tolist(), self.parts[rows].tolist(), strict=True)
        cosines = dict(zip(keys, self.cosines[rows].tolist(), strict=True))
        wanted = zip(candidates.seqs[candidates.messages].tolist(), candidates.parts.tolist(), strict=True)
        return np.array([cosines.get(key, self.mean) for key in wanted], np.float64)

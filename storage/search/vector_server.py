"""What a database may itself find among the vectors that it holds, and what the process then knows of a scope.

Owns the protocol, and the figures by which vectors are centred. Does not know an engine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from records.scopes import Scope
from storage.files.sql import Connection
from storage.search.protocol import Floats, Ints
from storage.search.vector_search import CENTRING, Rough, centred_lengths, centred_query

Blob = tuple[str, int, bytes]
"""Of a row of `vectors`: kind, part, and the vector as numbers of 16 bits, the lowest byte first."""
Key = tuple[int, int, int]
"""Whose row it is: owner, thread, seq."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """A scope whose vectors the database searches: `count` of them, `total` [d] their sum, `drift` [d] the sum of the
    centred ones, each of length 1. Its product with a centred question, by `count`, is the mean cosine.

    Vectors that are replaced are counted again: a message is edited seldom, and the next load counts anew.
    """

    count: int
    total: npt.NDArray[np.float64]
    drift: npt.NDArray[np.float64]

    @property
    def dimensions(self) -> int:
        return len(self.total)

    @property
    def bytes(self) -> int:
        return self.total.nbytes + self.drift.nbytes

    @property
    def mean(self) -> Floats:
        return (self.total / max(1, self.count)).astype(np.float32)

    def plus(self, vectors: Floats) -> "Figures":
        made = replace(self, count=self.count + len(vectors), total=self.total + vectors.sum(axis=0, dtype=np.float64))
        mean = made.mean
        moved = (vectors - np.float32(CENTRING) * mean) / centred_lengths(vectors, mean)[:, None]
        return replace(made, drift=self.drift + moved.sum(axis=0, dtype=np.float64))

    def rough(self, query: Floats, seqs: Ints) -> Rough:
        """Messages that the database has found, as what is to be compared exactly."""
        mean = self.mean
        drift = (self.drift / max(1, self.count)).astype(np.float32)
        return Rough(seqs=seqs, mean=mean, mean_cosine=float(np.vecdot(drift, centred_query(query, mean))))


class VectorServer(Protocol):
    """A database that searches among its vectors. The connections are its own, each within a transaction.

    `least`: a scope of more messages is searched there, once its figures are known; a smaller one in RAM, as in the
    other stores. `columns`: what of a row is its vector, as `stacked` takes it.
    """

    least: int

    @property
    def columns(self) -> str: ...

    def insert(self, connection: Connection, model_id: int, rows: Iterable[tuple[Key, Blob]]) -> None:
        """Store vectors where they are searched."""

    def figures(self, connection: Connection, scope: Scope, model: str, dimensions: int) -> Figures | None:
        """The figures of a scope; None where it has no vectors of this length, or some that cannot be searched yet."""
        ...

    def nearest(
        self, connection: Connection, scope: Scope, model: str, query: Floats, figures: Figures, limit: int
    ) -> tuple[Sequence[tuple[int, bytes | None, bytes | None]], bool]:
        """Seqs and vectors of passages that may be nearest to a question [d], at least `limit` where there are as many;
        and whether there are no others.
        """
        ...

    async def keep_up(self) -> None:
        """Take over what is stored in another form, and build indexes; takes minutes, and nobody waits for it."""


PLAIN = "vector, NULL"
"""`columns` of a database that does not search."""


def stacked(rows: Iterable[tuple[int, bytes | None, bytes | None]], dimensions: int) -> tuple[Ints, Floats]:
    """Seqs [n] and vectors [n, d]; vectors of another length are left out (the endpoint's model has changed).

    Of each row one is given: the vector as it is stored by itself, or as the server sends it (4 bytes, then the numbers
    with the highest byte first).
    """
    ours: list[tuple[int, bytes]] = []
    theirs: list[tuple[int, bytes]] = []
    for seq, mine, sent in rows:
        if sent is not None:
            if len(sent) == 2 * dimensions + 4:
                theirs.append((seq, sent[4:]))
        elif mine is not None and len(mine) == 2 * dimensions:
            ours.append((seq, mine))
    seqs = np.array([seq for seq, _ in (*ours, *theirs)], np.int64)
    numbers = [
        np.frombuffer(b"".join(vector for _, vector in some), order).astype(np.float32)
        for some, order in ((ours, "<f2"), (theirs, ">f2"))
        if some
    ]
    return seqs, (np.concatenate(numbers) if numbers else np.zeros(0, np.float32)).reshape(-1, dimensions)

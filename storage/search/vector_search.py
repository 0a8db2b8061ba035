"""Which of many vectors are nearest to one. A few are all compared; of many, first the signs, one bit a number. Pure.

Owns the two kinds of copies in RAM that a scope may have, and how they grow. Does not know files, scopes or messages: a
vector belongs to a number, `seq`, which may have several.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from storage.search.protocol import Compared, Floats, Ints, VectorSearch
from storage.search.quantized_vectors import Kept, roomy

Bits = npt.NDArray[np.uint64]

CENTRING = 0.7
"""The share of a scope's mean vector that is subtracted before cosines are taken (docs/recall.md)."""
CLOSE_BY_SIGNS = 8_000
"""So many vectors with the most equal signs are compared with the numbers of the question (docs/decisions)."""
RESCORED = (500, 2_000)
"""Of these, one in 500 of all vectors are compared exactly, but at least and at most so many."""
KEPT_BYTES = 64 * 2**20
"""A scope's vectors are in RAM along with their signs while they take no more; otherwise some are read from the file.
"""
SAMPLE = 2_000
"""Vectors of a large scope from which the mean cosine is estimated."""
_STRETCH = 2**15
_EIGHT_SIGNS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T.astype(np.float32)
"""The eight signs of each byte, by columns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exact:
    """All vectors of a scope. Rows beyond `count` are room for more; one writer at a time.

    `lengths`: of the centred vectors. They change with every new vector and are computed then, so that a question reads
    the vectors once and not twice.
    """

    dimensions: int
    count: int
    seqs: Ints
    vectors: Floats
    total: npt.NDArray[np.float64]
    lengths: Floats

    @classmethod
    def empty(cls, dimensions: int) -> "Exact":
        return cls(
            dimensions=dimensions,
            count=0,
            seqs=np.zeros(0, np.int64),
            vectors=np.zeros((0, dimensions), np.float32),
            total=np.zeros(dimensions),
            lengths=np.zeros(0, np.float32),
        )

    @property
    def bytes(self) -> int:
        return self.seqs.nbytes + self.vectors.nbytes + self.lengths.nbytes

    @property
    def mean(self) -> Floats:
        return (self.total / max(1, self.count)).astype(np.float32)

    def plus(self, seqs: Ints, vectors: Floats) -> "Exact":
        count = self.count + len(seqs)
        held_seqs, held_vectors = roomy(self.seqs, self.count, count), roomy(self.vectors, self.count, count)
        held_seqs[self.count : count] = seqs
        held_vectors[self.count : count] = vectors
        total = self.total + vectors.sum(axis=0, dtype=np.float64)
        made = replace(self, count=count, seqs=held_seqs, vectors=held_vectors, total=total)
        return replace(made, lengths=centred_lengths(held_vectors[:count], made.mean))

    def nearest(self, query: Floats, limit: int) -> VectorSearch:
        mean, seqs, vectors = self.mean, self.seqs[: self.count], self.vectors[: self.count]
        cosines = centred_cosines(vectors, query, mean, self.lengths)
        rows = _best_rows(-cosines, seqs, limit)
        return VectorSearch(
            query=query,
            seqs=tuple(seqs[rows].tolist()),
            mean=mean,
            mean_cosine=float(cosines.mean()),
            compared=Compared(seqs=seqs, vectors=vectors, cosines=cosines),
            is_whole=True,
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Rough:
    """The nearest as far as signs can tell, best first; the other fields as in VectorSearch."""

    seqs: Ints
    mean: Floats
    mean_cosine: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """The signs of a scope's centred vectors: one bit a number.

    `planes`: [d / 64, room], so that a comparison reads memory in order. `kept`: the vectors, while they take no more
    than KEPT_BYTES. `centre` stays as it was when the first signs were taken. `drift`: the mean of the sample's centred
    vectors of length 1; its product with a centred question is the mean cosine.
    """

    dimensions: int
    count: int
    seqs: Ints
    planes: Bits
    kept: Kept | None
    centre: Floats
    total: npt.NDArray[np.float64]
    sample: Floats
    drift: Floats

    @classmethod
    def of(cls, exact: Exact) -> "Signs":
        centre = (np.float32(CENTRING) * exact.total / exact.count).astype(np.float32)
        signs = cls(
            dimensions=exact.dimensions,
            count=0,
            seqs=np.zeros(0, np.int64),
            planes=np.zeros((-(-exact.dimensions // 64), 0), np.uint64),
            kept=Kept.empty(exact.dimensions),
            centre=centre,
            total=np.zeros(exact.dimensions),
            sample=np.zeros((0, exact.dimensions), np.float32),
            drift=np.zeros(exact.dimensions, np.float32),
        )
        return signs.plus(exact.seqs[: exact.count], exact.vectors[: exact.count])

    @property
    def bytes(self) -> int:
        held = 0 if self.kept is None else self.kept.bytes
        return self.seqs.nbytes + self.planes.nbytes + self.sample.nbytes + held

    @property
    def rescored(self) -> int:
        """How many of those that signs find are to be compared exactly."""
        least, most = RESCORED
        return max(least, min(most, self.count // 500))

    def plus(self, seqs: Ints, vectors: Floats) -> "Signs":
        count = self.count + len(seqs)
        held_seqs = roomy(self.seqs, self.count, count)
        planes = self.planes
        if count > planes.shape[1]:
            planes = np.empty((len(planes), len(held_seqs)), np.uint64)
            planes[:, : self.count] = self.planes[:, : self.count]
        held_seqs[self.count : count] = seqs
        planes[:, self.count : count] = _signs(vectors - self.centre)
        fits = count * self.dimensions <= KEPT_BYTES
        kept = self.kept.plus(seqs, vectors) if self.kept is not None and fits else None
        total = self.total + vectors.sum(axis=0, dtype=np.float64)
        sample = _resampled(self.sample, self.count, vectors)
        mean = (total / max(1, count)).astype(np.float32)
        lengths = centred_lengths(sample, mean)
        drift = ((sample - np.float32(CENTRING) * mean) / lengths[:, None]).sum(axis=0) / max(1, len(sample))
        made = replace(self, count=count, seqs=held_seqs, planes=planes, kept=kept, total=total, sample=sample)
        return replace(made, drift=drift.astype(np.float32))

    def nearest(self, query: Floats, limit: int) -> Rough:
        mean = (self.total / self.count).astype(np.float32)
        moved = query - self.centre
        rows = self._close(_signs(moved[None])[:, 0], max(CLOSE_BY_SIGNS, limit))
        # The signs of each vector are compared with the numbers of the question, of which large ones count most: the
        # sum of every eight signs is looked up in a table.
        eights = self.planes.take(rows, axis=1).view(np.uint8).reshape(len(self.planes), len(rows), 8)
        sums = _padded(moved).reshape(len(self.planes), 8, 8) @ _EIGHT_SIGNS
        closeness = np.zeros(len(rows), np.float32)
        for plane, of_plane in zip(eights, sums, strict=True):
            for byte, of_byte in enumerate(of_plane):
                closeness += of_byte[plane[:, byte]]
        seqs = self.seqs[rows]
        return Rough(
            seqs=seqs[_best_rows(-closeness, seqs, limit)],
            mean=mean,
            mean_cosine=float(np.vecdot(self.drift, centred_query(query, mean))),
        )

    def _close(self, asked: Bits, wanted: int) -> npt.NDArray[np.intp]:
        """The rows with the most signs equal, at least `wanted` where there are as many."""
        differing = np.empty(self.count, np.uint16)
        for start in range(0, self.count, _STRETCH):
            part = slice(start, min(start + _STRETCH, self.count))
            differing[part] = np.bitwise_count(self.planes[0, part] ^ asked[0])
            for plane, word in zip(self.planes[1:], asked[1:], strict=True):
                differing[part] += np.bitwise_count(plane[part] ^ word)
        cut = int(np.searchsorted(np.cumsum(np.bincount(differing)), wanted))
        return np.flatnonzero(differing <= cut)


def compared(seqs: Ints, vectors: Floats, query: Floats, mean: Floats) -> Compared:
    """Passages [n, d] of messages [n], compared with a query [d]."""
    return Compared(seqs=seqs, vectors=vectors, cosines=centred_cosines(vectors, query, mean))


def rescored(found: Compared, rough: Rough, query: Floats, limit: int) -> VectorSearch:
    """The best `limit` of those that signs found, now that they are compared exactly."""
    rows = _best_rows(-found.cosines, found.seqs, limit)
    return VectorSearch(
        query=query,
        seqs=tuple(found.seqs[rows].tolist()),
        mean=rough.mean,
        mean_cosine=rough.mean_cosine,
        compared=found,
        is_whole=False,
    )


def joined(one: Compared, other: Compared) -> Compared:
    """What was compared in two steps, as one."""
    return Compared(
        seqs=np.concatenate([one.seqs, other.seqs]),
        vectors=np.concatenate([one.vectors, other.vectors]),
        cosines=np.concatenate([one.cosines, other.cosines]),
    )


def best_passages(found: Compared, wanted: Ints) -> npt.NDArray[np.intp]:
    """The row in `found` of the nearest passage of each wanted message [len(wanted)]; -1 where it has none."""
    made = np.full(len(wanted), -1, np.intp)
    rows = np.flatnonzero(np.isin(found.seqs, wanted))
    order = np.argsort(wanted)
    # Of several passages of one message, the last one assigned stays: the nearest.
    rows = rows[np.argsort(found.cosines[rows], kind="stable")]
    made[order[np.searchsorted(wanted, found.seqs[rows], sorter=order)]] = rows
    return made


def grown(held: Exact | Signs, seqs: Ints, vectors: Floats, most_exact: int) -> Exact | Signs:
    """`held` with more vectors; as signs when there are more than `most_exact`."""
    made = held.plus(seqs, vectors)
    return Signs.of(made) if isinstance(made, Exact) and made.count > most_exact else made


def centred_cosines(vectors: Floats, query: Floats, mean: Floats, lengths: Floats | None = None) -> Floats:
    """Cosines [n] of normalised vectors [n, d] and a query [d], all moved by a share of the mean [d].

    `lengths`: `centred_lengths` of them, where they are known.
    """
    moved = centred_query(query, mean)
    if lengths is None:
        lengths = centred_lengths(vectors, mean)
    cosines: Floats = (np.vecdot(vectors, moved) - np.float32(CENTRING) * np.vecdot(moved, mean)) / lengths
    return cosines


def centred_query(query: Floats, mean: Floats) -> Floats:
    """A vector [d] moved by a share of the mean, of unit length again."""
    moved = query - np.float32(CENTRING) * mean
    return np.asarray(moved / max(float(np.linalg.norm(moved)), 1e-9), np.float32)


def centred_lengths(vectors: Floats, mean: Floats) -> Floats:
    """The lengths [n] of normalised vectors [n, d] that are moved by a share of the mean [d]."""
    share = np.float32(CENTRING)
    # |v - cm|² = 1 - 2c v·m + c²|m|², which needs no copy of the vectors. Not `@`: for a millisecond of work BLAS would
    # occupy every processor, and wait for busy ones.
    squares = 1 - 2 * share * np.vecdot(vectors, mean) + share * share * np.vecdot(mean, mean)
    lengths: Floats = np.sqrt(np.maximum(squares, 1e-9))
    return lengths


def _best_rows(distances: npt.NDArray[np.generic], seqs: Ints, limit: int) -> npt.NDArray[np.intp]:
    """Rows with the smallest distances, nearest first, one for each seq, at most `limit`."""
    count, wanted = len(distances), limit
    rows = np.zeros(0, np.intp)
    while limit > 0:
        best = np.argpartition(distances, wanted)[:wanted] if wanted < count else np.arange(count)
        order = best[np.lexsort((-seqs[best], distances[best]))]
        _, firsts = np.unique(seqs[order], return_index=True)
        rows = order[np.sort(firsts)[:limit]]
        if len(rows) == limit or wanted >= count:
            break
        wanted *= 4
    return rows


def _signs(vectors: Floats) -> Bits:
    """The signs of vectors [n, d] as planes [d / 64, n], filled up with 0 to a whole word."""
    return np.packbits(_padded(vectors) > 0, axis=1).view(np.uint64).T


def _padded(vectors: Floats) -> Floats:
    """Vectors [… , d] with zeros up to a whole word of signs."""
    missing = -vectors.shape[-1] % 64
    return np.pad(vectors, [(0, 0)] * (vectors.ndim - 1) + [(0, missing)]) if missing else vectors


def _resampled(sample: Floats, seen: int, vectors: Floats) -> Floats:
    """A sample in which every row seen is equally likely (reservoir sampling)."""
    free = SAMPLE - len(sample)
    if free > 0:
        sample, vectors, seen = np.concatenate([sample, vectors[:free]]), vectors[free:], seen + min(free, len(vectors))
    else:
        sample = sample.copy()
    if len(vectors):
        random = np.random.default_rng(seen)
        slots = random.integers(0, np.arange(seen + 1, seen + len(vectors) + 1))
        taken = slots < SAMPLE
        sample[slots[taken]] = vectors[taken]
    return sample

"""Vectors that are kept in RAM come back by their messages, nearly as they were, in whatever order they came."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storage.search.quantized_vectors import LARGEST, Kept

SIZE = 6
batches = st.lists(st.lists(st.integers(1, 30), max_size=8), max_size=6)


@given(batches, st.lists(st.integers(0, 31), unique=True))
def test_what_was_kept_comes_back(said: list[list[int]], wanted: list[int]) -> None:
    random = np.random.default_rng(len(said))
    kept, known = Kept.empty(SIZE), []
    for batch in said:
        vectors = random.normal(size=(len(batch), SIZE)).astype(np.float32)
        known += list(zip(batch, vectors, strict=True))
        kept = kept.plus(np.array(batch, np.int64), vectors)
    seqs, vectors = kept.of(np.array(wanted, np.int64))
    expected = [(seq, vector) for sought in wanted for seq, vector in known if seq == sought]
    assert seqs.tolist() == [seq for seq, _ in expected]
    assert vectors.shape == (len(expected), SIZE)
    for vector, (_, whole) in zip(vectors, expected, strict=True):
        assert np.abs(vector - whole).max() <= np.abs(whole).max() / LARGEST / 2 + 1e-6


def test_a_vector_of_zeros_stays_one() -> None:
    _, vectors = Kept.empty(SIZE).plus(np.array([1]), np.zeros((1, SIZE), np.float32)).of(np.array([1]))
    assert not vectors.any()

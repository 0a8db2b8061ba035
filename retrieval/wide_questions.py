"""Recognises, by meaning, questions about an order, a count or a whole story, since these need several searches."""

import numpy as np

from storage.search.protocol import Floats
from text.stopwords import WORD_LISTS

WIDE, NARROW = (tuple(WORD_LISTS["questions"][kind]) for kind in ("wide", "narrow"))  # examples of both
MIN_LEAD = 0.4  # how much closer the closest wide example must be, in standard deviations of the examples' cosines


def needs_several_searches(question_vector: Floats, example_vectors: Floats) -> bool:
    """Return True if a question needs several searches. `example_vectors` are the embeddings of WIDE and NARROW."""
    cosines = example_vectors @ example_vectors.T
    spread = float(cosines[np.triu_indices(len(example_vectors), 1)].std())
    closeness = example_vectors @ question_vector
    return float(closeness[: len(WIDE)].max() - closeness[len(WIDE) :].max()) > MIN_LEAD * spread

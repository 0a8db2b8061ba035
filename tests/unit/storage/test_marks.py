"""What the hashes of terms tell: how often each term is in a text, and which texts hold one of several."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storage.search.terms import Marks, Wanted, bare_token, hashes, term_hash

TERMS = ("cat", "dog", "tea", "a.b", "a@b", "кот", "猫")  # "a.b" and "a@b" are the same token
said = st.lists(st.lists(st.sampled_from(TERMS), max_size=6), max_size=6)


@given(said, st.lists(st.sampled_from((*TERMS, "never")), max_size=6))
def test_terms_are_counted_in_each_text_by_their_hashes(texts: list[list[str]], asked: list[str]) -> None:
    stored = [[bare_token(term) for term in text] for text in texts]
    marks, wanted = Marks([hashes(text) for text in stored]), Wanted(map(term_hash, asked))
    often = [[text.count(bare_token(term)) for text in stored] for term in asked]
    assert np.array_equal(marks.counts(wanted), np.array(often, np.float64).reshape(len(asked), len(texts)))
    held = [any(bare_token(term) in text for term in asked) for text in stored]
    assert marks.holding(wanted).tolist() == held

"""Term hashes count how often each term occurs in each passage of a message."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storage.search.terms import TermHashes, encode_term_hashes_with_borders, mask_separators

TERMS = ("cat", "dog", "tea", "a.b", "a@b", "кот", "猫")  # "a.b" and "a@b" are the same token
terms = st.lists(st.sampled_from(TERMS), max_size=6)


@given(st.lists(terms, max_size=6), st.lists(st.sampled_from((*TERMS, "never")), max_size=6))
def test_terms_are_counted_per_text_by_hash(texts: list[list[str]], asked: list[str]) -> None:
    stored = [[mask_separators(term) for term in text] for text in texts]
    found = TermHashes([encode_term_hashes_with_borders(text) for text in stored])
    often = [[text.count(mask_separators(term)) for text in stored] for term in asked]
    assert np.array_equal(
        found.count_terms_by_passage(asked), np.array(often, np.float64).reshape(len(asked), len(texts))
    )
    assert found.lengths.tolist() == [len(text) for text in texts]
    assert found.parts.tolist() == [0] * len(texts)


@given(terms, st.lists(terms, min_size=2, max_size=4), terms)
def test_heading_terms_count_for_every_passage(heading: list[str], passages: list[list[str]], other: list[str]) -> None:
    passage_starts, said = [], list(heading)
    for passage in passages:
        passage_starts.append(len(said))
        said += passage
    found = TermHashes(
        [
            encode_term_hashes_with_borders(list(map(mask_separators, said)), passage_starts),
            encode_term_hashes_with_borders(list(map(mask_separators, other))),
        ]
    )
    assert found.messages.tolist() == [*[0] * len(passages), 1]
    assert found.parts.tolist() == [*range(len(passages)), 0]
    whole = [heading + passage for passage in passages] + [other]
    assert found.lengths.tolist() == [len(terms) for terms in whole]
    counted = found.count_terms_by_passage(["cat"]).tolist()
    assert counted == [[terms.count("cat") for terms in whole]]

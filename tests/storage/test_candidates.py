"""Candidates: what is read of them column by column is what stands in the messages and in the index."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from storage.candidates import RANKED_WHOLE
from storage.rows import runs
from storage.sqlite import SqliteStore
from tests.storage.conftest import ANNA, said
from words import content_terms

NUMBERS = st.lists(st.integers(-50, 50), max_size=30)


@given(NUMBERS, st.integers(0, 5))
def test_runs_hold_what_is_near_and_touch_no_other(numbers: list[int], reach: int) -> None:
    found = json.loads(runs(numbers, reach))
    held = {number for first, last in found for number in range(first, last + 1)}
    assert held == {number + step for number in numbers for step in range(-reach, reach + 1)}
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(found))


async def test_terms_are_counted_where_they_stand(store: SqliteStore) -> None:
    texts = ["ab cab ab", "b ab", "Überfahrt überfahrt", "東京 東京", "", "cab cab cab b"]
    for text in texts:
        await store.append(ANNA, [said(text)])
    terms = ["ab", "cab", "b", "uberfahrt", "東京", "walrus"]
    pool = await store.pool(ANNA, await store.matching(ANNA, terms, limit=9), reach=1)
    assert dict(zip(pool.matched.frequency, pool.counts.tolist(), strict=True)) == {
        "ab": [2, 1, 0, 0, 0, 0],
        "cab": [1, 0, 0, 0, 0, 3],
        "b": [0, 1, 0, 0, 0, 1],
        "uberfahrt": [0, 0, 2, 0, 0, 0],
        "東京": [0, 0, 0, 2, 0, 0],
        "walrus": [0, 0, 0, 0, 0, 0],
    }
    messages = await store.messages(ANNA, pool.ids.tolist())
    assert pool.sizes.tolist() == [len(one.content.encode()) for one in messages]
    assert pool.said_at.tolist() == [one.created_at.timestamp() for one in messages]
    assert pool.speakers == tuple(one.speaker for one in messages)
    assert len(await store.pool(ANNA, await store.matching(ANNA, [], limit=0), reach=0)) == len(texts)


async def test_what_holds_the_rarest_word_is_a_candidate_however_much_others_hold(store: SqliteStore) -> None:
    often = "otters, newts, herons, eagles and lizards"
    texts = ["a walrus of the north", *[often] * 40, *["nothing but birds and snow"] * RANKED_WHOLE]
    await store.append(ANNA, [said(text) for text in texts])
    common = content_terms(often)
    without = await store.matching(ANNA, [*common, "walrus"], limit=9)
    assert 1 not in without.seqs
    matched = await store.matching(ANNA, [*common, "walrus"], limit=9, surely=["walrus", "unicorn"])
    assert list(matched.seqs) == [*without.seqs, 1]
    assert (await store.matching(ANNA, common, limit=9, surely=common)).seqs == without.seqs[:9]

"""Candidates: what is read of them column by column is what stands in the messages and in the index."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from records.forgetting import Forgetting
from records.scopes import Scope
from storage.files.rows import runs
from storage.protocol import MemoryStore
from storage.search.candidates import LOOKED_UP_AFTER, RANKED_WHOLE, RARE
from tests.contract.conftest import ANNA, NOW, said
from text.analyzer import content_terms, other_readings

NUMBERS = st.lists(st.integers(-50, 50), max_size=30)


@given(NUMBERS, st.integers(0, 5))
def test_runs_hold_what_is_near_and_touch_no_other(numbers: list[int], reach: int) -> None:
    found = json.loads(runs(numbers, reach))
    held = {number for first, last in found for number in range(first, last + 1)}
    assert held == {number + step for number in numbers for step in range(-reach, reach + 1)}
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(found))


async def test_terms_are_counted_where_they_stand(store: MemoryStore) -> None:
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


async def test_what_holds_the_rarest_word_is_a_candidate_however_much_others_hold(store: MemoryStore) -> None:
    often = "otters, newts, herons, eagles and lizards"
    texts = ["a walrus of the north", *[often] * 40, *["nothing but birds and snow"] * RANKED_WHOLE]
    await store.append(ANNA, [said(text) for text in texts])
    common = content_terms(often)
    without = await store.matching(ANNA, [*common, "walrus"], limit=9)
    assert 1 not in without.seqs
    matched = await store.matching(ANNA, [*common, "walrus"], limit=9, surely=["walrus", "unicorn"])
    assert list(matched.seqs) == [*without.seqs, 1]
    assert (await store.matching(ANNA, common, limit=9, surely=common)).seqs == without.seqs[:9]


async def test_a_word_that_no_message_holds_is_what_other_languages_make_of_it(store: MemoryStore) -> None:
    said_of_it = "I nostri vicini hanno comprato due vecchie case vicino a Lucca e perso le chiavi."
    await store.append(ANNA, [said(said_of_it), *[said("nothing but birds")] * RANKED_WHOLE])

    def readings(terms: Collection[str]) -> Mapping[str, Sequence[str]]:
        return other_readings(terms, "Lucca, birds")

    terms = ["lucca", "bird", "walrus"]
    without = await store.matching(ANNA, terms, limit=9)
    assert without.held(terms) == terms
    assert 1 not in without.seqs
    matched = await store.matching(ANNA, terms, limit=9, surely=["lucca"], readings=readings)
    assert 1 in matched.seqs
    assert matched.readings == {"lucca": ("lucc",)}
    assert matched.held(terms) == ["lucc", "bird", "walrus"]
    pool = await store.pool(ANNA, matched, reach=0)
    assert dict(zip(matched.frequency, pool.counts[:, 0].tolist(), strict=True)) == {
        "lucca": 0,
        "bird": 0,
        "walrus": 0,
        "lucc": 1,
    }


async def test_a_word_that_few_messages_hold_keeps_its_own_term_beside_its_readings(store: MemoryStore) -> None:
    await store.append(ANNA, [said("Unsere Nachbarn haben zwei alte Häuser in Ulm")])
    for number in range(RARE + 1):
        matched = await store.matching(
            ANNA, ["hauser"], limit=9, readings=lambda terms: other_readings(terms, "Häuser")
        )
        assert matched.frequency["hauser"] == number
        assert matched.held(["hauser"]) == (["hauser", "haus"] if number else ["haus"])
        # The question that is answered is stored, too, and lends its words to nothing.
        pool = (await store.pool(ANNA, matched, reach=0)).before(2)
        assert pool.matched.held(["hauser"]) == ["haus"]
        await store.append(ANNA, [said("Häuser?")])
    matched = await store.matching(ANNA, ["hauser"], limit=9, readings=lambda _: {"hauser": ("haus",)})
    assert matched.held(["hauser"]) == ["hauser"]


async def test_a_word_that_no_message_holds_finds_compounds_of_it_and_its_parts(store: MemoryStore) -> None:
    texts = ["Die Haustürschlüsselnummer ist 4711.", "Der Schlüssel liegt im Schuppen.", "Le flocon est bleu."]
    await store.append(ANNA, [*map(said, texts), *[said("nothing but birds")] * RANKED_WHOLE])
    [term] = content_terms("Haustürschlüssel")

    def readings(terms: Collection[str]) -> Mapping[str, Sequence[str]]:
        return {}

    matched = await store.matching(ANNA, [term, "bird"], limit=0, surely=[term], readings=readings)
    assert sorted(matched.seqs) == [1, 2]
    assert matched.held([term, "bird"]) == [*content_terms("Haustürschlüsselnummer"), "schlussel", "bird"]
    assert not (await store.matching(ANNA, ["flocons", "bird"], limit=0, readings=readings)).readings.get("bird")
    elsewhere = await store.matching(Scope(owner=8), [term], limit=0, surely=[term], readings=readings)
    assert not elsewhere.readings


async def test_readings_are_asked_for_only_where_a_word_is_seldom(store: MemoryStore) -> None:
    await store.append(ANNA, [said("walrus and unicorn")] * (RARE + 1))
    asked = list[Collection[str]]()

    def readings(terms: Collection[str]) -> Mapping[str, Sequence[str]]:
        asked.append(terms)
        return {}

    await store.matching(ANNA, ["walrus", "unicorn"], limit=9, readings=readings)
    assert not asked
    await store.matching(ANNA, ["walrus", "narwhal"], limit=9, readings=readings)
    assert asked == [["narwhal"]]


async def test_in_a_small_scope_every_message_is_a_candidate(store: MemoryStore) -> None:
    await store.append(ANNA, [said("a walrus" if number % 3 else "snow and birds") for number in range(30)])
    assert sorted((await store.matching(ANNA, ["walrus"], limit=5)).seqs) == list(range(1, 31))


async def test_what_says_what_always_holds_is_a_candidate_and_marked(store: MemoryStore) -> None:
    texts = ["always draw the walrus in blue", *["walrus"] * 40, *["nothing but birds"] * RANKED_WHOLE]
    await store.append(ANNA, [said(text) for text in texts])
    matched = await store.matching(ANNA, ["walrus"], limit=9)
    assert list(matched.seqs)[-1] == 1
    pool = await store.pool(ANNA, matched, reach=0)
    assert pool.ids[pool.standing].tolist() == [1]


async def test_what_begins_to_be_said_always_is_a_candidate_after_a_few_messages(store: MemoryStore) -> None:
    await store.append(ANNA, [said(text) for text in [*["walrus"] * 40, *["nothing but birds"] * RANKED_WHOLE]])
    await store.matching(ANNA, ["walrus"], limit=9)
    [rule] = await store.append(ANNA, [said("always draw the walrus in blue")])
    await store.append(ANNA, [said("walrus")] * (LOOKED_UP_AFTER - 1))
    newest = await store.matching(ANNA, ["walrus"], limit=9)
    assert rule.id in (await store.pool(ANNA, newest, reach=0)).ids.tolist()


async def test_many_messages_are_searched_as_they_are_now_however_often_they_were_searched(store: MemoryStore) -> None:
    async def held(*terms: str) -> list[int]:
        matched = await store.matching(ANNA, terms, limit=9)
        assert (await store.pool(ANNA, matched, reach=1)).counts.any(axis=1).tolist() == [
            count > 0 for count in matched.frequency.values()
        ]
        return list(matched.frequency.values())

    await store.append(ANNA, [said("a walrus"), *[said("nothing but birds")] * RANKED_WHOLE])
    assert [await held("walrus", "otter") for _ in range(3)] == [[1, 0]] * 3
    [later] = await store.append(ANNA, [said("one more walrus")])
    assert await held("walrus", "otter") == [2, 0]
    await store.forgetting.revise(ANNA, later.id, "one more otter", why="edited", now=NOW)
    assert await held("walrus", "otter") == [1, 1]
    await store.forgetting.forget(ANNA.owner, Forgetting(what="messages", ids=(later.id,)))
    assert await held("walrus", "otter") == [1, 0]
    earlier = replace(said("an otter, long ago"), created_at=NOW - timedelta(days=9))
    await store.append(ANNA, [earlier])
    assert await held("walrus", "otter") == [1, 1]
    await store.append(ANNA, [said("many otters")] * 150)
    assert await held("walrus", "otter") == [1, 151]

"""Search candidates: their columns match the messages and the index."""

from dataclasses import replace
from datetime import timedelta

import numpy as np

from records.forgetting import ForgetRequest
from storage.search.candidates import MAX_COMPLETIONS, MAX_RECENT_MESSAGES, MAX_WHOLE_MESSAGES, NEIGHBOURS
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, NOW, make_message
from text.analyzer import list_distinct_search_terms
from text.passages import split_into_passages


async def test_counts_terms_per_message(store: MemoryStore) -> None:
    texts = ["ab cab ab", "b ab", "Überfahrt überfahrt", "東京 東京", "", "cab cab cab b"]
    for text in texts:
        await store.append_messages(ANNA, [make_message(text)])
    terms = ["ab", "cab", "b", "uberfahrt", "東京", "walrus"]
    found = await store.find_candidate_messages(ANNA, terms, limit=9)
    assert dict(zip(found.frequency, found.counts.tolist(), strict=True)) == {
        "ab": [2, 1, 0, 0, 0, 0],
        "cab": [1, 0, 0, 0, 0, 3],
        "b": [0, 1, 0, 0, 0, 1],
        "uberfahrt": [0, 0, 2, 0, 0, 0],
        "東京": [0, 0, 0, 2, 0, 0],
        "walrus": [0, 0, 0, 0, 0, 0],
    }
    messages = await store.read_messages(ANNA, found.ids.tolist())
    assert found.said_at.tolist() == [message.created_at.timestamp() for message in messages]
    assert found.speakers == tuple(message.speaker for message in messages)
    assert len(await store.find_candidate_messages(ANNA, [], limit=0)) == len(texts)


async def test_each_passage_of_long_message_is_candidate(store: MemoryStore) -> None:
    steps = [f"{number}. Step {number} takes half a day, and needs two people." for number in range(40)]
    steps[30] += " And a walrus."
    text = "\n".join(steps)
    await store.append_messages(ANNA, [make_message("short"), make_message(text)])
    found = await store.find_candidate_messages(ANNA, ["walrus"], limit=9)
    parts = split_into_passages(text)
    assert found.messages.tolist() == [0, *[1] * len(parts)]
    assert found.parts.tolist() == [0, *range(len(parts))]
    [row] = np.flatnonzero(found.counts[0])
    assert "walrus" in parts[found.parts[row]]


async def test_completes_missing_term_by_indexed_terms_with_same_prefix(store: MemoryStore) -> None:
    texts = ["Die Haustürschlüsselnummer ist 4711.", "Im Haus ist es kalt.", "Die Hausordnung hängt im Keller."]
    await store.append_messages(ANNA, [make_message(text) for text in texts])
    await store.append_messages(BORIS, [make_message("Mein Haustürschlüsselbund ist weg.")])
    terms = [
        *list_distinct_search_terms("Welche Nummer hat der Haustürschlüssel?"),
        "haus",
        "hau",
        "kel",
        "u42",
        "kell%",
    ]
    assert await store.find_completions_by_term(ANNA, terms) == {"hausturschlussel": ("hausturschlusselnumm",)}
    assert await store.find_completions_by_term(BORIS, terms) == {
        "haus": ("hausturschlusselbund",),
        "hausturschlussel": ("hausturschlusselbund",),
    }
    assert await store.find_completions_by_term(ANNA, ["keller" * 300, "\0haus"]) == {}


async def test_completion_ignores_terms_of_current_question(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message("Die Haustürschlüsselnummer ist 4711.")])
    [question] = await store.append_messages(ANNA, [make_message("Welche Nummer hat der Haustürschlüssel?")])
    assert await store.find_completions_by_term(ANNA, ["hausturschlussel"]) == {}
    found = await store.find_completions_by_term(ANNA, ["hausturschlussel"], before_id=question.id)
    assert found == {"hausturschlussel": ("hausturschlusselnumm",)}


async def test_completions_are_limited_to_shortest_terms(store: MemoryStore) -> None:
    await store.append_messages(
        ANNA,
        [
            make_message(
                " ".join(f"walruses{'ab'[number % 2] * (number % 60)}{'cde'[number % 3]}" for number in range(900))
            )
        ],
    )
    longer = (await store.find_completions_by_term(ANNA, ["walrus"]))["walrus"]
    assert len(longer) == MAX_COMPLETIONS
    assert list(map(len, longer)) == sorted(map(len, longer))


async def test_lists_speakers_of_newest_messages(store: MemoryStore) -> None:
    for name in ("Gone", "Bob", "", "Anna", "Bob"):
        await store.append_messages(ANNA, [replace(make_message("hello"), speaker=name)])
    await store.append_messages(ANNA, [make_message("hello")] * (MAX_RECENT_MESSAGES - 4))
    assert await store.list_speakers(ANNA) == ["Anna", "Bob"]


async def test_message_with_rarest_term_is_always_candidate(store: MemoryStore) -> None:
    often = "otters, newts, herons, eagles and lizards"
    texts = ["a walrus of the north", *[often] * 40, *["nothing but birds and snow"] * MAX_WHOLE_MESSAGES]
    await store.append_messages(ANNA, [make_message(text) for text in texts])
    found = await store.find_candidate_messages(
        ANNA, [*list_distinct_search_terms(often), "walrus", "unicorn"], limit=9
    )
    assert 1 in found.ids
    assert len(found.ids) < 60


async def test_time_and_similarity_matches_are_candidates_with_neighbours(store: MemoryStore) -> None:
    texts = [
        replace(make_message("a bird"), created_at=NOW + timedelta(minutes=number))
        for number in range(MAX_WHOLE_MESSAGES + 50)
    ]
    await store.append_messages(ANNA, texts)
    moment, later = ((NOW + timedelta(minutes=number)).timestamp() for number in (100, 200))
    close = await store.find_candidate_messages(ANNA, [], limit=1, time_ranges=[(later, later + 1)])
    found = await store.find_candidate_messages(
        ANNA, [], limit=1, nearest_seqs=[int(close.seqs[NEIGHBOURS])], time_ranges=[(moment, moment + 1)]
    )
    wanted = {*range(100 - NEIGHBOURS, 101 + NEIGHBOURS), *range(200 - NEIGHBOURS, 201 + NEIGHBOURS)}
    assert {int(id_) - 1 for id_ in found.ids} >= wanted
    assert len(found.ids) < 40
    steps = np.diff(found.positions)
    assert (steps[np.diff(found.ids) == 1] == 1).all()
    assert (steps[np.diff(found.ids) > 1] > 1).all()


async def test_current_turn_is_neither_candidate_nor_counted(store: MemoryStore) -> None:
    await store.append_messages(ANNA, [make_message("a walrus"), make_message("a newt")])
    [asked] = await store.append_messages(ANNA, [make_message("Where is the walrus?")])
    found = await store.find_candidate_messages(ANNA, ["walrus", "newt"], limit=9, before_id=asked.id)
    assert found.ids.tolist() == [1, 2]
    assert found.frequency == {"walrus": 1, "newt": 1}


async def test_every_message_of_small_scope_is_candidate(store: MemoryStore) -> None:
    await store.append_messages(
        ANNA, [make_message("a walrus" if number % 3 else "snow and birds") for number in range(30)]
    )
    assert (await store.find_candidate_messages(ANNA, ["walrus"], limit=5)).ids.tolist() == list(range(1, 31))


async def test_candidates_follow_appends_edits_and_deletions(store: MemoryStore) -> None:
    async def held(*terms: str) -> list[int]:
        found = await store.find_candidate_messages(ANNA, terms, limit=9)
        assert found.counts.any(axis=1).tolist() == [count > 0 for count in found.frequency.values()]
        return list(found.frequency.values())

    await store.append_messages(
        ANNA, [make_message("a walrus"), *[make_message("nothing but birds")] * MAX_WHOLE_MESSAGES]
    )
    assert [await held("walrus", "otter") for _ in range(3)] == [[1, 0]] * 3
    [later] = await store.append_messages(ANNA, [make_message("one more walrus")])
    assert await held("walrus", "otter") == [2, 0]
    await store.forgetting.replace_message_text_if_changed(ANNA, later.id, "one more otter", reason="edited", now=NOW)
    assert await held("walrus", "otter") == [1, 1]
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(later.id,)), now=NOW)
    assert await held("walrus", "otter") == [1, 0]
    earlier = replace(make_message("an otter, long ago"), created_at=NOW - timedelta(days=9))
    await store.append_messages(ANNA, [earlier])
    assert await held("walrus", "otter") == [1, 1]

"""The vector index in every store: similarity, isolation of scopes, and deletion."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from records.messages import Message
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.search.protocol import Floats, MessageVectors
from storage.search.vector_index import VectorIndex
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, TOPIC, Opener, append_turns, make_config, make_message

SIZE = 64


def make_unit_vectors(count: int, *, seed: int = 0) -> Floats:
    made = np.random.default_rng(seed).normal(size=(count, SIZE)).astype(np.float32) + np.float32(0.4)
    vectors: Floats = made / np.linalg.norm(made, axis=1, keepdims=True)
    return vectors


def make_message_vectors(backlog: Sequence[tuple[int, Message]], *, seed: int = 0) -> list[MessageVectors]:
    vectors = make_unit_vectors(2 * len(backlog), seed=seed).reshape(-1, 2, SIZE)
    return [
        MessageVectors(seq=seq, message=message, passages=two)
        for (seq, message), two in zip(backlog, vectors, strict=True)
    ]


async def embed_messages(store: MemoryStore, model: str = "m", *, seed: int = 0) -> list[MessageVectors]:
    made = make_message_vectors(await store.vectors.list_unembedded_messages_with_seqs(model, 1000), seed=seed)
    await store.vectors.store_vectors(model, made)
    return made


async def test_finds_nearest_message_by_best_passage(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 5)
    assert await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3) is None
    made = await embed_messages(store)
    found = await store.vectors.compute_similarities(ANNA, "m", made[4].passages[1], 3)
    assert found is not None
    assert found.nearest[0] == made[4].seq
    assert len(found.nearest) == 3
    everything = np.concatenate([entry.passages for entry in made])
    moved = everything - 0.7 * everything.mean(axis=0)
    asked = made[4].passages[1] - 0.7 * everything.mean(axis=0)
    cosines = moved @ asked / np.linalg.norm(moved, axis=1) / np.linalg.norm(asked)
    assert found.mean == pytest.approx(cosines.mean(), abs=2e-3)
    of_all = {(entry.seq, part): cosines[2 * row + part] for row, entry in enumerate(made) for part in (0, 1)}
    for seq, part, cosine in zip(found.seqs.tolist(), found.parts.tolist(), found.cosines.tolist(), strict=True):
        assert cosine == pytest.approx(of_all[seq, part], abs=2e-3)


async def test_passage_without_vector_gets_mean_similarity(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 2)
    made = await embed_messages(store)
    await store.append_messages(ANNA, [make_message("news")])
    found = await store.vectors.compute_similarities(ANNA, "m", made[0].passages[0], 9)
    assert found is not None
    values = found.get_cosines(await store.find_candidate_messages(ANNA, [], limit=9))
    assert len(values) == 5
    assert values[-1] == found.mean
    assert values.max() == pytest.approx(1.0, abs=1e-2)


async def test_backlog_is_newest_first_for_owners_with_memory_on(store: MemoryStore) -> None:
    stored = await append_turns(store, ANNA, 2)
    await append_turns(store, BORIS, 1)
    await store.upsert_owner(make_config(store, BORIS.owner, enabled=False))
    backlog = await store.vectors.list_unembedded_messages_with_seqs("m", 3)
    assert [message.id for _, message in backlog] == [message.id for message in stored[:0:-1]]
    await store.vectors.store_vectors("m", make_message_vectors(backlog))
    assert [message for _, message in await store.vectors.list_unembedded_messages_with_seqs("m", 3)] == stored[:1]
    assert await store.vectors.count_indexed_and_all_messages(ANNA.owner, "m") == (3, 4)
    assert await store.vectors.count_indexed_and_all_messages(BORIS.owner, "m") == (0, 2)


async def test_similarity_search_stays_within_scope(store: MemoryStore) -> None:
    for scope in (ANNA, BORIS, TOPIC):
        await append_turns(store, scope, 2)
    made = await embed_messages(store)
    for scope in (ANNA, BORIS, TOPIC):
        mine = {entry.seq for entry in made if entry.message.scope == scope}
        found = await store.vectors.compute_similarities(scope, "m", make_unit_vectors(1)[0], 100)
        assert found is not None
        assert set(found.nearest) == mine == set(found.seqs.tolist())
    assert (
        await store.vectors.compute_similarities(Scope(owner=ANNA.owner, thread=9), "m", make_unit_vectors(1)[0], 3)
        is None
    )


async def test_vector_cache_keeps_last_searched_scope(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        for scope in (ANNA, TOPIC):
            await store.upsert_owner(make_config(store, scope.owner))
            await append_turns(store, scope, 2)
        made = {entry.message.scope: entry for entry in await embed_messages(store)}
        held = VectorIndex(database, cache_bytes=1)  # each is larger than all of it
        for scope in (ANNA, TOPIC, ANNA):
            found = await held.compute_similarities(scope, "m", made[scope].passages[0], 1)
            assert found is not None
            assert found.nearest == (made[scope].seq,)
        async with database.open_transaction(None) as tx:
            await tx.execute("DELETE FROM vectors")
        assert await held.compute_similarities(ANNA, "m", made[ANNA].passages[0], 1), "it is in memory"
        assert await held.compute_similarities(TOPIC, "m", made[TOPIC].passages[0], 1) is None, (
            "it had to be read again"
        )


async def test_finds_vectors_stored_after_first_search(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 2)
    await embed_messages(store)
    assert await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3)
    await store.append_messages(ANNA, [make_message("news")])
    [new] = await embed_messages(store, seed=7)
    found = await store.vectors.compute_similarities(ANNA, "m", new.passages[0], 1)
    assert found is not None
    assert found.nearest == (new.seq,)


async def test_changing_model_reembeds_and_replaces_vectors(store: MemoryStore) -> None:
    await append_turns(store, ANNA, 2)
    first = await embed_messages(store)
    assert len(await store.vectors.list_unembedded_messages_with_seqs("n", 100)) == 4
    assert await store.vectors.compute_similarities(ANNA, "n", first[0].passages[0], 3) is None
    assert await store.vectors.count_indexed_and_all_messages(ANNA.owner, "n") == (0, 4)
    second = await embed_messages(store, "n", seed=1)
    found = await store.vectors.compute_similarities(ANNA, "n", second[2].passages[0], 1)
    assert found is not None
    assert found.nearest == (second[2].seq,)
    assert await store.vectors.compute_similarities(ANNA, "m", first[0].passages[0], 3) is None
    assert await store.vectors.count_indexed_and_all_messages(ANNA.owner, "n") == (4, 4)


async def test_erasing_owner_leaves_no_vectors(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        for scope in (ANNA, BORIS):
            await store.upsert_owner(make_config(store, scope.owner))
            await append_turns(store, scope, 2)
        made = await embed_messages(store)
        assert await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3)
        await store.erase_owner(ANNA.owner)
        assert await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3) is None
        assert await store.vectors.compute_similarities(BORIS, "m", make_unit_vectors(1)[0], 3)
        assert await store.vectors.list_unembedded_messages_with_seqs("m", 100) == []
        # Who comes later may be given the same seqs, but not what was embedded of the one who left.
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.append_messages(ANNA, [make_message("somebody else's words")])
        await store.vectors.store_vectors("m", [entry for entry in made if entry.message.scope == ANNA])
        assert await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3) is None
    gone = [
        entry.passages[0].astype(order).tobytes()
        for entry in made
        if entry.message.scope == ANNA
        for order in ("<f2", ">f2")
    ]
    for content in opener.contents(tmp_path):
        assert not any(vector in content for vector in gone)


async def test_vectors_survive_reopening(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        await store.upsert_owner(make_config(store, ANNA.owner))
        await append_turns(store, ANNA, 2)
        made = await embed_messages(store)
    async with opener(tmp_path) as store:
        assert await store.vectors.list_unembedded_messages_with_seqs("m", 10) == []
        found = await store.vectors.compute_similarities(ANNA, "m", made[1].passages[0], 1)
        assert found is not None
        assert found.nearest == (made[1].seq,)


async def test_scope_above_message_limit_is_not_searched_by_vectors(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        for scope in (ANNA, BORIS):
            await store.upsert_owner(make_config(store, scope.owner))
        await store.append_messages(ANNA, [make_message(f"number {number}") for number in range(30)])
        await store.append_messages(BORIS, [make_message("one")])
        index = VectorIndex(database, most_messages=20)
        await index.store_vectors("m", make_message_vectors(await index.list_unembedded_messages_with_seqs("m", 100)))
        assert await index.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3) is None
        assert await index.compute_similarities(BORIS, "m", make_unit_vectors(1)[0], 3)


async def test_ignores_vectors_of_other_length(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = MemoryStore(database, StorageType.SQLITE)
        await store.upsert_owner(make_config(store, ANNA.owner))
        await store.append_messages(ANNA, [make_message(f"number {number}") for number in range(60)])
        made = make_message_vectors(await store.vectors.list_unembedded_messages_with_seqs("m", 60))
        await store.vectors.store_vectors("m", made)
        assert await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 3)
        shorter = [
            MessageVectors(seq=entry.seq, message=entry.message, passages=entry.passages[:, : SIZE // 2])
            for entry in made[:30]
        ]
        await store.vectors.store_vectors("m", shorter)
        of_half = await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0, : SIZE // 2], 99)
        of_whole = await store.vectors.compute_similarities(ANNA, "m", make_unit_vectors(1)[0], 99)
    assert of_half is not None
    assert of_whole is not None
    assert set(of_half.nearest) == {entry.seq for entry in shorter}
    assert set(of_whole.nearest) == {entry.seq for entry in made[30:]}

"""The index of meaning, in every store, with pgvector and without: what is nearest, whose it is, and what leaves with
its message.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from records.messages import Message
from records.scopes import Scope
from storage.files.database import Database
from storage.protocol import MemoryStore
from storage.search import vector_search
from storage.search.protocol import Compared, Floats, MessageVectors, VectorSearch
from storage.search.vector_index import VectorIndex
from storage.search.vector_search import best_passages
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.store import SqliteStore
from tests.contract.conftest import ANNA, BORIS, TOPIC, WITH_PGVECTOR, Opener, config, said, talk

SIZE = 64


@pytest.fixture(params=WITH_PGVECTOR)
def opener(request: pytest.FixtureRequest, opener_of: Callable[[str], Opener]) -> Opener:
    return opener_of(request.param)


def unit(count: int, *, seed: int = 0) -> Floats:
    made = np.random.default_rng(seed).normal(size=(count, SIZE)).astype(np.float32) + np.float32(0.4)
    vectors: Floats = made / np.linalg.norm(made, axis=1, keepdims=True)
    return vectors


def items(backlog: Sequence[tuple[int, Message]], *, seed: int = 0) -> list[MessageVectors]:
    vectors = unit(5 * len(backlog), seed=seed).reshape(-1, 5, SIZE)
    return [
        MessageVectors(seq=seq, message=message, passages=five[:2], sentences=five[2:])
        for (seq, message), five in zip(backlog, vectors, strict=True)
    ]


async def embedded(store: MemoryStore, model: str = "m", *, seed: int = 0) -> list[MessageVectors]:
    made = items(await store.vectors.backlog(model, 1000), seed=seed)
    await store.vectors.put(model, made)
    return made


def best_of(found: VectorSearch, seq: int) -> Floats:
    """The nearest passage [d] of one message."""
    [row] = best_passages(found.compared, np.array([seq]))
    assert row >= 0
    return np.asarray(found.compared.vectors[row])


def nothing_compared(found: VectorSearch) -> VectorSearch:
    """As if all passages were still to be read out of the file."""
    none = Compared(
        seqs=np.zeros(0, np.int64), vectors=np.zeros((0, SIZE), np.float32), cosines=np.zeros(0, np.float32)
    )
    return replace(found, compared=none, is_whole=False)


async def test_the_nearest_is_found_by_its_best_passage(store: MemoryStore) -> None:
    await talk(store, ANNA, 5)
    assert await store.vectors.nearest(ANNA, "m", unit(1)[0], 3) is None
    made = await embedded(store)
    found = await store.vectors.nearest(ANNA, "m", made[4].passages[1], 3)
    assert found is not None
    assert found.seqs[0] == made[4].seq
    assert len(found.seqs) == 3
    assert np.allclose(best_of(found, made[4].seq), made[4].passages[1], atol=2e-3)
    everything = np.concatenate([one.passages for one in made])
    assert np.allclose(found.mean, everything.mean(axis=0), atol=1e-3)
    moved = everything - 0.7 * everything.mean(axis=0)
    asked = made[4].passages[1] - 0.7 * everything.mean(axis=0)
    cosines = moved @ asked / np.linalg.norm(moved, axis=1) / np.linalg.norm(asked)
    assert found.mean_cosine == pytest.approx(cosines.mean(), abs=2e-3)


async def test_the_backlog_is_newest_first_and_of_those_whose_memory_is_on(store: MemoryStore) -> None:
    stored = await talk(store, ANNA, 2)
    await talk(store, BORIS, 1)
    await store.put_owner(config(store, BORIS.owner, enabled=False))
    backlog = await store.vectors.backlog("m", 3)
    assert [message.id for _, message in backlog] == [message.id for message in stored[:0:-1]]
    await store.vectors.put("m", items(backlog))
    assert [message for _, message in await store.vectors.backlog("m", 3)] == stored[:1]
    assert await store.vectors.progress(ANNA.owner, "m") == (3, 4)
    assert await store.vectors.progress(BORIS.owner, "m") == (0, 2)


async def test_scopes_do_not_see_one_another(store: MemoryStore) -> None:
    for scope in (ANNA, BORIS, TOPIC):
        await talk(store, scope, 2)
    made = await embedded(store)
    for scope in (ANNA, BORIS, TOPIC):
        mine = {one.seq for one in made if one.message.scope == scope}
        others = [one.seq for one in made if one.message.scope != scope]
        found = await store.vectors.nearest(scope, "m", unit(1)[0], 100)
        assert found is not None
        assert set(found.seqs) == mine
        assert set(found.compared.seqs.tolist()) == mine
        out_of_the_file = await store.vectors.compared(scope, "m", nothing_compared(found), np.array(others))
        assert len(out_of_the_file.seqs) == 0
        assert not await store.vectors.sentences(scope, "m", others)
    assert await store.vectors.nearest(Scope(owner=ANNA.owner, thread=9), "m", unit(1)[0], 3) is None


async def test_of_what_does_not_fit_in_memory_the_last_searched_stays(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        for scope in (ANNA, TOPIC):
            await store.put_owner(config(store, scope.owner))
            await talk(store, scope, 2)
        made = {one.message.scope: one for one in await embedded(store)}
        held = VectorIndex(database, cache_bytes=1)  # each is larger than all of it
        for scope in (ANNA, TOPIC, ANNA):
            found = await held.nearest(scope, "m", made[scope].passages[0], 1)
            assert found is not None
            assert found.seqs == (made[scope].seq,)
            assert list(held._cache) == [(scope, "m")]


async def test_what_is_put_later_is_found_too(store: MemoryStore) -> None:
    await talk(store, ANNA, 2)
    await embedded(store)
    assert await store.vectors.nearest(ANNA, "m", unit(1)[0], 3)
    await store.append(ANNA, [said("news")])
    [new] = await embedded(store, seed=7)
    found = await store.vectors.nearest(ANNA, "m", new.passages[0], 1)
    assert found is not None
    assert found.seqs == (new.seq,)
    assert np.allclose(best_of(found, new.seq), new.passages[0], atol=2e-3)
    assert (await store.vectors.sentences(ANNA, "m", [new.seq]))[new.seq].shape == (3, SIZE)


async def test_another_model_begins_again_and_replaces(store: MemoryStore) -> None:
    await talk(store, ANNA, 2)
    first = await embedded(store)
    assert len(await store.vectors.backlog("n", 100)) == 4
    assert await store.vectors.nearest(ANNA, "n", first[0].passages[0], 3) is None
    assert await store.vectors.progress(ANNA.owner, "n") == (0, 4)
    second = await embedded(store, "n", seed=1)
    found = await store.vectors.nearest(ANNA, "n", second[2].passages[0], 1)
    assert found is not None
    assert found.seqs == (second[2].seq,)
    assert await store.vectors.nearest(ANNA, "m", first[0].passages[0], 3) is None
    assert await store.vectors.progress(ANNA.owner, "n") == (4, 4)


async def test_erasing_leaves_no_vector(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        for scope in (ANNA, BORIS):
            await store.put_owner(config(store, scope.owner))
            await talk(store, scope, 2)
        made = await embedded(store)
        assert await store.vectors.nearest(ANNA, "m", unit(1)[0], 3)
        await store.erase(ANNA.owner)
        assert await store.vectors.nearest(ANNA, "m", unit(1)[0], 3) is None
        assert await store.vectors.nearest(BORIS, "m", unit(1)[0], 3)
        assert await store.vectors.backlog("m", 100) == []
        # Who comes later may be given the same seqs, but not what was embedded of the one who left.
        await store.put_owner(config(store, ANNA.owner))
        await store.append(ANNA, [said("somebody else's words")])
        await store.vectors.put("m", [one for one in made if one.message.scope == ANNA])
        assert await store.vectors.nearest(ANNA, "m", unit(1)[0], 3) is None
    gone = [
        one.passages[0].astype(order).tobytes() for one in made if one.message.scope == ANNA for order in ("<f2", ">f2")
    ]
    for content in opener.contents(tmp_path):
        assert not any(vector in content for vector in gone)


async def test_vectors_are_kept_over_a_restart(opener: Opener, tmp_path: Path) -> None:
    async with opener(tmp_path) as store:
        await store.put_owner(config(store, ANNA.owner))
        await talk(store, ANNA, 2)
        made = await embedded(store)
    async with opener(tmp_path) as store:
        assert await store.vectors.backlog("m", 10) == []
        found = await store.vectors.nearest(ANNA, "m", made[1].passages[0], 1)
        assert found is not None
        assert found.seqs == (made[1].seq,)


@pytest.mark.parametrize(("kept", "error"), [(vector_search.KEPT_BYTES, 0.01), (900 * SIZE, 2e-3)], ids=["RAM", "file"])
async def test_a_large_scope_is_searched_by_signs_and_rescored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int, error: float
) -> None:
    monkeypatch.setattr(vector_search, "KEPT_BYTES", kept)
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        await store.put_owner(config(store, ANNA.owner))
        await store.append(ANNA, [said(f"number {number}") for number in range(600)])
        exact, signs = VectorIndex(database), VectorIndex(database, most_exact=300)
        backlog = await exact.backlog("m", 600)
        made = items(backlog)
        await signs.put("m", made[:400])
        assert await signs.nearest(ANNA, "m", unit(1)[0], 3)
        await signs.put("m", made[400:])
        query = unit(1, seed=5)[0]
        wanted, found = await exact.nearest(ANNA, "m", query, 20), await signs.nearest(ANNA, "m", query, 20)
        assert wanted is not None
        assert found is not None
        everything = np.array([seq for seq, _ in backlog])
        compared = await signs.compared(ANNA, "m", nothing_compared(found), everything)
    assert set(compared.seqs.tolist()) == set(everything.tolist())
    rows, same = best_passages(compared, everything), best_passages(wanted.compared, everything)
    assert np.allclose(compared.cosines[rows], wanted.compared.cosines[same], atol=error)
    assert len(set(wanted.seqs) & set(found.seqs)) >= 18
    assert np.allclose(found.mean, wanted.mean, atol=1e-4)
    assert found.mean_cosine == pytest.approx(wanted.mean_cosine, abs=0.01)


async def test_a_question_asked_before_the_model_gave_another_length_is_compared_with_its_own(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        await store.put_owner(config(store, ANNA.owner))
        await store.append(ANNA, [said(f"number {number}") for number in range(60)])
        index = VectorIndex(database, most_exact=10)
        backlog = await index.backlog("m", 60)
        made = items(backlog)
        shorter = [replace(one, passages=one.passages[:, : SIZE // 2], sentences=None) for one in made[:30]]
        await index.put("m", made)
        found = await index.nearest(ANNA, "m", unit(1)[0], 3)
        assert found is not None
        await index.put("m", shorter)
        assert await index.nearest(ANNA, "m", unit(1)[0, : SIZE // 2], 3)
        compared = await index.compared(ANNA, "m", nothing_compared(found), np.array([seq for seq, _ in backlog]))
    assert set(compared.seqs.tolist()) == {one.seq for one in made[30:]}


async def test_a_large_scope_is_made_ready_while_words_serve(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        for scope in (ANNA, BORIS):
            await store.put_owner(config(store, scope.owner))
        await store.append(ANNA, [said(f"number {number}") for number in range(30)])
        await store.append(BORIS, [said("one")])
        index = VectorIndex(database, large=20)
        made = items(await index.backlog("m", 100))
        await index.put("m", made)
        assert await index.nearest(ANNA, "m", unit(1)[0], 3) is None
        assert await index.nearest(BORIS, "m", unit(1)[0], 3)
        await index.warm()
        found = await index.nearest(ANNA, "m", made[7].passages[0], 1)
        assert found is not None
        assert found.seqs == (made[7].seq,)
        index.drop(ANNA.owner)
        assert await index.nearest(ANNA, "m", unit(1)[0], 3) is None

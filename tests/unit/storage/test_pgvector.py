"""Vectors that PostgreSQL searches itself: where it is missing or goes, earlier versions, indexes."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from records.errors import StorageError
from records.scopes import Scope
from storage.postgres import migrations, pgvector
from storage.postgres.database import PostgresDatabase
from storage.postgres.migrations import MIGRATIONS
from storage.postgres.pgvector import Pgvector
from storage.postgres.store import PostgresStore
from storage.postgres.vector_upkeep import NAMES, Upkeep
from storage.search.protocol import MessageVectors
from tests.contract.conftest import ANNA, BORIS, TOPIC, config, said
from tests.contract.test_vector_index import embedded, items, unit
from tests.support.postgres_server import STRANGER, address, let_in, new_database, with_pgvector
from tests.unit.storage.test_postgres import divided

LARGE = 12
"""Messages of a scope that gets an index in these tests."""


@pytest.fixture
def url(postgres_url: str, tmp_path: Path) -> str:
    return address(with_pgvector(postgres_url), tmp_path)


@asynccontextmanager
async def opened(url: str, *, least: int = 0) -> AsyncIterator[PostgresStore]:
    async with PostgresDatabase.open(url) as database:
        if isinstance(database.pgvector, Pgvector):
            database.pgvector.least = least
            database.pgvector.upkeep = Upkeep(url, indexed_above=LARGE)
        store = PostgresStore(database)
        for owner in (ANNA.owner, BORIS.owner):
            await store.put_owner(config(store, owner))
        yield store


async def filled(store: PostgresStore, counts: dict[Scope, int]) -> list[MessageVectors]:
    for scope, count in counts.items():
        await store.append(scope, [said(f"number {number}") for number in range(count)])
    return await embedded(store)


def rows(url: str, query: str, *values: Any) -> list[Any]:
    with psycopg.connect(url, autocommit=True) as raw:
        cursor = raw.execute(query.encode(), values)
        return cursor.fetchall() if cursor.description else []


def indexes(url: str, pattern: str = NAMES) -> list[str]:
    query = "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname ~ %s ORDER BY 1"
    return [row[0] for row in rows(url, query, pattern)]


async def found(store: PostgresStore, scope: Scope, made: Sequence[MessageVectors]) -> list[int]:
    """The nearest to the second passage of every message, which has to be that message."""
    nearest = [await store.vectors.nearest(scope, "m", one.passages[1], 1) for one in made]
    return [one.seqs[0] for one in nearest if one is not None and one.seqs]


async def test_without_the_extension_the_program_searches_and_says_so(postgres_url: str, tmp_path: Path) -> None:
    """This server has it, but a user who is no superuser may not create it."""
    async with opened(address(postgres_url, tmp_path)) as store:
        assert "meaning is searched by this program" in store.vectors.described
        assert "CREATE EXTENSION vector" in store.vectors.described
        made = await filled(store, {ANNA: 3})
        assert await found(store, ANNA, made) == [one.seq for one in made]
        await store.vectors.keep_up()


async def test_with_it_the_column_is_searched_and_so_is_said(url: str) -> None:
    async with opened(url) as store:
        assert "meaning is searched by pgvector 0.8" in store.vectors.described
        made = await filled(store, {ANNA: 3})
        assert await found(store, ANNA, made) == [one.seq for one in made]
    assert rows(url, "SELECT DISTINCT kind, vector = '', embedding IS NULL FROM vectors ORDER BY 1") == [
        ("passage", True, False),
        ("sentence", False, True),
    ]


async def test_small_memories_are_searched_in_memory_and_are_the_same(url: str) -> None:
    async with opened(url, least=100) as store:
        made = await filled(store, {ANNA: 30})
        query = unit(1, seed=9)[0]
        here = await store.vectors.nearest(ANNA, "m", query, 5)
    async with opened(url) as store:
        there = await store.vectors.nearest(ANNA, "m", query, 5)
        assert here is not None
        assert there is not None
        assert (here.is_whole, there.is_whole) == (True, False)
        assert there.seqs == here.seqs
        assert np.allclose(there.mean, here.mean, atol=1e-4)
        assert there.mean_cosine == pytest.approx(here.mean_cosine, abs=2e-3)
        compared = await store.vectors.compared(ANNA, "m", there, np.array([one.seq for one in made]))
        assert set(compared.seqs.tolist()) == {one.seq for one in made}


async def test_vectors_of_an_earlier_version_are_taken_over_and_found_all_the_while(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.postgres.vector_upkeep.TAKEN_AT_ONCE", 3)
    async with opened(url) as store:
        store.vectors.server = None  # as before there was a column
        made = await filled(store, {ANNA: 4, TOPIC: 2})
    assert rows(url, "SELECT COUNT(*) FROM vectors WHERE embedding IS NOT NULL") == [(0,)]
    mine = [one for one in made if one.message.scope == ANNA]
    async with opened(url) as store:
        assert await found(store, ANNA, mine) == [one.seq for one in mine]
        store.vectors.drop(ANNA.owner)
        await asyncio.gather(*(store.vectors.keep_up() for _ in range(3)))
        await store.vectors.keep_up()
        nearest = await store.vectors.nearest(ANNA, "m", mine[0].passages[0], 1)
        assert nearest is not None
        assert not nearest.is_whole
        assert await found(store, ANNA, mine) == [one.seq for one in mine]
        assert len((await store.vectors.sentences(ANNA, "m", [mine[0].seq]))[mine[0].seq]) == 3
    assert rows(url, "SELECT COUNT(*) FROM vectors WHERE kind = 'passage' AND (embedding IS NULL OR vector <> '')") == [
        (0,)
    ]


async def test_a_large_scope_gets_an_index_that_serves_its_searches_alone(url: str) -> None:
    async with opened(url) as store:
        made = await filled(store, {ANNA: LARGE + 1, BORIS: LARGE, TOPIC: LARGE + 5})
        await asyncio.gather(*(store.vectors.keep_up() for _ in range(3)))
        await store.vectors.keep_up()
        named = [f"meaning_{scope.owner}_{scope.thread}_1_64" for scope in (TOPIC, ANNA)]
        assert sorted(indexes(url)) == sorted(named)
        for scope in (ANNA, BORIS, TOPIC):
            mine = [one for one in made if one.message.scope == scope]
            assert await found(store, scope, mine) == [one.seq for one in mine]
        assert named[1] in explained(url, ANNA)
        more = await filled(store, {ANNA: 1})
        assert await found(store, ANNA, more) == [more[0].seq]
        await store.erase(ANNA.owner)
        await store.vectors.keep_up()
        assert indexes(url) == named[:1]


def explained(url: str, scope: Scope, *, at: str = "public") -> str:
    """How the server searches a scope when it counts neither rows nor pages, which are few in a test."""
    query = pgvector._NEAREST.format(at=at, scope=pgvector.of_scope(scope.owner, scope.thread, 1), size=64)
    filled_in = query.replace("?", f"'[{','.join('1' * 64)}]'", 1).replace("?", "5")
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("SET enable_seqscan = off; SET enable_sort = off; SET app.owner = '*'")
        return "\n".join(row[0] for row in raw.execute(f"EXPLAIN {filled_in}".encode()).fetchall())


@pytest.mark.parametrize("end", ["stopped", "killed"])
async def test_an_index_that_is_cut_off_while_it_is_built_is_built_again(url: str, end: str) -> None:
    name = f"meaning_{ANNA.owner}_0_1_64"
    building = """
      SELECT pid FROM pg_stat_activity
      WHERE application_name = %s AND query LIKE 'CREATE INDEX%%' AND wait_event_type = 'Lock'
    """  # it waits once the index is known, empty
    async with opened(url) as store:
        await store.vectors.keep_up()
        await filled(store, {ANNA: LARGE + 1})
        me = conninfo_to_dict(url)["application_name"]
        with psycopg.connect(url) as raw:
            raw.execute("UPDATE vectors SET part = part")  # the building waits for the end of this
            task = asyncio.create_task(store.vectors.keep_up())
            while not (pids := await asyncio.to_thread(rows, url, building, me)):
                assert not task.done()
            if end == "stopped":
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            else:
                await asyncio.to_thread(rows, url, "SELECT pg_terminate_backend(%s, 5000)", pids[0][0])
                with pytest.raises(StorageError):
                    await task
            raw.rollback()
        valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"
        assert rows(url, valid, f'"{name}"') == [(False,)]
        await store.vectors.keep_up()
        assert rows(url, valid, f'"{name}"') == [(True,)]


async def test_another_model_gets_an_index_of_its_own_length(url: str) -> None:
    async with opened(url) as store:
        await filled(store, {ANNA: LARGE + 1})
        await store.vectors.keep_up()
        backlog = await store.vectors.backlog("n", 100)
        shorter = [replace(one, passages=one.passages[:, :32]) for one in items(backlog, seed=1)]
        await store.vectors.put("n", shorter[:5])
        assert [one for one in indexes(url) if one.endswith("_64")]
        await store.vectors.keep_up()  # in the middle of the change
        await store.vectors.put("n", shorter[5:])
        await store.vectors.keep_up()
        assert indexes(url) == [f"meaning_{ANNA.owner}_0_2_32"]
        nearest = await store.vectors.nearest(ANNA, "n", shorter[2].passages[0], 1)
        assert nearest is not None
        assert nearest.seqs == (shorter[2].seq,)
        # The endpoint may begin to give vectors of another length under the same name.
        await store.vectors.put("n", items(backlog[:2], seed=2))
        assert await store.vectors.nearest(ANNA, "n", shorter[7].passages[0], 1)


async def test_an_extension_that_is_dropped_has_its_messages_embedded_again(url: str, postgres_url: str) -> None:
    async with opened(url) as store:
        made = await filled(store, {ANNA: 3})
    rows(url, "ALTER TABLE vectors DROP COLUMN embedding")  # as DROP EXTENSION vector CASCADE does
    async with opened(url) as store:
        assert await store.vectors.nearest(ANNA, "m", made[0].passages[0], 1) is None
        again = await embedded(store)
        assert {one.seq for one in again} == {one.seq for one in made}
        assert await found(store, ANNA, made) == [one.seq for one in made]


@pytest.mark.parametrize("least", [0, 100])
async def test_an_extension_that_is_dropped_meanwhile_is_done_without(
    postgres_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, least: int
) -> None:
    """In a database of its own, since the extension is everybody's. Larger memories, and those that are in RAM."""
    url = new_database(postgres_url, f"dropping_{os.getpid()}_{least}")
    superuser = make_conninfo(postgres_url, dbname=conninfo_to_dict(url)["dbname"])
    rows(superuser, "CREATE EXTENSION vector")
    async with opened(url, least=least) as store:
        made = await filled(store, {ANNA: 3})
        before = await store.vectors.nearest(ANNA, "m", made[0].passages[0], 2)
        assert before is not None
        rows(superuser, "DROP EXTENSION vector CASCADE")
        compared = await store.vectors.compared(ANNA, "m", before, np.array([one.seq for one in made]))
        assert set(before.compared.seqs.tolist()) <= set(compared.seqs.tolist())
        nearest = await store.vectors.nearest(ANNA, "m", made[0].passages[0], 2)
        assert (nearest and nearest.seqs) == (before.seqs if least else None)
        await store.append(ANNA, [said("later")])
        [later] = await embedded(store, seed=1)
        await store.vectors.keep_up()
        assert await found(store, ANNA, [later]) == [later.seq]
        said_of_it = [one.message for one in caplog.records if one.name == "storage.search.vector_index"]
        assert said_of_it == ["the database no longer searches by meaning; this program does, until its next start"]
        assert "until its next start" in store.vectors.described
    rows(superuser, "CREATE EXTENSION vector")
    async with opened(url, least=least) as store:
        await embedded(store)
        assert await found(store, ANNA, made) == [one.seq for one in made]
        assert "pgvector" in store.vectors.described


async def test_partitions_and_the_wall_hold_for_the_column(
    url: str, tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", [divided(MIGRATIONS[0]), *MIGRATIONS[1:]])
    async with opened(url) as store:
        made = await filled(store, {ANNA: LARGE + 1, BORIS: LARGE + 1})
        await store.vectors.keep_up()
        assert len(indexes(url)) == 2
        await store.rename(BORIS.owner, -5)
        await store.vectors.keep_up()
        assert indexes(url) == ["meaning_-5_0_1_64", f"meaning_{ANNA.owner}_0_1_64"]
    let_in(with_pgvector(postgres_url), tmp_path)
    outside = address(with_pgvector(postgres_url), tmp_path, user=STRANGER)
    mine = [one for one in made if one.message.scope == ANNA]
    async with opened(outside) as store:
        assert await found(store, ANNA, mine) == [one.seq for one in mine]
        assert await found(store, Scope(owner=-5), mine[:1]) != [mine[0].seq]
        await store.vectors.keep_up()
    assert f"meaning_{ANNA.owner}_0_1_64" in explained(outside, ANNA)
    with psycopg.connect(outside, autocommit=True) as raw:
        raw.execute("SELECT set_config('app.owner', %s, false)", (str(ANNA.owner),))
        assert raw.execute("SELECT DISTINCT user_id FROM vectors").fetchall() == [(ANNA.owner,)]
        assert raw.execute("UPDATE vectors SET embedding = NULL WHERE user_id = -5").rowcount == 0

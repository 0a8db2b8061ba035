"""A copy of a scope's words in RAM says what the database says, however the scope has changed since it was made."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from records.forgetting import Forgetting
from records.messages import NewMessage
from records.scopes import Scope
from storage.files.database import Database
from storage.files.sql import Connection
from storage.search import word_copies
from storage.search.protocol import Matching, Pool
from storage.search.terms import Wanted, hashes, term_hash
from storage.search.word_copies import LEAST, WordCopies, WordCopy
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.sql_store import SqlStore
from storage.sqlite.store import SqliteStore
from tests.contract.conftest import ANNA, BORIS, NOW, config

WORDS = [f"w{number}" for number in range(60)]
RARER = [1 / (1 + number) for number in range(len(WORDS))]
REACH = 2


def message(chance: random.Random, number: int, at: float) -> NewMessage:
    return NewMessage(
        role="assistant" if number % 2 else "user",
        content=" ".join(chance.choices(WORDS, RARER, k=chance.choice((1, 3, 10, 30)))),
        created_at=NOW + timedelta(minutes=at),
        speaker=chance.choice(["Anna", "Boris", ""]),
        source=f"{number}",
    )


def same(one: Pool, other: Pool) -> None:
    """All columns, but for where positions and sessions are counted from."""
    for name in ("seqs", "ids", "lengths", "sizes", "said_at", "by_assistant", "standing", "counts"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.speakers == other.speakers
    near = [np.diff(pool.positions).clip(max=REACH + 1).tolist() for pool in (one, other)]
    assert near[0] == near[1]
    together = [(np.diff(pool.sessions) == 0).tolist() for pool in (one, other)]
    assert [both for both, distance in zip(together[0], near[0], strict=True) if distance <= REACH] == [
        both for both, distance in zip(together[1], near[1], strict=True) if distance <= REACH
    ]


async def search(store: SqlStore, chance: random.Random) -> tuple[Matching, Pool]:
    terms = list(dict.fromkeys(chance.choices(WORDS, k=chance.randint(1, 8))))
    matched = await store.matching(ANNA, [*terms, "walrus"], limit=9, surely=terms)
    return matched, await store.pool(ANNA, matched, reach=REACH, sources=[chance.randint(1, 400)])


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[int]:
    """The lengths of the copies that a method of WordCopy makes from now on."""
    method, lengths = getattr(WordCopy, name), list[int]()

    def called(*given: Any, **named: Any) -> Any:
        made = method(*given, **named)
        lengths.append(len(made))
        return made

    monkeypatch.setattr(WordCopy, name, called)
    return lengths


@pytest.mark.parametrize("seed", range(8))
async def test_a_copy_says_what_the_database_says(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_copies, "TAIL", 200)  # joined now and then
    monkeypatch.setattr(word_copies, "FEW", 10)
    monkeypatch.setattr(word_copies, "MOST_KNOWN", 20)
    made = counted(monkeypatch, "of")
    grown = counted(monkeypatch, "grown")
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS, durable=False) as database:
        store = SqliteStore(database)
        uncopied = SqlStore(database, store.kind, exhaustive=True)
        await store.put_owner(config(store, ANNA.owner))
        stored = 420
        await store.append(ANNA, [message(chance, number, number) for number in range(stored)])
        for step in range(40):
            kind = chance.choice(["nothing", "later", "later", "later", "many", "earlier", "edited", "gone"])
            some = {"later": chance.randint(1, 3), "many": 15, "earlier": 2}.get(kind, 0)
            at = stored + 500 * step if kind != "earlier" else chance.randint(0, 300)
            await store.append(ANNA, [message(chance, stored + one, at + one) for one in range(some)])
            stored += some
            chosen = chance.randint(1, 400)
            if kind == "edited":
                text = message(chance, 0, 0).content
                await store.forgetting.revise(ANNA, chosen, text, why="edited", now=NOW)
            elif kind == "gone":
                await store.forgetting.forget(ANNA.owner, Forgetting(what="messages", ids=(chosen,)))
            state = chance.getstate()
            copied = await search(store, chance)
            chance.setstate(state)
            read = await search(uncopied, chance)
            assert copied[0] == replace(read[0], seqs=copied[0].seqs)
            assert sorted(copied[0].seqs) == sorted(read[0].seqs)
            assert list(copied[0].seqs)[:9] == list(read[0].seqs)[:9]
            same(copied[1], read[1])
    assert len(made) > 5
    assert len(grown) > 5


async def talked(folder: Path, chance: random.Random, count: int) -> AsyncIterator[SqlStore]:
    async with Database.open(folder / "memory.db", migrations=MIGRATIONS, durable=False) as database:
        store = SqliteStore(database)
        await store.put_owner(config(store, ANNA.owner))
        await store.append(ANNA, [message(chance, number, number) for number in range(count)])
        yield store


async def test_a_scope_is_copied_at_its_second_search_if_it_is_neither_small_nor_huge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch, "of")
    chance = random.Random(1)  # noqa: S311
    async for store in talked(tmp_path, chance, LEAST):
        for _ in range(3):
            await store.matching(ANNA, ["w1"], limit=9)
        await store.append(ANNA, [message(chance, LEAST, LEAST)])
        await store.matching(ANNA, ["w1"], limit=9)
        assert made == []
        await store.matching(ANNA, ["w1"], limit=9)
        assert made == [LEAST + 1]
        monkeypatch.setattr(word_copies, "MOST_TERMS", 100)
        store.drop_copies(ANNA.owner)
        await store.matching(ANNA, ["w1"], limit=9)
        assert len(made) == 1


async def test_a_message_by_a_clock_that_is_behind_is_added_as_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, grown = counted(monkeypatch, "of"), counted(monkeypatch, "grown")
    async for store in talked(tmp_path, random.Random(1), LEAST + 1):  # noqa: S311
        for number in range(4):
            matched = await store.matching(ANNA, ["walrus"], limit=9)
            assert matched.frequency == {"walrus": number}
            said = replace(message(random.Random(1), number, LEAST - 20), content="a walrus", source=f"late {number}")  # noqa: S311
            [late] = await store.append(ANNA, [said])
            pool = await store.pool(ANNA, await store.matching(ANNA, ["walrus"], limit=9), reach=0)
            assert late.id in pool.ids
        assert made == [LEAST + 2]
        assert grown == [LEAST + 3, LEAST + 4, LEAST + 5]


async def test_copies_take_no_more_room_than_they_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted(monkeypatch, "of")
    monkeypatch.setattr(word_copies, "COPIES_BYTES", 10_000)
    async for store in talked(tmp_path, random.Random(1), LEAST + 1):  # noqa: S311
        found = [(await store.matching(ANNA, ["w1", "w50"], limit=9)).seqs for _ in range(4)]
        assert all(one == found[0] for one in found)
        assert made == []


def test_a_copy_gives_way_to_another_only_once_nobody_searches_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(connection: Connection, scope: Scope, moment: float, seq: int) -> list[tuple[object, ...]]:
        return [(one, one, 5, float(one), 0, "Anna", hashes(["river"])) for one in range(1, LEAST + 2)]

    monkeypatch.setattr(word_copies, "COPIES_BYTES", 300_000)  # room for one
    now = 0.0
    copies = WordCopies(read, gap=100.0, standing=lambda: Wanted([1]), timer=lambda: now)
    sums, nowhere = (LEAST + 1, LEAST + 1, 0, 0), cast("Connection", None)

    def has_one(scope: Scope) -> bool:
        return copies.of(nowhere, scope, sums) is not None

    assert [has_one(ANNA) for _ in range(3)] == [False, True, True]
    for minute in range(30):
        now = 60.0 * minute
        assert not has_one(BORIS)
        assert has_one(ANNA)
    now += 601.0
    assert has_one(BORIS)
    assert not has_one(ANNA)


def test_what_grew_out_of_a_copy_leaves_it_as_it_was() -> None:
    def rows(first: int, count: int) -> list[tuple[object, ...]]:
        return [
            (one, one, 5, float(one), one % 2, "Anna", hashes(["river", f"w{one}"]))
            for one in range(first, first + count)
        ]

    standing = Wanted([term_hash("always")])
    base = WordCopy.of(rows(1, 5), (5, 10, 0, 0), gap=100.0, standing=standing)
    longer = base.grown(rows(6, 2), (7, 14, 0, 0), gap=100.0, standing=standing)
    assert longer is not None
    assert base.grown(rows(6, 1), (6, 12, 0, 0), gap=100.0, standing=standing) is None  # its room is taken
    assert [len(copy.held(["river"])[0][0]) for copy in (base, longer)] == [5, 7]
    assert [len(copy.held(["w7"])[0][0]) for copy in (base, longer)] == [0, 1]
    assert longer.around([7], 1).tolist() == [5, 6]
    assert base.around([7, 3], 1).tolist() == [1, 2, 3]  # 7 is not known there


def test_no_copy_is_kept_of_what_was_dropped_while_it_was_made() -> None:
    def read(connection: Connection, scope: Scope, moment: float, seq: int) -> list[tuple[object, ...]]:
        copies.drop(scope.owner)
        reads.append(seq)
        return [(one, one, 5, float(one), 0, "Anna", hashes(["river"])) for one in range(LEAST + 1)]

    reads: list[int] = []
    copies = WordCopies(read, gap=100.0, standing=lambda: Wanted([1]))
    sums = (LEAST + 1, LEAST + 1, 0, 0)
    nowhere = cast("Connection", None)
    assert copies.of(nowhere, ANNA, sums) is None
    for searches in (1, 2):
        assert copies.of(nowhere, ANNA, sums) is not None
        assert len(reads) == searches


async def test_many_search_while_others_write_edit_and_erase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_copies, "TAIL", 100)
    chance, writing = random.Random(3), True  # noqa: S311
    numbers = count(LEAST + 50)

    async def write(store: SqlStore) -> None:
        for step in range(40):
            number = next(numbers)
            await store.append(ANNA, [message(chance, number, number)])
            chosen = chance.randint(1, 300)
            if step % 10 == 3:
                await store.forgetting.revise(ANNA, chosen, f"w1 walrus {step}", why="edited", now=NOW)
            elif step % 10 == 7:
                await store.forgetting.forget(ANNA.owner, Forgetting(what="messages", ids=(chosen,)))

    async def read(store: SqlStore) -> None:
        while writing:
            await search(store, chance)

    async for store in talked(tmp_path, chance, LEAST + 50):
        reading = [asyncio.create_task(read(store)) for _ in range(4)]
        await asyncio.gather(write(store), write(store))
        writing = False
        await asyncio.gather(*reading)
        held = await store.matching(ANNA, [*WORDS, "walrus"], limit=9)
        store.drop_copies(ANNA.owner)
        assert held == await store.matching(ANNA, [*WORDS, "walrus"], limit=9)

"""A message to everybody on its way: what is promised wherever it is kept."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage.files.broadcasts import Broadcasts, Progress
from storage.files.database import Database
from storage.postgres.database import PostgresDatabase
from storage.postgres.replica import Replica
from storage.sqlite.migrations import MIGRATIONS
from tests.contract.conftest import NOW
from tests.support.postgres_server import address

ADMIN, OTHER = 1, 2


@pytest.fixture(params=["sqlite", "postgres"])
async def broadcasts(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Broadcasts]:
    async with contextlib.AsyncExitStack() as stack:
        if request.param == "sqlite":
            opened = await stack.enter_async_context(Database.open(tmp_path / "memory.db", migrations=MIGRATIONS))
            yield Broadcasts(opened)
            return
        url = address(request.getfixturevalue("postgres_url"), tmp_path)
        server = await stack.enter_async_context(PostgresDatabase.open(url, replica=Replica("here")))
        yield Broadcasts(server)


async def test_of_several_senders_one_gets_each_person(broadcasts: Broadcasts) -> None:
    one = await broadcasts.propose(ADMIN, "hello", now=NOW)
    people = list(range(11, 31))
    assert await broadcasts.begin(one.id, people, receipt=99)
    handed = await asyncio.gather(*(broadcasts.next_person(one.id) for _ in range(len(people) + 4)))
    while (person := await broadcasts.next_person(one.id)) is not None:
        handed.append(person)
    assert sorted(person for person in handed if person is not None) == people


async def test_each_person_is_handed_out_once_and_nothing_is_kept_at_the_end(broadcasts: Broadcasts) -> None:
    dropped = await broadcasts.propose(ADMIN, "first thoughts", now=NOW)
    one = await broadcasts.propose(ADMIN, "hello", now=NOW)
    assert await broadcasts.get(dropped.id) is None, "an admin has one proposal"
    assert await broadcasts.sending() == []
    assert await broadcasts.begin(one.id, [11, 12, 13, 14], receipt=99)
    assert not await broadcasts.begin(one.id, [11], receipt=98), "a second press changes nothing"
    await broadcasts.propose(ADMIN, "the next", now=NOW)
    [sending] = await broadcasts.sending()
    assert (sending.text, sending.receipt, sending.created_at) == ("hello", 99, NOW)
    asked = [await broadcasts.next_person(one.id) for _ in range(3)]
    assert asked == [11, 12, 13]
    await broadcasts.note(one.id, 11, "arrived")
    await broadcasts.note(one.id, 12, "gone")
    assert await broadcasts.progress(one.id) == Progress(arrived=1, gone=1, unknown=1, left=1)
    await broadcasts.give_back(one.id, 13)
    assert [await broadcasts.next_person(one.id) for _ in range(3)] == [13, 14, None]
    assert await broadcasts.end(one.id)
    assert not await broadcasts.end(one.id)
    assert await broadcasts.progress(one.id) == Progress()

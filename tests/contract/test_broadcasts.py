"""Tests of broadcasts in progress, on SQLite and on PostgreSQL."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.errors import ServedElsewhere
from storage.bot_state.broadcasts import BroadcastProgress, Broadcasts
from storage.engine.replica import Replica
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.postgres import open_postgres_database
from tests.contract.conftest import NOW
from tests.support.postgres_server import make_schema_address

ADMIN, OTHER = 1, 2


@pytest.fixture(params=["sqlite", "postgres"])
async def senders(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Broadcasts, Broadcasts]]:
    """Open two senders. On PostgreSQL, each has its own connections, as two processes would."""
    async with contextlib.AsyncExitStack() as stack:
        if request.param == "sqlite":
            opened = await stack.enter_async_context(Database.open(tmp_path / "memory.db", migrations=MIGRATIONS))
            yield Broadcasts(opened), Broadcasts(opened)
            return
        url = make_schema_address(request.getfixturevalue("postgres_url"), tmp_path)
        first = await stack.enter_async_context(open_postgres_database(url))
        yield Broadcasts(first), Broadcasts(await stack.enter_async_context(open_postgres_database(url)))


@pytest.fixture
def broadcasts(senders: tuple[Broadcasts, Broadcasts]) -> Broadcasts:
    return senders[0]


async def test_concurrent_senders_get_each_recipient_once(senders: tuple[Broadcasts, Broadcasts]) -> None:
    """On PostgreSQL, one of two concurrent senders was once told that nobody was left, and ended the broadcast."""
    one = await senders[0].store_draft(ADMIN, "hello", now=NOW)
    people = list(range(11, 111))
    assert await senders[0].try_to_start(one, people, receipt_id=99)
    handed = await asyncio.gather(
        *(senders[number % 2].take_next_recipient_id(one) for number in range(len(people) + 4))
    )
    assert sorted(person for person in handed if person is not None) == people
    assert handed.count(None) == 4


async def test_replica_not_serving_admin_cannot_continue_or_end_broadcast(postgres_url: str, tmp_path: Path) -> None:
    url = make_schema_address(postgres_url, tmp_path)
    async with open_postgres_database(url, replica=Replica("here")) as hung, open_postgres_database(url) as other:
        one = await Broadcasts(other).store_draft(ADMIN, "hello", now=NOW)
        assert await Broadcasts(other).try_to_start(one, [11, 12], receipt_id=99)
        for what in (Broadcasts(hung).take_next_recipient_id(one), Broadcasts(hung).delete_broadcast_if_exists(one)):
            with pytest.raises(ServedElsewhere):
                await what
        assert await Broadcasts(other).count_outcomes(one) == BroadcastProgress(left=2)


async def test_hands_out_each_recipient_once_and_deletes_finished_broadcast(broadcasts: Broadcasts) -> None:
    dropped = await broadcasts.store_draft(ADMIN, "first thoughts", now=NOW)
    one = await broadcasts.store_draft(ADMIN, "hello", now=NOW)
    assert await broadcasts.find_broadcast(dropped.id) is None, "an admin has one proposal"
    assert await broadcasts.list_broadcasts_in_progress() == []
    assert await broadcasts.try_to_start(one, [11, 12, 13, 14], receipt_id=99)
    assert not await broadcasts.try_to_start(one, [11], receipt_id=98), "a second press changes nothing"
    await broadcasts.store_draft(ADMIN, "the next", now=NOW)
    [sending] = await broadcasts.list_broadcasts_in_progress()
    assert (sending.text, sending.receipt_id, sending.created_at) == ("hello", 99, NOW)
    asked = [await broadcasts.take_next_recipient_id(one) for _ in range(3)]
    assert asked == [11, 12, 13]
    await broadcasts.record_outcome(one, 11, "arrived")
    await broadcasts.record_outcome(one, 12, "gone")
    assert await broadcasts.count_outcomes(one) == BroadcastProgress(arrived=1, gone=1, unknown=1, left=1)
    await broadcasts.requeue_recipient(one, 13)
    assert [await broadcasts.take_next_recipient_id(one) for _ in range(3)] == [13, 14, None]
    assert await broadcasts.delete_broadcast_if_exists(one)
    assert not await broadcasts.delete_broadcast_if_exists(one)
    assert await broadcasts.count_outcomes(one) == BroadcastProgress()

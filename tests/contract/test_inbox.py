"""Tests of the update inbox, in SQLite and in PostgreSQL."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from records.errors import ServedElsewhere
from storage.bot_state.inbox import Inbox, ReceivedUpdate
from storage.bot_state.postgres_inbox import PostgresInbox
from storage.bot_state.postgres_leases import PostgresLeases
from storage.engine.replica import Replica
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.postgres import open_postgres_database
from tests.contract.conftest import MINUTE, NOW, read_files
from tests.support.postgres_server import make_schema_address, read_rows

BOT = 900


@pytest.fixture(params=["sqlite", "postgres"])
async def inbox(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Inbox]:
    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database.open(tmp_path / "memory.db", migrations=MIGRATIONS))
        if request.param == "sqlite":
            yield Inbox(database)
            return
        url, replica = make_schema_address(request.getfixturevalue("postgres_url"), tmp_path), Replica("here")
        server = await stack.enter_async_context(open_postgres_database(url, replica=replica))
        leases = await stack.enter_async_context(PostgresLeases.open(server, replica, url))
        yield PostgresInbox(server, leases, Inbox(database))


async def receive_updates(inbox: Inbox, arrivals: Sequence[ReceivedUpdate]) -> None:
    """Store updates. In a shared inbox, also claim them for this process."""
    await inbox.store_and_get_new_ids(BOT, arrivals, NOW)
    if isinstance(inbox, PostgresInbox):
        await inbox.claim_updates(BOT, limit=100, now=NOW)


async def test_update_is_received_once_and_pending_until_done(inbox: Inbox) -> None:
    await receive_updates(inbox, [ReceivedUpdate(7, "{}")])
    assert not await inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(7, "{}")], NOW)
    assert await inbox.store_and_get_new_ids(BOT + 1, [ReceivedUpdate(7, "{}")], NOW)
    assert await inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(3, '{"text": "ü\0"}')], NOW + MINUTE)
    assert [(update.update_id, update.payload) for update in await inbox.list_pending_updates(BOT)] == [
        (7, "{}"),
        (3, '{"text": "ü\0"}'),
    ]
    await inbox.mark_updates_done(BOT, [7], NOW)
    assert not await inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(7, "{}")], NOW)
    assert [update.update_id for update in await inbox.list_pending_updates(BOT)] == [3]


async def test_payload_of_done_update_is_erased(inbox: Inbox, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    await receive_updates(inbox, [ReceivedUpdate(1, "walrus")])
    await inbox.mark_updates_done(BOT, [1], NOW)
    assert await inbox.database.try_to_truncate_write_ahead_log()
    rows = read_rows(request.getfixturevalue("postgres_url"), tmp_path) if isinstance(inbox, PostgresInbox) else []
    assert b"walrus" not in b"".join([*read_files(tmp_path), *rows])


async def test_counts_attempts_and_sends_of_update(inbox: Inbox) -> None:
    await receive_updates(inbox, [ReceivedUpdate(1, "{}")])
    assert [
        await inbox.increment_and_get(BOT, 1, "attempts"),
        await inbox.increment_and_get(BOT, 1, "attempts"),
        await inbox.increment_and_get(BOT, 1, "sends"),
    ] == [1, 2, 1]
    [pending] = await inbox.list_pending_updates(BOT)
    assert (pending.attempts, pending.sends, pending.received_at) == (2, 1, NOW)
    with contextlib.suppress(ServedElsewhere):  # where it may be somebody else's, that cannot be told
        assert await inbox.increment_and_get(BOT, 99, "attempts") == 0
    await inbox.decrement_attempts(BOT, 1, "sends")
    assert await inbox.increment_and_get(BOT, 1, "sends") == 1
    await inbox.increment_and_get(BOT, 1, "sends")
    await inbox.allow_another_send(BOT, 1, max_sends=2)
    await inbox.record_memory_mode(BOT, 1, "off")
    assert pending.shown == ()
    await inbox.record_answer_messages(BOT, 1, [8, 9])
    [pending] = await inbox.list_pending_updates(BOT)
    assert (pending.sends, pending.mode, pending.shown) == (1, "off", (8, 9))


async def test_purges_only_old_done_updates(inbox: Inbox) -> None:
    await receive_updates(inbox, [ReceivedUpdate(number, "{}") for number in (1, 2, 3)])
    await inbox.mark_updates_done(BOT, [1], NOW)
    await inbox.mark_updates_done(BOT, [2], NOW + timedelta(hours=40))
    assert await inbox.delete_and_count_done_updates(NOW + timedelta(hours=1)) == 1
    assert await inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(1, "{}")], NOW)
    assert not await inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(2, "{}")], NOW)
    assert not await inbox.store_and_get_new_ids(BOT, [ReceivedUpdate(3, "{}")], NOW)


async def test_erases_payload_of_pending_update(inbox: Inbox) -> None:
    await receive_updates(inbox, [ReceivedUpdate(1, "walrus"), ReceivedUpdate(2, "{}")])
    waiting = await inbox.find_positions_by_source()
    assert sorted(waiting) == [f"{BOT}:1", f"{BOT}:2"]
    await inbox.erase_payloads([waiting[f"{BOT}:1"]])
    assert [update.payload for update in await inbox.list_pending_updates(BOT)] == ["", "{}"]

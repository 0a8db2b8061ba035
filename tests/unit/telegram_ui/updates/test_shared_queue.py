"""Tests of the queue of a process that shares its work with other processes."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import telegram
from telegram.ext import ExtBot

from records.errors import StorageError
from records.owners import KnownPerson
from settings import Secret, Settings
from storage.bot_state.inbox import Inbox, ReceivedUpdate
from storage.bot_state.people import People
from storage.bot_state.postgres_inbox import PostgresInbox
from storage.bot_state.postgres_leases import PostgresLeases
from storage.engine.replica import Replica
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.postgres import open_postgres_database
from telegram_ui.updates.access import AccessPolicy
from telegram_ui.updates.durable_queue import QueuedUpdate
from telegram_ui.updates.shared_queue import IDLE_SECONDS, SharedQueue
from tests.support.postgres_server import make_schema_address
from tests.support.postgres_wire import lay_wire
from tests.unit.telegram_ui.conftest import NOW, Peer, make_bot

ANN = 1001


@pytest.fixture
async def bot(peer: Peer) -> Any:
    async with make_bot(peer.url) as bot:
        yield bot


def make_update(number: int, bot: telegram.Bot, *, person: int = ANN) -> telegram.Update:
    said = {
        "message_id": number,
        "date": 1,
        "text": f"message {number}",
        "chat": {"id": person, "type": "private"},
        "from": {"id": person, "is_bot": False, "first_name": "Ann"},
    }
    return telegram.Update.de_json({"update_id": number, "message": said}, bot)


def make_fetched_updates(number: int, bot: telegram.Bot) -> list[tuple[telegram.Update, dict[str, Any]]]:
    """Return an update as a poll delivers it: parsed and raw."""
    parsed = make_update(number, bot)
    return [(parsed, json.loads(parsed.to_json()))]


class Clock:
    """A clock in seconds that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class LosingInbox(PostgresInbox):
    """An inbox that loses the reply to the next commit if `loses_next_reply` is set."""

    loses_next_reply = False

    async def store_and_get_new_ids(self, *args: Any) -> set[int]:
        new = await super().store_and_get_new_ids(*args)
        if self.loses_next_reply:
            self.loses_next_reply = False
            raise StorageError
        return new


class InspectableQueue(SharedQueue):
    """A shared queue that exposes its inbox, leases and people."""

    inbox: LosingInbox
    people: People


@asynccontextmanager
async def open_queue(
    name: str, url: str, folder: Path, bot: ExtBot[Any], clock: Clock, *, is_claiming: bool = True
) -> AsyncIterator[InspectableQueue]:
    """Open the queue of one process, with a folder and a memory.db of its own."""
    async with AsyncExitStack() as stack:
        settings = Settings(telegram_bot_token=Secret("4242:token"))
        (path := folder / name).mkdir(exist_ok=True)
        files = await stack.enter_async_context(Database.open(path / "memory.db", migrations=MIGRATIONS))
        replica = Replica(name)
        server = await stack.enter_async_context(open_postgres_database(url, replica=replica))
        leases = await stack.enter_async_context(PostgresLeases.open(server, replica, url))
        inbox, people = LosingInbox(server, leases, Inbox(files)), People(server)
        queue = InspectableQueue(
            inbox,
            is_relevant=lambda _: True,
            now=lambda: NOW,
            monotonic=clock,
            learn_people=AccessPolicy(settings, bot, people, now=lambda: NOW).reload_access_decisions,
            limit_per_person=3,
        )
        queue.people = people
        queue.inbox = inbox
        await queue.restore_pending_updates_and_count(bot)
        claiming = asyncio.create_task(queue.keep_claiming_updates(bot, asyncio.sleep)) if is_claiming else None
        try:
            yield queue
        finally:
            if claiming is not None:
                claiming.cancel()


async def receive_update_id(queue: SharedQueue) -> int:
    received = await queue.get()
    assert isinstance(received, QueuedUpdate)
    return -1 if received.is_refused else received.update.update_id


async def test_bot_claim_is_learned_by_other_process_with_next_update(
    bot: ExtBot[Any], postgres_url: str, tmp_path: Path
) -> None:
    url, clock = make_schema_address(postgres_url, tmp_path), Clock()
    async with (
        open_queue("a", url, tmp_path, bot, clock) as first,
        open_queue("b", url, tmp_path, bot, clock) as second,
    ):
        until = await first.people.get_or_renew_admin_link_expiry(new_expiry=NOW + timedelta(hours=1), now=NOW)
        assert await first.people.claim_bot_if_link_is_valid(
            KnownPerson(id=ANN, standing="admin", name=""), expiry=until, now=NOW
        )
        assert second.people.admin_ids_from_bot_claims == frozenset()
        await second.enqueue_updates(make_fetched_updates(1, bot))
        assert second.people.admin_ids_from_bot_claims == {ANN}


async def test_update_received_anywhere_is_handled_by_process_serving_owner(
    bot: ExtBot[Any], postgres_url: str, tmp_path: Path
) -> None:
    url, clock = make_schema_address(postgres_url, tmp_path), Clock()
    async with (
        open_queue("a", url, tmp_path, bot, clock) as first,
        open_queue("b", url, tmp_path, bot, clock) as second,
    ):
        await first.enqueue_updates(make_fetched_updates(1, bot))
        tasks = [asyncio.create_task(receive_update_id(number)) for number in (first, second)]
        done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        assert [task.result() for task in done] == [1]
        serving, other = (first, second) if tasks[0] in done else (second, first)
        await other.enqueue_updates(make_fetched_updates(2, bot))
        await other.enqueue_updates(make_fetched_updates(2, bot))
        await serving.enqueue_updates(make_fetched_updates(3, bot))
        assert [await receive_update_id(serving), await receive_update_id(serving)] == [2, 3]
        # Three of hers are unfinished, wherever they came in: one more is refused, and she is told where it came in.
        await other.enqueue_updates(make_fetched_updates(4, bot))
        assert await receive_update_id(other) == -1
        await serving.mark_updates_done([1, 2, 3])
        # Once she has been quiet for a while, the one where she speaks again may serve her.
        clock.now += IDLE_SECONDS + 1
        await serving.release_idle_and_requested_leases()
        clock.now += IDLE_SECONDS + 1
        await serving.release_idle_and_requested_leases()
        assert list(serving.inbox.leases.served_owners) == []
        await other.enqueue_updates(make_fetched_updates(5, bot))
        done, waiting = await asyncio.wait(
            [asyncio.create_task(receive_update_id(queue)) for queue in (serving, other)],
            return_when=asyncio.FIRST_COMPLETED,
        )
        for task in waiting:
            task.cancel()
        assert [task.result() for task in done] == [5]


async def test_takes_over_updates_in_order_after_lost_commit_reply(
    bot: ExtBot[Any], postgres_url: str, tmp_path: Path
) -> None:
    url, clock = make_schema_address(postgres_url, tmp_path), Clock()
    async with open_queue("a", url, tmp_path, bot, clock, is_claiming=False) as first:
        first.inbox.loses_next_reply = True
        with pytest.raises(StorageError):
            await first.enqueue_updates(make_fetched_updates(1, bot))
        assert first.empty(), "another process may have been handed it"
        async with open_queue("b", url, tmp_path, bot, clock) as second:
            await second.enqueue_updates(make_fetched_updates(1, bot))  # Telegram offers it again
            assert await receive_update_id(second) == 1
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("UPDATE replicas SET expires_at = '-infinity' WHERE instance_id = 'b'")
            await first.enqueue_updates(make_fetched_updates(2, bot))
            assert await first.claim_updates_and_count(bot)
            assert [await receive_update_id(first), await receive_update_id(first)] == [1, 2]
            await first.mark_updates_done([1, 2])
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT COUNT(*) FROM updates WHERE done_at IS NULL").fetchone() == (0,)


async def test_claimed_update_is_replayed_only_if_another_process_had_claimed_it(
    bot: ExtBot[Any], postgres_url: str, tmp_path: Path
) -> None:
    """Otherwise an edit that changes no words would be acknowledged, such as one that adds a link preview."""
    url, clock = make_schema_address(postgres_url, tmp_path), Clock()
    async with (
        open_queue("a", url, tmp_path, bot, clock, is_claiming=False) as first,
        open_queue("b", url, tmp_path, bot, clock, is_claiming=False) as second,
    ):
        await first.enqueue_updates(make_fetched_updates(1, bot))
        assert await first.claim_updates_and_count(bot) == 1
        assert not first.get_nowait().is_replayed
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE replicas SET expires_at = '-infinity' WHERE instance_id = 'a'")
        assert await second.claim_updates_and_count(bot) == 1
        assert second.get_nowait().is_replayed


async def test_updates_of_other_processes_precede_update_with_lost_reply(
    bot: ExtBot[Any], postgres_url: str, tmp_path: Path
) -> None:
    url, clock = make_schema_address(postgres_url, tmp_path), Clock()
    async with (
        open_queue("a", url, tmp_path, bot, clock, is_claiming=False) as first,
        open_queue("b", url, tmp_path, bot, clock, is_claiming=False) as second,
    ):
        await first.enqueue_updates(make_fetched_updates(1, bot))
        assert await first.claim_updates_and_count(bot) == 1
        assert await receive_update_id(first) == 1
        await second.enqueue_updates(
            [(make_update(2, bot), json.loads(make_update(2, bot).to_json()))]
        )  # she is served here, and it is not claimed yet
        first.inbox.loses_next_reply = True
        with pytest.raises(StorageError):
            await first.enqueue_updates(make_fetched_updates(3, bot))
        await first.enqueue_updates(make_fetched_updates(3, bot))  # Telegram offers it again
        assert [await receive_update_id(first), await receive_update_id(first)] == [2, 3]
        assert not await first.claim_updates_and_count(bot)
        assert first.empty()


async def test_update_order_survives_lost_reply_to_claim(bot: ExtBot[Any], postgres_url: str, tmp_path: Path) -> None:
    url, clock = make_schema_address(postgres_url, tmp_path), Clock()
    async with (
        lay_wire(url) as (behind, wire),
        open_queue("a", behind, tmp_path, bot, clock, is_claiming=False) as first,
        open_queue("b", url, tmp_path, bot, clock, is_claiming=False) as second,
    ):
        await first.enqueue_updates(make_fetched_updates(1, bot))
        assert await first.claim_updates_and_count(bot) == 1
        assert await receive_update_id(first) == 1
        await first.mark_updates_done([1])
        await second.enqueue_updates(
            [(make_update(2, bot), json.loads(make_update(2, bot).to_json()))]
        )  # she is served here, and it is not claimed yet
        wire.cuts_some = lambda: True
        with pytest.raises(StorageError):
            await first.enqueue_updates(make_fetched_updates(3, bot))
        assert first.empty(), "the first thing that comes is what was written first"
        wire.cuts_some = lambda: False
        await first.enqueue_updates(make_fetched_updates(3, bot))  # Telegram offers it again
        assert await first.claim_updates_and_count(bot)
        assert [await receive_update_id(first), await receive_update_id(first)] == [2, 3]
        assert first.empty()


async def test_updates_from_single_process_inbox_move_to_shared_queue(
    bot: ExtBot[Any], postgres_url: str, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    async with Database.open(tmp_path / "a" / "memory.db", migrations=MIGRATIONS) as files:
        alone = Inbox(files)
        await alone.store_and_get_new_ids(bot.id, [ReceivedUpdate(8, "{")], NOW)
        await alone.store_and_get_new_ids(bot.id, [ReceivedUpdate(9, make_update(9, bot).to_json())], NOW)
    async with open_queue("a", make_schema_address(postgres_url, tmp_path), tmp_path, bot, Clock()) as queue:
        assert await receive_update_id(queue) == 9
    async with Database.open(tmp_path / "a" / "memory.db", migrations=MIGRATIONS) as files:
        assert await Inbox(files).list_pending_updates(bot.id) == []

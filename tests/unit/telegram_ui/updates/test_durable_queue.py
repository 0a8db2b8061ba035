"""Tests of the queue that commits every update before it is handled."""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import telegram
from telegram.ext import ExtBot

from records.errors import StorageError
from storage.bot_state.inbox import Inbox, ReceivedUpdate
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from telegram_ui.updates.durable_queue import MAX_RUNS, MIN_TRYING_TIME, DurableQueue, QueuedUpdate
from tests.unit.telegram_ui.conftest import NOW, Peer, make_bot


@pytest.fixture
async def bot(peer: Peer) -> Any:
    async with make_bot(peer.url) as bot:
        yield bot


def make_update(number: int, bot: telegram.Bot) -> telegram.Update:
    data = {"update_id": number, "something_new": {"words": "kept"}}
    parsed = telegram.Update.de_json(data, bot)
    assert parsed
    return parsed


def make_fetched_updates(number: int, bot: telegram.Bot) -> list[tuple[telegram.Update, dict[str, Any]]]:
    """Return an update as a poll delivers it: parsed and raw."""
    parsed = make_update(number, bot)
    return [(parsed, json.loads(parsed.to_json()))]


async def open_queue(inbox: Inbox, bot: telegram.Bot, **options: Any) -> DurableQueue:
    queue = DurableQueue(inbox, is_relevant=lambda _: True, now=lambda: NOW, **options)
    await queue.restore_pending_updates_and_count(bot)
    return queue


def take_update_ids(queue: DurableQueue) -> list[int]:
    numbers = []
    while not queue.empty():
        received = queue.get_nowait()
        assert isinstance(received, QueuedUpdate)
        numbers.append(received.update.update_id)
    return numbers


async def test_unfinished_updates_are_redelivered_to_next_run(inbox: Inbox, bot: ExtBot[Any]) -> None:
    queue = await open_queue(inbox, bot)
    for number in (7, 3, 5):  # Telegram may start its numbers again: the order is that of arrival
        await queue.enqueue_updates(make_fetched_updates(number, bot))
    await queue.enqueue_updates(make_fetched_updates(3, bot))
    assert take_update_ids(queue) == [7, 3, 5]
    await queue.mark_updates_done([3])
    again = await open_queue(inbox, bot)
    received = again.get_nowait()
    assert isinstance(received, QueuedUpdate)
    assert received.update.api_kwargs == {"something_new": {"words": "kept"}}
    assert take_update_ids(again) == [5]
    await again.enqueue_updates(make_fetched_updates(3, bot))
    assert again.empty()


async def test_update_stored_by_cancelled_enqueue_is_queued_once(inbox: Inbox, bot: ExtBot[Any]) -> None:
    queue = await open_queue(inbox, bot)
    await inbox.store_and_get_new_ids(bot.id, [ReceivedUpdate(1, make_update(1, bot).to_json())], NOW)
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    assert take_update_ids(queue) == [1]
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    assert queue.empty()


async def test_update_that_is_twice_in_one_batch_is_queued_once(inbox: Inbox, bot: ExtBot[Any]) -> None:
    queue = await open_queue(inbox, bot)
    first, second = make_fetched_updates(1, bot), make_fetched_updates(2, bot)
    await queue.enqueue_updates([*first, *second, *first])
    assert take_update_ids(queue) == [1, 2]


async def test_erased_update_is_dropped_without_error(
    inbox: Inbox, bot: ExtBot[Any], caplog: pytest.LogCaptureFixture
) -> None:
    queue = await open_queue(inbox, bot)
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    await inbox.erase_payloads([*(await inbox.find_positions_by_source()).values()])
    again = await open_queue(inbox, bot)
    assert again.empty()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert await inbox.list_pending_updates(bot.id) == []


async def test_batch_is_not_written_while_too_many_updates_are_unfinished(inbox: Inbox, bot: ExtBot[Any]) -> None:
    """Telegram keeps the updates of a poll until there is room, also those of a poll with several."""
    queue = await open_queue(inbox, bot, limit=1)
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    fetched = [*make_fetched_updates(2, bot), *make_fetched_updates(3, bot)]
    waiting = asyncio.create_task(queue.enqueue_updates(fetched))
    await asyncio.sleep(0)
    assert [row.update_id for row in await inbox.list_pending_updates(bot.id)] == [1]
    await queue.mark_updates_done([1])
    await waiting
    assert take_update_ids(queue) == [1, 2, 3]


async def test_failed_mark_done_is_retried_with_next_update(inbox: Inbox, bot: ExtBot[Any]) -> None:
    class Weak(Inbox):
        is_broken = True

        async def mark_updates_done(self, *args: Any) -> None:
            if self.is_broken:
                raise StorageError
            await super().mark_updates_done(*args)

    weak = Weak(inbox.database)
    queue = await open_queue(weak, bot)
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    await queue.enqueue_updates(make_fetched_updates(2, bot))
    await queue.mark_updates_done([1])
    weak.is_broken = False
    await queue.mark_updates_done([2])
    assert await inbox.list_pending_updates(bot.id) == []


async def test_redelivered_update_in_progress_is_not_handed_over_again_while_disk_fails(
    inbox: Inbox, bot: ExtBot[Any]
) -> None:
    class Full(Inbox):
        is_full = False

        async def store_and_get_new_ids(self, *args: Any) -> set[int]:
            if self.is_full:
                raise StorageError
            return await super().store_and_get_new_ids(*args)

    disk = Full(inbox.database)
    queue = await open_queue(disk, bot)
    await queue.enqueue_updates(make_fetched_updates(2, bot))
    disk.is_full = True
    # Telegram sends 2 again, because 1 is not on disk and 2 was not confirmed.
    fetched = [update for number in (1, 2, 3) for update in make_fetched_updates(number, bot)]
    await queue.enqueue_updates(fetched)
    assert take_update_ids(queue) == [2, 1, 3]
    assert queue.are_updates_on_disk([2])
    assert not queue.are_updates_on_disk([1])


async def test_unwritten_update_left_to_next_run_is_only_written_when_it_comes_again(
    inbox: Inbox, bot: ExtBot[Any]
) -> None:
    class Full(Inbox):
        is_full = True

        async def store_and_get_new_ids(self, *args: Any) -> set[int]:
            if self.is_full:
                raise StorageError
            return await super().store_and_get_new_ids(*args)

    full = Full(inbox.database)
    queue = await open_queue(full, bot)
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    assert take_update_ids(queue) == [1]
    queue.stop_tracking_updates([1])
    full.is_full = False
    await queue.enqueue_updates(make_fetched_updates(1, bot))
    assert take_update_ids(queue) == [], "this run does not begin it again"
    assert take_update_ids(await open_queue(inbox, bot)) == [1]


class RecordingInbox(Inbox):
    """An inbox that records the ids of updates marked as done."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.marked: list[int] = []

    async def mark_updates_done(self, bot_id: int, update_ids: Sequence[int], now: datetime) -> None:
        self.marked += update_ids
        await super().mark_updates_done(bot_id, update_ids, now)


async def test_concurrently_finished_updates_are_marked_once(tmp_path: Path, bot: ExtBot[Any]) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        inbox = RecordingInbox(database)
        queue = await open_queue(inbox, bot)
        for number in range(5):
            await queue.enqueue_updates(make_fetched_updates(number, bot))
        await asyncio.gather(*(queue.mark_updates_done([number]) for number in range(5)))
        assert sorted(inbox.marked) == [0, 1, 2, 3, 4]
        assert await inbox.list_pending_updates(bot.id) == []


async def test_update_is_abandoned_after_max_runs_and_minimum_time(inbox: Inbox, bot: ExtBot[Any]) -> None:
    """This takes at least an hour, because another update may be the cause of many quick crashes."""
    await inbox.store_and_get_new_ids(
        bot.id, [ReceivedUpdate(1, make_update(1, bot).to_json())], NOW - MIN_TRYING_TIME - timedelta(seconds=1)
    )
    await inbox.store_and_get_new_ids(
        bot.id, [ReceivedUpdate(2, make_update(2, bot).to_json())], NOW - MIN_TRYING_TIME + timedelta(seconds=1)
    )
    for _ in range(MAX_RUNS):
        assert take_update_ids(await open_queue(inbox, bot)) == [1, 2]
    assert take_update_ids(await open_queue(inbox, bot)) == [2]
    assert [row.update_id for row in await inbox.list_pending_updates(bot.id)] == [2]


async def test_unreadable_row_does_not_block_other_updates(inbox: Inbox, bot: ExtBot[Any]) -> None:
    await inbox.store_and_get_new_ids(bot.id, [ReceivedUpdate(1, "{")], NOW)
    await inbox.store_and_get_new_ids(bot.id, [ReceivedUpdate(2, make_update(2, bot).to_json())], NOW)
    assert take_update_ids(await open_queue(inbox, bot)) == [2]


async def test_queued_update_repr_hides_content(bot: ExtBot[Any]) -> None:
    assert repr(QueuedUpdate(make_update(1, bot), is_durable=True)) == "QueuedUpdate(1)"

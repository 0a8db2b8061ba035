"""The queue whose put() is a commit."""

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
from tests.unit.telegram_ui.conftest import NOW, Peer, client


@pytest.fixture
async def bot(peer: Peer) -> Any:
    async with client(peer.url) as bot:
        yield bot


def update(number: int, bot: telegram.Bot) -> telegram.Update:
    data = {"update_id": number, "something_new": {"words": "kept"}}
    parsed = telegram.Update.de_json(data, bot)
    assert parsed
    return parsed


def fetched(number: int, bot: telegram.Bot) -> list[tuple[telegram.Update, dict[str, Any]]]:
    """One update as a poll brings it: parsed and raw."""
    parsed = update(number, bot)
    return [(parsed, json.loads(parsed.to_json()))]


async def opened(inbox: Inbox, bot: telegram.Bot, **options: Any) -> DurableQueue:
    queue = DurableQueue(inbox, is_relevant=lambda _: True, now=lambda: NOW, **options)
    await queue.restore_pending_updates_and_count(bot)
    return queue


def taken(queue: DurableQueue) -> list[int]:
    numbers = []
    while not queue.empty():
        received = queue.get_nowait()
        assert isinstance(received, QueuedUpdate)
        numbers.append(received.update.update_id)
    return numbers


async def test_what_was_put_comes_again_to_the_next_run_until_it_is_done(inbox: Inbox, bot: ExtBot[Any]) -> None:
    queue = await opened(inbox, bot)
    for number in (7, 3, 5):  # Telegram may start its numbers again: the order is that of arrival
        await queue.enqueue_updates(fetched(number, bot))
    await queue.enqueue_updates(fetched(3, bot))
    assert taken(queue) == [7, 3, 5]
    await queue.mark_updates_done([3])
    again = await opened(inbox, bot)
    received = again.get_nowait()
    assert isinstance(received, QueuedUpdate)
    assert received.update.api_kwargs == {"something_new": {"words": "kept"}}
    assert taken(again) == [5]
    await again.enqueue_updates(fetched(3, bot))
    assert again.empty()


async def test_a_put_that_was_cancelled_after_its_commit_is_made_up_for(inbox: Inbox, bot: ExtBot[Any]) -> None:
    queue = await opened(inbox, bot)
    await inbox.store_and_get_new_ids(bot.id, [ReceivedUpdate(1, update(1, bot).to_json())], NOW)
    await queue.enqueue_updates(fetched(1, bot))
    assert taken(queue) == [1]
    await queue.enqueue_updates(fetched(1, bot))
    assert queue.empty()


async def test_what_was_forgotten_before_its_answer_is_no_error(
    inbox: Inbox, bot: ExtBot[Any], caplog: pytest.LogCaptureFixture
) -> None:
    queue = await opened(inbox, bot)
    await queue.enqueue_updates(fetched(1, bot))
    await inbox.erase_payloads([*(await inbox.find_positions_by_source()).values()])
    again = await opened(inbox, bot)
    assert again.empty()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert await inbox.list_pending_updates(bot.id) == []


async def test_put_waits_while_too_much_is_unfinished(inbox: Inbox, bot: ExtBot[Any]) -> None:
    queue = await opened(inbox, bot, limit=1)
    await queue.enqueue_updates(fetched(1, bot))
    waiting = asyncio.create_task(queue.enqueue_updates(fetched(2, bot)))
    await asyncio.sleep(0)
    assert [row.update_id for row in await inbox.list_pending_updates(bot.id)] == [1]
    await queue.mark_updates_done([1])
    await waiting
    assert taken(queue) == [1, 2]


async def test_a_disk_that_fails_fails_without_its_words(inbox: Inbox, bot: ExtBot[Any]) -> None:
    class Broken(Inbox):
        async def store_and_get_new_ids(self, *args: Any) -> set[int]:
            raise OSError("secret words")

    queue = await opened(Broken(inbox.database), bot)
    with pytest.raises(StorageError) as raised:
        await queue.enqueue_updates(fetched(1, bot))
    assert "secret" not in str(raised.value)


async def test_what_could_not_be_marked_as_done_is_marked_with_the_next(inbox: Inbox, bot: ExtBot[Any]) -> None:
    class Weak(Inbox):
        is_broken = True

        async def mark_updates_done(self, *args: Any) -> None:
            if self.is_broken:
                raise StorageError
            await super().mark_updates_done(*args)

    weak = Weak(inbox.database)
    queue = await opened(weak, bot)
    await queue.enqueue_updates(fetched(1, bot))
    await queue.enqueue_updates(fetched(2, bot))
    await queue.mark_updates_done([1])
    weak.is_broken = False
    await queue.mark_updates_done([2])
    assert await inbox.list_pending_updates(bot.id) == []


class Told(Inbox):
    """Notes which updates it was told to mark."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.marked: list[int] = []

    async def mark_updates_done(self, bot_id: int, update_ids: Sequence[int], now: datetime) -> None:
        self.marked += update_ids
        await super().mark_updates_done(bot_id, update_ids, now)


async def test_updates_that_are_done_at_the_same_moment_are_marked_once_each(tmp_path: Path, bot: ExtBot[Any]) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        inbox = Told(database)
        queue = await opened(inbox, bot)
        for number in range(5):
            await queue.enqueue_updates(fetched(number, bot))
        await asyncio.gather(*(queue.mark_updates_done([number]) for number in range(5)))
        assert sorted(inbox.marked) == [0, 1, 2, 3, 4]
        assert await inbox.list_pending_updates(bot.id) == []


async def test_an_update_that_no_run_finishes_is_given_up(inbox: Inbox, bot: ExtBot[Any]) -> None:
    """But not within the hour: many quick deaths may be another's fault."""
    await inbox.store_and_get_new_ids(
        bot.id, [ReceivedUpdate(1, update(1, bot).to_json())], NOW - MIN_TRYING_TIME - timedelta(seconds=1)
    )
    await inbox.store_and_get_new_ids(
        bot.id, [ReceivedUpdate(2, update(2, bot).to_json())], NOW - MIN_TRYING_TIME + timedelta(seconds=1)
    )
    for _ in range(MAX_RUNS):
        assert taken(await opened(inbox, bot)) == [1, 2]
    assert taken(await opened(inbox, bot)) == [2]
    assert [row.update_id for row in await inbox.list_pending_updates(bot.id)] == [2]


async def test_a_row_that_cannot_be_read_holds_up_no_other(inbox: Inbox, bot: ExtBot[Any]) -> None:
    await inbox.store_and_get_new_ids(bot.id, [ReceivedUpdate(1, "{")], NOW)
    await inbox.store_and_get_new_ids(bot.id, [ReceivedUpdate(2, update(2, bot).to_json())], NOW)
    assert taken(await opened(inbox, bot)) == [2]


async def test_nothing_of_an_update_is_shown(bot: ExtBot[Any]) -> None:
    assert repr(QueuedUpdate(update(1, bot), is_durable=True)) == "QueuedUpdate(1)"

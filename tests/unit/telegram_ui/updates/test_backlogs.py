"""Who has very many waiting is overtaken by the others, and is served all the same."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from storage.files.inbox import UpdateInbox
from telegram_ui.updates import backlogs
from telegram_ui.updates.backlogs import MANY, Backlogs
from telegram_ui.updates.durable_queue import DurableQueue, Received
from telegram_ui.updates.paste import MOST_PIECES
from telegram_ui.updates.unread import Unread, glimpse
from tests.unit.telegram_ui.conftest import ANN, BOB, NOW, client
from tests.unit.telegram_ui.updates.test_triage import raw


class Gone:
    """What went on; a pause that ends once so many have."""

    def __init__(self) -> None:
        self.items: list[str] = []
        self.enough = asyncio.Event()

    def add(self, item: str) -> None:
        self.items.append(item)
        if item.endswith("!"):
            self.enough.set()


async def gone(waiting: Sequence[tuple[int, str]], *, is_held: bool, is_released: bool) -> list[str]:
    """What goes on, in which order, until an item with "!"."""
    went = Gone()
    lines = Backlogs[str](went.add)
    if is_held:
        lines.hold()
    for person, item in waiting:
        lines.add(person, item)
    going = asyncio.create_task(lines.keep_going(lambda _: asyncio.sleep(0)))
    for _ in range(20):
        await asyncio.sleep(0)
    if is_released:
        assert not is_held or not went.items
        lines.release()
    await asyncio.wait_for(went.enough.wait(), 60)
    going.cancel()
    return went.items


async def test_people_take_turns_and_each_is_served_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlogs, "LONGEST_HELD", 3600.0)
    waiting = [(ANN, "a1"), (ANN, "a2"), (ANN, "a3!"), (BOB, "b1"), (BOB, "b2")]
    for is_held in (False, True):
        assert await gone(waiting, is_held=is_held, is_released=True) == ["a1", "b1", "a2", "b2", "a3!"]


async def test_nobody_is_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Telegram may keep the poll behind a full one open for half a minute."""
    monkeypatch.setattr(backlogs, "LONGEST_HELD", 0.01)
    assert await gone([(ANN, "a1!")], is_held=True, is_released=False) == ["a1!"]


async def test_behind_a_flood_the_next_person_comes_first(inbox: UpdateInbox) -> None:
    """All of it is on disk by then; a paste is no flood."""
    assert MANY >= MOST_PIECES
    queue = DurableQueue(inbox, keep=lambda _: True, now=lambda: NOW)
    flood = [raw(number, ANN) for number in range(MANY + 5)]
    queue.hold_backlogs()
    await _put(queue, [*flood, raw(1_000, BOB)])
    assert _taken(queue) == [1_000]
    await _put(queue, [raw(1_001, ANN), raw(1_002, BOB)])
    assert _taken(queue) == [1_002]
    assert len(await inbox.pending(0)) == len(flood) + 3
    going = asyncio.create_task(queue.let_backlogs_go_on(lambda _: asyncio.sleep(0)))
    queue.release_backlogs()
    assert [(await _next(queue)) for _ in range(len(flood) + 1)] == [*range(len(flood)), 1_001]
    await _put(queue, [raw(1_003 + number, BOB) for number in range(MANY - 2)])
    assert len(_taken(queue)) == MANY - 2, "as many as a paste has are not held"
    going.cancel()


async def _put(queue: DurableQueue, raws: Sequence[dict[str, Any]]) -> None:
    """As polling does it."""
    updates, bot = [], client()
    for one in raws:
        seen = glimpse(one)
        assert seen is not None
        updates.append((Unread(one, seen, bot), one))
    await queue.write_ahead(updates)
    for update, _ in updates:
        await queue.put(update)


async def _next(queue: DurableQueue) -> int:
    received = await queue.get()
    assert isinstance(received, Received)
    return received.update_id


def _taken(queue: DurableQueue) -> list[int]:
    numbers = []
    while not queue.empty():
        received = queue.get_nowait()
        assert isinstance(received, Received)
        assert received.update.effective_user is not None
        numbers.append(received.update_id)
    return numbers

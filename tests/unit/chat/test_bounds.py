"""Sessions, locks and caches stay bounded, however many people write."""

import gc
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cachetools import LRUCache

from assembly import open_services
from chat.services import Services
from chat.session import SESSIONS_HELD, Session, Sessions, UnwrittenMessages
from records.context import Context
from records.messages import NewMessage
from records.scopes import Person, Scope
from records.turns import IncomingPiece, UserMessage
from runtime.locks import OwnerLocks, ReadersWriterLock
from settings import Settings

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
MANY = SESSIONS_HELD + 200


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    async with open_services(Settings(data_dir=tmp_path, embedding_model="none"), offline=True) as services:
        yield services


def said(person: int) -> UserMessage:
    piece = IncomingPiece(text="My cat is called Murka.", source=f"1:{person}", sent_at=NOW)
    return UserMessage(scope=Scope(owner=person), person=Person(id=person, name="Anna"), pieces=(piece,))


def alive() -> Counter[type]:
    """Return the number of objects of each type in this process."""
    gc.collect()
    return Counter(type(value) for value in gc.get_objects())


async def test_only_newest_sessions_are_kept(services: Services) -> None:
    for person in range(1, MANY):
        await services.conversation.reply(said(person))
    kept = alive()
    assert kept[Session] <= SESSIONS_HELD
    assert kept[Context] == 0
    assert kept[ReadersWriterLock] == 0


async def test_learning_and_folding_leave_no_locks(services: Services) -> None:
    for person in range(1, 6):
        await services.memory.set_enabled(person, enabled=True)
        await services.conversation.reply(said(person))
        await services.conversation.run_post_turn_tasks(Scope(owner=person))
        await services.facts.learn(Scope(owner=person))
    assert alive()[ReadersWriterLock] == 0


def test_session_with_running_turn_or_unwritten_messages_is_kept() -> None:
    sessions = Sessions()
    unwritten, served = sessions.get_or_create_session(Scope(owner=1)), sessions.get_or_create_session(Scope(owner=2))
    message = NewMessage(role="user", content="Not on disk yet.", created_at=NOW, source="1:1")
    unwritten.unwritten.append(UnwrittenMessages([message]))
    served.is_in_turn = True
    for person in range(3, MANY):
        sessions.get_or_create_session(Scope(owner=person))
    assert sessions.get_or_create_session(Scope(owner=1)) is unwritten
    assert sessions.get_or_create_session(Scope(owner=2)) is served
    assert len(list(sessions)) <= SESSIONS_HELD


async def test_session_is_busy_during_turn_and_refuses_second_turn() -> None:
    session = Session(Scope(owner=1))
    async with session.mark_turn_running():
        assert session.is_in_turn
        with pytest.raises(RuntimeError):
            async with session.mark_turn_running():
                pass
        assert session.is_in_turn
    assert not session.is_in_turn


async def test_owner_lock_is_shared_while_held_and_freed_afterwards() -> None:
    locks = OwnerLocks()
    async with locks.get_lock(1).hold_shared():
        gc.collect()
        inside = locks.get_lock(1)
        async with locks.get_lock(1).hold_shared(), locks.get_lock(2).hold_exclusive():
            assert locks.get_lock(1) is inside
            assert len(locks) == 2
    del inside
    gc.collect()
    assert len(locks) == 0


def test_lru_cache_evicts_least_recently_used_entry() -> None:
    newest = LRUCache[str, int](2)
    newest["a"], newest["b"] = 1, 2
    assert newest["a"] == 1
    newest["c"] = 3
    assert dict(newest) == {"a": 1, "c": 3}
    assert newest.get("b") is None
    assert newest.pop("a", None) == 1
    assert len(newest) == 1

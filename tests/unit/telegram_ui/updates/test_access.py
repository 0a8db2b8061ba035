"""Tests of access: who is served, how often strangers get a notice, and who may configure a group."""

from datetime import UTC, datetime, timedelta

import pytest

from records.scopes import Person
from settings import Settings
from telegram_ui.sending.chat import Chat
from telegram_ui.updates.access import AccessPolicy
from tests.support.empty_memory import NOBODY_KNOWN
from tests.unit.telegram_ui.conftest import ANN, BOB, GROUP, Peer, make_bot


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 21, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


def make_person(number: int) -> Person:
    return Person(id=number, name="")


@pytest.mark.parametrize(
    ("settings", "served"),
    [
        (Settings(), set[int]()),
        (Settings(admin_user_ids=frozenset({1})), {1}),
        (Settings(allowed_user_ids=frozenset({2}), admin_user_ids=frozenset({1})), {1, 2}),
        (Settings(everyone_allowed=True), {1, 2, 3}),
    ],
)
def test_serves_only_people_allowed_by_settings(settings: Settings, served: set[int]) -> None:
    access = AccessPolicy(settings, make_bot(), NOBODY_KNOWN, now=Clock())
    assert {number for number in (1, 2, 3) if access.serves(number)} == served


def test_stranger_notices_are_limited_to_five_per_hour() -> None:
    now = Clock()
    access = AccessPolicy(Settings(), make_bot(), NOBODY_KNOWN, now=now)
    assert access.try_to_reserve_stranger_notice(make_person(5))
    assert [access.try_to_reserve_stranger_notice(make_person(5)) for _ in range(6)] == [True] * 4 + [False] * 2
    assert access.try_to_reserve_stranger_notice(make_person(6))
    now.time += timedelta(hours=1)
    assert access.try_to_reserve_stranger_notice(make_person(5))


async def test_group_admin_status_is_cached_for_seconds(peer: Peer) -> None:
    now, group = Clock(), Chat(id=GROUP, is_private=False)
    async with make_bot(peer.url) as bot:
        access = AccessPolicy(Settings(), bot, NOBODY_KNOWN, now=now)
        assert await access.may_configure(Chat(id=BOB), make_person(BOB))
        assert not await access.may_configure(group, make_person(BOB))
        assert [await access.may_configure(group, make_person(ANN)) for _ in range(3)] == [True] * 3
        now.time += timedelta(seconds=6)
        peer.add_fault("server_error", "getChatMember")
        assert not await access.may_configure(group, make_person(ANN))
        assert await access.may_configure(group, make_person(ANN))
    asked = [call for call in peer.world.calls if call["method"] == "getChatMember"]
    assert len(asked) == 4

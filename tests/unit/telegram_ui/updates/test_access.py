"""Who is served, and who is told what."""

from datetime import UTC, datetime, timedelta

import pytest

from records.scopes import Person
from settings import Settings
from telegram_ui.sending.chat import Chat
from telegram_ui.updates.access import AccessPolicy
from tests.unit.telegram_ui.conftest import ANN, BOB, GROUP, Peer, client


class Now:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 21, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


def person(number: int) -> Person:
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
def test_who_is_served(settings: Settings, served: set[int]) -> None:
    access = AccessPolicy(settings, client(), now=Now())
    assert {number for number in (1, 2, 3) if access.serves(number)} == served


def test_a_stranger_is_told_five_times_an_hour() -> None:
    now = Now()
    access = AccessPolicy(Settings(), client(), now=now)
    assert access.try_to_reserve_stranger_notice(person(5))
    assert [access.try_to_reserve_stranger_notice(person(5)) for _ in range(6)] == [True] * 4 + [False] * 2
    assert access.try_to_reserve_stranger_notice(person(6))
    now.time += timedelta(hours=1)
    assert access.try_to_reserve_stranger_notice(person(5))


async def test_telegram_is_asked_for_an_admin_once_a_minute(peer: Peer) -> None:
    now, group = Now(), Chat(id=GROUP, is_private=False)
    async with client(peer.url) as bot:
        access = AccessPolicy(Settings(), bot, now=now)
        assert await access.may_configure(Chat(id=BOB), person(BOB))
        assert not await access.may_configure(group, person(BOB))
        assert [await access.may_configure(group, person(ANN)) for _ in range(3)] == [True] * 3
        now.time += timedelta(minutes=2)
        peer.fault("server_error", "getChatMember")
        assert not await access.may_configure(group, person(ANN))
        assert await access.may_configure(group, person(ANN))
    asked = [call for call in peer.world.calls if call["method"] == "getChatMember"]
    assert len(asked) == 4

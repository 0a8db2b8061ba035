"""Without configured ids, the first person to open the claim link within a day becomes admin."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from records.owners import KnownPerson
from storage.bot_state.people import People
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.unit.telegram_ui.conftest import ANN, BOB, GROUP, NOW, Bots, Peer

HOUR = timedelta(hours=1)


class Start:
    """A bot without allowed people, and the time at which it is started."""

    def __init__(self, bots: Bots, people: People) -> None:
        self.bots = bots
        self.moment = NOW
        bots.memory.people = people
        bots.settings = replace(bots.settings, allowed_user_ids=frozenset())

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
async def start(bots: Bots) -> Start:
    people = People(bots.inbox.database)
    await people.load_people()
    return Start(bots, people)


def extract_token(sentence: str) -> str:
    found = re.search(r"https://t\.me/(\w+)\?start=([\w-]{1,64})(?!\S)", sentence)
    assert found, sentence
    return found[2]


async def test_only_first_person_to_open_claim_link_becomes_admin(start: Start, peer: Peer) -> None:
    async with start.bots.run_service(now=start.now) as service:
        token = extract_token(service.invitation)
        assert peer.world.bot["username"] in service.invitation
        for words in ("/start", "/start wrong", f"/start {token[:-1]}", token, f"/help {token}"):
            peer.world.say(BOB, BOB, words)
        await peer.wait_for_message("let in", chat=BOB)
        peer.world.say(BOB, GROUP, f"/start {token}")
        peer.world.say(ANN, ANN, f"/start {token}")
        await peer.wait_for_message("its admin from now on", chat=ANN)
        peer.world.say(BOB, BOB, f"/start {token}")
        peer.world.say(ANN, ANN, "hello")
        await peer.wait_for_message("echo hello", chat=ANN)
        await wait_for_queued_jobs()
    assert start.bots.memory.people.admin_ids_from_bot_claims == {ANN}
    assert {text.partition(".")[0] for text in peer.list_bot_texts(BOB)} == {
        "This bot answers only people whom its admin has let in"
    }
    assert peer.list_bot_texts(GROUP) == []


async def test_claim_link_survives_restart_and_expires_after_a_day(start: Start, peer: Peer) -> None:
    async with start.bots.run_service(now=start.now) as service:
        first = extract_token(service.invitation)
    start.moment += 23 * HOUR
    async with start.bots.run_service(now=start.now) as service:
        assert extract_token(service.invitation) == first
        start.moment += HOUR
        peer.world.say(ANN, ANN, f"/start {first}")
        await peer.wait_for_message("let in", chat=ANN)
    async with start.bots.run_service(now=start.now) as service:
        second = extract_token(service.invitation)
        assert second != first
        peer.world.say(ANN, ANN, f"/start {first}")
        peer.world.say(BOB, BOB, f"/start {second}")
        await peer.wait_for_message("its admin from now on", chat=BOB)
    async with start.bots.run_service(now=start.now) as service:
        assert service.invitation == ""
        peer.world.say(BOB, BOB, "hello again")
        await peer.wait_for_message("echo hello again", chat=BOB)
        peer.world.say(ANN, ANN, f"/start {second}")
        await wait_for_queued_jobs()
    assert not any("admin from" in text for text in peer.list_bot_texts(ANN))


async def test_bot_is_claimed_in_only_one_of_two_processes(start: Start) -> None:
    """Two processes share one database. Each has read the admins before the other wrote."""
    first, second = People(start.bots.inbox.database), People(start.bots.inbox.database)
    until = await first.get_or_renew_admin_link_expiry(new_expiry=NOW + HOUR, now=NOW)
    assert await second.get_or_renew_admin_link_expiry(new_expiry=NOW + 2 * HOUR, now=NOW) == until
    ann, bob = (KnownPerson(id=number, standing="admin", name="") for number in (ANN, BOB))
    assert await first.claim_bot_if_link_is_valid(ann, expiry=until, now=NOW)
    assert not await second.claim_bot_if_link_is_valid(bob, expiry=until, now=NOW)
    await second.load_people()
    assert second.admin_ids_from_bot_claims == {ANN}


@pytest.mark.parametrize("named", [{"allowed_user_ids": frozenset({BOB})}, {"admin_user_ids": frozenset({BOB})}])
async def test_no_claim_link_when_users_or_admins_are_configured(start: Start, named: dict[str, Any]) -> None:
    start.bots.settings = replace(start.bots.settings, **named)
    async with start.bots.run_service(now=start.now) as service:
        assert service.invitation == ""

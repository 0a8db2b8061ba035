"""A flood from one person does not delay others. Updates of strangers are not stored."""

from collections.abc import Sequence
from datetime import UTC, datetime

from locales.catalog import tr
from records.scopes import Person
from settings import Settings
from storage.bot_state.inbox import ReceivedUpdate
from telegram_ui.updates.access import MAX_NOTICES_TO_ALL_STRANGERS, AccessPolicy
from telegram_ui.updates.durable_queue import MAX_UNFINISHED_PER_PERSON
from tests.support.empty_memory import NOBODY_KNOWN
from tests.support.queued_jobs import wait_for_queued_jobs
from tests.unit.telegram_ui.conftest import ANN, BOB, EVE, GROUP, Bots, Peer, make_bot

FLOOD = 1_200


async def test_flood_of_one_person_does_not_delay_others(bots: Bots, peer: Peer) -> None:
    """Ann's first message hangs and blocks her others. Bob then sends one update of each kind."""
    gate = bots.conversation.add_gate("0")
    for number in range(FLOOD):
        peer.world.say(ANN, ANN, str(number))
    peer.world.say(BOB, BOB, "/help")
    peer.world.say(BOB, BOB, "hello")
    peer.world.say(BOB, GROUP, "@keepsake_bot hello there")
    async with bots.run_service():
        await peer.wait_for_message("did help", BOB)
        await peer.wait_for_message("echo hello", BOB)
        await peer.wait_for_message("echo hello there", GROUP)
        theirs = [turn.person.id for turn in bots.conversation.turns]
        assert theirs.count(ANN) <= 1, "one of Ann's may stand before his"
        assert theirs.count(BOB) == 2
        assert len(await bots.list_pending_update_ids()) <= MAX_UNFINISHED_PER_PERSON + 3
        await peer.wait_for_message(tr("notices-too-much", most=MAX_UNFINISHED_PER_PERSON), ANN)
        assert peer.list_bot_texts(ANN) == [tr("notices-too-much", most=MAX_UNFINISHED_PER_PERSON)], "she is told once"
        gate.set()
        await peer.wait_for_message(f"echo {MAX_UNFINISHED_PER_PERSON - 1}", ANN)
        await wait_for_queued_jobs()
        assert await bots.list_pending_update_ids() == []
    answered = [turn.text for turn in bots.conversation.turns if turn.person.id == ANN]
    assert answered == [str(number) for number in range(MAX_UNFINISHED_PER_PERSON)]


async def test_stop_works_above_backlog_limit_and_frees_room(bots: Bots, peer: Peer) -> None:
    bots.conversation.add_gate("0")
    for number in range(MAX_UNFINISHED_PER_PERSON + 1):
        peer.world.say(ANN, ANN, str(number))
    async with bots.run_service():
        await peer.wait_for_message(tr("notices-too-much", most=MAX_UNFINISHED_PER_PERSON), ANN)
        peer.world.say(ANN, ANN, "/stop")
        await peer.wait_for_message("Stopped.", ANN)
        await wait_for_queued_jobs()
        peer.world.say(ANN, ANN, "again")
        await peer.wait_for_message("echo again", ANN)


async def test_updates_of_strangers_are_not_stored_and_do_not_delay_others(bots: Bots, peer: Peer) -> None:
    for number in range(900):
        peer.world.say(EVE, EVE, f"let me in {number}")
    peer.world.say(ANN, ANN, "hello")
    written: list[int] = []
    receive = bots.inbox.store_and_get_new_ids

    async def counted(bot_id: int, arrivals: Sequence[ReceivedUpdate], now: datetime) -> set[int]:
        written.extend(arrival.update_id for arrival in arrivals)
        return await receive(bot_id, arrivals, now)

    bots.inbox.store_and_get_new_ids = counted  # type: ignore[method-assign]
    async with bots.run_service():
        await peer.wait_for_message("echo hello", ANN)
        await wait_for_queued_jobs()
    assert len(written) == 1
    assert len(peer.list_bot_texts(EVE)) == 5


def test_stranger_notices_are_limited_per_minute_in_total() -> None:
    moment = [datetime(2026, 11, 21, tzinfo=UTC)]
    access = AccessPolicy(Settings(), make_bot(), NOBODY_KNOWN, now=lambda: moment[0])
    told = [access.try_to_reserve_stranger_notice(Person(id=number, name="")) for number in range(1_000)]
    assert sum(told) == MAX_NOTICES_TO_ALL_STRANGERS
    moment[0] = moment[0].replace(minute=1)
    assert access.try_to_reserve_stranger_notice(Person(id=1, name=""))

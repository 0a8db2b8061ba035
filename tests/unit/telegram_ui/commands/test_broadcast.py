"""A message to everybody: seen and confirmed first, to each person at most once, one receipt that is edited."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from telegram.ext import ExtBot

from locales.catalog import tr
from records.errors import ServedElsewhere
from settings import Settings
from telegram_ui.commands.broadcast import MAX_AGE, SPACING_SECONDS, send_broadcasts
from tests.support.stepping import cancelled
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, PRIVATE, TOKEN, Desk
from tests.unit.telegram_ui.commands.test_admin import administered

EVE, NEVER = 13, 14


def gathered(desk: Desk) -> Desk:
    """Ann is an admin; Bob, Eve and somebody who never wrote may use the bot."""
    desk.peer.world.add_person(EVE, "Eve")
    desk.peer.world.say(EVE, EVE, "hello")
    return administered(desk, allowed_user_ids=frozenset({BOB, EVE, NEVER}))


async def sent(desk: Desk) -> None:
    """Send all that is under way; the clock goes on by itself."""
    sending = asyncio.create_task(send_broadcasts(desk.commands.dependencies))
    while not sending.done():
        waiting = asyncio.create_task(desk.peer.clock.sleeper(most=SPACING_SECONDS))
        await asyncio.wait({sending, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        desk.peer.clock.advance(SPACING_SECONDS)
    await sending


async def test_an_admin_sees_it_first_and_each_person_gets_it_once(desk: Desk) -> None:
    gathered(desk)
    desk.peer.world.block_bot(EVE)
    await desk.say(ANN, ANN, "/admin broadcast We move house\non Friday.")
    assert desk.last(ANN) == "People who get this: 3\n\nWe move house\non Friday."
    await sent(desk)
    assert desk.peer.texts(BOB) == [], "not before it is confirmed"
    message, buttons = desk.buttons(ANN)
    for _ in range(2):
        await desk.press(ANN, ANN, message, buttons["Send"])
    assert desk.last(ANN) == "It is being sent.\nPeople who get this: 3", "nothing that will no longer be true"
    await sent(desk)
    assert desk.peer.texts(BOB) == ["We move house\non Friday."]
    told = "It was sent.\nArrived: 1 of 3\nNot reached: 2"
    assert desk.last(ANN) == told, "one receipt, which is edited"
    assert len(desk.peer.texts(ANN)) == 1
    await sent(desk)
    assert len(desk.peer.texts(BOB)) == 1
    assert await desk.press(ANN, ANN, message, buttons["Send"]) == tr("shared-dead-button")


async def test_it_is_written_after_a_button_and_called_off_by_another(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Write to everyone"])
    assert await desk.say(ANN, ANN, "We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Cancel"])
    assert desk.last(ANN) == "Nothing was sent."
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Stop"])
    assert desk.last(ANN) == "Stopped.\nArrived: 0 of 3"
    await sent(desk)
    assert desk.peer.texts(BOB) == []


async def test_whom_a_killed_run_was_writing_to_is_not_written_to_again(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    broadcasts = desk.services.memory.broadcasts
    [one] = await broadcasts.list_broadcasts_in_progress()
    assert await broadcasts.take_next_recipient_id(one) == BOB  # and killed before anybody knows what came of it
    await sent(desk)
    assert desk.peer.texts(BOB) == []
    assert desk.peer.texts(EVE) == ["We move."]
    assert "Perhaps reached: 1" in desk.last(ANN)


async def test_what_a_restored_backup_brings_back_is_not_sent(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    desk.pass_time(MAX_AGE + timedelta(minutes=1))
    await sent(desk)
    assert desk.peer.texts(BOB) == []
    assert await desk.services.memory.broadcasts.list_broadcasts_in_progress() == []


async def test_who_cannot_be_reached_for_now_is_written_to_later(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    desk.peer.fault("retry_after", method="sendMessage", retry_after=700)
    await send_broadcasts(desk.commands.dependencies)
    assert desk.peer.texts(BOB) == []
    desk.commands.dependencies.delivery.get_or_create_chat_state(PRIVATE)
    desk.peer.clock.advance(700)
    await sent(desk)
    assert desk.peer.texts(BOB) == ["We move."]


class WithoutLease(ExtBot[None]):
    """As a bot, after another process has taken over."""

    async def _post(self, *_: Any, **__: Any) -> Any:
        raise ServedElsewhere


async def test_broken_off_anywhere_it_goes_on_and_nobody_gets_it_twice(desk: Desk) -> None:
    gathered(desk)
    for number in range(1, 200):
        await desk.say(ANN, ANN, "/admin broadcast We move.")
        message, buttons = desk.buttons(ANN)
        await desk.press(ANN, ANN, message, buttons["Send"])
        before = [len(desk.peer.texts(user)) for user in (BOB, EVE)]
        passing = asyncio.create_task(time_passes(desk))
        was_reached = await cancelled(partial(send_broadcasts, desk.commands.dependencies), number)
        await send_broadcasts(desk.commands.dependencies)
        passing.cancel()
        got = [len(desk.peer.texts(user)) - were for user, were in zip((BOB, EVE), before, strict=True)]
        assert max(got) == 1
        assert sum(got) == 2 or "Perhaps reached: 1" in desk.last(ANN)
        assert await desk.services.memory.broadcasts.list_broadcasts_in_progress() == []
        if not was_reached:
            assert number > 1
            return
    raise AssertionError("it has more steps than expected")


async def time_passes(desk: Desk) -> None:
    while True:
        desk.peer.clock.advance(SPACING_SECONDS)
        await asyncio.sleep(0)


async def test_whoever_is_removed_meanwhile_does_not_get_it(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    desk.services.memory.serves = lambda owner: owner != BOB
    await sent(desk)
    assert desk.peer.texts(BOB) == []
    assert desk.last(ANN) == "It was sent.\nArrived: 1 of 2\nNot reached: 1"


async def test_what_an_admin_sends_ends_with_their_being_one(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    dependencies = replace(desk.commands.dependencies, settings=Settings(admin_user_ids=frozenset({EVE})))
    await send_broadcasts(dependencies)
    assert desk.peer.texts(BOB) == []
    assert await desk.services.memory.broadcasts.list_broadcasts_in_progress() == []


async def test_a_process_that_lost_its_lease_says_nothing_more(desk: Desk) -> None:
    gathered(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Send"])
    [one] = await desk.services.memory.broadcasts.list_broadcasts_in_progress()
    before, delivery = desk.last(ANN), desk.commands.dependencies.delivery
    bot, delivery.bot = delivery.bot, WithoutLease(TOKEN)
    await send_broadcasts(desk.commands.dependencies)
    delivery.bot = bot
    assert (desk.peer.texts(BOB), desk.last(ANN)) == ([], before)
    assert (await desk.services.memory.broadcasts.count_outcomes(one)).left == 3
    await sent(desk)
    assert desk.peer.texts(BOB) == ["We move."]

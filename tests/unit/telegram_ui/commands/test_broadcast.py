"""Broadcasts need confirmation, reach each person at most once, and show progress in one edited message."""

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
from tests.support.stepping import run_and_cancel
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, PRIVATE, TOKEN, Desk
from tests.unit.telegram_ui.commands.test_admin import make_ann_admin

EVE, NEVER = 13, 14


def set_up_recipients(desk: Desk) -> Desk:
    """Make Ann an admin, and let Bob, Eve and a person who never wrote use the bot."""
    desk.peer.world.add_person(EVE, "Eve")
    desk.peer.world.say(EVE, EVE, "hello")
    return make_ann_admin(desk, allowed_user_ids=frozenset({BOB, EVE, NEVER}))


async def send_pending_broadcasts(desk: Desk) -> None:
    """Send the pending broadcasts, and advance the clock meanwhile."""
    sending = asyncio.create_task(send_broadcasts(desk.commands.dependencies))
    while not sending.done():
        waiting = asyncio.create_task(desk.peer.clock.wait_for_sleeper(most=SPACING_SECONDS))
        await asyncio.wait({sending, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        desk.peer.clock.advance(SPACING_SECONDS)
    await sending


async def test_confirmed_broadcast_is_delivered_once_per_person(desk: Desk) -> None:
    set_up_recipients(desk)
    desk.peer.world.block_bot(EVE)
    await desk.say(ANN, ANN, "/admin broadcast We move house\non Friday.")
    assert desk.get_last_text(ANN) == "People who get this: 3\n\nWe move house\non Friday."
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == [], "not before it is confirmed"
    message, buttons = desk.find_newest_buttons(ANN)
    for _ in range(2):
        await desk.press_button(ANN, ANN, message, buttons["Send"])
    assert desk.get_last_text(ANN) == "It is being sent.\nPeople who get this: 3", "nothing that will no longer be true"
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == ["We move house\non Friday."]
    told = "It was sent.\nArrived: 1 of 3\nNot reached: 2"
    assert desk.get_last_text(ANN) == told, "one receipt, which is edited"
    assert len(desk.peer.list_bot_texts(ANN)) == 1
    await send_pending_broadcasts(desk)
    assert len(desk.peer.list_bot_texts(BOB)) == 1
    assert await desk.press_button(ANN, ANN, message, buttons["Send"]) == tr("shared-dead-button")


async def test_broadcast_can_be_cancelled_or_stopped_by_button(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Write to everyone"])
    assert await desk.say(ANN, ANN, "We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Cancel"])
    assert desk.get_last_text(ANN) == "Nothing was sent."
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Stop"])
    assert desk.get_last_text(ANN) == "Stopped.\nArrived: 0 of 3"
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == []


async def test_resumed_broadcast_skips_recipient_of_killed_run(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    broadcasts = desk.services.memory.broadcasts
    [one] = await broadcasts.list_broadcasts_in_progress()
    assert await broadcasts.take_next_recipient_id(one) == BOB  # and killed before anybody knows what came of it
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == []
    assert desk.peer.list_bot_texts(EVE) == ["We move."]
    assert "Perhaps reached: 1" in desk.get_last_text(ANN)


async def test_broadcast_older_than_max_age_is_not_sent(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    desk.pass_time(MAX_AGE + timedelta(minutes=1))
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == []
    assert await desk.services.memory.broadcasts.list_broadcasts_in_progress() == []


async def test_broadcast_resumes_after_retry_after_pause(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    desk.peer.add_fault("retry_after", method="sendMessage", retry_after=700)
    await send_broadcasts(desk.commands.dependencies)
    assert desk.peer.list_bot_texts(BOB) == []
    desk.commands.dependencies.delivery.get_or_create_chat_state(PRIVATE)
    desk.peer.clock.advance(700)
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == ["We move."]


class BotWithoutLease(ExtBot[None]):
    """A bot whose requests fail because another process has taken over."""

    async def _post(self, *_: Any, **__: Any) -> Any:
        raise ServedElsewhere


async def test_broadcast_cancelled_at_any_step_resumes_without_duplicates(desk: Desk) -> None:
    set_up_recipients(desk)
    for number in range(1, 200):
        await desk.say(ANN, ANN, "/admin broadcast We move.")
        message, buttons = desk.find_newest_buttons(ANN)
        await desk.press_button(ANN, ANN, message, buttons["Send"])
        before = [len(desk.peer.list_bot_texts(user)) for user in (BOB, EVE)]
        passing = asyncio.create_task(keep_advancing_clock(desk))
        was_reached = await run_and_cancel(partial(send_broadcasts, desk.commands.dependencies), number)
        await send_broadcasts(desk.commands.dependencies)
        passing.cancel()
        got = [len(desk.peer.list_bot_texts(user)) - were for user, were in zip((BOB, EVE), before, strict=True)]
        assert max(got) == 1
        assert sum(got) == 2 or "Perhaps reached: 1" in desk.get_last_text(ANN)
        assert await desk.services.memory.broadcasts.list_broadcasts_in_progress() == []
        if not was_reached:
            assert number > 1
            return
    raise AssertionError("it has more steps than expected")


async def keep_advancing_clock(desk: Desk) -> None:
    while True:
        desk.peer.clock.advance(SPACING_SECONDS)
        await asyncio.sleep(0)


async def test_broadcast_skips_person_removed_meanwhile(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    desk.services.memory.serves = lambda owner: owner != BOB
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == []
    assert desk.get_last_text(ANN) == "It was sent.\nArrived: 1 of 2\nNot reached: 1"


async def test_broadcast_ends_when_sender_is_no_longer_admin(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    dependencies = replace(desk.commands.dependencies, settings=Settings(admin_user_ids=frozenset({EVE})))
    await send_broadcasts(dependencies)
    assert desk.peer.list_bot_texts(BOB) == []
    assert await desk.services.memory.broadcasts.list_broadcasts_in_progress() == []


async def test_broadcast_pauses_silently_when_lease_is_lost(desk: Desk) -> None:
    set_up_recipients(desk)
    await desk.say(ANN, ANN, "/admin broadcast We move.")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Send"])
    [one] = await desk.services.memory.broadcasts.list_broadcasts_in_progress()
    before, delivery = desk.get_last_text(ANN), desk.commands.dependencies.delivery
    bot, delivery.bot = delivery.bot, BotWithoutLease(TOKEN)
    await send_broadcasts(desk.commands.dependencies)
    delivery.bot = bot
    assert (desk.peer.list_bot_texts(BOB), desk.get_last_text(ANN)) == ([], before)
    assert (await desk.services.memory.broadcasts.count_outcomes(one)).left == 3
    await send_pending_broadcasts(desk)
    assert desk.peer.list_bot_texts(BOB) == ["We move."]

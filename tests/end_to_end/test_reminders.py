"""A reminder survives kill -9, and is told once, at the start, with the time it was due."""

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_reminder_that_was_missed_is_told_once_at_the_start(house: LocalServers) -> None:
    ann = house.person()
    memory = house.memory_in("reminded")
    async with house.bot(DATA_DIR="reminded") as process:
        await ann.asks("/reminders add tomorrow at 9 call mum", "I will remind you")
        await process.kill()
    memory.write("UPDATE reminders SET due_at = '2026-01-02T03:04:00+00:00'")
    since = ann.now
    async with house.bot(DATA_DIR="reminded"):
        await ann.hears("Reminder: call mum", since=since)
        await ann.asks("Thanks")
        told = [message["text"] for message in ann.heard(since=since) if message["text"].startswith("Reminder")]
    assert [text.replace(" 2026", "") for text in told] == [  # the year is said in later ones only
        "Reminder: call mum\n\nIt was due on Friday, 2 January, 3:04 (UTC)."
    ]


async def test_a_reminder_that_was_sent_and_not_noted_comes_twice_and_never_a_third_time(house: LocalServers) -> None:
    """Killed between Telegram's taking it and our noting it, in two runs: nobody knows that it arrived."""
    ann = house.person()
    memory = house.memory_in("noted")
    async with house.bot(DATA_DIR="noted") as process:
        await ann.asks("/reminders add tomorrow at 9 call mum", "I will remind you")
        assert await process.terminate() == 0
    memory.write("UPDATE reminders SET due_at = '2026-01-02T03:04:00+00:00'")
    since = ann.now
    for _ in range(2):
        house.faults.add(Fault(kind="hang", method="sendMessage", chat_id=ann.id))
        before = ann.now
        async with house.bot(DATA_DIR="noted") as process:
            await ann.hears("Reminder: call mum", since=before)
            await process.kill()
        house.faults.clear_faults()
    async with house.bot(DATA_DIR="noted") as process:
        await process.logged("is not sent a third time")
        await ann.asks("Thanks")
    told = [message["text"] for message in ann.heard(since=since) if message["text"].startswith("Reminder")]
    assert len(told) == 2
    assert memory.rows("SELECT * FROM reminders") == []


async def test_who_edits_a_command_is_told_that_the_reminder_stays_as_it_was(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="edited-command"):
        since = ann.now
        sent = ann.says("/reminders add tomorrow at 9 call the plumber")
        await ann.hears("9:00 (UTC): call the plumber", since=since)
        since = ann.now
        ann.edits(sent["message_id"], "/reminders add tomorrow at 10 call the plumber")
        await ann.hears("I do not carry out edited commands.", since=since)
        assert "9:00 (UTC) – call the plumber" in await ann.asks("/reminders", "1 reminder")
        since = ann.now
        sent = ann.says("/help@other_bot")
        ann.edits(sent["message_id"], "/start@other_bot")
        house.world.updates.add("edited_message", ann.says("/help"))  # as Telegram sends the first reaction to it
        await ann.asks("hello", "Noted.")
        assert not [message for message in ann.heard(since=since) if "edited commands" in message.get("text", "")]


async def test_a_model_offers_a_reminder_on_two_weekdays_and_its_note_is_no_message(house: LocalServers) -> None:
    asked = {"text": "Sport", "at": "2030-01-07T09:00", "repeat": "weekly", "weekdays": "Mon, Thu"}
    ann = house.person()
    async with house.bot(DATA_DIR="weekdays"):
        await ann.sets_up("SQLite")
        await ann.asks("/language de")
        await ann.asks("/tz Berlin")
        house.model.script(ANSWERS, Behaviour(calls=({"name": "remind", "arguments": asked},)))
        house.model.script(ANSWERS, "Gern.")
        since = ann.now
        ann.says("Erinnere mich ab 7. Januar 2030 montags und donnerstags um 9 an Sport")
        offer = await ann.hears(
            "Montag, 7. Januar 2030, 9:00 Uhr (Europe/Berlin), dann jede Woche: Montag, Donnerstag", since=since
        )
        since = ann.now
        ann.press(offer, "Ja")
        await ann.hears("Ich erinnere dich am Montag, 7. Januar 2030", since=since)
        assert "2 Nachrichten, 1 Erinnerung." in await ann.asks("/forget everything"), "the tool's note is none"

"""Reminders survive kill -9. An overdue one is sent once at the start, with the time when it was due."""

import pytest

from playground.faults import Fault
from tests.end_to_end.harness import ANSWERS, LocalServers
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_missed_reminder_is_sent_once_at_start(servers: LocalServers) -> None:
    ann = servers.add_person()
    memory = servers.get_memory("reminded")
    async with servers.run_bot(DATA_DIR="reminded") as process:
        await ann.ask("/reminders add tomorrow at 9 call mum", "I will remind you")
        await process.kill()
    memory.write("UPDATE reminders SET due_at = '2026-01-02T03:04:00+00:00'")
    since = ann.last_event
    async with servers.run_bot(DATA_DIR="reminded"):
        await ann.wait_for_message("Reminder: call mum", since=since)
        await ann.ask("Thanks")
        told = [
            message["text"] for message in ann.list_bot_messages(since=since) if message["text"].startswith("Reminder")
        ]
    assert [text.replace(" 2026", "") for text in told] == [  # the year is said in later ones only
        "Reminder: call mum\n\nIt was due on Friday, 2 January, 3:04 (UTC)."
    ]


async def test_reminder_interrupted_by_kill_is_sent_at_most_twice(servers: LocalServers) -> None:
    """Two runs are killed after Telegram took the reminder and before the bot recorded it.

    The bot cannot know then that it arrived.
    """
    ann = servers.add_person()
    memory = servers.get_memory("noted")
    async with servers.run_bot(DATA_DIR="noted") as process:
        await ann.ask("/reminders add tomorrow at 9 call mum", "I will remind you")
        assert await process.terminate() == 0
    memory.write("UPDATE reminders SET due_at = '2026-01-02T03:04:00+00:00'")
    since = ann.last_event
    for _ in range(2):
        servers.faults.add(Fault(kind="hang", method="sendMessage", chat_id=ann.id))
        before = ann.last_event
        async with servers.run_bot(DATA_DIR="noted") as process:
            await ann.wait_for_message("Reminder: call mum", since=before)
            await process.kill()
        servers.faults.clear_faults()
    async with servers.run_bot(DATA_DIR="noted") as process:
        await process.wait_for_log_line("is not sent a third time")
        await ann.ask("Thanks")
    told = [message["text"] for message in ann.list_bot_messages(since=since) if message["text"].startswith("Reminder")]
    assert len(told) == 2
    assert memory.fetch_rows("SELECT * FROM reminders") == []


async def test_edited_command_does_not_change_reminder(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="edited-command"):
        since = ann.last_event
        sent = ann.say("/reminders add tomorrow at 9 call the plumber")
        await ann.wait_for_message("9:00 (UTC): call the plumber", since=since)
        since = ann.last_event
        ann.edit_message(sent["message_id"], "/reminders add tomorrow at 10 call the plumber")
        await ann.wait_for_message("I do not carry out edited commands.", since=since)
        assert "9:00 (UTC) – call the plumber" in await ann.ask("/reminders", "1 reminder")
        since = ann.last_event
        sent = ann.say("/help@other_bot")
        ann.edit_message(sent["message_id"], "/start@other_bot")
        servers.world.updates.add("edited_message", ann.say("/help"))  # as Telegram sends the first reaction to it
        await ann.ask("hello", "Noted.")
        assert not [
            message for message in ann.list_bot_messages(since=since) if "edited commands" in message.get("text", "")
        ]


async def test_reminder_on_two_weekdays_is_proposed_by_model_and_confirmed(servers: LocalServers) -> None:
    asked = {"text": "Sport", "at": "2030-01-07T09:00", "repeat": "weekly", "weekdays": "Mon, Thu"}
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="weekdays"):
        await ann.set_up_memory("SQLite")
        await ann.ask("/language de")
        await ann.ask("/tz Berlin")
        servers.model.script(ANSWERS, Behaviour(calls=({"name": "remind", "arguments": asked},)))
        servers.model.script(ANSWERS, "Gern.")
        since = ann.last_event
        ann.say("Erinnere mich ab 7. Januar 2030 montags und donnerstags um 9 an Sport")
        offer = await ann.wait_for_message(
            "Montag, 7. Januar 2030, 9:00 Uhr (Europe/Berlin), dann jede Woche: Montag, Donnerstag", since=since
        )
        since = ann.last_event
        ann.press_button(offer, "Ja")
        await ann.wait_for_message("Ich erinnere dich am Montag, 7. Januar 2030", since=since)
        assert "2 Nachrichten, 1 Erinnerung." in await ann.ask("/forget everything"), "the tool's note is none"

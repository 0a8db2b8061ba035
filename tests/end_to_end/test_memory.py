"""Tests of stored memory: the setup wizard, turning memory off, and moving between storages."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import ANSWERS, HANGS, LocalServers, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(servers: LocalServers) -> AsyncIterator[Process]:
    async with servers.run_bot() as process:
        yield process


async def test_wizard_sets_up_sqlite_memory(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    asked = await ann.ask_for_message("/summary", "1 of 2")
    labels = [button["text"] for row in asked["reply_markup"]["inline_keyboard"] for button in row]
    assert ["SQLite" in label for label in labels].count(True) == 1
    assert ["JSON" in label for label in labels].count(True) == 1
    since = ann.last_event
    ann.press_button(asked, "SQLite")
    assert "1 to 500" in (await ann.wait_for_message("2 of 2", since=since))["text"]
    for wrong in ("0", "501", "twenty", "-3", "1.5"):
        assert "1 to 500" in await ann.ask(wrong)
    done = await ann.ask("500")
    assert "External memory configured" in done
    assert servers.sql in done
    assert "500" in done
    kind = {"SQLite": "sqlite", "PostgreSQL": "postgres"}[servers.sql]
    [user] = servers.memory.fetch_rows("SELECT * FROM users WHERE user_id = ?", ann.id)
    assert (user["storage_type"], user["summary_every_n"], user["memory_enabled"]) == (kind, 500, 1)
    assert servers.memory.list_messages(ann.id) == []
    await ann.ask("Hello there")
    stored = servers.memory.list_messages(ann.id)
    assert [(message["role"], message["content"]) for message in stored] == [
        ("user", "Hello there"),
        ("assistant", "Noted."),
    ]
    assert [row["is_active"] for row in stored] == [1, 1]
    assert [row["chunk_id"] for row in stored] == [None, None]


async def test_cancelled_setup_leaves_memory_disabled(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    asked = await ann.ask_for_message("/summary", "1 of 2")
    assert "cancel" in (await ann.ask("/cancel")).lower()
    assert await ann.wait_for_toast(ann.press_button(asked, "JSON"))
    assert "disabled" in await ann.ask("/summary_status")
    assert servers.memory.fetch_rows("SELECT * FROM users WHERE user_id = ? AND memory_enabled = 1", ann.id) == []
    assert await ann.ask("20") == "Noted."


async def test_button_of_another_person_does_nothing(servers: LocalServers, bot: Process) -> None:
    ann, bob = servers.add_person(), servers.add_person("Bob")
    group = servers.add_group(ann, bob, admins=[ann, bob])
    asked = await ann.with_chat(group).ask_for_message("/summary", "1 of 2")
    assert await bob.wait_for_toast(bob.with_chat(group).press_button(asked, "JSON"))
    assert "1 of 2" in servers.world.messages[group][asked["message_id"]]["text"]


async def test_no_message_text_is_in_any_file_while_memory_is_off(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    servers.model.script(ANSWERS, "The quagga answer.")
    await ann.ask("My secret is a zorilla", "quagga")
    await ann.ask("And what did I say?")
    last = servers.list_chat_requests()[-1]
    assert "zorilla" in json.dumps(last), "the process remembers what was said while it runs"
    await ann.wait_until_idle()
    assert servers.memory.find_files_containing("zorilla") == []
    assert servers.memory.find_files_containing("quagga") == []
    await ann.set_up_memory()
    await ann.ask("Now you remember")
    assert "zorilla" not in json.dumps(servers.list_chat_requests()[-1])
    assert servers.memory.find_files_containing("zorilla") == []
    assert await ann.ask("/summary_off")
    await ann.ask("My other secret is a pangolin")
    await ann.ask("Good bye")
    assert "Now you remember" not in json.dumps(servers.list_chat_requests()[-1])
    await ann.wait_until_idle()
    assert servers.memory.find_files_containing("pangolin") == []
    assert len(servers.memory.list_messages(ann.id)) == 2
    await ann.ask("/summary_on")
    await ann.ask("What do you know of me?")
    assert "Now you remember" in json.dumps(servers.list_chat_requests()[-1])
    assert "pangolin" not in json.dumps(servers.list_chat_requests()[-1])
    assert servers.memory.find_files_containing("pangolin") == []


async def test_switching_storage_keeps_ids_and_erases_source(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("SQLite", 2)
    since = bot.log.last
    await ann.ask("I grow kohlrabi")
    await ann.ask("And salsify")
    await ann.wait_for_summary(bot, since=since)
    before, made = servers.memory.list_messages(ann.id), servers.memory.list_summaries(ann.id)
    assert "4 messages" in await ann.set_up_memory("JSON", 3)
    assert servers.memory.list_messages(ann.id) == []
    assert servers.memory.list_summaries(ann.id) == []
    assert not {"memory.db", "memory.db-wal"} & set(servers.memory.find_files_containing("kohlrabi")), (
        "the source is erased"
    )
    assert "JSON" in await ann.ask("/summary_status")
    assert await ann.ask("/summary_show")
    await ann.ask("Do you remember the salsify?")
    assert "salsify" in json.dumps(servers.list_chat_requests()[-1][:-1])
    await ann.set_up_memory("SQLite", 4)
    after = servers.memory.list_messages(ann.id)
    kept = ("id", "role", "content", "created_at", "is_active", "chunk_id", "turn_id")
    assert [[row[name] for name in kept] for row in after[:4]] == [[row[name] for name in kept] for row in before]
    assert [(summary["id"], summary["summary_text"]) for summary in servers.memory.list_summaries(ann.id)] == [
        (summary["id"], summary["summary_text"]) for summary in made
    ]
    assert [row["id"] for row in after] == [1, 2, 3, 4, 5, 6]
    assert set(servers.memory.find_files_containing("kohlrabi")) <= {"memory.db", "memory.db-wal"}


async def test_switching_storage_during_pending_answer_loses_no_messages(servers: LocalServers, bot: Process) -> None:
    ann = servers.add_person()
    await ann.set_up_memory("JSON", 20)
    held = servers.model.hold_count
    servers.model.script(ANSWERS, HANGS)
    since = ann.last_event
    ann.say("Where will this be kept?")
    await servers.model.wait_until_held(held + 1)
    assert servers.sql in await ann.set_up_memory("SQLite", 20)
    await servers.model.release()
    await ann.wait_for_message("Late but here.", since=since)
    stored = [(message["role"], message["content"]) for message in servers.memory.list_messages(ann.id)]
    assert stored == [("user", "Where will this be kept?"), ("assistant", "Late but here.")]


@pytest.mark.parametrize("switch", ["/summary_on", "/summary_off"])
async def test_answer_pending_while_memory_is_turned_on_or_off_is_not_stored(
    servers: LocalServers, bot: Process, switch: str
) -> None:
    """Turning memory on stores no earlier message. Turning it off stores no later answer."""
    ann = servers.add_person()
    if switch == "/summary_off":
        await ann.ask("/summary_on")
    held = servers.model.hold_count
    servers.model.script(ANSWERS, Behaviour(text="An answer with a kakapo.", hold="start"))
    since = ann.last_event
    ann.say("In between")
    await servers.model.wait_until_held(held + 1)
    await ann.ask(switch)
    await servers.model.release()
    await ann.wait_for_message("kakapo", since=since)
    stored = [message["content"] for message in servers.memory.list_messages(ann.id)]
    assert stored == ([] if switch == "/summary_on" else ["In between"])
    assert servers.memory.find_files_containing("kakapo") == []

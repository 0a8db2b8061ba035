"""What is stored and what is not: the wizard, memory off, moves between the stores."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.end_to_end.harness import ANSWERS, HANGS, LocalServers, Process
from tests.peers.openai_server import Behaviour

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(house: LocalServers) -> AsyncIterator[Process]:
    async with house.bot() as process:
        yield process


async def test_the_wizard_ends_with_memory_in_sqlite(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    asked = await ann.tells("/summary", "1 of 2")
    labels = [button["text"] for row in asked["reply_markup"]["inline_keyboard"] for button in row]
    assert ["SQLite" in label for label in labels].count(True) == 1
    assert ["JSON" in label for label in labels].count(True) == 1
    since = ann.now
    ann.press(asked, "SQLite")
    assert "1 to 500" in (await ann.hears("2 of 2", since=since))["text"]
    for wrong in ("0", "501", "twenty", "-3", "1.5"):
        assert "1 to 500" in await ann.asks(wrong)
    done = await ann.asks("500")
    assert "External memory configured" in done
    assert house.sql in done
    assert "500" in done
    kind = {"SQLite": "sqlite", "PostgreSQL": "postgres"}[house.sql]
    [user] = house.memory.rows("SELECT * FROM users WHERE user_id = ?", ann.id)
    assert (user["storage_type"], user["summary_every_n"], user["memory_enabled"]) == (kind, 500, 1)
    assert house.memory.messages(ann.id) == []
    await ann.asks("Hello there")
    stored = house.memory.messages(ann.id)
    assert [(message["role"], message["content"]) for message in stored] == [
        ("user", "Hello there"),
        ("assistant", "Noted."),
    ]
    assert [row["is_active"] for row in stored] == [1, 1]
    assert [row["chunk_id"] for row in stored] == [None, None]


async def test_cancel_leaves_everything_as_it_was(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    asked = await ann.tells("/summary", "1 of 2")
    assert "cancel" in (await ann.asks("/cancel")).lower()
    assert await ann.toast(ann.press(asked, "JSON"))
    assert "disabled" in await ann.asks("/summary_status")
    assert house.memory.rows("SELECT * FROM users WHERE user_id = ? AND memory_enabled = 1", ann.id) == []
    assert await ann.asks("20") == "Noted."


async def test_someone_elses_button_does_nothing(house: LocalServers, bot: Process) -> None:
    ann, bob = house.person(), house.person("Bob")
    group = house.group(ann, bob, admins=[ann, bob])
    asked = await ann.within(group).tells("/summary", "1 of 2")
    assert await bob.toast(bob.within(group).press(asked, "JSON"))
    assert "1 of 2" in house.world.messages[group][asked["message_id"]]["text"]


async def test_while_memory_is_off_nothing_of_the_text_is_in_any_file(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    house.model.script(ANSWERS, "The quagga answer.")
    await ann.asks("My secret is a zorilla", "quagga")
    await ann.asks("And what did I say?")
    last = house.chat_requests()[-1]
    assert "zorilla" in json.dumps(last), "the process remembers what was said while it runs"
    await ann.is_done_with()
    assert house.memory.files_with("zorilla") == []
    assert house.memory.files_with("quagga") == []
    await ann.sets_up()
    await ann.asks("Now you remember")
    assert "zorilla" not in json.dumps(house.chat_requests()[-1])
    assert house.memory.files_with("zorilla") == []
    assert await ann.asks("/summary_off")
    await ann.asks("My other secret is a pangolin")
    await ann.asks("Good bye")
    assert "Now you remember" not in json.dumps(house.chat_requests()[-1])
    await ann.is_done_with()
    assert house.memory.files_with("pangolin") == []
    assert len(house.memory.messages(ann.id)) == 2
    await ann.asks("/summary_on")
    await ann.asks("What do you know of me?")
    assert "Now you remember" in json.dumps(house.chat_requests()[-1])
    assert "pangolin" not in json.dumps(house.chat_requests()[-1])
    assert house.memory.files_with("pangolin") == []


async def test_switching_storage_moves_everything_with_its_ids(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("SQLite", 2)
    since = bot.log.last
    await ann.asks("I grow kohlrabi")
    await ann.asks("And salsify")
    await ann.folded(bot, since=since)
    before, made = house.memory.messages(ann.id), house.memory.summaries(ann.id)
    assert "4 messages" in await ann.sets_up("JSON", 3)
    assert house.memory.messages(ann.id) == []
    assert house.memory.summaries(ann.id) == []
    assert not {"memory.db", "memory.db-wal"} & set(house.memory.files_with("kohlrabi")), "the source is erased"
    assert "JSON" in await ann.asks("/summary_status")
    assert await ann.asks("/summary_show")
    await ann.asks("Do you remember the salsify?")
    assert "salsify" in json.dumps(house.chat_requests()[-1][:-1])
    await ann.sets_up("SQLite", 4)
    after = house.memory.messages(ann.id)
    kept = ("id", "role", "content", "created_at", "is_active", "chunk_id", "turn_id")
    assert [[row[name] for name in kept] for row in after[:4]] == [[row[name] for name in kept] for row in before]
    assert [(summary["id"], summary["summary_text"]) for summary in house.memory.summaries(ann.id)] == [
        (summary["id"], summary["summary_text"]) for summary in made
    ]
    assert [row["id"] for row in after] == [1, 2, 3, 4, 5, 6]
    assert set(house.memory.files_with("kohlrabi")) <= {"memory.db", "memory.db-wal"}


async def test_a_move_while_an_answer_is_awaited_loses_neither(house: LocalServers, bot: Process) -> None:
    ann = house.person()
    await ann.sets_up("JSON", 20)
    held = house.model.held
    house.model.script(ANSWERS, HANGS)
    since = ann.now
    ann.says("Where will this be kept?")
    await house.model.until_held(held + 1)
    assert house.sql in await ann.sets_up("SQLite", 20)
    await house.model.release()
    await ann.hears("Late but here.", since=since)
    stored = [(message["role"], message["content"]) for message in house.memory.messages(ann.id)]
    assert stored == [("user", "Where will this be kept?"), ("assistant", "Late but here.")]


@pytest.mark.parametrize("switch", ["/summary_on", "/summary_off"])
async def test_a_switch_while_an_answer_is_awaited(house: LocalServers, bot: Process, switch: str) -> None:
    """Turned on: what was said before is not stored. Turned off: what comes now is not stored."""
    ann = house.person()
    if switch == "/summary_off":
        await ann.asks("/summary_on")
    held = house.model.held
    house.model.script(ANSWERS, Behaviour(text="An answer with a kakapo.", hold="start"))
    since = ann.now
    ann.says("In between")
    await house.model.until_held(held + 1)
    await ann.asks(switch)
    await house.model.release()
    await ann.hears("kakapo", since=since)
    stored = [message["content"] for message in house.memory.messages(ann.id)]
    assert stored == ([] if switch == "/summary_on" else ["In between"])
    assert house.memory.files_with("kakapo") == []

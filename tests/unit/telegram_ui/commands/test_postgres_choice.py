"""Tests of PostgreSQL as the third storage in the setup, which is offered if a server is configured."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.errors import SettingsError
from records.forgetting import ForgetRequest
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from tests.support.postgres_server import make_schema_address
from tests.support.talk import ANNA, ChatHarness, open_chat_harness
from tests.unit.telegram_ui.commands.conftest import ANN, STARTED, Desk, Peer

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def postgres_talk(tmp_path: Path, postgres_url: str) -> AsyncIterator[ChatHarness]:
    async with open_chat_harness(
        tmp_path / "data", database_url=Secret(make_schema_address(postgres_url, tmp_path))
    ) as talk:
        yield talk


async def test_wizard_offers_postgres_and_moves_messages(peer: Peer, postgres_talk: ChatHarness) -> None:
    desk = Desk(peer, postgres_talk.services, postgres_talk.moment)
    await desk.fetch_updates()
    memory = postgres_talk.services.memory
    await memory.configure(ANN, storage=StorageType.SQLITE, every_n=20)
    async with memory.open_store(ANN) as store:
        await store.append_messages(Scope(owner=ANN), [NewMessage(role="user", content="hi", created_at=STARTED)])
    await desk.say(ANN, ANN, "/summary")
    asked, buttons = desk.find_newest_buttons(ANN)
    assert list(buttons) == ["✓ SQLite", "JSON", "PostgreSQL"]
    assert "several machines share" in asked["text"]
    assert "I cannot answer here" in asked["text"]
    assert await desk.press_button(ANN, ANN, asked, buttons["PostgreSQL"]) is None
    await desk.say(ANN, ANN, "7")
    assert "Storage: PostgreSQL" in desk.get_last_text(ANN)
    assert "Moved: 1 message from SQLite to PostgreSQL" in desk.get_last_text(ANN)
    await desk.say(ANN, ANN, "/summary")
    assert await desk.say(ANN, ANN, "sqlite please")
    await desk.say(ANN, ANN, "7")
    assert "Moved: 1 message from PostgreSQL to SQLite" in desk.get_last_text(ANN)


async def test_wizard_accepts_postgres_as_text(peer: Peer, postgres_talk: ChatHarness) -> None:
    desk = Desk(peer, postgres_talk.services, postgres_talk.moment)
    await desk.fetch_updates()
    await postgres_talk.services.memory.get_config(ANN)  # as when an update of hers is claimed
    for words in ("postgres", "PostgreSQL please"):
        await desk.say(ANN, ANN, "/summary")
        assert await desk.say(ANN, ANN, words)
        assert "2 of 2" in desk.get_last_text(ANN)


async def test_wizard_does_not_offer_postgres_without_server(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    assert "PostgreSQL" not in desk.find_newest_buttons(ANN)[0]["text"]
    assert await desk.say(ANN, ANN, "postgres")
    assert "SQLite, JSON or /cancel." in desk.get_last_text(ANN)


async def test_postgres_store_supports_turns_folds_context_and_forgetting(postgres_talk: ChatHarness) -> None:
    """The prompt contains the earlier message that is asked about, and forgetting deletes all messages."""
    await postgres_talk.turn_on_memory(storage=StorageType.POSTGRES, every_n=2)
    for number in range(3):
        await postgres_talk.run_turn(f"My walrus number {number} is called Waldemar{number}.")
    await postgres_talk.say("What is my walrus number 1 called?")
    assert "Waldemar1" in postgres_talk.list_prompts()[-1]
    status = await postgres_talk.services.summaries.read_status(SCOPE)
    assert (status.counts.total, status.counts.archived) == (8, 4)
    gone = await postgres_talk.services.memory.forget(ANNA.id, ForgetRequest(what="everything"))
    assert gone.messages == 8
    assert await postgres_talk.services.memory.count_messages(ANNA.id) == 0


async def test_start_fails_without_database_url_when_postgres_holds_memories(tmp_path: Path, postgres_url: str) -> None:
    url = Secret(make_schema_address(postgres_url, tmp_path))
    async with open_chat_harness(tmp_path / "data", database_url=url) as talk:
        await talk.turn_on_memory(storage=StorageType.POSTGRES)
        await talk.say("Hello.")
    with pytest.raises(SettingsError, match="1 memory is kept in PostgreSQL"):
        async with open_chat_harness(tmp_path / "data"):
            pass
    async with open_chat_harness(tmp_path / "data", database_url=url) as talk:
        assert await talk.services.memory.count_messages(ANNA.id) == 2

"""PostgreSQL as the third storage that a setup offers, where one is configured."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from records.errors import SettingsError
from records.forgetting import ForgetRequest
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from tests.support.postgres_server import address
from tests.support.talk import ANNA, Talk, talking
from tests.unit.telegram_ui.commands.conftest import ANN, STARTED, Desk, Peer

SCOPE = Scope(owner=ANNA.id)


@pytest.fixture
async def served(tmp_path: Path, postgres_url: str) -> AsyncIterator[Talk]:
    async with talking(tmp_path / "data", database_url=Secret(address(postgres_url, tmp_path))) as talk:
        yield talk


async def test_a_setup_offers_it_and_moves_what_there_is(peer: Peer, served: Talk) -> None:
    desk = Desk(peer, served.services, served.moment)
    await desk.updates()
    memory = served.services.memory
    await memory.configure(ANN, storage=StorageType.SQLITE, every_n=20)
    async with memory.open_store(ANN) as store:
        await store.append_messages(Scope(owner=ANN), [NewMessage(role="user", content="hi", created_at=STARTED)])
    await desk.say(ANN, ANN, "/summary")
    asked, buttons = desk.buttons(ANN)
    assert list(buttons) == ["✓ SQLite", "JSON", "PostgreSQL"]
    assert "several machines share" in asked["text"]
    assert "I cannot answer here" in asked["text"]
    assert await desk.press(ANN, ANN, asked, buttons["PostgreSQL"]) is None
    await desk.say(ANN, ANN, "7")
    assert "Storage: PostgreSQL" in desk.last(ANN)
    assert "Moved: 1 message from SQLite to PostgreSQL" in desk.last(ANN)
    await desk.say(ANN, ANN, "/summary")
    assert await desk.say(ANN, ANN, "sqlite please")
    await desk.say(ANN, ANN, "7")
    assert "Moved: 1 message from PostgreSQL to SQLite" in desk.last(ANN)


async def test_it_may_be_named_in_words(peer: Peer, served: Talk) -> None:
    desk = Desk(peer, served.services, served.moment)
    await desk.updates()
    await served.services.memory.get_config(ANN)  # as when an update of hers is claimed
    for words in ("postgres", "PostgreSQL please"):
        await desk.say(ANN, ANN, "/summary")
        assert await desk.say(ANN, ANN, words)
        assert "2 of 2" in desk.last(ANN)


async def test_without_a_server_it_is_not_offered(desk: Desk) -> None:
    await desk.say(ANN, ANN, "/summary")
    assert "PostgreSQL" not in desk.buttons(ANN)[0]["text"]
    assert await desk.say(ANN, ANN, "postgres")
    assert "SQLite, JSON or /cancel." in desk.last(ANN)


async def test_a_whole_life_in_it(served: Talk) -> None:
    """Talk, folds, search, a question's context, forgetting."""
    await served.remember(storage=StorageType.POSTGRES, every_n=2)
    for number in range(3):
        await served.turn(f"My walrus number {number} is called Waldemar{number}.")
    await served.say("What is my walrus number 1 called?")
    assert "Waldemar1" in served.prompts()[-1]
    status = await served.services.summaries.read_status(SCOPE)
    assert (status.counts.total, status.counts.archived) == (8, 4)
    gone = await served.services.memory.forget(ANNA.id, ForgetRequest(what="everything"))
    assert gone.messages == 8
    assert await served.services.memory.count_messages(ANNA.id) == 0


async def test_without_its_address_memories_in_it_are_not_mistaken_for_lost(tmp_path: Path, postgres_url: str) -> None:
    url = Secret(address(postgres_url, tmp_path))
    async with talking(tmp_path / "data", database_url=url) as talk:
        await talk.remember(storage=StorageType.POSTGRES)
        await talk.say("Hello.")
    with pytest.raises(SettingsError, match="1 memory is kept in PostgreSQL"):
        async with talking(tmp_path / "data"):
            pass
    async with talking(tmp_path / "data", database_url=url) as talk:
        assert await talk.services.memory.count_messages(ANNA.id) == 2

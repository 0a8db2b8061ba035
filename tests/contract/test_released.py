"""Data of every released schema version can be restored into every store and used."""

import asyncio
import json
import tarfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from storage.backup import back_up, restore_backup_file
from storage.schema.migrations import MIGRATIONS
from storage.schema.validation import validate_tables
from storage.stores.json_files import JOURNAL_NAME, SNAPSHOT_NAME, Journal, JournalEntry
from tests.support.postgres_server import make_schema_address
from tests.support.released import BACKUP, EXPORT, FACT, FOLDER, RELEASED, STORES, TURNS
from tests.support.talk import ANNA, BORIS, ChatHarness, open_chat_harness

EDITED = "2026-11-23T09:00:00+00:00"
VERSIONS = pytest.mark.parametrize("version", sorted(int(folder.name) for folder in RELEASED.iterdir()))
KINDS = pytest.mark.parametrize("store", [StorageType.SQLITE, StorageType.JSON, StorageType.POSTGRES])


def test_keeps_samples_of_every_schema_version_but_newest() -> None:
    """Run `python -m tests.support.released` before a migration is appended, to keep a sample of this version."""
    kept = {int(folder.name) for folder in RELEASED.iterdir()}
    assert {*range(1, len(MIGRATIONS))} <= kept


@pytest.fixture
def url(store: StorageType, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a schema that has no tables yet, or an empty string for memories in files."""
    if store is not StorageType.POSTGRES:
        return ""
    return make_schema_address(request.getfixturevalue("postgres_url"), tmp_path / "other")


async def check_memory_and_continue(talk: ChatHarness, store: StorageType, owner: int) -> None:
    """Check that the owner's memory is complete and searchable, then store another turn."""
    scope = Scope(owner=owner)
    async with talk.services.memory.open_store(owner) as home:
        assert home.kind == store
        kept = await home.timeline.read_page(scope)
        assert [message.content for message in kept if message.role == "user"] == [
            f"Kohlrabi number {number} grows." for number in range(TURNS)
        ]
        assert len(await home.search_messages(scope, ["kohlrabi"], limit=5)) == TURNS
        assert [fact.text for fact in await home.facts.list_valid_facts(owner)] == [FACT]
        assert await home.list_summaries(scope)
    talk.moment[0] += timedelta(days=365)
    person = ANNA if owner == ANNA.id else BORIS
    await talk.conversation.reply(talk.make_user_message("And now?", person=person, source="9:9"))
    async with talk.services.memory.open_store(owner) as home:
        assert (await home.timeline.read_page(scope))[-2].content == "And now?"


def owner_in(store: StorageType) -> int:
    return next((owner for owner, kind in STORES.items() if kind is store), ANNA.id)


@VERSIONS
@KINDS
async def test_restores_backup_of_released_schema(version: int, store: StorageType, url: str, tmp_path: Path) -> None:
    await asyncio.to_thread(restore_backup_file, RELEASED / str(version) / BACKUP, tmp_path / "there", database_url=url)
    async with open_chat_harness(tmp_path / "there", database_url=Secret(url)) as talk:
        await check_memory_and_continue(talk, store, owner_in(store))


@VERSIONS
@KINDS
async def test_migrates_data_folder_of_released_schema(
    version: int, store: StorageType, url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    with tarfile.open(RELEASED / str(version) / FOLDER) as packed:
        packed.extractall(folder, filter="data")
    if url:
        async with open_chat_harness(folder):  # which brings its files up to date
            pass
        await asyncio.to_thread(back_up, folder, tmp_path / "move.gz", database_url="")
        await asyncio.to_thread(restore_backup_file, tmp_path / "move.gz", folder / "there", database_url=url)
        folder /= "there"
    async with open_chat_harness(folder, database_url=Secret(url)) as talk:
        await check_memory_and_continue(talk, store, owner_in(store))


@VERSIONS
@KINDS
async def test_imports_export_of_released_schema(version: int, store: StorageType, url: str, tmp_path: Path) -> None:
    async def progress(_done: int, _total: int) -> None:
        pass

    async with open_chat_harness(tmp_path / "there", database_url=Secret(url)) as talk:
        await talk.turn_on_memory(storage=store)
        data = (RELEASED / str(version) / EXPORT).read_bytes()
        await talk.services.importer.import_file(Scope(owner=ANNA.id), ANNA.id, data, progress=progress)
        await check_memory_and_continue(talk, store, ANNA.id)


def pin_and_add_edited_fact(facts: list[dict[str, Any]]) -> None:
    """Change facts as version 1.0 did when its fact was pinned, and another one was edited on the 23rd."""
    facts[0]["is_pinned"] = True
    edited = {"id": 2, "text": "Has a goat.", "subject": "", "source_ids": [], "origin": "owner"}
    earlier = {"id": 3, "text": "Has a sheep.", "origin": "earlier", "superseded_by": 2, "valid_to": EDITED}
    facts += [{**facts[0], "is_pinned": False, **edited}, {**facts[0], "is_pinned": False, **edited, **earlier}]


@pytest.mark.parametrize("is_in_journal", [False, True])
async def test_decisions_of_first_release_stand_in_json_memory(is_in_journal: bool, tmp_path: Path) -> None:
    """Version 1.0 did not say when a fact was pinned or edited. memory.db learns it by a step of its schema.

    If version 1.0 was killed, its last decisions are only in the journal.
    """
    with tarfile.open(RELEASED / "1" / FOLDER) as packed:
        packed.extractall(tmp_path, filter="data")
    content = json.loads((tmp_path / SNAPSHOT_NAME).read_text(encoding="utf-8"))
    facts = content["facts"][str(BORIS.id)]
    pin_and_add_edited_fact(facts)
    if is_in_journal:
        rows = [{**fact, "user_id": BORIS.id} for fact in facts]
        journal = Journal(tmp_path / JOURNAL_NAME)
        journal.write(JournalEntry(seq=content["keepsake"]["journal_seq"] + 1, put={"facts": rows}, delete={}))
        journal.close()
    else:
        (tmp_path / SNAPSHOT_NAME).write_text(json.dumps(content), encoding="utf-8")
    async with open_chat_harness(tmp_path) as talk, talk.services.memory.open_store(BORIS.id) as home:
        pinned, edited = await home.facts.list_valid_facts(BORIS.id)
        assert (pinned.decided_at, edited.decided_at) == (pinned.created_at, edited.created_at)
        assert edited.observed_at.isoformat() == EDITED


@KINDS
@pytest.mark.parametrize("is_empty", [True, False])
async def test_edits_of_first_release_are_dated_after_import(
    store: StorageType, is_empty: bool, url: str, tmp_path: Path
) -> None:
    async def progress(_done: int, _total: int) -> None:
        pass

    export = json.loads((RELEASED / "1" / EXPORT).read_text(encoding="utf-8"))
    pin_and_add_edited_fact(export["facts"])
    async with open_chat_harness(tmp_path / "there", database_url=Secret(url)) as talk:
        await talk.turn_on_memory(storage=store)
        if not is_empty:  # then the export is added to it as history
            await talk.run_turn("Hello there.")
        await talk.services.importer.import_file(
            Scope(owner=ANNA.id), ANNA.id, json.dumps(export).encode(), progress=progress
        )
        async with talk.services.memory.open_store(ANNA.id) as home:
            facts = await home.facts.list_valid_facts(ANNA.id)
    [edited] = [fact for fact in facts if fact.text == "Has a goat."]
    assert edited.observed_at.isoformat() == EDITED
    assert edited.valid_from < edited.observed_at


def test_decisions_of_first_release_stand_after_import() -> None:
    export = json.loads((RELEASED / "1" / EXPORT).read_text(encoding="utf-8"))
    pin_and_add_edited_fact(export["facts"])
    rows = validate_tables({"facts": export["facts"]}, ANNA.id)["facts"]
    assert [row["decided_at"] == row["created_at"] for row in rows] == [True, True, False]

"""What every version of the schema left behind comes back in every store, and the talk goes on."""

import asyncio
import tarfile
from datetime import timedelta
from pathlib import Path

import pytest

from records.owners import StorageType
from records.scopes import Scope
from settings import Secret
from storage.backup import back_up, restore_backup_file
from storage.schema.migrations import MIGRATIONS
from tests.support.postgres_server import address
from tests.support.released import BACKUP, EXPORT, FACT, FOLDER, RELEASED, STORES, TURNS
from tests.support.talk import ANNA, BORIS, Talk, talking

VERSIONS = pytest.mark.parametrize("version", sorted(int(folder.name) for folder in RELEASED.iterdir()))
KINDS = pytest.mark.parametrize("store", [StorageType.SQLITE, StorageType.JSON, StorageType.POSTGRES])


def test_every_version_of_the_schema_but_the_newest_is_kept() -> None:
    """`python -m tests.support.released` keeps this one's, before the next migration is appended."""
    kept = {int(folder.name) for folder in RELEASED.iterdir()}
    assert {*range(1, len(MIGRATIONS))} <= kept


@pytest.fixture
def url(store: StorageType, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of tables that are not made yet; empty for memories in files."""
    if store is not StorageType.POSTGRES:
        return ""
    return address(request.getfixturevalue("postgres_url"), tmp_path / "other")


async def expect_all(talk: Talk, store: StorageType, owner: int) -> None:
    """Everything is there and found, and a turn is stored behind it."""
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
    await talk.conversation.reply(talk.incoming("And now?", person=person, source="9:9"))
    async with talk.services.memory.open_store(owner) as home:
        assert (await home.timeline.read_page(scope))[-2].content == "And now?"


def owner_in(store: StorageType) -> int:
    return next((owner for owner, kind in STORES.items() if kind is store), ANNA.id)


@VERSIONS
@KINDS
async def test_its_backup_is_restored(version: int, store: StorageType, url: str, tmp_path: Path) -> None:
    await asyncio.to_thread(restore_backup_file, RELEASED / str(version) / BACKUP, tmp_path / "there", database_url=url)
    async with talking(tmp_path / "there", database_url=Secret(url)) as talk:
        await expect_all(talk, store, owner_in(store))


@VERSIONS
@KINDS
async def test_its_folder_is_taken_over(version: int, store: StorageType, url: str, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with tarfile.open(RELEASED / str(version) / FOLDER) as packed:
        packed.extractall(folder, filter="data")
    if url:
        async with talking(folder):  # which brings its files up to date
            pass
        await asyncio.to_thread(back_up, folder, tmp_path / "move.gz", database_url="")
        await asyncio.to_thread(restore_backup_file, tmp_path / "move.gz", folder / "there", database_url=url)
        folder /= "there"
    async with talking(folder, database_url=Secret(url)) as talk:
        await expect_all(talk, store, owner_in(store))


@VERSIONS
@KINDS
async def test_its_export_is_imported(version: int, store: StorageType, url: str, tmp_path: Path) -> None:
    async def progress(_done: int, _total: int) -> None:
        pass

    async with talking(tmp_path / "there", database_url=Secret(url)) as talk:
        await talk.remember(storage=store)
        data = (RELEASED / str(version) / EXPORT).read_bytes()
        await talk.services.importer.import_file(Scope(owner=ANNA.id), ANNA.id, data, progress=progress)
        await expect_all(talk, store, ANNA.id)

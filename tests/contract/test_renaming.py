"""Renaming a group moves its whole memory to the new id, even if a process dies or a write fails meanwhile."""

import contextlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from records.errors import StaleSummary, StorageError
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from records.summaries import SummaryPlan
from storage.bot_state.directory import Directory
from storage.bot_state.renaming import OwnerRenaming
from storage.bot_state.wizard_state import WizardState, WizardStates
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import sqlite3
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import (
    ANNA,
    BORIS,
    MINUTE,
    NOW,
    TOPIC,
    Opener,
    acquire_lease,
    append_turns,
    fold_messages,
    make_config,
    make_message,
    make_summary,
    open_postgres,
)

NEW = Scope(owner=-1_000_000_001_007)
NEW_TOPIC = Scope(owner=NEW.owner, thread=TOPIC.thread)


def copy_files(folder: Path) -> Path:
    """Copy the files as a process that dies now would leave them, and return the copy's folder."""
    killed = folder / "killed"
    killed.mkdir()
    for file in [file for file in folder.iterdir() if file.is_file()]:
        shutil.copyfile(file, killed / file.name)
    return killed


async def test_renaming_owner_moves_whole_memory_to_new_id(store: MemoryStore, opener: Opener, tmp_path: Path) -> None:
    for scope in (ANNA, BORIS, TOPIC):
        stored = await append_turns(store, scope, 4, words="walrus")
        await fold_messages(store, scope, stored[:4])
    [numbered] = await store.append_messages(BORIS, [replace(make_message("numbered"), telegram_id=7)])
    answered = replace(make_message("shown", role="assistant"), source="1:1", explanation="{}")
    await store.append_messages(BORIS, [answered])
    await store.explanations.record_shown_messages(BORIS, "1:1", [8, 9])
    assert await store.explanations.find_message(BORIS, 9) is not None
    pages = {scope: await store.timeline.read_page(scope) for scope in (ANNA, BORIS, TOPIC)}
    shown = {scope: await store.list_summaries(scope) for scope in (BORIS, TOPIC)}
    annas = await store.compute_digest(ANNA.owner)
    await (
        store.flush_files()
    )  # else a snapshot may be written beside what follows, and files change while they are copied

    await store.rename_owner(BORIS.owner, NEW.owner)
    await store.rename_owner(BORIS.owner, NEW.owner)

    async def check(store: MemoryStore) -> None:
        assert await store.compute_digest(ANNA.owner) == annas
        assert await store.list_scopes(BORIS.owner) == []
        assert await store.find_owner_config(BORIS.owner) is None
        assert await store.search_messages(BORIS, ["walrus"], limit=9) == []
        for old, new in ((BORIS, NEW), (TOPIC, NEW_TOPIC)):
            assert await store.timeline.read_page(new) == [
                replace(page, scope=new, telegram_id=None) for page in pages[old]
            ]
            assert await store.list_summaries(new) == [replace(row, scope=new) for row in shown[old]]
            assert {hit.scope for hit in await store.search_messages(new, ["walrus"], limit=9)} == {new}
            assert len(await store.find_candidate_messages(new, ["walrus"], limit=9)) == len(pages[old])
        assert (await store.count_messages_and_summaries(NEW)).total == 10
        for telegram_id in (7, 8, 9):
            assert await store.explanations.find_message(NEW, telegram_id) is None, (
                "the new chat starts its message ids again"
            )
            assert await store.explanations.find_explanation(NEW, telegram_id) is None
        assert [text for _, text in await store.explanations.list_latest_explanations(NEW, limit=1)] == ["{}"]

    await check(store)
    async with opener(copy_files(tmp_path) if opener.keeps_files else tmp_path) as recovered:
        await check(recovered)
        [later] = await recovered.append_messages(NEW, [make_message("later")])
        assert later.id > numbered.id


async def test_renaming_voids_running_fold_and_frees_lease(store: MemoryStore) -> None:
    stored = await append_turns(store, BORIS, 2)
    taken = await acquire_lease(store, BORIS)
    await store.rename_owner(BORIS.owner, NEW.owner)
    plan = SummaryPlan(level=1, message_ids=tuple(message.id for message in stored), reason="now")
    with pytest.raises(StaleSummary):
        await store.commit_summary(taken, plan, make_summary(), now=NOW)
    again = await store.acquire_summary_lease(NEW, "now", now=NOW, duration=MINUTE)
    assert again is not None
    await store.commit_summary(again, plan, make_summary(), now=NOW)


class Broken:
    """Commit hooks that let some commits pass and fail the rest."""

    def __init__(self, commits: int) -> None:
        self.commits = commits

    def prepare_commit(self, connection: sqlite3.Connection) -> None:
        self.commits -= 1
        if self.commits < 0:
            raise StorageError("The disk is full.")

    def abort_commit(self) -> None: ...

    def confirm_commit(self) -> None: ...


class OpenedStores:
    """The SQLite, JSON and PostgreSQL stores of a folder, with the parts that rename an owner."""

    def __init__(self, database: Database, json: JsonStore, postgres: MemoryStore) -> None:
        self.database = database
        self.stores: dict[StorageType, MemoryStore] = {
            StorageType.SQLITE: MemoryStore(database, StorageType.SQLITE),
            StorageType.JSON: json,
            StorageType.POSTGRES: postgres,
        }
        self.directory = Directory(database)
        self.wizards = WizardStates(database)
        self.renaming = OwnerRenaming(database, self.stores, self.wizards)

    async def add_owner(self, scope: Scope, kind: StorageType) -> OwnerConfig:
        """Add an owner with one message and an open wizard, and return the configuration."""
        made = make_config(self.stores[kind], scope.owner)
        await self.directory.get_storage_or_register_owner(made)
        await self.stores[kind].upsert_owner(made)
        await self.stores[kind].append_messages(scope, [make_message("walrus")])
        await self.wizards.store_state(
            WizardState(scope=scope, person=5, step="number", nonce="n", expires_at=NOW + timedelta(minutes=9))
        )
        await self.stores[StorageType.JSON].flush_files()  # as above
        return made

    async def check_if_renamed(self, kind: StorageType) -> bool:
        """Return True if everything is under the new id. Fail if only a part of it is."""
        place = await self.directory.find_storage_type(NEW.owner)
        found = [await store.timeline.read_page(NEW) for store in self.stores.values()]
        wizard = await self.wizards.find_state(NEW, 5)
        has_followed = (place is not None, sum(map(len, found)) == 1, wizard is not None)
        assert len(set(has_followed)) == 1, has_followed
        old = (await self.directory.find_storage_type(BORIS.owner), await self.wizards.find_state(BORIS, 5))
        assert [row is None for row in old] == [all(has_followed)] * 2
        if place is not None:
            assert place is kind
            assert self.renaming.successors == {BORIS.owner: NEW.owner}
        return all(has_followed)


@contextlib.asynccontextmanager
async def open_stores(folder: Path, url: str, *, server_of: Path | None = None) -> AsyncIterator[OpenedStores]:
    async with (
        open_postgres(url, server_of or folder) as postgres,
        Database.open(folder / "memory.db", migrations=MIGRATIONS) as database,
        JsonStore.open(folder, clock=lambda: NOW) as json,
    ):
        opened = OpenedStores(database, json, postgres)
        await opened.renaming.finish_renamings()
        yield opened


@pytest.mark.parametrize("kind", StorageType)
async def test_renaming_moves_storage_and_wizard_state(tmp_path: Path, postgres_url: str, kind: StorageType) -> None:
    async with open_stores(tmp_path, postgres_url) as opened:
        await opened.add_owner(BORIS, kind)
        assert await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert await opened.check_if_renamed(kind)
        assert not await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW), (
            "told twice, done once"
        )
    async with open_stores(tmp_path, postgres_url) as opened:
        assert await opened.check_if_renamed(kind)


@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize("passed", range(3))
@pytest.mark.parametrize("kind", StorageType)
async def test_renaming_completes_after_disk_failure_or_kill(
    tmp_path: Path, postgres_url: str, kind: StorageType, passed: int, dies: bool
) -> None:
    """After `passed` commits to memory.db, further commits fail. A retry or the next start finishes renaming."""
    async with open_stores(tmp_path, postgres_url) as opened:
        await opened.add_owner(BORIS, kind)
        opened.database.commit_hooks = Broken(passed)
        with contextlib.suppress(StorageError):
            await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        killed = copy_files(tmp_path)
        opened.database.commit_hooks = None
        if not dies:
            await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
            assert await opened.check_if_renamed(kind)
            return
    async with open_stores(killed, postgres_url, server_of=tmp_path) as recovered:
        if not await recovered.check_if_renamed(kind):
            await recovered.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
            assert await recovered.check_if_renamed(kind)


async def test_renaming_does_not_merge_into_existing_memory(tmp_path: Path, postgres_url: str) -> None:
    async with open_stores(tmp_path, postgres_url) as opened:
        await opened.add_owner(BORIS, StorageType.SQLITE)
        await opened.add_owner(NEW, StorageType.JSON)
        assert not await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert len(await opened.stores[StorageType.SQLITE].timeline.read_page(BORIS)) == 1
        assert len(await opened.stores[StorageType.JSON].timeline.read_page(NEW)) == 1


async def test_renaming_replaces_config_without_memory(tmp_path: Path, postgres_url: str) -> None:
    async with open_stores(tmp_path, postgres_url) as opened:
        await opened.add_owner(BORIS, StorageType.SQLITE)
        empty = make_config(opened.stores[StorageType.JSON], NEW.owner)
        await opened.directory.get_storage_or_register_owner(empty)
        await opened.stores[StorageType.JSON].upsert_owner(empty)
        assert await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert await opened.check_if_renamed(StorageType.SQLITE)
        assert await opened.stores[StorageType.JSON].find_owner_config(NEW.owner) is None


async def test_renaming_unknown_owner_records_nothing(tmp_path: Path, postgres_url: str) -> None:
    async with open_stores(tmp_path, postgres_url) as opened:
        assert not await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert opened.renaming.successors == {}

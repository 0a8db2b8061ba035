"""A group's memory under a new id: all of it, at once, and whatever dies or fails meanwhile."""

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
from storage.stores.memory_store import MemoryStore, SqliteStore
from tests.contract.conftest import (
    ANNA,
    BORIS,
    MINUTE,
    NOW,
    TOPIC,
    Opener,
    config,
    fold,
    lease,
    made,
    open_postgres,
    said,
    talk,
)

NEW = Scope(owner=-1_000_000_001_007)
NEW_TOPIC = Scope(owner=NEW.owner, thread=TOPIC.thread)


def copied(folder: Path) -> Path:
    """The files as a process that dies now leaves them."""
    killed = folder / "killed"
    killed.mkdir()
    for file in [file for file in folder.iterdir() if file.is_file()]:
        shutil.copyfile(file, killed / file.name)
    return killed


async def test_everything_goes_on_under_the_new_id_and_nothing_else_does(
    store: MemoryStore, opener: Opener, tmp_path: Path
) -> None:
    for scope in (ANNA, BORIS, TOPIC):
        stored = await talk(store, scope, 4, words="walrus")
        await fold(store, scope, stored[:4])
    [numbered] = await store.append_messages(BORIS, [replace(said("numbered"), telegram_id=7)])
    answered = replace(said("shown", role="assistant"), source="1:1", explanation="{}")
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
        assert await store.explanations.find_explanation(NEW) == "{}"

    await check(store)
    async with opener(copied(tmp_path) if opener.keeps_files else tmp_path) as recovered:
        await check(recovered)
        [later] = await recovered.append_messages(NEW, [said("later")])
        assert later.id > numbered.id


async def test_a_fold_under_way_is_void_and_the_next_need_not_wait(store: MemoryStore) -> None:
    stored = await talk(store, BORIS, 2)
    taken = await lease(store, BORIS)
    await store.rename_owner(BORIS.owner, NEW.owner)
    plan = SummaryPlan(level=1, message_ids=tuple(message.id for message in stored), reason="now")
    with pytest.raises(StaleSummary):
        await store.commit_summary(taken, plan, made(), now=NOW)
    again = await store.acquire_summary_lease(NEW, "now", now=NOW, duration=MINUTE)
    assert again is not None
    await store.commit_summary(again, plan, made(), now=NOW)


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


class Files:
    """memory.db, memory.json and a PostgreSQL server with what renames between them."""

    def __init__(self, database: Database, json: JsonStore, postgres: MemoryStore) -> None:
        self.database = database
        self.stores: dict[StorageType, MemoryStore] = {
            StorageType.SQLITE: SqliteStore(database),
            StorageType.JSON: json,
            StorageType.POSTGRES: postgres,
        }
        self.directory = Directory(database)
        self.wizards = WizardStates(database)
        self.renaming = OwnerRenaming(database, self.stores, self.wizards)

    async def begin(self, scope: Scope, kind: StorageType) -> OwnerConfig:
        """Somebody who has said one thing, and is in a setup."""
        made = config(self.stores[kind], scope.owner)
        await self.directory.get_storage_or_register_owner(made)
        await self.stores[kind].upsert_owner(made)
        await self.stores[kind].append_messages(scope, [said("walrus")])
        await self.wizards.store_state(
            WizardState(scope=scope, person=5, step="number", nonce="n", expires_at=NOW + timedelta(minutes=9))
        )
        await self.stores[StorageType.JSON].flush_files()  # as above
        return made

    async def follows(self, kind: StorageType) -> bool:
        """Whether all is under the new id and nothing under the old; never half of it."""
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
async def files(folder: Path, url: str, *, server_of: Path | None = None) -> AsyncIterator[Files]:
    async with (
        open_postgres(url, server_of or folder) as postgres,
        Database.open(folder / "memory.db", migrations=MIGRATIONS) as database,
        JsonStore.open(folder, clock=lambda: NOW) as json,
    ):
        opened = Files(database, json, postgres)
        await opened.renaming.finish_renamings_and_list_old_ids()
        yield opened


@pytest.mark.parametrize("kind", StorageType)
async def test_home_and_setup_follow(tmp_path: Path, postgres_url: str, kind: StorageType) -> None:
    async with files(tmp_path, postgres_url) as opened:
        await opened.begin(BORIS, kind)
        assert await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert await opened.follows(kind)
        assert not await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW), (
            "told twice, done once"
        )
    async with files(tmp_path, postgres_url) as opened:
        assert await opened.follows(kind)


@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize("passed", range(3))
@pytest.mark.parametrize("kind", StorageType)
async def test_where_a_disk_fails_or_a_process_dies_it_is_whole_in_the_end(
    tmp_path: Path, postgres_url: str, kind: StorageType, passed: int, dies: bool
) -> None:
    """`passed` commits to memory.db go through, then none: the process tries again, or the next start finishes."""
    async with files(tmp_path, postgres_url) as opened:
        await opened.begin(BORIS, kind)
        opened.database.commit_hooks = Broken(passed)
        with contextlib.suppress(StorageError):
            await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        killed = copied(tmp_path)
        opened.database.commit_hooks = None
        if not dies:
            await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
            assert await opened.follows(kind)
            return
    async with files(killed, postgres_url, server_of=tmp_path) as recovered:
        if not await recovered.follows(kind):
            await recovered.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
            assert await recovered.follows(kind)


async def test_a_memory_that_is_there_already_is_not_mixed_with_another(tmp_path: Path, postgres_url: str) -> None:
    async with files(tmp_path, postgres_url) as opened:
        await opened.begin(BORIS, StorageType.SQLITE)
        await opened.begin(NEW, StorageType.JSON)
        assert not await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert len(await opened.stores[StorageType.SQLITE].timeline.read_page(BORIS)) == 1
        assert len(await opened.stores[StorageType.JSON].timeline.read_page(NEW)) == 1


async def test_choices_without_memory_make_room(tmp_path: Path, postgres_url: str) -> None:
    async with files(tmp_path, postgres_url) as opened:
        await opened.begin(BORIS, StorageType.SQLITE)
        empty = config(opened.stores[StorageType.JSON], NEW.owner)
        await opened.directory.get_storage_or_register_owner(empty)
        await opened.stores[StorageType.JSON].upsert_owner(empty)
        assert await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert await opened.follows(StorageType.SQLITE)
        assert await opened.stores[StorageType.JSON].find_owner_config(NEW.owner) is None


async def test_of_whom_nothing_is_kept_nothing_is_noted(tmp_path: Path, postgres_url: str) -> None:
    async with files(tmp_path, postgres_url) as opened:
        assert not await opened.renaming.change_owner_id_if_possible(BORIS.owner, NEW.owner, now=NOW)
        assert opened.renaming.successors == {}

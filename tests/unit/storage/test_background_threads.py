"""Tests of wizard states, of moving owners between storages, and of the lock on the data directory."""

import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from records.errors import SettingsError, StorageBusy, StorageError
from records.owners import StorageType
from storage.bot_state.directory import Directory, Stores
from storage.bot_state.leases import OwnerLeases
from storage.bot_state.wizard_state import WizardState, WizardStates
from storage.engine.data_dir import lock_data_dir
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, NOW, TOPIC, append_turns, fold_messages, make_config, make_message
from tests.paths import ROOT


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS) as database:
        yield database


# wizards -----------------------------------------------------------------------------------------------------
async def test_wizard_state_is_stored_per_scope_and_person(database: Database) -> None:
    states = WizardStates(database)
    state = WizardState(scope=BORIS, person=5, step="storage", nonce="a", expires_at=NOW)
    later = WizardState(scope=BORIS, person=5, step="threshold", nonce="b", expires_at=NOW, storage=StorageType.JSON)
    await states.store_state(state)
    assert await states.find_state(BORIS, 5) == state
    assert await states.find_state(BORIS, 6) is await states.find_state(TOPIC, 5) is None
    await states.store_state(later)
    assert await states.find_state(BORIS, 5) == later
    assert await states.delete_state_if_exists(BORIS, 5)
    assert not await states.delete_state_if_exists(BORIS, 5)
    assert await states.find_state(BORIS, 5) is None


async def test_absence_of_wizard_state_is_cached_until_state_is_stored(database: Database) -> None:
    states = WizardStates(database)
    state = WizardState(scope=BORIS, person=5, step="storage", nonce="a", expires_at=NOW)
    assert await states.find_state(BORIS, 5) is None
    hops = [connection.call_count for connection in database.connections]
    assert await states.find_state(BORIS, 5) is None
    assert [connection.call_count for connection in database.connections] == hops
    await states.store_state(state)
    assert await states.find_state(BORIS, 5) == state
    await states.delete_states(BORIS.owner)
    assert await states.find_state(BORIS, 5) is None


# directory and moves -----------------------------------------------------------------------------------------
@dataclass
class DirectoryAndStores:
    directory: Directory
    stores: Stores

    def get_store(self, kind: StorageType) -> MemoryStore:
        store = self.stores[kind]
        assert isinstance(store, MemoryStore)
        return store


@pytest.fixture
async def stores(database: Database, tmp_path: Path) -> AsyncIterator[DirectoryAndStores]:
    async with AsyncExitStack() as stack:
        json = await stack.enter_async_context(JsonStore.open(tmp_path, clock=lambda: NOW))
        yield DirectoryAndStores(
            Directory(database), {StorageType.SQLITE: MemoryStore(database, StorageType.SQLITE), StorageType.JSON: json}
        )


async def find_storage_type(directory: Directory, owner: int) -> StorageType | None:
    return await directory.find_storage_type(owner)


async def place_and_epoch(stores: DirectoryAndStores) -> tuple[StorageType | None, int]:
    async with stores.directory.database.open_reader(None) as reader:
        [[epoch]] = await reader.fetch_rows("SELECT epoch FROM users WHERE user_id = ?", ANNA.owner)
    return await stores.directory.find_storage_type(ANNA.owner), epoch


async def register_owner_with_messages(stores: DirectoryAndStores, kind: StorageType) -> MemoryStore:
    store = stores.get_store(kind)
    await stores.directory.get_storage_or_register_owner(make_config(store, ANNA.owner))
    await store.upsert_owner(make_config(store, ANNA.owner))
    stored = await append_turns(store, ANNA, 3)
    await fold_messages(store, ANNA, stored[:2])
    return store


BOTH = [(StorageType.SQLITE, StorageType.JSON), (StorageType.JSON, StorageType.SQLITE)]


@pytest.mark.parametrize(("source", "target"), BOTH)
async def test_moved_owner_exists_only_in_target_storage(
    stores: DirectoryAndStores, source: StorageType, target: StorageType
) -> None:
    old = await register_owner_with_messages(stores, source)
    digest = await old.compute_digest(ANNA.owner)
    await stores.directory.move_owner(ANNA.owner, stores.stores, target, now=NOW)
    assert await place_and_epoch(stores) == (target, 2)
    assert await stores.directory.list_moves() == []
    assert await old.find_owner_config(ANNA.owner) is None
    assert (await old.count_messages_and_summaries(ANNA)).total == 0
    with pytest.raises(StorageError):
        await old.append_messages(ANNA, [make_message("late")])
    new = stores.get_store(target)
    assert await new.compute_digest(ANNA.owner) == digest
    assert await new.find_owner_config(ANNA.owner) is not None
    await stores.directory.move_owner(ANNA.owner, stores.stores, source, now=NOW)
    assert await place_and_epoch(stores) == (source, 3)
    assert await old.compute_digest(ANNA.owner) == digest


class ProcessDied(BaseException):
    """Raised in place of a process's death, so that no later step runs."""


class DyingStore:
    """A store whose process dies `before` or `after` one of its methods."""

    def __init__(self, store: MemoryStore, dead: list[str], *, before: str = "", after: str = "") -> None:
        self._store, self._dead, self._before, self._after = store, dead, before, after

    def dump_owner(self, owner: int) -> Any:
        return self._store.dump_owner(owner)

    async def load_owner(self, owner: int, rows: Any) -> None:
        await self._run_or_die("load_owner", self._store.load_owner(owner, rows))

    async def compute_digest(self, owner: int) -> Any:
        return await self._run_or_die("compute_digest", self._store.compute_digest(owner))

    async def erase_owner(self, owner: int) -> None:
        await self._run_or_die("erase", self._store.erase_owner(owner))

    async def _run_or_die(self, name: str, work: Coroutine[Any, Any, Any]) -> Any:
        if self._dead or name == self._before:
            work.close()
            self._dead.append(name)
            raise ProcessDied
        done = await work
        if name == self._after:
            self._dead.append(name)
            raise ProcessDied
        return done


def dying(stores: Stores, died_at: str) -> Stores:
    moment = {"begun": {"before": "load_owner"}, "copied": {"after": "load_owner"}, "flipped": {"before": "erase"}}
    dead: list[str] = []
    named = moment.get(died_at, {"after": "erase"})
    return cast("Stores", {kind: DyingStore(store, dead, **named) for kind, store in stores.items()})


@pytest.mark.parametrize(("source", "target"), BOTH)
@pytest.mark.parametrize("died_at", ["begun", "copied", "flipped", "erased"])
async def test_interrupted_move_is_completed_or_undone_at_start(
    stores: DirectoryAndStores, source: StorageType, target: StorageType, died_at: str
) -> None:
    old, new = await register_owner_with_messages(stores, source), stores.get_store(target)
    digest = await old.compute_digest(ANNA.owner)
    directory = stores.directory
    with pytest.raises(ProcessDied):
        await directory.move_owner(ANNA.owner, dying(stores.stores, died_at), target, now=NOW)
    assert len(await directory.list_moves()) == 1
    await directory.finish_interrupted_moves(stores.stores)
    assert await directory.list_moves() == []
    home, other = (new, old) if died_at in ("flipped", "erased") else (old, new)
    assert await find_storage_type(directory, ANNA.owner) is home.kind
    assert await home.compute_digest(ANNA.owner) == digest
    assert await home.find_owner_config(ANNA.owner) is not None
    assert (await other.count_messages_and_summaries(ANNA)).total == 0
    assert await other.find_owner_config(ANNA.owner) is None


async def test_move_to_storage_that_already_holds_owner_changes_nothing(stores: DirectoryAndStores) -> None:
    old = await register_owner_with_messages(stores, StorageType.SQLITE)
    json = stores.get_store(StorageType.JSON)
    await json.upsert_owner(make_config(json, ANNA.owner))
    digest = await old.compute_digest(ANNA.owner)
    with pytest.raises(StorageError, match="already holds"):
        await stores.directory.move_owner(ANNA.owner, stores.stores, StorageType.JSON, now=NOW)
    assert await stores.directory.list_moves() == []
    assert await old.compute_digest(ANNA.owner) == digest
    assert await find_storage_type(stores.directory, ANNA.owner) is StorageType.SQLITE


async def test_registers_owners_found_only_in_memory_json(stores: DirectoryAndStores) -> None:
    json = stores.get_store(StorageType.JSON)
    await json.upsert_owner(make_config(json, BORIS.owner))
    await stores.directory.register_missing_owners(stores.stores, OwnerLeases())
    assert await find_storage_type(stores.directory, BORIS.owner) is StorageType.JSON


async def test_registering_known_owner_keeps_current_storage(stores: DirectoryAndStores) -> None:
    await register_owner_with_messages(stores, StorageType.SQLITE)
    asked = make_config(stores.get_store(StorageType.JSON), ANNA.owner)
    assert await stores.directory.get_storage_or_register_owner(asked) is StorageType.SQLITE


# the data directory ------------------------------------------------------------------------------------------
def test_lock_data_dir_creates_private_directory(tmp_path: Path) -> None:
    with lock_data_dir(tmp_path / "deep" / "data") as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert [stat.S_IMODE(file.stat().st_mode) for file in path.iterdir()] == [0o600]


def test_data_dir_lock_is_exclusive_within_and_across_processes(tmp_path: Path) -> None:
    with lock_data_dir(tmp_path):
        with pytest.raises(StorageBusy, match="DATA_DIR"), lock_data_dir(tmp_path):
            pass
        code = (
            "import sys; from pathlib import Path; from records import errors\n"
            "from storage.engine.data_dir import lock_data_dir\n"
            "try:\n  with lock_data_dir(Path(sys.argv[1])): pass\n"
            "except errors.StorageBusy: sys.exit(7)\n"
        )
        root = ROOT
        assert subprocess.run([sys.executable, "-c", code, tmp_path], cwd=root, check=False).returncode == 7
    with lock_data_dir(tmp_path):
        pass


@pytest.mark.parametrize("kind", ["file", "below a file", "proc"])
def test_unwritable_data_dir_raises_settings_error(tmp_path: Path, kind: str) -> None:
    """Root ignores permissions, so these are places where not even root can write."""
    (tmp_path / "file").write_text("x")
    path = {"file": tmp_path / "file", "below a file": tmp_path / "file" / "data", "proc": Path("/proc/keepsake")}[kind]
    with pytest.raises(SettingsError, match="DATA_DIR") as caught, lock_data_dir(path):
        pass
    assert caught.value.variable == "DATA_DIR"

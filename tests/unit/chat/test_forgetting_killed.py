"""After kill -9 at seeded points of a deletion, the next start finds either all messages or no trace."""

import random
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from external_memory import ExternalMemory
from records.messages import NewMessage
from records.owners import StorageType
from records.scopes import Scope
from tests.contract.conftest import fold_messages
from tests.support.killable import Runs, runs_of
from tests.support.storages import FILE_STORAGES
from tests.support.talk import list_unfinished_forgettings
from tests.unit.chat.test_forgetting import OTHER, SCOPE, WORD, find_traces

KILLS = 4
MAX_SECONDS_BEFORE_KILL = 0.25
"""Most kills come within this many seconds, because forgetting these messages takes about as long."""


async def prepared(folder: Path, storage: StorageType) -> int:
    """Store 300 messages that contain the word, fold half of them, and return their number."""
    now = datetime(2026, 11, 21, tzinfo=UTC)
    async with ExternalMemory.open(folder, clock=lambda: now) as memory:
        await memory.configure(SCOPE.owner, storage=storage, every_n=5)
        await memory.configure(8, storage=storage, every_n=5)
        async with memory.open_store(SCOPE.owner) as store:
            for number in range(6):
                drafts = [
                    NewMessage(role="user", content=f"{WORD} {number} {part} " + "x" * 300, created_at=now)
                    for part in range(50)
                ]
                stored = await store.append_messages(SCOPE, drafts)
                if number % 2:
                    await fold_messages(store, SCOPE, stored)
            await store.append_messages(Scope(owner=8), [NewMessage(role="user", content=OTHER, created_at=now)])
    return 300


async def killed(runs: Runs, folder: Path, delay: float) -> bool:
    """Forget in a child process and kill it after `delay`. Return True if it had reported completion."""
    await runs.begin(folder, SCOPE.owner)
    assert await runs.line() == "begins"
    told, _ = await runs.kill(delay)
    return "done" in told


@pytest.mark.parametrize("storage", FILE_STORAGES)
async def test_killed_forgetting_is_completed_or_has_no_effect(tmp_path: Path, storage: StorageType) -> None:
    chance = random.Random(3)  # noqa: S311 - not a secret
    total = await prepared(tmp_path / "made", storage)
    async with runs_of("tests.support.forgetter") as runs:
        folders = {tmp_path / str(number): chance.random() * MAX_SECONDS_BEFORE_KILL for number in range(KILLS)}
        for folder in folders:
            shutil.copytree(tmp_path / "made", folder)
        is_done = {folder: await killed(runs, folder, delay) for folder, delay in folders.items()}
    for folder in folders:
        async with ExternalMemory.open(folder, clock=lambda: datetime.now(UTC)) as memory:
            left = await memory.count_messages(SCOPE.owner)
            assert left in (0, total)
            assert await memory.count_messages(8) == 1
            if is_done[folder]:
                assert left == 0
            if left == 0:
                assert find_traces(folder) == []
            assert await list_unfinished_forgettings(memory) == []
        assert bool(find_traces(folder)) == bool(left)
        assert find_traces(folder, [OTHER])

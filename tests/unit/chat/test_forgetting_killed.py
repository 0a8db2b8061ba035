"""kill -9 at seeded points of a forgetting: the next start finds all of it, or leaves no trace of any."""

import asyncio
import contextlib
import random
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from external_memory import ExternalMemory
from records.messages import NewMessage
from records.owners import IN_FILES, StorageType
from records.scopes import Scope
from tests.contract.conftest import fold
from tests.paths import ROOT
from tests.unit.chat.test_forgetting import OTHER, SCOPE, WORD, traces

KILLS = 4
LONGEST = 0.25
"""Seconds in which most of the points of death lie; a forgetting of this size takes about as long."""


async def prepared(folder: Path, storage: StorageType) -> int:
    """A memory with the word in messages and summaries; how many messages."""
    now = datetime(2026, 11, 21, tzinfo=UTC)
    async with ExternalMemory.open(folder, clock=lambda: now) as memory:
        await memory.configure(SCOPE.owner, storage=storage, every_n=5)
        await memory.configure(8, storage=storage, every_n=5)
        async with memory.home(SCOPE.owner) as store:
            for number in range(6):
                drafts = [
                    NewMessage(role="user", content=f"{WORD} {number} {part} " + "x" * 300, created_at=now)
                    for part in range(50)
                ]
                stored = await store.append(SCOPE, drafts)
                if number % 2:
                    await fold(store, SCOPE, stored)
            await store.append(Scope(owner=8), [NewMessage(role="user", content=OTHER, created_at=now)])
    return 300


async def killed(folder: Path, delay: float) -> bool:
    """Forget in a process of its own and kill it; whether it had said that it was done."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.forgetter", str(folder), str(SCOPE.owner)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    assert await process.stdout.readline() == b"begins\n"
    # Not a wait for an event: the point of death is to be anywhere inside the forgetting.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), delay)
    if process.returncode is None:
        process.kill()
    rest, _ = await process.communicate()
    return b"done" in rest


@pytest.mark.parametrize("storage", IN_FILES)
async def test_killed_while_it_forgets_it_is_whole_or_gone(tmp_path: Path, storage: StorageType) -> None:
    chance = random.Random(3)  # noqa: S311 - not a secret
    total = await prepared(tmp_path / "made", storage)
    for number in range(KILLS):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "made", folder)
        is_done = await killed(folder, chance.random() * LONGEST)
        async with ExternalMemory.open(folder, clock=lambda: datetime.now(UTC)) as memory:
            left = await memory.total(SCOPE.owner)
            assert left in (0, total)
            assert await memory.total(8) == 1
            if is_done:
                assert left == 0
            if left == 0:
                assert traces(folder) == []
            assert await memory._ground.erasing._unfinished() == []
        assert bool(traces(folder)) == bool(left)
        assert traces(folder, [OTHER])

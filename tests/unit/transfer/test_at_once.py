"""Concurrent imports of one owner: the second is refused, and no message is stored twice."""

import asyncio
from pathlib import Path

import pytest

from records.errors import ImportBusy
from records.owners import StorageType
from records.scopes import Scope
from reliability.invariants import find_violations, read_memory_state
from tests.support.talk import ANNA, open_chat_harness
from tests.unit.transfer.test_importer import HERE, import_file, make_telegram_export

TOPIC = Scope(owner=ANNA.id, thread=5)


@pytest.mark.parametrize("storage", [StorageType.SQLITE, StorageType.JSON])
@pytest.mark.parametrize("second", [HERE, TOPIC], ids=["in one chat", "in two topics"])
async def test_concurrent_imports_store_each_message_once(tmp_path: Path, storage: StorageType, second: Scope) -> None:
    """Imports into two topics once took the same ids, and one failed with an IntegrityError."""
    async with open_chat_harness(tmp_path) as talk:
        await talk.turn_on_memory(storage=storage)

        async def begin(scope: Scope, data: bytes) -> int:
            async def progress(done: int, total: int) -> None:
                await asyncio.sleep(0)

            try:
                return (await talk.services.importer.import_file(scope, ANNA.id, data, progress=progress)).messages
            except ImportBusy:
                return 0

        both = await asyncio.gather(begin(HERE, make_telegram_export(300)), begin(second, make_telegram_export(200)))
        assert tuple(both) == (300, 0), "the second one is told to try again"
        assert await import_file(talk, make_telegram_export(200)) == (0, 200)
        async with talk.services.memory.open_store(ANNA.id) as store:
            stored = [
                message
                for scope in await store.list_scopes(ANNA.id)
                for message in await store.timeline.read_page(scope, limit=1_000)
            ]
        assert len(stored) == 300
        assert len({message.source for message in stored}) == 300
    assert not find_violations(read_memory_state(tmp_path))

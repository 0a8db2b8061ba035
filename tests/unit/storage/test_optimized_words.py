"""Many small writes leave the index of words in many pieces; between turns they are joined, and found is the same."""

from datetime import UTC, datetime
from pathlib import Path

from records.messages import NewMessage
from records.owners import OwnerConfig, StorageType
from records.scopes import Scope
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.memory_store import MemoryStore, SqliteStore

SCOPE = Scope(owner=1)
AT = datetime(2026, 1, 1, tzinfo=UTC)


async def pieces(database: Database) -> int:
    async with database.open_reader() as reader:
        [row] = await reader.fetch_rows("SELECT COUNT(DISTINCT segid) FROM words_idx")
    return int(row[0])


async def read_data_version(database: Database) -> int:
    """Return SQLite's number for the last commit that this reader has not made itself."""
    async with database.open_reader() as reader:
        [row] = await reader.fetch_rows("PRAGMA data_version")
    return int(row[0])


async def found(store: MemoryStore) -> list[int]:
    return [message.id for message in await store.search_messages(SCOPE, ["river", "w7"], limit=50)]


async def test_pieces_are_joined_a_little_at_a_time(tmp_path: Path) -> None:
    async with Database.open(tmp_path / "memory.db", migrations=MIGRATIONS, durable=False) as database:
        store = SqliteStore(database)
        await store.upsert_owner(
            OwnerConfig(
                owner=SCOPE.owner, storage=StorageType.SQLITE, every_n=20, enabled=True, created_at=AT, updated_at=AT
            )
        )
        for number in range(14):
            said = NewMessage(role="user", content=f"w{number} by the river", created_at=AT, source=f"{number}")
            await store.append_messages(SCOPE, [said])
        before, many = await found(store), await pieces(database)
        await store.optimize_word_index()
        assert await pieces(database) < many / 3
        assert await found(store) == before
        written = await read_data_version(database)
        await store.optimize_word_index()
        assert await read_data_version(database) == written  # nothing was written since

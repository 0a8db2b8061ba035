"""Gauges of sizes and queues, measured when Prometheus asks."""

import asyncio
from pathlib import Path

from external_memory import ExternalMemory
from records.owners import StorageType
from runtime.metrics import make_gauge
from storage.engine.protocol import OwnerDatabase

STORES = tuple(kind.value for kind in StorageType)
SIZE = make_gauge(
    "keepsake_database_size_bytes",
    "Bytes of each store: of its files in DATA_DIR, or of the database on the server.",
    {"store": STORES},
)
BACKLOG = make_gauge("keepsake_backlog_updates", "Updates that are stored and not done, of all processes together.")
EMBEDDING_QUEUE = make_gauge("keepsake_embedding_queue_messages", "Messages of all stores that wait to be embedded.")

FILES = {
    StorageType.SQLITE: ("memory.db", "memory.db-wal"),
    StorageType.JSON: ("memory.json", "memory.json.journal", "index.db", "index.db-wal"),
}


async def set_gauges(memory: ExternalMemory, folder: Path, *, embeds: bool) -> None:
    """Set the gauges. Raise StorageError if a store cannot be read."""
    queued = 0
    for store in memory.stores:
        queued += await store.vectors.count_queued() if embeds else 0
        files = FILES.get(store.kind)
        size = (
            await _fetch_server_size(store.database)
            if files is None
            else await asyncio.to_thread(_sum_file_sizes, folder, files)
        )
        SIZE.labels(store.kind).set(size)
    EMBEDDING_QUEUE.set(queued)
    BACKLOG.set(await memory.inbox.backlog())


async def _fetch_server_size(database: OwnerDatabase) -> int:
    async with database.read(None) as reader:
        [[size]] = await reader.rows("SELECT pg_database_size(current_database())")
        return int(size)


def _sum_file_sizes(folder: Path, names: tuple[str, ...]) -> int:
    return sum(path.stat().st_size for path in (folder / name for name in names) if path.exists())

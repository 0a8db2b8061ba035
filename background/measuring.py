"""Update the gauges for sizes and queues whenever Prometheus scrapes them."""

import asyncio
from pathlib import Path

from external_memory import ExternalMemory
from records.owners import StorageType
from runtime.metrics import make_gauge

SIZE = make_gauge(
    "keepsake_database_size_bytes",
    "Bytes of each store: of its files in DATA_DIR, or of the database on the server.",
    {"store": tuple(kind.value for kind in StorageType)},
)
BACKLOG = make_gauge("keepsake_backlog_updates", "Updates that are stored and not done, of all processes together.")
EMBEDDING_QUEUE = make_gauge("keepsake_embedding_queue_messages", "Messages of all stores that wait to be embedded.")

FILES = {
    StorageType.SQLITE: ("memory.db", "memory.db-wal"),
    StorageType.JSON: ("memory.json", "memory.json.journal", "index.db", "index.db-wal"),
}


async def update_storage_gauges(memory: ExternalMemory, data_dir: Path, *, has_embedder: bool) -> None:
    """Update the gauges for storage sizes and backlogs. Raise StorageError if a store cannot be read."""
    queued = 0
    for store in memory.stores:
        queued += await store.vectors.count_unembedded_messages() if has_embedder else 0
        if store.kind in FILES:
            files = [data_dir / name for name in FILES[store.kind]]
            size = await asyncio.to_thread(lambda: sum(file.stat().st_size for file in files if file.exists()))  # noqa: B023
        else:
            async with store.database.open_reader(None) as reader:
                [[size]] = await reader.fetch_rows("SELECT pg_database_size(current_database())")
        SIZE.labels(store.kind).set(int(size))
    EMBEDDING_QUEUE.set(queued)
    BACKLOG.set(await memory.inbox.count_pending_updates())

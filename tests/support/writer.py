"""A process that writes until it is killed, and prints what was acknowledged. Run by test_killed.py.

A run gets the words FOLDER SEED (see tests/support/killable.py). It prints one line for each finished operation.
"""

import asyncio
import random
from pathlib import Path

from records.owners import StorageType
from records.scopes import Scope
from records.summaries import SummaryPlan
from storage.bot_state.directory import Directory
from storage.engine.data_dir import lock_data_dir
from storage.engine.sqlite import Database
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import MINUTE, NOW, make_config, make_message, make_summary
from tests.support.killable import print_line, serve
from tests.support.storages import FILE_STORAGES

OWNERS = (1, 2)


async def write(folder: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - not a secret
    with lock_data_dir(folder):
        async with (
            Database.open(folder / "memory.db", migrations=MIGRATIONS) as database,
            JsonStore.open(folder) as json,
        ):
            assert json.reports == [], json.reports
            directory = Directory(database)
            sqlite = MemoryStore(database, StorageType.SQLITE)
            stores = {StorageType.SQLITE: sqlite, StorageType.JSON: json}
            await directory.finish_interrupted_moves(stores)
            for store in (sqlite, json):
                await store.void_leases()
            for owner in OWNERS:
                if await directory.find_storage_type(owner) is None:
                    kind = FILE_STORAGES[owner % 2]
                    await directory.get_storage_or_register_owner(make_config(stores[kind], owner))
                place = await directory.find_storage_type(owner)
                assert place
                home = stores[place]
                if await home.find_owner_config(owner) is None:
                    await home.upsert_owner(make_config(home, owner))
            print_line("ready")
            while True:
                owner = chance.choice(OWNERS)
                place = await directory.find_storage_type(owner)
                assert place
                await step(chance, directory, stores, owner, stores[place])


async def step(
    chance: random.Random, directory: Directory, stores: dict[StorageType, MemoryStore], owner: int, store: MemoryStore
) -> None:
    scope = Scope(owner=owner)
    match chance.choices(["say", "fold", "move", "flush"], [20, 4, 1, 1])[0]:
        case "say":
            source = f"{chance.getrandbits(60)}"
            await store.append_messages(scope, [make_message(f"line {source} " + "x" * 300, source=source)])
            print_line(f"said {owner} {source}")
        case "fold":
            lease = await store.acquire_summary_lease(scope, "now", now=NOW, duration=MINUTE)
            ids = tuple(message.id for message in await store.list_unsummarized_messages(scope))
            if lease and ids:
                plan = SummaryPlan(level=1, message_ids=ids, reason="now")
                await store.commit_summary(lease, plan, make_summary(), now=NOW)
            elif lease:
                await store.release_summary_lease(lease)
        case "move":
            target = next(kind for kind in FILE_STORAGES if kind is not store.kind)
            await directory.move_owner(owner, stores, target, now=NOW)
        case "flush":
            await store.flush_files()


if __name__ == "__main__":
    serve(lambda folder, seed: asyncio.run(write(Path(folder), int(seed))))

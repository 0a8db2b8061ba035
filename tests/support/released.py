"""A backup, a data folder and an export for each version of the schema, made by the program of that time.

`python -m tests.support.released` adds those of this version, once it is released with a schema of its own.
"""

import asyncio
import shutil
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from records.facts import FactChange, NewFact
from records.owners import StorageType
from records.scopes import Scope
from storage.backup import back_up
from storage.schema.migrations import MIGRATIONS
from tests.support.talk import ANNA, BORIS, open_chat_harness

RELEASED = Path(__file__).parent / "released"
BACKUP, FOLDER, EXPORT = "backup.gz", "data.tar.gz", "export.json"
STORES = {ANNA.id: StorageType.SQLITE, BORIS.id: StorageType.JSON}
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
TURNS = 3
FACT = "Lives in Kiel."


async def make(into: Path, data: Path) -> None:
    """Save a backup, a data folder and an export into the folder `into`.

    In them, two people have talked, each with their own store, and a fold and a fact were stored.
    """
    async with open_chat_harness(data) as talk:
        for person in (ANNA, BORIS):
            await talk.turn_on_memory(storage=STORES[person.id], every_n=2, owner=person.id)
            for number in range(TURNS):
                await talk.run_turn(f"Kohlrabi number {number} grows.", person=person)
            scope = Scope(owner=person.id)
            async with talk.services.memory.open_store(person.id) as store:
                read = await store.read_messages(scope, [1])
                learned, _ = await store.facts.read_learned_id_and_next(scope, 1)
                fact = NewFact(
                    text=FACT,
                    kind="personal",
                    subject="home",
                    source_ids=(1,),
                    observed_at=NOW,
                    valid_from=NOW,
                    tags=("home",),
                )
                await store.facts.commit_changes(
                    scope,
                    [FactChange(fact=fact)],
                    source_messages=read,
                    last_learned_id=learned,
                    new_last_learned_id=1,
                    now=NOW,
                )
        async with talk.services.exporter.export_files(ANNA.id) as files:
            (into / EXPORT).write_bytes(files[0].file.read())
    await asyncio.to_thread(back_up, data, into / BACKUP, database_url="")
    await asyncio.to_thread(pack, data, into / FOLDER)


def pack(data: Path, into: Path) -> None:
    """Pack the memory.* files of a folder. All other files are derived from them."""
    with tarfile.open(into, "w:gz") as packed:
        for path in sorted(data.glob("memory.*")):
            packed.add(path, path.name)


def main() -> None:
    into = RELEASED / str(len(MIGRATIONS))
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(make(into, Path(folder)))


if __name__ == "__main__":
    main()

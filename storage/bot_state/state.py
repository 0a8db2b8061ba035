"""Opens the state that belongs to no store: in memory.db for a process that is alone, in PostgreSQL for several.

Owns how both are opened, and what an earlier process left half done is finished by.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from records.errors import ServedElsewhere
from records.owners import StorageType
from storage.bot_state.broadcasts import Broadcasts
from storage.bot_state.directory import Directory
from storage.bot_state.erasure import Erasure
from storage.bot_state.inbox import Inbox
from storage.bot_state.keys import ExportKey, UsedLinks
from storage.bot_state.leases import Everybody, OnGain, OwnerLeases
from storage.bot_state.people import People
from storage.bot_state.renaming import OwnerRenaming
from storage.bot_state.usage import UsageLedger
from storage.bot_state.wizard_state import WizardStates
from storage.engine.data_dir import demand_room
from storage.engine.protocol import OwnerDatabase
from storage.engine.sqlite import Database
from storage.engine.sqlite_driver import explained
from storage.stores.memory_store import MemoryStore

if TYPE_CHECKING:
    from storage.bot_state.postgres_inbox import SharedWork

log = logging.getLogger(__name__)

Stores = dict[StorageType, MemoryStore]


@dataclass(frozen=True, kw_only=True)
class BotState:
    """Bot-wide state that belongs to no memory, in memory.db or in PostgreSQL.

    `usage`: tokens; `people`: who was let in or removed by a button; `export_key`: signs exports, and the sessions of
    the dashboard by a key made from it; `shared_work` None: all that is received is this process's own to do.

    `demand_writable`: raises StorageError where nothing can be written, by writing something.
    `on_gain`: who is told of owners that this process begins to serve; None: it serves everybody from its start on.
    """

    directory: Directory
    renaming: OwnerRenaming
    erasing: Erasure
    inbox: Inbox
    wizards: WizardStates
    usage: UsageLedger
    people: People
    export_key: ExportKey
    used_links: UsedLinks
    broadcasts: Broadcasts
    leases: OwnerLeases
    demand_writable: Callable[[], Awaitable[None]]
    on_gain: list[OnGain] | None = None
    shared_work: "SharedWork | None" = None


async def own_state(database: Database, folder: Path, stores: Mapping[StorageType, MemoryStore]) -> BotState:
    """All in memory.db. What an earlier process left half done is finished."""
    directory, wizards = Directory(database), WizardStates(database)
    state = await _state(
        database,
        folder,
        stores,
        directory=directory,
        renaming=OwnerRenaming(database, stores, wizards),
        inbox=Inbox(database),
        wizards=wizards,
        leases=Everybody(),
        demand_writable=partial(asyncio.to_thread, _demand_room, folder),
    )
    for move in await directory.finish_moves(stores):
        log.warning(
            "the move of %d from %s to %s, which was %s, is settled", move.owner, move.source, move.target, move.state
        )
    for owner in await state.renaming.resume():
        log.warning("%d, a group that became a supergroup, has its new id now", owner)
    for owner in await directory.adopt(stores, state.leases):
        log.info("owner %d was found in a store and adopted", owner)
    for store in stores.values():
        await store.take_back_leases()
    await _finish_forgettings(state.erasing, directory, stores)
    return state


async def _state(
    database: OwnerDatabase,
    folder: Path,
    stores: Mapping[StorageType, MemoryStore],
    *,
    directory: Directory,
    renaming: OwnerRenaming,
    inbox: Inbox,
    wizards: WizardStates,
    leases: OwnerLeases,
    demand_writable: Callable[[], Awaitable[None]],
    on_gain: list[OnGain] | None = None,
    shared_work: "SharedWork | None" = None,
) -> BotState:
    """The parts that are the same wherever the tables are, next to those that are given."""
    usage, people = UsageLedger(database), People(database)
    await people.load()
    return BotState(
        directory=directory,
        renaming=renaming,
        erasing=Erasure(database, folder, stores, inbox=inbox, wizards=wizards, usage=usage, leases=leases),
        inbox=inbox,
        wizards=wizards,
        usage=usage,
        people=people,
        export_key=ExportKey(database),
        used_links=UsedLinks(database),
        broadcasts=Broadcasts(database),
        leases=leases,
        demand_writable=demand_writable,
        on_gain=on_gain,
        shared_work=shared_work,
    )


def _demand_room(folder: Path) -> None:
    with explained(folder):
        demand_room(folder)


async def _finish_forgettings(
    erasing: Erasure,
    directory: Directory,
    stores: Mapping[StorageType, MemoryStore],
    owners: Sequence[int] | None = None,
) -> None:
    """`owners` None: everybody's."""
    for owner in await erasing.resume(lambda owner: store_of(owner, directory, stores), owners):
        log.warning("a forgetting of %d that an earlier process had begun is finished", owner)


async def store_of(owner: int, directory: Directory, stores: Mapping[StorageType, MemoryStore]) -> MemoryStore:
    """The store that holds an owner's data; SQLite where there is none."""
    location = await directory.location(owner)
    return stores[location.storage if location else StorageType.SQLITE]


@asynccontextmanager
async def shared_state(url: str, database: Database, folder: Path, stores: Stores) -> AsyncIterator[BotState]:
    """All in PostgreSQL, which becomes a store too; this process is one of those that share it, while the block runs.

    Each process finishes what is half done in its own files at once, and all else when it begins to serve an owner.
    """
    # Imported here: a bot without a server starts without its driver.
    from storage.bot_state.postgres_inbox import PostgresInbox, SharedWork
    from storage.bot_state.postgres_leases import PostgresLeases
    from storage.bot_state.replica import Replica
    from storage.bot_state.shared import SharedDirectory, SharedRenaming
    from storage.engine.data_dir import instance_of
    from storage.stores.postgres import PostgresStore, postgres_database

    replica = Replica(instance_of(folder))
    async with (
        postgres_database(url, replica=replica) as server,
        PostgresLeases.opened(server, replica, url) as leases,
    ):
        stores[StorageType.POSTGRES] = PostgresStore(server)
        directory = SharedDirectory(server, database, replica.instance_id)
        wizards = WizardStates(server)
        renaming = SharedRenaming(server, stores, wizards)

        async def prepare(owners: Sequence[int]) -> None:
            for owner in owners:
                wizards.changed(owner)
                for store in stores.values():
                    store.drop_copies(owner)
            await renaming.resume_for(owners)
            await _finish_forgettings(state.erasing, directory, stores, owners)

        async def demand_writable() -> None:
            await asyncio.to_thread(_demand_room, folder)
            await leases.demand_writable()

        state = await _state(
            server,
            folder,
            stores,
            directory=directory,
            renaming=renaming,
            inbox=PostgresInbox(server, leases),
            wizards=wizards,
            leases=leases,
            demand_writable=demand_writable,
            on_gain=leases.on_gain,
            shared_work=SharedWork(server, leases, Inbox(database)),
        )
        leases.on_gain.append(prepare)
        await directory.take_over_notes()
        files: Stores = {kind: store for kind, store in stores.items() if kind is not StorageType.POSTGRES}
        for store in files.values():
            await store.take_back_leases()
        await directory.adopt_instance(stores)
        for move in await directory.moves():
            try:
                await leases.hold(move.owner)
            except ServedElsewhere:
                log.info("the move of %d concerns this process's files alone", move.owner)
        await directory.finish_moves(stores)
        for owner in await directory.adopt(files, leases):
            log.info("owner %d was found in a store and adopted", owner)
        yield state

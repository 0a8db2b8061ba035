"""Open the bot-wide state in memory.db or PostgreSQL, and finish what an earlier process left incomplete."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, field

from records.errors import ServedElsewhere
from records.owners import StorageType
from storage.bot_state.broadcasts import Broadcasts
from storage.bot_state.deletion import OwnerDeletion
from storage.bot_state.directory import Directory, SharedDirectory, Stores
from storage.bot_state.inbox import Inbox
from storage.bot_state.keys import ExportKey, UsedLinks
from storage.bot_state.leases import OwnerLeases
from storage.bot_state.people import People
from storage.bot_state.renaming import OwnerRenaming, SharedRenaming
from storage.bot_state.usage import UsageLedger
from storage.bot_state.wizard_state import WizardStates
from storage.engine.data_dir import check_disk_writable
from storage.engine.protocol import OwnerDatabase
from storage.engine.sqlite import Database

if TYPE_CHECKING:
    from storage.bot_state.postgres_inbox import PostgresInbox


@define(eq=False, kw_only=True)
class BotState:
    """Bot-wide state that belongs to no memory, in memory.db or in PostgreSQL.

    `export_key` signs exports and, through a derived key, dashboard sessions. `check_writable` makes a test write and
    raises StorageError if it fails. `shared_inbox` is None for a single process, which serves everybody.
    """

    database: OwnerDatabase
    folder: Path
    stores: Stores
    directory: Directory
    renaming: OwnerRenaming
    inbox: Inbox
    wizards: WizardStates
    leases: OwnerLeases
    check_writable: Callable[[], Awaitable[None]]
    shared_inbox: "PostgresInbox | None" = None
    usage: UsageLedger = field(init=False)
    people: People = field(init=False)
    export_key: ExportKey = field(init=False)
    used_links: UsedLinks = field(init=False)
    broadcasts: Broadcasts = field(init=False)
    erasing: OwnerDeletion = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.usage = UsageLedger(self.database)
        self.people = People(self.database)
        self.export_key = ExportKey(self.database)
        self.used_links = UsedLinks(self.database)
        self.broadcasts = Broadcasts(self.database)
        parts = (self.directory.find_storage_type, self.inbox, self.wizards, self.usage, self.leases)
        self.erasing = OwnerDeletion(self.database, self.folder, self.stores, *parts)


async def open_local_state(database: Database, folder: Path, stores: Stores) -> BotState:
    """Open the state in memory.db, and finish what an earlier process left incomplete."""
    directory, wizards = Directory(database), WizardStates(database)
    state = BotState(
        database=database,
        folder=folder,
        stores=stores,
        directory=directory,
        renaming=OwnerRenaming(database, stores, wizards),
        inbox=Inbox(database),
        wizards=wizards,
        leases=OwnerLeases(),
        check_writable=partial(asyncio.to_thread, check_disk_writable, folder),
    )
    await state.people.load_people()
    await directory.finish_interrupted_moves(stores)
    await state.renaming.finish_renamings()
    await directory.register_missing_owners(stores, state.leases)
    for store in stores.values():
        await store.void_leases()
    await state.erasing.finish_deletions()
    return state


@asynccontextmanager
async def open_shared_state(url: str, database: Database, folder: Path, stores: Stores) -> AsyncIterator[BotState]:
    """Open the state in PostgreSQL, which other processes share. Add a PostgresStore to `stores`."""
    # Imported here so that a bot without a server starts without the driver.
    from storage.bot_state.postgres_inbox import PostgresInbox
    from storage.bot_state.postgres_leases import PostgresLeases
    from storage.engine.data_dir import read_or_create_instance_id
    from storage.engine.replica import Replica
    from storage.stores.postgres import PostgresStore, open_postgres_database

    replica = Replica(read_or_create_instance_id(folder))
    async with (
        open_postgres_database(url, replica=replica) as server,
        PostgresLeases.open(server, replica, url) as leases,
    ):
        stores[StorageType.POSTGRES] = PostgresStore(server)
        directory = SharedDirectory(server, database, replica.instance_id)
        wizards = WizardStates(server)
        renaming = SharedRenaming(server, stores, wizards)
        inbox = PostgresInbox(server, leases, Inbox(database))

        async def refresh_owner_state(owners: Sequence[int]) -> None:
            for owner in owners:
                wizards.clear_cache(owner)
                for store in stores.values():
                    store.vectors.evict_owner(owner)
            await renaming.finish_owner_renamings(owners)
            await state.erasing.finish_deletions(owners)

        async def check_writable() -> None:
            await asyncio.to_thread(check_disk_writable, folder)
            await leases.check_writable()

        state = BotState(
            database=server,
            folder=folder,
            stores=stores,
            directory=directory,
            renaming=renaming,
            inbox=inbox,
            wizards=wizards,
            leases=leases,
            check_writable=check_writable,
            shared_inbox=inbox,
        )
        leases.add_owner_acquired_callback(refresh_owner_state)
        await directory.move_state_to_postgres()
        await state.people.load_people()
        files: Stores = {kind: store for kind, store in stores.items() if kind is not StorageType.POSTGRES}
        for store in files.values():
            await store.void_leases()
        await directory.claim_owners_of_copied_folder(stores)
        for move in await directory.list_moves():
            with suppress(ServedElsewhere):  # it concerns this process's files alone
                await leases.start_serving(move.owner)
        await directory.finish_interrupted_moves(stores)
        await directory.register_missing_owners(files, leases)
        yield state

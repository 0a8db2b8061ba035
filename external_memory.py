"""The memory: what may be remembered, by whom, where; any backend.

Owns which store holds an owner, the switch that turns memory on, and moving an owner from store to store so that at
every instant exactly one place answers. Does not know models, prompts or Telegram.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from cachetools import LRUCache

from records.errors import StorageError
from records.forgetting import Forgetting, Forgotten
from records.owners import OwnerConfig, StorageType
from records.scopes import Clock
from runtime.locks import OwnerLocks
from storage.directory import Directory
from storage.erasure import Erasure
from storage.files.data_dir import data_dir as held_data_dir
from storage.files.database import Database
from storage.files.inbox import UpdateInbox
from storage.files.integrity import examined
from storage.files.usage import UsageLedger
from storage.files.wizard_state import WizardStates
from storage.json.recovery import INDEX_NAME
from storage.json.store import JsonStore
from storage.protocol import MemoryStore
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.renaming import OwnerRenaming
from storage.sqlite.store import SqliteStore

log = logging.getLogger(__name__)

DEFAULT_EVERY_N = 20
MOST_EVERY_N = 500
OWNERS_HERE = 1_000
"""Owners whose choices the process remembers."""


class ExternalMemory:
    """Owners' memories across all stores. Made by `open`.

    `inbox` and `wizards` are what Telegram's side keeps beside the memories, in memory.db; `usage` is what was spent.
    """

    def __init__(
        self,
        *,
        directory: Directory,
        erasing: Erasure,
        renaming: OwnerRenaming,
        stores: dict[StorageType, MemoryStore],
        inbox: UpdateInbox,
        wizards: WizardStates,
        usage: UsageLedger,
        clock: Clock,
    ) -> None:
        self.inbox = inbox
        self.wizards = wizards
        self.usage = usage
        self._directory = directory
        self._erasing = erasing
        self._renaming = renaming
        self._stores = stores
        self._clock = clock
        self._locks = OwnerLocks()
        self._configs = LRUCache[int, OwnerConfig | None](OWNERS_HERE)

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path, *, clock: Clock) -> AsyncIterator["ExternalMemory"]:
        """Hold the data directory, open both stores, and finish what a process before this one left half done.

        Raises SettingsError or StorageBusy naming DATA_DIR, StorageTooNew, StorageError.
        """
        async with AsyncExitStack() as stack:
            folder = stack.enter_context(held_data_dir(path))
            database = await stack.enter_async_context(Database.open(folder / "memory.db", migrations=MIGRATIONS))
            sqlite = SqliteStore(database)
            json = await stack.enter_async_context(JsonStore.open(folder))
            for report in json.reports:
                log.warning("%s", report)
            directory = Directory(database)
            stores: dict[StorageType, MemoryStore] = {StorageType.SQLITE: sqlite, StorageType.JSON: json}
            for move in await directory.finish_moves(stores):
                log.warning(
                    "a move of %d from %s to %s was %s: settled",
                    move.owner,
                    move.source,
                    move.target,
                    move.state,
                )
            renaming = OwnerRenaming(database, stores)
            for owner in await renaming.resume():
                log.warning("%d, a group that became a supergroup, was given its new id", owner)
            for owner in await directory.adopt(stores):
                log.info("owner %d was found in memory.json and adopted", owner)
            for store in (sqlite, json):
                await store.take_back_leases()
            erasing = Erasure(database, folder, stores)
            for owner in await erasing.resume(lambda owner: _store_of(owner, directory, stores)):
                log.warning("a forgetting of %d that a process before this one had begun was finished", owner)
            await stack.enter_async_context(examined(database.path, lambda sentence: log.error("%s", sentence)))
            await stack.enter_async_context(examined(folder / INDEX_NAME, partial(_distrust, json)))
            yield cls(
                directory=directory,
                erasing=erasing,
                renaming=renaming,
                stores=stores,
                inbox=UpdateInbox(database),
                wizards=WizardStates(database),
                usage=UsageLedger(database),
                clock=clock,
            )

    @property
    def stores(self) -> tuple[MemoryStore, ...]:
        """Every store, for what is derived from all memories alike; an owner's memory is reached by `opened`."""
        return tuple(self._stores.values())

    async def config(self, owner: int) -> OwnerConfig | None:
        """The owner's choices; None when nothing was ever configured. Not to be asked inside `opened` or `home`."""
        async with self._locks.of(owner).shared():
            return await self._config(owner)

    async def is_on(self, owner: int) -> bool:
        config = await self.config(owner)
        return config is not None and config.enabled

    async def configure(self, owner: int, *, storage: StorageType, every_n: int) -> OwnerConfig:
        """Choose storage and threshold and turn memory on. What is stored elsewhere moves along, whole.

        Raises ValueError for a threshold outside 1 to 500; StorageError when the move failed, everything as it was.
        """
        if not 1 <= every_n <= MOST_EVERY_N:
            raise ValueError(f"a threshold is 1 to {MOST_EVERY_N} turns")
        async with self._locks.of(owner).exclusive():
            known = await self._config(owner)
            if known is not None and known.storage is not storage:
                try:
                    await self._directory.move(owner, self._stores, storage, now=self._clock())
                finally:
                    # A move that fails or is cancelled on its way back may have been made all the same.
                    self._configs.pop(owner, None)
            return await self._put(owner, lambda known: replace(known, every_n=every_n, enabled=True), storage=storage)

    async def switch(self, owner: int, *, enabled: bool) -> OwnerConfig:
        """Turn memory on or off; with nothing configured yet, the defaults (SQLite, every 20 turns)."""
        async with self._locks.of(owner).exclusive():
            return await self._put(owner, lambda known: replace(known, enabled=enabled))

    async def choose(self, owner: int, change: Callable[[OwnerConfig], OwnerConfig]) -> OwnerConfig:
        """Change an owner's further choices; where they live stays. With nothing configured yet, memory stays off."""
        async with self._locks.of(owner).exclusive():
            return await self._put(owner, change)

    @asynccontextmanager
    async def opened(self, owner: int) -> AsyncIterator[MemoryStore | None]:
        """The store of an owner whose memory is on, None while it is off. It cannot move inside the block."""
        async with self._locks.of(owner).shared():
            config = await self._config(owner)
            yield self._stores[config.storage] if config and config.enabled else None

    @asynccontextmanager
    async def home(self, owner: int) -> AsyncIterator[MemoryStore]:
        """The store that holds an owner's data, on or off (SQLite where there is none). It cannot move inside."""
        async with self._locks.of(owner).shared():
            config = await self._config(owner)
            yield self._stores[config.storage if config else StorageType.SQLITE]

    def turn(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Around a turn from its question to its answer; inside, the store is reached by `opened` as always."""
        return self._locks.of(owner).turn()

    def between_turns(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Around what no turn of the owner may overlap with, because its answer may quote what is changed."""
        return self._locks.of(owner).between_turns()

    async def preview(self, owner: int, what: Forgetting) -> Forgotten:
        """What `forget` would take."""
        async with self.home(owner) as store:
            return await store.forgetting.preview(owner, what)

    async def forget(self, owner: int, what: Forgetting, *, tidies: bool = True) -> Forgotten:
        """Erase it with everything built on it from every file, whether memory is on or off; what went.

        `tidies` False: the files are left to `tidy`, where many forget at once. Raises StorageError, nothing erased.
        Where more than facts or profiles goes, the owner's turns must be over (Corrections.forget sees to that).
        """
        async with self._locks.of(owner).exclusive():
            config = await self._config(owner)
            self._configs.pop(owner, None)
            store = self._stores[config.storage if config else StorageType.SQLITE]
            return await self._erasing.forget(owner, what, store, now=self._clock(), tidies=tidies)

    async def rename(self, owner: int, new: int) -> bool:
        """A group has another id: everything that is kept of it goes on under that; whether there was anything.

        Where the new id has something to remember already, both stay as they are. Raises StorageError: try it again.
        """
        async with self._locks.of(owner).exclusive(), self._locks.of(new).exclusive():
            for one in (owner, new):
                self._configs.pop(one, None)
            return await self._renaming.rename(owner, new, now=self._clock())

    def successor(self, owner: int) -> int:
        """The id that an owner has now, which may have been another."""
        return self._renaming.successors.get(owner, owner)

    async def tidy(self) -> None:
        """Clean the files of what was forgotten, where that is not done yet. Call it now and then."""
        await self._erasing.tidy()

    async def with_archives(self, *, older_than: datetime) -> list[int]:
        """The owners who have archives of before then."""
        what = Forgetting(what="archives", until=older_than)
        owners = [place.owner for place in await self._directory.places()]
        return [owner for owner in owners if (await self.preview(owner, what)).messages]

    async def total(self, owner: int) -> int:
        """Messages stored of an owner, over all scopes."""
        async with self.home(owner) as store:
            return sum([(await store.counts(scope)).total for scope in await store.scopes(owner)])

    async def _config(self, owner: int) -> OwnerConfig | None:
        """As `config`, for whoever is inside the owner's lock: what is kept here cannot be moved away meanwhile."""
        if owner in self._configs:
            return self._configs[owner]
        place = await self._directory.place(owner)
        config = await self._stores[place.storage].owner(owner) if place else None
        self._configs[owner] = config
        return config

    async def _put(
        self, owner: int, change: Callable[[OwnerConfig], OwnerConfig], *, storage: StorageType = StorageType.SQLITE
    ) -> OwnerConfig:
        """`storage`: of an owner that nothing is known of yet."""
        now = self._clock()
        config = await self._config(owner) or OwnerConfig(
            owner=owner,
            storage=storage,
            every_n=DEFAULT_EVERY_N,
            enabled=False,
            created_at=now,
            updated_at=now,
        )
        config = replace(change(config), owner=owner, storage=config.storage, updated_at=now)
        self._configs.pop(owner, None)
        # The directory first: a store never holds an owner that it does not know.
        place = await self._directory.settle(config)
        if place.storage is not config.storage:
            raise StorageError("The memory lives elsewhere than expected; nothing was changed.")
        await self._stores[config.storage].put_owner(config)
        self._configs[owner] = config
        return config


async def _store_of(owner: int, directory: Directory, stores: dict[StorageType, MemoryStore]) -> MemoryStore:
    place = await directory.place(owner)
    return stores[place.storage if place else StorageType.SQLITE]


def _distrust(json: JsonStore, sentence: str) -> None:
    log.error("%s", sentence)
    json.distrust()

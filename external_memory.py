"""Owners' memories across all stores. Each memory is in exactly one store, even while it is being moved."""

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from records.errors import ServedElsewhere, StorageError
from records.forgetting import ForgetRequest, ForgetResult
from records.owners import DEFAULT_EVERY_N, MAX_EVERY_N, OwnerConfig, StorageType
from records.scopes import Clock, Scope
from runtime.locks import OwnerLocks
from runtime.read_through_cache import ReadThroughCache
from storage.bot_state.directory import Directory
from storage.bot_state.people import People
from storage.bot_state.state import BotState, open_local_state, open_shared_state
from storage.engine.data_dir import lock_data_dir as held_data_dir
from storage.engine.sqlite import Database, check_integrity_in_background, read_file_version
from storage.schema.migrations import MIGRATIONS
from storage.stores.json import JsonStore
from storage.stores.json_files import INDEX_NAME
from storage.stores.memory_store import MemoryStore

log = logging.getLogger(__name__)

# Given the people whom admins let in or removed, returns a function that tells if an owner is served.
MakeAccessCheck = Callable[[People], Callable[[int], bool]]


class ExternalMemory:
    """The memories of all owners, and the state of the bot. Create it with `open`.

    `serves(owner)` returns False for people who were removed. The bot must do nothing for them.
    """

    def __init__(
        self, state: BotState, stores: dict[StorageType, MemoryStore], clock: Clock, serves: Callable[[int], bool]
    ) -> None:
        self._state, self._stores, self._clock, self.serves = state, stores, clock, serves
        self._when_acquired: list[Callable[[int], None]] = []
        state.leases.add_owner_acquired_callback(self._run_owner_acquired_callbacks)
        # Held shared to use an owner's store, and exclusively to move it, change settings or erase messages.
        self._locks = OwnerLocks()
        # Held shared by a whole turn, with the model's answer, and exclusively to change text that it may have read.
        self._turn_locks = OwnerLocks()
        self._configs = ReadThroughCache[int, OwnerConfig | None](1_000)
        self._open = ReadThroughCache[Scope, Scope](10_000)
        self.inbox, self.shared_inbox = state.inbox, state.shared_inbox
        self.wizards, self.people, self.usage = state.wizards, state.people, state.usage
        self.export_key, self.used_links, self.broadcasts = state.export_key, state.used_links, state.broadcasts

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: Path, *, clock: Clock, database_url: str = "", make_access_check: MakeAccessCheck | None = None
    ) -> AsyncIterator["ExternalMemory"]:
        """Open the memory in a data directory, and lock the directory while the block runs.

        If `database_url` is set, open PostgreSQL too. Raise SettingsError or StorageError on failure.
        """

        def mark_index_corrupt(reason: str) -> None:
            log.error("%s", reason)
            json.mark_copy_corrupt()

        async with AsyncExitStack() as stack:
            folder = stack.enter_context(held_data_dir(path))
            database = await stack.enter_async_context(Database.open(folder / "memory.db", migrations=MIGRATIONS))
            sqlite = MemoryStore(database, StorageType.SQLITE)
            json = await stack.enter_async_context(JsonStore.open(folder))
            for report in json.reports:
                log.warning("%s", report)
            stores: dict[StorageType, MemoryStore] = {StorageType.SQLITE: sqlite, StorageType.JSON: json}
            if database_url:
                state = await stack.enter_async_context(open_shared_state(database_url, database, folder, stores))
            else:
                await Directory(database).require_no_memory_in_postgres()
                state = await open_local_state(database, folder, stores)
            await stack.enter_async_context(
                check_integrity_in_background(database.path, lambda sentence: log.error("%s", sentence))
            )
            await stack.enter_async_context(check_integrity_in_background(folder / INDEX_NAME, mark_index_corrupt))
            yield cls(state, stores, clock, make_access_check(state.people) if make_access_check else lambda _: True)

    @staticmethod
    def list_outdated_databases(path: Path, database_url: str = "") -> list[str]:
        """Return the names of the databases that `open` would migrate from an older schema. Change nothing."""
        versions = {"memory.db": (read_file_version(path / "memory.db", len(MIGRATIONS)), len(MIGRATIONS))}
        if database_url:
            from storage.stores.postgres import read_server_version_and_newest

            versions["the PostgreSQL database"] = read_server_version_and_newest(database_url)
        return [name for name, (version, newest) in versions.items() if 0 < version < newest]

    def add_owner_acquired_callback(self, callback: Callable[[int], None]) -> None:
        """Register a callback that runs for each owner that this process takes over from another process."""
        self._when_acquired.append(callback)

    async def check_writable(self) -> None:
        """Raise StorageError if the storage is not writable."""
        await self._state.check_writable()

    async def list_owners(self) -> list[int]:
        return await self._state.directory.list_owners()

    async def count_owners_active_owners_and_failed_folds(self, since: datetime) -> tuple[int, int, int]:
        """Count all owners, the owners active since `since`, and the scopes whose last summary failed."""
        active = failed = 0
        for store in self._stores.values():
            counts = await store.count_active_owners_and_failed_folds(since)
            active, failed = active + counts[0], failed + counts[1]
        return len(await self.list_owners()), active, failed

    @property
    def is_shared(self) -> bool:
        """Return True if several processes may share the storage."""
        return self.shared_inbox is not None

    @property
    def stores(self) -> tuple[MemoryStore, ...]:
        """All stores, for work that spans owners. For a single owner, use `open_store_if_enabled` or `open_store`."""
        return tuple(self._stores.values())

    @property
    def storage_types(self) -> tuple[StorageType, ...]:
        return tuple(self._stores)

    async def get_config(self, owner: int) -> OwnerConfig | None:
        """Return an owner's configuration, or None if there is none. Do not call this inside `open_store`."""
        async with self._lock_owner(owner) as config:
            return config

    async def get_language(self, owner: int) -> str | None:
        """Return an owner's language, "" if none was chosen, or None if the owner has no configuration.

        The value may be cached. Do not call this inside `open_store`.
        """
        config = await self._configs.get(owner, partial(self.get_config, owner))
        return config.language if config else None

    async def is_memory_on(self, owner: int) -> bool:
        config = await self.get_config(owner)
        return config is not None and config.enabled

    async def configure(self, owner: int, *, storage: StorageType, every_n: int) -> OwnerConfig:
        """Turn memory on, summarise it every `every_n` turns, and keep it in `storage`. Move existing data there.

        Raise ValueError unless `every_n` is from 1 to 500. If the move fails, change nothing and raise StorageError.
        """
        if not 1 <= every_n <= MAX_EVERY_N:
            raise ValueError(f"a threshold is 1 to {MAX_EVERY_N} turns")
        async with self._lock_owner(owner, is_exclusive=True) as known:
            if known is not None and known.storage is not storage:
                try:
                    await self._state.directory.move_owner(owner, self._stores, storage, now=self._clock())
                finally:
                    self._drop_cached_owners(owner)
            return await self._store_config(
                owner, lambda known: replace(known, every_n=every_n, enabled=True), storage=storage
            )

    async def set_enabled(self, owner: int, *, enabled: bool) -> OwnerConfig:
        """Turn an owner's memory on or off. Create a default configuration if there is none."""
        return await self.change_config(owner, lambda known: replace(known, enabled=enabled))

    async def change_config(self, owner: int, change: Callable[[OwnerConfig], OwnerConfig]) -> OwnerConfig:
        """Apply a change to an owner's configuration, or to a new one with memory off. The storage stays the same."""
        async with self._lock_owner(owner, is_exclusive=True):
            return await self._store_config(owner, change)

    async def find_open_conversation_or_chat_scope(self, chat: Scope) -> Scope:
        """Return the open conversation of a chat or topic, or `chat` itself if there is none.

        Raise StorageError if the store fails. Do not call this inside `open_store_if_enabled` or `open_store`.
        """

        async def find_in_store() -> Scope:
            async with self._lock_owner(chat.owner) as config:
                if config is None:
                    return chat
                return await self._stores[config.storage].conversations.find_open_conversation(chat)

        return await self._open.get(chat, find_in_store)

    async def has_conversation(self, chat: Scope, conversation: Scope) -> bool:
        """Return True if a conversation belongs to a chat or topic. Raise StorageError if the store cannot be read."""
        if await self.find_open_conversation_or_chat_scope(chat) == conversation:
            return True
        async with self.open_store(chat.owner) as store:
            return await store.conversations.has_conversation(chat, conversation)

    async def find_conversation_of_message(
        self, chat: Scope, *, message_source: str = "", telegram_id: int | None = None, message_id: int | None = None
    ) -> Scope:
        """Return the conversation that contains a message, or the open conversation if the message is not stored."""
        async with self.open_store(chat.owner) as store:
            found = await store.conversations.find_conversation(
                chat, source=message_source, telegram_id=telegram_id, message_id=message_id
            )
        return found or await self.find_open_conversation_or_chat_scope(chat)

    async def find_chat_of_message(self, owner: int, telegram_id: int) -> Scope | None:
        """Return the chat or topic that contains a Telegram message, or None if the message is not stored."""
        async with self.open_store(owner) as store:
            return await store.conversations.find_chat_of_message(owner, telegram_id)

    async def begin_conversation(self, chat: Scope, title: str = "") -> Scope:
        """Begin and open a new conversation in a chat or topic. Raise StorageError if the store fails."""
        async with self.open_store(chat.owner) as store:
            try:
                return await store.conversations.begin_conversation(chat, title, now=self._clock())
            finally:
                self._open.drop(chat.__eq__)

    async def open_conversation_if_exists(self, chat: Scope, conversation: Scope) -> bool:
        """Open an earlier conversation of a chat or topic. Return False if it does not exist."""
        async with self.open_store(chat.owner) as store:
            try:
                return await store.conversations.open_conversation_if_exists(chat, conversation, now=self._clock())
            finally:
                self._open.drop(chat.__eq__)

    @asynccontextmanager
    async def open_store_if_enabled(self, owner: int) -> AsyncIterator[MemoryStore | None]:
        """Yield an owner's store, or None if memory is off. The memory cannot move inside the block."""
        async with self._lock_owner(owner) as config:
            yield self._stores[config.storage] if config and config.enabled else None

    @asynccontextmanager
    async def open_store(self, owner: int) -> AsyncIterator[MemoryStore]:
        """Yield an owner's store, even if memory is off. The memory cannot move inside the block."""
        async with self._lock_owner(owner) as config:
            yield self._stores[config.storage if config else StorageType.SQLITE]

    def hold_owner_lease(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Hold the lease on an owner while the block runs. Take it over from another process if necessary."""
        return self._state.leases.hold_owner_lease(owner)

    async def select_served_owners(self, owners: Iterable[int]) -> list[int]:
        """Take over the owners that no process serves. Then return those of `owners` that this process serves."""
        mine: list[int] = []
        for owner in owners:
            with suppress(ServedElsewhere):
                await self._state.leases.start_serving(owner)
                mine.append(owner)
        return mine

    def mark_turn_running(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Mark a turn as running inside the block, so that `block_turns` waits for it to end."""
        return self._turn_locks.get_lock(owner).hold_shared()

    def block_turns(self, owner: int) -> AbstractAsyncContextManager[None]:
        """Wait for an owner's running turns, and let no turn begin inside the block."""
        return self._turn_locks.get_lock(owner).hold_exclusive()

    async def preview_forgetting(
        self, owner: int, request: ForgetRequest, *, counts_quotes: bool = True
    ) -> ForgetResult:
        """Return the counts of what `forget` would erase, and the first texts.

        If `counts_quotes` is True, also find remaining texts that quote the erased texts. This is slow.
        """
        async with self.open_store(owner) as store:
            return await store.forgetting.preview_deletion(owner, request, counts_quotes=counts_quotes)

    async def forget(self, owner: int, request: ForgetRequest, *, overwrites_files: bool = True) -> ForgetResult:
        """Erase messages or facts and everything derived from them. Return what was erased.

        Unless `overwrites_files`, call `overwrite_erased_data` later. Erase messages only inside `block_turns`.
        Raise StorageError if it fails.
        """
        async with self._lock_owner(owner, is_exclusive=True) as config:
            store = self._stores[config.storage if config else StorageType.SQLITE]
            now = self._clock()
            try:
                return await self._state.erasing.forget(owner, request, store, now=now, purges_files=overwrites_files)
            finally:
                self._drop_cached_owners(owner)

    async def try_to_change_group_id(self, old_id: int, new_id: int) -> bool:
        """Move a group's data to its new id. Return False if there is no data, or if the new id already has some."""
        async with self._locks.get_lock(old_id).hold_exclusive(), self._locks.get_lock(new_id).hold_exclusive():
            for group in (old_id, new_id):
                await self._state.leases.start_serving(group)
            try:
                return await self._state.renaming.change_owner_id_if_possible(old_id, new_id, now=self._clock())
            finally:
                self._drop_cached_owners(old_id, new_id)

    def find_current_owner_id(self, owner: int) -> int:
        """Return the current id of an owner. The id of a group changes when it becomes a supergroup."""
        return self._state.renaming.successors.get(owner, owner)

    def set_shutdown_deadline(self, deadline: float) -> None:
        """Make the stores close by a deadline, a time.monotonic() value, even if work remains."""
        for store in self._stores.values():
            store.set_shutdown_deadline(deadline)

    async def overwrite_erased_data(self) -> None:
        """Overwrite the remains of erased data in the files. Call this periodically."""
        await self._state.erasing.try_to_overwrite_erased_data()

    async def count_messages(self, owner: int) -> int:
        async with self.open_store(owner) as store:
            return sum(
                [(await store.count_messages_and_summaries(scope)).total for scope in await store.list_scopes(owner)]
            )

    async def _run_owner_acquired_callbacks(self, owners: Sequence[int]) -> None:
        self._drop_cached_owners(*owners)
        for owner in owners:
            for prepare in self._when_acquired:
                prepare(owner)

    def _drop_cached_owners(self, *owners: int) -> None:
        gone = set(owners)
        self._configs.drop(lambda owner: owner in gone)
        self._open.drop(lambda chat: chat.owner in gone)

    @asynccontextmanager
    async def _lock_owner(self, owner: int, *, is_exclusive: bool = False) -> AsyncIterator[OwnerConfig | None]:
        lock = self._locks.get_lock(owner)
        async with lock.hold_exclusive() if is_exclusive else lock.hold_shared():
            await self._state.leases.start_serving(owner)
            yield await self._read_config(owner)

    async def _read_config(self, owner: int) -> OwnerConfig | None:
        # The caller holds the owner's lock.
        async def read_stored_config() -> OwnerConfig | None:
            storage = await self._state.directory.find_storage_type(owner)
            return await self._stores[storage].find_owner_config(owner) if storage else None

        return await self._configs.get(owner, read_stored_config)

    async def _store_config(
        self, owner: int, change: Callable[[OwnerConfig], OwnerConfig], *, storage: StorageType | None = None
    ) -> OwnerConfig:
        storage = storage or (StorageType.POSTGRES if self.is_shared else StorageType.SQLITE)
        now = self._clock()
        config = await self._read_config(owner) or OwnerConfig(
            owner=owner, storage=storage, every_n=DEFAULT_EVERY_N, enabled=False, created_at=now, updated_at=now
        )
        config = replace(change(config), owner=owner, storage=config.storage, updated_at=now)
        try:
            # The directory first: no store may hold an owner whom the directory does not know.
            if await self._state.directory.get_storage_or_register_owner(config) is not config.storage:
                raise StorageError("The memory lives elsewhere than expected; nothing was changed.")
            await self._stores[config.storage].upsert_owner(config)
        finally:
            self._drop_cached_owners(owner)
        return config

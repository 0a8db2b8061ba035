"""Forgets, edits and moves stored messages, both in the store and in this process."""

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from functools import partial

from attrs import define, field

from chat.session import Sessions
from external_memory import ExternalMemory
from llm.quota import Quota
from records.errors import ServedElsewhere, StorageError
from records.forgetting import ForgetRequest, ForgetResult
from records.messages import Correction
from records.owners import get_memory_mode
from records.scopes import Clock, Scope
from runtime.tasks import run_to_completion

log = logging.getLogger(__name__)


@define(kw_only=True, eq=False)
class Corrections:
    """Forgets, edits and moves stored messages. Waits for running answers first if messages or summaries may change."""

    _memory: ExternalMemory
    _sessions: Sessions
    _quota: Quota
    _clock: Clock
    _wake_indexer: Callable[[], None]
    _when_forgotten: list[Callable[[int], None]] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self._memory.add_owner_acquired_callback(self._clear_sessions)

    def add_forgetting_callback(self, callback: Callable[[int], None]) -> None:
        """Register a callback that gets the id of each owner whose messages were forgotten."""
        self._when_forgotten.append(callback)

    async def forget(self, owner: int, request: ForgetRequest, *, overwrites_files: bool = True) -> ForgetResult:
        """Erase data from all stores, files and caches, and return what was erased. Raise StorageError on failure."""
        async with nullcontext() if request.keeps_messages else self._memory.block_turns(owner):
            return await run_to_completion(
                partial(self._forget_everywhere, owner, request, overwrites_files=overwrites_files)
            )

    async def _forget_everywhere(self, owner: int, request: ForgetRequest, *, overwrites_files: bool) -> ForgetResult:
        taken = await self._memory.forget(owner, request, overwrites_files=overwrites_files)
        if request.keeps_messages:
            log.info("%d facts and %d profiles of %d were forgotten", taken.facts, taken.profiles, owner)
            return taken
        for session in self._sessions.list_owner_sessions(owner):
            session.forget_messages(request)
        for drop in self._when_forgotten:
            drop(owner)
        if request.what == "everything":
            self._quota.discard_unstored_usage(owner)
        log.info("%d messages of %d and everything derived from them were forgotten", taken.messages, owner)
        return taken

    async def clear_session(self, scope: Scope) -> None:
        """Drop the messages and explanations that this process holds in memory for a scope."""
        async with self._memory.block_turns(scope.owner):
            self._sessions.get_or_create_session(scope).drop_held_messages()

    async def undo_fact_edit(self, owner: int, fact_id: int) -> ForgetResult | None:
        """Undo a fact's last edit. Return what was erased, or None if there was no edit. May raise StorageError."""
        async with self._memory.open_store(owner) as store:
            earlier = await store.facts.find_previous_version_id(owner, fact_id)
        return None if earlier is None else await self.forget(owner, ForgetRequest(what="edits", ids=(earlier,)))

    async def forget_old_archived_messages(self, max_age: timedelta) -> None:
        """Erase archived messages that are older than `max_age`, then purge erased text from the files."""
        old = ForgetRequest(what="archives", until=self._clock() - max_age)
        owners = await self._memory.select_served_owners(await self._memory.list_owners())
        due = [(owner, old) for owner in owners if (await self._memory.preview_forgetting(owner, old)).messages]
        await self._execute_forget_requests(due)

    async def forget_long_deleted_facts(self) -> None:
        """Erase facts that were deleted at least a day ago, then purge erased text from the files."""
        until = self._clock() - timedelta(days=1)  # until then they can be restored
        stores = self._memory.stores
        deleted = [found for store in stores for found in (await store.facts.list_deleted_ids_by_owner(until)).items()]
        due = [(owner, ForgetRequest(what="facts", ids=tuple(ids), until=until)) for owner, ids in deleted]
        await self._execute_forget_requests(due)

    async def _execute_forget_requests(self, requests: Sequence[tuple[int, ForgetRequest]]) -> None:
        for owner, request in requests:
            try:
                await self.forget(owner, request, overwrites_files=False)
            except (StorageError, ServedElsewhere) as error:
                log.warning("what expired of %d (%s) stays for now: %s", owner, request.what, type(error).__name__)
        if requests:
            await self._memory.overwrite_erased_data()

    async def change_owner_id(self, owner: int, new_id: int) -> None:
        """Move a group's memory to the group's new id. Can be repeated after a StorageError."""
        async with self._memory.block_turns(owner):
            await run_to_completion(partial(self._change_owner_id, owner, new_id))
        self._wake_indexer()

    async def _change_owner_id(self, owner: int, new_id: int) -> None:
        if await self._memory.try_to_change_group_id(owner, new_id):
            log.info("the memory of %d is that of %d now", owner, new_id)
        for session in self._sessions.list_owner_sessions(owner):
            self._sessions.move_unwritten_messages(session, Scope(owner=new_id, thread=session.scope.thread))

    async def correct_message(
        self, scope: Scope, telegram_id: int, new_text: str, *, is_replayed: bool = False
    ) -> Correction:
        """Replace the text of an edited message and erase everything derived from it. Raise StorageError on failure.

        With `is_replayed`, an unchanged text counts as changed: the process died before the person was told.
        """
        async with self._memory.block_turns(scope.owner):
            mode = get_memory_mode(await self._memory.get_config(scope.owner))
            if mode != "on":
                return self._sessions.get_or_create_session(scope).correct_message(telegram_id, new_text, mode)
            async with self._memory.open_store_if_enabled(scope.owner) as store:
                message = await store.explanations.find_message(scope, telegram_id) if store is not None else None
                # Only its author can edit a message in Telegram, and nobody edits the bot's own answers.
                if store is None or message is None or not message.is_user:
                    return Correction()
                try:
                    revised = await store.forgetting.replace_message_text_if_changed(
                        scope, message.id, new_text, reason="edited", now=self._clock()
                    )
                finally:  # cancelled or not: it may be stored, and then the old words are nobody's any more
                    self._sessions.get_or_create_session(scope).recent.clear()
                if revised is None and not is_replayed:
                    return Correction()
                newest = await store.read_last_turns(scope, 1)
        self._wake_indexer()
        return Correction(turn=message.turn, is_last=bool(newest) and newest[-1].turn == message.turn)

    def _clear_sessions(self, owner: int) -> None:
        # Another process may have served them in between.
        for session in self._sessions.list_owner_sessions(owner):
            session.drop_held_messages()

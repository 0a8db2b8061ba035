"""Learn from imported messages in the background, at the owner's request. Learning resumes after a restart."""

import asyncio
import logging
from contextlib import suppress
from typing import Literal

from attrs import define, field

from external_memory import ExternalMemory
from facts.learning import Facts
from facts.requests import ExtractionEstimate
from records.errors import StorageError
from records.scopes import Scope

log = logging.getLogger(__name__)

RETRY_SECONDS = 60.0  # until a scope is tried again after a failure, without tokens, or while memory is off


@define(kw_only=True, eq=False)
class HistoryExtraction:
    """Learns facts from imported messages in the background, if `is_on`."""

    _memory: ExternalMemory
    _facts: Facts
    _is_on: bool
    _wanted: asyncio.Event = field(factory=asyncio.Event, init=False)
    _idle: asyncio.Event = field(factory=asyncio.Event, init=False)

    async def estimate_cost(self, owner: int, first_id: int, last_id: int) -> ExtractionEstimate | None:
        """Estimate the cost of learning from imported messages. Return None if there is nothing to learn."""
        if not await self._may_learn(owner):
            return None
        async with self._memory.open_store(owner) as store:
            backlog = await store.history_extraction.measure_backlog(owner, first_id, last_id)
        return self._facts.estimate_history_extraction(backlog) if backlog.messages else None

    async def begin(self, owner: int, first_id: int, last_id: int) -> Literal["begun", "busy", "nothing", "off"]:
        """Begin or resume learning from a range of imported messages.

        Return "off" if learning is not allowed, "nothing" if no message is left, or "busy" if another range is running.
        """
        if not await self._may_learn(owner):
            return "off"
        if await self.estimate_cost(owner, first_id, last_id) is None:
            return "nothing"
        async with self._memory.open_store(owner) as store:
            if not await store.history_extraction.begin_extraction_unless_running(owner, first_id, last_id):
                return "busy"
        self._idle.clear()
        self._wanted.set()
        return "begun"

    async def stop(self, owner: int) -> None:
        """Stop learning from an owner's imported messages. Keep the facts learned so far."""
        async with self._memory.open_store(owner) as store:
            await store.history_extraction.stop_extraction(owner)

    async def _may_learn(self, owner: int) -> bool:
        config = await self._memory.get_config(owner)
        return self._is_on and config is not None and config.enabled and not config.incognito

    async def wait_until_idle(self) -> None:
        """Wait until no scope has messages left to learn from, or learning cannot continue at present."""
        await self._idle.wait()

    async def run_forever(self) -> None:
        """Learn from imported messages whenever some are waiting, until cancelled."""
        while True:
            self._wanted.clear()
            try:
                while await self._extract_and_check_for_progress():
                    pass
            except Exception as error:  # error boundary of this task
                log.warning("history extraction failed, it is tried again: %s", type(error).__name__)
            if not self._wanted.is_set():
                self._idle.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_SECONDS):
                        await self._wanted.wait()

    async def _extract_and_check_for_progress(self) -> bool:
        """Learn from one batch of each waiting scope. Return True if there was progress in any scope."""
        scopes: list[Scope] = []
        for store in self._memory.stores:
            try:
                waiting = await store.history_extraction.list_extraction_scopes()
                scopes += [scope for scope in waiting if self._memory.serves(scope.owner)]
            except StorageError as error:
                log.warning("the imported history that waits cannot be read: %s", type(error).__name__)
        return any([await self._facts.try_to_learn_from_history(scope) for scope in scopes])
